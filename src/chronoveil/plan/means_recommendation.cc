#include "chronoveil/plan/means_recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace chronoveil::plan {
namespace {

using Candidates = std::vector<MeansCandidate>;

constexpr double kHardlyMore = 1.01;    // more noise that weighing all kept records alike is worth
constexpr double kClearlyLess = 0.8;    // a guess must be at most this part of what is known
constexpr double kOuterQuantile = 0.1;  // of fixed_quantile
constexpr double kSpread = 1.28;  // of array means from quantile to quantile, in U/√m_ub, were records independent

// Whether there is a mean to publish: wrap-around without one full array has none.
bool publishes(const MeansCandidate& candidate) { return candidate.variant.empty() || candidate.facts.arrays > 0; }

// The first candidate of that name that fits, if it may be recommended.
const MeansCandidate* fitting(const Candidates& all, std::string_view name) {
  for (const MeansCandidate& candidate : all) {
    if (candidate.mechanism != name || !candidate.plan) continue;
    const bool certified = candidate.plan->price.certificate != Certificate::as_published;
    return certified && candidate.as_asked && publishes(candidate) ? &candidate : nullptr;
  }
  return nullptr;
}

double noise_of(const MeansCandidate& candidate) { return candidate.facts.expected_noise; }

const MeansCandidate* exact_choice(const Candidates& all) {
  const MeansCandidate* arrays = fitting(all, "array_averaging");
  const MeansCandidate* clip = fitting(all, "clip_mean");
  if (arrays == nullptr || clip == nullptr) return arrays != nullptr ? arrays : clip;
  return noise_of(*clip) <= kHardlyMore * noise_of(*arrays) ? clip : arrays;
}

// share K̄ / 8: how much more likely, in logarithms, a choice with half of the arrays is than one without any.
double decisiveness(const MeansCandidate& candidate) {
  return candidate.plan->share * static_cast<double>(candidate.facts.arrays) / 8;
}

bool finds_its_bin(const MeansCandidate& levy) {
  const double width = levy.plan->shape.width();
  const double bins = 3 * width / (levy.facts.sensitivity * static_cast<double>(levy.facts.arrays));  // U / τ
  return decisiveness(levy) >= std::log(width * bins / noise_of(levy));
}

bool finds_its_quantiles(const MeansCandidate& quantile) {
  const double bounds_over_spread = std::sqrt(static_cast<double>(quantile.facts.m_ub)) / kSpread;
  return kOuterQuantile * decisiveness(quantile) >=
         std::max(1.0, std::log(bounds_over_spread * decisiveness(quantile) / 2));
}

bool clearly_less(const MeansCandidate& guess, const MeansCandidate* exact) {
  return exact == nullptr || noise_of(guess) <= kClearlyLess * noise_of(*exact);
}

std::string against(const MeansCandidate* exact) {
  if (exact == nullptr) return "; that is a guess which holds if records are independent";
  return fmt::format(
      " against {:.3g} of {}; the first figure is a guess which holds if records are independent, the "
      "second is exact",
      noise_of(*exact), exact->mechanism);
}

MeansRecommendation by_levy(const MeansCandidate& levy, const MeansCandidate* exact) {
  const double clamped = levy.facts.sensitivity * static_cast<double>(levy.facts.arrays);
  return {levy.mechanism, "many records per user",
          fmt::format("Means of {} records lie close together, so that {} arrays can be clamped to a range of {:.3g} "
                      "within bounds {:.3g} wide, which leaves noise that is off by {:.3g} on average{}.",
                      levy.facts.m_ub, levy.facts.arrays, clamped, levy.plan->shape.width(), noise_of(levy),
                      against(exact))};
}

MeansRecommendation by_quantile(const MeansCandidate& quantile, const MeansCandidate* exact) {
  return {quantile.mechanism, "many users",
          fmt::format("{} arrays are enough to find the range of the middle 80 % of their means, and clamping them to "
                      "it leaves noise that is off by {:.3g} on average{}.",
                      quantile.facts.arrays, noise_of(quantile), against(exact))};
}

std::string doubt(bool finds_its_range) { return finds_its_range ? "" : " (its range would hardly be found)"; }

// "; by guesses which hold if records are independent, levy would come to 0.552 and fixed_quantile to 0.872 (its ..."
std::string beside(const MeansCandidate* levy, const MeansCandidate* quantile) {
  if (levy == nullptr || quantile == nullptr) return "";
  return fmt::format("; by guesses which hold if records are independent, {} would come to {:.3g}{} and {} to {:.3g}{}",
                     levy->mechanism, noise_of(*levy), doubt(finds_its_bin(*levy)), quantile->mechanism,
                     noise_of(*quantile), doubt(finds_its_quantiles(*quantile)));
}

MeansRecommendation by_exact(const MeansCandidate& exact, const MeansCandidate* levy, const MeansCandidate* quantile) {
  const bool many = quantile != nullptr && finds_its_quantiles(*quantile);
  return {exact.mechanism, many ? "many users with few records each" : "few users for the budget",
          fmt::format("The noise of {} is off by {:.3g} on average, exactly{}.", exact.mechanism, noise_of(exact),
                      beside(levy, quantile))};
}

MeansRecommendation with_public_counts(const Candidates& all) {
  const MeansCandidate* exact = exact_choice(all);
  const MeansCandidate* levy = fitting(all, "levy");
  const MeansCandidate* quantile = fitting(all, "fixed_quantile");
  const bool levy_wins = levy != nullptr && finds_its_bin(*levy) && clearly_less(*levy, exact);
  const bool quantile_wins = quantile != nullptr && finds_its_quantiles(*quantile) && clearly_less(*quantile, exact);
  if (quantile_wins && (!levy_wins || noise_of(*quantile) < noise_of(*levy))) return by_quantile(*quantile, exact);
  if (levy_wins) return by_levy(*levy, exact);
  if (exact != nullptr) return by_exact(*exact, levy, quantile);
  return {};
}

MeansRecommendation with_private_counts(const Candidates& all) {
  const std::string regime = "counts are private";
  const MeansCandidate* registered = fitting(all, "registered_mean");
  if (registered != nullptr)
    return {registered->mechanism, regime,
            fmt::format("How many records a person has is protected too: one mean of each of {} registered people "
                        "needs noise that is off by {:.3g} on average, exactly; absent people count as a public "
                        "constant, which pulls the mean towards it.",
                        *registered->plan->shape.registered, noise_of(*registered))};
  const MeansCandidate* sum = fitting(all, "sum_over_count");
  if (sum != nullptr)
    return {sum->mechanism, regime,
            fmt::format("How many records a person has is protected too: a noisy sum over a noisy number of records is "
                        "off by about {:.3g} on average in a cell as full as this one, in proportion to max_records = "
                        "{}, and by more in emptier ones.",
                        noise_of(*sum), sum->facts.m_ub)};
  return {};
}

MeansRecommendation first_that_fits(const Candidates& all) {
  for (const bool as_asked : {true, false})
    for (const MeansCandidate& candidate : all)
      if (candidate.plan && candidate.as_asked == as_asked)
        return {candidate.mechanism, "no usual choice fits",
                publishes(candidate) ? "It is the first that fits; the usual choices do not."
                                     : fmt::format("Nothing else fits the request, but no array of {} records is full, "
                                                   "so such a cell would not be published.",
                                                   candidate.facts.m_ub)};
  return {};
}

}  // namespace

MeansRecommendation recommend_means(const MeansComparison& comparison, bool counts_public) {
  const Candidates& all = comparison.candidates;
  MeansRecommendation found = counts_public ? with_public_counts(all) : with_private_counts(all);
  if (found.mechanism.empty()) return first_that_fits(all);
  const MeansCandidate& chosen = *fitting(all, found.mechanism);
  if (noise_of(chosen) >= chosen.plan->shape.width() / 2)
    found.reason += " That is as far as the bounds are from their middle: such means would say nothing.";
  if (comparison.from_caps)
    found.reason += fmt::format(" All this is for {} people with {} records each, as the caps allow at most.",
                                comparison.counts.size(), comparison.counts.front());
  return found;
}

}  // namespace chronoveil::plan
