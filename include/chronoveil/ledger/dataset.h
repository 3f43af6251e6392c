// A dataset: a named population, what is promised to each of its units, and the budget that the promise rests on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chronoveil/ledger/calendar.h"
#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/neighbours.h"
#include "chronoveil/ledger/filters/parts.h"

namespace chronoveil::ledger {

struct Dataset {
  std::string name;
  Protected promise;
  double epsilon = 0;
  double delta = 0;
  Filter filter;                  // fixed at creation, with its budget
  std::optional<Renewal> renews;  // then (ε, δ) holds for each period, not for all time
  std::optional<Partition> partition;
};

// What `budget create` asks for.
struct DatasetRequest {
  std::string name;
  Protected promise;
  double epsilon = 0;
  double delta = 0;
  std::optional<FilterKind> filter;  // sum when δ = 0 or values are swapped, else union
  std::optional<Renewal> renews;
  std::optional<Partition> partition;
};

// Names are 1 to 64 of a-z A-Z 0-9 . _ -, so that they fit in an id and in a path.
Result<void> check_dataset_name(std::string_view);

Result<Dataset> make_dataset(const DatasetRequest&);

// The body of row 0: canonical JSON. Reading checks every field and refuses unknown ones.
std::string to_body(const Dataset&);
Result<Dataset> dataset_from_body(std::string_view body);

}  // namespace chronoveil::ledger
