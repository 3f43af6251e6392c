#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <utility>

#include "chronoveil/simulate/chance.h"
#include "chronoveil/simulate/making.h"
#include "chronoveil/simulate/rows.h"

namespace chronoveil::simulate {
namespace {

constexpr std::int32_t kInterval = 30;                   // seconds between the reports of a bus
constexpr double kReportsADay = 1585;                    // of one bus; the tests hold the simulation to it
constexpr double kLongitude = 72.83, kLatitude = 21.18;  // the middle of the city
constexpr double kRadius = 9;                            // km from the middle to where routes end
constexpr double kHexagon = 0.7;                         // km from the middle of a hexagon to its corner
constexpr double kKmADegree = 111.2;
constexpr double kFastest = 65;  // km/h

struct Point {
  double x = 0, y = 0;  // km east and north of the middle
};

Point between(Point a, Point b, double share) { return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)}; }
// Not std::hypot: where glibc is new, that needs a symbol which older systems lack. This calculates the same.
double length(double x, double y) { return std::abs(std::complex<double>(x, y)); }
double distance(Point a, Point b) { return length(a.x - b.x, a.y - b.y); }

// The hexagon that holds a point, in axial coordinates: rounds in cube coordinates and corrects the worst of the three.
std::pair<int, int> hexagon(Point at) {
  const double q = (std::sqrt(3.0) / 3 * at.x - at.y / 3) / kHexagon;
  const double r = 2.0 / 3 * at.y / kHexagon;
  double rq = std::round(q), rr = std::round(r);
  const double rs = std::round(-q - r);
  const double dq = std::abs(rq - q), dr = std::abs(rr - r), ds = std::abs(rs + q + r);
  if (dq > dr && dq > ds)
    rq = -rr - rs;
  else if (dr > ds)
    rr = -rq - rs;
  return {static_cast<int>(rq), static_cast<int>(rr)};
}

class Route {
 public:
  // From one end of the city through the middle to the other, with bends.
  explicit Route(Chance& chance) {
    const double from = chance.uniform(0, 2 * std::numbers::pi);
    const double to = from + std::numbers::pi + chance.normal(0, 0.6);
    for (int bend = -4; bend <= 4; ++bend) {
      const double angle = bend < 0 ? from : to;
      const double out = kRadius * std::abs(bend) / 4;
      points_.push_back({out * std::cos(angle) + chance.normal(0, 0.5), out * std::sin(angle) + chance.normal(0, 0.5)});
    }
    for (std::size_t i = 1; i < points_.size(); ++i) length_ += distance(points_[i - 1], points_[i]);
  }

  double length() const { return length_; }

  // The point so many km along the route.
  Point at(double way) const {
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double piece = distance(points_[i - 1], points_[i]);
      if (way <= piece) return between(points_[i - 1], points_[i], way / piece);
      way -= piece;
    }
    return points_.back();
  }

 private:
  std::vector<Point> points_;
  double length_ = 0;
};

struct Bus {
  std::size_t route = 0;
  double way = 0;  // km along the route
  bool outbound = true;
  double haste = 1;               // of its driver
  double flow = 0;                // its speed relative to the usual one
  std::int32_t from = 0, to = 0;  // wall seconds of today's service
};

std::string place_name(std::pair<int, int> cell) {
  const auto part = [](int value) {
    const std::string digits = std::to_string(std::abs(value));
    return (value < 0 ? "m" : "p") + std::string(digits.size() < 2 ? 1 : 0, '0') + digits;
  };
  return "h" + part(cell.first) + part(cell.second);
}

class Network {
 public:
  Network(const Buses& size, std::uint64_t seed) : chance_(seed) {
    const std::int64_t routes = std::max<std::int64_t>(3, size.vehicles / 6);
    for (std::int64_t i = 0; i < routes; ++i) routes_.emplace_back(chance_);
    for (const Route& route : routes_)
      for (int metres = 0; metres < 1000 * route.length(); metres += 20)
        places_.emplace(hexagon(route.at(0.001 * metres)), 0);
    for (auto& [cell, index] : places_) {
      index = static_cast<std::int64_t>(names_.size());
      names_.push_back(place_name(cell));
    }
    buses_.resize(static_cast<std::size_t>(size.vehicles));
    for (std::size_t i = 0; i < buses_.size(); ++i) {
      buses_[i].route = i % routes_.size();
      buses_[i].way = chance_.uniform(0, routes_[buses_[i].route].length());
      buses_[i].haste = chance_.lognormal(1, 0.06);
    }
  }

  const std::vector<std::string>& places() const { return names_; }
  std::size_t size() const { return buses_.size(); }

  void begin(const Day& day) {
    weekend_ = day.weekday >= 5;
    for (Bus& bus : buses_) {
      bus.from = static_cast<std::int32_t>(chance_.uniform(5, 9) * kHour);
      bus.to = bus.from + static_cast<std::int32_t>(chance_.uniform(11.5, 14.75) * kHour);
    }
  }

  struct Report {
    double speed = 0;  // km/h, one decimal
    double longitude = 0, latitude = 0;
    std::int64_t place = -1;  // -1: out of service, no report
  };

