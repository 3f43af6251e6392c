#include "noise/law_checker.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace chronoveil::noise {
namespace {

constexpr std::array<std::size_t, 6> kLags = {1, 2, 4, 64, 256, 1020};
constexpr std::size_t kBlock = 1 << 14;
constexpr std::size_t kClasses = 8;

double normal_p_value(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

}  // namespace

LawChecker::LawChecker(Law law, double scale) : exact_(law, scale), scale_(scale) {
  make_cells();
  make_classes();
}

std::string LawChecker::complaints(const Fill& fill, std::int64_t draws) {
  count(fill, draws);
  std::string failed;
  const auto check = [&failed](const std::string& what, double p_value) {
    if (p_value < kLevel) failed += (failed.empty() ? "" : ", ") + what;
  };
  check("cells", chi_squared_p_value(cells_, cell_probabilities_));
  for (const double expected : {1.0, 10.0, 100.0, 1000.0}) {
    const std::int64_t far = least_with_tail(expected / static_cast<double>(draws));
    const auto probability = static_cast<double>(exact_.tail(far));
    check("upper tail", binomial_p_value(beyond(far, false), draws, probability));
    check("lower tail", binomial_p_value(beyond(far, true), draws, probability));
  }
  for (std::size_t lag = 0; lag < kLags.size(); ++lag) {
    check("lag " + std::to_string(kLags[lag]), chi_squared_p_value(pairs_[lag], pair_probabilities()));
  }
  check("between calls", chi_squared_p_value(call_pairs_, pair_probabilities()));
  // The characteristic function at 2 pi / 32 is what is left of any unevenness: below 1e-4 from here on, a tenth of
  // what these counts can see.
  if (scale_ >= 1000) check("low bits", chi_squared_p_value(low_bits_, std::vector<double>(32, 1.0 / 32)));
  if (scale_ >= 0x1p26) check("middle bits", chi_squared_p_value(middle_bits_, std::vector<double>(32, 1.0 / 32)));
  if (scale_ >= 0.3) {
    const auto n = static_cast<double>(draws);
    const auto variance = static_cast<double>(exact_.variance());
    check("mean", normal_p_value(sum_ / std::sqrt(n * variance)));
    const double spread = fourth_ / n - std::pow(squares_ / n, 2);
    check("variance", normal_p_value((squares_ / n - variance) / std::sqrt(spread / n)));
  }
  return failed;
}

std::int64_t LawChecker::least_with_tail(double probability) const {
  std::int64_t above = 1;
  while (exact_.tail(above) > probability) above *= 2;
  std::int64_t below = above / 2;  // its tail is greater, or it is 0
  while (above - below > 1) {
    const std::int64_t middle = below + (above - below) / 2;
    (exact_.tail(middle) > probability ? below : above) = middle;
  }
  return above;
}

void LawChecker::make_cells() {
  edges_ = {1};
  for (;;) {
    const auto tail = static_cast<double>(exact_.tail(edges_.back()));
    if (tail < 1e-4) break;
    edges_.push_back(std::max(edges_.back() + 1, least_with_tail(tail - std::min(tail * 0.9, 1.0 / 120))));
  }
  cell_probabilities_.assign(2 * edges_.size() + 1, 0);
  cell_probabilities_[0] = static_cast<double>(exact_.zero());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const long double next = i + 1 < edges_.size() ? exact_.tail(edges_[i + 1]) : 0;
    const auto probability = static_cast<double>(exact_.tail(edges_[i]) - next);
    cell_probabilities_[2 * i + 1] = cell_probabilities_[2 * i + 2] = probability;
  }
}

std::size_t LawChecker::cell_of(std::int64_t value) const {
  if (value == 0) return 0;
  const std::int64_t magnitude = std::abs(value);
  const auto after = std::upper_bound(edges_.begin(), edges_.end(), magnitude);
  return 2 * static_cast<std::size_t>(after - edges_.begin()) - (value > 0 ? 1 : 0);
}

void LawChecker::make_classes() {
  class_of_cell_.assign(cell_probabilities_.size(), 0);
  class_probabilities_.assign(kClasses, 0);
  double magnitude_mass = 0;
  for (std::size_t i = 0; i < cell_probabilities_.size(); ++i) {
    const bool negative = i > 0 && i % 2 == 0;
    const double before = magnitude_mass;
    if (i == 0 || negative) magnitude_mass += cell_probabilities_[i] * (i == 0 ? 1 : 2);
    const std::size_t quarter = std::min<std::size_t>(3, static_cast<std::size_t>(4 * before));
    class_of_cell_[i] = quarter * 2 + (negative ? 1 : 0);
    class_probabilities_[class_of_cell_[i]] += cell_probabilities_[i];
  }
}

std::vector<double> LawChecker::pair_probabilities() const {
  std::vector<double> result;
  for (const double a : class_probabilities_) {
    for (const double b : class_probabilities_) result.push_back(a * b);
  }
  return result;
}

void LawChecker::count(const Fill& fill, std::int64_t draws) {
  cells_.assign(cell_probabilities_.size(), 0);
  pairs_.assign(kLags.size(), std::vector<std::int64_t>(kClasses * kClasses, 0));
  call_pairs_.assign(kClasses * kClasses, 0);
  low_bits_.assign(32, 0);
  middle_bits_.assign(32, 0);
  far_.clear();
  sum_ = squares_ = fourth_ = 0;
  const std::int64_t far = least_with_tail(2000.0 / static_cast<double>(draws));
  std::vector<std::int64_t> block(kBlock);
  std::vector<std::uint8_t> classes(kBlock), last_classes;
  for (std::int64_t left = draws; left > 0; left -= static_cast<std::int64_t>(kBlock)) {
    block.resize(static_cast<std::size_t>(std::min<std::int64_t>(left, kBlock)));
    classes.resize(block.size());
    fill(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t cell = cell_of(block[i]);
      ++cells_[cell];
      classes[i] = static_cast<std::uint8_t>(class_of_cell_[cell]);
      ++low_bits_[static_cast<std::size_t>(block[i] & 31)];
      ++middle_bits_[static_cast<std::size_t>((block[i] >> 15) & 31)];
      if (std::abs(block[i]) >= far) far_.push_back(block[i]);
      const auto value = static_cast<double>(block[i]);
      sum_ += value;
      squares_ += value * value;
      fourth_ += value * value * value * value;
    }
    // Pairs that do not overlap, so that they are independent and the test is exact.
    for (std::size_t lag = 0; lag < kLags.size(); ++lag) {
      const std::size_t gap = kLags[lag];
      for (std::size_t begin = 0; begin + 2 * gap <= block.size(); begin += 2 * gap) {
        for (std::size_t i = begin; i < begin + gap; ++i) ++pairs_[lag][classes[i] * kClasses + classes[i + gap]];
      }
    }
    if (last_classes.empty()) {
      last_classes = classes;
    } else {
      const std::size_t both = std::min(classes.size(), last_classes.size());
      for (std::size_t i = 0; i < both; ++i) ++call_pairs_[last_classes[i] * kClasses + classes[i]];
      last_classes.clear();
    }
  }
}

std::int64_t LawChecker::beyond(std::int64_t far, bool negative) const {
  return std::count_if(far_.begin(), far_.end(), [&](std::int64_t v) { return negative ? v <= -far : v >= far; });
}

}  // namespace chronoveil::noise
