#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/simulate/chance.h"
#include "chronoveil/simulate/making.h"
#include "chronoveil/simulate/rows.h"

namespace chronoveil::simulate {
namespace {

constexpr std::int32_t kWeek = 7 * kDay;

// One wave of cases: a bell over the weeks, steeper before its peak than after.
struct Wave {
  double peak = 0;    // the week, counted from the first
  double height = 0;  // cases per week
  double rise = 0, fall = 0;
  double at(double week) const {
    const double distance = (week - peak) / (week < peak ? rise : fall);
    return height * std::exp(-0.5 * distance * distance);
  }
};

Result<Calendar> calendar_of(const Flu& world) {
  CV_CHECK(check_size("weeks", world.weeks, 5200));
  return Calendar::make(world.zone, world.start, 7 * world.weeks, kWeek);
}

// Weeks from the start to the middle of the first winter, at the end of January.
double first_winter(const Day& first) {
  const int months = (13 - first.month) % 12;
  return 4.35 * months + 3;
}

}  // namespace

Result<Truth> simulate(const Flu& world, std::uint64_t seed, TextFile& rows) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  CV_TRY(Truth truth, empty_truth({}, calendar.axis()));
  Chance chance(seed);
  std::vector<Wave> waves;
  constexpr double kYear = 52.18;
  const double winter = first_winter(calendar.days().front());
  // One winter before the span and one after it, whose waves may reach into it.
  for (std::int64_t year = -1; year <= world.weeks / 52 + 1; ++year) {
    const double middle = winter + kYear * static_cast<double>(year);
    waves.push_back(
        {chance.normal(middle, 3), chance.lognormal(4200, 0.45), chance.uniform(2.2, 3.4), chance.uniform(3.2, 5.5)});
    if (chance.coin(0.15))  // an outbreak in another part of the year
      waves.push_back({middle + chance.uniform(14, 38), chance.lognormal(2500, 0.7), chance.uniform(1.2, 2.2),
                       chance.uniform(2.5, 4.5)});
  }
  rows.append("time,value\n");
  const std::vector<std::string> times = csv_times(calendar.axis());
  double reporting = 0;  // how eagerly cases are reported; drifts slowly
  for (std::int64_t week = 0; week < world.weeks; ++week) {
    reporting = 0.95 * reporting + chance.normal(0, 0.03);
    double mean = 90 + 40 * std::cos(2 * std::numbers::pi * (static_cast<double>(week) - winter) / kYear);
    for (const Wave& wave : waves) mean += wave.at(static_cast<double>(week));
    const Day& day = calendar.days()[static_cast<std::size_t>(7 * week)];
    if (day.month == 12 && day.date >= day.date.substr(0, 5) + "12-20") mean *= 0.7;  // practices are closed
    const std::int64_t cases = chance.overdispersed(mean * std::exp(reporting), 60);
    truth.counts[static_cast<std::size_t>(week)] = cases;
    rows.append(times[static_cast<std::size_t>(week)]);
    rows.append("," + std::to_string(cases) + "\n");
    ++truth.rows;
  }
  return truth;
}

Result<JobFacts> job_facts(const Flu& world) {
  CV_TRY(const Calendar calendar, calendar_of(world));
  JobFacts facts;
  facts.dataset = "flu";
  facts.time = "time";
  facts.value = "value";
  facts.zone = world.zone;
  facts.start = world.start;
  facts.end = calendar.end();
  facts.length = "1w";
  facts.max_steps = std::max<std::int64_t>(1, 2 * (world.weeks / 52));
  facts.caps_reason = "Declared, since counts say nothing about people: nobody is reported more than twice a year.";
  return facts;
}

}  // namespace chronoveil::simulate
