#include "ye2023/datasets.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::ye2023 {
namespace {

struct Fix {
  std::int64_t time = 0;  // milliseconds
  Place place;
};

// Some files have the newest first.
Result<std::vector<Fix>> read_cab(const std::string& path) {
  data::SourceSpec spec;
  spec.path = path;
  spec.delimiter = ' ';
  spec.header = false;
  spec.latitude = "1";
  spec.longitude = "2";
  spec.time = "4";
  spec.time_format = "epoch";
  CV_TRY(const auto source, data::open_source(spec));
  std::vector<Fix> fixes;
  for (data::RecordBatch batch;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) break;
    for (std::size_t i = 0; i < batch.rows(); ++i)
      fixes.push_back({batch.time[i], {batch.longitude[i], batch.latitude[i]}});
  }
  std::ranges::sort(fixes, {}, &Fix::time);
  return fixes;
}

void cut(const std::vector<Fix>& fixes, std::vector<Trajectory>& into) {
  constexpr std::int64_t kSilence = 15 * 60'000;
  Trajectory open;
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    if (i > 0 && fixes[i].time - fixes[i - 1].time > kSilence) open.clear();
    open.push_back(fixes[i].place);
    if (open.size() == kTrajectorySteps) into.push_back(std::exchange(open, {}));
  }
}

// Uniform in [-1, 1), enough for made-up data.
double scatter(BitSource& bits) { return static_cast<double>(bits.next_u64() >> 11) * 0x1p-52 - 1; }

}  // namespace

Result<std::vector<double>> read_prices(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/stocks/ge.us.txt.xz";
  spec.time = "Date";
  spec.time_format = "%Y-%m-%d";
  spec.measure = "Close";
  CV_TRY(const auto source, data::open_source(spec));
  std::vector<double> prices;
  for (data::RecordBatch batch;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) return prices;
    prices.insert(prices.end(), batch.measure.begin(), batch.measure.end());
  }
}

std::vector<bool> went_up(const std::vector<double>& prices) {
  std::vector<bool> up;
  for (std::size_t i = 1; i < prices.size(); ++i) up.push_back(prices[i] > prices[i - 1]);
  return up;
}

Result<std::vector<Trajectory>> read_trajectories(const std::string& folder) {
  std::vector<Trajectory> trajectories;
  for (const char* cab : {"abboip", "aiwalb", "akgicjud", "ugthfu", "uvreoipy"}) {
    CV_TRY(const std::vector<Fix> fixes, read_cab(folder + "/cabs/new_" + cab + ".txt.xz"));
    cut(fixes, trajectories);
  }
  return trajectories;
}

std::vector<double> make_prices(std::size_t days) {
  BitSource bits = BitSource::with_seed(1);
  std::vector<double> prices;
  for (double price = 10; prices.size() < days; price = std::max(1.0, price * (1 + 0.02 * scatter(bits))))
    prices.push_back(price);
  return prices;
}

std::vector<Trajectory> make_trajectories(std::size_t number, std::size_t steps) {
  BitSource bits = BitSource::with_seed(2);
  std::vector<Trajectory> trajectories(number);
  for (std::size_t i = 0; i < number; ++i) {
    const auto corner = static_cast<double>(i % 6);
    const Place home{kWest + 0.05 + 0.1 * corner, kSouth + 0.1 + (i % 2 == 0 ? 0.0 : 0.5)};
    for (std::size_t step = 0; step < steps; ++step)
      trajectories[i].push_back({home.longitude + 0.02 * scatter(bits), home.latitude + 0.02 * scatter(bits)});
  }
  return trajectories;
}

}  // namespace chronoveil::ye2023
