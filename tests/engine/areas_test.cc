// Public areas: which one holds a point, and what is refused.
#include "chronoveil/engine/places/areas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace chronoveil::engine {
namespace {

std::string feature(const std::string& name, const std::string& type, const std::string& coordinates) {
  return R"({"type":"Feature","properties":{"name":")" + name + R"("},"geometry":{"type":")" + type +
         R"(","coordinates":)" + coordinates + "}}";
}

std::string collection(const std::vector<std::string>& features) {
  std::string text = R"({"type":"FeatureCollection","features":[)";
  for (std::size_t i = 0; i < features.size(); ++i) text += (i == 0 ? "" : ",") + features[i];
  return text + "]}";
}

Areas areas_of(const std::vector<std::string>& features) {
  Result<Areas> areas = Areas::parse(collection(features), "name");
  EXPECT_TRUE(areas) << areas.error().text();
  return areas ? std::move(*areas) : Areas();
}

std::string square(double west, double south, double east, double north) {
  const auto corner = [](double x, double y) { return "[" + std::to_string(x) + "," + std::to_string(y) + "]"; };
  return "[" + corner(west, south) + "," + corner(east, south) + "," + corner(east, north) + "," + corner(west, north) +
         "," + corner(west, south) + "]";
}

TEST(Areas, APointOnABorderIsInTheFirstAreaThatHasIt) {
  const Areas areas = areas_of({feature("west", "Polygon", "[" + square(0, 0, 1, 1) + "]"),
                                feature("east", "Polygon", "[" + square(1, 0, 2, 1) + "]"),
                                feature("over both", "Polygon", "[" + square(0, 0, 2, 2) + "]")});
  EXPECT_EQ(areas.names(), (std::vector<std::string>{"west", "east", "over both"}));
  EXPECT_EQ(areas.area_of(0.5, 0.5), 0);
  EXPECT_EQ(areas.area_of(1.5, 0.5), 1);
  EXPECT_EQ(areas.area_of(0.5, 1.5), 2);
  for (const double y : {0.0, 0.5, 1.0}) EXPECT_EQ(areas.area_of(1, y), 0) << y;  // the common side and its corners
  EXPECT_EQ(areas.area_of(1.000000001, 0.5), 1);
  EXPECT_EQ(areas.area_of(1.0000000004, 0.5), 0);  // less than half a step of 1e-9 degrees
  EXPECT_EQ(areas.area_of(2, 0), 1);
  EXPECT_EQ(areas.area_of(2, 2), 2);
  EXPECT_EQ(areas.area_of(0, 1.5), 2);
  for (const auto& [x, y] : {std::pair{2.000000001, 1.0},
                             {-0.000000001, 0.5},
                             {1.0, 2.000000001},
                             {0.5, -0.1},
                             {181.0, 0.5},
                             {0.5, 91.0},
                             {NAN, 0.5},
                             {0.5, NAN},
                             {1e300, 0.5}})
    EXPECT_EQ(areas.area_of(x, y), Areas::kNowhere) << x << " " << y;
}

TEST(Areas, HolesAreOutsideButTheirBorderIsNot) {
  const Areas areas =
      areas_of({feature("ring", "Polygon", "[" + square(0, 0, 4, 4) + "," + square(1, 1, 3, 3) + "]"),
                feature("both", "MultiPolygon", "[[" + square(1, 1, 2, 2) + "],[" + square(5, 5, 6, 6) + "]]")});
  EXPECT_EQ(areas.area_of(0.5, 2), 0);
  EXPECT_EQ(areas.area_of(1, 2), 0);  // on the hole
  EXPECT_EQ(areas.area_of(3, 3), 0);
  EXPECT_EQ(areas.area_of(1.5, 1.5), 1);  // in the hole, and in another area
  EXPECT_EQ(areas.area_of(2.5, 2.5), Areas::kNowhere);
  EXPECT_EQ(areas.area_of(5.5, 5.5), 1);
}

