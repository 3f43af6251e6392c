#include "chronoveil/mechanisms/series/filter_subsample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/subsampled/filter_kernel.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/circular_convolution.h"
#include "chronoveil/mechanisms/series/subsample.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {
namespace {

// What one person can change in one series at most, in steps.
std::int64_t participation_of(const PublicShape& shape) { return std::min(shape.changes(), shape.steps); }

// ⌊Y/2^50/g + ½⌋, limited to the noise's value limit, which cannot raise a difference.
std::int64_t rounded(WideSum scaled, int places) {
  const int shift = accounting::kFilterBits - places;
  if (shift > 0) {
    const WideSum index = (scaled + (WideSum{1} << (shift - 1))) >> shift;
    return static_cast<std::int64_t>(std::min(index, WideSum{noise::kValueLimit}));
  }
  if (shift < -61 || scaled > (WideSum{noise::kValueLimit} >> -shift)) return scaled == 0 ? 0 : noise::kValueLimit;
  return static_cast<std::int64_t>(scaled << -shift);
}

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, filter_subsample()));
  CV_TRY(Parameters parameters, resolved(request, filter_subsample()));
  CV_CHECK(check_resampling(parameters));
  const PublicShape& shape = request.shape;
  const double rate = number(parameters, "rate"), width = number(parameters, "filter_width");
  if (!(width > 0) || !std::isfinite(width))
    return invalid("mechanism.filter_width", width, "it must be a finite number greater than 0");
  if (shape.series > 1 && shape.changes() > shape.steps)
    return fail(ErrorKind::cannot_certify, "filter_subsample",
                "with several series, one neighbour may change at most as many steps as one series "
                "has (" +
                    std::to_string(shape.steps) + "), not " + std::to_string(shape.changes()) +
                    "; lower max_steps or use another mechanism");
  const accounting::Event open{accounting::TimeSubsampling{.participation = participation_of(shape),
                                                           .rate = rate,
                                                           .noise_multiplier = accounting::kToCalibrate,
                                                           .length = shape.steps,
                                                           .filter_width = width}};
  CV_CHECK(accounting::validate(open, true));
  CV_CHECK(check_use(open, request.delta));
  CV_TRY(SeriesPlan plan,
         calibrated(request, filter_subsample(), std::move(parameters), NoiseKind::gaussian, open, [&](double grid) {
           return static_cast<double>(shape.max_per_slot) * rounding_inflation(shape, width, grid);
         }));
  plan.measured = std::llround(rate * static_cast<double>(shape.series * shape.steps));
  return plan;
}

Result<Measurement> measure_filtered(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  return measure_kept(plan, filtered_indices(plan, counts), draws);
}

}  // namespace

double rounding_inflation(const PublicShape& shape, double filter_width, double grid) {
  if (grid <= std::ldexp(1.0, -accounting::kFilterBits)) return 1;
  const std::vector<std::int64_t> kernel = accounting::filter_kernel(shape.steps, filter_width);
  const accounting::FilterReach reach = accounting::filter_reach(kernel, participation_of(shape));
  const auto nonzero = static_cast<double>(kernel.size()) -
                       static_cast<double>(std::count(kernel.begin(), kernel.end(), std::int64_t{0}));
  const double can_differ = std::min(static_cast<double>(shape.series) * static_cast<double>(shape.steps),
                                     static_cast<double>(shape.changes()) * nonzero);
  const double step = grid / static_cast<double>(shape.max_per_slot);
  const double factor =
      std::max(1 + step / std::sqrt(reach.highest), 1 + step * std::sqrt(can_differ) / std::sqrt(reach.energy));
  // Rounding the reach up does no harm: r times it is what is priced. So only the roundings here remain.
  return factor * (1 + 16 * std::numeric_limits<double>::epsilon());
}

std::vector<std::int64_t> filtered_indices(const SeriesPlan& plan, std::span<const std::int64_t> counts) {
  const auto n = static_cast<std::size_t>(plan.shape.steps);
  const CircularConvolution filter(
      accounting::filter_kernel(plan.shape.steps, number(plan.parameters, "filter_width")));
  const int places = -std::ilogb(plan.grid);
  std::vector<std::int64_t> indices;
  indices.reserve(counts.size());
  std::vector<WideSum> sums(n);
  for (std::size_t start = 0; start < counts.size(); start += n) {
    filter.apply(counts.subspan(start, n), sums);
    for (const WideSum sum : sums) indices.push_back(rounded(sum, places));
  }
  return indices;
}

const SeriesMechanism& filter_subsample() {
  static const SeriesMechanism row{
      .name = "filter_subsample",
      .summary = "Gaussian noise on a random part of the steps of the smoothed series, interpolated",
      .units = {Unit::user},
      .needs_delta = true,
      .has_published = true,
      .keeps_steps = true,
      .parameters = {{"rate", "the probability that a step is kept", 0.1},
                     {"filter_width", "the standard deviation of the filter, in steps", 10.0},
                     {"interpolation", "linear, nearest, pchip or smooth", std::string("linear")}},
      .prepare = plan_of,
      .measure = measure_filtered,
      .reconstruct = reconstruct_kept,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
