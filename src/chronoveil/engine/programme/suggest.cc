#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/engine/programme/asked.h"
#include "chronoveil/ledger/body.h"

namespace chronoveil::engine {
namespace {

// The ε that are tried: three digits, from 0.0001 to 100.
constexpr int kFirstDecade = -6, kDecades = 6, kPerDecade = 900, kGrid = kDecades * kPerDecade;
double grid_epsilon(int index) {
  // By division, so that 0.3 is the double nearest to it.
  return (100 + index % kPerDecade) / std::pow(10.0, -kFirstDecade - index / kPerDecade);
}

// One release, planned at many ε; a plan takes a while, so each is made once.
class Release {
 public:
  Release(const ProgrammeRelease& release, Asked asked, double unit)
      : name_(release.name), asked_(std::move(asked)), unit_(unit) {}

  const std::string& name() const { return name_; }
  // Whether it keeps the ε of its job, since no plan knows its error.
  bool is_kept() const { return !asked_.ask.error; }
  double epsilon(int index) const { return is_kept() ? asked_.claim.epsilon.value() : grid_epsilon(index); }
  const Claim& claim() const { return asked_.claim; }
  const Ask* at(int index) {
    if (is_kept()) return &asked_.ask;
    auto found = plans_.find(index);
    if (found == plans_.end()) found = plans_.emplace(index, asked_.ask.at_epsilon(grid_epsilon(index))).first;
    return found->second && found->second->error ? &*found->second : nullptr;
  }
  // In units of what is made equal; infinite where there is no plan at that ε.
  double error(int index) {
    const Ask* ask = at(index);
    return ask == nullptr ? std::numeric_limits<double>::infinity() : *ask->error / unit_;
  }
  // The smallest ε with at most this error; the largest of all if there is none. More ε is less noise.
  int index_for(double error_wanted) {
    int low = -1, high = kGrid - 1;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      (error(middle) <= error_wanted ? high : low) = middle;
    }
    return high;
  }

 private:
  std::string name_;
  Asked asked_;
  double unit_;
  std::map<int, Result<Ask>> plans_;
};

}  // namespace

Result<Suggestion> suggest_split(const Programme& programme, Epsilon epsilon, Delta delta, EqualError equal) {
  std::vector<Release> releases;
  double least = 0, most = 0;
  for (const ProgrammeRelease& release : programme.releases) {
    CV_TRY(Asked asked, asked_by(release.job));
    const bool kept = !asked.ask.error;
    if (!kept && equal == EqualError::relative && !release.value)
      return fail(ErrorKind::usage, "release.value",
                  "it is missing for '" + release.name + "': an error is relative to a typical value, as you guess it");
    releases.emplace_back(release, std::move(asked), equal == EqualError::relative && !kept ? *release.value : 1);
    if (kept) continue;
    const double smallest = releases.back().error(kGrid - 1);
    least = std::max(least, smallest);
    for (int index = 0; index < kGrid; index += kPerDecade / 2)
      if (const double error = releases.back().error(index); std::isfinite(error)) most = std::max(most, error);
  }
  if (std::all_of(releases.begin(), releases.end(), [](const Release& one) { return one.is_kept(); }))
    return fail(ErrorKind::usage, "release.job",
                "the error of '" + releases.front().name() +
                    "' is not known from its plan, nor is any other; for means, give public counts (plan.counts or "
                    "plan.users)");
  ledger::Dataset dataset;
  std::vector<Claim> claims;
  for (const Release& release : releases) claims.push_back(release.claim());
  dataset.promise = protected_by_all(claims);
  // Which ε the releases get for an error, and what all of it costs.
  struct Split {
    std::vector<int> indices;
    double epsilon = std::numeric_limits<double>::infinity();
  };
  const auto split_for = [&](double error) -> Result<Split> {
    Split split;
    std::vector<accounting::Event> events;
    for (Release& release : releases) {
      split.indices.push_back(release.is_kept() ? 0 : release.index_for(error));
      const Ask* ask = release.at(split.indices.back());
      if (ask == nullptr) return split;
      const ledger::Stated stated = slot_terms_of(release.claim(), *ask, dataset).stated;
      CV_TRY(accounting::Event charged, ledger::fitted(ask->event, stated, dataset.promise));
      events.push_back(std::move(charged));
    }
    CV_TRY(const accounting::Price price,
           accounting::epsilon_at(ledger::composed(events_of(programme, events)), delta, {.fitted = true}));
    split.epsilon = price.epsilon;
    return split;
  };
  CV_TRY(Split best, split_for(most));
  if (!(best.epsilon <= epsilon.value()))
    return fail(ErrorKind::over_budget, "epsilon",
                "the programme does not fit into it, however much noise is added; give more, or fewer releases");
  double low = least / 2, high = most;  // `high` fits
  for (int i = 0; i < 40 && high / low > 1.001; ++i) {
    const double middle = std::sqrt(low * high);
    CV_TRY(Split split, split_for(middle));
    if (split.epsilon <= epsilon.value()) {
      high = middle;
      best = std::move(split);
    } else {
      low = middle;
    }
  }
  Suggestion suggestion;
  suggestion.epsilon = best.epsilon;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const Ask& ask = *releases[i].at(best.indices[i]);
    suggestion.releases.push_back({releases[i].name(), ask.mechanism, programme.releases[i].times,
                                   releases[i].epsilon(best.indices[i]), ask.error});
  }
  return suggestion;
}

}  // namespace chronoveil::engine
