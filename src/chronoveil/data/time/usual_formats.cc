#include "chronoveil/data/time/usual_formats.h"

#include <algorithm>
#include <initializer_list>

#include "chronoveil/data/time/fields.h"

namespace chronoveil::data {
namespace {

struct Shape {
  std::string_view shape;
  std::initializer_list<std::string_view> formats;
};

// "d" is a number of one or two digits, "y" one of four, "f" any, "b" a month's name in three letters, "p" AM or PM.
const Shape kDates[] = {
    {"d/d/y", {"%d/%m/%Y", "%m/%d/%Y"}},
    {"d/d/d", {"%d/%m/%y", "%m/%d/%y"}},
    {"d-d-y", {"%d-%m-%Y", "%m-%d-%Y"}},
    {"d.d.y", {"%d.%m.%Y"}},
    {"d.d.d", {"%d.%m.%y"}},
    {"y/d/d", {"%Y/%m/%d"}},
    {"y.d.d", {"%Y.%m.%d"}},
    {"y-d-d", {"%Y-%m-%d"}},
    {"d-b-y", {"%d-%b-%Y"}},
    {"d b y", {"%d %b %Y"}},
    {"y-d", {"%Y-%m"}},
    {"y/d", {"%Y/%m"}},
    {"d/y", {"%m/%Y"}},
    {"d.y", {"%m.%Y"}},
    {"y-Wd", {"%G-W%V"}},
    {"yWd", {"%GW%V"}},
    {"y-Qd", {"%Y-Q%q"}},
};
const Shape kTimesOfDay[] = {
    {"", {""}},
    {" d:d", {" %H:%M"}},
    {" d:d:d", {" %H:%M:%S"}},
    {" d:d:d.f", {" %H:%M:%S.%f"}},
    {" d:d p", {" %I:%M %p"}},
    {" d:d:d p", {" %I:%M:%S %p"}},
    {"Td:d", {"T%H:%M"}},
    {"Td:d:d", {"T%H:%M:%S"}},
};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::size_t run_length(std::string_view text, bool (*holds)(char)) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), holds) - text.begin());
}

std::string shape_of_letters(std::string_view letters) {
  if (letters.size() == 2 && (letters[1] | 0x20) == 'm' && ((letters[0] | 0x20) == 'a' || (letters[0] | 0x20) == 'p'))
    return "p";
  return letters.size() == 3 ? "b" : std::string(letters);
}

std::string shape_of(std::string_view text) {
  std::string shape;
  while (!text.empty()) {
    std::size_t length = 1;
    if (is_digit(text.front())) {
      length = run_length(text, is_digit);
      const bool fraction = length > 0 && shape.ends_with(":d.");
      shape += fraction ? "f" : length <= 2 ? "d" : length == 4 ? "y" : "?";
    } else if (is_letter(text.front())) {
      length = run_length(text, is_letter);
      shape += shape_of_letters(text.substr(0, length));
    } else {
      shape += text.front();
    }
    text.remove_prefix(length);
  }
  return shape;
}

// Numbers alone: days written without separators, or time since 1970, as long as it is in this century.
std::vector<std::string> of_number(std::size_t digits) {
  if (digits == 6) return {"%Y%m"};
  if (digits == 8) return {"%Y%m%d", "epoch_min"};
  if (digits == 10) return {"epoch"};
  if (digits == 13) return {"epoch_ms"};
  return {};
}

}  // namespace

std::vector<std::string> all_usual_formats() {
  std::vector<std::string> formats{"iso8601", "epoch", "epoch_ms", "epoch_min", "%Y%m", "%Y%m%d"};
  std::vector<std::string_view> dates = {"%Y-%d-%m", "%Y/%d/%m", "%Y.%d.%m"};  // nobody writes them, but by mistake
  for (const Shape& date : kDates) dates.insert(dates.end(), date.formats.begin(), date.formats.end());
  for (const std::string_view date : dates)
    for (const Shape& time : kTimesOfDay) formats.push_back(std::string(date).append(*time.formats.begin()));
  return formats;
}

std::vector<std::string> usual_formats(std::string_view text) {
  const std::size_t digits = run_length(text, is_digit);
  const std::string_view beyond = text.substr(digits);
  const bool fraction =
      beyond.size() > 1 && beyond.front() == '.' && run_length(beyond.substr(1), is_digit) == beyond.size() - 1;
  if (beyond.empty() || (fraction && digits >= 10)) return of_number(digits);
  const std::string shape = shape_of(text);
  std::vector<std::string> formats;
  for (const Shape& date : kDates)
    for (const Shape& time : kTimesOfDay)
      if (shape.size() == date.shape.size() + time.shape.size() && shape.starts_with(date.shape) &&
          shape.ends_with(time.shape))
        for (const std::string_view format : date.formats)
          formats.push_back(std::string(format).append(*time.formats.begin()));
  return formats;
}

}  // namespace chronoveil::data
