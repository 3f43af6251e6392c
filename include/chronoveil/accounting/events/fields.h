// The fields of an event. One table per event drives its JSON (reading, writing, refusal of unknown fields), the ranges
// that validate() checks, the parameters that calibrate() may choose, and the options of the command line.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::accounting {

// A noise parameter that calibrate() is to choose: NaN, or 0 where the parameter is a whole number.
inline constexpr double kToCalibrate = std::numeric_limits<double>::quiet_NaN();

struct GaussianMixture {
  std::vector<double> means;
  std::vector<double> weights;
  bool operator==(const GaussianMixture&) const = default;
};

// The values that a field may have.
struct Range {
  enum class Kind { any, positive, not_negative, share, at_least, between };
  Kind kind = Kind::any;
  std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max();
};
inline constexpr Range kAny{};                            // checked by the event's own check()
inline constexpr Range kPositive{Range::Kind::positive};  // from 1e-150 to 1e150: the reciprocal is a number, too
inline constexpr Range kNotNegative{Range::Kind::not_negative};  // finite
inline constexpr Range kShare{Range::Kind::share};               // 0 to 1
inline constexpr std::int64_t kExactInDouble = std::int64_t{1} << 52;

namespace field {
constexpr Range at_least(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  return {Range::Kind::at_least, least, most};
}
constexpr Range at_most(std::int64_t most) { return at_least(std::numeric_limits<std::int64_t>::min(), most); }
constexpr Range between(std::int64_t least, std::int64_t most) { return {Range::Kind::between, least, most}; }
}  // namespace field
// What the kernels of temporal/ accept.
inline constexpr Range kWindow = field::between(2, std::int64_t{1} << 20);

// In range, or an error that names the field.
Result<void> check_range(const Range&, std::string_view name, double value);
Result<void> check_range(const Range&, std::string_view name, std::int64_t value);
// A list of at least one, each in range.
Result<void> check_range(const Range&, std::string_view name, const std::vector<std::int64_t>& values);
// As many weights as means, weights that sum to one.
Result<void> check_range(const Range&, std::string_view name, const GaussianMixture& value);

enum class Presence {
  required,
  noise,      // required, but calibrate() may leave it open
  defaulted,  // if left out, the member's initial value
  unsaid      // the same, and left out of JSON if it has that value
};

// `help` describes the command-line option; without it there is no option. A std::optional member may be missing.
template <class E, class T>
struct Field {
  std::string_view name;
  T E::*member;
  Presence presence;
  Range range;
  std::string_view help;
};

// One of a few words.
template <class E, class T, std::size_t N>
struct Choice {
  std::string_view name;
  T E::*member;
  Presence presence;
  std::array<std::pair<T, std::string_view>, N> words;
  std::string_view help;
};

// A word that is present if and only if another field is: a filter has a width.
template <class E, class T>
struct Companion {
  std::string_view name, word, of;
  std::optional<T> E::*member;
  std::string_view help;
};

// Help for fields that several kinds have.
inline constexpr std::string_view kNoiseMultiplierHelp = "scale of the noise over the sensitivity",
                                  kScaleHelp = "scale in grid steps", kSensitivityHelp = "sensitivity in grid steps",
                                  kEpsilonHelp = "its own ε", kWindowHelp = "values less than so many steps apart";

namespace field {

template <class E, class T>
constexpr auto required(std::string_view name, T E::*member, Range range, std::string_view help) {
  return Field<E, T>{name, member, Presence::required, range, help};
}
template <class E, class T>
constexpr auto noise(std::string_view name, T E::*member, Range range, std::string_view help) {
  return Field<E, T>{name, member, Presence::noise, range, help};
}
template <class E, class T>
constexpr auto defaulted(std::string_view name, T E::*member, Range range, std::string_view help) {
  return Field<E, T>{name, member, Presence::defaulted, range, help};
}
template <class E, class T>
constexpr auto unsaid(std::string_view name, T E::*member, Range range, std::string_view help) {
  return Field<E, T>{name, member, Presence::unsaid, range, help};
}
template <class E, class T, std::size_t N>
constexpr auto choice(std::string_view name, T E::*member, const std::pair<T, std::string_view> (&words)[N],
                      std::string_view help, Presence presence = Presence::defaulted) {
  return Choice<E, T, N>{name, member, presence, std::to_array(words), help};
}

}  // namespace field

// Calls f with every field of E in order, until one of the results is an error.
template <class E, class F>
Result<void> each_field(F f) {
  Result<void> done;
  std::apply([&](const auto&... field) { static_cast<void>(((done = f(field)) && ...)); }, E::fields());
  return done;
}

}  // namespace chronoveil::accounting
