// Where the places of a release are drawn: the hexagons or squares of its grid, or tiles row by row in the order of its
// list. Where there are too many, places are merged.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/base/means_release.h"

namespace chronoveil::report {

struct TileCorner {
  int x = 0, y = 0;  // to the right and down
};

struct Tile {
  std::vector<std::size_t> places;
  std::vector<TileCorner> corners;  // in order, nothing outside [0, width] × [0, height]
};

struct Tiles {
  int width = 0, height = 0;
  int across = 1;     // about how many are side by side
  double metres = 0;  // per unit of width and height; 0 for tiles of a list
  std::vector<Tile> all;
};

// At most `most` tiles, most >= 1. Neighbours share their corners.
Tiles tiles_of(const MeansRelease&, std::size_t most);

// The name of the place, or how many there are; not yet escaped.
std::string name_of(const Tile&, const MeansRelease&);

}  // namespace chronoveil::report
