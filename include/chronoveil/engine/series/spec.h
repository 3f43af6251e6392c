// What a job of counts asks: [series], the caps of [privacy], [plan] sample and the post-processing of [output].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/bound/duplicates.h"

namespace chronoveil::engine {

struct SeriesSpec {
  bound::Duplicates duplicates = bound::Duplicates::refuse;  // [source]
  bool wide = false;                                         // [source]: each key is a column of counts
  bool disjoint = false;                                     // declared: nobody is in more than one series
  std::int64_t max_per_slot = 1;
  std::optional<std::int64_t> maximum;
  std::optional<std::int64_t> users;  // [plan]: people in a typical slot of a series; nothing is drawn by it
  std::string groups_path;            // [series] groups: a public CSV `series,group`
  std::vector<std::string> groups;    // of each key, empty for one that is in none; empty: no groups
  std::string totals;                 // [output]: a CSV of sums of cells
  std::string public_sample;          // [plan] sample: a release CSV or counts that the caller declares public
  bool non_negative = true;           // [output] post-processing
  bool integers = false;
  bool may_be_empty = false;  // no key: an erratum is published even if its step has no row
};

}  // namespace chronoveil::engine
