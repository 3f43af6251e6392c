#include <nlohmann/json.hpp>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/engine/release/audit.h"
#include "chronoveil/report/document/digest.h"

namespace chronoveil::engine {
namespace {

using nlohmann::json;

constexpr double kOtherMachine = 1e-9;  // as in ledger/proof/verify.cc

const json* member(const json* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

std::optional<std::string> text_in(const json* object, const char* key) {
  const json* found = member(object, key);
  return found == nullptr || !found->is_string() ? std::nullopt : std::optional(found->get<std::string>());
}

std::optional<double> number_in(const json* object, const char* key) {
  const json* found = member(object, key);
  return found == nullptr || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
}

}  // namespace

Result<ReleaseClaims> claims_of(std::string_view text) {
  const json release = json::parse(text, nullptr, false);
  const json* debit = member(&release, "debit");
  const std::optional<std::string> id = text_in(debit, "id"), head = text_in(debit, "chain_head");
  if (!id || !head) return fail(ErrorKind::bad_data, "against", "the release holds no debit with id and chain_head");
  ReleaseClaims claims;
  CV_TRY(claims.debit.id, ledger::DebitId::parse(*id));
  claims.debit.chain_head = *head;
  CV_TRY(claims.digest, report::release_digest(text));
  // A forecast describes its history as other releases describe themselves.
  const json* history = member(&release, "input");
  const bool forecast = history != nullptr && history->is_object();
  const json* of = forecast ? history : &release;
  if (const json* event = member(forecast ? history : member(of, "plan"), "event")) {
    CV_TRY(claims.event, accounting::event_from_json(*event));
  }
  const json* guarantee = member(of, "guarantee");
  if (const auto unit = text_in(guarantee, "unit")) {
    CV_TRY(claims.unit, parse_unit(*unit));
  }
  if (const auto relation = text_in(guarantee, "relation")) {
    CV_TRY(claims.relation, parse_relation(*relation));
  }
  claims.as_published = text_in(guarantee, "certificate") == name(Certificate::as_published);
  claims.epsilon = number_in(guarantee, "epsilon");
  claims.delta = number_in(guarantee, "delta");
  return claims;
}

ClaimsHeld held_against(const ReleaseClaims& claims, const ledger::Debit& whole, const ledger::Dataset& dataset) {
  ClaimsHeld held;
  const auto contradict = [&](std::string what) { held.contradictions.push_back(std::move(what)); };
  const std::optional<std::int64_t>& slot = claims.debit.id.slot;
  const std::optional<ledger::Debit> of_slot = slot ? ledger::slot_as_debit(whole, *slot) : std::nullopt;
  if (slot && !of_slot) contradict("nothing ran in this slot, for all that the ledger knows");
  const ledger::Debit& debit = of_slot ? *of_slot : whole;
  const accounting::Event& event = debit.event;
  held.tied = debit.digest.has_value();
  // Outputs are written after the row that says so.
  if (debit.says_drawing && debit.state != ledger::State::released)
    contradict("as far as the ledger knows, nothing of this debit was released (" + std::string(name(debit.state)) +
               "): the ledger lost its last rows, or this is not a release");
  if (held.tied && *debit.digest != claims.digest)
    contradict("the release was changed: it does not match the digest in the ledger");
  if (claims.event && accounting::to_text(*claims.event) != accounting::to_text(event))
    contradict("the release is of another event than the one that was debited");
  // An event that knows its own neighbours is compared above.
  std::optional<Unit> unit = debit.terms.stated.unit;
  if (!unit && !accounting::unit_of(event)) unit = dataset.promise.unit;
  if (claims.unit && unit && *claims.unit != *unit)
    contradict("the release promises unit " + std::string(name(*claims.unit)) + "; debited was " +
               std::string(name(*unit)));
  std::optional<Relation> relation = debit.terms.stated.relation;
  if (!relation && !accounting::relation_of(event)) relation = dataset.promise.relation;
  if (claims.relation && relation && *claims.relation != *relation)
    contradict("the release promises relation " + std::string(name(*claims.relation)) + "; debited was " +
               std::string(name(*relation)));
  if (claims.as_published || !claims.epsilon || !claims.delta) return held;
  const Result<Delta> delta = Delta::make(*claims.delta);
  if (!delta) {
    contradict("the release promises no valid delta");
    return held;
  }
  const Result<accounting::Price> price = accounting::epsilon_at(event, *delta);
  if (price && *claims.epsilon < price->epsilon_lower * (1 - kOtherMachine))
    contradict("the release promises a smaller epsilon than its event costs");
  return held;
}

}  // namespace chronoveil::engine
