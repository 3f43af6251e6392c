#include "chronoveil/ledger/filters/amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace chronoveil::ledger {
namespace {

__extension__ using Units = __int128;

constexpr int kDigits = 30;
constexpr int kLargestPower = 38;  // 10^38 < 2^127

constexpr auto kPowers = [] {
  std::array<Units, kLargestPower + 1> powers{};
  powers[0] = 1;
  for (int i = 1; i <= kLargestPower; ++i)
    powers[static_cast<std::size_t>(i)] = powers[static_cast<std::size_t>(i - 1)] * 10;
  return powers;
}();

Units power_of_ten(int exponent) { return kPowers[static_cast<std::size_t>(exponent)]; }

const Units kSaturation = power_of_ten(kDigits + 7);

// value = digits * 10^exponent, the shortest decimal that reads back as the same double.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

Decimal shortest_decimal(double value) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  Decimal decimal;
  const char* at = buffer.data();
  bool fraction = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + (*at - '0');
    if (fraction) --decimal.exponent;
  }
  decimal.exponent += std::atoi(at + 1);
  while (decimal.digits != 0 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
}

Units divide(Units numerator, Units denominator, bool up) {
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): by a power of ten, or by the digits of a positive number
  return numerator / denominator + (up && numerator % denominator != 0 ? 1 : 0);
}

}  // namespace

Amount Amount::from_decimal(double value, bool up) {
  if (std::isnan(value)) return up ? saturated() : Amount();
  if (value <= 0) return Amount();
  if (value >= 1e7) return saturated();
  const Decimal decimal = shortest_decimal(value);
  const int shift = decimal.exponent + kDigits;
  if (shift >= 0) return Amount(decimal.digits * power_of_ten(shift));  // below 10^7, so this cannot overflow
  if (-shift > kLargestPower) return Amount(up ? 1 : 0);
  return Amount(divide(decimal.digits, power_of_ten(-shift), up));
}

Amount Amount::stated_up(double value) { return from_decimal(value, true); }
Amount Amount::stated_down(double value) { return from_decimal(value, false); }

// The shortest decimal of the next double lies beyond the double itself.
Amount Amount::above(double value) {
  return value == 0 ? Amount() : from_decimal(std::nextafter(value, std::numeric_limits<double>::infinity()), true);
}
Amount Amount::below(double value) { return from_decimal(std::nextafter(value, 0), false); }

Amount Amount::ratio_up(std::int64_t numerator, double denominator) {
  if (numerator <= 0) return Amount();
  if (!(denominator > 0)) return saturated();
  const Decimal decimal = shortest_decimal(denominator);
  const int shift = kDigits - decimal.exponent;
  const bool exact =
      shift >= 0 && shift <= kLargestPower && power_of_ten(shift) <= std::numeric_limits<Units>::max() / numerator;
  if (!exact) return above(std::nextafter(static_cast<double>(numerator) / denominator, HUGE_VAL));
  return std::min(Amount(divide(numerator * power_of_ten(shift), decimal.digits, true)), saturated());
}

Amount Amount::saturated() { return Amount(kSaturation); }
bool Amount::is_saturated() const { return units_ >= kSaturation; }

Amount Amount::operator+(Amount other) const { return std::min(Amount(units_ + other.units_), saturated()); }

Amount Amount::times(std::int64_t count) const {
  if (count <= 0 || units_ == 0) return Amount();
  if (units_ > kSaturation / count) return saturated();
  return Amount(units_ * count);
}

Amount Amount::left_of(Amount budget) const {
  return budget.units_ > units_ ? Amount(budget.units_ - units_) : Amount();
}

Amount Amount::hundredths(std::int64_t count) const {
  return Amount(units_ / 100 * count + units_ % 100 * count / 100);
}

double Amount::value() const { return std::strtod(text().c_str(), nullptr); }

std::string Amount::text() const {
  const Units whole = units_ / power_of_ten(kDigits);
  Units rest = units_ % power_of_ten(kDigits);
  std::string result = std::to_string(static_cast<std::int64_t>(whole));
  if (rest == 0) return result;
  std::string fraction(kDigits, '0');
  for (int i = kDigits - 1; i >= 0; --i, rest /= 10)
    fraction[static_cast<std::size_t>(i)] = static_cast<char>('0' + static_cast<int>(rest % 10));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return result + "." + fraction;
}

Result<Amount> Amount::parse(std::string_view text) {
  const auto refuse = [&] { return fail(ErrorKind::storage, "ledger", "an amount is not a canonical decimal number"); };
  const std::string_view whole = text.substr(0, text.find('.'));
  const std::string_view fraction = whole.size() < text.size() ? text.substr(whole.size() + 1) : std::string_view();
  if (whole.empty() || whole.size() > 8 || fraction.size() > kDigits) return refuse();
  Units units = 0;
  for (const std::string_view digits : {whole, fraction}) {
    for (const char c : digits) {
      if (c < '0' || c > '9') return refuse();
      units = units * 10 + (c - '0');
    }
  }
  const Amount amount(units * power_of_ten(kDigits - static_cast<int>(fraction.size())));
  if (amount.text() != text || amount > saturated()) return refuse();
  return amount;
}

}  // namespace chronoveil::ledger
