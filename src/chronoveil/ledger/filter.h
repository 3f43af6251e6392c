// Privacy filters: what may still be asked when each request is chosen after seeing the answers to the earlier ones.
//   sum       Σ ε_i <= ε and Σ δ_i <= δ                                                     [RogersRothUllmanVadhan16]
//   zcdp      Σ ρ_i <= ρ*, the largest ρ that implies (ε, 0.9 δ)                            [Whitehouse23]
//   renyi     Σ ε_i(α) <= B(α) at every order, B fixed at creation and implying (ε, 0.9 δ)  [FeldmanZrnic21]
//   gaussian  Σ μ_i² <= μ*², the largest μ that implies (ε, δ)                              [SmithThakurta22]
// zcdp and renyi set a tenth of δ aside for the δ of approximate events: Σ δ_i <= 0.1 δ. The price of composing
// everything tightly after the fact is not a filter: it would admit menus whose true δ exceeds the budget.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/event.h"
#include "chronoveil/base/units.h"
#include "chronoveil/ledger/amount.h"

namespace chronoveil::ledger {

enum class FilterKind { sum, zcdp, renyi, gaussian };
std::string_view name(FilterKind);
Result<FilterKind> parse_filter_kind(std::string_view);

// What a debit costs under a filter: one amount a coordinate of the filter (an order for renyi), and a δ.
struct Cost {
  std::vector<Amount> values;
  Amount delta;

  Cost& operator+=(const Cost&);
  bool is_within(const Cost& budget) const;
  Cost left_of(const Cost& budget) const;
  bool operator==(const Cost&) const = default;
};

struct Filter {
  FilterKind kind = FilterKind::sum;
  std::vector<double> orders;  // renyi: the orders at which B is finite, the others constrain nothing
  Cost budget;

  Cost nothing() const { return {std::vector<Amount>(budget.values.size()), Amount()}; }
};

// δ = 0 leaves only `sum`: the others need a δ to imply any (ε, δ).
Result<Filter> make_filter(FilterKind, Epsilon, Delta);
FilterKind default_filter(Delta);

// The cost of an event, decided before its first output. With a δ the event is charged as `approximate`: its ε at that
// δ, composed tightly. Without one, `sum` charges pure events (ε, 0) and `approximate` its own (ε, δ), and refuses
// events that have no finite ε at δ = 0.
Result<Cost> cost_of(const Filter&, const accounting::Event&, std::optional<Delta>);

// The largest requests that still fit, as examples of what the remaining amounts mean.
struct Admissible {
  std::optional<double> gaussian_noise_multiplier;  // the least that fits; nothing when none does
  std::optional<double> pure_epsilon;               // the largest that fits
};
Admissible admissible(const Filter&, const Cost& left);

}  // namespace chronoveil::ledger
