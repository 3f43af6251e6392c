#include "ye2023/trials.h"

#include <cmath>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/temporal/value_noise.h"
#include "each_trial.h"
#include "ye2023/tasks.h"

namespace chronoveil::ye2023 {
namespace {

// A number from [lower, upper] through the Piecewise mechanism, which knows [-1, 1].
double perturbed(double value, double lower, double upper, const temporal::Piecewise& piecewise, BitSource& bits) {
  const double half = (upper - lower) / 2;
  return lower + half + half * piecewise((value - lower - half) / half, bits);
}

// `release` from a BitSource to a Result of the prices as released.
template <class Release>
Result<std::vector<Summary>> average_trials(const std::vector<double>& prices, const std::vector<std::size_t>& ranges,
                                            int trials, const Release& release) {
  const auto one = [&](std::uint64_t seed) -> Result<std::vector<double>> {
    BitSource bits = BitSource::with_seed(seed);
    CV_TRY(const std::vector<double> released, release(bits));
    std::vector<double> errors;
    for (const std::size_t range : ranges) errors.push_back(moving_average_error(prices, released, range));
    return errors;
  };
  CV_TRY(const auto runs, experiments::each_trial(trials, one));
  std::vector<Summary> summaries;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::vector<double> errors;
    for (const std::vector<double>& run : runs) errors.push_back(run[i]);
    summaries.push_back(summary(errors));
  }
  return summaries;
}

// `release` from a trajectory and a BitSource to a Result of the trajectory as released.
template <class Release>
Result<Summary> group_trials(const std::vector<Trajectory>& trajectories, int trials, const Release& release) {
  const std::vector<std::size_t> truth = medoid_groups(distances(trajectories), kGroups);
  const auto one = [&](std::uint64_t seed) -> Result<double> {
    BitSource bits = BitSource::with_seed(seed);
    std::vector<Trajectory> released;
    for (const Trajectory& trajectory : trajectories) {
      CV_TRY(Trajectory next, release(trajectory, bits));
      released.push_back(std::move(next));
    }
    return mutual_information(truth, medoid_groups(distances(released), kGroups));
  };
  CV_TRY(const std::vector<double> agreement, experiments::each_trial(trials, one));
  return summary(agreement);
}

}  // namespace

Summary summary(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  double mean = 0, squares = 0;
  for (const double number : numbers) mean += number / n;
  for (const double number : numbers) squares += (number - mean) * (number - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

Result<std::vector<Summary>> average_errors(const std::vector<double>& prices, const std::vector<std::size_t>& ranges,
                                            const MovingLaw& law, int trials) {
  return average_trials(prices, ranges, trials, [&](BitSource& bits) -> Result<std::vector<double>> {
    CV_TRY(const Moved release, moved(law, prices.size(), bits));
    return rearranged(prices, release);
  });
}

Result<std::vector<Summary>> average_errors_piecewise(const std::vector<double>& prices, double upper,
                                                      const std::vector<std::size_t>& ranges, double epsilon,
                                                      int trials) {
  CV_TRY(const temporal::Piecewise piecewise, temporal::Piecewise::make(epsilon));
  return average_trials(prices, ranges, trials, [&](BitSource& bits) -> Result<std::vector<double>> {
    std::vector<double> released;
    for (const double price : prices) released.push_back(perturbed(price, 0, upper, piecewise, bits));
    return released;
  });
}

Result<Summary> count_errors(const std::vector<bool>& up, const MovingLaw& law, int trials) {
  const auto one = [&](std::uint64_t seed) -> Result<double> {
    BitSource bits = BitSource::with_seed(seed);
    CV_TRY(const Moved release, moved(law, up.size(), bits));
    std::vector<double> released;
    for (const std::int64_t from : release.from)
      released.push_back(from != kEmpty && up[static_cast<std::size_t>(from)] ? 1 : 0);
    return count_error(up, released);
  };
  CV_TRY(const std::vector<double> errors, experiments::each_trial(trials, one));
  return summary(errors);
}

Result<ResponseErrors> count_errors_response(const std::vector<bool>& up, double epsilon, int trials) {
  CV_TRY(const temporal::RandomizedResponse response, temporal::RandomizedResponse::make(epsilon, 2));
  const double lie = 1 / (std::exp(epsilon) + 1);
  struct Run {
    double as_answered = 0, unbiased = 0;
  };
  const auto one = [&](std::uint64_t seed) -> Result<Run> {
    BitSource bits = BitSource::with_seed(seed);
    std::vector<double> answers, corrected;
    for (const bool each : up) {
      const auto answer = static_cast<double>(response(each ? 1 : 0, bits));
      answers.push_back(answer);
      corrected.push_back((answer - lie) / (1 - 2 * lie));
    }
    return Run{count_error(up, answers), count_error(up, corrected)};
  };
  CV_TRY(const std::vector<Run> runs, experiments::each_trial(trials, one));
  std::vector<double> as_answered, unbiased;
  for (const Run& run : runs) {
    as_answered.push_back(run.as_answered);
    unbiased.push_back(run.unbiased);
  }
  return ResponseErrors{summary(as_answered), summary(unbiased)};
}

Result<Summary> group_agreement(const std::vector<Trajectory>& trajectories, const MovingLaw& law, int trials) {
  return group_trials(trajectories, trials, [&](const Trajectory& trajectory, BitSource& bits) -> Result<Trajectory> {
    CV_TRY(const Moved release, moved(law, trajectory.size(), bits));
    return rearranged(trajectory, release);
  });
}

Result<Summary> group_agreement_piecewise(const std::vector<Trajectory>& trajectories, double epsilon, int trials) {
  CV_TRY(const temporal::Piecewise piecewise, temporal::Piecewise::make(epsilon / 2));
  return group_trials(trajectories, trials, [&](const Trajectory& trajectory, BitSource& bits) -> Result<Trajectory> {
    Trajectory released;
    for (const Place& place : trajectory) {
      const double longitude = perturbed(place.longitude, kWest, kEast, piecewise, bits);
      released.push_back({longitude, perturbed(place.latitude, kSouth, kNorth, piecewise, bits)});
    }
    return released;
  });
}

}  // namespace chronoveil::ye2023
