// Stands for a header with data types, so that the cases can show who sees it.
#pragma once

namespace chronoveil::data {
struct Records {};
}  // namespace chronoveil::data
