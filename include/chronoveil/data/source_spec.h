// Where records come from and which column is what: [source] of a job.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/data/memory/table.h"

namespace chronoveil::data {

class ArrowStream;  // of read_from() in chronoveil.h

enum class SourceKind { csv, sqlite, postgresql, memory };

struct SourceSpec {
  SourceKind kind = SourceKind::csv;
  std::string path;   // csv: a file (plain, gzip or xz, by its first bytes) or "-"; sqlite: a database file
  std::string url;    // postgresql
  std::string query;  // sqlite, postgresql: a SELECT; or `table`
  std::string table;
  std::shared_ptr<const Table> rows;     // memory: what a program hands over,
  std::shared_ptr<ArrowStream> stream;   // or this
  std::optional<std::string> user;       // absent: counts whose caps are declared
  std::string time = "time";             // a column's name, or its number from 1 when there is no header
  std::optional<std::string> series;     // absent: one series
  std::optional<std::string> value;      // absent: every row counts 1
  std::optional<std::string> measure;    // a real number in every row, for means; not with `value`
  bool measure_may_be_missing = false;   // an empty measure is NaN, a missing value, instead of an error
  std::optional<std::string> longitude;  // degrees, both or none; then no `series`
  std::optional<std::string> latitude;
  // The public key of a point, or one that is not listed; the records then have series instead of points.
  std::function<std::string_view(double longitude, double latitude)> key_of_point;
  // Columns that are series: a row has a count for each. Then no `series`, `value`, `measure` or point.
  std::vector<std::string> wide;
  std::string time_format = "iso8601";  // "iso8601", "epoch", "epoch_ms", "epoch_min", or like strftime ("%d/%m/%Y")
  std::string zone = "UTC";             // of timestamps that carry no offset
  std::optional<char> delimiter;        // csv; absent: as its header shows, "," without one
  bool header = true;                   // csv
};

}  // namespace chronoveil::data
