// Values as few colours, from pale to strong. Each colour holds about as many values as the next: a few large ones do
// not make all others look alike. Equal values share a colour, so there may be fewer; a larger value never has a paler
// one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace chronoveil::report {

inline constexpr std::size_t kColours = 8;  // h0 to h7 and c0 to c7 of the page

class Levels {
 public:
  // The colours from `palest` on. All values alike, or none: the palest alone.
  explicit Levels(std::vector<double> values, std::size_t palest = 0);

  std::size_t colour_of(double value) const;
  const std::vector<double>& limits() const { return limits_; }  // where the next colour begins, ascending

  // A swatch and its range for each colour, to be put into a legend; nothing where there is one colour only. Limits
  // have as many digits as it takes to tell them apart.
  std::string swatches() const;

 private:
  std::size_t colour_at(std::size_t level) const;
  std::size_t palest_;
  std::vector<double> limits_;
};

}  // namespace chronoveil::report
