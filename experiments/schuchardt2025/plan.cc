#include "schuchardt2025/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "schuchardt2025/fields.h"

namespace chronoveil::schuchardt2025 {
namespace {

using accounting::StructuredSubsampling;

constexpr double kDelta = 1e-7;

class Row {
 public:
  Row(const std::vector<std::string_view>& head, const std::vector<std::string_view>& fields) {
    for (std::size_t i = 0; i < head.size(); ++i) fields_.emplace(head[i], fields[i]);
  }
  Result<std::string_view> text(std::string_view column) const {
    const auto found = fields_.find(column);
    if (found == fields_.end()) return fail(ErrorKind::usage, fmt::format("settings: no column {}", column));
    return found->second;
  }
  template <class Number>
  Result<Number> as(std::string_view column) const {
    CV_TRY(const std::string_view field, text(column));
    return number<Number>(column, field);
  }

 private:
  std::map<std::string_view, std::string_view> fields_;
};

Result<StructuredSubsampling> step_of(const Row& row) {
  StructuredSubsampling step{};
  CV_TRY(step.series, row.as<std::int64_t>("series"));
  CV_TRY(const std::string_view lengths, row.text("lengths"));
  for (const std::string_view each : split(lengths, ' ')) {
    CV_TRY(const std::int64_t length, number<std::int64_t>("lengths", each));
    step.length.push_back(length);
  }
  CV_TRY(step.context_length, row.as<std::int64_t>("history"));
  CV_TRY(step.forecast_length, row.as<std::int64_t>("forecast"));
  CV_TRY(step.batch_size, row.as<std::int64_t>("batch"));
  CV_TRY(step.windows_per_series, row.as<std::int64_t>("windows"));
  CV_TRY(step.noise_multiplier, row.as<double>("sigma"));
  CV_TRY(step.label_noise, row.as<double>("label_noise"));
  CV_TRY(const std::string_view bottom, row.text("bottom"));
  if (bottom != "with_replacement" && bottom != "poisson")
    return invalid("bottom", bottom, "with_replacement or poisson");
  if (bottom == "poisson") step.bottom_level = StructuredSubsampling::Bottom::poisson;
  step.unit = Unit::user;  // with one step it equals an event
  return step;
}

// A row of a run: its σ, and what is added to the columns of its settings.
struct Budgeted {
  std::string sigma, added;
};

// One for each budget. If the settings leave σ open (0), each budget has the least σ for max_steps steps; else all
// budgets share a run, and each has as many of its steps as it pays for.
Result<std::vector<Budgeted>> budgets_of(const Row& row) {
  CV_TRY(StructuredSubsampling step, step_of(row));
  CV_TRY(const Delta delta, Delta::make(kDelta));
  CV_TRY(const std::int64_t max_steps, row.as<std::int64_t>("max_steps"));
  std::vector<std::pair<std::int64_t, double>> budgets = {{1, 0.5}};
  std::vector<Budgeted> all;
  const bool open = step.noise_multiplier == 0;
  CV_TRY(const std::string_view given, row.text("sigma"));
  if (step.label_noise <= 0) {
    budgets = {{1, 0.25}, {1, 0.5}, {1, 1.0}, {1, 2.0}, {1, 4.0}, {1, 8.0}, {2, 4.0}, {4, 4.0}, {8, 4.0}};
    all.push_back({std::string(open ? "1" : given), "1,0,0,0,0"});
  }
  for (const auto& [width, budget] : budgets) {
    step.width = width;
    CV_TRY(const Epsilon epsilon, Epsilon::make(budget));
    if (open) {
      step.noise_multiplier = accounting::kToCalibrate;
      CV_TRY(const accounting::Calibration least, accounting::calibrate({step, max_steps}, epsilon, delta));
      all.push_back({shortest(least.noise), fmt::format("{},{},{},{:.5g},{:.5g}", width, budget, max_steps,
                                                        least.price.epsilon, least.price.epsilon_lower)});
      continue;
    }
    CV_TRY(const std::int64_t fit, accounting::max_count({step, 1}, epsilon, delta));
    const std::int64_t steps = std::min(fit, max_steps);
    accounting::Price price;
    if (steps > 0) {
      CV_TRY(price, accounting::epsilon_at({step, steps}, delta));
    }
    all.push_back({std::string(given),
                   fmt::format("{},{},{},{:.5g},{:.5g}", width, budget, steps, price.epsilon, price.epsilon_lower)});
  }
  return all;
}

// Everything that the price depends on: runs that differ only in the rest are priced once.
Result<std::string> key_of(const Row& row) {
  std::string key;
  for (const char* column : {"series", "lengths", "history", "forecast", "batch", "windows", "bottom", "sigma",
                             "label_noise", "max_steps"}) {
    CV_TRY(const std::string_view text, row.text(column));
    key += fmt::format("{},", text);
  }
  return key;
}

}  // namespace

Result<std::string> plan(std::string_view settings) {
  std::vector<std::string_view> rows = split(settings, '\n');
  std::erase_if(rows, [](std::string_view row) { return row.empty(); });
  if (rows.empty()) return fail(ErrorKind::usage, "settings", "no header");
  const std::vector<std::string_view> head = split(rows.front(), ',');
  std::string lines = fmt::format("{},width,budget,steps,epsilon,epsilon_lower\n", rows.front());
  std::map<std::string, std::vector<Budgeted>> priced;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string_view> fields = split(rows[i], ',');
    if (fields.size() != head.size())
      return fail(ErrorKind::usage,
                  fmt::format("settings: row {} has {} fields, the header {}", i + 1, fields.size(), head.size()));
    const Row row(head, fields);
    CV_TRY(const std::string key, key_of(row));
    if (!priced.contains(key)) {
      CV_TRY(priced[key], budgets_of(row));
    }
    for (const auto& [sigma, added] : priced[key]) {
      for (std::size_t column = 0; column < head.size(); ++column)
        lines += fmt::format("{},", head[column] == "sigma" ? std::string_view(sigma) : fields[column]);
      lines += added + "\n";
    }
    CV_TRY(const std::int64_t free_steps, row.as<std::int64_t>("free_steps"));
    if (free_steps > 0) lines += fmt::format("{},1,inf,{},inf,inf\n", rows[i], free_steps);
  }
  return lines;
}

}  // namespace chronoveil::schuchardt2025
