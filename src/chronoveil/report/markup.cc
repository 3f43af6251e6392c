#include "chronoveil/report/markup.h"

#include <fmt/format.h>

namespace chronoveil::report {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': out += ' '; break;
      case '\x7f': break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
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
