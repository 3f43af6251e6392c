#include "chronoveil/data/csv/source.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/data/csv/window.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {
namespace {

class CsvSource final : public RecordSource {
 public:
  CsvSource(CsvWindow window, RowDecoder decoder, bool shows_delimiter)
      : window_(std::move(window)), decoder_(std::move(decoder)), shows_delimiter_(shows_delimiter) {}

  Result<void> open(bool header) {
    CV_TRY(const std::size_t columns, window_.open(header));
    if (columns == 0) return {};  // no header and no row: nobody is in the data
    std::vector<ColumnPlace> places;
    if (!header) {
      CV_TRY(places, place_numbers(decoder_, columns));
    } else {
      CV_TRY(const std::vector<std::string> names, window_.take_header());
      CV_TRY(places, place_columns(decoder_, names, "the header"));
    }
    fields_ = decoder_.empty_row();
    for (const ColumnPlace& place : places) wanted_.push_back({place.column, &field_at(fields_, place)});
    return {};
  }

  Result<bool> next(RecordBatch& batch) override {
    RowDecoder::begin(batch, window_.rows() + 1);
    while (batch.rows() < kBatchRows) {
      if (!window_.next_row_is_here()) {
        if (batch.rows() > 0) break;  // its views would not survive
        CV_TRY(const bool found, window_.find_row());
        if (!found) return false;
      }
      if (window_.fields() != window_.columns()) {
        return window_.bad_row(explain_fields(window_.fields(), window_.columns()));
      }
      for (const Wanted& wanted : wanted_) {
        if (!window_.field(wanted.column, *wanted.text)) return window_.bad_row(window_.problem());
      }
      if (!decoder_.add(fields_, batch)) return window_.bad_row(decoder_.problem());
      window_.leave_row();
    }
    return true;
  }

  std::optional<char> shown_delimiter() const override {
    return shows_delimiter_ ? std::optional(window_.delimiter()) : std::nullopt;
  }

 private:
  CsvWindow window_;
  RowDecoder decoder_;
  bool shows_delimiter_;
  RowFields fields_;  // every row fills the same ones
  struct Wanted {
    std::size_t column;
    std::string_view* text;  // in fields_: this object stays where it was opened
  };
  std::vector<Wanted> wanted_;
};

}  // namespace

Result<void> check_without_header(const SourceSpec& spec) {
  CV_CHECK(check_delimiter(spec.delimiter));
  CV_TRY(const RowDecoder decoder, RowDecoder::make(spec));
  CV_CHECK(place_numbers(decoder, std::numeric_limits<std::size_t>::max()));
  return {};
}

Result<std::unique_ptr<RecordSource>> open_csv(std::unique_ptr<ByteSource> bytes, const SourceSpec& spec,
                                               std::size_t window) {
  CV_CHECK(check_delimiter(spec.delimiter));
  CV_TRY(RowDecoder decoder, RowDecoder::make(spec));
  auto source =
      std::make_unique<CsvSource>(CsvWindow(std::move(bytes), delimiter_known(spec.delimiter, spec.header), window),
                                  std::move(decoder), !spec.delimiter && spec.header);
  CV_CHECK(source->open(spec.header));
  return source;
}

}  // namespace chronoveil::data
