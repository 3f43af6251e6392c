#include "chronoveil/report/perturbed/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

// Shares of the law are simulated, with an error of a tenth of a percent; they are given to whole percents except near
// 0 and 100.
std::string share_words(double share) {
  const double percents = share * 100;
  const bool near_an_end = percents < 1 || percents > 99;
  return rounded(near_an_end ? std::round(10 * percents) / 10 : std::round(percents)) + " %";
}

std::string rows_words(double rows) { return rounded(rows) + (rows == 1 ? " row" : " rows"); }

std::string done_fact(const Perturbed& perturbed) {
  if (!values_move(perturbed)) return "Every value was changed at random, and stays in its row.";
  const mechanisms::Moves& law = perturbed.expected;
  const std::string mean = law.shares.empty() ? "" : fmt::format(", on average {} away", rows_words(law.mean_distance));
  std::string out = perturbed.times_move ? "Rows kept their values and got the times of others nearby" + mean + "."
                                         : "Values moved to other rows nearby" + mean + "; times stayed.";
  if (law.missing > 0 || law.empty > 0)
    out += fmt::format(" About {} of the values get lost and {} of the rows stay empty.", percent(law.missing),
                       percent(law.empty));
  return out;
}

std::string public_fact(const Perturbed& perturbed) {
  const mechanisms::TemporalPlan& plan = perturbed.plan;
  std::string out = "How many rows there are and when";
  if (values_move(perturbed)) out += fmt::format(", the window ({} rows)", grouped(plan.window));
  if (plan.lower && plan.upper)
    out += fmt::format(", the bounds of a value ({} to {})", rounded(*plan.lower, 6), rounded(*plan.upper, 6));
  if (!plan.categories.empty())
    out += fmt::format(", the {} values there can be", grouped(static_cast<std::int64_t>(plan.categories.size())));
  if (!perturbed.kept.empty()) out += ", the columns that were left as they are";
  return out + " and the method.";
}

Facts moved_facts(const Perturbed& perturbed) {
  const std::string pair = swapped_words(perturbed.guarantee.window);
  return {.unit = fmt::format("Which of {} was measured when.", pair),
          .relation =
              is_nominal(perturbed.guarantee)
                  ? "None for sets of outputs. According to a paper, no single file would be much more likely if any "
                    "two such values were exchanged."
                  : "The file would come out much the same if any two such values were exchanged; ε says how close.",
          .cap = done_fact(perturbed),
          .public_facts = public_fact(perturbed),
          .not_protected = fmt::format("The values: those in the file are as they were measured. What shows over {} "
                                       "rows or more does so here, too.",
                                       grouped(perturbed.guarantee.window)),
          .limits_stand_out = true};
}

Facts changed_facts(const Perturbed& perturbed) {
  const bool all = perturbed.guarantee.unit == Unit::user;
  return {.unit = !all ? "Each single value; not all of them together."
                  : perturbed.plan.length
                      ? fmt::format("All values of the series together, up to {}.", grouped(*perturbed.plan.length))
                      : "All values of the series together.",
          .relation = fmt::format("The file would come out much the same if {}; ε says how close.",
                                  all ? "all values had been different" : "any one value had been different"),
          .cap = done_fact(perturbed),
          .public_facts = public_fact(perturbed),
          .not_protected = all ? "When rows were recorded, and what is known from elsewhere."
                               : "What shows over more than one row, such as habits, and when rows were recorded.",
          .limits_stand_out = !all};
}

}  // namespace

bool values_move(const Perturbed& perturbed) { return perturbed.plan.relation == Relation::swap; }

Facts facts_of(const Perturbed& perturbed) {
  Facts facts = values_move(perturbed) ? moved_facts(perturbed) : changed_facts(perturbed);
  facts.unit_label = "Protected";
  facts.cap_label = "What was done";
  if (!perturbed.mark.empty()) {
    facts.unit = "Nothing. The random choices behind this file are known.";
    facts.relation = "None: it can be undone.";
    facts.not_protected = "Everything.";
    facts.limits_stand_out = false;
  }
  return facts;
}

