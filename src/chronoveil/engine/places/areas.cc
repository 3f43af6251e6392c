#include "chronoveil/engine/places/areas.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

namespace chronoveil::engine {
namespace {

__extension__ using Product = __int128;  // of two differences of coordinates, which have 39 bits

constexpr double kSteps = 1e9;  // of a degree
constexpr std::size_t kMostStrips = 4096;
constexpr std::size_t kSidesPerStrip = 4;

struct Corner {
  std::int64_t x, y;
};

std::optional<Corner> corner_at(double longitude, double latitude) {
  if (!(std::abs(longitude) <= 180) || !(std::abs(latitude) <= 90)) return std::nullopt;  // NaN, too
  return Corner{std::llround(longitude * kSteps), std::llround(latitude * kSteps)};
}

}  // namespace

// Goes through the document once.
class AreaReader {
 public:
  explicit AreaReader(const std::string& name) : name_(name) {}

  Result<Areas> read(std::string_view geojson) {
    const nlohmann::json document = nlohmann::json::parse(geojson, nullptr, false);
    if (!document.is_object() || type_of(document) != "FeatureCollection" || !document.contains("features") ||
        !document["features"].is_array())
      return refuse("it must be GeoJSON, a FeatureCollection of polygons");
    for (const nlohmann::json& feature : document["features"]) {
      ++feature_;
      CV_CHECK(read_name(feature));
      CV_CHECK(read_geometry(feature));
    }
    if (areas_.names_.empty()) return refuse("it holds no area");
    areas_.sort_into_strips();
    return std::move(areas_);
  }

 private:
  static std::string type_of(const nlohmann::json& object) {
    const auto found = object.find("type");
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  }

  Failure refuse(const std::string& why) const {
    return fail(ErrorKind::usage, "places.areas",
                (feature_ == 0 ? "" : "feature " + std::to_string(feature_) + ": ") + why);
  }

  Result<void> read_name(const nlohmann::json& feature) {
    const auto properties = feature.is_object() ? feature.find("properties") : feature.end();
    if (!feature.is_object() || properties == feature.end() || !properties->is_object() || !properties->contains(name_))
      return refuse("it has no property '" + name_ + "'; `places.name` says which one names an area");
    const nlohmann::json& value = (*properties)[name_];
    std::string name;
    if (value.is_string()) name = value.get<std::string>();
    if (value.is_number_integer()) name = value.dump();
    if (name.empty()) return refuse("its '" + name_ + "' must be a text that is not empty, or a whole number");
    if (!seen_.insert(name).second) return refuse("an area of that name is there already; names must differ");
    areas_.names_.push_back(std::move(name));
    return {};
  }

  Result<void> read_geometry(const nlohmann::json& feature) {
    const auto geometry = feature.find("geometry");
    const std::string type = geometry != feature.end() && geometry->is_object() ? type_of(*geometry) : "";
    const auto coordinates = type.empty() ? feature.end() : geometry->find("coordinates");
    if ((type != "Polygon" && type != "MultiPolygon") || coordinates == geometry->end() || !coordinates->is_array())
      return refuse("its geometry must be a Polygon or a MultiPolygon");
    outline_ = nlohmann::json::array();
    if (type == "Polygon") {
      CV_CHECK(read_polygon(*coordinates));
    } else {
      for (const nlohmann::json& polygon : *coordinates) CV_CHECK(read_polygon(polygon));
    }
    const nlohmann::ordered_json kept{{"type", type}, {"coordinates", type == "Polygon" ? outline_.front() : outline_}};
    areas_.outlines_.push_back(kept.dump());
    return {};
  }

  Result<void> read_polygon(const nlohmann::json& rings) {
    if (!rings.is_array() || rings.empty()) return refuse("a polygon must be a list of rings");
    const auto polygon = static_cast<std::uint32_t>(areas_.area_.size());
    areas_.area_.push_back(static_cast<std::uint32_t>(areas_.names_.size() - 1));
    outline_.push_back(nlohmann::json::array());
    for (const nlohmann::json& ring : rings) CV_CHECK(read_ring(ring, polygon));
    return {};
  }

