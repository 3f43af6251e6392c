#include "chronoveil/engine/train/job.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "chronoveil/data/field_rows.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/train/sign_lags.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;  // of training
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

// One column by source.value, or several by train.channels.
Result<void> complete_channels(const Section& section, Job& job) {
  if (section.has("channels") && job.source.value)
    return fail(ErrorKind::usage, "train.channels", "give either `train.channels` or `source.value`");
  if (section.has("channels") && job.train().channels.empty())
    return fail(ErrorKind::usage, "train.channels", "the list is empty; it must name at least one column");
  if (job.source.value) job.train().channels = {*job.source.value};
  job.source.value = std::nullopt;
  if (!job.train().channels.empty()) job.source.measure = job.train().channels.front();
  job.source.measure_may_be_missing = true;
  return {};
}

// An absent noise_unit follows from the bounds: clamping limits how far values can move.
Result<void> complete_bounds(const Section& section, TrainSpec& train) {
  CV_TRY(const std::optional<forecasting::ValueBounds> bounds, bounds_of(train));
  if (bounds && noises_windows(train) && !section.has("noise_unit")) train.noise_unit = largest_change(*bounds, train);
  return {};
}

Result<void> check_channels(const Job& job) {
  const std::vector<std::string>& channels = job.train().channels;
  if (channels.empty())
    return fail(ErrorKind::usage, "source.value",
                "it is missing; training needs the column to learn from, or `train.channels` for several");
  const std::string key = channels.size() == 1 ? "source.value" : "train.channels";
  std::unordered_set<std::string_view> seen;
  for (const std::string& column : channels) {
    if (column.empty()) return fail(ErrorKind::usage, key, "the name of a column is empty");
    if (!seen.insert(column).second) return fail(ErrorKind::usage, key, "'" + column + "' is there twice");
    if (column == job.source.time || column == job.source.series.value_or(""))
      return fail(ErrorKind::usage, key, "'" + column + "' is the column of times or of series");
  }
  if (channels.size() > 1 && job.source.path == "-")
    return fail(ErrorKind::usage, "source.path",
                "standard input can be read only once, for one channel; give the rows in a file");
  return {};
}

Result<void> check_unit(const Job& job) {
  if (job.unit == Unit::user && !job.max_steps)
    return fail(ErrorKind::usage, "privacy.max_steps",
                "it is missing; it declares how many steps of a series are one person's, for "
                "example max_steps = 8");
  if (job.max_steps == kAllSteps)
    return fail(ErrorKind::usage, "privacy.max_steps",
                "of training it must be a whole number: how many steps of a series are one person's; where a whole "
                "series is, the steps of the span");
  if (job.unit != Unit::user && job.max_steps)
    return fail(ErrorKind::usage, "privacy.max_steps", "it belongs to unit = \"user\" alone");
  if (!(job.delta > 0))
    return invalid("privacy.delta", job.delta,
                   "it must be greater than 0: the noise of training is Gaussian, which no epsilon alone describes");
  return {};
}

Result<void> check_number(std::string_view key, double value, bool good, std::string_view valid) {
  if (std::isfinite(value) && good) return {};
  return invalid("train." + std::string(key), value, valid);
}

Result<void> check_numbers(const TrainSpec& train) {
  constexpr std::string_view kPositive = "it must be a finite number greater than 0";
  constexpr std::string_view kNotNegative = "it must be a finite number of at least 0";
  CV_CHECK(check_number("clip", train.clip, train.clip > 0, kPositive));
  CV_CHECK(check_number("learning_rate", train.learning_rate, train.learning_rate > 0, kPositive));
  CV_CHECK(check_number("weight_decay", train.weight_decay, train.weight_decay >= 0, kNotNegative));
  CV_CHECK(check_number("average", train.average, train.average >= 0 && train.average < 1,
                        "it must be at least 0 and less than 1"));
  CV_CHECK(check_number("context_noise", train.context_noise, train.context_noise >= 0, kNotNegative));
  CV_CHECK(check_number("label_noise", train.label_noise, train.label_noise >= 0, kNotNegative));
  CV_CHECK(check_number("noise_unit", train.noise_unit, train.noise_unit > 0, kPositive));
  if (train.noise_multiplier)
    CV_CHECK(check_number("noise_multiplier", *train.noise_multiplier, *train.noise_multiplier > 0, kPositive));
  return {};
}

