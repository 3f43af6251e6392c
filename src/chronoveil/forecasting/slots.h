// Lengths of slots, in seconds.
#pragma once

namespace chronoveil::forecasting {

inline constexpr double kHour = 3600;
inline constexpr double kDay = 24 * kHour;
inline constexpr double kWeek = 7 * kDay;
inline constexpr double kYear = 365.2425 * kDay;

}  // namespace chronoveil::forecasting
