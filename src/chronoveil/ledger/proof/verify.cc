#include "chronoveil/ledger/proof/verify.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "chronoveil/ledger/proof/known_defects.h"

namespace chronoveil::ledger {
namespace {

constexpr double kOtherMachine = 1e-9;

bool no_less(Amount stored, Amount again) { return stored.value() >= again.value() * (1 - kOtherMachine); }

bool no_less(const Cost& stored, const Cost& again) {
  if (stored.values.size() != again.values.size()) return false;
  for (std::size_t i = 0; i < stored.values.size(); ++i) {
    if (!no_less(stored.values[i], again.values[i])) return false;
  }
  return no_less(stored.delta, again.delta);
}

// The first amount that is too small, and what it must be.
std::string difference(const Cost& stored, const Cost& again) {
  const auto told = [](Amount less, Amount more) {
    return ": " + rounded(less.value()) + " instead of " + rounded(more.value());
  };
  for (std::size_t i = 0; i < std::min(stored.values.size(), again.values.size()); ++i)
    if (!no_less(stored.values[i], again.values[i])) return told(stored.values[i], again.values[i]);
  return no_less(stored.delta, again.delta) ? "" : ", in δ" + told(stored.delta, again.delta);
}

class DatasetVerifier {
 public:
  Result<void> take(const Entry& entry) {
    const bool debit = entry.kind == "debit" && account_.exists();
    mispriced.reset();
    // The chain comes first: pricing a row that was tampered with proves nothing.
    CV_CHECK(check_link(entry, account_.next_sequence(), account_.head()));
    if (debit) CV_CHECK(check_debit(entry));
    if (entry.kind == "slot") CV_CHECK(check_slot(entry));
    CV_CHECK(account_.apply(entry));
    if (entry.kind == "create") CV_CHECK(check_budget());
    if (debit) ++debits;
    return {};
  }

  Seal seal() const { return account_.seal(); }

  std::int64_t debits = 0;
  std::vector<Affected> affected;
  std::optional<std::string> mispriced;  // of the last row

 private:
  Result<void> check_budget() const {
    const Dataset& dataset = account_.dataset();
    DatasetRequest request{dataset.name,        dataset.promise, dataset.epsilon,  dataset.delta,
                           dataset.filter.kind, dataset.renews,  dataset.partition};
    CV_TRY(Dataset again, make_dataset(request));
    if (dataset.filter.kind == FilterKind::united) {
      // The dataset chooses the members and their shares of δ; here it is checked that none gets more.
      CV_TRY(const Epsilon epsilon, Epsilon::make(dataset.epsilon));
      CV_TRY(const Delta delta, Delta::make(dataset.delta));
      CV_TRY(again.filter,
             make_union(epsilon, delta, dataset.filter.orders, dataset.filter.shares, dataset.filter.reserves));
    }
    if (again.filter.orders != dataset.filter.orders || !no_less(again.filter.budget, dataset.filter.budget)) {
      return fail(ErrorKind::storage, "the stored budget is larger than its total implies");
    }
    return {};
  }

  Result<void> check_debit(const Entry& entry) {
    CV_TRY(const DebitBody debit, debit_from_body(entry.body));
    CV_TRY(const std::vector<accounting::Event> events, debit.parsed_events());
    Terms terms = debit.terms;
    terms.dataset = entry.dataset;
    const accounting::Event event = composed(events);
    for (const KnownDefect* defect : defects_of(account_.dataset(), debit, event))
      affected.push_back(
          {{entry.dataset, entry.sequence, std::nullopt}, std::string(defect->id), std::string(defect->summary)});
    if (debit.has_slots) reserved_[entry.sequence] = {terms, events};
    const std::string period = account_.period_at(entry.recorded_at);
    if (debit.takes_all) {
      CV_TRY(const bool alone, fills_at_most_all(account_.dataset(), terms, event, kOtherMachine));
      if (!alone || debit.cost != account_.dataset().filter.budget)
        return fail(ErrorKind::storage, "a debit was charged the whole budget, but its own price is not within it");
      return check_admitted(period, terms.part, debit.cost);
    }
    const std::string key =
        accounting::to_text(event) + describe(terms.stated) + (terms.delta ? shortest(*terms.delta) : std::string());
    auto priced = prices_.find(key);
    if (priced == prices_.end()) {
      priced = prices_.emplace(key, price(account_.dataset(), terms, event)).first;
    }
    if (!priced->second) {
      mispriced = "its event cannot be priced again: " + priced->second.error().text();
    } else if (!no_less(debit.cost, *priced->second)) {
      mispriced = "the stored cost is less than what its event costs when priced again" +
                  difference(debit.cost, *priced->second);
    }
    return check_admitted(period, terms.part, debit.cost);
  }

