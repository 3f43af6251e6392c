// Rows as bounding needs them: who, by exact name and by hash; in which cell; how much. They hold no views into the
// batch that they were made from, so the next one can be read while they are used.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/string_table.h"
#include "chronoveil/bound/tables/text_buffer.h"

namespace chronoveil::bound {

struct PlacedRow {
  ShortText user;
  std::uint32_t cell = 0;
  std::uint64_t person = 0;  // the hash of the user
  std::int64_t amount = 0;   // at least 1
};

struct PlacedRows {
  std::vector<PlacedRow> rows;
  TextBuffer texts;
};

class RowPlacer {
 public:
  RowPlacer(data::RecordSource& source, const CellFinder& finder, const SipHash& person_hash)
      : source_(source), finder_(finder), person_hash_(person_hash) {}

  // The rows of the next batch that count; false at the end. Refuses rows without a user and negative amounts.
  Result<bool> next(PlacedRows&);

  const LeftOut& left_out() const { return left_out_; }

 private:
  data::RecordSource& source_;
  const CellFinder& finder_;
  SipHash person_hash_;
  LeftOut left_out_;
  data::RecordBatch batch_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace chronoveil::bound
