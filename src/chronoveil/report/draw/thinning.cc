#include "chronoveil/report/draw/thinning.h"

#include <algorithm>
#include <numeric>

namespace chronoveil::report {

std::vector<std::size_t> thinned(std::span<const double> values, std::size_t columns) {
  std::vector<std::size_t> all;
  if (values.size() <= 2 * columns) {
    all.resize(values.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const auto add = [&](std::size_t index) {
    if (all.empty() || all.back() < index) all.push_back(index);
  };
  add(0);
  for (std::size_t column = 0; column < columns; ++column) {
    const auto [from, to] = stretch(column, columns, values.size());
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto [least, greatest] = std::minmax_element(begin, values.begin() + static_cast<std::ptrdiff_t>(to));
    const auto one = static_cast<std::size_t>(least - values.begin());
    const auto other = static_cast<std::size_t>(greatest - values.begin());
    add(std::min(one, other));
    add(std::max(one, other));
  }
  add(values.size() - 1);
  return all;
}

}  // namespace chronoveil::report
