#include "chronoveil/data/time/duration.h"

#include <charconv>
#include <utility>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {

std::optional<std::int64_t> parse_duration(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit_at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0 || number > 1'000'000) return std::nullopt;
  const std::string_view unit(unit_at, static_cast<std::size_t>(end - unit_at));
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"s", kSecond}, {"min", kMinute}, {"h", kHour}, {"d", kDay}, {"w", 7 * kDay}};
  for (const auto& [name, size] : kUnits)
    if (unit == name) return number * size;
  return std::nullopt;
}

}  // namespace chronoveil::data
