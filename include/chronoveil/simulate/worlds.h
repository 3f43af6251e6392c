// Five small worlds: people and what is recorded of them, made up from a seed. Rows are written in the order of time.
// The same sizes and the same seed give the same bytes. Memory grows with the people, the public series and one day,
// not with the rows.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "chronoveil/base/result.h"

namespace chronoveil::simulate {

inline constexpr std::uint64_t kStandardSeed = 1;

// Which local days, in which zone.
struct Period {
  std::string zone;
  std::string start;  // a date
  std::int64_t days = 0;
};

// Cards that pass sensors of a city: card,ts,sensor. People have a home and a work place, each with a sensor of its
// own, leave and return at their own hours, work shifts, study, go out at weekends and less often in bad weather; now
// and then a crowd leaves an evening event. Sensors differ in volume and in when they peak. Slots of an hour.
struct Traffic {
  std::int64_t people = 10000;
  std::int64_t sensors = 20;
  Period period{"Europe/Berlin", "2026-03-02", 28};
};

// People who check in at venues: user,time,venue. Sparse and bursty: both users and venues are heavy-tailed, one
// check-in brings others within hours, and on some days a venue is full. Slots of six hours.
struct Checkins {
  std::int64_t users = 20000;
  std::int64_t venues = 20;
  Period period{"America/New_York", "2026-01-05", 180};
};

// Weekly counts of cases: time,value. A season every winter, of its own height, date and breadth, now and then an
// outbreak out of season, fewer reports at the turn of the year, and more spread than chance alone gives.
struct Flu {
  std::int64_t weeks = 520;
  std::string zone = "Europe/Berlin";
  std::string start = "2016-07-04";
};

// Households read every half-hour: meter,time,value in watt-hours. Mornings and evenings by each household's own hours,
// weekends, cold days, electric cars and heat pumps. The truth is the load of all together.
struct Meters {
  std::int64_t meters = 1000;
  Period period{"Europe/London", "2026-01-12", 14};
};

// Buses that report every half-minute: vehicle,timestamp,speed,lon,lat,place. Routes through the middle of a city,
// slower there and in rush hours, with stops. Places are hexagons along the routes, the public network. The truth is
// the mean speed of each place and hour, in km/h between 0 and 65.
struct Buses {
  std::int64_t vehicles = 40;
  Period period{"Asia/Kolkata", "2026-02-02", 7};
};

using World = std::variant<Traffic, Checkins, Flu, Meters, Buses>;

// Which files to write: "-" is standard output, empty is not wanted.
struct Files {
  std::string rows = "-";
  std::string truth = {};  // what is true, for every series and slot
  std::string keys = {};   // the public list of series
  std::string job = {};    // a job that releases the rows, ready to run
};
struct Made {
  std::int64_t rows = 0, series = 0, slots = 0;
};
// Each file appears under its name only when all of it is there. Errors name run.output, run.truth, run.keys, run.job,
// or what is wrong with the world.
Result<Made> make_world(const World&, std::uint64_t seed, const Files&);

// How many people (users, meters, vehicles) leave about this many records in that time; at least 1.
std::int64_t people_for(const Traffic&, std::int64_t records);
std::int64_t people_for(const Checkins&, std::int64_t records);
std::int64_t people_for(const Meters&, std::int64_t records);
std::int64_t people_for(const Buses&, std::int64_t records);

}  // namespace chronoveil::simulate
