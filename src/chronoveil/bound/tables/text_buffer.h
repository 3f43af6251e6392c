// Copies of the texts of one batch, so that they outlive it. Short ones need no copy.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "chronoveil/bound/tables/string_table.h"

namespace chronoveil::bound {

class TextBuffer {
 public:
  // Forgets what was held and makes room for these texts: all at once, since views into the buffer must stay valid
  // while it fills.
  void make_room_for(const std::vector<std::string_view>& texts) {
    std::size_t bytes = 0;
    for (const std::string_view text : texts) bytes += text.size() > ShortText::kInside ? text.size() : 0;
    bytes_.resize(bytes);
    used_ = 0;
  }

  // One of those texts, each at most once. Valid until room is made for others.
  ShortText hold(std::string_view text) {
    if (text.size() <= ShortText::kInside) return ShortText(text);
    char* const at = bytes_.data() + used_;
    std::copy(text.begin(), text.end(), at);
    used_ += text.size();
    return ShortText({at, text.size()});
  }

 private:
  std::vector<char> bytes_;
  std::size_t used_ = 0;
};

}  // namespace chronoveil::bound
