#include "chronoveil/base/plain_text.h"

#include <algorithm>
#include <array>
#include <boost/locale/utf.hpp>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace chronoveil {
namespace {

// Outside ASCII, whose hostile characters are checked separately.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kHostile = {
    {{0x80, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x206f}}};

bool is_hostile(std::uint32_t point) {
  if (point < 0x80) return point < 0x20 || point == 0x7f;
  return std::any_of(kHostile.begin(), kHostile.end(),
                     [&](const auto& range) { return point >= range.first && point <= range.second; });
}

// Calls seen(point, bytes) for every character, and broken(byte) for every byte that belongs to none, until one of them
// says false.
template <class Seen, class Broken>
void for_each_character(std::string_view text, Seen seen, Broken broken) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const start = at;
    const auto point = Utf8::decode(at, end);
    if (point != boost::locale::utf::illegal && point != boost::locale::utf::incomplete) {
      if (!seen(point, std::string_view(start, static_cast<std::size_t>(at - start)))) return;
      continue;
    }
    at = start + 1;
    if (!broken(static_cast<unsigned char>(*start))) return;
  }
}

std::string escaped_point(std::uint32_t point) {
  if (point == '\n') return "\\n";
  if (point == '\t') return "\\t";
  if (point == '\r') return "\\r";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", point);
  return text.data();
}

std::string escaped_byte(unsigned char byte) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\x%02x", byte);
  return text.data();
}

std::string visible_but(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for_each_character(
      text,
      [&](std::uint32_t point, std::string_view bytes) {
        const bool stays = !is_hostile(point) || (point < 0x80 && kept.find(static_cast<char>(point)) != kept.npos);
        stays ? out.append(bytes) : out.append(escaped_point(point));
        return true;
      },
      [&](unsigned char byte) {
        out += escaped_byte(byte);
        return true;
      });
  return out;
}

}  // namespace

bool is_utf8(std::string_view text) {
  bool well_formed = true;
  for_each_character(
      text, [](std::uint32_t, std::string_view) { return true; }, [&](unsigned char) { return well_formed = false; });
  return well_formed;
}

bool is_plain_text(std::string_view text) { return check_plain_text("", text).has_value(); }

Result<void> check_plain_text(std::string_view parameter, std::string_view text, std::string_view which) {
  std::string wrong;
  std::size_t place = 0;
  for_each_character(
      text,
      [&](std::uint32_t point, std::string_view) {
        ++place;
        if (!is_hostile(point)) return true;
        std::array<char, 16> name{};
        std::snprintf(name.data(), name.size(), "U+%04X", point);
        wrong = name.data();
        return false;
      },
      [&](unsigned char) {
        ++place;
        wrong = "no UTF-8";
        return false;
      });
  if (wrong.empty()) return {};
  return fail(ErrorKind::usage, parameter,
              std::string(which) + (which.empty() ? "" : ": ") + "character " + std::to_string(place) + " is " + wrong +
                  "; it must be plain text in UTF-8, without control characters, line breaks or "
                  "marks that turn the direction of reading");
}

std::string visible(std::string_view text) { return visible_but(text, ""); }

std::string visible_lines(std::string_view text) { return visible_but(text, "\n\t"); }

}  // namespace chronoveil
