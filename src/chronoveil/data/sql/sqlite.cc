#include <array>
#include <charconv>
#include <cstring>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/data/row_decoder.h"
#include "chronoveil/data/sql/source.h"
#include "chronoveil/sqlite/connection.h"

namespace chronoveil::data {
namespace {

constexpr int kBusyMilliseconds = 10'000;

// Room for the shortest text of any double.
using Digits = std::array<char, 32>;

bool is_real(const ColumnPlace& place) {
  return place.field == &RowFields::measure || place.field == &RowFields::longitude ||
         place.field == &RowFields::latitude;
}

// SQLite itself writes 15 digits, which are not enough to tell doubles apart.
std::string_view shortest_text(double number, Digits& digits) {
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

// What a query may not do although the database is read-only: change how the connection works, reach other files, load
// code. A PRAGMA may run while it is compiled. The two that are allowed are used by text-search and map indices.
int allow_reading(void*, int action, const char* first, const char* second, const char*, const char*) {
  const auto is = [](const char* name, const char* text) {
    return name != nullptr && sqlite3_stricmp(name, text) == 0;
  };
  bool allowed = true;
  if (action == SQLITE_PRAGMA) allowed = is(first, "data_version") || is(first, "page_size");
  if (action == SQLITE_ATTACH || action == SQLITE_DETACH) allowed = false;
  if (action == SQLITE_READ) allowed = first == nullptr || sqlite3_strnicmp(first, "pragma_", 7) != 0;
  if (action == SQLITE_FUNCTION) allowed = !is(second, "load_extension") && !is(second, "fts3_tokenizer");
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

class SqliteSource final : public RecordSource {
 public:
  SqliteSource(RowDecoder decoder, std::string path)
      : decoder_(std::move(decoder)),
        path_(std::move(path)),
        database_([this](std::string_view doing, int code) { return failed(doing, code); }) {}

  Result<void> open(const SourceSpec& spec) {
    CV_CHECK(database_.open(path_, SQLITE_OPEN_READONLY));
    sqlite3* const database = database_.get();
    sqlite3_busy_timeout(database, kBusyMilliseconds);
    sqlite3_set_authorizer(database, allow_reading, nullptr);
    const std::string sql = spec.query.empty() ? "SELECT * FROM " + quoted_table(spec.table) : spec.query;
    sqlite3_stmt* statement = nullptr;
    const char* rest = nullptr;
    const int prepared =
        sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement, &rest) & 0xff;
    statement_.reset(statement);
    if (prepared != SQLITE_OK) {
      if (prepared == SQLITE_AUTH) return fail(ErrorKind::usage, "query", "it must be a SELECT, which only reads");
      // Nothing was read yet, so the words can only quote the job. A file that is no database is seen here first.
      if (prepared != SQLITE_ERROR) return database_.failure("read");
      return fail(ErrorKind::usage, spec.query.empty() ? "table" : "query",
                  std::string("SQLite refuses it: ") + sqlite3_errmsg(database));
    }
    if (statement == nullptr || sqlite3_column_count(statement) == 0 || sqlite3_stmt_readonly(statement) == 0 ||
        sqlite3_stmt_isexplain(statement) != 0) {
      return fail(ErrorKind::usage, "query", "it must be a SELECT");
    }
    // Blanks, semicolons and comments may follow, but no second statement.
    sqlite3_stmt* second = nullptr;
    const int after = sqlite3_prepare_v2(database, rest, -1, &second, nullptr);
    const bool alone = after == SQLITE_OK && second == nullptr;
    sqlite3_finalize(second);
    if (!alone) return fail(ErrorKind::usage, "query", "it must be one SELECT, nothing may follow it");
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(sqlite3_column_count(statement)));
    for (int i = 0; i < sqlite3_column_count(statement); ++i) names.emplace_back(sqlite3_column_name(statement, i));
    CV_TRY(places_, place_columns(decoder_, names, spec.query.empty() ? "the table" : "the query's result"));
    digits_.resize(places_.size());
    return {};
  }

  Result<bool> next(RecordBatch& batch) override {
    RowDecoder::begin(batch, rows_ + 1);
    kept_.release();
    while (batch.rows() < kBatchRows && !ended_) {
      const int status = sqlite3_step(statement_.get());
      if (status == SQLITE_DONE) {
        ended_ = true;
        break;
      }
      if (status != SQLITE_ROW) return database_.failure("read");
      RowFields fields = decoder_.empty_row();
      for (std::size_t i = 0; i < places_.size(); ++i) {
        const ColumnPlace& place = places_[i];
        const int column = static_cast<int>(place.column);
        if (is_real(place) && sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT) {
          field_at(fields, place) = shortest_text(sqlite3_column_double(statement_.get(), column), digits_[i]);
          continue;
        }
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
        if (text == nullptr) continue;  // NULL is empty
        if (std::memchr(text, '\0', size) != nullptr) return bad_row("a NUL byte");
        field_at(fields, place) = {text, size};
      }
      fields.user = keep(fields.user);  // the next step invalidates its texts
      fields.series = keep(fields.series);
      if (!decoder_.add(fields, batch)) return bad_row(decoder_.problem());
      ++rows_;
    }
    return batch.rows() > 0;
  }

 private:
  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    char* const copy = static_cast<char*>(kept_.allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  Failure bad_row(std::string_view why) const {
    return fail(ErrorKind::bad_data, "row " + std::to_string(rows_ + 1) + ": " + std::string(why));
  }

  // The database's message may quote values, so only the meaning of its code is passed on.
  Failure failed(std::string_view doing, int code) const {
    if (doing == "open")
      return fail(ErrorKind::storage, "cannot open the SQLite database " + path_ + ": " + sqlite3_errstr(code));
    const int plain = code & 0xff;
    const bool data =
        plain == SQLITE_ERROR || plain == SQLITE_MISMATCH || plain == SQLITE_TOOBIG || plain == SQLITE_CONSTRAINT;
    return fail(data ? ErrorKind::bad_data : ErrorKind::storage, "reading the SQLite database " + path_ +
                                                                     " failed at row " + std::to_string(rows_ + 1) +
                                                                     ": " + sqlite3_errstr(code));
  }

  RowDecoder decoder_;
  std::string path_;
  sqlite::Connection database_;
  sqlite::Statement statement_;
  std::vector<ColumnPlace> places_;
  std::vector<Digits> digits_;                                        // of the row's real numbers, by place
  std::pmr::monotonic_buffer_resource kept_{std::size_t{256} << 10};  // texts of the batch
  std::int64_t rows_ = 0;
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_sqlite(const SourceSpec& spec) {
  CV_CHECK(check_query_or_table(spec));
  CV_TRY(RowDecoder decoder, RowDecoder::make(spec));
  auto source = std::make_unique<SqliteSource>(std::move(decoder), spec.path);
  CV_CHECK(source->open(spec));
  return source;
}

}  // namespace chronoveil::data
