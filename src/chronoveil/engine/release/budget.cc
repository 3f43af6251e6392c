#include "chronoveil/engine/release/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/look/caps_from.h"
#include "chronoveil/engine/release/beside_ledger.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::engine {
namespace {

// Training, and forecasts from a private history, hide the values of some steps; times and series are public.
Result<void> check_values_fit(const Claim& claim, const ledger::Protected& promise) {
  if (promise.relation != Relation::replace_values)
    return fail(ErrorKind::usage, "dataset.name",
                "the dataset '" + claim.dataset + "' promises " + std::string(name(promise.relation)) +
                    "; this hides only the values of steps; where and when they were is public (replace_values). Use a "
                    "dataset that promises replace_values");
  // The steps of a person are declared, not enforced: fewer than w of them need not hide w in a row.
  if (claim.unit == Unit::user && promise.unit == Unit::w_event && claim.max_steps.value_or(1) < promise.width)
    return invalid("privacy.max_steps", std::to_string(claim.max_steps.value_or(1)),
                   "it must be at least " + std::to_string(promise.width) + ", the steps in a row that the dataset '" +
                       claim.dataset + "' promises");
  return {};
}

Result<void> check_fit(const Claim& claim, const ledger::Protected& promise) {
  const bool wide_enough = claim.unit != Unit::w_event || promise.unit != Unit::w_event || claim.width >= promise.width;
  if (!covers(claim.unit, promise.unit) || !wide_enough) {
    std::string own(name(promise.unit));
    if (promise.unit == Unit::w_event) own += " with `privacy.width` of at least " + std::to_string(promise.width);
    return invalid("privacy.unit", name(claim.unit),
                   "it must cover what the dataset '" + claim.dataset + "' promises: " + own);
  }
  if (claim.of == Claim::Of::steps) return check_values_fit(claim, promise);
  if (claim.relation == Relation::replace && promise.relation == Relation::add_remove && claim.of == Claim::Of::means)
    return fail(ErrorKind::usage, "dataset.name",
                "the dataset '" + claim.dataset +
                    "' promises add_remove, which also hides whether somebody is registered; this mechanism does not "
                    "(replace). Use a dataset that promises replace, or the mechanism sum_over_count");
  if (claim.relation == Relation::replace && promise.relation == Relation::add_remove)
    return invalid("privacy.relation", "replace",
                   "it must be add_remove, as the dataset '" + claim.dataset +
                       "' promises: noise for a replacement need not hide that somebody is there");
  if (claim.relation == Relation::swap && promise.relation != Relation::swap)
    return fail(ErrorKind::usage, "dataset.name",
                "the dataset '" + claim.dataset + "' promises " + std::string(name(promise.relation)) +
                    ", which hides what the values are; moving them in time hides only when they were (swap). Use a "
                    "dataset that promises swap");
  if (claim.relation == Relation::swap && claim.width < promise.width)
    return invalid(
        "privacy.window", std::to_string(claim.width),
        "it must be at least " + std::to_string(promise.width) + ", as the dataset '" + claim.dataset + "' promises");
  if (claim.relation == Relation::replace_values && promise.relation != Relation::replace_values)
    return fail(ErrorKind::usage, "dataset.name",
                "the dataset '" + claim.dataset + "' promises " + std::string(name(promise.relation)) +
                    ", which also hides where and when people are; this mechanism hides only their values "
                    "(replace_values). Use a dataset that promises replace_values, or make the counts private, too");
  return {};
}

ledger::Terms terms_of(const Claim& claim, const Ask& ask, const ledger::Dataset& dataset) {
  ledger::Terms terms;
  terms.dataset = claim.dataset;
  terms.purpose = claim.purpose;
  if (terms.purpose.empty()) terms.purpose = claim.span.empty() ? ask.what : ask.what + " " + claim.span;
  terms.mechanism = ask.mechanism;
  terms.job = claim.digest;
  // A single event that knows its own neighbours decides for itself; that the job covers the dataset was checked
  // before. In a composition the parts that do not know theirs must be told.
  terms.stated.unit = claim.unit;
  if (claim.unit == Unit::w_event) terms.stated.width = claim.width;
  terms.stated.relation = claim.relation;
  terms.stated = ledger::told_to(ask.event, terms.stated);
  // Said only where it makes a difference.
  if (ledger::depends_on_eviction(ask.event, terms.stated, dataset.promise)) terms.stated.eviction = ask.eviction;
  if (dataset.filter.kind == ledger::FilterKind::sum && ask.delta > 0) terms.delta = ask.delta;
  return terms;
}

// The largest ε, to two digits, whose plan the budget still admits; empty if not even a thousandth of the job's ε fits.
std::optional<double> epsilon_that_fits(OpenBudget& budget, const Claim& claim, const Ask& ask) {
  const auto fits = [&](double epsilon) {
    const Result<Ask> smaller = ask.at_epsilon(epsilon);
    return smaller && budget.ledger.check(terms_of(claim, *smaller, budget.view.dataset), smaller->event).has_value();
  };
  const auto two_digits = [](double epsilon) {
    const double digit = std::pow(10.0, std::floor(std::log10(epsilon)) - 1);
    return std::floor(epsilon / digit) * digit;
  };
  // Where ε are added up, the rest is the most that can be had; and a switch has no small ε at all. A union adds them
  // up, too, but another member may have more left.
  const double left = budget.view.left.values[0].value();
  const auto fits_exactly = [&] { return left > 0 && left < claim.epsilon.value() && fits(two_digits(left)); };
  const ledger::FilterKind kind = budget.view.dataset.filter.kind;
  if (kind == ledger::FilterKind::sum && fits_exactly()) return two_digits(left);
  double low = claim.epsilon.value() / 1000, high = claim.epsilon.value();
  if (!fits(low)) return std::nullopt;
  while (high / low > 1.02) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  const double found = fits(two_digits(low)) ? two_digits(low) : low;
  return kind == ledger::FilterKind::united && left > found && fits_exactly() ? two_digits(left) : found;
}

template <class T>
Result<T> with_advice(Result<T> result, OpenBudget& budget, const Claim& claim, const Ask& ask) {
  if (result || result.error().kind != ErrorKind::over_budget) return result;
  const std::optional<double> epsilon = epsilon_that_fits(budget, claim, ask);
  result.error().message += epsilon
                                ? fmt::format("; {} with `privacy.epsilon = {:.2g}` would fit", ask.mechanism, *epsilon)
                                : "; no smaller `privacy.epsilon` worth having would fit";
  return result;
}

// After an error at COMMIT it is unknown whether there is a debit, and the ledger says so.
template <class T>
Result<T> or_perhaps_made(Result<T> result) {
  if (!result && result.error().in_doubt)
    result.error().message += "; run the same job again to use it at no further cost";
  return result;
}

}  // namespace