// Noise for changes that are smaller than the bounds allow would promise what clamping does not keep.
Result<void> check_bounds(const TrainSpec& train) {
  CV_TRY(const std::optional<forecasting::ValueBounds> bounds, bounds_of(train));
  if (!bounds || !noises_windows(train)) return {};
  const double least = largest_change(*bounds, train);
  if (train.noise_unit >= least) return {};
  return invalid("train.noise_unit", train.noise_unit,
                 "it must be at least " + shortest(least) +
                     ": so far a change can move the values of a step between `train.lower` and `train.upper`");
}

Result<void> check_counts(const TrainSpec& train) {
  CV_CHECK(at_least_one("train.windows_per_series", train.windows_per_series, kLargest));
  if (train.batch_size) CV_CHECK(at_least_one("train.batch_size", *train.batch_size, kLargest));
  if (train.batch_size && *train.batch_size < train.windows_per_series)
    return invalid("train.batch_size", std::to_string(*train.batch_size),
                   "it must be at least `train.windows_per_series`, " + std::to_string(train.windows_per_series));
  if (train.steps) CV_CHECK(at_least_one("train.steps", *train.steps, kMostSteps));
  CV_CHECK(at_least_one("train.checkpoint_every", train.checkpoint_every, kMostSteps));
  if (train.spare_steps < 0 || train.spare_steps > kMostSteps)
    return invalid("train.spare_steps", std::to_string(train.spare_steps),
                   "it must be a whole number between 0 and " + std::to_string(kMostSteps));
  if (train.initial_seed < 0)
    return invalid("train.initial_seed", std::to_string(train.initial_seed), "it must be a whole number of at least 0");
  if (!is_sign_lags(train.model.model) && !train.steps && !train.noise_multiplier)
    return fail(ErrorKind::usage, "train.noise_multiplier",
                "it is missing; give `train.noise_multiplier`, and the steps follow from epsilon "
                "and delta, or `train.steps`, and the noise follows");
  return {};
}

Result<void> check_spans(const Job& job) {
  const TrainSpec& train = job.train();
  if (train.spans_path.empty()) return {};
  if (same_file(train.spans_path, job.source.path))
    return fail(ErrorKind::usage, "train.spans", "'" + train.spans_path + "' is the source; the spans must be public");
  const std::unordered_set<std::string_view> listed(job.keys.begin(), job.keys.end());
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < train.spans.size(); ++i) {
    const std::string row = "row " + std::to_string(i + 1) + ": ";
    if (!listed.contains(train.spans[i].series))
      return fail(ErrorKind::usage, "train.spans",
                  row + "'" + train.spans[i].series + "' is not in the list of series");
    if (!seen.insert(train.spans[i].series).second)
      return fail(ErrorKind::usage, "train.spans",
                  row + "'" + train.spans[i].series + "' is there for the second time");
  }
  return {};
}

Result<std::vector<std::size_t>> columns_of(const std::vector<std::string>& names, const std::string& path) {
  std::vector<std::size_t> columns;
  for (const std::string_view wanted : {"series", "start", "end"}) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    if (found == names.end())
      return fail(ErrorKind::usage, "train.spans",
                  "'" + path + "' has no column " + std::string(wanted) + "; it must have series, start and end");
    columns.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return columns;
}

}  // namespace

Result<std::vector<TrainSpec::Span>> read_spans(const std::string& path) {
  const auto named = [](Error error) {
    error = under_key("train.spans", std::move(error));
    if (error.kind == ErrorKind::bad_data) error.kind = ErrorKind::usage;  // it is public, and part of the job
    return tl::unexpected(std::move(error));
  };
  Result<std::unique_ptr<data::FieldRows>> rows = data::open_field_rows({path, ',', true});
  if (!rows) return named(rows.error());
  CV_TRY(const std::vector<std::size_t> columns, columns_of((*rows)->columns(), path));
  std::vector<TrainSpec::Span> spans;
  while (true) {
    const Result<std::span<const std::string_view>> row = (*rows)->next();
    if (!row) return named(row.error());
    if (row->empty()) break;
    spans.push_back(
        {std::string((*row)[columns[0]]), std::string((*row)[columns[1]]), std::string((*row)[columns[2]])});
  }
  return spans;
}

