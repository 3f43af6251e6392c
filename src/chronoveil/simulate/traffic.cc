#include <algorithm>
#include <cmath>
#include <tuple>

#include "chronoveil/simulate/chance.h"
#include "chronoveil/simulate/making.h"
#include "chronoveil/simulate/rows.h"

namespace chronoveil::simulate {
namespace {

constexpr double kPassesADay = 1.456;  // of one person, over whole weeks; the tests hold the simulation to it

enum class Life : std::uint8_t { employee, student, shift_worker, at_home };

struct Person {
  std::uint32_t home = 0, work = 0;  // sensors
  float leaves = 0, returns = 0;     // hours of the wall clock
  float outings = 0;                 // per weekday, on average
  Life life = Life::employee;
};

struct Passing {
  std::int32_t elapsed;
  std::uint32_t card, sensor;
  bool operator<(const Passing& other) const {
    return std::tie(elapsed, card, sensor) < std::tie(other.elapsed, other.card, other.sensor);
  }
};

class City {
 public:
  City(const Traffic& size, std::uint64_t seed)
      : chance_(seed), home_(weights(size.sensors, 0.6)), work_(weights(size.sensors, 0.9)) {
    people_.resize(static_cast<std::size_t>(size.people));
    for (Person& person : people_) person = make_person();
  }

  // Everybody's passings of one day, in the order of time.
  const std::vector<Passing>& live(const Day& day, std::int64_t index) {
    passings_.clear();
    day_ = &day;
    weekend_ = day.weekday >= 5;
    weather_ = 0.7 * weather_ + chance_.normal(0, 0.12);  // good days and bad days come in runs
    const auto week = static_cast<std::size_t>(index / 7);
    for (card_ = 0; card_ < people_.size(); ++card_) {
      const Person& person = people_[card_];
      go_to_work(person, week);
      const double outings = person.outings * (weekend_ ? 1.7 : 1.0) * std::exp(weather_);
      for (std::int64_t n = chance_.poisson(outings); n > 0; --n) go_out(person);
    }
    if (chance_.coin(weekend_ ? 0.25 : 0.06)) leave_event();
    std::sort(passings_.begin(), passings_.end());
    return passings_;
  }

 private:
  WeightedChoice weights(std::int64_t sensors, double spread) {
    std::vector<double> all(static_cast<std::size_t>(sensors));
    for (double& weight : all) weight = chance_.lognormal(1, spread);
    return WeightedChoice(all);
  }

  Person make_person() {
    Person person;
    const double kind = chance_.uniform();
    person.life = kind < 0.55   ? Life::employee
                  : kind < 0.70 ? Life::student
                  : kind < 0.80 ? Life::shift_worker
                                : Life::at_home;
    person.home = static_cast<std::uint32_t>(home_(chance_));
    person.work = static_cast<std::uint32_t>(work_(chance_));
    if (person.life == Life::student) {
      person.leaves = static_cast<float>(chance_.normal(7.4, 0.3));
      person.returns = static_cast<float>(chance_.normal(14.5, 1.3));
    } else {
      person.leaves = static_cast<float>(chance_.normal(7.8, 0.9));
      person.returns = static_cast<float>(person.leaves + chance_.normal(9.1, 0.8));
    }
    person.outings = static_cast<float>(chance_.gamma(0.8, person.life == Life::at_home ? 0.35 : 0.15));
    return person;
  }

  bool works_today(const Person& person) {
    constexpr double kAtWork[] = {0.84, 0.91, 0.92, 0.90,
                                  0.76};  // Monday to Friday; the rest works from home or is ill
    if (person.life == Life::at_home) return false;
    if (person.life == Life::shift_worker) return chance_.coin(5.0 / 7);
    return !weekend_ && chance_.coin(kAtWork[day_->weekday]);
  }

  void go_to_work(const Person& person, std::size_t week) {
    if (!works_today(person)) return;
    double leaves = person.leaves, returns = person.returns;
    if (person.life == Life::shift_worker) {
      constexpr double kShift[] = {5.6, 13.4, 21.3};
      leaves = kShift[(week + card_) % 3] + 0.1 * (person.leaves - 7.8);
      returns = leaves + 8.5;
    }
    pass(chance_.normal(leaves, 0.2), person.home);
    pass(chance_.normal(returns, 0.45), person.work);
  }

