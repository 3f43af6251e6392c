#include "chronoveil/ledger/room.h"

#include <fmt/format.h>

#include <cmath>

namespace chronoveil::ledger {

std::string count_text(const Room& room) {
  return room.more > kMostCounted ? fmt::format("more than {},{:03}", kMostCounted / 1000, kMostCounted % 1000)
                                  : std::to_string(room.more);
}

std::string share_text(double share) {
  if (share > 10) return "more than 10 times the whole";
  const double tenths = std::ceil(1000 * share * (1 - 1e-12));  // 8.3 % is 8.3 %, whatever its last bit says
  return fmt::format("{:.1f} %", tenths / 10);
}

std::string text(const Lack& lack) {
  return fmt::format("takes {} of the {}; {:.1f} % is left", share_text(lack.asked),
                     lack.of_delta ? "δ for such events" : "budget", std::floor(1000 * lack.left) / 10);
}

std::string text(const Room& room) {
  std::string all = "this job " + (room.lack ? "does not fit: it " + text(*room.lack)
                                             : fmt::format("takes {} of the budget, and {} like it would fit",
                                                           share_text(room.share), count_text(room)));
  if (room.thriftier)
    all += fmt::format("; nothing was debited yet: deleted and created anew with --filter {}, it would take {}",
                       name(room.thriftier->first), share_text(room.thriftier->second));
  return all;
}

std::string text(const LikeLast& like) {
  std::string what = like.last.text();
  if (like.epsilon) {
    what += fmt::format(" (ε = {:.3g}", *like.epsilon);
    if (like.delta > 0) what += fmt::format(", δ = {:.3g}", like.delta);
    what += ")";
  }
  if (like.room.more == 0) return "no room for another release like the last one, " + what;
  return fmt::format("room for {} more {} like the last one, {}", count_text(like.room),
                     like.room.more == 1 ? "release" : "releases", what);
}

}  // namespace chronoveil::ledger
