#include "chronoveil/report/page/guarantee_line.h"

#include <fmt/format.h>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/words.h"

namespace chronoveil::report {

std::string guarantee_line(const Guarantee& guarantee, const std::string& mark) {
  if (!mark.empty()) return mark;
  const std::string pair = guarantee.relation == Relation::swap
                               ? fmt::format(", values swapped within {} rows", grouped(guarantee.window))
                               : "";
  return fmt::format(
      "{} with ε\u00a0=\u00a0{}, δ\u00a0=\u00a0{}, unit {}{}",
      is_nominal(guarantee) ? "Not differential privacy: single outputs are bounded" : "Differential privacy",
      rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), unit_text(guarantee), pair);
}

}  // namespace chronoveil::report
