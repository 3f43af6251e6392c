#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/report/document/long_document.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/document/place_grid_json.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array<std::pair<std::string_view, CellEstimate::State>, 3> kCellStateNames = {
    {{"published", CellEstimate::State::published},
     {"empty", CellEstimate::State::empty},
     {"sparse", CellEstimate::State::sparse}}};
constexpr std::array<std::pair<std::string_view, Smoothed>, 2> kSmoothedNames = {
    {{"by_place", Smoothed::by_place}, {"over_places", Smoothed::over_places}}};

}  // namespace

void members(mechanisms::CellShape& shape, auto& with) {
  with("places", shape.places);
  with("steps", shape.steps);
  with("max_cells", shape.max_cells);
  with("max_records", shape.max_records);
  with.finite("lower", shape.lower);
  with.finite("upper", shape.upper);
  with("sparse_below", shape.sparse_below);
  with("registered", shape.registered);
}

void members(mechanisms::CellsPlan& plan, auto& with) {
  with("mechanism", plan.mechanism);
  with("parameters", plan.parameters);
  with.named("noise", kNoiseNames, plan.noise);
  with("share", plan.share);
  with("noise_multiplier", plan.noise_multiplier);
  with("relation", plan.relation);
  with("event", plan.event);
  with.named("analysis", kAnalysisNames, plan.price.analysis);
  with("level", plan.level);
  with("delta", plan.delta);
  with("price", plan.price);
  with.object("shape", plan.shape);
}

// Without the fills: they are those of the comparison, or of another m_ub that does not matter here.
void members(mechanisms::CellFacts& facts, auto& with) {
  with("users", facts.users);
  with("m_ub", facts.m_ub);
  with("arrays", facts.arrays);
  with("sensitivity", facts.sensitivity);
  with("scale", facts.scale);
  with("expected_noise", facts.expected_noise);
}

// Its numbers; its counts and candidates are written and read apart.
void members(plan::MeansComparison& comparison, auto& with) {
  with("recommended", comparison.recommended);
  with("regime", comparison.regime);
  with("reason", comparison.reason);
  with("from_caps", comparison.from_caps);
  with("records", comparison.records);
  with("m_ub_median", comparison.m_ub_median);
  with("m_ub_optimised", comparison.m_ub_optimised);
  with("m_ub", comparison.m_ub);
  with("arrays_best_fit", comparison.arrays_best_fit);
  with("arrays_wrap_around", comparison.arrays_wrap_around);
}

namespace {

void append_cells(std::string& out, const MeansRelease& release) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  std::vector<std::string> slots;
  for (const std::string& label : release.axis.labels) slots.push_back(text_of(label));
  const auto member = [&](std::string_view key, bool published, double value) {
    out.append(",\"").append(key).append("\":");
    if (published && std::isfinite(value))
      append_shortest(out, value);
    else
      out.append("null");
  };
  for (std::size_t place = 0; place < static_cast<std::size_t>(release.place_count()); ++place) {
    const std::string key = release.places.empty() ? "null" : text_of(release.places[place]);
    for (std::size_t step = 0; step < steps; ++step) {
      const CellEstimate& cell = release.cells[place * steps + step];
      const bool published = cell.state == CellEstimate::State::published;
      out.append(place + step == 0 ? "\n{\"place\":" : ",\n{\"place\":").append(key);
      out.append(",\"slot\":").append(slots[step]);
      member("mean", published, cell.mean);
      member("lower", published, cell.lower);
      member("upper", published, cell.upper);
      if (release.smoothed != Smoothed::no) {
        member("measured", published, cell.measured);
        member("deviation", published, cell.deviation);
      }
      out.append(",\"state\":\"").append(name_in(kCellStateNames, cell.state)).append("\"}");
    }
  }
}

