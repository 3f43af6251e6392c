// Ed25519 keys of a ledger's owner, and what they sign: the seals of its datasets, and releases. Somebody who can write
// the database, and so forge chain and seal, still cannot sign.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "chronoveil/base/result.h"
#include "chronoveil/ledger/proof/seal.h"

namespace chronoveil::ledger {

class PublicKey {
 public:
  // NAME.pub: "chronoveil-public-key-1" and 64 hexadecimal digits, on one line each.
  static Result<PublicKey> read(const std::string& path);
  static Result<PublicKey> parse(std::string_view digits);

  const std::string& text() const { return digits_; }  // 64 hexadecimal digits
  // `signature`: 128 hexadecimal digits. False for anything that is no signature of this text by this key.
  bool has_signed(std::string_view text, std::string_view signature) const;

  bool operator==(const PublicKey&) const = default;

 private:
  explicit PublicKey(std::string digits) : digits_(std::move(digits)) {}
  friend class SecretKey;
  std::string digits_;
};

class SecretKey {
 public:
  // NAME.key: "chronoveil-secret-key-1" and the 64 hexadecimal digits of the seed, on one line each. Refused: a file
  // that others than its owner can read or write.
  static Result<SecretKey> read(const std::string& path);
  // The key at a path, read once per process; null if the path is empty.
  static Result<const SecretKey*> at(const std::string& path);
  // The key that the variable CHRONOVEIL_KEY names; null if it is not set.
  static Result<const SecretKey*> of_environment();
  SecretKey(SecretKey&&) noexcept;
  SecretKey& operator=(SecretKey&&) = delete;
  ~SecretKey();  // leaves zeros in memory

  const PublicKey& public_key() const { return public_; }
  std::string sign(std::string_view text) const;

 private:
  SecretKey() : public_("") {}
  std::array<unsigned char, 64> secret_{};
  PublicKey public_;
};

// Writes NAME.key (mode 0600) and NAME.pub. Refused if either exists.
Result<PublicKey> create_key(const std::string& name);

// The text that a seal's signature signs: the lines "chronoveil-seal-1", the dataset, the length, the head, and the
// SHA-256 of the sums.
std::string signed_text(const std::string& dataset, const Seal&);
// KEY:SIGNATURE, as a seal keeps it.
std::string sign_seal(const SecretKey&, const std::string& dataset, const Seal&);
// The key that signed a seal; empty if it is unsigned. An error if the signature is invalid or of another seal.
Result<std::optional<PublicKey>> signer_of(const std::string& dataset, const Seal&);

}  // namespace chronoveil::ledger
