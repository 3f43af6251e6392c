#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/means/json.h"
#include "chronoveil/report/means/json_names.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

json shape_json(const mechanisms::CellShape& shape) {
  return {{"places", shape.places},
          {"steps", shape.steps},
          {"max_cells", shape.max_cells},
          {"max_records", or_null(shape.max_records)},
          {"lower", finite_or_null(shape.lower)},
          {"upper", finite_or_null(shape.upper)},
          {"sparse_below", shape.sparse_below},
          {"registered", or_null(shape.registered)}};
}

// Without the fills: they are those of the comparison, or of another m_ub that does not matter here.
json facts_json(const mechanisms::CellFacts& facts) {
  return {{"users", facts.users},
          {"m_ub", facts.m_ub},
          {"arrays", facts.arrays},
          {"sensitivity", finite_or_null(facts.sensitivity)},
          {"scale", finite_or_null(facts.scale)},
          {"expected_noise", finite_or_null(facts.expected_noise)}};
}

json grid_json(const PlaceGridSpec& grid) {
  return {{"shape", name_in(kPlaceShapeNames, grid.shape)},
          {"west", grid.west},
          {"south", grid.south},
          {"east", grid.east},
          {"north", grid.north},
          {"size", grid.size}};
}

// The long list goes straight to the text: a document in memory would take ten times the room.
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
      out.append(",\"state\":\"").append(name_in(kCellStateNames, cell.state)).append("\"}");
    }
  }
}

}  // namespace

json plan_json(const mechanisms::CellsPlan& plan) {
  return {{"mechanism", plan.mechanism},
          {"parameters", parameters_json(plan.parameters)},
          {"noise", name_in(kNoiseNames, plan.noise)},
          {"share", finite_or_null(plan.share)},
          {"noise_multiplier", finite_or_null(plan.noise_multiplier)},
          {"relation", name(plan.relation)},
          {"event", accounting::event_to_json(plan.event)},
          {"analysis", name_in(kAnalysisNames, plan.price.analysis)},
          {"level", finite_or_null(plan.level)},
          {"delta", finite_or_null(plan.delta)},
          {"price", price_json(plan.price)},
          {"shape", shape_json(plan.shape)}};
}

json comparison_json(const plan::MeansComparison& comparison) {
  json sensitivity = json::object(), noise = json::object(), candidates = json::array();
  for (const plan::MeansCandidate& candidate : comparison.candidates) {
    json row{{"mechanism", candidate.mechanism}};
    if (!candidate.variant.empty()) row["variant"] = candidate.variant;
    if (candidate.plan) {
      const std::string key = candidate.mechanism + (candidate.variant.empty() ? "" : "_" + candidate.variant);
      sensitivity[key] = finite_or_null(candidate.facts.sensitivity);
      noise[key] = finite_or_null(candidate.facts.scale);
      row["facts"] = facts_json(candidate.facts);
      row["plan"] = plan_json(*candidate.plan);
    } else {
      row["refusal"] = candidate.refusal.text();
    }
    candidates.push_back(std::move(row));
  }
  return {{"recommended", comparison.recommended},
          {"regime", comparison.regime},
          {"reason", comparison.reason},
          {"from_caps", comparison.from_caps},
          {"records", comparison.records},
          {"m_ub_median", comparison.m_ub_median},
          {"m_ub_optimised", comparison.m_ub_optimised},
          {"m_ub", comparison.m_ub},
          {"arrays_best_fit", comparison.arrays_best_fit},
          {"arrays_wrap_around", comparison.arrays_wrap_around},
          {"sensitivity", sensitivity},
          {"noise", noise},
          {"counts", comparison.counts},
          {"fills", comparison.fills},
          {"candidates", candidates}};
}

std::string means_json(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  json plan = plan_json(published.plan);
  plan["reason"] = published.reason;
  if (published.comparison) plan["comparison"] = comparison_json(*published.comparison);

  std::string out;
  out.reserve(4096 + release.cells.size() * 160);
  const auto member = [&](std::string_view key, const json& value) {
    out.append("\"").append(key).append("\":").append(text_of(value)).append(",\n");
  };
  out += '{';
  const json head = head_json("means", release.mark, published.title);
  for (const auto& [key, value] : head.items()) member(key, value);
  member("measure", published.measure);
  member("guarantee", guarantee_json(release.guarantee, published.plan.price, release.mark, published.not_protected));
  member("plan", plan);
  member("debit", debit_json(published.debit));
  if (published.budget) member("budget", budget_json(*published.budget));
  member("software", software_json());
  member("level", finite_or_null(release.level));
  member("bounds", {{"lower", finite_or_null(release.lower)}, {"upper", finite_or_null(release.upper)}});
  member("zone", release.axis.zone);
  member("boundaries", release.axis.boundaries);
  member("time", release.axis.labels);
  if (release.grid) member("grid", grid_json(release.grid->spec()));
  member("places", release.places);
  out.append("\"cells\":[");
  append_cells(out, release);
  out.append("]}\n");
  return out;
}

}  // namespace chronoveil::report
