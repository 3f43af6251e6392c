#include "chronoveil/data/memory/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace chronoveil::data {
namespace {

class MemorySource final : public RecordSource {
 public:
  MemorySource(std::shared_ptr<const Table> table, BatchDecoder decoder)
      : table_(std::move(table)), decoder_(std::move(decoder)) {}

  // Opens every batch before the first row is read.
  Result<void> open() {
    CV_CHECK(check_table(*table_));
    return decoder_.open(table_->batches.front());
  }

  Result<bool> next(RecordBatch& batch) override {
    decoder_.begin(batch, rows_ + 1);
    for (; batch_ < table_->batches.size() && batch.rows() == 0; ++batch_, row_ = 0) {
      const Batch& from = table_->batches[batch_];
      CV_CHECK(decoder_.open(from));
      const std::size_t end = std::min(from.front().rows(), row_ + kBatchRows);
      const std::size_t added = decoder_.fill(row_, end, batch);
      rows_ += static_cast<std::int64_t>(added);
      row_ += added;
      if (row_ < end) return bad_row(rows_ + 1, decoder_.problem());
      if (row_ < from.front().rows()) break;
    }
    return batch.rows() > 0;
  }

 private:
  std::shared_ptr<const Table> table_;
  BatchDecoder decoder_;
  std::size_t batch_ = 0, row_ = 0;
  std::int64_t rows_ = 0;
};

class MemoryRows final : public FieldRows {
 public:
  explicit MemoryRows(std::shared_ptr<const Table> table)
      : table_(std::move(table)),
        columns_(names_of(table_->batches.front())),
        fields_(columns_.size()),
        rooms_(columns_.size()) {}

  const std::vector<std::string>& columns() const override { return columns_; }

  Result<std::span<const std::string_view>> next() override {
    while (batch_ < table_->batches.size() && row_ == table_->batches[batch_].front().rows()) {
      ++batch_;
      row_ = 0;
    }
    if (batch_ == table_->batches.size()) return std::span<const std::string_view>();
    const Batch& from = table_->batches[batch_];
    std::string problem;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      if (!read_cell(from[i], row_, rooms_[i], fields_[i], problem)) return bad_row(rows_ + 1, problem);
    ++row_;
    ++rows_;
    return std::span<const std::string_view>(fields_);
  }

  std::int64_t rows() const override { return rows_; }

 private:
  std::shared_ptr<const Table> table_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::vector<CellRoom> rooms_;
  std::size_t batch_ = 0, row_ = 0;
  std::int64_t rows_ = 0;
};

Result<void> check_there(const std::shared_ptr<const Table>& table) {
  if (table == nullptr)
    return fail(ErrorKind::usage, "kind", "memory is for programs that pass their rows, but no rows were passed");
  return {};
}

}  // namespace

Failure bad_row(std::int64_t row, const std::string& why) {
  return fail(ErrorKind::bad_data, "row " + std::to_string(row) + ": " + why);
}

Result<BatchDecoder> BatchDecoder::make(const SourceSpec& spec) {
  CV_TRY(ColumnDecoder columns, ColumnDecoder::make(spec));
  CV_TRY(RowDecoder texts, RowDecoder::make(spec));
  SourceSpec typed = spec;
  typed.time_format = "epoch_ms";
  CV_TRY(RowDecoder instants, RowDecoder::make(typed));
  typed.time_format = "iso8601";
  CV_TRY(RowDecoder local, RowDecoder::make(typed));
  return BatchDecoder(spec.measure_may_be_missing, std::move(columns), std::move(texts), std::move(instants),
                      std::move(local));
}

Result<void> BatchDecoder::open(const Batch& batch) {
  CV_CHECK(check_batch(batch));
  CV_TRY(places_, place_columns(texts_, names_of(batch), "the table"));
  rooms_.resize(places_.size());
  by_ = &BatchDecoder::texts_;
  for (const ColumnPlace& place : places_) {
    if (place.field != &RowFields::time) continue;
    const Cells& times = batch[place.column].cells;
    if (std::holds_alternative<Instants>(times)) by_ = &BatchDecoder::instants_;
    if (std::holds_alternative<LocalTimes>(times)) by_ = &BatchDecoder::local_;
  }
  batch_ = &batch;
  return {};
}

void BatchDecoder::begin(RecordBatch& records, std::int64_t first_row) {
  RowDecoder::begin(records, first_row);
  kept_->release();
}

std::size_t BatchDecoder::fill(std::size_t first, std::size_t end, RecordBatch& records) {
  if (columns_.fill(*batch_, places_, first, end, *kept_, records)) return end - first;
  std::size_t row = first;
  while (row < end && add(row, records)) ++row;
  return row - first;
}

bool BatchDecoder::add(std::size_t row, RecordBatch& records) {
  RowFields fields = texts_.empty_row();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const ColumnPlace& place = places_[i];
    const Column& column = (*batch_)[place.column];
    std::string_view& text = field_at(fields, place);
    if (place.field == &RowFields::measure && may_be_missing_ && is_missing(column, row)) continue;
    if (place.field == &RowFields::time && by_ == &BatchDecoder::instants_ && is_present(column, row)) {
      text = digits_of(std::get<Instants>(column.cells).milliseconds[row], rooms_[i]);
      continue;
    }
    if (!read_cell(column, row, rooms_[i], text, problem_)) return false;
    if (!is_text(column) && (place.field == &RowFields::user || place.field == &RowFields::series)) text = keep(text);
  }
  RowDecoder& decoder = this->*by_;
  if (decoder.add(fields, records)) return true;
  problem_ = decoder.problem();
  return false;
}

std::string_view BatchDecoder::keep(std::string_view text) {
  char* const copy = static_cast<char*>(kept_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

Result<std::unique_ptr<RecordSource>> open_memory(const SourceSpec& spec) {
  CV_CHECK(check_there(spec.rows));
  CV_TRY(BatchDecoder decoder, BatchDecoder::make(spec));
  auto source = std::make_unique<MemorySource>(spec.rows, std::move(decoder));
  CV_CHECK(source->open());
  return source;
}

Result<std::unique_ptr<FieldRows>> open_memory_rows(std::shared_ptr<const Table> table) {
  CV_CHECK(check_there(table));
  CV_CHECK(check_table(*table));
  return std::make_unique<MemoryRows>(std::move(table));
}

}  // namespace chronoveil::data
