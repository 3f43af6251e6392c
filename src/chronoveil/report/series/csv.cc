#include "chronoveil/base/csv_time.h"
#include "chronoveil/base/place_degrees.h"
#include "chronoveil/base/plain_text.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

std::string csv_field(const std::string& given) {
  const std::string text = visible(given);
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string::npos && !text.empty() && text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string middle_fields(const std::optional<PlaceGrid>& grid, std::size_t place) {
  std::string fields;
  if (!grid) return fields;
  const Degrees middle = degrees_of(grid->spec(), grid->middle_of(static_cast<std::int64_t>(place)));
  for (const double degrees : {middle.longitude, middle.latitude}) append_shortest(fields += ',', degrees);
  return fields;
}

CsvRows::CsvRows(const std::vector<std::string>& keys, const std::string& mark, const std::optional<PlaceGrid>& grid)
    : named_(!keys.empty()) {
  for (const std::string& key : keys) starts_.push_back(csv_field(key) + ",");
  if (!named_) starts_.emplace_back();
  // A file is passed on alone, so what is not private says so in every row.
  const std::string says = mark.empty() ? "" : "," + csv_field(mark);
  for (std::size_t series = 0; series < starts_.size(); ++series)
    ends_.push_back(says + middle_fields(grid, series) + "\n");
  header_ = named_ ? "series,time,value,lower,upper,sampled" : "time,value,lower,upper,sampled";
  header_ += mark.empty() ? "" : ",mark";
  if (grid) header_ += kMiddleColumns;
  header_ += '\n';
}

void CsvRows::append(std::string& out, std::size_t series, const std::string& time, double value, double lower,
                     double upper, bool sampled) const {
  out.append(starts_[series]).append(time).append(1, ',');
  for (const double number : {value, lower, upper}) {
    append_shortest(out, number);
    out += ',';
  }
  out.append(sampled ? "1" : "0").append(ends_[series]);
}

std::string to_csv(const Published& published) {
  const Release& release = published.release;
  const Estimate& estimate = release.estimate;
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const CsvRows rows(release.keys, release.mark, release.grid);
  const std::vector<std::string> times = csv_times(release.axis);
  std::string out = rows.header();
  out.reserve(out.size() + estimate.value.size() * 72);
  for (std::size_t series = 0; series < static_cast<std::size_t>(release.series()); ++series) {
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t at = series * steps + step;
      rows.append(out, series, times[step], estimate.value[at], estimate.lower[at], estimate.upper[at],
                  estimate.sampled[at] != 0);
    }
  }
  return out;
}

}  // namespace chronoveil::report
