// Under which digest a ledger knows a job.
#include <algorithm>
#include <utility>

#include "chronoveil/data/time/usual_formats.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kTimeFormat = "source.time_format";

// Of the same job with other usual formats of time.
std::vector<std::string> digests_of_other_formats(const Facts& facts) {
  std::vector<std::string> digests;
  Facts other = facts;
  const auto format =
      std::find_if(other.begin(), other.end(), [](const auto& fact) { return fact.first == kTimeFormat; });
  if (format == other.end()) return digests;
  for (std::string& usual : data::all_usual_formats()) {
    format->second = std::move(usual);
    digests.push_back(digest_of(other));
  }
  return digests;
}

// Of debits that may be of the same job, by what is cheap to compare; the latest first.
std::vector<std::string> digests_alike(const std::vector<ledger::Debit>& debits, const Claim& claim) {
  std::vector<std::string> digests;
  for (auto debit = debits.rbegin(); debit != debits.rend(); ++debit) {
    const bool alike =
        claim.purpose.empty() ? debit->terms.purpose.ends_with(claim.span) : debit->terms.purpose == claim.purpose;
    if (alike && !debit->terms.job.empty()) digests.push_back(debit->terms.job);
    for (const ledger::Slot& slot : debit->slots)
      if (!slot.job.empty()) digests.push_back(slot.job);
  }
  return digests;
}

}  // namespace

Result<Claim> as_known(OpenBudget& budget, Claim claim) {
  if (claim.facts.empty() || claim.digest != digest_of(claim.facts)) return claim;
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(claim.dataset));
  const std::vector<std::string> alike = digests_alike(debits, claim);
  if (alike.empty() || std::find(alike.begin(), alike.end(), claim.digest) != alike.end()) return claim;
  const std::vector<std::string> others = digests_of_other_formats(claim.facts);
  const auto known = std::find_first_of(alike.begin(), alike.end(), others.begin(), others.end());
  if (known != alike.end()) claim.digest = *known;
  return claim;
}

}  // namespace chronoveil::engine
