#include "fan2011/datasets.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <unordered_set>

#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"

namespace chronoveil::fan2011 {
namespace {

Result<void> each_row(const data::SourceSpec& spec,
                      const std::function<void(const data::RecordBatch&, std::size_t row)>& visit) {
  CV_TRY(const auto source, data::open_source(spec));
  data::RecordBatch batch;
  for (;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) return {};
    for (std::size_t row = 0; row < batch.rows(); ++row) visit(batch, row);
  }
}

Result<Dataset> complete(Dataset dataset, std::size_t steps, const std::string& path) {
  if (dataset.counts.size() != steps)
    return fail(ErrorKind::bad_data, path + ": holds " + std::to_string(dataset.counts.size()) +
                                         " steps of the span, not " + std::to_string(steps));
  return dataset;
}

}  // namespace

Result<Dataset> read_flu(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/flu/ilinet_national.csv";
  // Year and week are columns of their own: the year is read as seconds, the week as a name.
  spec.time = "YEAR";
  spec.time_format = "epoch";
  spec.series = "WEEK";
  spec.value = "AGE 5-24";
  Dataset dataset{.name = "flu", .season = 52};
  CV_CHECK(each_row(spec, [&](const data::RecordBatch& batch, std::size_t row) {
    std::int64_t week = 0;
    std::from_chars(batch.series[row].data(), batch.series[row].data() + batch.series[row].size(), week);
    const std::int64_t when = batch.time[row] / 1000 * 100 + week;
    if (when >= 2006'40 && when <= 2010'39) dataset.counts.push_back(batch.value[row]);
  }));
  return complete(std::move(dataset), 209, spec.path);
}

Result<Dataset> read_unemployment(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/unemployment/LNU03000018.csv";
  spec.time = "observation_date";
  spec.value = "LNU03000018";
  // Days are fine enough to tell which months come before the end.
  CV_TRY(const SlotAxis span,
         data::make_axis({.start = "1972-01-01T00:00", .end = "2011-11-01T00:00", .length = "1d"}));
  const data::SlotFinder day_of(span);
  Dataset dataset{.name = "unemployment", .season = 12};
  CV_CHECK(each_row(spec, [&](const data::RecordBatch& batch, std::size_t row) {
    if (day_of(batch.time[row]) >= 0) dataset.counts.push_back(batch.value[row]);
  }));
  return complete(std::move(dataset), 478, spec.path);
}

Result<Dataset> read_traffic(const std::string& folder) {
  data::SourceSpec spec;
  spec.path = folder + "/i94/Metro_Interstate_Traffic_Volume.csv.xz";
  spec.time = "date_time";
  spec.value = "traffic_volume";
  // The file has local clock times without an offset. Read as if in UTC they fall on their own dates.
  CV_TRY(const SlotAxis days,
         data::make_axis({.start = "2017-04-09T00:00", .end = "2018-10-01T00:00", .length = "1d"}));
  const data::SlotFinder day_of(days);
  Dataset dataset{.name = "traffic", .counts = std::vector<std::int64_t>(540), .season = 7};
  std::unordered_set<std::int64_t> seen;
  CV_CHECK(each_row(spec, [&](const data::RecordBatch& batch, std::size_t row) {
    const std::int64_t day = day_of(batch.time[row]);
    if (day >= 0 && seen.insert(batch.time[row]).second)
      dataset.counts[static_cast<std::size_t>(day)] += batch.value[row];
  }));
  return dataset;
}

Dataset make_toy() {
  Dataset dataset{.name = "toy", .season = 24};
  for (int t = 0; t < 96; ++t) {
    const double year = std::cos(2 * std::numbers::pi * t / 24);
    dataset.counts.push_back(std::llround(2000 * std::exp(2 * year)));
  }
  return dataset;
}

}  // namespace chronoveil::fan2011
