// An Arrow stream of a release as the CSV that it should be, read by hand; and CSVs as Arrow streams of texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/time/slot_cursor.h"
#include "support/made_arrow.h"

namespace chronoveil::testing {

inline std::string cell_of(const ArrowSchema& schema, const ArrowArray& array, std::int64_t row) {
  const auto bit = [&](int buffer) {
    return (static_cast<const std::uint8_t*>(array.buffers[buffer])[row / 8] >> (row % 8) & 1) != 0;
  };
  const std::string_view format = schema.format;
  if (array.null_count > 0 && !bit(0)) return "";
  if (format == "b") return bit(1) ? "1" : "0";
  if (format == "g") return shortest(static_cast<const double*>(array.buffers[1])[row]);
  if (format == "tsm:UTC") return *data::label_at(static_cast<const std::int64_t*>(array.buffers[1])[row], "UTC");
  if (format == "tdD") {
    const std::int64_t day = static_cast<const std::int32_t*>(array.buffers[1])[row];
    return data::label_at(day * 86'400'000, "UTC")->substr(0, 10);
  }
  EXPECT_EQ(format, "U");
  const auto* const ends = static_cast<const std::int64_t*>(array.buffers[1]);
  return {static_cast<const char*>(array.buffers[2]) + ends[row], static_cast<std::size_t>(ends[row + 1] - ends[row])};
}

// Moves the last column out of its batch before the batch is released, as whoever takes it may.
inline std::string csv_of(ArrowArrayStream& stream) {
  ArrowSchema schema{};
  ArrowArray batch{}, end{};
  EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
  EXPECT_EQ(stream.get_next(&stream, &batch), 0);
  EXPECT_EQ(stream.get_next(&stream, &end), 0);
  EXPECT_EQ(end.release, nullptr);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(std::string_view(schema.format), "+s");
  std::vector<std::string> lines(static_cast<std::size_t>(batch.length) + 1);
  const auto add = [&](const ArrowSchema& kind, const ArrowArray& column, const char* after) {
    EXPECT_EQ(column.length, batch.length);
    lines[0] += kind.name + std::string(after);
    for (std::int64_t row = 0; row < column.length; ++row)
      lines[static_cast<std::size_t>(row) + 1] += cell_of(kind, column, row) + after;
  };
  for (std::int64_t i = 0; i + 1 < batch.n_children; ++i) add(*schema.children[i], *batch.children[i], ",");
  ArrowSchema last_kind = *schema.children[batch.n_children - 1];
  ArrowArray last = *batch.children[batch.n_children - 1];
  schema.children[batch.n_children - 1]->release = nullptr;
  batch.children[batch.n_children - 1]->release = nullptr;
  batch.release(&batch);
  schema.release(&schema);
  batch.length = last.length;
  add(last_kind, last, "\n");
  last.release(&last);
  last_kind.release(&last_kind);
  std::string csv;
  for (const std::string& line : lines) csv += line;
  return csv;
}

// In batches of so many rows.
inline MadeStream stream_of(const std::string& csv, std::size_t rows) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  for (const char c : csv) {
    if (c == '\n')
      lines.emplace_back(1);
    else if (c == ',')
      lines.back().emplace_back();
    else
      lines.back().back() += c;
  }
  lines.pop_back();
  std::vector<MadeBatch> batches;
  for (std::size_t first = 1; first < lines.size(); first += rows) {
    MadeBatch& batch = batches.emplace_back();
    for (std::size_t column = 0; column < lines[0].size(); ++column) {
      std::vector<std::string> cells;
      for (std::size_t i = first; i < std::min(first + rows, lines.size()); ++i) cells.push_back(lines[i][column]);
      batch.push_back(column % 2 == 0 ? texts(lines[0][column], cells) : text_views(lines[0][column], cells));
    }
  }
  return MadeStream(std::move(batches));
}

}  // namespace chronoveil::testing
