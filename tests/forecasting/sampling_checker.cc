#include "forecasting/sampling_checker.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "noise/statistics.h"

namespace chronoveil::forecasting {
namespace {

using Counts = std::vector<std::int64_t>;
using Law = std::vector<double>;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

class Checker {
 public:
  explicit Checker(const SamplingLaw& law)
      : scheme_(law.scheme), series_(std::ssize(law.lengths)), group_(law.scheme.group()) {
    for (const std::int64_t length : law.lengths) windows_.push_back(law.shape.windows(length));
    phases_ = iterate() ? (series_ + group_ - 1) / group_ : 1;
    make_phases();
    make_counts();
  }

  void take(std::int64_t step, const std::vector<Window>& drawn) {
    const std::int64_t phase = step % phases_;
    std::vector<std::vector<std::int64_t>> starts(index(series_));
    for (const Window& window : drawn) {
      if (window.series < 0 || window.series >= series_ || window.start < 0 ||
          window.start >= windows_[index(window.series)]) {
        failed_.insert("range");
        return;
      }
      starts[index(window.series)].push_back(window.start);
    }
    std::size_t present = 0;
    for (std::int64_t i = 0; i < series_; ++i) present |= starts[index(i)].empty() ? 0 : std::size_t{1} << i;
    if (!possible(phase, present)) failed_.insert("group");
    ++present_[index(phase)][present];
    for (std::int64_t i = 0; i < series_; ++i) take_series(phase, i, starts[index(i)]);
    take_pairs(starts);
  }

