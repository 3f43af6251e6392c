#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::report {

std::string means_csv(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  // A file is passed on alone, so what is not private says so in every row.
  const std::string mark = release.mark.empty() ? "" : "," + csv_field(release.mark);
  std::string out = "place,slot,mean,lower,upper";
  const bool smoothed = release.smoothed != Smoothed::no;
  out += smoothed ? ",measured,deviation" : "";
  out += release.mark.empty() ? "" : ",mark";
  if (release.grid) out += kMiddleColumns;
  out += '\n';
  const std::vector<std::string> times = csv_times(release.axis);
  out.reserve(out.size() + release.cells.size() * 96);
  for (std::size_t place = 0; place < static_cast<std::size_t>(release.place_count()); ++place) {
    const std::string start = (release.places.empty() ? "" : csv_field(release.places[place])) + ",";
    const std::string end = mark + middle_fields(release.grid, place) + "\n";
    for (std::size_t step = 0; step < steps; ++step) {
      const CellEstimate& cell = release.cells[place * steps + step];
      out.append(start).append(times[step]);
      const auto add = [&](double number) {
        out += ',';
        if (cell.state == CellEstimate::State::published) append_shortest(out, number);
      };
      for (const double number : {cell.mean, cell.lower, cell.upper}) add(number);
      if (smoothed)
        for (const double number : {cell.measured, cell.deviation}) add(number);
      out += end;
    }
  }
  return out;
}

}  // namespace chronoveil::report
