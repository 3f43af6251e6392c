#include "gupta2024/maps.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/cells/parts/smoothing.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/simulate/worlds.h"
#include "each_trial.h"
#include "gupta2024/datasets.h"
#include "gupta2024/trials.h"

namespace chronoveil::gupta2024 {
namespace {

using State = CellEstimate::State;

Result<bound::BoundedCells> read_cells(const data::SourceSpec& spec, const Map& map, std::int64_t max_cells) {
  CV_TRY(const auto source, data::open_source(spec));
  CV_TRY(const bound::ValueGrid values, bound::ValueGrid::make(0, kUpper));
  bound::Places places;
  places.grid = map.grid;
  DrawRight right = DrawRight::seeded(0);
  return bound::bound_cells(*source, map.axis, places, {.max_cells = max_cells}, values, right);
}

Result<Map> read_map(data::SourceSpec spec, Map map, const PlaceGridSpec& grid, const data::SlotSpec& slots) {
  spec.user = "vehicle";
  spec.time = "timestamp";
  spec.longitude = "lon";
  spec.latitude = "lat";
  CV_TRY(map.grid, PlaceGrid::make(grid));
  CV_TRY(map.axis, data::make_axis(slots));
  CV_TRY(const bound::BoundedCells whole, read_cells(spec, map, map.grid->places() * map.axis.steps()));
  for (std::int64_t number = 0; number < whole.cells(); ++number) {
    const bound::CellView cell = whole.cell(number);
    const auto sum = std::accumulate(cell.values.begin(), cell.values.end(), std::uint64_t{0});
    map.truth.push_back(cell.values.empty()
                            ? std::numeric_limits<double>::quiet_NaN()
                            : whole.grid().to_real(static_cast<double>(sum) / static_cast<double>(cell.values.size())));
  }
  CV_TRY(map.cells, read_cells(spec, map, map.max_cells));
  return map;
}

// One day in slots of an hour.
Result<Map> simulated(const std::filesystem::path& scratch, Map map, double size) {
  data::SourceSpec spec;
  spec.path = (scratch / "simulated_buses.csv").string();
  spec.measure = "speed";
  const simulate::Buses buses{.vehicles = map.people, .period = {"Asia/Kolkata", "2026-02-02", 1}};
  CV_TRY([[maybe_unused]] const simulate::Made made,
         simulate::make_world(buses, simulate::kStandardSeed, {.rows = spec.path}));
  Result<Map> read = read_map(
      spec, std::move(map),
      {.shape = PlaceShape::hexagon, .west = 72.73, .south = 21.09, .east = 72.93, .north = 21.27, .size = size},
      {.start = "2026-02-02", .end = "2026-02-03", .length = "1h", .zone = "Asia/Kolkata"});
  std::filesystem::remove(spec.path);
  return read;
}

std::vector<Contender> contenders() { return {{"array_averaging, median", "array_averaging", {{"m_ub", "median"}}}}; }

Result<mechanisms::CellsPlan> plan_of(const Map& map, const Contender& contender, double epsilon, double delta) {
  CV_TRY(const mechanisms::CellMechanism* mechanism, mechanisms::find_cell_mechanism(contender.mechanism));
  mechanisms::CellRequest request;
  request.shape.places = map.cells->places();
  request.shape.steps = map.cells->steps();
  request.shape.max_cells = map.max_cells;
  request.shape.upper = kUpper;
  request.shape.sparse_below = map.sparse_below;
  request.epsilon = epsilon;
  request.delta = delta;
  request.parameters = contender.parameters;
  return mechanism->prepare(request);
}

constexpr std::size_t kNumbers = 12;
using Numbers = std::array<double, kNumbers>;

Result<Numbers> one_run(const Map& map, const mechanisms::CellsPlan& plan, const std::vector<CellEstimate>& noiseless,
                        std::uint64_t seed) {
  mechanisms::Draws draws = mechanisms::Draws::seeded(seed);
  CV_TRY(const std::vector<CellEstimate> raw, mechanisms::measure_uncut(plan, *map.cells, draws));
  const std::vector<CellEstimate> smooth = mechanisms::smoothed(plan, raw, map.grid, map.axis);
  const std::vector<CellEstimate> raw_cut = cut(raw, plan.shape), smooth_cut = cut(smooth, plan.shape);
  Numbers sums{};
  double count = 0, raw_off = 0, smooth_off = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i].state != State::published) continue;
    ++count;
    const double is = noiseless[i].mean;
    raw_off += raw[i].mean - is;
    smooth_off += smooth[i].mean - is;
    std::size_t at = 0;
    sums[at++] += raw[i].deviation;
    for (const double x : {is, map.truth[i]})
      for (const CellEstimate* one : {&raw_cut[i], &smooth_cut[i]}) sums[at++] += std::abs(one->mean - x);
    for (const CellEstimate* one : {&raw_cut[i], &smooth_cut[i]}) sums[at++] += one->lower <= is && is <= one->upper;
    for (const CellEstimate* one : {&raw_cut[i], &smooth_cut[i]}) sums[at++] += one->upper - one->lower;
  }
  for (double& sum : sums) sum /= count;
  sums[9] = std::abs(raw_off) / count;
  sums[10] = std::abs(smooth_off) / count;
  sums[11] = count;
  return sums;
}

}  // namespace