std::string not_hidden_by(const Claim& claim) {
  if (claim.relation != Relation::replace_values) return "";
  return "replace_values hides values alone: where and when people were, and how often, becomes public";
}

// Twice, since its total covers everything that will ever be released.
std::string create_command(const Claim& claim, const std::string& ledger) {
  return create_command(claim, 2 * claim.epsilon.value(), std::min(2 * claim.delta.value(), 0.5), ledger);
}

std::string create_command(const Claim& claim, double epsilon, double delta, const std::string& ledger) {
  std::string command = "chronoveil budget create " + claim.dataset + " --epsilon " + fmt::format("{:.6g}", epsilon);
  if (delta > 0) command += fmt::format(" --delta {:.6g}", delta);
  command += " --unit " + std::string(name(claim.unit));
  if (claim.unit == Unit::w_event) command += " --width " + std::to_string(claim.width);
  if (claim.relation == Relation::swap) command += " --window " + std::to_string(claim.width);
  if (claim.relation != Relation::add_remove) command += " --relation " + std::string(name(claim.relation));
  // A URL may hold a password.
  if (!ledger.empty() && ledger.find("://") == std::string::npos) command += " --ledger '" + ledger + "'";
  return command;
}

Result<std::string> ledger_place(const std::string& given) {
  if (given.empty()) return ledger::default_ledger_path();
  // SQLite would keep it in memory.
  if (given == ":memory:") return invalid("ledger", given, "the name of a file: a ledger must outlast the process");
  return given;
}

