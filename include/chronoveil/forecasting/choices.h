// How windows are drawn and filled: the choices of a training job.
#pragma once

namespace chronoveil::forecasting {

// How a batch draws its series, and a series its windows; see sampling.h.
enum class TopLevel { iterate, without_replacement };
enum class BottomLevel { with_replacement, poisson };

// How a missing value of a window is filled, from that window only.
enum class Fill { zero, window_mean, last };

}  // namespace chronoveil::forecasting
