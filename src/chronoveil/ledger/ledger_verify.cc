#include <algorithm>

#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::ledger {

Result<Verification> Ledger::verify(const std::vector<std::string>& only, const std::optional<PublicKey>& signed_by) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(std::vector<std::string> names, inside_->names());
  for (const std::string& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return invalid("dataset", name, "one that was created; see budget list");
    }
  }
  Verification verification;
  for (const std::string& name : only.empty() ? names : only) {
    CV_TRY(const Stored stored, inside_->store->read(name, 0));
    verify_dataset(name, stored.rows, stored.seal, verification);
    if (verification.holds()) verify_signature(name, stored.seal, signed_by, verification);
    if (verification.holds() && inside_->anchor) {
      if (Result<Account*> anchored = inside_->catch_up(name, inside_->reader(name)); !anchored)
        verification.findings.push_back({name, 0, anchored.error().text()});
    }
  }
  return verification;
}

Result<void> Ledger::sign(const std::vector<std::string>& only) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::vector<std::string> names, inside_->names());
  std::vector<std::pair<std::string, Seal>> verified;
  for (const std::string& name : only.empty() ? names : only) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return invalid("dataset", name, "one that was created; see budget list");
    CV_TRY(const Stored stored, inside_->store->read(name, 0));
    Verification verification;
    verify_dataset(name, stored.rows, stored.seal, verification);
    // Only if the dataset is named may an invalid signature be replaced.
    if (only.empty() && verification.holds()) verify_signature(name, stored.seal, std::nullopt, verification);
    if (!verification.holds())
      return fail(ErrorKind::storage, "sign",
                  "dataset '" + name + "' does not hold: " + verification.findings.front().message);
    CV_CHECK(inside_->check_anchored(name, stored.rows));
    if (stored.seal) verified.emplace_back(name, *stored.seal);
  }
  if (inside_->key == nullptr)
    return fail(ErrorKind::usage, "CHRONOVEIL_KEY", "name the secret key to sign with; see chronoveil key create");
  for (const auto& [name, seal] : verified)
    CV_CHECK(inside_->store->sign(name, seal, sign_seal(*inside_->key, name, seal)));
  return {};
}

Result<Verification> Ledger::verify_against(const DebitReference& reference) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const Stored stored, inside_->store->read(reference.id.dataset, 0));
  Verification verification;
  verify_dataset(reference.id.dataset, stored.rows, stored.seal, verification);
  verify_reference(reference, stored.rows, verification);
  return verification;
}

}  // namespace chronoveil::ledger
