// FOLDER/NAME.csv: one series per line: key, first step on the clock of the panel, values. Both programs read it.
#pragma once

#include <fstream>
#include <string>
#include <utility>

#include "chronoveil/forecasting/panel.h"
#include "schuchardt2025/fields.h"

namespace chronoveil::schuchardt2025 {

inline Result<forecasting::Panel> read_panel(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(ErrorKind::storage, path + ": cannot be read");
  forecasting::Panel panel;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.size() < 3) return fail(ErrorKind::bad_data, path + ": a line without values");
    forecasting::PanelSeries series;
    series.key = fields[0];
    CV_TRY(series.start, number<std::int64_t>("start", fields[1]));
    for (std::size_t i = 2; i < fields.size(); ++i) {
      CV_TRY(const float value, number<float>("value", fields[i]));
      series.values.push_back(value);
    }
    series.length = std::ssize(series.values);
    panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace chronoveil::schuchardt2025
