#include <algorithm>
#include <cmath>
#include <filesystem>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/engine/means/ask.h"
#include "chronoveil/engine/perturb/ask.h"
#include "chronoveil/engine/programme/asked.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/series/ask.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/filters/pricing.h"

namespace chronoveil::engine {
namespace {

// A programme, and the ledger that it is for.
struct Prepared {
  OpenBudget budget;
  std::vector<Asked> asked;
  ledger::Terms terms;  // of the one debit
  std::vector<accounting::Event> events;
  std::vector<ledger::SlotsFor> slots;
};

// Adds what one release states to what all state; false if they contradict each other. An event that knows its own
// neighbours, as that of a training does, states nothing and goes with any other.
bool tell_all(const ledger::Stated& one, ledger::Stated& all) {
  if (one.unit && !all.unit) {
    all.unit = one.unit;
    all.width = one.width;
  }
  if (one.relation && !all.relation) all.relation = one.relation;
  return (!one.unit || (one.unit == all.unit && one.width == all.width)) &&
         (!one.relation || one.relation == all.relation);
}

// One debit says one thing of all that is in it. Where only some releases can evict, all are charged for it.
Result<ledger::Terms> terms_of_all(const Programme& programme, const std::vector<Asked>& asked,
                                   const ledger::Dataset& dataset) {
  ledger::Terms all;
  Facts releases;
  double delta = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const ProgrammeRelease& release = programme.releases[i];
    const ledger::Terms one = slot_terms_of(asked[i].claim, asked[i].ask, dataset);
    if (!tell_all(one.stated, all.stated))
      return fail(ErrorKind::usage, "release.job",
                  "'" + release.name +
                      "' protects another unit or relation than a release before it; one debit has one, so make two "
                      "programmes");
    if (i == 0) all.stated.eviction = ledger::Eviction::none;
    if (one.stated.eviction == ledger::Eviction::possible) all.stated.eviction = ledger::Eviction::possible;
    delta += static_cast<double>(release.times) * asked[i].ask.delta;
    std::string what = digest_without(asked[i].claim.facts, release.varies) + " " + std::to_string(release.times);
    for (const std::string& key : release.varies) what += " " + key;
    releases.emplace_back("programme.release", std::move(what));
  }
  all.dataset = programme.dataset;
  all.purpose = programme.purpose.empty() ? "programme " + std::filesystem::path(programme.path).filename().string()
                                          : programme.purpose;
  all.mechanism = "programme";
  all.job = digest_of(releases);
  if (dataset.filter.kind == ledger::FilterKind::sum && delta > 0) all.delta = programme.delta.value_or(delta);
  return all;
}

Result<Prepared> prepared(const Programme& programme, const std::string& ledger) {
  std::vector<Asked> asked;
  std::optional<OpenBudget> budget;
  for (const ProgrammeRelease& release : programme.releases) {
    CV_TRY(Asked one, asked_by(release.job));
    CV_TRY(OpenBudget open, open_budget(one.claim, ledger));  // refuses a job that does not fit the dataset
    if (!budget) budget.emplace(std::move(open));
    asked.push_back(std::move(one));
  }
  Prepared all{std::move(*budget), std::move(asked), {}, {}, {}};
  CV_TRY(all.terms, terms_of_all(programme, all.asked, all.budget.view.dataset));
  std::vector<accounting::Event> events;
  for (const Asked& one : all.asked) events.push_back(one.ask.event);
  all.events = events_of(programme, events);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < all.asked.size(); ++i) {
    const ProgrammeRelease& release = programme.releases[i];
    all.slots.push_back({release.name, digest_without(all.asked[i].claim.facts, release.varies), release.varies, first,
                         release.times, all.asked[i].ask.uses});
    first += release.times;
  }
  return all;
}

}  // namespace

Result<Asked> asked_by(const Job& job) {
  if (job.is<MeansSpec>()) {
    CV_TRY(const MeansPlanned planned, plan_means(job, Compare::when_needed));
    CV_TRY(Claim claim, claim_of(job, planned.chosen.relation));
    return Asked{std::move(claim), ask_of(planned)};
  }
  if (job.is<PerturbSpec>()) {
    CV_TRY(const PerturbPlanned planned, plan_perturbation(job, Compare::when_needed));
    CV_TRY(Claim claim, claim_of(job, planned.chosen.relation));
    return Asked{std::move(claim), ask_of(planned)};
  }
  if (job.is<TrainSpec>()) {
    CV_TRY(const TrainPlanned planned, plan_training(job));
    CV_TRY(Claim claim, claim_of(job));
    return Asked{std::move(claim), ask_of(job, planned)};
  }
  CV_TRY(const Planned planned, plan_job(job, Compare::when_needed));
  CV_TRY(Claim claim, claim_of(job));
  return Asked{std::move(claim), ask_of(planned)};
}

ledger::Protected protected_by_all(const std::vector<Claim>& claims) {
  ledger::Protected all{Unit::user, 1, Relation::add_remove};
  for (const Claim& claim : claims) {
    all.unit = std::min(all.unit, claim.unit);
    all.relation = std::max(all.relation, claim.relation);
  }
  std::optional<std::int64_t> width;
  for (const Claim& claim : claims) {
    const bool counts = all.relation == Relation::swap ? claim.relation == Relation::swap : claim.unit == Unit::w_event;
    if (counts) width = std::min(width.value_or(claim.width), claim.width);
  }
  all.width = width.value_or(1);
  return all;
}