Result<void> refuse_in_train(const JobTable& table) {
  for (const std::string_view other : {"places", "means", "perturb", "plan", "live", "mechanism"}) {
    if (!table.section(other).values().empty())
      return fail(ErrorKind::usage, "[" + std::string(other) + "]", "a job with [train] has no such section");
  }
  CV_CHECK(refuse(table, "source", {"user"},
                  "training protects steps of a series, and does not look at whose a row is; `privacy.max_steps` says "
                  "how many of them are one person's"));
  CV_CHECK(refuse(table, "source", {"duplicates"}, "a step of a series has one value; a second row is refused"));
  CV_CHECK(refuse(table, "series", {"disjoint"},
                  "it belongs to counts; that everybody is in one series is assumed of every training"));
  CV_CHECK(refuse(table, "privacy", {"max_per_slot", "maximum"}, "it belongs to counts"));
  CV_CHECK(refuse(table, "privacy", {"window"}, "it belongs to a job with [perturb]; training has `privacy.width`"));
  CV_CHECK(refuse(table, "privacy", {"relation"},
                  "training hides the values of steps whose times are public (replace_values), and nothing else"));
  return refuse(
      table, "output", {"csv", "level", "non_negative", "integers"},
      "it belongs to a release; training writes `output.model`, and `output.json` and `output.report` beside it");
}

namespace {

// Keys that a model which looks once has no use for: most say how to learn in steps.
Result<void> refuse_of_networks(const Section& section, const std::string& model) {
  constexpr std::string_view kItsOwn[] = {"model", "context_length", "forecast_length", "seasons", "channels", "spans"};
  for (const auto& [key, value] : section.values()) {
    if (std::find(std::begin(kItsOwn), std::end(kItsOwn), key) != std::end(kItsOwn)) continue;
    return fail(ErrorKind::usage, "train." + key,
                "it belongs to networks, which learn in steps; `train.model` is " +
                    (model == kAutoModel ? "left to the plan, which takes sign_lags: `train.model = "
                                           "\"simple_feed_forward\"` names a network"
                                         : std::string(model)) +
                    (key == "season" ? "; the seasons of sign_lags are `train.seasons`, for example [24, 168]" : ""));
  }
  return {};
}

}  // namespace

Result<void> complete_train(const JobTable& table, Job& job) {
  const Section& section = table.section("train");
  forecasting::ModelConfig& model = job.train().model;
  if (!section.has("model")) model.model = kAutoModel;
  if (is_sign_lags(model.model)) {
    CV_CHECK(refuse_of_networks(section, model.model));
  } else if (section.has("seasons")) {
    return fail(ErrorKind::usage, "train.seasons", "it belongs to sign_lags; networks have `train.season`");
  }
  for (const auto& [key, length] :
       {std::pair{"context_length", &model.context_length}, std::pair{"forecast_length", &model.forecast_length}}) {
    if (section.has(key)) CV_CHECK(at_least_one("train." + std::string(key), *length, kLargest));
    if (!section.has(key)) *length = 0;  // the plan chooses
  }
  CV_CHECK(complete_channels(section, job));
  CV_CHECK(complete_bounds(section, job.train()));
  if (job.train().output == "-") return invalid("output.model", "-", "it must be a file: a model is no text to print");
  return {};
}

Result<void> check_train(const Job& job) {
  if (job.relation != Relation::replace_values)
    return invalid("privacy.relation", name(job.relation), "it must be replace_values for training");
  CV_CHECK(check_channels(job));
  CV_CHECK(check_unit(job));
  CV_CHECK(check_numbers(job.train()));
  CV_CHECK(check_bounds(job.train()));
  CV_CHECK(check_counts(job.train()));
  return check_spans(job);
}

bool noises_windows(const TrainSpec& train) { return train.context_noise > 0 || train.label_noise > 0; }

Result<std::optional<forecasting::ValueBounds>> bounds_of(const TrainSpec& train) {
  if (!train.lower && !train.upper) return std::nullopt;
  if (!train.lower || !train.upper)
    return fail(ErrorKind::usage, train.lower ? "train.upper" : "train.lower",
                "it is missing; give both `train.lower` and `train.upper`, or neither");
  CV_TRY(const forecasting::ValueBounds bounds,
         by_key({"train"}, forecasting::ValueBounds::make(*train.lower, *train.upper)));
  return bounds;
}

double largest_change(const forecasting::ValueBounds& bounds, const TrainSpec& train) {
  return bounds.largest_change(static_cast<std::int64_t>(train.channels.size()));
}

std::int64_t changed_steps(const Job& job) {
  switch (job.unit) {
    case Unit::event: return 1;
    case Unit::w_event: return job.width;
    case Unit::user: return job.max_steps.value_or(1);
  }
  return 1;
}

}  // namespace chronoveil::engine