  Result<void> read_ring(const nlohmann::json& ring, std::uint32_t polygon) {
    if (!ring.is_array() || ring.size() < 4) return refuse("a ring must have at least four corners");
    std::vector<Corner> corners;
    nlohmann::json kept = nlohmann::json::array();  // without heights, or what else a position has
    for (const nlohmann::json& position : ring) {
      const bool numbers =
          position.is_array() && position.size() >= 2 && position[0].is_number() && position[1].is_number();
      const auto corner = numbers ? corner_at(position[0].get<double>(), position[1].get<double>()) : std::nullopt;
      if (!corner) return refuse("a corner must be a longitude within ±180 and a latitude within ±90 degrees");
      corners.push_back(*corner);
      kept.push_back({position[0], position[1]});
    }
    outline_.back().push_back(std::move(kept));
    if (corners.front().x != corners.back().x || corners.front().y != corners.back().y)
      return refuse("a ring must end with its first corner");
    for (std::size_t i = 1; i < corners.size(); ++i) {
      Corner from = corners[i - 1], to = corners[i];
      if (from.y > to.y) std::swap(from, to);
      areas_.sides_.push_back({from.x, from.y, to.x, to.y, polygon});
    }
    return {};
  }

  const std::string& name_;
  std::size_t feature_ = 0;
  std::unordered_set<std::string> seen_;
  nlohmann::json outline_;  // of this feature: its polygons
  Areas areas_;
};

Result<Areas> Areas::parse(std::string_view geojson, const std::string& name) { return AreaReader(name).read(geojson); }

std::size_t Areas::strip_of(std::int64_t y) const {
  const auto strips = static_cast<std::int64_t>(first_.size()) - 1;
  return static_cast<std::size_t>((y - south_) * strips / (north_ - south_ + 1));  // at most 2^38 times 2^12
}

void Areas::sort_into_strips() {
  if (sides_.empty()) return;  // every area has an empty geometry
  south_ = sides_.front().y1, north_ = sides_.front().y2;
  for (const Side& side : sides_) south_ = std::min(south_, side.y1), north_ = std::max(north_, side.y2);
  first_.assign(std::clamp<std::size_t>(sides_.size() / kSidesPerStrip, 1, kMostStrips) + 1, 0);
  for (const Side& side : sides_)
    for (std::size_t strip = strip_of(side.y1); strip <= strip_of(side.y2); ++strip) ++first_[strip + 1];
  for (std::size_t strip = 1; strip < first_.size(); ++strip) first_[strip] += first_[strip - 1];
  in_strip_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < sides_.size(); ++i)
    for (std::size_t strip = strip_of(sides_[i].y1); strip <= strip_of(sides_[i].y2); ++strip)
      in_strip_[next[strip]++] = i;
}

std::int64_t Areas::area_of(double longitude, double latitude) const {
  const std::optional<Corner> point = corner_at(longitude, latitude);
  if (!point || sides_.empty() || point->y < south_ || point->y > north_) return kNowhere;
  const auto [x, y] = *point;
  const std::size_t strip = strip_of(y);
  bool inside = false;
  std::uint32_t polygon = 0;
  for (std::size_t at = first_[strip]; at < first_[strip + 1]; ++at) {
    const Side& side = sides_[in_strip_[at]];
    if (side.polygon != polygon) {
      if (inside) return area_[polygon];
      polygon = side.polygon;
    }
    if (y < side.y1 || y > side.y2) continue;
    const Product turn = Product(side.x2 - side.x1) * (y - side.y1) - Product(x - side.x1) * (side.y2 - side.y1);
    if (turn == 0 && x >= std::min(side.x1, side.x2) && x <= std::max(side.x1, side.x2)) return area_[polygon];
    // A side counts its lower end, not its upper one, so that a corner between two sides counts once.
    if (turn > 0 && y < side.y2) inside = !inside;
  }
  return inside ? std::int64_t{area_[polygon]} : kNowhere;
}

}  // namespace chronoveil::engine
