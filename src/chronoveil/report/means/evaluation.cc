#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::report {

MeansErrors errors_of(const MeansEvaluation& evaluation) {
  const std::vector<CellEstimate>& cells = evaluation.published.release.cells;
  MeansErrors errors;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double truth = evaluation.truth[i];
    if (cells[i].state != CellEstimate::State::published || std::isnan(truth)) continue;
    const double off = std::fabs(cells[i].mean - truth);
    ++errors.cells;
    errors.mean_absolute += off;
    errors.root_mean_square += off * off;
    errors.coverage += cells[i].lower <= truth && truth <= cells[i].upper ? 1 : 0;
  }
  if (errors.cells == 0) return errors;
  const double count = static_cast<double>(errors.cells);
  errors.mean_absolute /= count;
  errors.root_mean_square = std::sqrt(errors.root_mean_square / count);
  errors.coverage /= count;
  return errors;
}

std::string evaluation_json(const MeansEvaluation& evaluation) {
  using json = nlohmann::ordered_json;
  const MeansRelease& release = evaluation.published.release;
  const MeansErrors errors = errors_of(evaluation);
  json means = json::array(), truth = json::array();
  for (const CellEstimate& cell : release.cells) means.push_back(finite_or_null(cell.mean));
  for (const double mean : evaluation.truth) truth.push_back(finite_or_null(mean));
  const json all{{"internal", "reveals the data"},
                 {"title", evaluation.published.title},
                 {"mechanism", evaluation.published.plan.mechanism},
                 {"level", release.level},
                 {"errors",
                  {{"cells", errors.cells},
                   {"mean_absolute", errors.mean_absolute},
                   {"root_mean_square", errors.root_mean_square},
                   {"coverage", errors.coverage}}},
                 {"left_out",
                  {{"rows", evaluation.rows},
                   {"outside_span", evaluation.outside_span},
                   {"unlisted_places", evaluation.unlisted_places},
                   {"over_cells", evaluation.over_cells},
                   {"over_records", evaluation.over_records},
                   {"clamped", evaluation.clamped}}},
                 {"places", release.places},
                 {"time", release.axis.labels},
                 {"mean", means},
                 {"truth", truth},
                 {"users", evaluation.users}};
  return text_of(all) + "\n";
}

}  // namespace chronoveil::report
