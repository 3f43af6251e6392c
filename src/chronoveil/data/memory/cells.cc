#include "chronoveil/data/memory/cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "chronoveil/data/time/civil.h"

namespace chronoveil::data {
namespace {

template <class Number, class... Form>
bool write(Number number, CellRoom& room, std::string_view& text, Form... form) {
  const auto [end, error] = std::to_chars(room.data(), room.data() + room.size(), number, form...);
  text = {room.data(), static_cast<std::size_t>(end - room.data())};
  return error == std::errc();
}

bool write_time(std::int64_t instant, std::string_view offset, CellRoom& room, std::string_view& text) {
  if (instant < kFirstInstant || instant >= kLastInstant) return false;
  const std::int64_t days = floor_divide(instant, kDay);
  const Date date = civil_from_days(days);
  std::int64_t rest = instant - days * kDay;
  char* at = room.data();
  const auto put = [&](std::int64_t number, int digits, char before) {
    if (before != '\0') *at++ = before;
    for (int i = digits - 1; i >= 0; --i, number /= 10) at[i] = static_cast<char>('0' + number % 10);
    at += digits;
  };
  put(date.year, 4, '\0');
  put(date.month, 2, '-');
  put(date.day, 2, '-');
  put(rest / kHour, 2, 'T');
  put(rest / kMinute % 60, 2, ':');
  put(rest / kSecond % 60, 2, ':');
  if (rest % kSecond != 0) put(rest % kSecond, 3, '.');
  at = std::copy(offset.begin(), offset.end(), at);
  text = {room.data(), static_cast<std::size_t>(at - room.data())};
  return true;
}

template <class Number>
void write_real(Number number, CellRoom& room, std::string_view& text) {
  if (!write(number, room, text, std::chars_format::fixed)) write(number, room, text);
}

// What is wrong, if anything.
struct TextOf {
  std::size_t row;
  CellRoom& room;
  std::string_view& text;

  std::string_view operator()(std::span<const std::int64_t> numbers) const { return whole(numbers[row]); }
  std::string_view operator()(std::span<const std::uint64_t> numbers) const { return whole(numbers[row]); }
  std::string_view operator()(std::span<const double> numbers) const { return real(numbers[row]); }
  std::string_view operator()(std::span<const float> numbers) const { return real(numbers[row]); }
  std::string_view operator()(std::span<const std::string> texts) const { return take(texts[row]); }
  std::string_view operator()(std::span<const std::string_view> texts) const { return take(texts[row]); }
  std::string_view operator()(const Instants& instants) const { return time(instants.milliseconds[row], "Z"); }
  std::string_view operator()(const LocalTimes& times) const { return time(times.milliseconds[row], ""); }

 private:
  template <class Number>
  std::string_view whole(Number number) const {
    write(number, room, text);
    return {};
  }
  template <class Number>
  std::string_view real(Number number) const {
    write_real(number, room, text);
    return {};
  }
  std::string_view time(std::int64_t milliseconds, std::string_view offset) const {
    return write_time(milliseconds, offset, room, text) ? "" : "outside the years 1 to 2499";
  }
  std::string_view take(std::string_view held) const {
    text = held;
    return !held.empty() && std::memchr(held.data(), '\0', held.size()) != nullptr ? "a NUL byte" : "";
  }
};

}  // namespace

std::string_view digits_of(std::int64_t number, CellRoom& room) {
  std::string_view text;
  write(number, room, text);
  return text;
}

std::string text_of_number(double number) {
  CellRoom room;
  std::string_view text;
  write_real(number, room, text);
  return std::string(text);
}

std::size_t Column::rows() const {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.milliseconds; })
          return held.milliseconds.size();
        else
          return held.size();
      },
      cells);
}

bool read_cell(const Column& column, std::size_t row, CellRoom& room, std::string_view& text, std::string& problem) {
  const std::string_view why =
      is_present(column, row) ? std::visit(TextOf{row, room, text}, column.cells) : "null; every row needs a value";
  if (why.empty()) return true;
  problem = "column " + column.name + ": " + std::string(why);
  return false;
}

bool is_missing(const Column& column, std::size_t row) {
  if (!is_present(column, row)) return true;
  if (const auto* reals = std::get_if<std::span<const double>>(&column.cells)) return std::isnan((*reals)[row]);
  if (const auto* reals = std::get_if<std::span<const float>>(&column.cells)) return std::isnan((*reals)[row]);
  return false;
}

std::vector<std::string> names_of(const Batch& batch) {
  std::vector<std::string> names;
  for (const Column& column : batch) names.push_back(column.name);
  return names;
}

Result<void> check_batch(const Batch& batch) {
  for (const Column& column : batch) {
    if (column.rows() != batch.front().rows())
      return fail(ErrorKind::usage, "source.rows",
                  "column " + column.name + " is not as long as column " + batch.front().name);
    if (!column.valid.empty() && column.valid.size() < (column.rows() + 7) / 8)
      return fail(ErrorKind::usage, "source.rows", "column " + column.name + " needs a bit for each of its cells");
  }
  return {};
}

Result<void> check_table(const Table& table) {
  if (table.batches.empty() || table.batches.front().empty())
    return fail(ErrorKind::usage, "source.rows", "a table needs a batch with columns, however few rows it has");
  const std::vector<std::string> names = names_of(table.batches.front());
  for (const Batch& batch : table.batches) {
    CV_CHECK(check_batch(batch));
    if (names_of(batch) != names)
      return fail(ErrorKind::usage, "source.rows", "every batch needs the same columns in the same order");
  }
  return {};
}

}  // namespace chronoveil::data
