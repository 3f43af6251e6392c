#include "schuchardt2025/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/subsampled/structured_subsampling.h"

namespace chronoveil::schuchardt2025 {
namespace {

using accounting::Event;
using accounting::StructuredSubsampling;
using Top = StructuredSubsampling::Top;

constexpr std::int64_t kSeries = 320;
constexpr std::int64_t kSpan = 48;  // L_C + L_F, half each

// r = K/T and ρ = Λ/N, as the paper varies them.
struct Shares {
  double touched, batch;
  std::string text() const { return fmt::format("r = {:g}, Λ/N = {:g}", touched, batch); }
};

StructuredSubsampling training(const Shares& shares, Top top, std::int64_t windows) {
  const auto starts = static_cast<std::int64_t>(std::llround(kSpan / shares.touched));  // T
  return {.series = kSeries,
          .length = {starts + kSpan / 2 - 1},
          .context_length = kSpan / 2,
          .forecast_length = kSpan / 2,
          .batch_size = std::llround(shares.batch * kSeries),
          .windows_per_series = windows,
          .noise_multiplier = 1,
          .top_level = top};
}

// The weights of a binomial with n trials.
std::vector<double> binomial_weights(std::int64_t n, double p) {
  std::vector<double> weights;
  for (std::int64_t k = 0; k <= n; ++k)
    weights.push_back(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                               static_cast<double>(k) * std::log(p) + static_cast<double>(n - k) * std::log1p(-p)));
  return weights;
}

// Theorem F.7: no analysis of λ windows per series can show less than this.
Event optimistic(const StructuredSubsampling& e) {
  const double rho = accounting::series_rate(e);
  accounting::Mixture mixture{.p = {}, .q = {{0}, {1}}, .noise_multiplier = e.noise_multiplier};
  std::vector<double> weights = binomial_weights(e.windows_per_series, accounting::touched_share(e));
  double sum = 0;
  for (std::size_t k = weights.size(); k-- > 1;) sum += weights[k] *= rho;
  weights[0] = 1 - sum;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    mixture.p.means.push_back(2 * static_cast<double>(k));
    mixture.p.weights.push_back(weights[k]);
  }
  return {mixture, 1};
}

// A step that shows a change with this probability, by λ = 1 window.
Event one_window(double share) {
  return {accounting::Mixture{.p = {{0, 2}, {1 - share, share}}, .q = {{0}, {1}}, .noise_multiplier = 1}, 1};
}

std::vector<double> powers(double low, double high, int points) {
  std::vector<double> all;
  for (int i = 0; i < points; ++i) all.push_back(low * std::pow(high / low, static_cast<double>(i) / (points - 1)));
  return all;
}

class Table {
 public:
  explicit Table(int points) : points_(points) {}

  Result<void> add(std::string_view figure, std::string_view panel, std::string_view line, double x, const Event& event,
                   double epsilon) {
    CV_TRY(const Epsilon at, Epsilon::make(epsilon));
    CV_TRY(const accounting::Price price, accounting::delta_at(event, at));
    text_ +=
        fmt::format("{},\"{}\",\"{}\",{:.6g},{:.6g},{:.6g}\n", figure, panel, line, x, price.delta, price.delta_lower);
    return {};
  }
  Result<void> profile(std::string_view figure, std::string_view panel, std::string_view line, Event event,
                       std::int64_t count, double most) {
    event.count = count;
    for (const double epsilon : powers(1e-3, most, points_))
      CV_CHECK(add(figure, panel, line, epsilon, event, epsilon));
    return {};
  }
  std::string text() && { return "figure,panel,line,x,delta,delta_lower\n" + std::move(text_); }

 private:
  int points_;
  std::string text_;
};

Result<void> windows_of_a_series(Table& table, const std::vector<Shares>& all,
                                 const std::vector<std::int64_t>& windows) {
  for (const Shares& shares : all)
    for (const std::int64_t steps : {1, 100}) {
      const std::string panel = fmt::format("{}, {} step{}", shares.text(), steps, steps == 1 ? "" : "s");
      for (const std::int64_t each : windows) {
        const StructuredSubsampling e = training(shares, Top::without_replacement, each);
        CV_CHECK(table.profile("windows", panel, fmt::format("λ = {}", each), {e, 1}, steps, 10));
        if (each > 1)
          CV_CHECK(table.profile("windows", panel, fmt::format("λ = {}, at best", each), optimistic(e), steps, 10));
      }
    }
  return {};
}

