#include <utility>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/report/document/signature.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/training/forecast.h"

namespace chronoveil::training {

ForecastDocuments documents_of(const report::Forecasted& all) {
  using History = ForecastDocuments::History;
  ForecastDocuments documents{report::forecast_csv(all), "", report::to_json(all), report::to_html(all), all.mark};
  documents.svg = report::to_svg(all);
  documents.promise = report::history_promise(all);
  documents.history = all.input ? History::noised : all.released ? History::released : History::of_its_owner;
  const bool has_paths = !all.series.empty() && !all.series.front().paths.empty();
  if (has_paths) documents.paths = report::paths_csv(all);
  return documents;
}

Result<void> check_chart(const ForecastPaths& to) { return engine::check_chart(to.chart); }

Result<void> write_forecast(const ForecastDocuments& all, const ForecastPaths& to) {
  using History = ForecastDocuments::History;
  if (!to.paths.empty() && all.paths.empty())
    return fail(ErrorKind::usage, "paths_output", "no paths were kept with this forecast");
  if (!to.chart.empty() && all.svg.empty())
    return fail(ErrorKind::usage, "output.chart",
                "an earlier version stored this forecast, without its chart; the page has it");
  const int mode = all.history != History::of_its_owner && all.mark.empty() ? 0644 : 0600;
  std::vector<OutputFile> files;
  if (!to.csv.empty()) files.push_back({to.csv, all.csv, mode});
  if (!to.paths.empty()) files.push_back({to.paths, all.paths, mode});
  if (!to.report.empty())
    files.push_back({to.report, report::with_csv(all.html, report::csv_beside(to.csv, to.report)), mode});
  if (!to.chart.empty()) {
    CV_TRY(std::string chart, engine::chart_as(to.chart, all.svg, all.promise));
    files.push_back({to.chart, std::move(chart), mode});
  }
  if (!to.json.empty()) {
    std::string document = all.json;
    if (all.history == History::noised) {
      CV_TRY(document, report::signed_release(std::move(document)));
    }
    files.push_back({to.json, std::move(document), mode});
  }
  return write_files(files);
}

}  // namespace chronoveil::training