std::string list_words(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t shown = std::min(names.size(), most), hidden = names.size() - shown;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  if (hidden > 0)
    out += fmt::format("{}{}{}", shown > 0 ? " and " : "", grouped(static_cast<std::int64_t>(hidden)),
                       shown > 0 ? " more" : "");
  return out;
}

std::int64_t distance_of(const mechanisms::Moves& moves, double share) {
  std::vector<std::pair<std::int64_t, double>> by_distance;
  double all = 0;
  for (std::size_t i = 0; i < moves.shares.size(); ++i) {
    by_distance.emplace_back(std::abs(moves.first + static_cast<std::int64_t>(i)), moves.shares[i]);
    all += moves.shares[i];
  }
  std::sort(by_distance.begin(), by_distance.end());
  double within = 0;
  for (const auto& [distance, part] : by_distance) {
    within += part;
    // Sums of shares have rounding errors.
    if (within >= share * all * (1 - 1e-12)) return distance;
  }
  return 0;
}

std::string moves_words(const mechanisms::Moves& moves) {
  if (moves.shares.empty()) return "";
  const std::int64_t last = moves.first + static_cast<std::int64_t>(moves.shares.size()) - 1;
  const double stay = moves.first <= 0 && last >= 0 ? moves.shares[static_cast<std::size_t>(-moves.first)] : 0;
  const std::int64_t usual = distance_of(moves, 0.9);
  return fmt::format("{} of the values stay where they are; 9 of 10 move by at most {} {}.", share_words(stay),
                     grouped(usual), usual == 1 ? "row" : "rows");
}

std::string kept_words(const mechanisms::TemporalPlan& plan) {
  const auto* response = std::get_if<accounting::RandomizedResponse>(&plan.event.kind);
  if (!response) return "";
  const double others = static_cast<double>(response->values - 1) * std::exp(-response->epsilon);
  return fmt::format(
      "About {} of the values are as they came in; each of the others became any other value with the same chance.",
      share_words(1 / (1 + others)));
}

std::optional<accounting::Nominal> nominal_of(const mechanisms::TemporalPlan& plan) {
  if (plan.price.nominal) return plan.price.nominal;
  if (plan.relation == Relation::swap && plan.price.analysis == accounting::Analysis::published)
    return accounting::Nominal{plan.price.epsilon, plan.price.delta};
  return std::nullopt;
}

std::optional<double> delta_on(const std::vector<CurvePoint>& curve, double epsilon) {
  if (curve.empty() || !(epsilon >= curve.front().epsilon)) return std::nullopt;
  const auto after = std::upper_bound(curve.begin(), curve.end(), epsilon,
                                      [](double value, const CurvePoint& point) { return value < point.epsilon; });
  const CurvePoint& left = *(after - 1);
  if (after == curve.end() || left.epsilon == epsilon) return left.delta;
  const double along = std::expm1(epsilon - left.epsilon) / std::expm1(after->epsilon - left.epsilon);
  // The step is so wide that it overflows; δ only falls.
  if (!std::isfinite(along)) return left.delta;
  return left.delta + (after->delta - left.delta) * along;
}

std::string nominal_words(const Perturbed& perturbed) {
  const std::optional<accounting::Nominal> nominal = nominal_of(perturbed.plan);
  if (!nominal) return "";
  std::string out = fmt::format("A paper states ε = {} and δ = {} for these parameters. ", rounded(nominal->epsilon),
                                rounded(nominal->delta));
  if (const std::optional<double> delta = delta_on(perturbed.curve, nominal->epsilon))
    out += fmt::format("At that ε the certified δ is {}. ", rounded_up(*delta, 3));
  return out +
         "The paper bounds the chance of every single output; the certified curve bounds that of every set of outputs, "
         "which is what differential privacy asks for. In a long series every single output is next to impossible "
         "anyway, so that a bound for each of them says little about all of them.";
}

}  // namespace chronoveil::report
