#include "chronoveil/accounting/events/chance_of_use.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/sampled.h"
#include "chronoveil/accounting/events/structured_subsampling.h"

namespace chronoveil::accounting {
namespace {

// 1 − (1 − p)^n without cancellation, for p in [0, 1] and n >= 1.
double at_least_once(double p, double n) { return -std::expm1(n * std::log1p(-p)); }

double chance_in_one(const StructuredSubsampling& e) {
  double most = 0;
  for (const std::int64_t length : e.length) {
    const auto windows = static_cast<double>(windows_of(e, length)),
               touched = static_cast<double>(touched_windows(e, length));
    const auto drawn = static_cast<double>(e.windows_per_series);
    const double of_series = e.bottom_level == StructuredSubsampling::Bottom::poisson
                                 ? at_least_once(std::min(1.0, drawn / windows), touched)
                                 : at_least_once(touched / windows, drawn);
    most = std::max(most, of_series);
  }
  return series_rate(e) * most;
}

}  // namespace

double chance_of_use(const Event& event) {
  const auto count = static_cast<double>(event.count);
  if (const auto* steps = std::get_if<TimeSubsampling>(&event.kind))
    return at_least_once(steps->rate, static_cast<double>(steps->participation) * count);
  if (const auto* windows = std::get_if<StructuredSubsampling>(&event.kind))
    return at_least_once(chance_in_one(*windows), count);
  return at_least_once(sampled_share(event), count);  // 1 where nothing is sampled
}

bool delta_covers_use(const Event& event, double delta) { return !(chance_of_use(event) * (1 - 1e-12) > delta); }

}  // namespace chronoveil::accounting