Result<JobRoom> room_of_job(const Job& job, const std::string& ledger) {
  CV_TRY(const Asked asked, asked_by(job));
  CV_TRY(OpenBudget budget, open_budget(asked.claim, ledger));
  CV_TRY(const ledger::Room room, room_for(budget, asked.claim, asked.ask));
  return JobRoom{std::move(budget.view), room};
}

std::vector<accounting::Event> events_of(const Programme& programme, const std::vector<accounting::Event>& each) {
  std::vector<accounting::Event> events;
  for (std::size_t i = 0; i < each.size(); ++i)
    events.insert(events.end(), static_cast<std::size_t>(programme.releases[i].times), each[i]);
  return events;
}

Result<PricedProgramme> price_programme(const Programme& programme, const std::string& ledger) {
  CV_TRY(Prepared all, prepared(programme, ledger));
  const ledger::Dataset& dataset = all.budget.view.dataset;
  PricedProgramme priced;
  ledger::Cost apart = dataset.filter.nothing();
  for (std::size_t i = 0; i < all.asked.size(); ++i) {
    const auto& [claim, ask] = all.asked[i];
    const std::int64_t times = programme.releases[i].times;
    priced.releases.push_back({programme.releases[i].name, times, ask.mechanism, ask.noise, ask.error,
                               claim.epsilon.value(), claim.delta.value()});
    priced.epsilon_sum += static_cast<double>(times) * claim.epsilon.value();
    priced.delta_sum += static_cast<double>(times) * claim.delta.value();
    CV_TRY(const ledger::Cost one, ledger::price(dataset, slot_terms_of(claim, ask, dataset), ask.event));
    apart += one.times(times);
  }
  const accounting::Event event = ledger::composed(all.events);
  CV_TRY(const accounting::Event charged, ledger::fitted(event, all.terms.stated, dataset.promise));
  CV_TRY(const Delta delta, Delta::make(dataset.delta));
  CV_TRY(const accounting::Price price, accounting::epsilon_at(charged, delta, {.fitted = true}));
  priced.epsilon = price.epsilon;
  CV_TRY(priced.together, all.budget.ledger.room_for(all.terms, event));
  priced.share_apart = ledger::share_of(dataset.filter, apart);
  apart += all.budget.view.admitted;
  priced.fits_apart = ledger::holds(dataset.filter, apart);
  priced.budget = std::move(all.budget.view);
  return priced;
}

// The tight price of all, a thousandth up at most: the first debit of a dataset is admitted if it alone keeps (ε, δ).
Result<ProgrammeTotal> total_of(const Programme& programme, const std::string& ledger) {
  ProgrammeTotal total;
  std::vector<Asked> asked;
  std::vector<Claim> claims;
  for (const ProgrammeRelease& release : programme.releases) {
    CV_TRY(Asked one, asked_by(release.job));
    const auto times = static_cast<double>(release.times);
    total.releases.push_back({release.name, release.times, one.ask.mechanism, one.ask.noise, one.ask.error,
                              one.claim.epsilon.value(), one.claim.delta.value()});
    total.epsilon_sum += times * one.claim.epsilon.value();
    total.delta_sum += times * one.claim.delta.value();
    claims.push_back(one.claim);
    asked.push_back(std::move(one));
  }
  ledger::Dataset dataset;
  dataset.promise = protected_by_all(claims);
  CV_TRY(const ledger::Terms terms, terms_of_all(programme, asked, dataset));
  std::vector<accounting::Event> events;
  for (const Asked& one : asked) events.push_back(one.ask.event);
  CV_TRY(const accounting::Event charged,
         ledger::fitted(ledger::composed(events_of(programme, events)), terms.stated, dataset.promise));
  total.delta = std::min(programme.delta.value_or(total.delta_sum), 0.5);
  CV_TRY(const Delta delta, Delta::make(total.delta));
  CV_TRY(const accounting::Price price, accounting::epsilon_at(charged, delta, {.fitted = true}));
  total.epsilon = price.epsilon;
  Claim all = claims.front();
  all.unit = dataset.promise.unit;
  all.relation = dataset.promise.relation;
  all.width = dataset.promise.width;
  const double digit = std::pow(10.0, std::floor(std::log10(total.epsilon)) - 2);
  total.create = create_command(all, std::ceil(total.epsilon / digit) * digit, total.delta, ledger);
  return total;
}

Result<bool> has_dataset(const Programme& programme, const std::string& ledger) {
  CV_TRY(const std::string place, ledger_place(ledger));
  std::error_code ignored;
  if (place.find("://") == std::string::npos && !std::filesystem::exists(place, ignored)) return false;
  CV_TRY(ledger::Ledger open, ledger::Ledger::open(place));
  CV_TRY(const std::vector<std::string> names, open.datasets());
  return std::find(names.begin(), names.end(), programme.dataset) != names.end();
}

Result<ledger::DebitReference> reserve_programme(const Programme& programme, const std::string& ledger,
                                                 bool confirmed) {
  CV_TRY(Prepared all, prepared(programme, ledger));
  ledger::BeforeSecond before_second;
  if (!confirmed)
    before_second = [](const ledger::DebitId& earlier, ledger::State) -> Result<void> {
      return fail(ErrorKind::usage, "this programme was debited before, as " + earlier.text() +
                                        ", and its runs take their slots there; `run.yes` debits it a second time");
    };
  return all.budget.ledger.reserve_slots(all.terms, all.events, all.slots, before_second);
}

}  // namespace chronoveil::engine
