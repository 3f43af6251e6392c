#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/csv_rows.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/series/total_rows.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

TotalRows::TotalRows(const std::string& mark) : mark_(mark.empty() ? "" : "," + csv_field(mark)) {}

std::string TotalRows::header() const {
  return std::string("of,name,per,time,slots,value,lower,upper") + (mark_.empty() ? "\n" : ",mark\n");
}

std::string TotalRows::start(const Sums& sums, const std::string& per) {
  return sums.of + "," + (sums.of == "all" ? "" : csv_field(sums.name)) + "," + per + ",";
}

void TotalRows::append(std::string& out, const std::string& start, const std::string& time, std::int64_t slots,
                       double value, double lower, double upper) const {
  out.append(start).append(time).append(",").append(std::to_string(slots));
  for (const double number : {value, lower, upper}) {
    out += ',';
    append_shortest(out, number);
  }
  out.append(mark_).append("\n");
}

std::string totals_csv(const Published& published) {
  const Release& release = published.release;
  if (release.totals.sums.empty()) return "";
  const std::vector<std::string> times = csv_times(release.axis);
  const TotalRows rows(release.mark);
  std::string out = rows.header();
  for (const Sums& sums : release.totals.sums) {
    const Periods& periods = release.totals.periods[sums.periods];
    const std::string start = TotalRows::start(sums, periods.per);
    for (std::size_t i = 0; i < sums.value.size(); ++i)
      rows.append(out, start, times[static_cast<std::size_t>(periods.first[i])], periods.end[i] - periods.first[i],
                  sums.value[i], sums.lower[i], sums.upper[i]);
  }
  return out;
}

}  // namespace chronoveil::report
