// Releases as Arrow streams: the rows of their CSVs, with types.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/base/place_degrees.h"
#include "chronoveil/base/plain_text.h"
#include "chronoveil/chronoveil.h"
#include "chronoveil/data/csv/source.h"
#include "chronoveil/data/field_rows.h"
#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/reader.h"
#include "chronoveil/library/arrow_table.h"

namespace chronoveil {
namespace {

std::int32_t day_in(std::string_view label) {  // "2026-03-01..."
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char c : label.substr(at, digits)) value = value * 10 + (c - '0');
    return value;
  };
  return static_cast<std::int32_t>(data::days_from_civil(number(0, 4), number(5, 2), number(8, 2)));
}

// The starts of all slots, once per series or place.
void add_slots(ArrowTable& table, const char* name, const SlotAxis& axis, std::int64_t times) {
  if (time_form_of(axis) == TimeForm::date) {
    std::vector<std::int32_t> days;
    for (std::int64_t i = 0; i < times; ++i)
      for (const std::string& label : axis.labels) days.push_back(day_in(label));
    return table.add_days(name, std::move(days));
  }
  std::vector<std::int64_t> instants;
  for (std::int64_t i = 0; i < times; ++i)
    instants.insert(instants.end(), axis.boundaries.begin(), axis.boundaries.begin() + axis.steps());
  table.add_instants(name, std::move(instants), axis.zone);
}

// What is not private says so in every row.
void add_mark(ArrowTable& table, std::size_t rows, const std::string& mark) {
  if (!mark.empty()) table.add_texts("mark", rows, [&](std::size_t) -> const std::string& { return mark; });
}

// The name of the series or place of each row, which has so many steps.
void add_names(ArrowTable& table, const char* name, const std::vector<std::string>& keys, std::size_t rows,
               std::size_t steps) {
  std::vector<std::string> shown;
  for (const std::string& key : keys) shown.push_back(visible(key));
  const std::string unnamed;
  table.add_texts(name, rows,
                  [&](std::size_t row) -> const std::string& { return shown.empty() ? unnamed : shown[row / steps]; });
}

// On a grid, of the place of each row.
void add_middles(ArrowTable& table, const std::optional<PlaceGrid>& grid, std::size_t rows, std::size_t steps) {
  if (!grid) return;
  for (const auto& [name, degrees] :
       {std::pair{"longitude", &Degrees::longitude}, std::pair{"latitude", &Degrees::latitude}}) {
    std::vector<double> numbers;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto place = static_cast<std::int64_t>(row / steps);
      numbers.push_back(degrees_of(grid->spec(), grid->middle_of(place)).*degrees);
    }
    table.add_reals(name, std::move(numbers));
  }
}

Result<ArrowTable> table_of(const report::Published& published) {
  const Release& release = published.release;
  const Estimate& estimate = release.estimate;
  const std::size_t rows = estimate.value.size();
  const auto steps = static_cast<std::size_t>(release.axis.steps());
  ArrowTable table;
  if (!release.keys.empty()) add_names(table, "series", release.keys, rows, steps);
  add_slots(table, "time", release.axis, release.series());
  table.add_reals("value", estimate.value);
  table.add_reals("lower", estimate.lower);
  table.add_reals("upper", estimate.upper);
  table.add_bools("sampled", std::vector<bool>(estimate.sampled.begin(), estimate.sampled.end()));
  add_mark(table, rows, release.mark);
  add_middles(table, release.grid, rows, steps);
  return table;
}

Result<ArrowTable> table_of(const report::MeansPublished& published) {
  const MeansRelease& release = published.release;
  const std::size_t rows = release.cells.size();
  const auto steps = static_cast<std::size_t>(release.axis.steps());
  ArrowTable table;
  add_names(table, "place", release.places, rows, steps);
  add_slots(table, "slot", release.axis, release.place_count());
  std::vector<std::pair<const char*, double CellEstimate::*>> columns{
      {"mean", &CellEstimate::mean}, {"lower", &CellEstimate::lower}, {"upper", &CellEstimate::upper}};
  if (release.smoothed != Smoothed::no) {
    columns.emplace_back("measured", &CellEstimate::measured);
    columns.emplace_back("deviation", &CellEstimate::deviation);
  }
  for (const auto& [name, number] : columns) {
    std::vector<double> numbers;
    for (const CellEstimate& cell : release.cells)
      numbers.push_back(cell.state == CellEstimate::State::published ? cell.*number
                                                                     : std::numeric_limits<double>::quiet_NaN());
    table.add_reals(name, std::move(numbers));
  }
  add_mark(table, rows, release.mark);
  add_middles(table, release.grid, rows, steps);
  return table;
}

