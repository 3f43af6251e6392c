// Values as a few colours, from pale to strong, in equal and round steps. A step is no finer than the usual interval of
// a value, so that a colour never tells what the noise decided; so there may be few colours, or one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace chronoveil::report {

inline constexpr std::size_t kColours = 8;  // h0 to h7 and c0 to c7 of the page

class Levels {
 public:
  // Uses the colours from `palest` on; only `palest` if the values lie within one step, or if there are none.
  // `interval` is the usual width of an interval. Values that are not finite are left out.
  Levels(std::span<const double> values, double interval, std::size_t palest = 0);

  std::size_t colour_of(double value) const;
  const std::vector<double>& limits() const { return limits_; }  // where the next colour begins, ascending

  struct Level {
    std::size_t colour = 0;
    std::string words;  // "below 20", "from 20"
  };
  // From pale to strong; empty if there is only one colour.
  std::vector<Level> all() const;

  // A swatch and its range for each colour, for a legend; empty if there is only one colour.
  std::string swatches() const;

 private:
  std::size_t colour_at(std::size_t level) const;
  std::size_t palest_;
  double step_ = 0;
  std::vector<double> limits_;
};

}  // namespace chronoveil::report
