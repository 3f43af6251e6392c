// Texts as a TOML file writes them.
#pragma once

#include <string>
#include <string_view>

namespace chronoveil {

// A basic string: "a \"b\"\u000A".
inline std::string toml_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out.append({'\\', c});
    else if (c == '\t')
      out.append("\\t");
    else if (byte < 0x20 || byte == 0x7f)
      out.append("\\u00").append({kDigits[byte >> 4], kDigits[byte & 15]});
    else
      out.push_back(c);
  }
  return out + "\"";
}

}  // namespace chronoveil
