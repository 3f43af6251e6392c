#include "gupta2024/datasets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::gupta2024 {
namespace {

Cell cell_of(const bound::CellView& view, const bound::ValueGrid& grid) {
  Cell cell;
  cell.counts.assign(view.counts.begin(), view.counts.end());
  cell.values.assign(view.values.begin(), view.values.end());
  cell.upper_steps = view.upper_steps;
  const auto sum = std::accumulate(view.values.begin(), view.values.end(), std::uint64_t{0});
  cell.mean = grid.to_real(static_cast<double>(sum) / static_cast<double>(view.values.size()));
  return cell;
}

double deviation_of(const std::vector<Cell>& cells, const bound::ValueGrid& grid) {
  double count = 0, sum = 0, squares = 0;
  for (const Cell& cell : cells)
    for (const std::uint32_t steps : cell.values) {
      const double value = grid.to_real(steps);
      count += 1;
      sum += value;
      squares += value * value;
    }
  return std::sqrt(squares / count - sum / count * (sum / count));
}

// Nothing is left out: each cell is on its own here, so a bus may be in every one.
Result<Dataset> read_cells(const std::string& folder, std::string name, const std::string& slot_length,
                           const bound::Places& places, std::int64_t enough) {
  data::SourceSpec spec;
  spec.path = folder + "/buses_surat/surat_itms_dedup_pseudonymised.csv.xz";
  spec.user = "vehicle";
  spec.time = "timestamp";
  spec.measure = "speed_kmh";
  if (places.grid) {
    spec.longitude = "lon";
    spec.latitude = "lat";
  }
  CV_TRY(const auto source, data::open_source(spec));
  CV_TRY(const SlotAxis axis,
         data::make_axis(
             {.start = "2022-01-01T00:00", .end = "2022-01-09T00:00", .length = slot_length, .zone = "Asia/Kolkata"}));
  CV_TRY(const bound::ValueGrid grid, bound::ValueGrid::make(0, kUpper));
  const std::int64_t all = (places.grid ? places.grid->places() : 1) * axis.steps();
  DrawRight right = DrawRight::seeded(0);
  CV_TRY(const bound::BoundedCells bounded, bound::bound_cells(*source, axis, places, {.max_cells = all}, grid, right));
  Dataset dataset;
  dataset.name = std::move(name);
  for (std::int64_t number = 0; number < bounded.cells(); ++number) {
    const bound::CellView view = bounded.cell(number);
    if (static_cast<std::int64_t>(view.counts.size()) >= enough) dataset.cells.push_back(cell_of(view, grid));
  }
  if (dataset.cells.empty()) return fail(ErrorKind::bad_data, spec.path + ": no cell has enough users");
  dataset.deviation = deviation_of(dataset.cells, grid);
  dataset.registered = 309;  // the fleet
  return dataset;
}

}  // namespace

Result<Dataset> read_surat(const std::string& folder) {
  CV_TRY(Dataset dataset, read_cells(folder, "surat", "8d", {}, 1));
  dataset.caps = {50, 100};
  return dataset;
}

Result<Dataset> read_surat_cell_hours(const std::string& folder) {
  bound::Places places;
  CV_TRY(
      places.grid,
      PlaceGrid::make(
          {.shape = PlaceShape::hexagon, .west = 72.70, .south = 21.10, .east = 72.96, .north = 21.30, .size = 3000}));
  CV_TRY(Dataset dataset, read_cells(folder, "surat_cell_hours", "1h", places, kEnough));
  dataset.caps = {10, 30};
  return dataset;
}

std::vector<std::uint32_t> itms_counts() {
  constexpr std::uint32_t kUsers = 272, kMedian = 46, kMost = 417, kSum = 17166;
  constexpr double kShape = 1.074;
  std::vector<std::uint32_t> counts;
  for (std::uint32_t l = 0; l < kUsers; ++l) {
    const double above = (l + 0.5) / kUsers;
    counts.push_back(
        static_cast<std::uint32_t>(std::max(1.0, std::round(kMedian * std::pow(std::log2(1 / above), 1 / kShape)))));
  }
  counts.front() = kMost;
  for (std::size_t l = 1, missing = kSum - std::accumulate(counts.begin(), counts.end(), 0U); l <= missing; ++l)
    ++counts[l];
  return counts;
}

Result<Dataset> make_synthetic(Scaling scaling, std::uint64_t draw) {
  constexpr double kMean = 20.66769, kDeviation = 14.855, kFine = 0x1p-20;
  const std::uint32_t more_samples = scaling == Scaling::samples ? 10 : 1;
  const std::size_t more_users = scaling == Scaling::users ? 10 : 1;
  Cell cell;
  for (const std::uint32_t count : itms_counts())
    cell.counts.insert(cell.counts.end(), more_users, count * more_samples);

  std::vector<std::int64_t> scatter(std::accumulate(cell.counts.begin(), cell.counts.end(), std::size_t{0}));
  CV_TRY(const noise::Sampler sampler, noise::Sampler::make(noise::Law::rounded_gaussian, kDeviation / kFine));
  BitSource bits = BitSource::with_seed(3 * draw + static_cast<std::uint64_t>(scaling));
  sampler.fill(scatter, bits);

  CV_TRY(const bound::ValueGrid grid, bound::ValueGrid::make(0, kUpper));
  std::int64_t cut = 0;
  for (const std::int64_t steps : scatter)
    cell.values.push_back(grid.to_steps(kMean + static_cast<double>(steps) * kFine, cut));

  Dataset dataset;
  dataset.name = scaling == Scaling::none ? "itms_like" : scaling == Scaling::samples ? "more_samples" : "more_users";
  dataset.cells.push_back(
      cell_of({.counts = cell.counts, .values = cell.values, .upper_steps = grid.upper_steps()}, grid));
  dataset.deviation = deviation_of(dataset.cells, grid);
  dataset.registered = static_cast<std::int64_t>(cell.counts.size());
  dataset.caps = {50 * more_samples, 100 * more_samples};
  return dataset;
}

}  // namespace chronoveil::gupta2024
