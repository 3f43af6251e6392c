#include "chronoveil/report/page/guarantee_line.h"

#include <fmt/format.h>

#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {

std::string guarantee_line(const Guarantee& guarantee, const std::string& mark) {
  if (!mark.empty()) return mark;
  return fmt::format("Differential privacy with ε\u00a0=\u00a0{}, δ\u00a0=\u00a0{}, unit {}",
                     rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), unit_text(guarantee));
}

}  // namespace chronoveil::report
