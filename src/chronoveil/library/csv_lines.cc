// Rows of an Arrow stream as lines of a CSV.
#include <algorithm>
#include <numeric>
#include <utility>

#include "chronoveil/chronoveil.h"
#include "chronoveil/data/arrow/stream.h"

namespace chronoveil {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

// Quoted where a reader of CSV would take it apart or trim it.
void add_field(std::string_view field, std::string& line) {
  const bool plain = field.find_first_of(",\"\r\n;\t ") == std::string_view::npos;
  if (plain) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

Result<std::vector<std::size_t>> places(const std::vector<std::string>& there,
                                        const std::optional<std::vector<std::string>>& wanted) {
  std::vector<std::size_t> used(there.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  if (!wanted) return used;
  used.clear();
  for (const std::string& column : *wanted) {
    if (std::count(there.begin(), there.end(), column) != 1)
      return fail(ErrorKind::bad_data, "source.rows",
                  "column '" + column + "' must be there once, among the " + std::to_string(there.size()) + " columns");
    used.push_back(static_cast<std::size_t>(std::find(there.begin(), there.end(), column) - there.begin()));
  }
  return used;
}

}  // namespace

struct CsvLines::Inside {
  std::unique_ptr<data::FieldRows> rows;
  std::vector<std::size_t> used;
  std::string header, piece;

  template <class Fields>
  void add_line(const Fields& fields, std::string& out) const {
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (i > 0) out += ',';
      add_field(fields[used[i]], out);
    }
    out += '\n';
  }
};

CsvLines::CsvLines(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
CsvLines::CsvLines(CsvLines&&) noexcept = default;
CsvLines::~CsvLines() = default;

Result<CsvLines> CsvLines::open(ArrowArrayStream& stream, const std::optional<std::vector<std::string>>& columns) {
  CV_TRY(std::shared_ptr<data::ArrowStream> taken, data::ArrowStream::take(stream));
  auto inside = std::make_unique<Inside>();
  CV_TRY(inside->rows, data::open_arrow_rows(std::move(taken), data::MissingCell::empty));
  CV_TRY(inside->used, places(inside->rows->columns(), columns));
  CV_CHECK(inside->rows->use(inside->used));
  inside->add_line(inside->rows->columns(), inside->header);
  return CsvLines(std::move(inside));
}

const std::string& CsvLines::header() const { return inside_->header; }

Result<std::string_view> CsvLines::next() {
  inside_->piece.clear();
  while (inside_->piece.size() < kPiece) {
    CV_TRY(const std::span<const std::string_view> row, inside_->rows->next());
    if (row.empty()) break;
    inside_->add_line(row, inside_->piece);
  }
  return std::string_view(inside_->piece);
}

}  // namespace chronoveil
