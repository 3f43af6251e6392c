// What a job of training may choose of how windows are drawn and filled.
#pragma once

namespace chronoveil::forecasting {

// How a batch takes its series, and how a series its windows; see sampling.h.
enum class TopLevel { iterate, without_replacement };
enum class BottomLevel { with_replacement, poisson };

// How a missing value of a window is filled: from nothing but that window.
enum class Fill { zero, window_mean, last };

}  // namespace chronoveil::forecasting
