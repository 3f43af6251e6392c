#include "koga2022/datasets.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::koga2022 {
namespace {

Dataset compared_with_itself(std::string name, std::vector<std::int64_t> counts) {
  Dataset dataset;
  dataset.name = std::move(name);
  dataset.truth.assign(counts.begin(), counts.end());
  dataset.max_steps = static_cast<std::int64_t>(counts.size()) / 10;
  dataset.counts = std::move(counts);
  return dataset;
}

Result<Dataset> count_check_ins(std::string name, const data::SourceSpec& spec, const std::string& venue,
                                const data::SlotSpec& slots) {
  CV_TRY(const auto source, data::open_source(spec));
  CV_TRY(const SlotAxis axis, data::make_axis(slots));
  CV_TRY(const bound::BoundedSeries bounded,
         bound::bound_counts(*source, axis, {venue}, {.unit = Unit::user, .max_steps = axis.steps() / 10},
                             bound::Duplicates::sum));
  Dataset dataset = compared_with_itself(std::move(name), {bounded.counts().begin(), bounded.counts().end()});
  dataset.clip = true;
  return dataset;
}

}  // namespace

Result<Dataset> read_pems_lane(const std::string& folder) {
  constexpr std::size_t kSteps = 1800;
  data::SourceSpec spec;
  spec.path = folder + "/pems_lane/train.csv.xz";
  spec.time = "5 Minutes";
  spec.value = "Lane 1 Flow (Veh/5 Minutes)";
  spec.time_format = "%d/%m/%Y %H:%M";
  CV_TRY(const auto source, data::open_source(spec));
  std::vector<std::int64_t> counts;
  data::RecordBatch batch;
  while (counts.size() < kSteps) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) return fail(ErrorKind::bad_data, spec.path + ": fewer than 1800 rows");
    counts.insert(counts.end(), batch.value.begin(), batch.value.end());
  }
  counts.resize(kSteps);
  Dataset dataset = compared_with_itself("pems_lane", std::move(counts));
  dataset.season = 288;
  return dataset;
}

Result<Dataset> read_gowalla(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/gowalla_nyc/gowalla_events.csv.gz";
  spec.delimiter = '\t';
  spec.header = false;
  spec.time = "2";
  spec.series = "5";
  CV_TRY(Dataset dataset,
         count_check_ins("gowalla_12505", spec, "12505",
                         {.start = "2009-09-14T00:00", .end = "2010-10-23T00:00", .length = "12h", .zone = "UTC"}));
  dataset.season = 14;  // a week; days are what the two slots of each hold
  return dataset;
}

Result<Dataset> read_foursquare(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/foursquare_nyc/NYC_user_poi_minute.csv.xz";
  spec.time = "minute";
  spec.series = "poi";
  // Minutes are read as seconds, so 6 hours of them are slots of 6 minutes: 1267 of them.
  spec.time_format = "epoch";
  CV_TRY(Dataset dataset,
         count_check_ins("foursquare_358", spec, "358",
                         {.start = "1970-01-01T00:00", .end = "1970-01-06T06:42", .length = "6min", .zone = "UTC"}));
  dataset.season = 28;
  return dataset;
}

Dataset make_synth(int one_over_f, bool observation_noise) {
  constexpr double kLength = 10000, kPeriod = 1000, kDeviation = 100;
  Dataset dataset;
  dataset.name = observation_noise ? "synth_noisy" : "synth";
  for (double t = 0; t < kLength; t += one_over_f)
    dataset.truth.push_back(200 * std::sin(2 * std::numbers::pi * t / kPeriod) + 500 + 0.1 * t);
  // Rounded noise on a grid of 2^-20, then whole counts as every mechanism wants them.
  std::vector<std::int64_t> noise(dataset.truth.size());
  if (observation_noise) {
    BitSource bits = BitSource::with_seed(static_cast<std::uint64_t>(one_over_f));
    noise::Sampler::make(noise::Law::rounded_gaussian, kDeviation * 0x1p20)->fill(noise, bits);
  }
  for (std::size_t i = 0; i < noise.size(); ++i)
    dataset.counts.push_back(std::llround(std::max(0.0, dataset.truth[i] + static_cast<double>(noise[i]) * 0x1p-20)));
  dataset.max_steps = 100;
  dataset.trend = true;
  const double oversampling = 1 + std::log2(static_cast<double>(one_over_f)) / 4;
  dataset.rate = 0.1 * oversampling;
  dataset.filter_width = 10 / oversampling;
  return dataset;
}

Dataset make_toy() {
  std::vector<std::int64_t> counts;
  for (int t = 0; t < 240; ++t)
    counts.push_back(std::llround(500 - 400 * std::cos(2 * std::numbers::pi * static_cast<double>(t) / 48)));
  Dataset dataset = compared_with_itself("toy", std::move(counts));
  dataset.season = 48;
  return dataset;
}

}  // namespace chronoveil::koga2022
