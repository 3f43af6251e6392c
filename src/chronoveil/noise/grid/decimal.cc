#include "chronoveil/noise/grid/decimal.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <string>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {

namespace {

using boost::multiprecision::cpp_int;

constexpr std::array<char, 200> kPairs = [] {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

char* write_two(std::size_t number, char* out) { return std::copy_n(&kPairs[2 * number], 2, out); }

// Eight digits with leading zeros.
char* write_eight(std::size_t number, char* out) {
  const std::size_t high = number / 10'000, low = number % 10'000;
  out = write_two(high % 100, write_two(high / 100, out));
  return write_two(low % 100, write_two(low / 100, out));
}

char* without_trailing_zeros(char* end) {
  while (end[-1] == '0') --end;
  return end;
}

// fraction / 2^places, not 0, eight digits at a time: fraction 10^8 / 2^places has them as its integer part and leaves
// an exact fraction for the next eight. Wide must hold places + 27 bits.
template <class Wide>
char* write_fraction(std::uint64_t fraction, unsigned places, char* out) {
  const Wide mask = (Wide{1} << places) - 1;
  Wide rest = fraction;
  while (rest != 0) {
    rest *= 100'000'000;
    out = write_eight(static_cast<std::size_t>(rest >> places), out);
    rest &= mask;
  }
  return without_trailing_zeros(out);
}

// Any power of two. 2^-places = 5^places / 10^places turns the fraction into an integer of that many digits.
char* write_any(std::uint64_t magnitude, int log2, char* out) {
  std::string text;
  if (log2 >= 0) {
    text = cpp_int(cpp_int(magnitude) << static_cast<unsigned>(log2)).str();
  } else {
    const auto places = static_cast<std::size_t>(-log2);
    cpp_int digits = magnitude;
    for (std::size_t i = 0; i < places; ++i) digits *= 5;
    text = digits.str();
    if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
    text.insert(text.size() - places, 1, '.');
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return std::copy(text.begin(), text.end(), out);
}

}  // namespace

char* GridDecimal::write(std::int64_t k, char* out) const {
  auto magnitude = static_cast<std::uint64_t>(k);
  if (k < 0) {
    *out++ = '-';
    magnitude = 0 - magnitude;
  }
  if (magnitude == 0) {
    *out++ = '0';
    return out;
  }
  if (log2_ > 0 || log2_ < -63) return write_any(magnitude, log2_, out);
  const auto places = static_cast<unsigned>(-log2_);
  const std::uint64_t whole = magnitude >> places, fraction = magnitude & ((std::uint64_t{1} << places) - 1);
  if (whole < 10) {
    *out++ = static_cast<char>('0' + whole);
  } else {
    out = std::to_chars(out, out + 20, whole).ptr;
  }
  if (fraction == 0) return out;
  *out++ = '.';
  return places <= 37 ? write_fraction<std::uint64_t>(fraction, places, out)
                      : write_fraction<Uint128>(fraction, places, out);
}

}  // namespace chronoveil::noise