  // A debit that no longer fits because an early default is now read more safely is a finding; later rows are still
  // read.
  Result<void> check_admitted(const std::string& period, const std::optional<std::string>& part, const Cost& cost) {
    Result<void> fits = account_.admit(period, part, cost);
    const auto& partition = account_.dataset().partition;
    if (fits || !partition || !partition->widened) return fits;
    mispriced = (mispriced ? *mispriced + "; " : "") + fits.error().text();
    return {};
  }

  Result<void> check_slot(const Entry& entry) {
    CV_TRY(const SlotBody slot, slot_from_body(entry.body));
    CV_TRY(const accounting::Event event, accounting::event_from_json(slot.event));
    const auto reserved = reserved_.find(slot.debit);
    const bool there = reserved != reserved_.end() && slot.slot >= 0 &&
                       slot.slot < static_cast<std::int64_t>(reserved->second.slots.size());
    if (!there || !ledger::check_slot(account_.dataset(), reserved->second.terms, event,
                                      reserved->second.slots[static_cast<std::size_t>(slot.slot)])) {
      return fail(ErrorKind::storage, "an event ran in a slot that does not dominate it");
    }
    if (slot.uses &&
        accounting::to_text(event) != accounting::to_text(reserved->second.slots[static_cast<std::size_t>(slot.slot)]))
      return fail(ErrorKind::storage, "a run took a slot that was reserved for another event");
    return {};
  }

  static std::string describe(const Stated& stated) {
    return std::string(" ") + (stated.unit ? std::string(name(*stated.unit)) : "") + " " +
           (stated.width ? std::to_string(*stated.width) : "") + " " +
           (stated.relation ? std::string(name(*stated.relation)) : "") + " " +
           std::to_string(static_cast<int>(stated.eviction)) + " ";
  }

  Account account_;
  std::map<std::string, Result<Cost>> prices_;  // events repeat: each is priced once
  struct Reserved {
    Terms terms;
    std::vector<accounting::Event> slots;
  };
  std::map<std::int64_t, Reserved> reserved_;
};

}  // namespace

void verify_dataset(const std::string& dataset, const std::vector<Entry>& entries, const std::optional<Seal>& seal,
                    Verification& verification) {
  DatasetVerifier verifier;
  bool whole = true;
  ++verification.datasets;
  for (const Entry& entry : entries) {
    if (Result<void> done = verifier.take(entry); !done) {
      verification.findings.push_back({dataset, entry.sequence, done.error().text()});
      whole = false;
      break;
    }
    if (verifier.mispriced) verification.findings.push_back({dataset, entry.sequence, *verifier.mispriced});
    ++verification.rows;
  }
  if (whole) {
    if (Result<void> fits = check_seal(dataset, verifier.seal(), seal); !fits)
      verification.findings.push_back({dataset, verifier.seal().length - 1, fits.error().text()});
  }
  verification.debits += verifier.debits;
  std::move(verifier.affected.begin(), verifier.affected.end(), std::back_inserter(verification.affected));
}

void verify_signature(const std::string& dataset, const std::optional<Seal>& seal,
                      const std::optional<PublicKey>& signed_by, Verification& verification) {
  if (!seal) return;
  const Result<std::optional<PublicKey>> signer = signer_of(dataset, *seal);
  std::string wrong;
  if (!signer) wrong = signer.error().text();
  if (signer && signed_by && !*signer) wrong = "its seal is not signed";
  if (signer && signed_by && *signer && **signer != *signed_by) wrong = "its seal is signed by another key";
  if (!wrong.empty()) verification.findings.push_back({dataset, seal->length - 1, wrong});
}

void verify_reference(const DebitReference& reference, const std::vector<Entry>& entries, Verification& verification) {
  for (const Entry& entry : entries) {
    if (entry.hash != reference.chain_head) continue;
    bool covers = entry.kind == "debit" && !reference.id.slot && entry.sequence == reference.id.sequence;
    if (entry.kind == "slot" && reference.id.slot) {
      const Result<SlotBody> slot = slot_from_body(entry.body);
      covers = slot && slot->debit == reference.id.sequence && slot->slot == *reference.id.slot;
    }
    if (covers) return;
  }
  verification.findings.push_back({reference.id.dataset, reference.id.sequence,
                                   "the release refers to a row that is not there: the ledger lost its last rows, was "
                                   "replaced, or is another one"});
}

}  // namespace chronoveil::ledger