// A star with many corners, against the textbook's loop over all sides, at points that are no corner's height.
TEST(Areas, AgreeWithACountOfCrossings) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::pair<double, double>> corners;
  for (int i = 0; i < 3000; ++i) {
    const double angle = i * 2 * 3.14159265358979 / 3000, radius = 1 + 3 * unit(random);
    const auto rounded = [](double x) { return std::round(x * 1e6) / 1e6; };
    corners.emplace_back(rounded(radius * std::cos(angle)), rounded(radius * std::sin(angle)));
  }
  corners.push_back(corners.front());
  std::string ring = "[";
  for (std::size_t i = 0; i < corners.size(); ++i)
    ring += (i == 0 ? "[" : ",[") + std::to_string(corners[i].first) + "," + std::to_string(corners[i].second) + "]";
  const Areas areas = areas_of({feature("star", "Polygon", "[" + ring + "]]")});
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = 10 * unit(random) - 5, y = 10 * unit(random) - 5;
    bool odd = false;
    for (std::size_t k = 1; k < corners.size(); ++k) {
      const auto [x1, y1] = corners[k - 1];
      const auto [x2, y2] = corners[k];
      if ((y1 > y) != (y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1) odd = !odd;
    }
    ASSERT_EQ(areas.area_of(x, y), odd ? 0 : Areas::kNowhere) << x << " " << y;
    inside += odd ? 1 : 0;
  }
  EXPECT_GT(inside, 2000);
}

TEST(Areas, RefusesWhatIsNoPublicMapAndNamesTheFeature) {
  const auto refused = [](const std::string& text, const std::string& part) {
    const Result<Areas> areas = Areas::parse(text, "name");
    ASSERT_FALSE(areas) << text;
    EXPECT_EQ(areas.error().kind, ErrorKind::usage);
    EXPECT_EQ(areas.error().parameter, "places.areas");
    EXPECT_NE(areas.error().text().find(part), std::string::npos) << areas.error().text();
  };
  const std::string good = feature("a", "Polygon", "[" + square(0, 0, 1, 1) + "]");
  for (const char* text : {"", "{", "[]", "3", R"({"type":"FeatureCollection"})",
                           R"({"type":"FeatureCollection","features":3})", R"({"type":"Feature","features":[]})"})
    refused(text, "FeatureCollection");
  refused(collection({}), "no area");
  refused(collection({good, "3"}), "feature 2: it has no property 'name'");
  refused(collection({R"({"properties":null})"}), "no property");
  refused(collection({R"({"properties":{"name":""}})"}), "not empty");
  refused(collection({R"({"properties":{"name":1.5}})"}), "not empty");
  refused(collection({good, good}), "feature 2: an area of that name");
  refused(collection({R"({"properties":{"name":"a"}})"}), "Polygon or a MultiPolygon");
  refused(collection({feature("a", "Point", "[0,0]")}), "Polygon or a MultiPolygon");
  refused(collection({feature("a", "MultiPolygon", "3")}), "Polygon or a MultiPolygon");
  refused(collection({feature("a", "MultiPolygon", "[[]]")}), "a list of rings");
  refused(collection({feature("a", "MultiPolygon", "[[1,2]]")}), "at least four");
  refused(collection({feature("a", "Polygon", "[[[0,0],[1,0],[0,0]]]")}), "at least four");
  refused(collection({feature("a", "Polygon", "[[[0,0],[1,0],[1,1],[0,1]]]")}), "end with its first");
  refused(collection({feature("a", "Polygon", "[[[0,0],[500000,0],[1,1],[0,0]]]")}), "within ±180");
  refused(collection({feature("a", "Polygon", R"([[[0,0],["1",0],[1,1],[0,0]]])")}), "a corner");
  refused(collection({feature("a", "Polygon", "[[[0],[1],[1],[0]]]")}), "a corner");
}

TEST(Areas, NumbersMayNameThem) {
  const Result<Areas> areas = Areas::parse(
      R"({"type":"FeatureCollection","features":[{"properties":{"id":7},"geometry":{"type":"Polygon","coordinates":[)" +
          square(0, 0, 1, 1) + "]}}]}",
      "id");
  ASSERT_TRUE(areas) << areas.error().text();
  EXPECT_EQ(areas->names(), std::vector<std::string>{"7"});
}

}  // namespace
}  // namespace chronoveil::engine