double share_left(const ledger::View& view) { return ledger::share_left(view.dataset.filter, view.left); }

std::string still_admits(const ledger::View& view) {
  const ledger::Admissible& fits = view.admissible;
  std::string text;
  if (fits.gaussian_noise_multiplier) {
    text += "a gaussian with noise_multiplier >= " + ledger::rounded_up(*fits.gaussian_noise_multiplier);
  }
  if (fits.pure_epsilon) {
    text +=
        (text.empty() ? "" : ", or ") + ("a pure event with epsilon <= " + ledger::rounded_down(*fits.pure_epsilon));
  }
  return text.empty() ? "nothing" : text;
}

report::BudgetLeft budget_left(const ledger::View& view) {
  report::BudgetLeft left;
  left.dataset = view.dataset.name;
  left.epsilon = view.dataset.epsilon;
  left.delta = view.dataset.delta;
  left.fraction_left = share_left(view);
  left.still_admits = still_admits(view);
  return left;
}

Result<Claim> claim_of(const Job& job) { return claim_of(job, job.relation); }

Result<Claim> claim_of(Job job, Relation relation) {
  job.relation = relation;
  CV_TRY(const Epsilon epsilon, by_key({"privacy"}, Epsilon::make(job.epsilon)));
  CV_TRY(const Delta delta, by_key({"privacy"}, Delta::make(job.delta)));
  Claim claim{job.dataset, job.purpose,   "",      digest_of(job), job.unit, relation,
              job.width,   job.max_steps, epsilon, delta};
  if (!job.slots.start.empty()) claim.span = job.slots.start + ".." + job.slots.end;
  if (relation == Relation::swap) claim.width = job.perturb().window.value_or(0);
  if (job.is<MeansSpec>()) claim.of = Claim::Of::means;
  if (job.is<TrainSpec>()) claim.of = Claim::Of::steps;
  claim.facts = facts_of(job);
  return claim;
}

Result<OpenBudget> open_budget(const Job& job, const Claim& claim, const std::string& ledger, const std::string& but) {
  CV_TRY(const std::string place, ledger_place(ledger));
  // SQLite keeps the latest writes in files beside it.
  for (const std::string_view suffix : {"", "-wal", "-shm", "-journal"})
    CV_CHECK(check_spared(job, "the ledger", place + std::string(suffix)));
  for (const auto& [variable, what] :
       {std::pair("CHRONOVEIL_KEY", "the secret key"), std::pair("CHRONOVEIL_ANCHOR", "the anchor of the ledger")})
    if (const char* path = std::getenv(variable); path != nullptr) CV_CHECK(check_spared(job, what, path));
  for (const auto& [kind, what] : {std::pair("releases", "the stored releases"), std::pair("live", "the live releases"),
                                   std::pair("training", "the checkpoints")}) {
    CV_TRY(const std::filesystem::path folder, folder_beside(place, kind, ""));
    CV_CHECK(check_outside(job, what, folder));
  }
  CV_CHECK(check_outside(job, "the stored releases", place + ".releases"));  // by the name that was given
  CV_TRY(OpenBudget budget, open_budget(claim, ledger, but));
  CV_TRY(budget.caps, caps_of_look(job, budget.ledger, budget.store));
  return budget;
}

Result<OpenBudget> open_budget(const Claim& claim, const std::string& ledger, const std::string& but) {
  if (claim.dataset.empty())
    return fail(ErrorKind::usage, "dataset.name", "it is missing; a release is debited to a dataset of the ledger");
  CV_TRY(const std::string place, ledger_place(ledger));
  const auto no_dataset = [&] {
    const std::string price = not_hidden_by(claim);
    return fail(ErrorKind::usage, "dataset.name",
                "there is no dataset '" + claim.dataset +
                    "' in the ledger yet; create it with the total that all its releases may spend, for example: " +
                    create_command(claim, ledger) + (price.empty() ? "" : " (" + price + ")"));
  };
  // Opening would make the file, and a mistyped path would leave an empty ledger behind.
  std::error_code error;
  if (place.find("://") == std::string::npos && !std::filesystem::exists(place, error)) return no_dataset();
  CV_TRY(ledger::Ledger open, ledger::Ledger::open(place));
  CV_TRY(ReleaseStore store, ReleaseStore::of_ledger(place));
  CV_TRY(const std::vector<std::string> names, open.datasets());
  CV_CHECK(check_witnesses(open, place, claim.dataset, but));
  if (std::find(names.begin(), names.end(), claim.dataset) == names.end()) return no_dataset();
  CV_TRY(ledger::View view, open.view(claim.dataset));
  CV_CHECK(check_fit(claim, view.dataset.promise));
  return OpenBudget{place, std::move(open), std::move(store), std::move(view), {}};
}