Result<void> steps_and_epochs(Table& table, const std::vector<Shares>& all) {
  for (const Shares& shares : all)
    for (const std::int64_t epochs : {1, 10}) {
      const std::string panel = fmt::format("{}, {} epoch{}", shares.text(), epochs, epochs == 1 ? "" : "s");
      const StructuredSubsampling epoch = training(shares, Top::iterate, 1);
      const StructuredSubsampling step = training(shares, Top::without_replacement, 1);
      const std::int64_t steps = kSeries / step.batch_size;
      CV_CHECK(table.profile("epochs", panel, "iterate, by epochs", {epoch, 1}, epochs, 10));
      CV_CHECK(table.profile("epochs", panel, "without replacement, by steps", {step, 1}, epochs * steps, 10));
    }
  return {};
}

Result<void> label_noise(Table& table, const std::vector<Shares>& all) {
  for (const Shares& shares : all)
    for (const std::int64_t steps : {1, 100}) {
      const std::string panel = fmt::format("{}, {} step{}", shares.text(), steps, steps == 1 ? "" : "s");
      StructuredSubsampling e = training(shares, Top::without_replacement, 1);
      for (const double noise : {0.0, 1.0, 2.0, 5.0}) {
        e.label_noise = noise;
        CV_CHECK(table.profile("labels", panel, fmt::format("σ_F = {:g} v", noise), {e, 1}, steps, 10));
      }
      const double context = static_cast<double>(e.context_length) / kSpan;
      CV_CHECK(table.profile("labels", panel, "context alone",
                             one_window(shares.touched * accounting::series_rate(e) * context), steps, 10));
    }
  return {};
}

// Λ = N: with λ windows per series an epoch has λ steps.
Result<void> length_of_an_epoch(Table& table, const std::vector<double>& touched,
                                const std::vector<std::int64_t>& windows) {
  for (const double r : touched)
    for (const double epsilon : {1.0, 4.0})
      for (const std::int64_t each : windows)
        for (std::int64_t steps = each; steps <= 16; steps += each)
          CV_CHECK(table.add("lengths", fmt::format("r = {:g}, ε = {:g}", r, epsilon), fmt::format("λ = {}", each),
                             static_cast<double>(steps), {training({r, 1}, Top::iterate, each), steps / each},
                             epsilon));
  return {};
}

// N_total windows in all; structured with N = Λ series, so that each has T = N_total / Λ of them.
Result<void> pooled(Table& table, const std::vector<std::int64_t>& totals, const std::vector<std::int64_t>& spans) {
  for (const std::int64_t total : totals)
    for (const std::int64_t starts : {std::int64_t{10}, std::int64_t{1000}}) {
      const std::string panel = fmt::format("N_total = {}, Λ/N_total = {:g}", total, 1 / static_cast<double>(starts));
      for (const std::int64_t span : spans) {
        if (span > starts) continue;
        const StructuredSubsampling e{.series = total / starts,
                                      .length = {starts},
                                      .context_length = span - 1,
                                      .forecast_length = 1,
                                      .batch_size = total / starts,
                                      .windows_per_series = 1,
                                      .noise_multiplier = 1};
        CV_TRY(const Event black_box, accounting::black_box_event(e));
        CV_CHECK(table.profile("pooled", panel, fmt::format("L_C + L_F = {}", span), {e, 1}, 1, 10));
        CV_CHECK(table.profile("pooled", panel, fmt::format("L_C + L_F = {}, pooled", span), black_box, 1, 10));
      }
    }
  return {};
}

}  // namespace

Result<std::string> figures(bool toy) {
  Table table(toy ? 3 : 25);
  const std::vector<Shares> shares =
      toy ? std::vector<Shares>{{0.1, 0.1}} : std::vector<Shares>{{0.1, 0.1}, {0.5, 0.1}, {0.1, 0.5}};
  const std::vector<std::int64_t> windows =
      toy ? std::vector<std::int64_t>{1, 4} : std::vector<std::int64_t>{1, 2, 4, 8, 16};
  CV_CHECK(windows_of_a_series(table, shares, windows));
  CV_CHECK(steps_and_epochs(table, shares));
  CV_CHECK(label_noise(table, shares));
  CV_CHECK(length_of_an_epoch(table, toy ? std::vector{0.1} : std::vector{0.5, 0.1}, windows));
  CV_CHECK(pooled(table, toy ? std::vector<std::int64_t>{10'000} : std::vector<std::int64_t>{10'000, 1'000'000},
                  toy ? std::vector<std::int64_t>{1, 8} : std::vector<std::int64_t>{1, 2, 4, 8, 16, 32}));
  return std::move(table).text();
}

}  // namespace chronoveil::schuchardt2025
