// What an output promises, to whom, under which assumptions. Every release carries one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

// What one neighbour may change. `user` covers `w_event` covers `event`, never the reverse.
enum class Unit { event, w_event, user };

// How neighbours differ: one unit added or removed; one replaced by another; only the values of one replaced (where,
// when and how many they are is public); or two values of one series, less than a window of steps apart, swapped.
// Hiding a replacement hides new values too, never the reverse. Hiding a swap hides when, never what.
enum class Relation { add_remove, replace, replace_values, swap };

enum class Certificate { exact, upper_bound, upper_bound_with_confidence, as_published };

enum class Basis { enforced, declared };  // by us, or by the caller

struct Assumption {
  std::string text;
  Basis basis = Basis::declared;
};

// What must hold for all rows for there to be a release at all. A row that violates it cannot be left out or replaced
// by a made-up one, so it ends the release, and whoever sees that learns of the row: the caller declares that none
// exists.
inline Assumption or_it_ends(const std::string& what) {
  return {what + "; any other ends the release, which can be seen", Basis::declared};
}

// Of every job: what is in it says nothing of anybody.
inline constexpr std::string_view kJobIsPublic =
    "the job was written without looking at the data: everything in it is public";

struct Guarantee {
  std::string definition = "DP";  // DP or TLDP
  Unit unit = Unit::event;
  std::int64_t width = 1;   // w, the slots in a row of unit w-event
  std::int64_t window = 0;  // k of relation swap: values less than k steps apart are swapped
  Relation relation = Relation::add_remove;
  double epsilon = 0;
  double delta = 0;
  std::vector<Assumption> assumptions;
  Certificate certificate = Certificate::upper_bound;
};

// Names as in files and on the command line: event, w-event, user; add_remove, replace, replace_values, swap; exact,
// upper bound, ...
std::string_view name(Unit);
std::string_view name(Relation);
std::string_view name(Certificate);
std::string_view name(Basis);
// "user", "event", "w-event of width 24"
std::string unit_text(const Guarantee&);
Result<Unit> parse_unit(std::string_view);
Result<Relation> parse_relation(std::string_view);

// True when a guarantee for `wide` also protects `narrow`.
constexpr bool covers(Unit wide, Unit narrow) { return static_cast<int>(wide) >= static_cast<int>(narrow); }

}  // namespace chronoveil
