#include <limits>

#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/json_names.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Result<mechanisms::CellShape> shape_in(const Fields& shape) {
  mechanisms::CellShape all;
  CV_TRY(all.places, shape.integer("places"));
  CV_TRY(all.steps, shape.integer("steps"));
  CV_TRY(all.max_cells, shape.integer("max_cells"));
  CV_TRY(all.max_records, shape.integer_or_none("max_records"));
  CV_TRY(all.lower, shape.finite("lower"));
  CV_TRY(all.upper, shape.finite("upper"));
  CV_TRY(all.sparse_below, shape.integer("sparse_below"));
  CV_TRY(all.registered, shape.integer_or_none("registered"));
  return all;
}

Result<mechanisms::CellsPlan> plan_in(const Fields& plan) {
  mechanisms::CellsPlan all;
  CV_TRY(all.mechanism, plan.text("mechanism"));
  CV_TRY(all.parameters, parameters_in(plan));
  CV_TRY(all.noise, plan.one_of(kNoiseNames, "noise"));
  CV_TRY(all.share, plan.number("share"));
  CV_TRY(all.noise_multiplier, plan.number("noise_multiplier"));
  CV_TRY(all.relation, relation_in(plan));
  CV_TRY(all.level, plan.number("level"));
  CV_TRY(all.delta, plan.number("delta"));
  CV_TRY(all.event, event_in(plan));
  CV_TRY(all.price, price_in(plan));
  CV_TRY(const Fields shape, plan.object("shape"));
  CV_TRY(all.shape, shape_in(shape));
  return all;
}

Result<mechanisms::CellFacts> facts_in(const Fields& facts) {
  mechanisms::CellFacts all;
  CV_TRY(all.users, facts.integer("users"));
  CV_TRY(all.m_ub, facts.integer("m_ub"));
  CV_TRY(all.arrays, facts.integer("arrays"));
  CV_TRY(all.sensitivity, facts.number("sensitivity"));
  CV_TRY(all.scale, facts.number("scale"));
  CV_TRY(all.expected_noise, facts.number("expected_noise"));
  return all;
}

// `sensitivity` and `noise` by mechanism are in the candidates, too.
Result<plan::MeansComparison> comparison_in(const Fields& comparison) {
  plan::MeansComparison all;
  CV_TRY(all.recommended, comparison.text("recommended"));
  CV_TRY(all.regime, comparison.text("regime"));
  CV_TRY(all.reason, comparison.text("reason"));
  CV_TRY(all.from_caps, comparison.yes_or_no("from_caps"));
  CV_TRY(all.records, comparison.integer("records"));
  CV_TRY(all.m_ub_median, comparison.integer("m_ub_median"));
  CV_TRY(all.m_ub_optimised, comparison.integer("m_ub_optimised"));
  CV_TRY(all.m_ub, comparison.integer("m_ub"));
  CV_TRY(all.arrays_best_fit, comparison.integer("arrays_best_fit"));
  CV_TRY(all.arrays_wrap_around, comparison.integer("arrays_wrap_around"));
  CV_TRY(all.counts, comparison.small_integers("counts"));
  CV_TRY(all.fills, comparison.small_integers("fills"));
  CV_TRY(const std::vector<Fields> rows, comparison.objects("candidates"));
  for (const Fields& row : rows) {
    plan::MeansCandidate candidate;
    CV_TRY(candidate.mechanism, row.text("mechanism"));
    if (row.has("variant")) {
      CV_TRY(candidate.variant, row.text("variant"));
    }
    if (row.has("plan")) {
      CV_TRY(const Fields plan, row.object("plan"));
      CV_TRY(candidate.plan, plan_in(plan));
      CV_TRY(const Fields facts, row.object("facts"));
      CV_TRY(candidate.facts, facts_in(facts));
    } else {
      CV_TRY(candidate.refusal.message, row.text("refusal"));
    }
    all.candidates.push_back(std::move(candidate));
  }
  return all;
}

Result<std::optional<PlaceGrid>> grid_in(const Fields& document) {
  if (!document.has("grid")) return std::nullopt;
  CV_TRY(const Fields grid, document.object("grid"));
  PlaceGridSpec spec;
  CV_TRY(spec.shape, grid.one_of(kPlaceShapeNames, "shape"));
  CV_TRY(spec.west, grid.finite("west"));
  CV_TRY(spec.south, grid.finite("south"));
  CV_TRY(spec.east, grid.finite("east"));
  CV_TRY(spec.north, grid.finite("north"));
  CV_TRY(spec.size, grid.finite("size"));
  CV_TRY(PlaceGrid made, PlaceGrid::make(spec));
  return made;
}

// Every cell of every place in order, so that a row that was lost or moved is seen.
Result<void> read_cells(const Fields& document, MeansRelease& release) {
  CV_TRY(const std::vector<Fields> rows, document.objects("cells"));
  const std::size_t steps = release.axis.labels.size();
  if (rows.size() != static_cast<std::size_t>(release.place_count()) * steps) return unreadable("cells");
  release.cells.reserve(rows.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Fields& row = rows[at];
    const nlohmann::json* place = row.find("place");
    if (!place || *place != (release.places.empty() ? nlohmann::json() : nlohmann::json(release.places[at / steps])))
      return unreadable(row.path_to("place"));
    const nlohmann::json* slot = row.find("slot");
    if (!slot || *slot != release.axis.labels[at % steps]) return unreadable(row.path_to("slot"));
    CellEstimate cell;
    CV_TRY(cell.state, row.one_of(kCellStateNames, "state"));
    if (cell.state == CellEstimate::State::published) {
      CV_TRY(cell.mean, row.finite("mean"));
      CV_TRY(cell.lower, row.number("lower", -kInfinity));
      CV_TRY(cell.upper, row.number("upper", kInfinity));
    } else {
      for (const char* key : {"mean", "lower", "upper"}) {
        const nlohmann::json* held = row.find(key);
        if (!held || !held->is_null()) return unreadable(row.path_to(key));
      }
    }
    release.cells.push_back(cell);
  }
  return {};
}

Result<MeansPublished> published_in(const Fields& document) {
  MeansPublished all;
  MeansRelease& release = all.release;
  CV_TRY(all.title, document.text("title"));
  CV_TRY(all.measure, document.text("measure"));
  if (document.has("mark")) {
    CV_TRY(release.mark, document.text("mark"));
  }
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_TRY(release.guarantee, guarantee_in(guarantee));
  CV_TRY(all.not_protected, guarantee.texts("not_protected"));
  CV_TRY(const Fields plan, document.object("plan"));
  CV_TRY(all.plan, plan_in(plan));
  CV_TRY(all.reason, plan.text("reason"));
  if (plan.has("comparison")) {
    CV_TRY(const Fields comparison, plan.object("comparison"));
    CV_TRY(all.comparison, comparison_in(comparison));
  }
  CV_TRY(all.debit, debit_in(document));
  CV_TRY(all.budget, budget_in(document));
  CV_TRY(release.level, document.finite("level"));
  CV_TRY(const Fields bounds, document.object("bounds"));
  CV_TRY(release.lower, bounds.finite("lower"));
  CV_TRY(release.upper, bounds.finite("upper"));
  CV_TRY(release.axis, axis_in(document));
  CV_TRY(release.places, document.texts("places"));
  CV_TRY(release.grid, grid_in(document));
  if (release.grid && release.grid->names() != release.places) return unreadable("places");
  CV_CHECK(read_cells(document, release));
  return all;
}

}  // namespace

Result<MeansPublished> means_from_json(std::string_view text) { return read_document(text, published_in); }

}  // namespace chronoveil::report
