#include "chronoveil/bound/participation_keys.h"

#include <cstring>
#include <new>
#include <type_traits>

namespace chronoveil::bound {
namespace {

template <std::size_t N>
std::array<unsigned char, N> hashed(std::string_view bytes, const std::array<unsigned char, 32>& key) {
  std::array<unsigned char, N> hash;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     key.data(), key.size());
  return hash;
}

// One text after the other; all are of one size under one key.
template <class... Parts>
auto joined(const Parts&... parts) {
  static_assert((std::has_unique_object_representations_v<Parts> && ...));
  std::array<char, (sizeof(Parts) + ...)> bytes;
  char* at = bytes.data();
  ((std::memcpy(at, &parts, sizeof parts), at += sizeof parts), ...);
  return bytes;
}

std::int64_t wrapped(std::int64_t a, int sign, std::uint64_t b) {
  const auto sum = static_cast<std::uint64_t>(a);
  return static_cast<std::int64_t>(sign > 0 ? sum + b : sum - b);
}

}  // namespace

ParticipationKeys::ParticipationKeys(std::span<const unsigned char, kBytes> key) {
  static_assert(kBytes == 32);
  // Guarded, locked where the limits allow, left out of core dumps.
  if (sodium_init() < 0) throw std::bad_alloc();
  keys_.reset(static_cast<Keys*>(sodium_malloc(sizeof(Keys))));
  if (!keys_) throw std::bad_alloc();
  std::memcpy(keys_->name.data(), key.data(), key.size());
  keys_->row = hashed<kBytes>("row", keys_->name);
  keys_->share = hashed<kBytes>("share", keys_->name);
}

std::int64_t ParticipationKeys::fingerprint() const {
  // Rows are longer.
  const auto hash = hashed<16>("fingerprint", keys_->row);
  std::int64_t number = 0;
  std::memcpy(&number, hash.data(), sizeof number);
  return number;
}

HashedName ParticipationKeys::name(std::string_view person) const { return hashed<16>(person, keys_->name); }

RowMac ParticipationKeys::mac(const PersonUses& row) const {
  const auto bytes = joined(row.person, row.last_slot, row.before, row.after);
  return hashed<16>({bytes.data(), bytes.size()}, keys_->row);
}

void ParticipationKeys::count(ParticipationSeal& seal, const HashedName& person, std::int64_t used, int sign) const {
  if (used == 0) return;
  const auto bytes = joined(person, used);
  const auto hash = hashed<16>({bytes.data(), bytes.size()}, keys_->share);
  std::uint64_t halves[2];
  std::memcpy(halves, hash.data(), sizeof halves);
  seal.people += sign;
  seal.uses = wrapped(seal.uses, sign, static_cast<std::uint64_t>(used));
  seal.first = wrapped(seal.first, sign, halves[0]);
  seal.second = wrapped(seal.second, sign, halves[1]);
}

}  // namespace chronoveil::bound
