// Days and dates of the proleptic Gregorian calendar, without zones. Days are counted from 1970-01-01.
#pragma once

#include <cstdint>

namespace chronoveil::data {

inline constexpr std::int64_t kSecond = 1000;  // in milliseconds, as are all times here
inline constexpr std::int64_t kMinute = 60 * kSecond;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

// Times are accepted in these years only; tables of zones reach as far.
inline constexpr int kFirstYear = 1;
inline constexpr int kLastYear = 2499;

// Rounds towards minus infinity; the divisor is positive.
constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

constexpr bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

constexpr int days_in_month(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// A year that starts in March puts the leap day last, so that days before a month have a closed form.
constexpr std::int64_t days_from_civil(int year, int month, int day) {
  const int march_year = month <= 2 ? year - 1 : year;
  const int era = (march_year >= 0 ? march_year : march_year - 399) / 400;
  const int year_of_era = march_year - era * 400;
  const int day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return std::int64_t{era} * 146097 + day_of_era - 719468;
}

struct Date {
  int year, month, day;
};

constexpr Date civil_from_days(std::int64_t days) {
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = floor_divide(shifted, 146097);
  const int day_of_era = static_cast<int>(shifted - era * 146097);
  const int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int march_month = (5 * day_of_year + 2) / 153;
  const int month = march_month < 10 ? march_month + 3 : march_month - 9;
  const int year = year_of_era + static_cast<int>(era) * 400 + (month <= 2 ? 1 : 0);
  return {year, month, day_of_year - (153 * march_month + 2) / 5 + 1};
}

// Sunday is 0.
constexpr int weekday_from_days(std::int64_t days) { return static_cast<int>((days % 7 + 11) % 7); }

inline constexpr std::int64_t kFirstInstant = days_from_civil(kFirstYear, 1, 1) * kDay;
inline constexpr std::int64_t kLastInstant = days_from_civil(kLastYear + 1, 1, 1) * kDay;  // the first that is outside

}  // namespace chronoveil::data
