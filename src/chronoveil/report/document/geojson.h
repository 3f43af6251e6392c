// A release by place as GeoJSON [RFC 7946]: one feature per public cell, so that tools can go through time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "chronoveil/base/place_grid.h"

namespace chronoveil::report {

// Of each place, in the order of the list: its geometry, as JSON.
using Outlines = std::vector<std::string>;

// The polygons of a grid: counter-clockwise, and closed.
Outlines outlines_of(const PlaceGrid&);

class FeatureCollection {
 public:
  // `about`: members beside the features, as RFC 7946 allows.
  explicit FeatureCollection(const nlohmann::ordered_json& about);

  void add(const std::string& outline, const nlohmann::ordered_json& properties);
  std::string text() && { return std::move(text_) + "]}\n"; }

 private:
  std::string text_;
  bool empty_ = true;
};

}  // namespace chronoveil::report