class TextBytes final : public data::ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t count = text_.copy(to, size);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

// The rows are written with the delimiter of the input, which follows the first name, quoted or not.
char delimiter_of(std::string_view csv, std::string_view first) {
  const auto quotes = static_cast<std::size_t>(std::count(first.begin(), first.end(), '"'));
  const std::size_t written = csv.front() == '"' ? first.size() + quotes + 2 : first.size();
  return written < csv.size() && csv[written] != '\n' ? csv[written] : ',';
}

Result<ArrowTable> table_of(const engine::PerturbedRelease& release) {
  if (release.csv.empty())
    return fail(ErrorKind::usage, "output.csv", "the rows of this release left as they came, so they are not here");
  const std::string& first = !release.time.empty()   ? release.time
                             : !release.kept.empty() ? release.kept.front()
                                                     : release.columns.front();
  data::FieldRowsSpec spec;
  spec.delimiter = delimiter_of(release.csv, first);
  CV_TRY(
      const std::unique_ptr<data::FieldRows> rows,
      data::read_field_rows(std::make_unique<TextBytes>(release.csv), spec, data::RowsFrom::file, {}, data::kWindow));
  std::vector<std::vector<std::string>> cells(rows->columns().size());
  while (true) {
    CV_TRY(const std::span<const std::string_view> fields, rows->next());
    if (fields.empty()) break;
    for (std::size_t i = 0; i < fields.size(); ++i) cells[i].emplace_back(fields[i]);
  }
  ArrowTable table;
  for (std::size_t i = 0; i < cells.size(); ++i)
    table.add_texts(rows->columns()[i], cells[i].size(),
                    [&](std::size_t row) { return std::string_view(cells[i][row]); });
  return table;
}

}  // namespace

Result<void> to_arrow(const AnyRelease& release, ArrowArrayStream* out) {
  CV_TRY(ArrowTable table, std::visit([](const auto& published) { return table_of(published); }, release));
  ArrowTable::hand_out(std::move(table), out);
  return {};
}

Result<void> LiveSession::to_arrow(const PublishedSteps& steps, ArrowArrayStream* out) const {
  ArrowTable table;
  const auto add_reals = [&](const char* name, double PublishedStep::*number) {
    std::vector<double> numbers;
    for (const PublishedStep& step : steps) numbers.push_back(step.*number);
    table.add_reals(name, std::move(numbers));
  };
  const Form form = this->form();
  if (form.named) table.add_texts("series", steps.size(), [&](std::size_t row) { return steps[row].series; });
  if (form.days) {
    std::vector<std::int32_t> days;
    for (const PublishedStep& step : steps) days.push_back(day_in(step.time));
    table.add_days("time", std::move(days));
  } else {
    CV_TRY(std::shared_ptr<const data::Zone> zone, data::Zone::find(form.zone));
    CV_TRY(data::TimeReader reader, data::TimeReader::make("iso8601", std::move(zone)));
    std::vector<std::int64_t> instants;
    for (const PublishedStep& step : steps)
      if (reader.read(step.time, instants.emplace_back()) != data::TimeProblem::none)
        return fail(ErrorKind::usage, "steps", "a time in them is not one of a published step");
    table.add_instants("time", std::move(instants), form.zone);
  }
  add_reals("value", &PublishedStep::value);
  add_reals("lower", &PublishedStep::lower);
  add_reals("upper", &PublishedStep::upper);
  std::vector<bool> sampled;
  for (const PublishedStep& step : steps) sampled.push_back(step.sampled);
  table.add_bools("sampled", sampled);
  add_mark(table, steps.size(), form.mark);
  ArrowTable::hand_out(std::move(table), out);
  return {};
}

}  // namespace chronoveil
