// The secrets of a participation file, and what is computed under them, 128 bits each. They lie in memory that is wiped
// after use, and, if the system lets us lock it, neither swapped out nor dumped.
//   name      what a person is called in the file: keyed BLAKE2b, under the key in the file; the other keys are made
//             from that one
//   mac       of a row, so that a change is seen when it is read: SipHash-2-4
//   share     what a person and that person's uses add to the sum over all, so that missing, old or foreign rows make
//             another sum: SipHash-2-4. Somebody who has used nothing adds nothing
// The key of the shares is made from the key in the file and from the secret of the seal, which is random and is kept
// with the seal, never in the file. If it were in the file, anybody who can write the file could look for other rows
// whose shares add up to the same sum: with a thousand rows to choose from that takes seconds (Wagner, A generalized
// birthday problem, 2002), although a sum has 128 bits. Without the key no share is known, and any set of other rows,
// or of rows under another key of names, has the expected sum with probability 2^-128, whatever the attacker has seen
// of the file.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace chronoveil::bound {

using HashedName = std::array<unsigned char, 16>;
using RowMac = std::array<unsigned char, 16>;

// What one person has used: before the last slot that anything was added for, and after it.
struct PersonUses {
  HashedName person{};
  std::int64_t last_slot = -1;
  std::int64_t before = 0;
  std::int64_t after = 0;

  // Before slot `step`, which must not be before the last one.
  std::int64_t used_before(std::int64_t step) const { return last_slot == step ? before : after; }
};

using SealSecret = std::array<std::int64_t, 2>;

// Sums up a file, and is kept outside of it. Two files with the same seal limit everybody alike.
struct ParticipationSeal {
  std::int64_t key = 0;                // a fingerprint
  std::int64_t people = 0;             // who have used something
  std::int64_t uses = 0;               // of all of them
  std::int64_t first = 0, second = 0;  // the sum of all shares
  // Makes the shares, together with the key in the file; absent in seals of versions without secrets. It reveals
  // nobody's name.
  std::optional<SealSecret> secret = std::nullopt;

  friend bool operator==(const ParticipationSeal&, const ParticipationSeal&) = default;
};

class ParticipationKeys {
 public:
  static constexpr std::size_t kBytes = crypto_generichash_KEYBYTES;

  ParticipationKeys(std::span<const unsigned char, kBytes> key, const std::optional<SealSecret>& secret);

  // The seal of a file in which nobody has used anything.
  ParticipationSeal empty_seal() const;
  HashedName name(std::string_view person) const;
  RowMac mac(const PersonUses& row) const;
  void add(ParticipationSeal& seal, const HashedName& person, std::int64_t used) const { count(seal, person, used, 1); }
  void take(ParticipationSeal& seal, const HashedName& person, std::int64_t used) const {
    count(seal, person, used, -1);
  }

 private:
  struct Keys {
    std::array<unsigned char, kBytes> name;
    std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES> row, share;
    std::int64_t fingerprint;
  };
  struct Free {
    void operator()(Keys* keys) const { sodium_free(keys); }
  };

  void count(ParticipationSeal&, const HashedName& person, std::int64_t used, int sign) const;

  std::unique_ptr<Keys, Free> keys_;
  std::optional<SealSecret> secret_;
};

}  // namespace chronoveil::bound
