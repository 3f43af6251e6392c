// Privacy filters: what may still be asked when each request is chosen after seeing the answers to the earlier ones.
//   sum       Σ ε_i <= ε and Σ δ_i <= δ                                                     [RogersRothUllmanVadhan16]
//   zcdp      Σ ρ_i <= ρ*, the largest ρ that implies (ε, 0.9 δ)                            [Whitehouse23]
//   renyi     Σ ε_i(α) <= B(α) at every order, B fixed at creation and implying (ε, 0.9 δ)  [FeldmanZrnic21]
//   gaussian  Σ μ_i² <= μ*², the largest μ that implies (ε, δ)                              [SmithThakurta22]
//   union     at least one of these members holds, each with its own share of δ, fixed at creation:
//             sum        Σ ε_i <= ε, which needs no share
//             gaussian   Σ μ_i² <= μ*², implying (ε, share)
//             gaussian   with a part r² of that μ*² in reserve, under the same share: Σ μ_i² + Σ κ_i <= μ*² − r²,
//                        κ_i being what a pure event adds beside N(r) (gaussian_beside.h)
//             renyi      Σ ε_i(α) <= B(α), implying (ε, share), at each of a few orders
// zcdp, renyi and union set a tenth of δ aside for the δ of approximate events: Σ δ_i <= 0.1 δ. The price of composing
// everything tightly after the fact is not a filter: it would admit menus whose true δ exceeds the budget.
//
// Why the union is a filter. Costs only grow, and a member that has no price for an event counts as exceeded for ever
// (its amount saturates), so every transcript ends with some member that was never exceeded. Let T_j be the transcripts
// whose first such member is j. Whatever was admitted in T_j was within j, and whatever was refused was not, so on T_j
// the union answers as j alone would, and P(S ∩ T_j) <= e^ε P'(S ∩ T_j) + δ_j. Summed over j: (ε, Σ δ_j). A refused
// request is not added to any member.
//
// Why the gaussian members have one share. Of the gaussian members that still hold, let v be the most that one has left
// up to its μ*², reserve included. All that is still asked is dominated by N(√v), by induction from the last request:
// an event M after which that member has v' >= r² left is followed by something dominated by N(√v'), and M ⊗ N(√v') is
// dominated by N(√(v' + κ)). That is no more than N(√v), since that member held before M and had no more than v left.
// What is charged first and answered later (slots, runs) counts as left until it is answered.
//
// Why one set-aside serves all members. An (ε_i, δ_i) event is, on both sides of a pair of neighbours, with probability
// δ_i a leak and otherwise ε_i-DP [KairouzOhViswanath15]. All members split an event in the same way, or one of them
// finds no leak in it, so each event is charged the largest δ that a member sees in it. On every path these add up to
// at most the set-aside, hence so does the probability of any leak; without a leak every event is what the members
// price, and the argument above applies: P(S) <= P(leak) + Σ_j P(S ∩ T_j, no leak).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/base/units.h"
#include "chronoveil/ledger/filters/amount.h"

namespace chronoveil::ledger {

enum class FilterKind { sum, zcdp, renyi, gaussian, united };
std::string_view name(FilterKind);
Result<FilterKind> parse_filter_kind(std::string_view);

// What a debit costs under a filter: one amount per coordinate of the filter (an order for renyi, a member for union),
// and a δ. A member of a union that has no price for the event has a saturated amount.
struct Cost {
  std::vector<Amount> values;
  Amount delta;

  Cost& operator+=(const Cost&);
  Cost times(std::int64_t count) const;
  Cost left_of(const Cost& budget) const;
  bool operator==(const Cost&) const = default;
};

struct Filter {
  FilterKind kind = FilterKind::sum;
  std::vector<double> orders;        // renyi: the orders at which B is finite; others constrain nothing
                                     // union: the orders of its renyi members, which come last
  std::vector<std::int64_t> shares;  // union: hundredths of δ, for sum, gaussian and each order; the rest is set aside
  std::vector<std::int64_t> reserves;  // union: hundredths of μ*², for the gaussian members after the one without
  Cost budget;

  Cost nothing() const { return {std::vector<Amount>(budget.values.size()), Amount()}; }
};

// The filter that a coordinate belongs to: a member of the union, or else the filter itself.
FilterKind kind_of(const Filter&, std::size_t coordinate);
// The share of δ of a union's member; the gaussian members have one share together.
double share_of_delta(const Filter&, std::size_t coordinate);
// What the amount of a coordinate measures: "ε", "ρ", "μ²", "μ²[5%]" with a reserve of 5 %, "ε(22)".
std::string symbol(const Filter&, std::size_t coordinate);

// δ = 0 leaves only `sum`: the others need a δ to imply any (ε, δ).
Result<Filter> make_filter(FilterKind, Epsilon, Delta);
FilterKind default_filter(Delta);

// Whether a stored filter may have these orders: at others, such as 1 or less, a member would admit everything.
bool are_renyi_orders(std::span<const double>);
// Whether these are reserves of a union: rising, from 1 to 99 hundredths.
bool are_reserves(std::span<const std::int64_t>);

// The union with these orders, shares and reserves; what make_filter chooses, and what verify makes again from row 0.
// Refused: shares other than one each for sum, gaussian and every order, negative shares, shares that exceed δ
// together; reserves that are not from 1 to 99 and rising; orders outside accounting::renyi_orders().
Result<Filter> make_union(Epsilon, Delta, std::vector<double> orders, std::vector<std::int64_t> shares,
                          std::vector<std::int64_t> reserves);

// Whether the filter holds when this much was admitted for one neighbour: every coordinate, or at least one for a
// union, is within the budget, and so is the δ.
bool holds(const Filter&, const Cost& admitted);
// The part of a coordinate's budget that is left, in [0, 1]; 0 where the budget is 0.
double share_left(const Filter&, const Cost& left, std::size_t coordinate);
// The same for the filter: the least over its coordinates, or for a union the most over its members.
double share_left(const Filter&, const Cost& left);

// The part of the whole budget that a cost takes, which may exceed 1: of the tightest coordinate, or for a union of the
// member that charges least; at least its part of the δ.
double share_of(const Filter&, const Cost&);

// The cost of an event, decided before its first output. With a δ the event is charged as `approximate`: its ε at that
// δ, composed tightly. Without one, `sum` charges pure events (ε, 0) and `approximate` its own (ε, δ), and refuses
// events that have no finite ε at δ = 0.
Result<Cost> cost_of(const Filter&, const accounting::Event&, std::optional<Delta>);

// The largest requests that still fit after what was admitted, as examples of what the remaining amounts mean.
struct Admissible {
  std::optional<double> gaussian_noise_multiplier;  // the least that fits; empty if none does
  std::optional<double> pure_epsilon;               // the largest that fits
};
Admissible admissible(const Filter&, const Cost& admitted);

}  // namespace chronoveil::ledger
