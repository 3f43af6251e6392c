#include "joint/datasets.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <string_view>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/simulate/making.h"

namespace chronoveil::joint {
namespace {

Result<std::string> read_text(const std::string& path) {
  CV_TRY(auto file, data::open_file(path));
  CV_TRY(const auto bytes, data::decompress_if_needed(std::move(file)));
  std::string text;
  for (char buffer[1 << 16];;) {
    CV_TRY(const std::size_t size, bytes->read(buffer, sizeof buffer));
    if (size == 0) return text;
    text.append(buffer, size);
  }
}

// A line per step, a column per series. `first_line`: without a header, 0. Of the steps the last `most`.
Result<Panel> read_columns(const std::string& path, std::int64_t season, std::size_t first_line, std::size_t most) {
  CV_TRY(const std::string text, read_text(path));
  std::vector<std::vector<double>> lines;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const char* at = text.data() + begin;
    const char* const stop = text.data() + end;
    begin = end + 1;
    if (number < first_line || at == stop) continue;
    for (std::vector<double>& line = lines.emplace_back(); at < stop;) {
      const auto [rest, problem] = std::from_chars(at, stop, line.emplace_back());
      if (problem != std::errc{}) return fail(ErrorKind::bad_data, path + ": a number was expected");
      at = rest + 1;
    }
  }
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  Panel panel;
  panel.steps = static_cast<std::int64_t>(lines.size());
  panel.season = season;
  for (std::size_t s = 0; s < lines.front().size(); ++s)
    for (const std::vector<double>& line : lines) {
      if (s >= line.size()) return fail(ErrorKind::bad_data, path + ": lines differ in length");
      panel.truth.push_back(line[s]);
    }
  return panel;
}

constexpr std::size_t kAll = std::size_t{1} << 40;

Result<Panel> read_pems04(const std::string& folder) {
  return read_columns(folder + "/pems04/PEMS04_flow_first694.csv.xz", 288, 1, kAll);
}

// Check-ins in slots of `length` milliseconds from the first to the last, at the busiest places.
Result<Panel> count_check_ins(const data::SourceSpec& spec, std::int64_t length, std::int64_t season) {
  constexpr std::size_t kPlaces = 100;
  CV_TRY(const auto source, data::open_source(spec));
  std::map<std::string, std::vector<std::int64_t>, std::less<>> times;
  for (data::RecordBatch batch;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) break;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      const auto place = times.find(batch.series[i]);
      (place == times.end() ? times[std::string(batch.series[i])] : place->second).push_back(batch.time[i]);
    }
  }
  std::int64_t first = INT64_MAX, last = INT64_MIN;
  std::vector<const std::vector<std::int64_t>*> places;
  for (const auto& [name, when] : times) {
    places.push_back(&when);
    first = std::min(first, *std::ranges::min_element(when));
    last = std::max(last, *std::ranges::max_element(when));
  }
  std::ranges::stable_sort(places, std::ranges::greater{}, [](const auto* when) { return when->size(); });
  places.resize(std::min(places.size(), kPlaces));
  first -= first % length;  // slots start with a day
  Panel panel;
  panel.steps = (last - first) / length + 1;
  panel.season = season;
  for (const auto* when : places) {
    std::vector<double> counts(static_cast<std::size_t>(panel.steps));
    for (const std::int64_t time : *when) ++counts[static_cast<std::size_t>((time - first) / length)];
    panel.truth.insert(panel.truth.end(), counts.begin(), counts.end());
  }
  return panel;
}

constexpr std::int64_t kHour = 3'600'000;

Result<Panel> read_gowalla(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/gowalla_nyc/gowalla_events.csv.gz";
  spec.delimiter = '\t';
  spec.header = false;
  spec.time = "2";
  spec.series = "5";
  return count_check_ins(spec, 12 * kHour, 14);
}

Result<Panel> read_foursquare(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/foursquare_nyc/NYC_user_poi_minute.csv.xz";
  spec.time = "minute";
  spec.series = "poi";
  spec.time_format = "epoch_min";
  return count_check_ins(spec, 6 * kHour, 28);
}

Result<Panel> simulate_city(const std::string&) {
  simulate::Traffic city{.people = 20000, .sensors = 100};
  CV_TRY(auto rows, simulate::TextFile::create("output", "/dev/null"));
  CV_TRY(const simulate::Truth truth, simulate::simulate(city, simulate::kStandardSeed, rows));
  return Panel{.steps = truth.axis.steps(), .season = 24, .truth = {truth.counts.begin(), truth.counts.end()}};
}

// Every series rotated, or shuffled, by an amount of its own.
Result<Panel> unrelated(const std::string& folder, bool shuffle) {
  CV_TRY(Panel panel, read_pems04(folder));
  BitSource bits = BitSource::with_seed(1);
  for (std::int64_t s = 0; s < panel.series(); ++s) {
    const auto begin = panel.truth.begin() + s * panel.steps;
    if (!shuffle)
      std::rotate(begin, begin + 211 * s % panel.steps, begin + panel.steps);
    else
      for (std::int64_t t = panel.steps - 1; t > 0; --t)
        std::swap(begin[t], begin[static_cast<std::ptrdiff_t>(bits.next_u64() % static_cast<std::uint64_t>(t + 1))]);
  }
  return panel;
}

Result<Panel> first_of_pems04(const std::string& folder, std::int64_t series) {
  CV_TRY(Panel panel, read_pems04(folder));
  panel.truth.resize(static_cast<std::size_t>(series * panel.steps));
  return panel;
}

}  // namespace

double median_deviation(const Panel& panel) {
  std::vector<double> all;
  for (auto one = panel.truth.begin(); one != panel.truth.end(); one += panel.steps) {
    const double steps = static_cast<double>(panel.steps);
    const double mean = std::accumulate(one, one + panel.steps, 0.0) / steps;
    double squares = 0;
    for (std::int64_t t = 0; t < panel.steps; ++t) squares += (one[t] - mean) * (one[t] - mean);
    all.push_back(std::sqrt(squares / steps));
  }
  std::ranges::sort(all);
  return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
}

std::vector<NamedPanel> real_panels() {
  return {
      {"pems04", read_pems04},
      {"city", simulate_city},
      {"electricity",
       [](const std::string& folder) {
         return read_columns(folder + "/lstnet/electricity_321x840_last35days.csv.xz", 24, 1, kAll);
       }},
      {"los_loop",
       [](const std::string& folder) { return read_columns(folder + "/los_loop/los_speed.csv.xz", 288, 1, kAll); }},
      {"foursquare", read_foursquare},
      {"gowalla", read_gowalla},
      {"rotated", [](const std::string& folder) { return unrelated(folder, false); }},
      {"shuffled", [](const std::string& folder) { return unrelated(folder, true); }},
      {"exchange",
       [](const std::string& folder) { return read_columns(folder + "/lstnet/exchange_rate.txt.gz", 0, 0, 700); }},
      {"two", [](const std::string& folder) { return first_of_pems04(folder, 2); }},
      {"one", [](const std::string& folder) { return first_of_pems04(folder, 1); }},
  };
}

Panel toy_panel() {
  Panel panel{.name = "toy", .steps = 72, .season = 12};
  for (int s = 0; s < 24; ++s)
    for (int t = 0; t < panel.steps; ++t)
      panel.truth.push_back((20 + 5 * (s * 7 % 11)) * (1.2 + std::sin(2 * std::numbers::pi * t / 12.0) + (t % 12 == 8) -
                                                       (t / 12 % 6 == 5 ? 0.4 : 0.0)));
  return panel;
}

}  // namespace chronoveil::joint
