#include "chronoveil/ledger/proof/entry.h"

#include <sodium.h>

#include <array>

namespace chronoveil::ledger {

std::string sha256_hex(const std::string& text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char, 2 * crypto_hash_sha256_BYTES + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), digest.data(), digest.size());
  return hex.data();
}

std::string hash_of(const Entry& entry) {
  std::string text = "chronoveil-ledger-1";
  const std::string sequence = std::to_string(entry.sequence);
  for (const std::string* field :
       {&entry.previous, &entry.dataset, &sequence, &entry.recorded_at, &entry.recorded_by, &entry.kind, &entry.body}) {
    text += '\n';
    text += *field;
  }
  return sha256_hex(text);
}

Entry linked(Entry entry, std::int64_t sequence, const std::string& previous) {
  entry.sequence = sequence;
  entry.previous = previous;
  entry.hash = hash_of(entry);
  return entry;
}

Result<void> check_link(const Entry& entry, std::int64_t sequence, const std::string& previous) {
  const auto broken = [&](const std::string& what) {
    return fail(ErrorKind::storage, "ledger",
                "row " + std::to_string(sequence) + " of dataset '" + entry.dataset + "' " + what);
  };
  if (entry.sequence != sequence) return broken("is missing");
  for (const std::string* field :
       {&entry.previous, &entry.dataset, &entry.recorded_at, &entry.recorded_by, &entry.kind, &entry.body}) {
    if (field->find('\n') != std::string::npos) return broken("has a line feed inside a field");
  }
  if (entry.previous != previous) return broken("does not follow the row before it");
  if (entry.hash != hash_of(entry)) return broken("does not match its hash: it was changed after it was written");
  return {};
}

}  // namespace chronoveil::ledger
