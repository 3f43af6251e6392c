#include "chronoveil/accounting/events/moves/threshold.h"

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

Result<void> Threshold::check(bool open) const {
  if (open && threshold == 0) return {};
  if (threshold < 1 || threshold >= window)
    return invalid("threshold", std::to_string(threshold),
                   "a whole number between 1 and window - 1 (" + std::to_string(window - 1) + ")");
  return {};
}

MadeLoss Threshold::loss() const {
  return fail(ErrorKind::cannot_certify, "threshold",
              "this mechanism has only a published analysis, which is for single outputs; --analysis published gives "
              "its number");
}

Result<Event> Threshold::for_replacement() const { return not_convertible(kName); }

std::vector<double> dispatch_probabilities(std::int64_t window, std::int64_t threshold) {
  const auto last = static_cast<std::size_t>(window - 1);  // the newest slot: always empty
  const auto empty = static_cast<std::size_t>(threshold);
  // after[x][e]: the weights of slots x..last, e of them empty.
  std::vector<std::vector<long double>> after(last + 1, std::vector<long double>(empty + 1, 0.0L));
  after[last][1] = 1;
  for (std::size_t x = last; x-- > 0;)
    for (std::size_t e = 1; e <= empty; ++e)
      after[x][e] = static_cast<long double>(e) * after[x + 1][e] + after[x + 1][e - 1];
  const long double total = after[0][empty];
  std::vector<double> probabilities(last + 1, 0.0);
  probabilities[0] = static_cast<double>(after[1][empty - 1] / total);
  // before[e]: the weights of slots 0..x-1, the first of them filled, when e of the slots from x on are empty.
  std::vector<long double> before(empty + 1, 0.0L);
  before[empty] = static_cast<long double>(empty);
  for (std::size_t x = 1; x <= last; ++x) {
    long double here = x == last ? before[1] : 0;
    for (std::size_t e = 1; x < last && e < empty; ++e) here += before[e + 1] * after[x + 1][e];
    probabilities[x] = static_cast<double>(here / total / static_cast<long double>(empty));
    for (std::size_t e = 1; e <= empty; ++e)
      before[e] = static_cast<long double>(e) * before[e] + (e < empty ? before[e + 1] : 0);
  }
  return probabilities;
}

}  // namespace chronoveil::accounting
