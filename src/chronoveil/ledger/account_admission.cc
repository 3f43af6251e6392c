// What an account has admitted, and whether there is room for more.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/filters/rounded_text.h"

namespace chronoveil::ledger {
namespace {

// The tightest coordinate; for a union, the member that comes nearest to admitting.
std::size_t coordinate_to_show(const Filter& filter, const Cost& total) {
  const auto excess = [&](std::size_t i) { return total.values[i].value() / filter.budget.values[i].value(); };
  std::size_t shown = 0;
  for (std::size_t i = 1; i < total.values.size(); ++i) {
    if (filter.kind == FilterKind::united ? excess(i) < excess(shown) : excess(i) > excess(shown)) shown = i;
  }
  return shown;
}

using Rounding = std::string (*)(double);

std::string described(const Filter& filter, const Cost& cost, std::size_t coordinate, Rounding in_digits) {
  std::string text = fmt::format("{} = {}", symbol(filter, coordinate), in_digits(cost.values[coordinate].value()));
  if (!filter.budget.delta.is_zero()) {
    text += fmt::format(", δ = {}", in_digits(cost.delta.value()));
  }
  return text;
}

std::string examples(const Filter& filter, const Cost& admitted) {
  const Admissible fits = admissible(filter, admitted);
  std::string text;
  if (fits.gaussian_noise_multiplier) {
    text += "a gaussian with noise_multiplier >= " + rounded_up(*fits.gaussian_noise_multiplier);
  }
  if (fits.pure_epsilon && filter.kind != FilterKind::sum) {
    text += (text.empty() ? "" : " or ") + ("a pure event with epsilon <= " + rounded_down(*fits.pure_epsilon));
  }
  return text.empty() ? text : " (for example " + text + ")";
}

}  // namespace

Cost Account::charge(const Spent& spent) const {
  Cost total = spent.whole;
  if (dataset_->partition)
    total += dearest(spent.parts, *dataset_->partition, dataset_->promise, dataset_->filter.nothing());
  return total;
}

const Account::Spent* Account::spent_in(const std::string& period) const {
  const auto it = spent_.find(period);
  return it == spent_.end() ? nullptr : &it->second;
}

Cost Account::admitted(const std::string& period) const {
  const Spent* spent = spent_in(period);
  return spent ? charge(*spent) : dataset_->filter.nothing();
}

Result<Cost> Account::charged(const std::string& period, const std::optional<std::string>& part) const {
  if (!part) return admitted(period);
  if (!dataset_->partition) {
    return invalid("part", *part, "left out: the dataset was created without parts");
  }
  CV_TRY(const std::int64_t place, place_of(*dataset_->partition, *part));
  const Spent* spent = spent_in(period);
  if (!spent) return dataset_->filter.nothing();
  Cost dearest = dataset_->filter.nothing();
  for_each_neighbour(spent->parts, *dataset_->partition, dataset_->promise, dataset_->filter.nothing(), place,
                     [&](const Cost& charge) {
                       for (std::size_t i = 0; i < dearest.values.size(); ++i) {
                         dearest.values[i] = std::max(dearest.values[i], charge.values[i]);
                       }
                       dearest.delta = std::max(dearest.delta, charge.delta);
                       return true;
                     });
  dearest += spent->whole;
  return dearest;
}

Result<bool> Account::is_untouched(const std::string& period, const std::optional<std::string>& part) const {
  CV_TRY(const Cost so_far, charged(period, part));
  return so_far == dataset_->filter.nothing();
}

Result<bool> Account::holds_for_each(const std::string& period, const std::optional<std::string>& part,
                                     const Cost& asked) const {
  const Spent* spent = spent_in(period);
  if (dataset_->filter.kind != FilterKind::united || !dataset_->partition || !spent) return false;
  std::optional<std::int64_t> place;
  if (part) {
    CV_TRY(place, place_of(*dataset_->partition, *part));
  }
  Cost for_all = spent->whole;
  for_all += asked;
  bool every = true;
  for_each_neighbour(spent->parts, *dataset_->partition, dataset_->promise, dataset_->filter.nothing(), place,
                     [&](const Cost& charge) {
                       Cost total = for_all;
                       total += charge;
                       every = holds(dataset_->filter, total);
                       return every;
                     });
  return every;
}

Result<bool> Account::has_room(const std::string& period, const std::optional<std::string>& part,
                               const Cost& asked) const {
  CV_TRY(Cost total, charged(period, part));
  total += asked;
  if (holds(dataset_->filter, total)) return true;
  return holds_for_each(period, part, asked);
}

Result<std::int64_t> Account::room(const std::string& period, const std::optional<std::string>& part, const Cost& cost,
                                   std::int64_t most) const {
  // Costs only grow, so what fits is an interval. `fits` many do, `refused` many do not.
  std::int64_t fits = 0, refused = most + 1;
  while (refused - fits > 1) {
    const std::int64_t middle = fits + (refused - fits) / 2;
    CV_TRY(const bool has, has_room(period, part, cost.times(middle)));
    (has ? fits : refused) = middle;
  }
  return fits;
}

Result<Lack> Account::lack(const std::string& period, const std::optional<std::string>& part, const Cost& asked) const {
  CV_TRY(const Cost so_far, charged(period, part));
  Cost total = so_far;
  total += asked;
  const Filter& filter = dataset_->filter;
  const std::size_t shown = coordinate_to_show(filter, total);
  const bool of_delta = total.delta > filter.budget.delta;
  const auto share = [&](const Cost& cost) {
    const Amount amount = of_delta ? cost.delta : cost.values[shown];
    const double whole = (of_delta ? filter.budget.delta : filter.budget.values[shown]).value();
    return whole > 0 ? amount.value() / whole : HUGE_VAL;
  };
  const double left = of_delta && filter.budget.delta.is_zero() ? 0 : share(so_far.left_of(filter.budget));
  return Lack{share(asked), left, of_delta};
}

Failure Account::refusal(const std::string& period, const std::optional<std::string>& part, const Cost& asked,
                         const std::string& more) const {
  const Result<Cost> known = charged(period, part);
  if (!known) return Failure(known.error());
  const Result<Lack> lacks = lack(period, part, asked);
  if (!lacks) return Failure(lacks.error());
  const Cost& so_far = *known;
  Cost total = so_far;
  total += asked;
  const Filter& filter = dataset_->filter;
  const Cost remaining = so_far.left_of(filter.budget);
  const std::size_t shown = coordinate_to_show(filter, total);
  std::string where = part ? fmt::format(" for part '{}'", *part) : "";
  if (!period.empty()) where += " in " + period;
  return fail(ErrorKind::over_budget, "budget",
              fmt::format("over the budget of dataset '{}'{}: no room for this release, which {}{}; the filter {} has "
                          "admitted {} of {}; the request asks {}; it would still admit {}{}",
                          dataset_->name, where, text(*lacks), more, name(filter.kind),
                          described(filter, so_far, shown, rounded), described(filter, filter.budget, shown, rounded),
                          described(filter, asked, shown, rounded), described(filter, remaining, shown, rounded_down),
                          examples(filter, so_far)));
}

Result<void> Account::admit(const std::string& period, const std::optional<std::string>& part,
                            const Cost& asked) const {
  CV_TRY(const bool has, has_room(period, part, asked));
  if (has) return {};
  return refusal(period, part, asked, "");
}

std::optional<std::int64_t> Account::last_debit(const std::optional<std::string>& part) const {
  std::optional<std::int64_t> last;
  for (const auto& [name, sequence] : last_in_)
    if (!part || name.empty() || name == *part) last = std::max(last.value_or(0), sequence);
  return last;
}

std::vector<std::int64_t> Account::dearest_parts(const std::string& period) const {
  const Spent* spent = spent_in(period);
  if (!spent || !dataset_->partition) return {};
  // Members of a union may differ in who is dearest: takes all of those, which is at least as much as each.
  std::set<std::int64_t> places;
  for (std::size_t i = 0; i < dataset_->filter.budget.values.size(); ++i)
    for (const std::int64_t place : dearest_places(spent->parts, *dataset_->partition, dataset_->promise, i))
      places.insert(place);
  return {places.begin(), places.end()};
}

}  // namespace chronoveil::ledger
