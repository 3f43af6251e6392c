#include <cmath>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

// A job that fits often enough is left alone.
constexpr double kShareThatMatters = 0.25;

std::optional<std::pair<FilterKind, double>> thriftier_than(double share, const Dataset& dataset, Terms terms,
                                                            const Event& event) {
  const Result<Epsilon> epsilon = Epsilon::make(dataset.epsilon);
  const Result<Delta> delta = Delta::make(dataset.delta);
  if (share < kShareThatMatters || dataset.delta <= 0 || !epsilon || !delta) return std::nullopt;
  if (dataset.promise.relation == Relation::swap) return std::nullopt;
  terms.delta.reset();  // only `sum` is told one
  std::optional<std::pair<FilterKind, double>> best;
  for (const FilterKind kind : {FilterKind::united, FilterKind::renyi, FilterKind::gaussian, FilterKind::zcdp}) {
    Result<Filter> filter = make_filter(kind, *epsilon, *delta);
    if (!filter || kind == dataset.filter.kind) continue;
    Dataset other = dataset;
    other.filter = *std::move(filter);
    const Result<Cost> cost = price(other, terms, event);
    const double asked = cost ? share_of(other.filter, *cost) : 1;
    if (asked <= share / 2 && (!best || asked < best->second)) best.emplace(kind, asked);
  }
  return best;
}

}  // namespace

Result<Room> Ledger::Inside::room_for(const Account& account, const std::string& period, const Terms& terms,
                                      const Event& event, const Cost& cost) {
  Room room;
  room.share = share_of(account.dataset().filter, cost);
  CV_TRY(room.more, account.room(period, terms.part, cost, kMostCounted + 1));
  CV_TRY(const bool untouched, account.is_untouched(period, terms.part));
  // As for a debit: the first may take everything.
  const Result<bool> alone = room.more > 0 || !untouched ? false : fills_at_most_all(account.dataset(), terms, event);
  if (alone && *alone) room = {1, 1};
  if (room.more == 0) {
    CV_TRY(room.lack, account.lack(period, terms.part, cost));
  }
  if (!untouched) return room;
  const bool nothing_yet = !account.last_debit(std::nullopt) && !account.dataset().renews;
  if (nothing_yet && !account.dataset().partition)
    room.thriftier = thriftier_than(room.share, account.dataset(), terms, event);
  return room;
}

namespace {

// What the event costs alone: its ε at any δ if there is one, else at the δ that it is charged at, or the dataset's.
void price_alone(const Dataset& dataset, const Terms& terms, const Event& event, std::optional<double>& epsilon,
                 double& delta) {
  const Result<Event> charged = fitted(event, terms.stated, dataset.promise);
  if (!charged) return;
  for (const double at : {0.0, terms.delta.value_or(dataset.delta)}) {
    const Result<Delta> valid = Delta::make(at);
    const Result<accounting::Price> alone = valid ? accounting::epsilon_at(*charged, *valid, {.fitted = true})
                                                  : Result<accounting::Price>(Failure(valid.error()));
    if (!alone || !std::isfinite(alone->epsilon)) continue;
    epsilon = alone->epsilon;
    delta = at;
    return;
  }
}

}  // namespace

Result<std::optional<LikeLast>> Ledger::Inside::like_last(const Account& account, const std::string& period,
                                                          const std::optional<std::string>& part,
                                                          const Store::Reader& read) {
  const std::optional<std::int64_t> sequence = account.last_debit(part);
  if (!sequence) return std::optional<LikeLast>();
  const Dataset& dataset = account.dataset();
  auto known = last_priced.find(dataset.name);
  if (known == last_priced.end() || known->second.sequence != *sequence) {
    CV_TRY(const Stored stored, read(*sequence));
    CV_TRY(const DebitBody body, debit_from_body(stored.rows.front().body));
    CV_TRY(const std::vector<Event> events, body.parsed_events());
    Last last{*sequence, body.terms, composed(events), {}, std::nullopt, 0};
    // What a debit of an early version left unsaid, a new one must say; the dearer answer is the safe one.
    if (last.terms.stated.eviction == Eviction::unsaid) last.terms.stated.eviction = Eviction::possible;
    const Result<Cost> cost = price(dataset, last.terms, last.event);
    if (!cost) return std::optional<LikeLast>();
    last.cost = *cost;
    price_alone(dataset, last.terms, last.event, last.epsilon, last.delta);
    known = last_priced.insert_or_assign(dataset.name, std::move(last)).first;
  }
  const Last& last = known->second;
  CV_TRY(const Room room, room_for(account, period, last.terms, last.event, last.cost));
  return std::optional(
      LikeLast{{dataset.name, *sequence, std::nullopt}, last.terms.purpose, last.epsilon, last.delta, room});
}

Failure Ledger::Inside::in_releases(const Error& error, const Terms& terms, const Cost& cost) {
  const auto found = accounts.find(terms.dataset);
  if (error.kind != ErrorKind::over_budget || found == accounts.end()) return Failure(error);
  const std::string period = found->second.period_at(now(found->second));
  const Result<std::optional<LikeLast>> like = like_last(found->second, period, terms.part, reader(terms.dataset));
  if (!like || !*like) return Failure(error);
  return found->second.refusal(period, terms.part, cost, ", " + text(**like));
}

}  // namespace chronoveil::ledger
