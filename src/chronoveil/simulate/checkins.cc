#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "chronoveil/simulate/chance.h"
#include "chronoveil/simulate/making.h"
#include "chronoveil/simulate/rows.h"

namespace chronoveil::simulate {
namespace {

constexpr double kCheckinsADay = 0.0526;  // of one user, over whole weeks; the tests hold the simulation to it
constexpr double kVisitsADay = 0.032;     // that do not follow from another check-in
constexpr std::int32_t kSlot = 6 * kHour;

// How much of a venue's day falls into each hour, by what it is.
constexpr std::array<std::array<double, 24>, 4> kProfiles{{
    {1, 0, 0, 0, 0, 2, 6, 12, 14, 10, 7, 6, 7, 6, 5, 5, 4, 3, 2, 1, 1, 1, 1, 1},      // cafe
    {2, 1, 0, 0, 0, 0, 0, 1, 2, 2, 3, 8, 14, 10, 4, 3, 4, 8, 13, 14, 10, 6, 4, 3},    // restaurant
    {16, 12, 8, 3, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 4, 7, 9, 11, 13, 15, 17, 18},  // bar
    {3, 1, 1, 1, 3, 8, 10, 10, 9, 8, 7, 7, 7, 7, 8, 9, 10, 10, 9, 8, 7, 6, 5, 4},     // airport, station
}};

struct Checkin {
  std::int32_t elapsed;
  std::uint32_t user, venue;
  bool operator<(const Checkin& other) const {
    return std::tie(elapsed, user, venue) < std::tie(other.elapsed, other.user, other.venue);
  }
};

class Town {
 public:
  Town(const Checkins& size, std::uint64_t seed)
      : chance_(seed), users_(user_weights(size.users)), venues_(venue_weights(size.venues)) {
    for (const auto& profile : kProfiles) hours_.emplace_back(profile);
    for (std::int64_t i = 0; i < size.venues; ++i) kind_.push_back(static_cast<std::uint8_t>(chance_.below(4)));
    favourites_.resize(static_cast<std::size_t>(size.users));
    for (auto& own : favourites_)
      for (std::uint32_t& venue : own) venue = pick_venue();
  }

  const std::vector<Checkin>& live(const Day& day) {
    constexpr double kWeek[] = {0.82, 0.82, 0.88, 0.95, 1.22, 1.36, 0.95};
    checkins_.clear();
    day_ = &day;
    const auto users = static_cast<double>(favourites_.size());
    const double busy = kWeek[day.weekday] * chance_.lognormal(1, 0.1);
    for (std::int64_t n = chance_.poisson(kVisitsADay * users * busy); n > 0; --n) visit();
    // Now and then a venue is full: a concert, a storm that grounds all flights.
    if (chance_.coin(0.05)) {
      const std::uint32_t venue = pick_venue();
      for (std::int64_t n = chance_.poisson(0.01 * users); n > 0; --n) add(pick_user(), venue, chance_.normal(20, 1.5));
    }
    std::sort(checkins_.begin(), checkins_.end());
    return checkins_;
  }

 private:
  // A few users check in all the time, most hardly ever.
  WeightedChoice user_weights(std::int64_t users) {
    std::vector<double> all(static_cast<std::size_t>(users));
    for (double& weight : all) weight = chance_.lognormal(1, 1.4);
    return WeightedChoice(all);
  }

  // Zipf's law.
  static WeightedChoice venue_weights(std::int64_t venues) {
    std::vector<double> all(static_cast<std::size_t>(venues));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 1 / std::pow(static_cast<double>(i + 1), 0.9);
    return WeightedChoice(all);
  }

  std::uint32_t pick_user() { return static_cast<std::uint32_t>(users_(chance_)); }
  std::uint32_t pick_venue() { return static_cast<std::uint32_t>(venues_(chance_)); }

  void visit() {
    const std::uint32_t user = pick_user();
    const std::uint32_t venue =
        chance_.coin(0.6) ? favourites_[user][static_cast<std::size_t>(chance_.below(3))] : pick_venue();
    double hour = static_cast<double>(hours_[kind_[venue]](chance_)) + chance_.uniform();
    add(user, venue, hour);
    // One thing leads to another; on some days to many.
    for (std::int64_t more = chance_.geometric(chance_.coin(0.08) ? 5.0 : 0.4); more > 0; --more) {
      hour += 0.2 + chance_.exponential(1.0);
      if (hour >= 24) return;
      add(user, pick_venue(), hour);
    }
  }

  void add(std::uint32_t user, std::uint32_t venue, double hour) {
    const auto wall = static_cast<std::int32_t>(std::clamp(hour, 0.0, 23.999) * kHour);
    checkins_.push_back({Calendar::elapsed(*day_, wall, day_->change < 0 && chance_.coin(0.5)), user, venue});
  }

  Chance chance_;
  WeightedChoice users_, venues_;
  std::vector<WeightedChoice> hours_;
  std::vector<std::uint8_t> kind_;
  std::vector<std::array<std::uint32_t, 3>> favourites_;
  std::vector<Checkin> checkins_;
  const Day* day_ = nullptr;
};

Result<Calendar> calendar_of(const Checkins& world) {
  return Calendar::make(world.period.zone, world.period.start, world.period.days, kSlot);
}

}  // namespace

Result<Truth> simulate(const Checkins& world, std::uint64_t seed, TextFile& rows) {
  CV_CHECK(check_size("users", world.users, 100'000'000));
  CV_CHECK(check_size("venues", world.venues, 1'000'000));
  CV_TRY(const Calendar calendar, calendar_of(world));
  CV_TRY(Truth truth, empty_truth(make_names('v', world.venues), calendar.axis()));
  const std::int64_t steps = calendar.axis().steps();
  const int digits = digits_of(world.users);
  Town town(world, seed);
  rows.append("user,time,venue\n");
  for (const Day& day : calendar.days()) {
    if (!rows.good()) break;
    for (const Checkin& checkin : town.live(day)) {
      char* out = rows.room(128);
      out = write_name('u', checkin.user, digits, out);
      *out++ = ',';
      out = Calendar::stamp(day, checkin.elapsed, out);
      *out++ = ',';
      const std::string& key = truth.keys[checkin.venue];
      out = std::copy(key.begin(), key.end(), out);
      *out++ = '\n';
      rows.advance(out);
      ++truth.counts[static_cast<std::size_t>(checkin.venue * steps + calendar.slot(day, checkin.elapsed))];
      ++truth.rows;
    }
  }
  return truth;
}

std::int64_t people_for(const Checkins& world, std::int64_t records) {
  const double each = kCheckinsADay * static_cast<double>(std::max<std::int64_t>(1, world.period.days));
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(records) / each));
}

Result<JobFacts> job_facts(const Checkins& world) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  JobFacts facts;
  facts.dataset = "venues";
  facts.user = "user";
  facts.time = "time";
  facts.series = "venue";
  facts.zone = world.period.zone;
  facts.start = world.period.start;
  facts.end = calendar.end();
  facts.length = "6h";
  facts.max_steps = std::max<std::int64_t>(1, world.period.days / 10);
  facts.caps_reason = "Most people check in less than once in ten days; the few who do more count no further.";
  return facts;
}

}  // namespace chronoveil::simulate
