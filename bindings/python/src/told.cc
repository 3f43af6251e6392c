#include "told.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "errors.h"

namespace chronoveil::python {
namespace {

nb::dict candidate(const std::string& mechanism, const Error& refusal, bool fits) {
  nb::dict told;
  told["mechanism"] = mechanism;
  told["fits"] = fits;
  if (!fits) told["why_not"] = refusal.text(key_names(Names::arguments));
  return told;
}

nb::dict told(const plan::Candidate& one) {
  nb::dict told = candidate(one.mechanism, one.refusal, one.plan.has_value());
  if (!one.plan) return told;
  told["noise"] = one.plan->noise == NoiseKind::laplace ? "laplace" : "gaussian";
  told["scale"] = one.plan->scale;
  told["error"] = one.noise_error;
  told["information"] = one.information;
  told["error_on_sample"] = one.expected_error;
  told["error_of_all_series"] = one.expected_total_error;
  told["epsilon"] = one.plan->price.epsilon;
  told["delta"] = one.plan->delta;
  return told;
}

nb::dict told(const plan::MeansCandidate& one) {
  nb::dict told = candidate(one.mechanism, one.refusal, one.plan.has_value());
  told["variant"] = one.variant;
  if (!one.plan) return told;
  told["noise"] = one.plan->noise == NoiseKind::laplace ? "laplace" : "gaussian";
  told["scale"] = one.facts.scale;
  told["error"] = one.facts.expected_noise;
  told["sensitivity"] = one.facts.sensitivity;
  told["epsilon"] = one.plan->price.epsilon;
  told["delta"] = one.plan->delta;
  return told;
}

nb::dict told(const plan::TemporalCandidate& one) {
  nb::dict told = candidate(one.mechanism, one.refusal, one.plan.has_value());
  if (!one.plan) return told;
  if (one.moves) told["cost"] = one.moves->cost;
  told["epsilon"] = one.plan->price.epsilon;
  told["delta"] = one.plan->delta;
  return told;
}

template <class Plan>
nb::dict told_plan(const Plan& planned) {
  nb::dict all;
  all["mechanism"] = planned.chosen.mechanism;
  all["parameters"] = chronoveil::python::told(planned.chosen.parameters);
  all["reason"] = planned.reason;
  all["event"] = to_text(planned.chosen.event);
  all["epsilon"] = planned.chosen.price.epsilon;
  all["delta"] = planned.chosen.delta;
  all["guarantee"] = chronoveil::python::told(planned.guarantee);
  nb::list candidates;
  if (planned.comparison)
    for (const auto& one : planned.comparison->candidates) candidates.append(told(one));
  all["candidates"] = candidates;
  all["recommended"] = planned.comparison ? planned.comparison->recommended : std::string();
  all["advice"] = planned.comparison ? planned.comparison->reason : std::string();
  if constexpr (requires { planned.axis; }) all["slots"] = planned.axis.steps();
  if constexpr (requires { planned.tells_nothing; })
    all["tells_nothing"] = with_key_names(planned.tells_nothing, key_names(Names::arguments));
  return all;
}

}  // namespace

nb::list told(const std::vector<std::string>& texts) {
  nb::list all;
  for (const std::string& text : texts) all.append(text);
  return all;
}

nb::dict told(const mechanisms::Parameters& parameters) {
  nb::dict all;
  for (const auto& [key, value] : parameters)
    std::visit([&](const auto& held) { all[key.c_str()] = nb::cast(held); }, value);
  return all;
}

nb::dict told(const Guarantee& guarantee) {
  nb::dict all;
  all["definition"] = guarantee.definition;
  all["unit"] = std::string(name(guarantee.unit));
  all["width"] = guarantee.width;
  all["window"] = guarantee.window;
  all["relation"] = std::string(name(guarantee.relation));
  all["epsilon"] = guarantee.epsilon;
  all["delta"] = guarantee.delta;
  all["certificate"] = std::string(name(guarantee.certificate));
  nb::list assumptions;
  for (const Assumption& assumption : guarantee.assumptions)
    assumptions.append(nb::make_tuple(std::string(name(assumption.basis)), assumption.text));
  all["assumptions"] = assumptions;
  return all;
}

nb::dict told(const ledger::DebitReference& debit) {
  nb::dict all;
  all["id"] = debit.id.text();
  all["chain_head"] = debit.chain_head;
  return all;
}

nb::dict told(const ledger::Room& room) {
  nb::dict all;
  all["more"] = room.more;
  all["share"] = room.share;
  all["text"] = ledger::text(room);
  return all;
}

nb::dict told(const ledger::Dataset& dataset) {
  nb::dict all;
  all["name"] = dataset.name;
  all["unit"] = std::string(name(dataset.promise.unit));
  all["width"] = dataset.promise.width;
  all["relation"] = std::string(name(dataset.promise.relation));
  all["epsilon"] = dataset.epsilon;
  all["delta"] = dataset.delta;
  all["filter"] = std::string(ledger::name(dataset.filter.kind));
  all["renews"] = dataset.renews ? nb::cast(std::string(ledger::name(*dataset.renews))) : nb::none();
  return all;
}

nb::dict told(const ledger::View& view) {
  nb::dict all = told(view.dataset);
  all["share_left"] = engine::share_left(view);
  all["still_admits"] = engine::still_admits(view);
  all["debits"] = view.debits;
  all["period"] = view.period;
  all["closed"] = view.closed;
  return all;
}

nb::dict told(const AnyPlan& plan) {
  return std::visit([](const auto& planned) { return told_plan(planned); }, plan);
}

}  // namespace chronoveil::python
