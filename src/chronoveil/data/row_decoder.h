// Text fields to records, the same for every kind of source: so that equal tables give equal batches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/count_reader.h"
#include "chronoveil/data/real_reader.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/data/source_spec.h"
#include "chronoveil/data/time/reader.h"

namespace chronoveil::data {

inline constexpr std::size_t kBatchRows = 8192;  // at most; a source may end a batch earlier

// The fields of one row by purpose. Absent ones stay empty.
struct RowFields {
  std::string_view user, time, series, value;
  std::string_view measure, longitude, latitude;
  std::vector<std::string_view> wide;  // one per column that is a series
};

class RowDecoder {
 public:
  // Checked here: zone, time format, names, and which columns go together.
  static Result<RowDecoder> make(const SourceSpec&);

  // Which column goes where.
  struct Wanted {
    std::string_view key;  // the key of the job: "user", "time", "series" ("place" beside a measure), "value", ...
    std::string column;
    std::string_view RowFields::*field;  // null: the column is a series
    std::size_t wide = 0;                // which
  };
  const std::vector<Wanted>& wanted() const { return wanted_; }
  // With room for every column.
  RowFields empty_row() const;

  // Empties the batch and makes room.
  static void begin(RecordBatch& batch, std::int64_t first_row);

  // Appends a row; if false, problem() says why and the batch is unchanged. Keeps views of user and series only.
  bool add(const RowFields& fields, RecordBatch& batch) {
    if (wide_) [[unlikely]] {
      return add_wide(fields, batch);
    }
    if (has_user_ && fields.user.empty()) [[unlikely]] {
      return refuse_user();
    }
    std::int64_t time = 0;
    if (const TimeProblem problem = time_reader_.read(fields.time, time); problem != TimeProblem::none) [[unlikely]] {
      return refuse_time(fields.time, problem);
    }
    std::int64_t value = 0;
    if (has_value_) {
      if (const CountProblem problem = read_count(fields.value, value); problem != CountProblem::none) [[unlikely]] {
        return refuse_value(value_, fields.value, problem);
      }
    }
    if (has_reals_ && !add_reals(fields, batch)) return false;  // the last that can fail
    if (has_value_) batch.value.push_back(value);
    if (has_user_) batch.user.push_back(fields.user);
    if (has_series_) batch.series.push_back(fields.series);
    batch.time.push_back(time);
    return true;
  }

  // "column ts: not a time ..."; never quotes a value.
  const std::string& problem() const { return problem_; }

 private:
  RowDecoder(const SourceSpec& spec, TimeReader time_reader);
  bool refuse_user();
  bool refuse_time(std::string_view text, TimeProblem problem);
  bool refuse_value(const std::string& column, std::string_view text, CountProblem problem);
  bool add_wide(const RowFields& fields, RecordBatch& batch);
  bool add_reals(const RowFields& fields, RecordBatch& batch);
  bool refuse_place();
  bool refuse_real(const std::string& column, std::string_view text, RealProblem problem);

  TimeReader time_reader_;
  bool has_user_, has_series_, has_value_, has_measure_, may_be_missing_, has_point_, has_reals_;
  std::string user_, time_, series_, value_, measure_, longitude_, latitude_;  // names of columns
  std::shared_ptr<const std::vector<std::string>> wide_;  // names of columns; null: the rows are not wide
  std::vector<std::int64_t> counts_;                      // of a wide row
  std::function<std::string_view(double, double)> key_of_point_;
  std::vector<Wanted> wanted_;
  std::string problem_;
};

// Finds the wanted columns among the names that a source has. A missing or doubled one is bad_data that names the
// wanted column and the number of columns, never a name that is not in the job. `where` is "the header", ...
struct ColumnPlace {
  std::size_t column;
  std::string_view RowFields::*field;
  std::size_t wide = 0;
};
inline std::string_view& field_at(RowFields& fields, const ColumnPlace& place) {
  return place.field != nullptr ? fields.*place.field : fields.wide[place.wide];
}
Result<std::vector<ColumnPlace>> place_columns(const RowDecoder&, const std::vector<std::string>& names,
                                               std::string_view where);

}  // namespace chronoveil::data
