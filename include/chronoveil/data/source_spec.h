// Where records come from and which column is what: [source] of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "chronoveil/data/memory/table.h"

namespace chronoveil::data {

enum class SourceKind { csv, sqlite, postgresql, memory };

struct SourceSpec {
  SourceKind kind = SourceKind::csv;
  std::string path;   // csv: a file (plain, gzip or xz, by its first bytes) or "-"; sqlite: a database file
  std::string url;    // postgresql
  std::string query;  // sqlite, postgresql: a SELECT; or `table`
  std::string table;
  std::shared_ptr<const Table> rows;     // memory: what a program hands over
  std::optional<std::string> user;       // absent: counts whose caps are declared
  std::string time = "time";             // a column's name, or its number from 1 when there is no header
  std::optional<std::string> series;     // absent: one series
  std::optional<std::string> value;      // absent: every row counts 1
  std::optional<std::string> measure;    // a real number in every row, for means; not with `value`
  bool measure_may_be_missing = false;   // an empty measure is NaN, a missing value, instead of an error
  std::optional<std::string> longitude;  // degrees, both or none; then no `series`
  std::optional<std::string> latitude;
  std::string time_format = "iso8601";  // "iso8601", "epoch", "epoch_ms", or a strftime-like format ("%d/%m/%Y %H:%M")
  std::string zone = "UTC";             // of timestamps that carry no offset
  char delimiter = ',';                 // csv
  bool header = true;                   // csv
};

}  // namespace chronoveil::data
