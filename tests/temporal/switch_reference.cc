#include "temporal/switch_reference.h"

#include <numeric>
#include <utility>

namespace chronoveil::temporal {
namespace {

struct Series {
  std::vector<int> values, delays;
};

// The probabilities of the offsets 0, 1, ... at step i.
std::vector<double> offsets(const Series& series, int i, const SwitchLaw& law, SwitchMistake mistake) {
  const auto window = static_cast<int>(law.window), left = static_cast<int>(series.values.size()) - i;
  std::vector<double> weights(static_cast<std::size_t>(window), (1 - law.stay) / static_cast<double>(law.window - 1));
  weights[0] = law.stay;
  const auto renormalise = [&] {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
  };
  for (int l = left; l < window; ++l) {
    const auto at = static_cast<std::size_t>(l);
    if (mistake == SwitchMistake::end_mass_stays) weights[0] += weights[at];
    weights[at] = 0;
  }
  const int limit = law.stateful ? window - 1 - series.delays[static_cast<std::size_t>(i)] : window - 1;
  const bool limit_first = mistake == SwitchMistake::end_comes_before && left < window;
  if (!limit_first) renormalise();
  for (int l = limit + 1; l < window; ++l) {
    const auto at = static_cast<std::size_t>(l);
    if (!limit_first) weights[0] += weights[at];
    weights[at] = 0;
  }
  if (limit_first) renormalise();
  return weights;
}

void exchange(Series& series, int i, int l, SwitchMistake mistake) {
  const auto here = static_cast<std::size_t>(i), there = static_cast<std::size_t>(i + l);
  std::swap(series.values[here], series.values[there]);
  if (mistake == SwitchMistake::state_stays_behind) {
    series.delays[here] += l;
  } else {
    series.delays[there] = l + (mistake == SwitchMistake::state_is_not_added ? 0 : series.delays[here]);
  }
}

Series start(int length) {
  Series series{std::vector<int>(static_cast<std::size_t>(length)), std::vector<int>(static_cast<std::size_t>(length))};
  std::iota(series.values.begin(), series.values.end(), 0);
  return series;
}

void go_through(const Series& series, int i, double probability, const SwitchLaw& law, SwitchMistake mistake,
                OutcomeLaw& out) {
  if (i == static_cast<int>(series.values.size())) {
    out[outcome_of(series.values)] += probability;
    return;
  }
  const std::vector<double> weights = offsets(series, i, law, mistake);
  for (std::size_t l = 0; l < weights.size(); ++l) {
    if (weights[l] == 0) continue;
    Series next = series;
    exchange(next, i, static_cast<int>(l), mistake);
    go_through(next, i + 1, probability * weights[l], law, mistake, out);
  }
}

}  // namespace

OutcomeLaw switch_law(int length, const SwitchLaw& law, SwitchMistake mistake) {
  OutcomeLaw out;
  go_through(start(length), 0, 1, law, mistake, out);
  return out;
}

Outcome switch_slowly(int length, const SwitchLaw& law, SwitchMistake mistake, BitSource& bits) {
  Series series = start(length);
  for (int i = 0; i < length; ++i) {
    const std::vector<double> weights = offsets(series, i, law, mistake);
    double height = static_cast<double>(bits.next_u64() >> 11) * 0x1p-53;
    std::size_t l = 0;
    while (l + 1 < weights.size() && height >= weights[l]) height -= weights[l++];
    while (weights[l] == 0) --l;
    exchange(series, i, static_cast<int>(l), mistake);
  }
  return outcome_of(series.values);
}

}  // namespace chronoveil::temporal
