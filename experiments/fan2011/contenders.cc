#include "fan2011/contenders.h"

#include <fmt/format.h>

#include <cmath>

namespace chronoveil::fan2011 {
namespace {

using mechanisms::Parameters;

// The rest of the settings of the report are the defaults of `fast`.
const Parameters kPublishedFilter{{"process_variance", 0.001}, {"measurement_variance", 10.0}};

Parameters with(Parameters parameters, std::string name, mechanisms::Value value) {
  parameters[std::move(name)] = std::move(value);
  return parameters;
}

// Both settings of something with a filter.
struct Setting {
  std::string name;
  Parameters filter;
};
std::vector<Setting> settings() { return {{"published", kPublishedFilter}, {"ours", {}}}; }

std::vector<Contender> filtered(double delta) {
  std::vector<Contender> all;
  for (const Setting& setting : settings()) {
    for (const std::int64_t interval : {1, 2, 4, 8, 16})
      all.push_back({fmt::format("fixed_rate, every {}", interval), setting.name, "fixed_rate", delta,
                     with(setting.filter, "interval", interval)});
    all.push_back({"fast", setting.name, "fast", delta, setting.filter});
  }
  return all;
}

}  // namespace

std::vector<Contender> contenders(const Dataset& dataset) {
  std::vector<Contender> all{{"laplace", "", "laplace", 0, {}}, {"dft", "", "dft", 0, {}}};
  for (Contender& each : filtered(0)) all.push_back(std::move(each));
  all.push_back({"gaussian", "", "gaussian", kDelta, {}});
  all.push_back({"dft", "", "dft", kDelta, {}});
  for (Contender& each : filtered(kDelta))
    if (each.settings == "ours") all.push_back(std::move(each));
  for (const char* name : {"kalman", "shrink"}) {
    all.push_back({name, "", name, kDelta, {}});
    all.push_back({fmt::format("{}, season", name), "", name, kDelta, {{"season", dataset.season}}});
  }
  return all;
}

std::vector<Point> filter_points() {
  std::vector<Point> points;
  const auto add = [&](const char* figure, std::string line, const char* parameter, double value, Parameters all) {
    all["interval"] = std::int64_t{1};
    points.push_back(
        {figure, std::move(line), parameter, value, {"fixed_rate, every 1", "", "fixed_rate", 0, std::move(all)}});
  };
  for (int power = -4; power <= 9; ++power) {
    const double value = std::pow(10, power);
    add("9", "R = 10", "Q", value, {{"process_variance", value}, {"measurement_variance", 10.0}});
    add("9", "R of the noise", "Q", value, {{"process_variance", value}});
    add("10", "Q = 0.001", "R", value, {{"process_variance", 0.001}, {"measurement_variance", value}});
  }
  return points;
}

std::vector<Point> control_points(std::int64_t steps) {
  std::vector<Point> points;
  for (const Setting& setting : settings()) {
    const auto add = [&](const char* figure, std::string line, const char* parameter, double value, Parameters all) {
      points.push_back({figure, std::move(line), parameter, value, {"fast", setting.name, "fast", 0, std::move(all)}});
    };
    for (const double share : {0.05, 0.1, 0.15, 0.25, 0.5, 0.75, 1.0}) {
      const auto queries = static_cast<std::int64_t>(share * static_cast<double>(steps));
      add("12", setting.name, "M/T", share, with(setting.filter, "queries", queries));
    }
    struct Gains {
      double proportional, integral, derivative;
    };
    for (const auto& [proportional, integral, derivative] :
         {Gains{1, 0, 0}, Gains{0.9, 0.1, 0}, Gains{0.8, 0.1, 0.1}, Gains{0.7, 0.2, 0.1}, Gains{0.5, 0.3, 0.2}})
      for (const std::int64_t time : {5, 10, 20, 40, 80}) {
        Parameters all = with(setting.filter, "integration_time", time);
        all["proportional"] = proportional;
        all["integral"] = integral;
        all["derivative"] = derivative;
        add("13", fmt::format("{}: {}, {}, {}", setting.name, proportional, integral, derivative), "T_i",
            static_cast<double>(time), std::move(all));
      }
    for (const double xi : {0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0})
      add("14", setting.name, "ξ", xi, with(setting.filter, "xi", xi));
    for (const double theta : {1.0, 2.0, 5.0, 10.0, 20.0, 40.0})
      add("15", setting.name, "θ", theta, with(setting.filter, "theta", theta));
  }
  return points;
}

}  // namespace chronoveil::fan2011
