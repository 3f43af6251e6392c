#include "chronoveil/report/numbers.h"
#include "chronoveil/report/writers.h"

namespace chronoveil::report {
namespace {

// RFC 4180: quoted when it holds a comma, a quote or a line break, with quotes doubled. Blanks at an end are quoted
// too, since some readers drop them.
std::string csv_field(const std::string& text) {
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

}  // namespace

std::string to_csv(const Published& published) {
  const Release& release = published.release;
  const Estimate& estimate = release.estimate;
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const bool named = !release.keys.empty();
  // A file is passed on without the words that were printed beside it, so what is not private says so in every row.
  const std::string end = release.mark.empty() ? "\n" : "," + csv_field(release.mark) + "\n";
  std::string out = named ? "series,time,value,lower,upper,sampled" : "time,value,lower,upper,sampled";
  out += release.mark.empty() ? "\n" : ",mark\n";
  out.reserve(out.size() + estimate.value.size() * 72);
  for (std::size_t series = 0; series < static_cast<std::size_t>(release.series()); ++series) {
    const std::string start = named ? csv_field(release.keys[series]) + "," : "";
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t at = series * steps + step;
      out.append(start).append(release.axis.labels[step]).append(1, ',');
      for (const double number : {estimate.value[at], estimate.lower[at], estimate.upper[at]}) {
        append_shortest(out, number);
        out += ',';
      }
      out.append(estimate.sampled[at] ? "1" : "0").append(end);
    }
  }
  return out;
}

}  // namespace chronoveil::report