Result<std::vector<Map>> read_maps(const std::string& data, const std::filesystem::path& scratch) {
  std::vector<Map> maps;
  data::SourceSpec surat;
  surat.path = data + "/buses_surat/surat_itms_dedup_pseudonymised.csv.xz";
  surat.measure = "speed_kmh";
  Map map{.name = "surat", .max_cells = 24, .sparse_below = 10, .people = 309, .epsilons = {8, 32, 128}};
  CV_TRY(map,
         read_map(
             surat, std::move(map),
             {.shape = PlaceShape::hexagon, .west = 72.70, .south = 21.10, .east = 72.96, .north = 21.30, .size = 3000},
             {.start = "2022-01-01T00:00", .end = "2022-01-09T00:00", .length = "1h", .zone = "Asia/Kolkata"}));
  maps.push_back(std::move(map));
  Map day{.name = "city_day", .max_cells = 40, .sparse_below = 10, .people = 1000, .epsilons = {1, 2, 4, 8, 32}};
  CV_TRY(day, simulated(scratch, std::move(day), 3000));
  maps.push_back(std::move(day));
  return maps;
}

Result<std::vector<Map>> toy_maps(const std::filesystem::path& scratch) {
  Map map{.name = "city_toy", .max_cells = 20, .sparse_below = 5, .people = 100, .epsilons = {16, 64}};
  CV_TRY(map, simulated(scratch, std::move(map), 4000));
  std::vector<Map> maps;
  maps.push_back(std::move(map));
  return maps;
}

Result<std::string> smoothed_maps(const std::vector<Map>& maps, int trials) {
  std::string lines =
      "dataset,mechanism,epsilon,trials,cells,deviation,raw,smooth,raw_truth,smooth_truth,raw_cover,smooth_cover,"
      "raw_width,smooth_width,raw_mean,smooth_mean\n";
  for (const Map& map : maps)
    for (const Contender& contender : contenders()) {
      constexpr double kNoNoise = 1e7;
      CV_TRY(const mechanisms::CellsPlan silent, plan_of(map, contender, kNoNoise, 0));
      mechanisms::Draws draws = mechanisms::Draws::seeded(0);
      CV_TRY(const std::vector<CellEstimate> noiseless, mechanisms::measure_uncut(silent, *map.cells, draws));
      for (const double epsilon : map.epsilons) {
        CV_TRY(const mechanisms::CellsPlan plan, plan_of(map, contender, epsilon, map.delta));
        CV_TRY(const std::vector<Numbers> runs, experiments::each_trial(trials, [&](std::uint64_t seed) {
                 return one_run(map, plan, noiseless, seed);
               }));
        Numbers mean{};
        for (const Numbers& run : runs)
          for (std::size_t i = 0; i < kNumbers; ++i) mean[i] += run[i] / trials;
        lines += fmt::format("{},\"{}\",{},{},{:.6g}", map.name, contender.label, epsilon, trials, mean[11]);
        for (std::size_t i = 0; i < 11; ++i) lines += fmt::format(",{:.6g}", mean[i]);
        lines += '\n';
      }
    }
  return lines;
}

}  // namespace chronoveil::gupta2024