  void go_out(const Person& person) {
    const double leaves = weekend_            ? chance_.normal(14, 3)
                          : chance_.coin(0.6) ? chance_.normal(18.3, 1.3)
                                              : chance_.normal(11, 1.8);
    pass(leaves, person.home);
    pass(leaves + 0.6 + chance_.exponential(1.8), static_cast<std::uint32_t>(work_(chance_)));
  }

  void leave_event() {
    const auto venue = static_cast<std::uint32_t>(work_(chance_));
    const auto people = static_cast<std::int64_t>(people_.size());
    for (std::int64_t n = chance_.poisson(0.015 * static_cast<double>(people)); n > 0; --n) {
      card_ = static_cast<std::size_t>(chance_.below(people));
      pass(chance_.normal(22.3, 0.2), venue);
    }
  }

  // Hours past midnight count as the same day's morning, so that a day holds all of its records.
  void pass(double hour, std::uint32_t sensor) {
    const auto wall = static_cast<std::int32_t>(std::floor((hour - 24 * std::floor(hour / 24)) * kHour)) % kDay;
    const std::int32_t at = Calendar::elapsed(*day_, wall, day_->change < 0 && chance_.coin(0.5));
    passings_.push_back({at, static_cast<std::uint32_t>(card_), sensor});
  }

  Chance chance_;
  WeightedChoice home_, work_;  // by how many people live or work near a sensor
  std::vector<Person> people_;
  std::vector<Passing> passings_;
  const Day* day_ = nullptr;
  std::size_t card_ = 0;
  bool weekend_ = false;
  double weather_ = 0;
};

Result<Calendar> calendar_of(const Traffic& world) {
  return Calendar::make(world.period.zone, world.period.start, world.period.days, kHour);
}

}  // namespace

Result<Truth> simulate(const Traffic& world, std::uint64_t seed, TextFile& rows) {
  CV_CHECK(check_size("people", world.people, 100'000'000));
  CV_CHECK(check_size("sensors", world.sensors, 1'000'000));
  CV_TRY(const Calendar calendar, calendar_of(world));
  CV_TRY(Truth truth, empty_truth(make_names('S', world.sensors), calendar.axis()));
  const std::int64_t steps = calendar.axis().steps();
  const int digits = digits_of(world.people);
  City city(world, seed);
  rows.append("card,ts,sensor\n");
  for (std::size_t i = 0; i < calendar.days().size() && rows.good(); ++i) {
    const Day& day = calendar.days()[i];
    for (const Passing& passing : city.live(day, static_cast<std::int64_t>(i))) {
      char* out = rows.room(128);
      out = write_name('c', passing.card, digits, out);
      *out++ = ',';
      out = Calendar::stamp(day, passing.elapsed, out);
      *out++ = ',';
      const std::string& key = truth.keys[passing.sensor];
      out = std::copy(key.begin(), key.end(), out);
      *out++ = '\n';
      rows.advance(out);
      ++truth.counts[static_cast<std::size_t>(passing.sensor * steps + calendar.slot(day, passing.elapsed))];
      ++truth.rows;
    }
  }
  return truth;
}

std::int64_t people_for(const Traffic& world, std::int64_t records) {
  const double passes = kPassesADay * static_cast<double>(std::max<std::int64_t>(1, world.period.days));
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(records) / passes));
}

Result<JobFacts> job_facts(const Traffic& world) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  JobFacts facts;
  facts.dataset = "city";
  facts.user = "card";
  facts.time = "ts";
  facts.series = "sensor";
  facts.zone = world.period.zone;
  facts.start = world.period.start;
  facts.end = calendar.end();
  facts.length = "1h";
  facts.max_steps = 2 * world.period.days;
  facts.caps_reason = "A card counts at most twice a day on average: there and back.";
  return facts;
}

}  // namespace chronoveil::simulate