// counts, from_caps, records, m_ub_median, m_ub_optimised, m_ub, arrays_best_fit, arrays_wrap_around, fills;
// `sensitivity` and `noise` (the scale of the noise of a mean) by mechanism, for those that have a plan; recommended,
// regime, reason; candidates, each with its plan and facts, or with a refusal. Array averaging by wrap-around goes by
// the name "array_averaging_wrap_around".
json comparison_json(const plan::MeansComparison& comparison) {
  json sensitivity = json::object(), noise = json::object(), candidates = json::array();
  for (const plan::MeansCandidate& candidate : comparison.candidates) {
    json row{{"mechanism", candidate.mechanism}};
    if (!candidate.variant.empty()) row["variant"] = candidate.variant;
    if (candidate.plan) {
      const std::string key = candidate.mechanism + (candidate.variant.empty() ? "" : "_" + candidate.variant);
      sensitivity[key] = finite_or_null(candidate.facts.sensitivity);
      noise[key] = finite_or_null(candidate.facts.scale);
      row["facts"] = object_json(candidate.facts);
      row["plan"] = object_json(*candidate.plan);
    } else {
      row["refusal"] = candidate.refusal.text();
    }
    candidates.push_back(std::move(row));
  }
  json all = object_json(comparison);
  all["sensitivity"] = sensitivity;
  all["noise"] = noise;
  all["counts"] = comparison.counts;
  all["fills"] = comparison.fills;
  all["candidates"] = candidates;
  return all;
}

// `sensitivity` and `noise` by mechanism are in the candidates, too.
Result<plan::MeansComparison> comparison_in(const Fields& comparison) {
  CV_TRY(plan::MeansComparison all, object_in<plan::MeansComparison>(comparison));
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
      CV_TRY(candidate.plan, object_in<mechanisms::CellsPlan>(plan));
      CV_TRY(const Fields facts, row.object("facts"));
      CV_TRY(candidate.facts, object_in<mechanisms::CellFacts>(facts));
    } else {
      CV_TRY(candidate.refusal.message, row.text("refusal"));
    }
    all.candidates.push_back(std::move(candidate));
  }
  return all;
}

// Every cell of every place in order, so that a row that was lost or moved is seen.
Result<void> read_cells(const Fields& document, MeansRelease& release) {
  CV_TRY(const std::vector<Fields> rows, document.objects("cells"));
  const std::size_t steps = release.axis.labels.size();
  if (rows.size() != static_cast<std::size_t>(release.place_count()) * steps) return unreadable("cells");
  release.cells.reserve(rows.size());
  const bool smoothed = release.smoothed != Smoothed::no;
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
      if (smoothed) {
        CV_TRY(cell.measured, row.finite("measured"));
        CV_TRY(cell.deviation, row.finite("deviation"));
      }
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
  CV_CHECK(read_head(document, all));
  CV_TRY(all.measure, document.text("measure"));
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_TRY(release.guarantee, guarantee_in(guarantee));
  CV_TRY(all.not_protected, guarantee.texts("not_protected"));
  CV_CHECK(read_plan_and_debit(document, all, comparison_in));
  CV_TRY(release.level, document.finite("level"));
  CV_TRY(const Fields bounds, document.object("bounds"));
  CV_TRY(release.lower, bounds.finite("lower"));
  CV_TRY(release.upper, bounds.finite("upper"));
  CV_TRY(release.axis, axis_in(document));
  CV_TRY(release.places, document.texts("places"));
  CV_TRY(release.grid, grid_in(document, release.places));
  if (document.has("smoothed")) {
    CV_TRY(release.smoothed, document.one_of(kSmoothedNames, "smoothed"));
  }
  CV_CHECK(read_cells(document, release));
  return all;
}

}  // namespace

std::string means_json(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  LongDocument out(4096 + release.cells.size() * 160, head_json("means", release.mark, published.title));
  out.member("measure", published.measure);
  out.member("guarantee",
             guarantee_json(release.guarantee, published.plan.price, release.mark, published.not_protected));
  out.plan_and_debit(published, published.comparison ? comparison_json(*published.comparison) : json());
  out.member("level", finite_or_null(release.level));
  out.member("bounds", {{"lower", finite_or_null(release.lower)}, {"upper", finite_or_null(release.upper)}});
  if (release.smoothed != Smoothed::no) out.member("smoothed", name_in(kSmoothedNames, release.smoothed));
  out.axis(release.axis);
  if (release.grid) out.member("grid", grid_json(*release.grid));
  out.member("places", release.places);
  std::string& text = out.text();
  text.append("\"cells\":[");
  append_cells(text, release);
  text.append("]}\n");
  return std::move(text);
}

Result<MeansPublished> means_from_json(std::string_view text) { return read_document(text, published_in); }

}  // namespace chronoveil::report
