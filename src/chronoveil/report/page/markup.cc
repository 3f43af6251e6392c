#include "chronoveil/report/page/markup.h"

#include <fmt/format.h>

#include "chronoveil/base/plain_text.h"

namespace chronoveil::report {

std::string escaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (const char c : text) {
    if (c == '\t' || c == '\n' || c == '\r')
      plain += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f')
      plain += c;
  }
  std::string out;
  out.reserve(plain.size());
  for (const char c : visible(plain)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string url_of(std::string_view file) {
  std::string out = "./";  // a name with a colon is no scheme
  for (const char c : file) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string tick_labels(std::span<const Tick> ticks) {
  std::string out;
  for (const Tick& tick : ticks)
    out += fmt::format("<i class=\"x{}{}\" style=\"left:{:.2f}%\">{}</i>", tick.major ? "" : " minor",
                       tick.at < 0.04   ? " first"
                       : tick.at > 0.93 ? " last"
                                        : "",
                       tick.at * 100, escaped(tick.text));
  return out;
}

}  // namespace chronoveil::report
