#include "chronoveil/bound/people/participation_keys.h"

#include <cstring>
#include <new>
#include <type_traits>

namespace chronoveil::bound {
namespace {

using Sip = std::array<unsigned char, crypto_shorthash_siphashx24_BYTES>;

template <std::size_t N>
Sip sip_of(const std::array<unsigned char, N>& bytes, const Sip& key) {
  static_assert(crypto_shorthash_siphashx24_KEYBYTES == sizeof(Sip));
  Sip hash;
  crypto_shorthash_siphashx24(hash.data(), bytes.data(), bytes.size(), key.data());
  return hash;
}

// One text after the other; under one key all have the same size.
template <class... Parts>
auto joined(const Parts&... parts) {
  static_assert((std::has_unique_object_representations_v<Parts> && ...));
  std::array<unsigned char, (sizeof(Parts) + ...)> bytes;
  unsigned char* at = bytes.data();
  ((std::memcpy(at, &parts, sizeof parts), at += sizeof parts), ...);
  return bytes;
}

std::int64_t wrapped(std::int64_t a, int sign, std::uint64_t b) {
  const auto sum = static_cast<std::uint64_t>(a);
  return static_cast<std::int64_t>(sign > 0 ? sum + b : sum - b);
}

}  // namespace

ParticipationKeys::ParticipationKeys(std::span<const unsigned char, kBytes> key,
                                     const std::optional<SealSecret>& secret)
    : secret_(secret) {
  static_assert(kBytes == 32);
  // Guarded, locked where the limits allow, left out of core dumps.
  if (sodium_init() < 0) throw std::bad_alloc();
  keys_.reset(static_cast<Keys*>(sodium_malloc(sizeof(Keys))));
  if (!keys_) throw std::bad_alloc();
  std::memcpy(keys_->name.data(), key.data(), key.size());
  // Longer than a name, so that no name has the same hash.
  const auto derive = [&](std::string_view label, void* to, std::size_t size) {
    std::array<unsigned char, 32> hash;
    crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(label.data()), label.size(),
                       keys_->name.data(), keys_->name.size());
    std::memcpy(to, hash.data(), size);
    sodium_memzero(hash.data(), hash.size());
  };
  derive("row", keys_->row.data(), keys_->row.size());
  derive("fingerprint", &keys_->fingerprint, sizeof keys_->fingerprint);
  if (!secret) {
    derive("share", keys_->share.data(), keys_->share.size());
    return;
  }
  static_assert(sizeof(SealSecret) >= crypto_generichash_KEYBYTES_MIN);
  crypto_generichash(keys_->share.data(), keys_->share.size(), keys_->name.data(), keys_->name.size(),
                     reinterpret_cast<const unsigned char*>(secret->data()), sizeof(SealSecret));
}

ParticipationSeal ParticipationKeys::empty_seal() const {
  ParticipationSeal seal;
  seal.key = keys_->fingerprint;
  seal.secret = secret_;
  return seal;
}

HashedName ParticipationKeys::name(std::string_view person) const {
  HashedName hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(person.data()), person.size(),
                     keys_->name.data(), keys_->name.size());
  return hash;
}

RowMac ParticipationKeys::mac(const PersonUses& row) const {
  return sip_of(joined(row.person, row.last_slot, row.before, row.after), keys_->row);
}

void ParticipationKeys::count(ParticipationSeal& seal, const HashedName& person, std::int64_t used, int sign) const {
  if (used == 0) return;
  const Sip hash = sip_of(joined(person, used), keys_->share);
  std::uint64_t halves[2];
  std::memcpy(halves, hash.data(), sizeof halves);
  seal.people += sign;
  seal.uses = wrapped(seal.uses, sign, static_cast<std::uint64_t>(used));
  seal.first = wrapped(seal.first, sign, halves[0]);
  seal.second = wrapped(seal.second, sign, halves[1]);
}

}  // namespace chronoveil::bound
