#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

std::string totals_csv(const Published& published) {
  const Release& release = published.release;
  if (release.totals.sums.empty()) return "";
  const std::vector<std::string> times = csv_times(release.axis);
  // A file is passed on alone, so what is not private says so in every row.
  const std::string end = release.mark.empty() ? "\n" : "," + csv_field(release.mark) + "\n";
  std::string out = "of,name,per,time,slots,value,lower,upper";
  out += release.mark.empty() ? "\n" : ",mark\n";
  for (const Sums& sums : release.totals.sums) {
    const Periods& periods = release.totals.periods[sums.periods];
    const std::string start = sums.of + "," + (sums.of == "all" ? "" : csv_field(sums.name)) + "," + periods.per + ",";
    for (std::size_t i = 0; i < sums.value.size(); ++i) {
      out.append(start).append(times[static_cast<std::size_t>(periods.first[i])]).append(",");
      out.append(std::to_string(periods.end[i] - periods.first[i]));
      for (const double number : {sums.value[i], sums.lower[i], sums.upper[i]}) {
        out += ',';
        append_shortest(out, number);
      }
      out += end;
    }
  }
  return out;
}

}  // namespace chronoveil::report
