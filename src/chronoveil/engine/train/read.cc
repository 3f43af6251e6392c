#include "chronoveil/engine/train/read.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>

#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/release/watched_rows.h"

namespace chronoveil::engine {
namespace {

using data::RecordBatch;
using data::RecordSource;
using forecasting::Panel;
using forecasting::PanelSeries;

Result<std::unique_ptr<RecordSource>> open_channel(const data::SourceSpec& source, const std::string& channel) {
  data::SourceSpec spec = source;
  spec.measure = channel;
  spec.measure_may_be_missing = true;
  return open_job_source(spec);
}

Failure no_memory_for_panel() {
  return fail(ErrorKind::storage, "not enough memory for all series and slots; shorten the list or the span");
}

// Puts the rows of one channel after the other into a panel.
class PanelFiller {
 public:
  PanelFiller(Panel& panel, const SlotAxis& axis, TooLarge too_large)
      : panel_(&panel), slot_(axis), too_large_(too_large) {
    for (std::size_t i = 0; i < panel.series.size(); ++i) place_.emplace(panel.series[i].key, i);
  }

  Result<void> fill(RecordSource& source, std::int64_t channel, const std::string& column) {
    std::vector<std::vector<bool>> given;
    for (const PanelSeries& series : panel_->series) given.emplace_back(static_cast<std::size_t>(series.length));
    RecordBatch batch;
    while (true) {
      CV_TRY(const bool more, source.next(batch));
      if (!more) return {};
      PanelSeries* series = nullptr;
      std::string_view last;  // of this batch: files are often sorted by series
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        const std::string_view key = batch.series.empty() ? std::string_view() : batch.series[row];
        if (row == 0 || key != last) series = find(key);
        last = key;
        if (series == nullptr) continue;
        const std::int64_t slot = slot_(batch.time[row]);
        const std::int64_t step = slot - series->start;
        if (slot < 0 || step < 0 || step >= series->length) continue;
        const auto bad_row = [&](const std::string& what) {
          const std::int64_t number = batch.row_of(row);
          return fail(ErrorKind::bad_data, "row " + std::to_string(number) + ": " + what);
        };
        const auto index = static_cast<std::size_t>(series - panel_->series.data());
        if (given[index][static_cast<std::size_t>(step)])
          return bad_row(
              std::string("this series and slot were given before; a step has one value") +
              (batch.series.empty() ? "; if rows are of several series, `source.series` names their column" : ""));
        given[index][static_cast<std::size_t>(step)] = true;
        if (!std::isnan(batch.measure[row])) ++counted_;
        constexpr double kMost = std::numeric_limits<float>::max();
        double value = batch.measure[row];
        if (too_large_ == TooLarge::nearest && !std::isnan(value)) value = std::clamp(value, -kMost, kMost);
        if (std::abs(value) > kMost)
          return bad_row("column " + column + ": too large for a number of single precision");
        series->values[static_cast<std::size_t>(step * panel_->channels + channel)] = static_cast<float>(value);
      }
    }
  }

  // Values that landed in the panel, of all channels so far.
  std::int64_t counted() const { return counted_; }

 private:
  PanelSeries* find(std::string_view key) {
    const auto found = place_.find(key);
    return found == place_.end() ? nullptr : &panel_->series[found->second];
  }

  Panel* panel_;
  data::SlotFinder slot_;
  TooLarge too_large_;
  std::int64_t counted_ = 0;
  std::unordered_map<std::string_view, std::size_t> place_;
};

// Signs of differences need no size either.
TooLarge too_large_for(const TrainPlanned& planned) {
  return planned.bounds || planned.signs ? TooLarge::nearest : TooLarge::refused;
}

}  // namespace

Result<void> check_train_columns(const data::SourceSpec& source, const std::vector<std::string>& channels) {
  if (data::is_stream(source.path)) return {};
  for (const std::string& channel : channels) CV_CHECK(open_channel(source, channel));
  return {};
}

Result<Panel> blank_panel(std::size_t channels, const std::vector<PublicSeries>& series) {
  try {
    Panel panel;
    panel.channels = static_cast<std::int64_t>(channels);
    for (const PublicSeries& one : series)
      panel.series.push_back(
          {one.key, one.start, one.length,
           std::vector<float>(static_cast<std::size_t>(one.length * panel.channels), forecasting::kMissing)});
    return panel;
  } catch (const std::bad_alloc&) {
    return no_memory_for_panel();
  }
}

Result<Panel> read_panel(const data::SourceSpec& source, const std::vector<std::string>& channels, const SlotAxis& axis,
                         const std::vector<PublicSeries>& series, TooLarge too_large) {
  try {
    CV_TRY(Panel panel, blank_panel(channels.size(), series));
    PanelFiller filler(panel, axis, too_large);
    for (std::size_t i = 0; i < channels.size(); ++i) {
      CV_TRY(const std::unique_ptr<RecordSource> rows, open_channel(source, channels[i]));
      CV_CHECK(filler.fill(*rows, static_cast<std::int64_t>(i), channels[i]));
    }
    return panel;
  } catch (const std::bad_alloc&) {
    return no_memory_for_panel();
  }
}

Result<Panel> read_panel(const Job& job, const TrainPlanned& planned) {
  CV_TRY(Panel panel, read_panel(job.source, planned.channels, planned.axis, planned.series, too_large_for(planned)));
  if (planned.bounds) planned.bounds->clamp(panel);
  return panel;
}

bool knows_anything(const Panel& panel) {
  return std::any_of(panel.series.begin(), panel.series.end(), [](const PanelSeries& series) {
    return !std::all_of(series.values.begin(), series.values.end(), [](float value) { return std::isnan(value); });
  });
}

// Every channel is read, since each may have a value that is refused; the rows themselves are the same for all.
Result<DataSeen> see_panel(const Job& job, const TrainPlanned& planned) {
  try {
    CV_TRY(Panel panel, blank_panel(planned.channels.size(), planned.series));
    PanelFiller filler(panel, planned.axis, too_large_for(planned));
    DataSeen seen;
    std::int64_t counted = 0;  // rows with a value, of the channel that has most
    for (std::size_t i = 0; i < planned.channels.size(); ++i) {
      CV_TRY(const std::unique_ptr<RecordSource> rows, open_channel(job.source, planned.channels[i]));
      WatchedRows watched(*rows, planned.axis, job.keys);
      const std::int64_t before = filler.counted();
      CV_CHECK(filler.fill(watched, static_cast<std::int64_t>(i), planned.channels[i]));
      counted = std::max(counted, filler.counted() - before);
      if (i > 0) continue;
      CV_TRY(seen, watched.seen(job.slots.zone));
    }
    seen.counted = counted;
    return seen;
  } catch (const std::bad_alloc&) {
    return no_memory_for_panel();
  }
}

}  // namespace chronoveil::engine
