// The file of one zone of a time-zone database (TZif, RFC 8536), which systems have below /usr/share/zoneinfo.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/data/time/zone_rule.h"

namespace chronoveil::data {

// Far beyond every accepted time, near enough that adding an offset or a margin cannot overflow.
inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max() / 4;

struct ZoneFile {
  std::vector<OffsetChange> changes;  // those that are listed; the first is at the beginning of time
  std::string rule;                   // for all later times (zone_rule.h)

  // By the name of the zone, in the system's folder or the one beside it (zone_folder.h); empty if it is not there.
  static std::optional<ZoneFile> find(const std::string& name);
  // Empty if the bytes are no such file, or one that counts leap seconds.
  static std::optional<ZoneFile> parse(std::string_view bytes);
};

}  // namespace chronoveil::data
