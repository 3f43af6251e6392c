// What a release of one series by its owner promises, in words for the people who publish it.
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {
namespace {

bool moves(const TemporalPlan& plan) { return plan.relation == Relation::swap; }

std::string counted(std::int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

void add_lanes(const TemporalPlan& plan, std::vector<Assumption>& all) {
  if (plan.lanes == 1) {
    if (moves(plan)) all.push_back({"the columns of a row move together", Basis::enforced});
    return;
  }
  all.push_back({counted(plan.lanes, "column is", "columns are") +
                     " perturbed independently, and their costs add up: " +
                     (moves(plan) ? "a neighbour swaps whole rows" : "a neighbour changes all of them"),
                 Basis::enforced});
}

void add_moving(const TemporalPlan& plan, std::vector<Assumption>& all) {
  all.push_back({"when rows were recorded and how many there are is public", Basis::declared});
  all.push_back(
      {"there are at least as many rows as the window has steps, " + std::to_string(plan.window), Basis::enforced});
  add_lanes(plan, all);
  all.push_back(
      {"the values may be any, also all different from each other, which is the worst case", Basis::enforced});
}

void add_changing(const TemporalPlan& plan, std::vector<Assumption>& all) {
  all.push_back({"when rows were recorded and how many there are is public", Basis::declared});
  if (plan.unit == Unit::user)
    all.push_back({"a column has at most " + counted(plan.length.value_or(1), "value", "values") +
                       ", a number that is public; a row more is refused",
                   Basis::enforced});
  add_lanes(plan, all);
  if (plan.lower && plan.upper) {
    // A text that is not a number has no nearest number.
    all.push_back(or_it_ends("every value is a finite number"));
    all.push_back({"a value outside " + shortest(*plan.lower) + " to " + shortest(*plan.upper) +
                       " is taken as the nearer of the two, bounds that are public",
                   Basis::enforced});
  }
  if (!plan.categories.empty())
    all.push_back(or_it_ends("every value is one of " +
                             counted(static_cast<std::int64_t>(plan.categories.size()), "category", "categories") +
                             " that are public"));
}

void add_analysis(const TemporalPlan& plan, Guarantee& guarantee) {
  if (plan.price.analysis == accounting::Analysis::published) {
    guarantee.certificate = Certificate::as_published;
    guarantee.assumptions.push_back(
        {"the formula of the paper holds: as published, not certified, and for single outputs, not for sets of them",
         Basis::declared});
  }
  if (guarantee.certificate == Certificate::upper_bound_with_confidence)
    guarantee.assumptions.push_back(
        {"the bound was measured, by simulating the mechanism on made-up values: it is wrong with probability at "
         "most " +
             shortest(plan.price.beta),
         Basis::enforced});
}

std::optional<std::int64_t> largest_delay(const TemporalPlan& plan) {
  if (plan.mechanism == "staswitch") return plan.window - 1;
  if (const auto* sort = std::get_if<accounting::NoisySort>(&plan.event.kind); sort && sort->max_shift)
    return 2 * *sort->max_shift;
  return std::nullopt;
}

}  // namespace

Guarantee temporal_guarantee(const TemporalPlan& plan) {
  Guarantee guarantee;
  guarantee.definition = moves(plan) ? "TLDP" : "DP";
  guarantee.unit = plan.unit;
  guarantee.window = plan.window;
  guarantee.relation = plan.relation;
  guarantee.epsilon = plan.price.epsilon;
  guarantee.delta = plan.delta;
  guarantee.certificate = plan.price.certificate;
  std::vector<Assumption>& all = guarantee.assumptions;
  if (moves(plan))
    add_moving(plan, all);
  else
    add_changing(plan, all);
  all.push_back({"all rows are of one series of one owner, and nothing else is released about it outside the ledger",
                 Basis::declared});
  all.push_back({std::string(kJobIsPublic), Basis::declared});
  all.push_back(
      {"random choices are exact: made in integers, by bits from a cryptographic generator", Basis::enforced});
  add_analysis(plan, guarantee);
  return guarantee;
}

std::vector<std::string> not_protected(const TemporalPlan& plan) {
  std::vector<std::string> all;
  if (!moves(plan)) {
    all.push_back("When something was recorded is not protected: every row keeps its place and its time.");
    if (plan.unit == Unit::event)
      all.push_back(
          "What holds for many rows is not protected: each row is hidden by itself, and the average over many of them "
          "can be read off.");
    all.push_back("What stays as it was, such as columns that are kept, is not protected.");
    return all;
  }
  all.push_back(
      "What the values are and how often each of them occurs is not protected: they are published as they are, and "
      "only when each of them was recorded is hidden.");
  all.push_back("Roughly when something was recorded is not protected: values that lie " + std::to_string(plan.window) +
                " steps or more apart may be told apart by their order, morning from evening where the window is "
                "shorter than half a day.");
  all.push_back(
      "More than one swap is hidden less well: a habit that shows in many rows costs as many swaps as it takes to "
      "undo it.");
  all.push_back(
      "Values that tell by themselves when they were recorded are not protected: a counter that only grows, a row "
      "number, a date. Whoever sorts by it has the order back.");
  if (const auto delay = largest_delay(plan))
    all.push_back("No value is displaced by more than " + std::to_string(*delay) +
                  " steps. Whoever looks knows that, so no such mechanism is free of delta on a series longer than "
                  "twice that and one step.");
  if (plan.mechanism == "threshold") all.push_back("Which slots were left empty can be seen.");
  return all;
}

}  // namespace chronoveil::mechanisms
