#include "chronoveil/report/document/geojson.h"

#include <nlohmann/json.hpp>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

using json = nlohmann::ordered_json;

std::string to_geojson(const Published& published, const Outlines& outlines) {
  const Release& release = published.release;
  const Estimate& estimate = release.estimate;
  const std::vector<std::string> times = csv_times(release.axis);
  FeatureCollection all(json{{"title", published.title}});
  for (std::size_t place = 0; place < outlines.size(); ++place) {
    for (std::size_t step = 0; step < times.size(); ++step) {
      const std::size_t cell = place * times.size() + step;
      json facts{{"series", release.keys[place]},
                 {"time", times[step]},
                 {"value", finite_or_null(estimate.value[cell])},
                 {"lower", finite_or_null(estimate.lower[cell])},
                 {"upper", finite_or_null(estimate.upper[cell])},
                 {"sampled", estimate.sampled[cell] != 0}};
      if (!release.mark.empty()) facts["mark"] = release.mark;  // a feature is passed on alone
      all.add(outlines[place], facts);
    }
  }
  return std::move(all).text();
}

}  // namespace chronoveil::report
