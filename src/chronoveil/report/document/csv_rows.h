// The rows of a release CSV one by one: series,time,value,lower,upper,sampled; no series column for one series without
// a name. A release that is not private has a column `mark` that says so in every row. Then follow, on a grid, the
// longitude and latitude of the middle of the place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/place_grid.h"

namespace chronoveil::report {

// RFC 4180: quoted when it holds a comma, a quote or a line break, with quotes doubled. Blanks at an end are quoted
// too, since some readers drop them. Control characters, which only keys of older releases hold, are made visible.
std::string csv_field(const std::string& text);

// How a row ends and what its columns are called, where places are on a grid: ",24.9,60.2". Empty without a grid.
inline constexpr std::string_view kMiddleColumns = ",longitude,latitude";
std::string middle_fields(const std::optional<PlaceGrid>&, std::size_t place);

class CsvRows {
 public:
  CsvRows(const std::vector<std::string>& keys, const std::string& mark,
          const std::optional<PlaceGrid>& grid = std::nullopt);

  const std::string& header() const { return header_; }
  void append(std::string& out, std::size_t series, const std::string& time, double value, double lower, double upper,
              bool sampled) const;
  // What a row of this series begins with, before its time.
  const std::string& start(std::size_t series) const { return starts_[series]; }

 private:
  bool named_;
  std::string header_;
  std::vector<std::string> starts_, ends_;
};

}  // namespace chronoveil::report
