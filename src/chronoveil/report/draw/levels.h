// Values as a few colours, from pale to strong. All colours hold about equally many values, so that a few large values
// do not make all others look alike. Equal values share a colour, so there may be fewer colours; a larger value never
// has a paler colour.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace chronoveil::report {

inline constexpr std::size_t kColours = 8;  // h0 to h7 and c0 to c7 of the page

class Levels {
 public:
  // Uses the colours from `palest` on; only `palest` if all values are equal, or if there are none.
  explicit Levels(std::vector<double> values, std::size_t palest = 0);

  std::size_t colour_of(double value) const;
  const std::vector<double>& limits() const { return limits_; }  // where the next colour begins, ascending

  // A swatch and its range for each colour, for a legend; empty if there is only one colour. Limits have as many digits
  // as it takes to tell them apart.
  std::string swatches() const;

 private:
  std::size_t colour_at(std::size_t level) const;
  std::size_t palest_;
  std::vector<double> limits_;
};

}  // namespace chronoveil::report
