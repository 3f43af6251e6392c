#include "chronoveil/engine/series/published.h"

#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/series/adjusted.h"
#include "chronoveil/mechanisms/guarantee.h"

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
    all.emplace_back("A person for whom a declared assumption does not hold is protected less: nobody checked it.");
    break;
  }
  all.emplace_back(
      "Groups such as families are protected less than one person, and people who are also in other datasets are "
      "protected only by all these guarantees together.");
  all.emplace_back("The list of series, the span of time, the slots and every parameter of this release are public.");
  all.emplace_back("Whoever can read the original data, or the machine that holds it, is not stopped by this release.");
  return all;
}

report::Published published_of(const Job& job, Planned planned, Estimate estimate, std::string mark) {
  report::Published published;
  published.title = title_of(job);
  published.caps = job.source.user ? Basis::enforced : Basis::declared;
  published.not_protected = not_protected(planned.guarantee, planned.chosen.shape);
  Release& release = published.release;
  release.keys = job.keys;
  release.grid = grid_of(job);
  release.axis = std::move(planned.axis);
  release.estimate = adjusted(job.series(), std::move(estimate));
  release.level = planned.chosen.level;
  release.guarantee = std::move(planned.guarantee);
  release.mark = std::move(mark);
  disown(release.guarantee, published.not_protected, release.mark);
  if (release.mark.empty() && !job.source.user) {
    for (const auto& [times, epsilon] : mechanisms::epsilon_if_cap_exceeded(planned.chosen))
      published.cap_growth.push_back({times, epsilon});
  }
  published.plan = std::move(planned.chosen);
  published.comparison = std::move(planned.comparison);
  published.reason = std::move(planned.reason);
  return published;
}

Result<void> write_series(const Job& job, const report::Published& published, const std::string& document) {
  return write_outputs(job, published, document,
                       Writers<report::Published>{report::to_csv, report::to_html, report::to_svg, report::to_geojson,
                                                  report::totals_csv});
}

}  // namespace chronoveil::engine
