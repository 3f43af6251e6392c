#include "chronoveil/ledger/filters/cost_json.h"

#include "chronoveil/ledger/json_fields.h"

namespace chronoveil::ledger {

nlohmann::json cost_to_json(const Cost& cost) {
  nlohmann::json values = nlohmann::json::array();
  for (const Amount value : cost.values) values.push_back(value.text());
  return {{"values", std::move(values)}, {"delta", cost.delta.text()}};
}

Result<Cost> cost_from_json(const nlohmann::json& object) {
  JsonFields fields(object);
  CV_TRY(const nlohmann::json* values, fields.list("values"));
  CV_TRY(const std::string delta, fields.text("delta"));
  CV_CHECK(fields.nothing_else());
  Cost cost;
  CV_TRY(cost.delta, Amount::parse(delta));
  for (const nlohmann::json& value : *values) {
    if (!value.is_string()) return bad_body("values");
    CV_TRY(const Amount amount, Amount::parse(value.get_ref<const std::string&>()));
    cost.values.push_back(amount);
  }
  return cost;
}

}  // namespace chronoveil::ledger
