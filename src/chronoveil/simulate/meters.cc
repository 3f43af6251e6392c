#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "chronoveil/simulate/chance.h"
#include "chronoveil/simulate/making.h"
#include "chronoveil/simulate/rows.h"

namespace chronoveil::simulate {
namespace {

constexpr std::int32_t kSlot = kHour / 2;
constexpr int kHabits = 8;  // kinds of mornings and of evenings

struct Household {
  float idle = 0;  // watts that are always drawn
  float busy = 0;  // watts at the height of the evening
  float heat = 0;  // watts of a heat pump for each degree below 15 °C; mostly 0
  std::uint8_t morning = 0, evening = 0;
  bool has_car = false, at_home = false;
};

double bell(double distance, double width) { return std::exp(-0.5 * distance * distance / (width * width)); }

// How busy a household is at each half-hour, for each habit.
struct Habits {
  std::array<std::array<float, 48>, kHabits> morning{}, evening{};
  Habits() {
    for (int habit = 0; habit < kHabits; ++habit) {
      for (int half = 0; half < 48; ++half) {
        const double hour = (half + 0.5) / 2;
        const auto h = static_cast<std::size_t>(habit);
        const auto at = static_cast<std::size_t>(half);
        morning[h][at] = static_cast<float>(0.6 * bell(hour - (6 + 0.4 * habit), 0.8));
        evening[h][at] = static_cast<float>(bell(hour - (17.6 + 0.35 * habit), 1.7));
      }
    }
  }
};

Result<Calendar> calendar_of(const Meters& world) {
  return Calendar::make(world.period.zone, world.period.start, world.period.days, kSlot);
}

class Street {
 public:
  Street(const Meters& size, std::uint64_t seed) : chance_(seed) {
    homes_.resize(static_cast<std::size_t>(size.meters));
    charging_.resize(homes_.size());
    for (Household& home : homes_) {
      const double people = 1 + static_cast<double>(chance_.poisson(1.3));
      home.idle = static_cast<float>(chance_.lognormal(110, 0.45));
      home.busy = static_cast<float>(chance_.lognormal(420, 0.4) * std::sqrt(people));
      home.heat = chance_.coin(0.12) ? static_cast<float>(chance_.uniform(40, 110)) : 0;
      home.morning = static_cast<std::uint8_t>(chance_.below(kHabits));
      home.evening = static_cast<std::uint8_t>(chance_.below(kHabits));
      home.has_car = chance_.coin(0.1);
      home.at_home = chance_.coin(0.3);
    }
  }

  void begin(const Day& day) {
    weekend_ = day.weekday >= 5;
    const double usual = 11 - 7 * std::cos(2 * std::numbers::pi * (day.month - 1) / 12.0);
    weather_ = 0.75 * weather_ + chance_.normal(0, 1.8);
    cold_ = std::max(0.0, 15 - (usual + weather_));
    for (std::size_t i = 0; i < homes_.size(); ++i) {
      charging_[i] = {48, 48};
      if (homes_[i].has_car && chance_.coin(0.45)) {
        const std::int64_t from = chance_.coin(0.6) ? 1 + chance_.below(4) : 36 + chance_.below(6);
        charging_[i] = {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(from + 2 + chance_.below(5))};
      }
    }
  }

  // Watt-hours of one household in one half-hour of the wall clock.
  std::int64_t read(std::size_t index, std::size_t half) {
    const Household& home = homes_[index];
    // At weekends the morning comes an hour and a half later.
    double activity =
        habits_.morning[home.morning][weekend_ ? (half + 45) % 48 : half] + habits_.evening[home.evening][half];
    if ((weekend_ || home.at_home) && half >= 18 && half < 36) activity += 0.3;
    double watts =
        home.idle * chance_.uniform(0.6, 1.4) + home.busy * activity * chance_.exponential(1) + home.heat * cold_;
    if (half >= charging_[index].from && half < charging_[index].to) watts += 7000;
    return std::llround(0.5 * watts);
  }

  std::size_t size() const { return homes_.size(); }

 private:
  struct Charging {
    std::uint8_t from = 48, to = 48;  // half-hours
  };
  Chance chance_;
  Habits habits_;
  std::vector<Household> homes_;
  std::vector<Charging> charging_;
  bool weekend_ = false;
  double weather_ = 0, cold_ = 0;
};

}  // namespace

Result<Truth> simulate(const Meters& world, std::uint64_t seed, TextFile& rows) {
  CV_CHECK(check_size("meters", world.meters, 100'000'000));
  CV_TRY(const Calendar calendar, calendar_of(world));
  CV_TRY(Truth truth, empty_truth({}, calendar.axis()));
  const int digits = digits_of(world.meters);
  Street street(world, seed);
  rows.append("meter,time,value\n");
  std::int64_t today = -1;
  for (std::size_t i = 0; i < calendar.slots().size() && rows.good(); ++i) {
    const Slot& slot = calendar.slots()[i];
    if (slot.day != today) street.begin(calendar.days()[static_cast<std::size_t>(today = slot.day)]);
    const std::string& label = calendar.axis().labels[i];
    for (std::size_t meter = 0; meter < street.size(); ++meter) {
      const std::int64_t reading = street.read(meter, static_cast<std::size_t>(slot.wall / kSlot));
      char* out = rows.room(128);
      out = write_name('m', static_cast<std::int64_t>(meter), digits, out);
      *out++ = ',';
      out = std::copy(label.begin(), label.end(), out);
      *out++ = ',';
      out = std::to_chars(out, out + 20, reading).ptr;
      *out++ = '\n';
      rows.advance(out);
      truth.counts[i] += reading;
      ++truth.rows;
    }
  }
  return truth;
}

std::int64_t people_for(const Meters& world, std::int64_t records) {
  const std::int64_t each = 48 * std::max<std::int64_t>(1, world.period.days);
  return std::max<std::int64_t>(1, (records + each / 2) / each);
}

Result<JobFacts> job_facts(const Meters& world) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  JobFacts facts;
  facts.dataset = "grid";
  facts.user = "meter";
  facts.time = "time";
  facts.value = "value";
  facts.zone = world.period.zone;
  facts.start = world.period.start;
  facts.end = calendar.end();
  facts.length = "30min";
  facts.max_per_slot = 1000;
  facts.caps_reason =
      "A meter is there in every half-hour, so nothing bounds its slots, and counts for at most 1000 Wh in each.";
  return facts;
}

}  // namespace chronoveil::simulate
