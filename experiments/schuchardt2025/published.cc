#include "schuchardt2025/published.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"

namespace chronoveil::schuchardt2025 {
namespace {

using accounting::StructuredSubsampling;

constexpr double kDelta = 1e-7;

// `length` is that of the whole data; 7 test windows and 5 for validation are left out of training.
struct Setting {
  std::string_view dataset, models;
  std::int64_t series, length, context, lags, forecast, batch, epochs;
  double sigma;
};
constexpr std::string_view kFeedForward = "feed-forward, itransformer, dlinear";
constexpr std::array kSettings = {
    Setting{"traffic", kFeedForward, 862, 17544, 96, 0, 24, 256, 4000, 4},
    Setting{"traffic", "deepar", 862, 17544, 96, 169, 24, 256, 4000, 4},
    Setting{"electricity", kFeedForward, 321, 26304, 24, 0, 24, 128, 8000, 2},
    Setting{"electricity", "deepar", 321, 26304, 24, 25, 24, 128, 8000, 2},
    Setting{"solar", kFeedForward, 137, 52560, 240, 0, 60, 128, 16000, 4},
    Setting{"solar", "deepar", 137, 52560, 240, 169, 60, 128, 16000, 4},
};

StructuredSubsampling step_of(const Setting& s) {
  return {.series = s.series,
          .length = {s.length - 12 * s.forecast},
          .context_length = s.context + s.lags,
          .forecast_length = s.forecast,
          .batch_size = s.batch,
          .noise_multiplier = s.sigma};
}

// The number of steps that draw as many series as there are.
double steps_per_epoch(const Setting& s) { return static_cast<double>(s.series) / static_cast<double>(s.batch); }

}  // namespace

Result<std::string> published_runs() {
  std::string lines =
      "dataset,models,series,length,history,forecast,batch,sigma,share,epochs,steps,epsilon,epsilon_lower\n";
  CV_TRY(const Delta delta, Delta::make(kDelta));
  for (const Setting& s : kSettings) {
    const StructuredSubsampling step = step_of(s);
    const std::int64_t steps = s.epochs * ((s.series + s.batch - 1) / s.batch);
    CV_TRY(const accounting::Price price, accounting::epsilon_at({step, steps}, delta));
    lines += fmt::format("{},\"{}\",{},{},{},{},{},{},{:.6g},{},{},{:.5g},{:.5g}\n", s.dataset, s.models, s.series,
                         step.length[0], step.context_length, s.forecast, s.batch, s.sigma,
                         accounting::series_rate(step) * accounting::touched_share(step), s.epochs, steps,
                         price.epsilon, price.epsilon_lower);
  }
  return lines;
}

Result<std::string> published_budgets(bool toy) {
  std::string lines = "dataset,models,width,label_noise,budget,steps,epochs,epsilon,epsilon_lower\n";
  CV_TRY(const Delta delta, Delta::make(kDelta));
  const auto add = [&](const Setting& s, std::int64_t width, double label_noise, double budget) -> Result<void> {
    StructuredSubsampling step = step_of(s);
    step.unit = Unit::user;
    step.width = width;
    step.label_noise = label_noise;
    CV_TRY(const Epsilon epsilon, Epsilon::make(budget));
    CV_TRY(const std::int64_t steps, accounting::max_count({step, 1}, epsilon, delta));
    accounting::Price price;
    if (steps > 0) {
      CV_TRY(price, accounting::epsilon_at({step, steps}, delta));
    }
    lines +=
        fmt::format("{},\"{}\",{},{},{},{},{:.4g},{:.5g},{:.5g}\n", s.dataset, s.models, width, label_noise, budget,
                    steps, static_cast<double>(steps) / steps_per_epoch(s), price.epsilon, price.epsilon_lower);
    return {};
  };
  for (const Setting& s : kSettings) {
    for (const double budget : toy ? std::vector{1.0, 8.0} : std::vector{0.25, 0.5, 1.0, 2.0, 4.0, 8.0})
      CV_CHECK(add(s, 1, 0, budget));
    if (toy) continue;
    for (const std::int64_t width : {2, 4, 8}) CV_CHECK(add(s, width, 0, 4));
    for (const double noise : {1.0, 2.0, 5.0}) CV_CHECK(add(s, 1, noise, 0.5));
  }
  return lines;
}

}  // namespace chronoveil::schuchardt2025
