#include "chronoveil/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace chronoveil {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& words, std::string_view prefix) {
  if (words.empty()) return "";
  std::vector<std::string_view> sorted(words);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  // The nearest in any case, others only while they look like typing errors.
  const std::size_t alike = std::max<std::size_t>(2, word.size() / 2);
  std::size_t shown = 1;
  while (shown < std::min<std::size_t>(sorted.size(), 3) && edit_distance(word, sorted[shown]) <= alike) ++shown;
  sorted.resize(shown);
  std::string text;
  for (const std::string_view one : sorted) text.append(text.empty() ? "" : ", ").append(prefix).append(one);
  return text;
}

}  // namespace chronoveil