  Report drive(std::size_t index, std::int32_t wall) {
    Bus& bus = buses_[index];
    if (wall < bus.from || wall >= bus.to) return {};
    const Route& route = routes_[bus.route];
    const Point before = route.at(bus.way);
    const double hour = static_cast<double>(wall) / kHour;
    const double rush = weekend_ ? 0.15 : 0.45;
    const double crowd =
        rush * (std::exp(-0.5 * (hour - 9.3) * (hour - 9.3)) + std::exp(-0.25 * (hour - 18.4) * (hour - 18.4)));
    const double centre = 0.45 * std::exp(-length(before.x, before.y) / 3);
    bus.flow = 0.8 * bus.flow + chance_.normal(0, 0.12);
    double speed = 34 * bus.haste * (1 - centre) * (1 - crowd) * std::exp(bus.flow);
    if (chance_.coin(0.16)) speed = chance_.uniform(0, 6);  // at a stop or at a light
    speed = std::round(10 * std::clamp(speed, 0.0, kFastest)) / 10;
    bus.way += (bus.outbound ? 1 : -1) * speed * kInterval / 3600;
    if (bus.way < 0 || bus.way > route.length()) {
      bus.outbound = !bus.outbound;
      bus.way = std::clamp(bus.way, 0.0, route.length());
    }
    Point seen = route.at(bus.way);
    const Point measured{seen.x + chance_.normal(0, 0.006), seen.y + chance_.normal(0, 0.006)};
    if (places_.contains(hexagon(measured))) seen = measured;  // a satellite's error must not leave the network
    // The walk that listed the places may have missed a corner that lies between two of its steps.
    const auto place = places_.find(hexagon(seen));
    if (place == places_.end()) return {};
    return {speed, kLongitude + seen.x / (kKmADegree * std::cos(kLatitude * std::numbers::pi / 180)),
            kLatitude + seen.y / kKmADegree, place->second};
  }

 private:
  Chance chance_;
  std::vector<Route> routes_;
  std::map<std::pair<int, int>, std::int64_t> places_;
  std::vector<std::string> names_;
  std::vector<Bus> buses_;
  bool weekend_ = false;
};

Result<Calendar> calendar_of(const Buses& world) {
  return Calendar::make(world.period.zone, world.period.start, world.period.days, kHour);
}

char* write_fixed(double value, int decimals, char* out) {
  return std::to_chars(out, out + 32, value, std::chars_format::fixed, decimals).ptr;
}

}  // namespace

Result<Truth> simulate(const Buses& world, std::uint64_t seed, TextFile& rows) {
  CV_CHECK(check_size("vehicles", world.vehicles, 100'000));
  CV_TRY(const Calendar calendar, calendar_of(world));
  Network network(world, seed);
  CV_TRY(Truth truth, empty_truth(network.places(), calendar.axis()));
  truth.sums.assign(truth.counts.size(), 0);
  const std::int64_t steps = calendar.axis().steps();
  const int digits = digits_of(world.vehicles);
  rows.append("vehicle,timestamp,speed,lon,lat,place\n");
  for (const Day& day : calendar.days()) {
    network.begin(day);
    for (std::int32_t tick = 0; tick < day.length && rows.good(); tick += kInterval) {
      for (std::size_t bus = 0; bus < network.size(); ++bus) {
        // Buses report one after the other within the interval.
        const std::int32_t at =
            tick + static_cast<std::int32_t>(bus * static_cast<std::size_t>(kInterval) / network.size());
        const std::int32_t wall = day.first_wall + at + (at >= day.change_at ? day.change : 0);
        const Network::Report report = network.drive(bus, wall);
        if (report.place < 0) continue;
        char* out = rows.room(160);
        out = write_name('b', static_cast<std::int64_t>(bus), digits, out);
        *out++ = ',';
        out = Calendar::stamp(day, at, out);
        *out++ = ',';
        out = write_fixed(report.speed, 1, out);
        *out++ = ',';
        out = write_fixed(report.longitude, 6, out);
        *out++ = ',';
        out = write_fixed(report.latitude, 6, out);
        *out++ = ',';
        const std::string& key = truth.keys[static_cast<std::size_t>(report.place)];
        out = std::copy(key.begin(), key.end(), out);
        *out++ = '\n';
        rows.advance(out);
        const auto cell = static_cast<std::size_t>(report.place * steps + calendar.slot(day, at));
        ++truth.counts[cell];
        truth.sums[cell] += report.speed;
        ++truth.rows;
      }
    }
  }
  return truth;
}

std::int64_t people_for(const Buses& world, std::int64_t records) {
  const double each = kReportsADay * static_cast<double>(std::max<std::int64_t>(1, world.period.days));
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(records) / each));
}

Result<JobFacts> job_facts(const Buses& world) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  JobFacts facts;
  facts.dataset = "buses";
  facts.user = "vehicle";
  facts.time = "timestamp";
  facts.zone = world.period.zone;
  facts.start = world.period.start;
  facts.end = calendar.end();
  facts.length = "6h";
  facts.caps_reason =
      "A bus is in many cells; six of them, chosen at random, count. More would need more noise in each.";
  constexpr double kNorthwards = (kRadius + 1) / kKmADegree;
  const double eastwards = kNorthwards / std::cos(kLatitude * std::numbers::pi / 180);
  const auto hundredth = [](double degrees) { return std::round(100 * degrees) / 100; };
  facts.means = MeansFacts{.value = "speed",
                           .longitude = "lon",
                           .latitude = "lat",
                           .upper = kFastest,
                           .max_cells = 6,
                           .sparse_below = 60,
                           .west = hundredth(kLongitude - eastwards),
                           .south = hundredth(kLatitude - kNorthwards),
                           .east = hundredth(kLongitude + eastwards),
                           .north = hundredth(kLatitude + kNorthwards),
                           .size = 9000};
  return facts;
}

}  // namespace chronoveil::simulate
