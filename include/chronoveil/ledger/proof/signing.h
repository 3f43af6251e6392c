// Ed25519 keys of whoever owns a ledger, and what they sign: the seals of its datasets, and releases. Whoever can write
// the database, and even make chain and seal anew, cannot sign.
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
  // NAME.pub: "chronoveil-public-key-1" and 64 hexadecimal digits, a line each.
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
  // NAME.key: "chronoveil-secret-key-1" and the 64 hexadecimal digits of the seed, a line each. Refused: a file that
  // others than its owner can read or write.
  static Result<SecretKey> read(const std::string& path);
  // The one at a path, read once in a process; nothing where the path is empty.
  static Result<const SecretKey*> at(const std::string& path);
  // The one that the variable CHRONOVEIL_KEY names; nothing where it is not set.
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

// Writes NAME.key (mode 0600) and NAME.pub. Refused where either is there already.
Result<PublicKey> create_key(const std::string& name);

// What a signature of a seal is over: the lines "chronoveil-seal-1", the dataset, the length, the head, and the SHA-256
// of the sums.
std::string signed_text(const std::string& dataset, const Seal&);
// KEY:SIGNATURE, as a seal keeps it.
std::string sign_seal(const SecretKey&, const std::string& dataset, const Seal&);
// The key that a seal is signed by; an error where the signature is none, or not of this seal. Nothing when unsigned.
Result<std::optional<PublicKey>> signer_of(const std::string& dataset, const Seal&);

}  // namespace chronoveil::ledger
