// Events as text, other accountants, the ledger, and what concerns a whole program.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/base/system/waiting.h"
#include "chronoveil/chronoveil.h"
#include "chronoveil/ledger/plausible_clock.h"
#include "chronoveil/report/document/signature.h"

namespace chronoveil {

Result<Event> parse_event(std::string_view json) { return accounting::parse_event(json); }
Result<Event> parse_open_event(std::string_view json) { return accounting::parse_event(json, true); }
std::string to_text(const Event& event) { return accounting::to_text(event); }

Result<OtherPrices> other_prices(const Event& event, Delta delta) {
  OtherPrices prices;
  CV_TRY(const Event one, accounting::in_one_relation(event));
  CV_TRY(const auto renyi, accounting::renyi_cost(one, accounting::renyi_orders()));
  if (renyi.delta < delta.value()) {
    CV_TRY(const Delta rest, Delta::make_positive(delta.value() - renyi.delta));
    prices.renyi = accounting::epsilon_from_renyi(accounting::renyi_orders(), renyi.epsilon, rest);
  }
  if (const auto zcdp = accounting::zcdp_cost(one); zcdp && zcdp->delta < delta.value())
    prices.zcdp = zcdp->rho + 2 * std::sqrt(zcdp->rho * std::log(1 / (delta.value() - zcdp->delta)));
  if (const auto* windows = std::get_if<accounting::StructuredSubsampling>(&event.kind)) {
    CV_TRY(Event pooled, accounting::black_box_event(*windows));
    pooled.count = event.count;
    CV_TRY(const accounting::Price price, accounting::epsilon_at(pooled, delta));
    prices.black_box = price.epsilon_lower;
  }
  return prices;
}

Result<Ledger> open_ledger(const std::string& where, ledger::Options options) {
  CV_TRY(const std::string place, engine::ledger_place(where));
  return Ledger::open(place, std::move(options));
}

Result<ledger::Dataset> create_dataset(const DatasetWords& words, const std::string& where, ledger::Options options) {
  CV_TRY(const DatasetRequest request, ledger::dataset_request(words));
  CV_CHECK(ledger::make_dataset(request));
  CV_TRY(const std::string place, engine::ledger_place(where));
  options.must_exist = false;
  CV_TRY(Ledger ledger, Ledger::open(place, std::move(options)));
  CV_CHECK(engine::check_witnesses(ledger, place, request.name));
  return ledger.create(request);
}

Result<ReleaseHeld> held_against(const engine::ReleaseClaims& claims, Ledger& ledger) {
  const ledger::DebitId& id = claims.debit.id;
  CV_TRY(ledger::Verification covered, ledger.verify_against(claims.debit));
  if (!covered.holds()) return ReleaseHeld{std::move(covered.findings)};
  CV_TRY(const ledger::View view, ledger.view(id.dataset));
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(id.dataset));
  ReleaseHeld held;
  const auto contradict = [&](std::string what) {
    held.findings.push_back({id.dataset, id.sequence, std::move(what)});
  };
  const auto debit = std::find_if(debits.begin(), debits.end(),
                                  [&](const ledger::Debit& one) { return one.id.sequence == id.sequence; });
  if (debit == debits.end()) {
    contradict("this row is not a debit");
    return held;
  }
  engine::ClaimsHeld said = engine::held_against(claims, *debit, view.dataset);
  for (std::string& one : said.contradictions) contradict(std::move(one));
  held.tied = said.tied;
  return held;
}

Result<std::string> check_signature(std::string_view release_json, const ledger::PublicKey& key) {
  return report::check_release_signature(release_json, key);
}

void on_waiting(void (*notice)(std::string_view what)) { set_waiting_notice(notice); }

// In the environment, where the ledger looks for it, also after another program takes over.
void trust_clock() { ::setenv(ledger::kClockIsRight, "1", 1); }

}  // namespace chronoveil
