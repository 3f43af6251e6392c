#include "chronoveil/report/series/totals_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

Result<Periods> periods_in(const Fields& row, std::int64_t steps) {
  Periods all;
  CV_TRY(all.per, row.text("per"));
  CV_TRY(all.first, row.integers("first"));
  CV_TRY(all.end, row.integers("end"));
  if (all.end.size() != all.first.size()) return unreadable(row.path_to("end"));
  for (std::size_t i = 0; i < all.end.size(); ++i)
    if (all.first[i] < 0 || all.end[i] <= all.first[i] || all.end[i] > steps) return unreadable(row.path_to("end"));
  return all;
}

}  // namespace

void append_totals(std::string& out, const Totals& totals) {
  if (totals.sums.empty()) return;
  out.append("\"totals\":{\"periods\":[");
  for (const Periods& periods : totals.periods)
    out.append(text_of({{"per", periods.per}, {"first", periods.first}, {"end", periods.end}})).append(",\n");
  out.resize(out.size() - 2);
  out.append("],\"sums\":[");
  for (const Sums& sums : totals.sums) {
    out.append("\n{\"of\":").append(text_of(sums.of)).append(",\"name\":");
    out.append(sums.of == "all" ? "null" : text_of(sums.name));
    out.append(",\"per\":").append(text_of(totals.periods[sums.periods].per)).append(",");
    append_numbers(out, "value", sums.value);
    append_numbers(out += ',', "lower", sums.lower);
    append_numbers(out += ',', "upper", sums.upper);
    out.append("},");
  }
  out.back() = ']';
  out.append("},\n");
}

Result<Totals> totals_in(const Fields& document, std::int64_t steps) {
  Totals totals;
  if (!document.has("totals")) return totals;
  CV_TRY(const Fields fields, document.object("totals"));
  CV_TRY(const std::vector<Fields> periods, fields.objects("periods"));
  for (const Fields& row : periods) {
    CV_TRY(Periods all, periods_in(row, steps));
    totals.periods.push_back(std::move(all));
  }
  CV_TRY(const std::vector<Fields> rows, fields.objects("sums"));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Fields& row : rows) {
    Sums sums;
    CV_TRY(sums.of, row.text("of"));
    if (row.has("name")) {
      CV_TRY(sums.name, row.text("name"));
    }
    CV_TRY(const std::string per, row.text("per"));
    const auto found =
        std::find_if(totals.periods.begin(), totals.periods.end(), [&](const Periods& one) { return one.per == per; });
    if (found == totals.periods.end()) return unreadable(row.path_to("per"));
    sums.periods = static_cast<std::size_t>(found - totals.periods.begin());
    const std::size_t size = found->first.size();
    CV_CHECK(row.numbers_into(sums.value, "value", size, std::numeric_limits<double>::quiet_NaN()));
    CV_CHECK(row.numbers_into(sums.lower, "lower", size, -kInfinity));
    CV_CHECK(row.numbers_into(sums.upper, "upper", size, kInfinity));
    totals.sums.push_back(std::move(sums));
  }
  return totals;
}

}  // namespace chronoveil::report
