#include "chronoveil/engine/look/caps_from.h"

#include <algorithm>

#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/budget.h"
#include "chronoveil/report/document/digest.h"
#include "chronoveil/report/look/look.h"

namespace chronoveil::engine {
namespace {

// As a job file spells it, or as a fact does.
std::string unquoted(const std::string& value) {
  return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
}

bool has_all(const Job& job, const std::vector<std::pair<std::string, std::string>>& proposal) {
  const Facts facts = facts_of(job);
  return !proposal.empty() && std::all_of(proposal.begin(), proposal.end(), [&](const auto& each) {
    return std::find(facts.begin(), facts.end(), std::pair(each.first, unquoted(each.second))) != facts.end();
  });
}

// The look that the ledger knows by its digest; empty if it is not there, or is not that one.
std::optional<report::Look> stored_look(const ledger::Debit& debit, const ReleaseStore& store) {
  if (!debit.digest) return std::nullopt;
  const Result<std::string> text = store.get(debit.id);
  if (!text) return std::nullopt;
  const Result<std::string> digest = report::release_digest(*text);
  if (!digest || *digest != *debit.digest) return std::nullopt;
  Result<report::Look> look = report::look_from_json(*text);
  return look ? std::optional(std::move(*look)) : std::nullopt;
}

}  // namespace

const std::vector<std::string>& found_by_look() {
  static const std::vector<std::string> keys = {"slots.length",    "privacy.max_steps", "privacy.max_per_slot",
                                                "means.max_cells", "means.lower",       "means.upper"};
  return keys;
}

Job without_caps(const Job& job) {
  Job asked = job;
  asked.purpose.clear();
  asked.mechanism = "auto";
  asked.parameters.clear();
  asked.max_steps.reset();
  asked.may_lack_caps = true;
  asked.geojson.clear();
  asked.caps_from.clear();
  return asked;
}

std::string asked_of(const Job& job, const KeyValues& proposal) {
  Job asked = without_caps(job);
  asked.max_steps = job.max_steps;
  std::vector<std::string> besides = {"privacy.epsilon", "privacy.delta"};
  for (const auto& [key, value] : proposal) besides.push_back(key);
  return digest_without(facts_of(asked), besides);
}

Result<std::optional<Assumption>> caps_of_look(const Job& job, ledger::Ledger& ledger, const ReleaseStore& store) {
  if (job.caps_from.empty()) return std::optional<Assumption>();
  const auto refused = [&](const std::string& valid) { return invalid("privacy.caps_from", job.caps_from, valid); };
  const Result<ledger::DebitId> id = ledger::DebitId::parse(job.caps_from);
  if (!id || id->dataset != job.dataset) return refused("it must be a debit of the dataset '" + job.dataset + "'");
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(job.dataset));
  const auto found = std::find_if(debits.begin(), debits.end(), [&](const ledger::Debit& debit) {
    return debit.id == *id && debit.terms.mechanism == kLook && debit.state == ledger::State::released;
  });
  if (found == debits.end())
    return refused("it must be a look that this ledger has; see budget history, or leave it out if nobody looked");
  const std::optional<report::Look> look = stored_look(*found, store);
  if (!look) return std::optional(caps_of(job.caps_from, "which is not stored here"));
  if (look->asked != asked_of(job, look->proposal))
    return std::optional(caps_of(job.caps_from, "which asked about another job or span"));
  if (!has_all(job, look->proposal)) return std::optional(caps_of(job.caps_from, "which proposed others"));
  return std::optional(Assumption{
      "caps: exactly those that the look debited as " + job.caps_from + " proposed for this job; its cost comes on top",
      Basis::enforced});
}

void say_caps_of_look(const std::optional<Assumption>& now, const std::string& debit, std::vector<Assumption>& all) {
  if (!now) return;
  for (Assumption& each : all)
    if (each.text == caps_of(debit).text) each = *now;
}

}  // namespace chronoveil::engine
