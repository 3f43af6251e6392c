#include "chronoveil/engine/series/public_sample.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "chronoveil/engine/job/text_file.h"

namespace chronoveil::engine {
namespace {

constexpr double kLargestValue = 0x1p53;

// Takes one row of a CSV file [RFC 4180] off the text: its fields, without their quotes.
std::vector<std::string> next_row(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const bool doubled = quoted && at + 1 < text.size() && text[at + 1] == '"';
      if (doubled) fields.back().push_back(text[++at]);
      if (!doubled) quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c == '\n' && !quoted) {
      break;
    } else {
      fields.back().push_back(c);
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  if (fields.back().ends_with('\r')) fields.back().pop_back();
  return fields;
}

std::optional<std::size_t> column(const std::vector<std::string>& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

Failure wrong(const std::string& path, const std::string& what) {
  return fail(ErrorKind::bad_data, "plan.sample", "'" + path + "': " + what);
}

}  // namespace

Result<plan::PublicSample> read_public_sample(const std::string& path) {
  CV_TRY(const std::string file, read_text_file("plan.sample", path));
  std::string_view text = file;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::vector<std::string> header = next_row(text);
  const auto value = column(header, "value");
  const auto series = column(header, "series");
  if (!value) return wrong(path, "there is no column 'value'");

  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::vector<std::int64_t>> counts;
  for (std::int64_t row = 1; !text.empty(); ++row) {
    const std::vector<std::string> fields = next_row(text);
    if (fields.size() == 1 && fields[0].empty()) continue;
    const std::string where = "row " + std::to_string(row);
    if (fields.size() != header.size()) return wrong(path, where + " has another number of fields than the header");
    const std::string& word = fields[*value];
    double number = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || !(std::abs(number) <= kLargestValue))
      return wrong(path, where + " holds no number of at most 2^53 in column 'value'");
    const auto place = places.try_emplace(series ? fields[*series] : "", counts.size());
    if (place.second) counts.emplace_back();
    counts[place.first->second].push_back(std::max<std::int64_t>(0, std::llround(number)));
  }
  if (counts.empty()) return wrong(path, "there are no rows");

  plan::PublicSample sample;
  sample.series = static_cast<std::int64_t>(counts.size());
  sample.steps = static_cast<std::int64_t>(counts.front().size());
  for (const std::vector<std::int64_t>& one : counts) {
    if (one.size() != counts.front().size()) return wrong(path, "its series do not have the same number of rows");
    sample.counts.insert(sample.counts.end(), one.begin(), one.end());
  }
  return sample;
}

}  // namespace chronoveil::engine
