#include "chronoveil/forecasting/sign_lags/release.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/base/rounded_up.h"
#include "chronoveil/forecasting/sign_lags/sensitivity.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::forecasting {
namespace {

Result<void> check_counts(const SignProducts& products) {
  if (std::any_of(products.counts().begin(), products.counts().end(), [](std::int64_t count) { return count > 0; }))
    return {};
  return fail(ErrorKind::bad_data, "no series is longer than the shortest season, " +
                                       std::to_string(products.config().seasons.front()) +
                                       " steps: there is nothing to learn from");
}

}  // namespace

Result<double> sign_noise(const SignLagsConfig& config, double noise_multiplier, std::int64_t protected_values) {
  if (!(noise_multiplier > 0 && noise_multiplier <= std::numeric_limits<double>::max()))
    return invalid("noise_multiplier", noise_multiplier, "a finite number greater than 0");
  CV_TRY(const double delta, sensitivity(config, protected_values));
  if (!(noise_multiplier < noise::kLargestScale && product_up(noise_multiplier, delta) <= noise::kLargestScale))
    return invalid("noise_multiplier", noise_multiplier,
                   "less: its noise, times the sensitivity " + shortest(delta) + ", would be beyond 2^40");
  return std::max(product_up(noise_multiplier, delta), noise::kSmallestScale);
}

Result<SignRelease> release(const SignProducts& products, double noise_multiplier, std::int64_t protected_values,
                            DrawRight& right) {
  CV_CHECK(check_counts(products));
  CV_TRY(const double scale, sign_noise(products.config(), noise_multiplier, protected_values));
  CV_TRY(const noise::Sampler sampler, noise::Sampler::make(noise::Law::rounded_gaussian, scale));
  CV_TRY(BitSource* const bits, right.bits());
  std::vector<std::int64_t> noisy(products.products().size());
  sampler.fill(noisy, *bits);
  if (bits->failed()) return fail(ErrorKind::internal, "the source of random bits has failed");
  for (std::size_t i = 0; i < noisy.size(); ++i) noisy[i] = noise::add_noise(products.products()[i], noisy[i]);
  return SignRelease{products.config(), std::move(noisy), products.counts(), scale};
}

Result<SignRelease> without_noise(const SignProducts& products) {
  CV_CHECK(check_counts(products));
  return SignRelease{products.config(), products.products(), products.counts(), 0};
}

Result<void> check_release(const SignRelease& release) {
  const auto broken = [](const char* what) { return fail(ErrorKind::bad_data, "sign_lags", what); };
  CV_CHECK(check_sign_lags(release.config));
  const auto size = static_cast<std::size_t>(release.config.released());
  if (release.products.size() != size || release.counts.size() != size)
    return broken("there are not as many products and counts as seasons and lags");
  if (!(release.noise >= 0 && release.noise <= noise::kLargestScale))
    return broken("the noise is not between 0 and 2^40");
  const auto per_season = static_cast<std::size_t>(release.config.lags() + 1);
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t count = release.counts[i];
    if (count < 0 || (i % per_season > 0 && count > release.counts[i - 1]))
      return broken("counts are below 0, or rise with the lag");
    if (release.noise == 0 && std::abs(release.products[i]) > count)
      return broken("products without noise are larger than their number");
  }
  return {};
}

}  // namespace chronoveil::forecasting
