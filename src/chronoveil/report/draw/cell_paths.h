// Coloured shapes of a drawing of cells, as SVG. Vague cells are struck through; cells without a mean are bare, with a
// dot where there are too few people.
#pragma once

#include <array>
#include <span>
#include <string>

#include "chronoveil/report/draw/levels.h"
#include "chronoveil/report/means/summary.h"
#include "chronoveil/report/means/tiles.h"

namespace chronoveil::report {

// The palest colour of a mean; only bare cells have the colour of the ground.
inline constexpr std::size_t kPalestMean = 1;

class CellPaths {
 public:
  // With `tooltips`, every shape is an element with a title; else there is one element per colour.
  CellPaths(const MeansRelease& release, const Levels& levels, bool tooltips)
      : release_(release), levels_(levels), tooltips_(tooltips) {}

  // `title` is not yet escaped, and is left out without tooltips.
  void add(std::span<const TileCorner> corners, const CellSummary& cells, const std::string& title);
  std::string svg() const;

 private:
  const MeansRelease& release_;
  const Levels& levels_;
  bool tooltips_;
  std::array<std::string, kColours> coloured_;
  std::string bare_, dots_, strikes_;
};

// The legend of such drawings: the colours, and what else there is to see among `shown`.
std::string cells_legend(const Levels&, const MeansRelease&, std::span<const CellSummary> shown);

}  // namespace chronoveil::report
