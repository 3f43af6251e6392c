// Means as coloured cells: the map of places, small maps by slot, the strip of places by slot.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/report/draw/levels.h"
#include "chronoveil/report/draw/marks.h"
#include "chronoveil/report/means/published.h"
#include "chronoveil/report/means/summary.h"

namespace chronoveil::report {

// The most shapes in one drawing, and in all small maps together; more places than that are merged.
inline constexpr std::size_t kMostTiles = 20'000;
inline constexpr std::size_t kMostStripRows = 40;

// The map as elements of SVG, for a page or for a file of its own.
struct MapDrawing {
  std::string title, note;  // not yet escaped
  int wide = 1, high = 1;   // in its own units, from -1 on
  int widest = 0;           // in pixels: a few places do not fill a screen
  Levels levels;
  std::vector<CellSummary> shown;
  std::string shapes;
  std::string bar_words;        // about the scale bar and the corners; empty without a grid
  std::vector<CellMark> marks;  // of the places; empty where the shapes have tooltips instead
  bool hexagons = false;
};
// Of at least one slot. `marked`: places have marks for the keyboard if they are at most kMostCellMarks; a file of its
// own can have none.
MapDrawing map_of(const MeansPublished&, bool marked);

// Places coloured by the mean of their published means. A few show their values on hover and by keyboard, many have
// tooltips. Empty when there are no slots.
std::string means_map(const MeansPublished&);

// A small map for each column of slots; empty for one place, one slot or no slots.
std::string means_multiples(const MeansPublished&);

// One row per place and one for all of them, one column per hour of the day or slot; empty for one slot or none.
std::string means_strip(const MeansPublished&);

}  // namespace chronoveil::report
