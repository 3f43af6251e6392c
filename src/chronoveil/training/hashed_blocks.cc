#include "chronoveil/training/hashed_blocks.h"

#include <sodium.h>

#include <bit>
#include <cstdint>
#include <cstring>

namespace chronoveil::training {
namespace {

constexpr std::size_t kHashBytes = 32;
static_assert(std::endian::native == std::endian::little, "lengths are little-endian");

std::string hash_of(std::string_view bytes) {
  std::string hash(kHashBytes, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return hash;
}

}  // namespace

std::string sealed(std::string_view magic, const std::vector<std::string_view>& blocks) {
  std::string bytes(magic);
  for (const std::string_view block : blocks) {
    const std::uint64_t length = block.size();
    char text[sizeof length];
    std::memcpy(text, &length, sizeof length);
    bytes.append(text, sizeof length).append(block);
  }
  return bytes + hash_of(bytes);
}

std::optional<std::vector<std::string_view>> unsealed(std::string_view magic, std::size_t count,
                                                      std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + kHashBytes) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - kHashBytes);
  if (hash_of(body) != bytes.substr(body.size())) return std::nullopt;
  std::string_view rest = body.substr(magic.size());
  std::vector<std::string_view> blocks;
  while (blocks.size() < count) {
    std::uint64_t length = 0;
    if (rest.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, rest.data(), sizeof length);
    rest.remove_prefix(sizeof length);
    if (length > rest.size()) return std::nullopt;
    blocks.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (!rest.empty()) return std::nullopt;
  return blocks;
}

}  // namespace chronoveil::training