std::string noise_text(NoiseKind kind, double scale) {
  return fmt::format("{} of scale {:.4g}", kind == NoiseKind::laplace ? "laplace" : "gaussian", scale);
}

ledger::Terms slot_terms_of(const Claim& claim, const Ask& ask, const ledger::Dataset& dataset) {
  ledger::Terms terms = terms_of(claim, ask, dataset);
  // Where it makes no difference, a job fits a debit that says either.
  if (!ledger::depends_on_eviction(ask.event, terms.stated, dataset.promise))
    terms.stated.eviction = ledger::Eviction::none;
  return terms;
}

namespace {

// The free slots of programmes that are for this job.
struct Programmed {
  std::vector<std::string> programmes;  // debits of the dataset that have slots for jobs
  std::vector<ledger::DebitId> slots;
};

Result<Programmed> programmed(OpenBudget& budget, const Claim& claim) {
  Programmed all;
  if (claim.facts.empty()) return all;
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(claim.dataset));
  for (const ledger::Debit& debit : debits) {
    if (debit.programme.empty() || debit.state != ledger::State::reserved || debit.from_backup) continue;
    all.programmes.push_back(debit.id.text());
    for (const ledger::SlotsFor& release : debit.programme) {
      if (digest_without(claim.facts, release.varies) != release.job) continue;
      for (std::int64_t slot = release.first; slot < release.first + release.count; ++slot)
        if (!debit.slots[static_cast<std::size_t>(slot)].state)
          all.slots.push_back({claim.dataset, debit.id.sequence, slot});
    }
  }
  return all;
}

Result<std::optional<ledger::DebitId>> slot_to_open(OpenBudget& budget, const Claim& claim, const Ask& ask) {
  CV_TRY(const Programmed programme, programmed(budget, claim));
  if (programme.programmes.empty()) return std::optional<ledger::DebitId>();
  return budget.ledger.slot_for(slot_terms_of(claim, ask, budget.view.dataset), ask.event, programme.slots, ask.uses);
}

std::string programme_note(const Programmed& programme, const std::optional<ledger::DebitId>& opened) {
  if (opened)
    return "this run takes " + opened->text() + ", a slot of a programme that is paid for: nothing more is debited";
  return (programme.slots.empty() ? "no free slot of the programme " : "no slot that fits in the programme ") +
         programme.programmes.back() + " is for this job: it is an ordinary debit";
}

}  // namespace

Result<ledger::Cost> check_debit(OpenBudget& budget, const Claim& asked, const Ask& ask) {
  CV_TRY(const Claim claim, as_known(budget, asked));
  CV_TRY(const std::optional<ledger::DebitId> slot, slot_to_open(budget, claim, ask));
  if (slot) return budget.view.dataset.filter.nothing();
  return with_advice(budget.ledger.check(terms_of(claim, ask, budget.view.dataset), ask.event), budget, claim, ask);
}

Result<ledger::Room> room_for(OpenBudget& budget, const Claim& claim, const Ask& ask) {
  return budget.ledger.room_for(terms_of(claim, ask, budget.view.dataset), ask.event);
}

Result<ledger::Receipt> reserve(OpenBudget& budget, const Claim& claim, const Ask& ask,
                                const ledger::BeforeSecond& before_second,
                                const std::function<void(const std::string&)>& note) {
  CV_TRY(const Programmed programme, programmed(budget, claim));
  if (!programme.programmes.empty()) {
    CV_TRY(std::optional<ledger::Receipt> opened,
           or_perhaps_made(budget.ledger.open_slot_for(slot_terms_of(claim, ask, budget.view.dataset), ask.event,
                                                       programme.slots, before_second)));
    if (note) note(programme_note(programme, opened ? std::optional(opened->reference().id) : std::nullopt));
    if (opened) return std::move(*opened);
  }
  return or_perhaps_made(with_advice(
      budget.ledger.reserve(terms_of(claim, ask, budget.view.dataset), ask.event, before_second), budget, claim, ask));
}

