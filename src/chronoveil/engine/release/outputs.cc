#include "chronoveil/engine/release/outputs.h"

#include <filesystem>
#include <limits>

#include "chronoveil/mechanisms/guarantee.h"
#include "chronoveil/post/adjust.h"

namespace chronoveil::engine {
namespace {

// The page names the span below its title.
std::string title_of(const Job& job) {
  if (!job.title.empty()) return job.title;
  return job.dataset.empty() ? "A private series" : job.dataset;
}

}  // namespace

std::vector<std::string> not_protected(const Guarantee& guarantee, const mechanisms::PublicShape& shape) {
  std::vector<std::string> all;
  if (guarantee.unit == Unit::user) {
    all.push_back(
        "What a whole population does is not hidden: how many people are somewhere at a time is what is published.");
  } else {
    const std::string slots =
        guarantee.unit == Unit::event ? "one time slot" : std::to_string(shape.width) + " time slots in a row";
    all.push_back(
        "A person's habits over a longer time are not protected: the guarantee covers what one person did in " + slots +
        ".");
  }
  for (const Assumption& assumption : guarantee.assumptions) {
    if (assumption.basis == Basis::enforced) continue;
    all.emplace_back("Whoever breaks an assumption that is declared here is protected less: nobody checked it.");
    break;
  }
  all.emplace_back(
      "Groups such as families are protected less than one person, and people who are in other datasets too are "
      "protected only by all those guarantees together.");
  all.emplace_back("The list of series, the span of time, the slots and every parameter of this release are public.");
  all.emplace_back("Whoever can read the original data, or the machine that holds it, is not stopped by this release.");
  return all;
}

report::Published published_of(const Job& job, Planned planned, Estimate estimate, std::string mark) {
  if (job.series().non_negative) estimate = post::non_negative(std::move(estimate));
  if (job.series().integers) estimate = post::to_integers(std::move(estimate));
  report::Published published;
  published.title = title_of(job);
  published.caps = job.source.user ? Basis::enforced : Basis::declared;
  published.not_protected = not_protected(planned.guarantee, planned.chosen.shape);
  Release& release = published.release;
  release.keys = job.keys;
  release.axis = std::move(planned.axis);
  release.estimate = std::move(estimate);
  release.level = planned.chosen.level;
  release.guarantee = std::move(planned.guarantee);
  release.mark = std::move(mark);
  if (!release.mark.empty()) {
    disown(release.guarantee, release.mark);
    published.not_protected = {"Nothing is protected: the random choices of this release are known."};
  } else if (!job.source.user) {
    for (const auto& [times, epsilon] : mechanisms::epsilon_if_cap_exceeded(planned.chosen))
      published.cap_growth.push_back({times, epsilon});
  }
  published.plan = std::move(planned.chosen);
  published.comparison = std::move(planned.comparison);
  published.reason = std::move(planned.reason);
  return published;
}

void disown(Guarantee& guarantee, const std::string& mark) {
  guarantee.definition = mark;
  guarantee.epsilon = std::numeric_limits<double>::infinity();
  guarantee.delta = 1;
  guarantee.assumptions.clear();
}

Result<void> check_outputs(const Job& job) {
  const std::string geojson = job.is<MeansSpec>() ? job.means().geojson : "";
  // A program that passes rows in memory gets the release in memory, too.
  const bool kept = job.source.kind == data::SourceKind::memory;
  if (!kept && job.csv.empty() && job.json.empty() && job.report.empty() && job.chart.empty() && geojson.empty())
    return fail(ErrorKind::usage, "output",
                "the job writes nothing; give at least one of `output.csv`, `output.json` and `output.report`");
  if (!job.csv.empty()) CV_CHECK(check_writable("output.csv", job.csv));
  if (!job.json.empty()) CV_CHECK(check_writable("output.json", job.json));
  if (!job.report.empty()) CV_CHECK(check_writable("output.report", job.report));
  if (!job.chart.empty()) {
    if (!job.chart.ends_with(".svg"))
      return invalid("output.chart", job.chart,
                     "it must end in .svg, which is what charts are drawn as; to make a PNG of that, use a browser, "
                     "Inkscape or rsvg-convert -o FILE.png FILE.svg");
    CV_CHECK(check_writable("output.chart", job.chart));
  }
  if (!geojson.empty()) {
    if (!job.means().grid)
      return fail(ErrorKind::usage, "output.geojson",
                  "places of a list have no coordinates; GeoJSON needs a grid of `source.longitude` and "
                  "`source.latitude`");
    CV_CHECK(check_writable("output.geojson", geojson));
  }
  return {};
}

std::string csv_beside_report(const Job& job) {
  if (job.csv.empty() || job.csv == "-" || job.report == "-") return "";
  std::error_code ignored;
  const auto folder = [&](const std::string& path) {
    return std::filesystem::absolute(path, ignored).lexically_normal().parent_path();
  };
  return folder(job.csv) == folder(job.report) ? std::filesystem::path(job.csv).filename().string() : "";
}

Result<void> write_outputs(const Job& job, const report::Published& published, const std::string& document) {
  return write_outputs(job, published, document,
                       Writers<report::Published>{report::to_csv, report::to_html, report::to_svg, nullptr});
}

}  // namespace chronoveil::engine
