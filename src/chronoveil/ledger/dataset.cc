#include "chronoveil/ledger/dataset.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/version.h"
#include "chronoveil/ledger/filters/cost_json.h"
#include "chronoveil/ledger/json_fields.h"

namespace chronoveil::ledger {

using nlohmann::json;

namespace {

json partition_to_json(const Partition& partition) {
  json result = {{"straddle", partition.straddle}};
  if (partition.by == Partition::By::day) {
    result["by"] = "day";
  } else {
    result["by"] = "list";
    result["names"] = partition.names;
  }
  return result;
}

Result<Partition> partition_from_json(const JsonFields& fields) {
  Partition partition;
  CV_TRY(const std::string by, fields.text("by"));
  CV_TRY(partition.straddle, fields.integer("straddle"));
  if (by == "day") {
    partition.by = Partition::By::day;
  } else if (by == "list") {
    CV_TRY(partition.names, fields.texts("names"));
  } else {
    return fields.wrong("by");
  }
  CV_CHECK(fields.nothing_else());
  return partition;
}

Result<void> check_promise(const Protected& promise) {
  const std::string width = std::to_string(promise.width);
  if (promise.relation == Relation::swap) {
    if (promise.unit != Unit::event)
      return invalid("unit", name(promise.unit), "event where the relation is swap: two values change places");
    if (promise.width < 2 || promise.width > (std::int64_t{1} << 20))
      return invalid("window", width, "a whole number between 2 and 1048576 where the relation is swap");
    return {};
  }
  if (promise.unit == Unit::w_event && promise.width < 1) return invalid("width", width, "at least 1");
  if (promise.unit != Unit::w_event && promise.width != 1)
    return invalid("width", width, "left out unless the unit is w-event");
  return {};
}

}  // namespace

Result<void> check_dataset_name(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
  if (name.empty() || name.size() > 64 || !plain) {
    return invalid("dataset", name, "1 to 64 characters out of a-z A-Z 0-9 . _ -");
  }
  return {};
}

Result<Dataset> make_dataset(const DatasetRequest& request) {
  CV_CHECK(check_dataset_name(request.name));
  // Older datasets of these names can still be used.
  if (request.name == "." || request.name == "..")
    return invalid("dataset", request.name, "a name of its own: it names folders too");
  CV_CHECK(check_promise(request.promise));
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta delta, Delta::make(request.delta));
  // Events that move values cost δ, of which the union sets aside only a tenth.
  const FilterKind usual = request.promise.relation == Relation::swap ? FilterKind::sum : default_filter(delta);
  CV_TRY(Filter filter, make_filter(request.filter.value_or(usual), epsilon, delta));
  Dataset dataset{request.name,      request.promise, epsilon.value(), delta.value(),
                  std::move(filter), request.renews,  std::nullopt};
  if (request.partition) {
    CV_TRY(dataset.partition, make_partition(*request.partition, request.promise));
  }
  return dataset;
}

namespace {

// Up to version 5 of the analysis a window was taken to straddle two parts by default, however wide it was. Whether two
// was meant is unknown, so the safe number counts.
void widen_straddle(Partition& partition, const Protected& promise, std::int64_t analysis) {
  constexpr std::int64_t kLastWithDefault = 5, kDefault = 2;
  if (analysis <= kLastWithDefault && partition.straddle == kDefault && safe_straddle(promise) > kDefault) {
    partition.straddle = safe_straddle(promise);
    partition.widened = true;
  }
}

}  // namespace

std::string to_body(const Dataset& dataset) {
  json filter = {{"kind", name(dataset.filter.kind)}, {"budget", cost_to_json(dataset.filter.budget)}};
  if (!dataset.filter.orders.empty()) filter["orders"] = dataset.filter.orders;
  if (!dataset.filter.shares.empty()) filter["shares"] = dataset.filter.shares;
  if (!dataset.filter.reserves.empty()) filter["reserves"] = dataset.filter.reserves;
  json body = {{"unit", name(dataset.promise.unit)},
               {"relation", name(dataset.promise.relation)},
               {"epsilon", dataset.epsilon},
               {"delta", dataset.delta},
               {"filter", std::move(filter)},
               {"analysis", accounting::kAnalysisVersion},
               {"software", kVersion}};
  if (dataset.promise.unit == Unit::w_event) body["width"] = dataset.promise.width;
  if (dataset.promise.relation == Relation::swap) body["window"] = dataset.promise.width;
  if (dataset.renews) body["renews"] = name(*dataset.renews);
  if (dataset.partition) body["partition"] = partition_to_json(*dataset.partition);
  return body.dump();
}

Result<Dataset> dataset_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  Dataset dataset;
  CV_TRY(const std::string unit, fields.text("unit"));
  CV_TRY(dataset.promise.unit, parse_unit(unit));
  CV_TRY(const auto width, fields.integer_if("width"));
  dataset.promise.width = width.value_or(1);
  CV_TRY(const std::string relation, fields.text("relation"));
  CV_TRY(dataset.promise.relation, parse_relation(relation));
  if (dataset.promise.relation == Relation::swap) {
    CV_TRY(dataset.promise.width, fields.integer("window"));
  }
  CV_TRY(dataset.epsilon, fields.finite("epsilon"));
  CV_TRY(dataset.delta, fields.finite("delta"));
  CV_TRY(const auto renews, fields.text_if("renews"));
  if (renews) {
    CV_TRY(dataset.renews, parse_renewal(*renews));
  }
  if (fields.find("partition")) {
    CV_TRY(const JsonFields partition, fields.object("partition"));
    CV_TRY(dataset.partition, partition_from_json(partition));
  }
  CV_TRY(const std::int64_t analysis, fields.integer("analysis"));
  if (dataset.partition) widen_straddle(*dataset.partition, dataset.promise, analysis);
  CV_CHECK(fields.text("software"));
  CV_TRY(const JsonFields filter, fields.object("filter"));
  CV_CHECK(fields.nothing_else());

  CV_TRY(const std::string kind, filter.text("kind"));
  CV_TRY(dataset.filter.kind, parse_filter_kind(kind));
  CV_TRY(const JsonFields budget, filter.object("budget"));
  CV_TRY(dataset.filter.budget, cost_from_json(budget));
  const bool united = dataset.filter.kind == FilterKind::united;
  if (united || dataset.filter.kind == FilterKind::renyi) {
    CV_TRY(const json* orders, filter.list("orders"));
    for (const json& order : *orders) {
      if (!order.is_number()) return filter.wrong("orders");
      dataset.filter.orders.push_back(order.get<double>());
    }
    if (!are_renyi_orders(dataset.filter.orders)) return filter.wrong("orders");
  }
  if (united) {
    CV_TRY(dataset.filter.shares, filter.integers("shares"));
    // The first unions had no reserves.
    if (filter.find("reserves")) {
      CV_TRY(dataset.filter.reserves, filter.integers("reserves"));
      if (!are_reserves(dataset.filter.reserves)) return filter.wrong("reserves");
    }
    if (dataset.filter.shares.size() != 2 + dataset.filter.orders.size()) return filter.wrong("shares");
  }
  CV_CHECK(filter.nothing_else());
  std::size_t coordinates = 1;
  if (united) coordinates = 2 + dataset.filter.reserves.size() + dataset.filter.orders.size();
  if (dataset.filter.kind == FilterKind::renyi) coordinates = dataset.filter.orders.size();
  if (coordinates == 0 || dataset.filter.budget.values.size() != coordinates) return filter.wrong("budget");
  return dataset;
}

}  // namespace chronoveil::ledger