Result<ledger::Reservation> reserve_run(OpenBudget& budget, const Claim& claim, const Ask& ask,
                                        const ledger::BeforeSecond& before_second,
                                        const std::function<void(const std::string&)>& note,
                                        const std::optional<ledger::LiveTag>& live) {
  const std::int64_t uses = ask.uses.value_or(0);
  CV_TRY(const Programmed programme, programmed(budget, claim));
  if (!live && !programme.programmes.empty()) {
    CV_TRY(const std::optional<ledger::Reservation> opened,
           or_perhaps_made(budget.ledger.open_run_slot_for(slot_terms_of(claim, ask, budget.view.dataset), ask.event,
                                                           uses, programme.slots, before_second)));
    if (note) note(programme_note(programme, opened ? std::optional(opened->id) : std::nullopt));
    if (opened) return *opened;
  }
  ledger::Terms terms = terms_of(claim, ask, budget.view.dataset);
  terms.live = live;
  return or_perhaps_made(
      with_advice(budget.ledger.reserve_run(terms, ask.event, uses, before_second), budget, claim, ask));
}

Result<std::optional<report::ProgrammeUse>> programme_use(ledger::Ledger& ledger, const ledger::DebitId& id) {
  std::optional<report::ProgrammeUse> use;
  if (!id.slot) return use;
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(id.dataset));
  const auto whole = std::find_if(debits.begin(), debits.end(),
                                  [&](const ledger::Debit& debit) { return debit.id.sequence == id.sequence; });
  if (whole == debits.end() || whole->programme.empty()) return use;
  use.emplace();
  for (const ledger::SlotsFor& release : whole->programme) {
    const auto first = whole->slots.begin() + release.first;
    const auto used =
        std::count_if(first, first + release.count, [](const auto& slot) { return slot.state.has_value(); });
    use->jobs.push_back({release.name, used, release.count});
  }
  return use;
}

Result<std::optional<EarlierDebit>> earlier_debit(OpenBudget& budget, const Claim& asked, const Ask& ask) {
  CV_TRY(const Claim claim, as_known(budget, asked));
  CV_TRY(const std::optional<ledger::DebitId> slot, slot_to_open(budget, claim, ask));
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(claim.dataset));
  for (const ledger::Debit& debit : debits)
    for (std::size_t i = 0; i < debit.slots.size(); ++i) {
      const ledger::Slot& used = debit.slots[i];
      if (used.job != claim.digest || used.job.empty()) continue;
      const ledger::DebitId id{claim.dataset, debit.id.sequence, static_cast<std::int64_t>(i)};
      if (id != slot) return EarlierDebit{id, *used.state, budget.store.has(id), false};
    }
  const auto last = std::find_if(debits.rbegin(), debits.rend(),
                                 [&](const ledger::Debit& debit) { return debit.terms.job == claim.digest; });
  if (slot) {
    CV_TRY(std::optional<report::ProgrammeUse> use, programme_use(budget.ledger, *slot));
    return EarlierDebit{*slot, ledger::State::reserved, false, true, std::move(use)};
  }
  if (last == debits.rend()) return std::nullopt;
  CV_TRY(const std::optional<ledger::DebitReference> unused,
         budget.ledger.to_take_up(terms_of(claim, ask, budget.view.dataset), ask.event, last->uses));
  return EarlierDebit{last->id, last->state, budget.store.has(last->id), unused.has_value()};
}

Result<DebitAsked> ask_ledger(OpenBudget& budget, const Claim& claim, const Ask& ask) {
  DebitAsked all;
  CV_TRY(all.cost, check_debit(budget, claim, ask));
  CV_TRY(all.room, room_for(budget, claim, ask));
  CV_TRY(all.earlier, earlier_debit(budget, claim, ask));
  return all;
}

}  // namespace chronoveil::engine
