#include "chronoveil/data/row_decoder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chronoveil/data/decimal_comma.h"

namespace chronoveil::data {

Result<RowDecoder> RowDecoder::make(const SourceSpec& spec) {
  CV_TRY(std::shared_ptr<const Zone> zone, Zone::find(spec.zone));
  CV_TRY(TimeReader reader, TimeReader::make(spec.time_format, std::move(zone)));
  for (const auto* column : {&spec.user, &spec.series, &spec.value, &spec.measure, &spec.longitude, &spec.latitude}) {
    if (*column && (*column)->empty()) return fail(ErrorKind::usage, "source", "a column's name must not be empty");
  }
  if (spec.time.empty()) return fail(ErrorKind::usage, "time", "it must name a column");
  if (spec.measure && spec.value) {
    return fail(ErrorKind::usage, "source.value", "a record has a count or a value of which means are made, not both");
  }
  if (spec.longitude.has_value() != spec.latitude.has_value()) {
    return fail(ErrorKind::usage, spec.longitude ? "source.latitude" : "source.longitude",
                "it is missing; a point needs longitude and latitude");
  }
  if (spec.longitude && spec.series) {
    return fail(ErrorKind::usage, "source.longitude", "a record is placed by a column or by a point, not by both");
  }
  if (!spec.wide.empty() && (spec.series || spec.value || spec.measure || spec.longitude)) {
    return fail(ErrorKind::usage, "source.wide",
                "the columns are the series, and their fields are the counts; it goes with user and time alone");
  }
  return RowDecoder(spec, std::move(reader));
}

RowDecoder::RowDecoder(const SourceSpec& spec, TimeReader time_reader)
    : time_reader_(std::move(time_reader)),
      has_user_(spec.user.has_value()),
      has_series_(spec.series.has_value()),
      has_value_(spec.value.has_value()),
      has_measure_(spec.measure.has_value()),
      may_be_missing_(spec.measure_may_be_missing),
      has_point_(spec.longitude.has_value()),
      has_reals_(has_measure_ || has_point_),
      user_(spec.user.value_or("")),
      time_(spec.time),
      series_(spec.series.value_or("")),
      value_(spec.value.value_or("")),
      measure_(spec.measure.value_or("")),
      longitude_(spec.longitude.value_or("")),
      latitude_(spec.latitude.value_or("")),
      wide_(spec.wide.empty() ? nullptr : std::make_shared<const std::vector<std::string>>(spec.wide)),
      key_of_point_(spec.key_of_point) {
  if (spec.user) wanted_.push_back({"user", *spec.user, &RowFields::user});
  wanted_.push_back({"time", spec.time, &RowFields::time});
  if (spec.series)
    wanted_.push_back(
        {spec.measure && !spec.measure_may_be_missing ? "place" : "series", *spec.series, &RowFields::series});
  if (spec.value) wanted_.push_back({"value", *spec.value, &RowFields::value});
  if (spec.measure) wanted_.push_back({"value", *spec.measure, &RowFields::measure});
  if (spec.longitude) wanted_.push_back({"longitude", *spec.longitude, &RowFields::longitude});
  if (spec.latitude) wanted_.push_back({"latitude", *spec.latitude, &RowFields::latitude});
  for (std::size_t i = 0; i < spec.wide.size(); ++i) wanted_.push_back({"wide", spec.wide[i], nullptr, i});
}

RowFields RowDecoder::empty_row() const {
  RowFields fields;
  if (wide_) fields.wide.resize(wide_->size());
  return fields;
}

void RowDecoder::begin(RecordBatch& batch, std::int64_t first_row) {
  batch.user.clear();
  batch.time.clear();
  batch.series.clear();
  batch.value.clear();
  batch.measure.clear();
  batch.longitude.clear();
  batch.latitude.clear();
  batch.per_row = 1;
  batch.first_row = first_row;
}

bool RowDecoder::refuse_user() {
  problem_ = "column " + user_ + ": empty; every record needs a user";
  return false;
}

bool RowDecoder::refuse_time(std::string_view text, TimeProblem problem) {
  problem_ = "column " + time_ + ": " +
             (text.empty() ? "empty; every record needs a time" : time_reader_.explain(problem, text));
  return false;
}

bool RowDecoder::refuse_value(const std::string& column, std::string_view text, CountProblem problem) {
  const bool comma = problem == CountProblem::form && has_one_comma(text);
  problem_ = "column " + column + ": " + std::string(comma ? kNoCommas : explain(problem));
  return false;
}

bool RowDecoder::add_wide(const RowFields& fields, RecordBatch& batch) {
  if (has_user_ && fields.user.empty()) return refuse_user();
  std::int64_t time = 0;
  if (const TimeProblem problem = time_reader_.read(fields.time, time); problem != TimeProblem::none)
    return refuse_time(fields.time, problem);
  counts_.clear();
  for (std::size_t i = 0; i < wide_->size(); ++i) {
    if (const CountProblem problem = read_count(fields.wide[i], counts_.emplace_back()); problem != CountProblem::none)
      return refuse_value((*wide_)[i], fields.wide[i], problem);
  }
  batch.per_row = wide_->size();
  batch.value.insert(batch.value.end(), counts_.begin(), counts_.end());
  batch.series.insert(batch.series.end(), wide_->begin(), wide_->end());
  batch.time.insert(batch.time.end(), wide_->size(), time);
  if (has_user_) batch.user.insert(batch.user.end(), wide_->size(), fields.user);
  return true;
}

bool RowDecoder::add_reals(const RowFields& fields, RecordBatch& batch) {
  double measure = 0;
  if (has_measure_) {
    if (has_series_ && fields.series.empty()) return refuse_place();
    const RealProblem problem = read_real(fields.measure, measure);
    if (problem == RealProblem::empty && may_be_missing_)
      measure = std::numeric_limits<double>::quiet_NaN();
    else if (problem != RealProblem::none)
      return refuse_real(measure_, fields.measure, problem);
  }
  if (has_point_) {
    double longitude = 0, latitude = 0;
    RealProblem problem = read_real(fields.longitude, longitude);
    if (problem != RealProblem::none) return refuse_real(longitude_, fields.longitude, problem);
    problem = read_real(fields.latitude, latitude);
    if (problem != RealProblem::none) return refuse_real(latitude_, fields.latitude, problem);
    if (key_of_point_) {
      batch.series.push_back(key_of_point_(longitude, latitude));
    } else {
      batch.longitude.push_back(longitude);
      batch.latitude.push_back(latitude);
    }
  }
  if (has_measure_) batch.measure.push_back(measure);
  return true;
}

bool RowDecoder::refuse_place() {
  problem_ = "column " + series_ + ": empty; every record needs a " + std::string(may_be_missing_ ? "series" : "place");
  return false;
}

bool RowDecoder::refuse_real(const std::string& column, std::string_view text, RealProblem problem) {
  const bool comma = problem == RealProblem::form && has_one_comma(text);
  problem_ = "column " + column + ": " + std::string(comma ? kNoCommas : explain(problem));
  return false;
}

namespace {

// What the names let one suspect where a column is missing; says no name that the job does not say.
std::string hint(const std::string& column, const std::vector<std::string>& names) {
  if (names.size() == 1) {
    for (const char other : {',', ';', '\t', '|'})
      if (names.front().find(other) != std::string::npos)
        return "; is the delimiter " + (other == '\t' ? "a tab" : "'" + std::string(1, other) + "'") +
               "? `source.delimiter` says it";
  }
  const auto plain = [](const std::string& name) {
    std::string letters;
    for (const char c : name)
      if (c != ' ' && c != '\t' && c != '"' && c != '\'')
        letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    return letters;
  };
  const bool alike =
      std::any_of(names.begin(), names.end(), [&](const std::string& name) { return plain(name) == plain(column); });
  return alike ? "; one differs only in capitals, blanks or quotes" : "";
}

}  // namespace

Result<std::vector<ColumnPlace>> place_columns(const RowDecoder& decoder, const std::vector<std::string>& names,
                                               std::string_view where) {
  std::vector<ColumnPlace> places;
  places.reserve(decoder.wanted().size());
  for (const RowDecoder::Wanted& wanted : decoder.wanted()) {
    const auto found = std::find(names.begin(), names.end(), wanted.column);
    const std::string what = "column " + wanted.column;
    if (found == names.end()) {
      return fail(ErrorKind::bad_data, wanted.key,
                  what + " is not among the " + std::to_string(names.size()) + " of " + std::string(where) +
                      " (names count exactly as written)" + hint(wanted.column, names));
    }
    if (std::find(found + 1, names.end(), wanted.column) != names.end()) {
      return fail(ErrorKind::bad_data, wanted.key, what + " is there more than once in " + std::string(where));
    }
    places.push_back({static_cast<std::size_t>(found - names.begin()), wanted.field, wanted.wide});
  }
  return places;
}

}  // namespace chronoveil::data
