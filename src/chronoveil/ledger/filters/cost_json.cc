#include "chronoveil/ledger/filters/cost_json.h"

#include <nlohmann/json.hpp>

namespace chronoveil::ledger {

nlohmann::json cost_to_json(const Cost& cost) {
  nlohmann::json values = nlohmann::json::array();
  for (const Amount value : cost.values) values.push_back(value.text());
  return {{"values", std::move(values)}, {"delta", cost.delta.text()}};
}

Result<Cost> cost_from_json(const JsonFields& fields) {
  CV_TRY(const std::vector<std::string> values, fields.texts("values"));
  CV_TRY(const std::string delta, fields.text("delta"));
  CV_CHECK(fields.nothing_else());
  Cost cost;
  CV_TRY(cost.delta, Amount::parse(delta));
  for (const std::string& value : values) {
    CV_TRY(const Amount amount, Amount::parse(value));
    cost.values.push_back(amount);
  }
  return cost;
}

}  // namespace chronoveil::ledger
