// sign_lags on one thread: values per second from series to forecasts, 321 series of 26,304 hours as in the electricity
// set, at ε = 1; and values per second of series that come one after the other and are forgotten, a year of hours each.
// Every line says how much memory the program has taken so far.
//   sign_lags_bench [--toy]
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "chronoveil/forecasting/sign_lags/predict.h"
#include "timing.h"

namespace chronoveil::bench {
namespace {

using namespace forecasting;

constexpr double kNoiseMultiplier = 4.6787;  // of ε = 1, δ = 1e-7

// A day, a week, and steps that are a little like random.
void make_values(std::int64_t series, std::vector<float>& values) {
  auto state = static_cast<std::uint64_t>(series) + 1;
  for (std::size_t t = 0; t < values.size(); ++t) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto hour = static_cast<double>(t % 24), day = static_cast<double>(t / 24 % 7);
    values[t] =
        static_cast<float>(3 + std::sin(0.2618 * hour) + 0.3 * day + static_cast<double>(state >> 40) * 0x1p-24);
  }
}

SignLagsConfig config_for(std::int64_t length) {
  return choose_sign_lags(
             {.forecast = 24, .slot_seconds = 3600, .weekly = true, .seasons = {}, .context = {}, .shortest = length})
      .value();
}

void report_with_memory(const char* name, double per_second) {
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  std::printf("{\"name\": \"%s\", \"per_second\": %.6g, \"peak_bytes\": %lld}\n", name, per_second,
              static_cast<long long>(used.ru_maxrss) * 1024);
  std::fflush(stdout);
}

// Before the panel is there, so that its memory is that of the stream.
void measure_stream(std::int64_t count) {
  constexpr std::int64_t kYear = 8760;
  SignProducts products = SignProducts::make(config_for(kYear)).value();
  std::vector<float> values(kYear);
  make_values(0, values);
  const double rate = items_per_second(static_cast<double>(count * kYear), 1, [&] {
    for (std::int64_t i = 0; i < count; ++i) {
      values[static_cast<std::size_t>(i % kYear)] = 0;  // no two series are the same
      products.add(values);
    }
  });
  report_with_memory("stream", rate);
}

bool measure_panel(std::int64_t count, std::int64_t length, int repetitions) {
  Panel panel;
  std::vector<Window> windows;
  for (std::int64_t i = 0; i < count; ++i) {
    PanelSeries series{.key = std::to_string(i), .start = 0, .length = length, .values = {}};
    series.values.resize(static_cast<std::size_t>(length));
    make_values(i, series.values);
    panel.series.push_back(std::move(series));
    windows.push_back({i, length});
  }
  bool fine = true;
  const auto items = static_cast<double>(count * length);
  const double rate = items_per_second(items, repetitions, [&] {
    SignProducts products = SignProducts::make(config_for(length)).value();
    for (const PanelSeries& series : panel.series) products.add(series, panel.channels);
    DrawRight right = DrawRight::seeded(1);
    const auto released = release(products, kNoiseMultiplier, 1, right);
    const auto model = released ? model_of(*released) : tl::unexpected(released.error());
    fine = fine && model && predict(*model, panel, windows);
  });
  report_with_memory("panel", rate);
  return fine;
}

}  // namespace
}  // namespace chronoveil::bench

int main(int argc, char** argv) {
  const bool toy = argc > 1 && std::string_view(argv[1]) == "--toy";
  chronoveil::bench::measure_stream(toy ? 3 : 10'000);
  return chronoveil::bench::measure_panel(toy ? 3 : 321, toy ? 2000 : 26'304, toy ? 1 : 5) ? 0 : 1;
}
