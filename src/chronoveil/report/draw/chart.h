// One series as a figure: a line with its interval band, dots where a step was measured, light grid lines, local times.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "chronoveil/base/slot_axis.h"

namespace chronoveil::report {

struct Chart {
  std::string id;                         // unique on the page
  std::string title;                      // not yet escaped
  std::string note;                       // beside the title
  const SlotAxis* axis = nullptr;         // the members below have one value per step
  std::span<const double> value;          // drawn as the line
  std::span<const double> lower, upper;   // the band
  std::span<const std::uint8_t> sampled;  // dots, unless all of many steps are sampled
  std::span<const double> truth;          // a second line; empty in anything that is published
  bool large = false;                     // the only one on the page
  std::string measure;                    // what the values are, with their unit; not yet escaped
};

struct Frame;
Frame frame_of(const Chart&);  // of at least one value
std::string to_html(const Chart&);

}  // namespace chronoveil::report