  std::string complaints() {
    for (std::size_t phase = 0; phase < present_.size(); ++phase) {
      judge("series", present_[phase], present_law_[phase]);
      const std::int64_t steps = total(present_[phase]);
      if (noise::binomial_p_value(present_[phase][0], steps, present_law_[phase][0]) < noise::kLevel)
        failed_.insert("empty");
    }
    for (std::int64_t i = 0; i < series_; ++i) {
      const Law first = first_law(i);
      judge("lag", lag_[index(i)], product(first, first));
      judge("windows", inside_[index(i)], inside_law(i));
      judge("windows", each_[index(i)], Law(index(windows_[index(i)]), 1.0 / count_of(i)));
      if (i + 1 < series_) judge("between", between_[index(i)], between_law(i));
    }
    std::string names;
    for (const std::string& name : failed_) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

 private:
  bool iterate() const { return scheme_.top == TopLevel::iterate; }
  bool poisson() const { return scheme_.bottom == BottomLevel::poisson; }
  double count_of(std::int64_t i) const { return static_cast<double>(windows_[index(i)]); }
  double rate(std::int64_t i) const {
    return std::min(1.0, static_cast<double>(scheme_.windows_per_series) / count_of(i));
  }
  // That a chosen series has no windows.
  double nothing(std::int64_t i) const { return poisson() ? std::pow(1 - rate(i), count_of(i)) : 0; }
  // That a series is chosen in a step in which it may be, and that two are.
  double chosen() const { return iterate() ? 1 : static_cast<double>(group_) / static_cast<double>(series_); }
  double both_chosen() const {
    return iterate() ? 1 : chosen() * static_cast<double>(group_ - 1) / static_cast<double>(series_ - 1);
  }
  std::int64_t phase_of(std::int64_t i) const { return iterate() ? i / group_ : 0; }
  static std::int64_t total(const Counts& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    return sum;
  }

  void make_phases() {
    for (std::int64_t phase = 0; phase < phases_; ++phase) {
      std::vector<std::size_t> sets;  // of series, all equally likely
      for (std::size_t set = 0; set < std::size_t{1} << series_; ++set) {
        std::size_t group = 0;
        for (std::int64_t i = phase * group_; i < std::min(series_, (phase + 1) * group_); ++i)
          group |= std::size_t{1} << i;
        if (iterate() ? set == group : std::popcount(set) == group_) sets.push_back(set);
      }
      Law law(std::size_t{1} << series_);
      for (const std::size_t set : sets) {
        for (std::size_t present = 0; present < law.size(); ++present) {
          if ((present & ~set) != 0) continue;
          double probability = 1 / static_cast<double>(sets.size());
          for (std::int64_t i = 0; i < series_; ++i) {
            if (set >> i & 1) probability *= present >> i & 1 ? 1 - nothing(i) : nothing(i);
          }
          law[present] += probability;
        }
      }
      present_law_.push_back(law);
    }
  }

  void make_counts() {
    present_.assign(index(phases_), Counts(std::size_t{1} << series_));
    before_.assign(index(series_), -1);
    for (std::int64_t i = 0; i < series_; ++i) {
      const std::size_t t = index(windows_[index(i)]);
      lag_.emplace_back((t + 1) * (t + 1));
      inside_.emplace_back(poisson() ? std::size_t{1} << t : t * t);
      each_.emplace_back(t);
      if (i + 1 < series_) between_.emplace_back((t + 1) * (index(windows_[index(i + 1)]) + 1));
    }
  }

  bool possible(std::int64_t phase, std::size_t present) const { return present_law_[index(phase)][present] > 0; }

  // The first window in the order of the draw, T where there is none.
  std::int64_t first_of(std::int64_t i, const std::vector<std::int64_t>& starts) const {
    return starts.empty() ? windows_[index(i)] : starts.front();
  }

  void take_series(std::int64_t phase, std::int64_t i, const std::vector<std::int64_t>& starts) {
    if (phase != phase_of(i)) return;
    const std::int64_t wanted = scheme_.windows_per_series, first = first_of(i, starts);
    std::int64_t& before = before_[index(i)];
    if (before < 0) {
      before = first;
    } else {
      ++lag_[index(i)][index(before * (windows_[index(i)] + 1) + first)];
      before = -1;
    }
    for (const std::int64_t start : starts) ++each_[index(i)][index(start)];
    if (!poisson()) {
      if (!starts.empty() && std::ssize(starts) != wanted) failed_.insert("repeated");
      if (starts.size() >= 2) ++inside_[index(i)][index(starts[0] * windows_[index(i)] + starts[1])];
      return;
    }
    std::size_t set = 0;
    for (const std::int64_t start : starts) {
      if (set >> start & 1) failed_.insert("repeated");
      set |= std::size_t{1} << start;
    }
    ++inside_[index(i)][set];
  }

  void take_pairs(const std::vector<std::vector<std::int64_t>>& starts) {
    for (std::int64_t i = 0; i + 1 < series_; ++i) {
      if (phase_of(i) != phase_of(i + 1)) continue;
      const std::int64_t a = first_of(i, starts[index(i)]), b = first_of(i + 1, starts[index(i + 1)]);
      if (iterate() && a == windows_[index(i)] && b == windows_[index(i + 1)]) continue;  // another phase, or nothing
      ++between_[index(i)][index(a * (windows_[index(i + 1)] + 1) + b)];
    }
  }

  // Of the first window of a chosen series; the last entry: that it has none.
  Law first_when_chosen(std::int64_t i) const {
    Law law;
    for (std::int64_t t = 0; t < windows_[index(i)]; ++t)
      law.push_back(poisson() ? rate(i) * std::pow(1 - rate(i), static_cast<double>(t)) : 1 / count_of(i));
    law.push_back(nothing(i));
    return law;
  }
  Law first_law(std::int64_t i) const {
    Law law = first_when_chosen(i);
    for (double& p : law) p *= chosen();
    law.back() += 1 - chosen();
    return law;
  }
  static Law product(const Law& a, const Law& b) {
    Law law;
    for (const double p : a) {
      for (const double q : b) law.push_back(p * q);
    }
    return law;
  }

  // Of the first two windows of a series, or of all of them under Poisson.
  Law inside_law(std::int64_t i) const {
    if (!poisson()) return Law(inside_[index(i)].size(), 1 / (count_of(i) * count_of(i)));
    Law law;
    for (std::size_t set = 0; set < inside_[index(i)].size(); ++set) {
      const double in = std::popcount(set);
      law.push_back(chosen() * std::pow(rate(i), in) * std::pow(1 - rate(i), count_of(i) - in));
    }
    law[0] += 1 - chosen();
    return law;
  }

  Law between_law(std::int64_t i) const {
    const Law a = first_when_chosen(i), b = first_when_chosen(i + 1);
    Law law = product(a, b);
    for (double& p : law) p *= both_chosen();
    const double one = chosen() - both_chosen();
    for (std::size_t x = 0; x < a.size(); ++x) law[x * b.size() + b.size() - 1] += one * a[x];
    for (std::size_t y = 0; y < b.size(); ++y) law[(a.size() - 1) * b.size() + y] += one * b[y];
    law.back() += 1 - 2 * chosen() + both_chosen();
    if (iterate()) {  // counted only where there is something
      const double something = 1 - law.back();
      law.back() = 0;
      for (double& p : law) p /= something;
    }
    return law;
  }

  void judge(const char* name, const Counts& counts, const Law& law) {
    if (total(counts) > 0 && noise::chi_squared_p_value(counts, law) < noise::kLevel) failed_.insert(name);
  }

  SamplingScheme scheme_;
  std::int64_t series_, group_, phases_ = 1;
  std::vector<std::int64_t> windows_, before_;
  std::vector<Law> present_law_;
  std::vector<Counts> present_, lag_, inside_, each_, between_;
  std::set<std::string> failed_;
};

}  // namespace

std::string complaints(const SamplingLaw& law, const DrawStep& draw, std::int64_t steps) {
  Checker checker(law);
  for (std::int64_t step = 0; step < steps; ++step) checker.take(step, draw(step));
  return checker.complaints();
}

}  // namespace chronoveil::forecasting
