#include "chronoveil/data/arrow/stream.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "chronoveil/data/arrow/batch.h"
#include "chronoveil/data/memory/source.h"

namespace chronoveil::data {
namespace {

Failure producer_failed(int error) {
  return fail(ErrorKind::storage, "source.rows",
              std::string("the producer of the Arrow stream failed: ") + std::strerror(error) +
                  " (its own message is left out, since it may quote data)");
}

// The rows of a stream, a part at a time.
class ArrowParts {
 public:
  ArrowParts(std::shared_ptr<ArrowStream> stream, std::vector<std::size_t> used)
      : stream_(std::move(stream)), batch_(stream_->columns(), std::move(used)) {}

  // Null at the end.
  Result<const Batch*> next() {
    if (!std::exchange(begun_, true)) CV_CHECK(stream_->begin());
    while (true) {
      CV_TRY(const Batch* part, batch_.next(kBatchRows));
      if (part->front().rows() > 0) return part;
      batch_.close();  // given back before the next is asked for
      CV_TRY(Owned<ArrowArray> array, stream_->next());
      if (!array) return nullptr;
      CV_CHECK(batch_.open(std::move(array)));
    }
  }

 private:
  std::shared_ptr<ArrowStream> stream_;
  ArrowBatch batch_;
  bool begun_ = false;
};

class ArrowSource final : public RecordSource {
 public:
  ArrowSource(ArrowParts parts, BatchDecoder decoder) : parts_(std::move(parts)), decoder_(std::move(decoder)) {}

  Result<bool> next(RecordBatch& batch) override {
    decoder_.begin(batch, rows_ + 1);
    CV_TRY(const Batch* part, parts_.next());
    if (part == nullptr) return false;
    CV_CHECK(decoder_.open(*part));
    const std::size_t rows = part->front().rows(), added = decoder_.fill(0, rows, batch);
    rows_ += static_cast<std::int64_t>(added);
    if (added < rows) return bad_row(rows_ + 1, decoder_.problem());
    return true;
  }

 private:
  ArrowParts parts_;
  BatchDecoder decoder_;
  std::int64_t rows_ = 0;
};

class ArrowRows final : public FieldRows {
 public:
  ArrowRows(std::shared_ptr<ArrowStream> stream, MissingCell missing)
      : stream_(std::move(stream)),
        missing_(missing),
        columns_(names_of(stream_->columns())),
        fields_(columns_.size()),
        rooms_(columns_.size()),
        used_(columns_.size()) {
    std::iota(used_.begin(), used_.end(), std::size_t{0});
  }

  const std::vector<std::string>& columns() const override { return columns_; }

  Result<void> use(const std::vector<std::size_t>& columns) override {
    used_ = columns;
    std::sort(used_.begin(), used_.end());
    return check_used();
  }

  Result<std::span<const std::string_view>> next() override {
    if (!parts_) {
      CV_CHECK(check_used());
      parts_.emplace(stream_, used_);
    }
    if (part_ == nullptr || row_ == part_->front().rows()) {
      CV_TRY(part_, parts_->next());
      row_ = 0;
      if (part_ == nullptr) return std::span<const std::string_view>();
    }
    std::string problem;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Column& column = (*part_)[i];
      std::string_view& field = fields_[used_[i]];
      if (missing_ == MissingCell::empty && is_missing(column, row_))
        field = {};
      else if (!read_cell(column, row_, rooms_[i], field, problem))
        return bad_row(rows_ + 1, problem);
    }
    ++row_;
    ++rows_;
    return std::span<const std::string_view>(fields_);
  }

  std::int64_t rows() const override { return rows_; }

 private:
  Result<void> check_used() const {
    for (const std::size_t column : used_) CV_CHECK(check_usable(stream_->columns()[column]));
    return {};
  }

  std::shared_ptr<ArrowStream> stream_;
  MissingCell missing_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  std::vector<CellRoom> rooms_;
  std::vector<std::size_t> used_;
  std::optional<ArrowParts> parts_;
  const Batch* part_ = nullptr;
  std::size_t row_ = 0;
  std::int64_t rows_ = 0;
};

// The same batch for one more reader. Its columns are released with the last.
Owned<ArrowArray> lent(const std::shared_ptr<Owned<ArrowArray>>& kept) {
  ArrowArray array = **kept;
  array.private_data = new std::shared_ptr<Owned<ArrowArray>>(kept);
  array.release = [](ArrowArray* given_back) {
    delete static_cast<std::shared_ptr<Owned<ArrowArray>>*>(given_back->private_data);
    given_back->release = nullptr;
  };
  return Owned<ArrowArray>(&array);
}

}  // namespace

Result<std::shared_ptr<ArrowStream>> ArrowStream::take(ArrowArrayStream& from, Reads reads) {
  if (from.release == nullptr)
    return fail(ErrorKind::usage, "source.rows", "the Arrow stream was taken before; a stream can be read once");
  auto taken = std::make_shared<ArrowStream>();
  taken->reads_ = reads;
  taken->stream_ = Owned<ArrowArrayStream>(&from);
  ArrowSchema schema{};
  ArrowArrayStream* const stream = taken->stream_.get();
  if (const int error = stream->get_schema(stream, &schema); error != 0) return producer_failed(error);
  const Owned<ArrowSchema> held(&schema);
  CV_TRY(taken->columns_, columns_of(*held));
  return taken;
}

Result<void> ArrowStream::check_unread() const {
  if (begun_ && reads_ == Reads::once)
    return fail(
        ErrorKind::usage, "source.rows",
        "the Arrow stream was read before, by a run or a check; a stream can be read once, so hand over a new one");
  return {};
}

Result<void> ArrowStream::begin() {
  CV_CHECK(check_unread());
  begun_ = true;
  next_ = 0;
  return {};
}

Result<Owned<ArrowArray>> ArrowStream::next() {
  if (error_ != 0) return producer_failed(error_);
  if (next_ < kept_.size()) return lent(kept_[next_++]);
  if (!stream_) return Owned<ArrowArray>();
  ArrowArray array{};
  error_ = stream_.get()->get_next(stream_.get(), &array);
  if (error_ != 0 || array.release == nullptr) stream_.reset();
  if (error_ != 0) return producer_failed(error_);
  Owned<ArrowArray> batch(&array);
  if (!batch || reads_ == Reads::once) return batch;
  kept_.push_back(std::make_shared<Owned<ArrowArray>>(std::move(batch)));
  return lent(kept_[next_++]);
}

Result<std::unique_ptr<RecordSource>> open_arrow(const SourceSpec& spec) {
  CV_CHECK(spec.stream->check_unread());
  CV_TRY(BatchDecoder decoder, BatchDecoder::make(spec));
  CV_TRY(std::vector<std::size_t> used, places_of(decoder.rows(), spec.stream->columns()));
  return std::make_unique<ArrowSource>(ArrowParts(spec.stream, std::move(used)), std::move(decoder));
}

Result<std::unique_ptr<FieldRows>> open_arrow_rows(std::shared_ptr<ArrowStream> stream, MissingCell missing) {
  CV_CHECK(stream->check_unread());
  if (stream->columns().empty()) return fail(ErrorKind::usage, "source.rows", "the Arrow stream has no columns");
  return std::make_unique<ArrowRows>(std::move(stream), missing);
}

}  // namespace chronoveil::data
