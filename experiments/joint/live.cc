#include "joint/live.h"

#include <cmath>
#include <optional>

#include "chronoveil/post/causal/joint_filter.h"
#include "chronoveil/post/intervals.h"

namespace chronoveil::joint {
namespace {

// What was published, and what there is of it.
struct Followed {
  std::string contender;
  std::vector<double> cells = {};   // series-major
  std::vector<double> total = {};   // by step
  double held = 0, total_held = 0;  // shares
};

bool holds(const post::CausalValue& value, double truth) {
  return std::abs(value.mean - truth) <= post::normal_half_width(0.95) * std::sqrt(value.variance);
}

}  // namespace

std::vector<Score> score_live(const Panel& panel, double sigma, const std::vector<double>& noisy) {
  const auto steps = static_cast<std::size_t>(panel.steps), series = static_cast<std::size_t>(panel.series());
  const post::CausalSpec each{.noise_variance = sigma * sigma, .season = panel.season};
  std::vector<post::CausalFilter> alone;
  for (std::size_t s = 0; s < series; ++s) alone.emplace_back(each);
  post::JointFilter together({.series = panel.series(), .each = each});

  Followed raw{"noisy", noisy, {}}, kalman{"kalman", noisy, {}}, joint{"joint", noisy, {}};
  std::vector<std::optional<double>> now(series);
  std::vector<post::CausalValue> out(series);
  std::vector<double> truth_of_total;
  for (std::size_t t = 0; t < steps; ++t) {
    double truth = 0, sum = 0, sum_of_noisy = 0;
    for (std::size_t s = 0; s < series; ++s) now[s] = noisy[s * steps + t];
    together.step(now, out);
    for (std::size_t s = 0; s < series; ++s) {
      const std::size_t cell = s * steps + t;
      const post::CausalValue by_itself = alone[s].update(noisy[cell]);
      kalman.cells[cell] = by_itself.mean;
      joint.cells[cell] = out[s].mean;
      kalman.held += holds(by_itself, panel.truth[cell]);
      joint.held += holds(out[s], panel.truth[cell]);
      truth += panel.truth[cell];
      sum += by_itself.mean;
      sum_of_noisy += noisy[cell];
    }
    const post::CausalValue total = series > 1 ? together.total() : out[0];
    joint.total_held += holds(total, truth);
    joint.total.push_back(total.mean);
    kalman.total.push_back(sum);
    raw.total.push_back(sum_of_noisy);
    truth_of_total.push_back(truth);
  }
  std::vector<Score> all;
  for (const Followed* one : {&raw, &kalman, &joint})
    all.push_back({.contender = one->contender,
                   .cells = mean_distance(one->cells, panel.truth),
                   .total = mean_distance(one->total, truth_of_total),
                   .held = one->held / static_cast<double>(noisy.size()),
                   .total_held = one->total_held / static_cast<double>(steps)});
  return all;
}

}  // namespace chronoveil::joint
