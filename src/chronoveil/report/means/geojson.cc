#include "chronoveil/report/document/geojson.h"

#include <nlohmann/json.hpp>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/published.h"
#include "chronoveil/report/means/words.h"

namespace chronoveil::report {

using json = nlohmann::ordered_json;

std::string means_geojson(const MeansPublished& published, const Outlines& outlines) {
  const MeansRelease& release = published.release;
  const std::vector<std::string> times = csv_times(release.axis);
  FeatureCollection all(json{{"title", published.title}, {"measure", measure_words(published)}});
  for (std::size_t place = 0; place < outlines.size(); ++place) {
    for (std::size_t step = 0; step < times.size(); ++step) {
      const CellEstimate& cell = release.cells[place * times.size() + step];
      const bool has_mean = cell.state == CellEstimate::State::published;
      const auto number = [&](double value) { return has_mean ? finite_or_null(value) : json(nullptr); };
      json facts{{"place", release.places[place]},
                 {"slot", times[step]},
                 {"mean", number(cell.mean)},
                 {"lower", number(cell.lower)},
                 {"upper", number(cell.upper)}};
      if (release.smoothed != Smoothed::no) {
        facts["measured"] = number(cell.measured);
        facts["deviation"] = number(cell.deviation);
      }
      if (!release.mark.empty()) facts["mark"] = release.mark;  // a feature is passed on alone
      all.add(outlines[place], facts);
    }
  }
  return std::move(all).text();
}

}  // namespace chronoveil::report
