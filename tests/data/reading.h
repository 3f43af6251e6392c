// What the tests of sources share: a table of rows that owns its texts, bytes from memory in pieces of a given size,
// and a zone for the process that is not UTC.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/source.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::data::testing {

// Nothing here may depend on the zone of the machine.
inline const bool kElsewhere = [] {
  setenv("TZ", "Pacific/Auckland", 1);
  tzset();
  return true;
}();

struct Table {
  std::vector<std::string> user, series;
  std::vector<std::int64_t> time, value;
  std::vector<double> measure = {}, longitude = {}, latitude = {};
  bool operator==(const Table&) const = default;
};

inline Result<Table> read_all(RecordSource& source) {
  Table table;
  RecordBatch batch;
  std::int64_t rows = 0;
  for (;;) {
    CV_TRY(const bool more, source.next(batch));
    if (!more) return table;
    EXPECT_GT(batch.rows(), 0U);
    EXPECT_EQ(batch.first_row, rows + 1);
    rows += static_cast<std::int64_t>(batch.rows() / batch.per_row);
    table.user.insert(table.user.end(), batch.user.begin(), batch.user.end());
    table.series.insert(table.series.end(), batch.series.begin(), batch.series.end());
    table.time.insert(table.time.end(), batch.time.begin(), batch.time.end());
    table.value.insert(table.value.end(), batch.value.begin(), batch.value.end());
    table.measure.insert(table.measure.end(), batch.measure.begin(), batch.measure.end());
    table.longitude.insert(table.longitude.end(), batch.longitude.begin(), batch.longitude.end());
    table.latitude.insert(table.latitude.end(), batch.latitude.begin(), batch.latitude.end());
  }
}

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t count = text_.copy(to, std::min(size, piece_), at_);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

inline SourceSpec time_only() {
  SourceSpec spec;
  spec.time = "ts";
  return spec;
}

inline SourceSpec all_columns() {
  SourceSpec spec;
  spec.user = "card";
  spec.time = "ts";
  spec.series = "stop";
  spec.value = "n";
  return spec;
}

inline Result<Table> read_csv(const std::string& text, const SourceSpec& spec, std::size_t piece = 1 << 20,
                              std::size_t window = kWindow) {
  CV_TRY(const std::unique_ptr<RecordSource> source,
         open_csv(std::make_unique<MemorySource>(text, piece), spec, window));
  return read_all(*source);
}

inline Result<Table> read_source(const SourceSpec& spec) {
  CV_TRY(const std::unique_ptr<RecordSource> source, open_source(spec));
  return read_all(*source);
}

template <class T>
std::string message(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

template <class T>
void expect_failure(const Result<T>& result, ErrorKind kind, std::string_view part) {
  ASSERT_FALSE(result.has_value()) << "expected an error with: " << part;
  EXPECT_EQ(result.error().kind, kind) << result.error().text();
  EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
  EXPECT_EQ(result.error().text().find('\n'), std::string::npos);
}

inline void expect_table(const SourceSpec& spec, const Table& wanted) {
  const Result<Table> read = read_source(spec);
  ASSERT_TRUE(read) << message(read);
  EXPECT_EQ(*read, wanted);
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace chronoveil::data::testing
