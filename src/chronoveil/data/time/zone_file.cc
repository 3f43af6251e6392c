#include "chronoveil/data/time/zone_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {
namespace {

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = (static_cast<std::uint8_t>(bytes[0]) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = value << 8U | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(value);
}

// "TZif", the version, 15 bytes of nothing, and how many there are of what follows.
struct Header {
  static constexpr std::size_t kSize = 44;
  std::size_t universal, standard, leaps, changes, kinds, letters;

  static std::optional<Header> parse(std::string_view bytes) {
    if (bytes.size() < kSize || !bytes.starts_with("TZif") || bytes[4] < '2') return std::nullopt;
    std::size_t counts[6];
    for (std::size_t i = 0; i < 6; ++i)
      counts[i] = static_cast<std::size_t>(big_endian(bytes.substr(20 + 4 * i, 4)) & 0xffffffff);
    return Header{counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  }
  // What follows: times of `width` bytes, their kinds, the kinds, names, leap seconds, indicators.
  std::size_t size(std::size_t width) const {
    return kSize + changes * (width + 1) + kinds * 6 + letters + leaps * (width + 4) + standard + universal;
  }
};

}  // namespace

std::optional<ZoneFile> ZoneFile::parse(std::string_view bytes) {
  // First all of it with times of four bytes, for those who can read no more, then again with eight.
  const std::optional<Header> narrow = Header::parse(bytes);
  if (!narrow || bytes.size() < narrow->size(4)) return std::nullopt;
  bytes.remove_prefix(narrow->size(4));
  const std::optional<Header> header = Header::parse(bytes);
  if (!header || bytes.size() < header->size(8) || header->kinds == 0 || header->leaps != 0) return std::nullopt;

  const std::string_view times = bytes.substr(Header::kSize);
  const std::string_view indices = times.substr(8 * header->changes);
  const std::string_view kinds = indices.substr(header->changes);
  const auto offset_of = [&](std::size_t kind) { return big_endian(kinds.substr(6 * kind, 4)) * kSecond; };

  ZoneFile file;
  file.changes.push_back({-kForever, offset_of(0)});
  for (std::size_t i = 0; i < header->changes; ++i) {
    const auto kind = static_cast<std::size_t>(static_cast<std::uint8_t>(indices[i]));
    if (kind >= header->kinds) return std::nullopt;
    const std::int64_t at = big_endian(times.substr(8 * i, 8));
    if (at < kFirstInstant / kSecond) {
      file.changes.front().offset = offset_of(kind);
    } else {
      file.changes.push_back({std::min(at, kLastInstant / kSecond) * kSecond, offset_of(kind)});
    }
  }
  const std::string_view rest = bytes.substr(header->size(8));
  if (!rest.starts_with('\n')) return std::nullopt;
  file.rule = rest.substr(1, rest.find('\n', 1) - 1);
  return file;
}

}  // namespace chronoveil::data
