// Sums of cells: which there are, how large, how sure, and where they are written.
#include "chronoveil/engine/series/totals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "engine/fixtures.h"

namespace chronoveil::engine {
namespace {

using testing::fails;

// 40 series in two groups and one that is in none; 9 days and 8 hours of a spring with a change of clocks, from 20:00.
constexpr std::int64_t kSeries = 41, kSteps = 4 + 8 * 24 - 1 + 4;

Job city(const std::string& mechanism) {
  Job job;
  job.kind = SeriesSpec();
  job.series().non_negative = false;
  for (std::int64_t s = 0; s < kSeries; ++s) {
    job.keys.push_back("s" + std::to_string(s));
    job.series().groups.push_back(s == 40 ? "" : s % 4 == 0 ? "north" : "south");
  }
  job.mechanism = mechanism;
  return job;
}

SlotAxis spring() {
  const Result<SlotAxis> axis = data::make_axis({"2026-03-23T20:00", "2026-04-01T04:00", "1h", "Europe/Berlin"});
  EXPECT_TRUE(axis);
  return *axis;
}

std::vector<std::int64_t> truth() {
  std::vector<std::int64_t> counts;
  for (std::int64_t s = 0; s < kSeries; ++s)
    for (std::int64_t t = 0; t < kSteps; ++t) {
      const double hour = static_cast<double>((t + 20) % 24);
      counts.push_back(std::llround((40 + 3 * static_cast<double>(s)) * (1.4 + std::sin(hour / 24 * 2 * M_PI) +
                                                                         0.3 * std::sin(static_cast<double>(t * s)))));
    }
  return counts;
}

struct Released {
  Totals totals;
  std::vector<double> cells;
  double scale = 0;
  std::vector<double> noisy;
};

Released released(const std::string& mechanism, std::uint64_t seed, double epsilon = 1) {
  const Job job = city(mechanism);
  const mechanisms::SeriesMechanism* row = *mechanisms::find_series_mechanism(mechanism);
  mechanisms::Request request;
  request.shape = {.series = kSeries, .steps = kSteps, .max_steps = 20};
  if (row->units.front() != Unit::user) request.shape.unit = row->units.front();
  request.epsilon = epsilon;
  request.delta = 1e-6;
  if (mechanism == "shrink") request.parameters["season"] = std::int64_t{24};
  const Result<mechanisms::SeriesPlan> plan = row->prepare(request);
  EXPECT_TRUE(plan) << plan.error().text();
  const Result<SumPlan> sums = plan_sums(job, spring(), *plan);
  EXPECT_TRUE(sums);
  mechanisms::Draws draws = mechanisms::Draws::seeded(seed);
  const Result<Measurement> measurement = row->measure(*plan, truth(), draws);
  EXPECT_TRUE(measurement) << measurement.error().text();
  const Result<mechanisms::Summed> summed = mechanisms::reconstruct(*plan, *measurement, sums->asked);
  EXPECT_TRUE(summed);
  return {totals_of(job, *sums, summed->summands), summed->estimate.value, plan->scale, measurement->values};
}

// The sums of any cells, by names and labels alone: independent of SumPlan and of calendars.
using Named = std::map<std::string, double>;  // "group north day 2026-03-29"
Named sums_by_name(const std::vector<double>& cells) {
  const Job job = city("gaussian");
  const SlotAxis axis = spring();
  Named all;
  for (std::size_t s = 0; s < kSeries; ++s) {
    std::vector<std::string> names{"all ", "series " + job.keys[s]};
    if (!job.series().groups[s].empty()) names.push_back("group " + job.series().groups[s]);
    for (std::size_t t = 0; t < kSteps; ++t) {
      const double value = cells[s * kSteps + t];
      const std::string day = axis.labels[t].substr(0, 10);
      for (const std::string& name : names) {
        all[name + " span"] += value;
        if (day != "2026-03-23" && day != "2026-04-01") all[name + " day " + day] += value;
        // The only whole week is none: from Tuesday to the second Tuesday there is Monday 30 March only.
        if (name != names[1]) all[name + " slot " + axis.labels[t]] += value;
      }
    }
  }
  return all;
}

Named named(const Totals& totals, std::vector<double> Sums::*part) {
  const SlotAxis axis = spring();
  Named all;
  for (const Sums& sums : totals.sums) {
    const Periods& periods = totals.periods[sums.periods];
    for (std::size_t i = 0; i < (sums.*part).size(); ++i) {
      const std::string& label = axis.labels[static_cast<std::size_t>(periods.first[i])];
      const std::string when = periods.per == "span"  ? ""
                               : periods.per == "day" ? " " + label.substr(0, 10)
                                                      : " " + label;
      all[sums.of + " " + sums.name + " " + periods.per + when] = (sums.*part)[i];
    }
  }
  return all;
}

void expect_same(const Named& one, const Named& other, double near) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, value] : one) {
    ASSERT_TRUE(other.contains(name)) << name;
    EXPECT_NEAR(value, other.at(name), near) << name;
  }
}

TEST(Totals, AreSumsOverSeriesGroupsDaysAndTheSpan) {
  // Of plain noise: sums of what is published, which is what was measured.
  const Released plain = released("gaussian", 1);
  EXPECT_EQ(plain.cells, plain.noisy);
  expect_same(named(plain.totals, &Sums::value), sums_by_name(plain.noisy), 1e-6);
  // Of joint denoising: sums of the published cells.
  const Released joint = released("shrink", 1);
  EXPECT_NE(joint.cells, joint.noisy);
  expect_same(named(joint.totals, &Sums::value), sums_by_name(joint.cells), 1e-6);
  // What is measured otherwise: sums of the cells, with ends that add up.
  const Released filtered = released("fast", 1);
  expect_same(named(filtered.totals, &Sums::value), sums_by_name(filtered.cells), 1e-6);
}

TEST(Totals, OrderGoesFromTheWholeToItsParts) {
  const Totals totals = released("gaussian", 1).totals;
  std::string order;
  for (std::size_t i = 0; i < 11; ++i)
    order += totals.sums[i].of + totals.sums[i].name + totals.periods[totals.sums[i].periods].per + " ";
  EXPECT_EQ(order,
            "allspan allday allslot groupnorthspan groupnorthday groupnorthslot groupsouthspan groupsouthday "
            "groupsouthslot seriess0span seriess0day ");
}

// How many intervals of each kind hold the truth, over some seeds; `width` is what a twin makes of half-widths.
struct Held {
  double share = 0;
  std::int64_t intervals = 0;
};
std::map<std::string, Held> held(const std::string& mechanism, int seeds, double epsilon,
                                 double (*width)(double half, double cell, double cells)) {
  const std::vector<std::int64_t> counts = truth();
  const Named right = sums_by_name({counts.begin(), counts.end()});
  std::map<std::string, Held> all;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Released one = released(mechanism, static_cast<std::uint64_t>(seed), epsilon);
    const Named values = named(one.totals, &Sums::value), uppers = named(one.totals, &Sums::upper);
    const double cell = 1.959963984540054 * one.scale;
    for (const auto& [name, value] : values) {
      const std::string kind = name.substr(0, name.find(' ')) + (name.find(" day ") != std::string::npos    ? " day"
                                                                 : name.find(" slot ") != std::string::npos ? " slot"
                                                                                                            : " span");
      const double half = uppers.at(name) - value;
      Held& sum = all[kind];
      ++sum.intervals;
      sum.share += std::fabs(value - right.at(name)) <= width(half, cell, std::pow(half / cell, 2));
    }
  }
  for (auto& [kind, sum] : all) sum.share /= static_cast<double>(sum.intervals);
  return all;
}

double as_published(double half, double, double) { return half; }
double all_err_alike(double, double cell, double cells) { return cell * cells; }  // a cell's half-width times n
double of_one_cell(double, double cell, double) { return cell; }

// 4.9 deviations of a binomial share: exceeded with a probability below 1e-6.
bool is_exact(const Held& sum) {
  return std::fabs(sum.share - 0.95) <= 4.9 * std::sqrt(0.95 * 0.05 / static_cast<double>(sum.intervals));
}

TEST(Totals, IntervalsOfPlainNoiseAreExact) {
  // Sums of series by day, by span, of groups by slot, ... each kind is of independent cells.
  for (const auto& [kind, sum] : held("gaussian", 40, 1, as_published))
    EXPECT_TRUE(is_exact(sum)) << kind << " " << sum.share << " of " << sum.intervals;
  const auto laplace = held("laplace", 40, 1, as_published);
  for (const auto& [kind, sum] : laplace) EXPECT_TRUE(is_exact(sum)) << kind << " " << sum.share;
  // Twins with the half-width of a cell times n, and of one cell, are found out.
  for (const auto twin : {all_err_alike, of_one_cell})
    for (const auto& [kind, sum] : held("gaussian", 40, 1, twin))
      if (sum.intervals > 1000) {
        EXPECT_FALSE(is_exact(sum)) << kind << " " << sum.share;
      }
}

TEST(Totals, IntervalsOfJointDenoisingHoldAtLeastAsOftenAsTheySay) {
  for (const double epsilon : {8.0, 1.0, 0.1})
    for (const auto& [kind, sum] : held("shrink", 6, epsilon, as_published)) {
      const double by_chance = 4.9 * std::sqrt(0.95 * 0.05 / static_cast<double>(sum.intervals));
      EXPECT_GE(sum.share, 0.95 - std::max(0.02, by_chance)) << kind << " at epsilon " << epsilon;
    }
  for (const auto& [kind, sum] : held("shrink", 6, 1, of_one_cell)) {
    if (kind == "all day" || kind == "group day") {
      EXPECT_LT(sum.share, 0.93) << kind;
    }
  }
}

// The defect that joint denoising mends: sums that are worse than those of the noisy values.
TEST(Totals, AreNeverMuchWorseThanSumsOfTheNoisyValues) {
  const std::vector<std::int64_t> counts = truth();
  const Named right = sums_by_name({counts.begin(), counts.end()});
  for (const double epsilon : {8.0, 1.0, 0.1}) {
    std::map<std::string, std::pair<double, double>> errors;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Released one = released("shrink", seed, epsilon);
      const Named values = named(one.totals, &Sums::value), noisy = sums_by_name(one.noisy);
      for (const auto& [name, value] : values) {
        const std::size_t space = name.find(' '), rest = name.find(' ', space + 1);
        auto& [mine, theirs] = errors[name.substr(0, space) + name.substr(rest, name.find(' ', rest + 1) - rest)];
        mine += std::fabs(value - right.at(name));
        theirs += std::fabs(noisy.at(name) - right.at(name));
      }
    }
    for (const auto& [kind, sums] : errors)
      EXPECT_LE(sums.first, 1.02 * sums.second) << kind << " at epsilon " << epsilon;
  }
}

class TotalsOfJobs : public testing::JobFolder {
 protected:
  static std::string outputs(const std::string& more, const std::string& mechanism = "gaussian") {
    return "[mechanism]\nname = \"" + mechanism + "\"\n[output]\ncsv = \"out.csv\"\njson = \"out.json\"\n" + more;
  }
};

TEST_F(TotalsOfJobs, AreWrittenBesideTheCsvAndStored) {
  create_dataset();
  const Job plain = job(job_text("", "", outputs("")));
  EXPECT_EQ(plain.series().totals, at("out_totals.csv"));
  const Result<report::Published> done = run_job(plain, options_);
  ASSERT_TRUE(done) << done.error().text();
  const std::string csv = read("out_totals.csv");
  EXPECT_EQ(csv, report::totals_csv(*done));
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "of,name,per,time,slots,value,lower,upper");
  EXPECT_NE(csv.find("\nall,,span,2026-03-01T00:00:00+00:00,48,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nseries,south,day,2026-03-02T00:00:00+00:00,24,"), std::string::npos) << csv;
  const nlohmann::json totals = nlohmann::json::parse(read("out.json"))["totals"];
  EXPECT_EQ(totals["periods"][1]["per"], "day");
  EXPECT_EQ(totals["periods"][1]["end"], (std::vector<int>{24, 48}));
  EXPECT_EQ(totals["sums"][0]["of"], "all");

  Job elsewhere = plain;
  elsewhere.series().totals = at("again.csv");
  ASSERT_TRUE(run_again(elsewhere, "city:1", options_));
  EXPECT_EQ(read("again.csv"), csv);
}

TEST_F(TotalsOfJobs, GroupsComeFromAPublicFile) {
  write("districts.csv", "series,group\nsouth,\"left, bank\"\n");
  const auto with = [&](const std::string& file) {
    std::string text = job_text("", "", outputs(""));
    const std::string list = "list = \"stops.txt\"\n";
    return text.replace(text.find(list), list.size(), list + "groups = \"" + file + "\"\n");
  };
  const Job grouped = job(with("districts.csv"));
  EXPECT_EQ(grouped.series().groups, (std::vector<std::string>{"", "left, bank"}));
  EXPECT_NE(digest_of(grouped), digest_of(job(job_text("", "", outputs("")))));
  create_dataset();
  ASSERT_TRUE(run_job(grouped, options_));
  EXPECT_NE(read("out_totals.csv").find("\ngroup,\"left, bank\",day,"), std::string::npos);

  const auto refused = [&](const std::string& text, const std::string& mention) {
    write("wrong.csv", text);
    EXPECT_TRUE(fails(parse_job(with("wrong.csv"), at("job.toml")), ErrorKind::usage, mention)) << text;
  };
  refused("stop,group\nsouth,a\n", "no column series");
  refused("series,district\nsouth,a\n", "no column group");
  refused("series,group\nwest,a\n", "row 1: the series is not in the list");
  refused("series,group\nsouth,a\nsouth,b\n", "row 2: the series is there for the second time");
  refused("series,group\nsouth,\n", "row 1: the name of the group is empty");
  refused("series,group\nsouth,=1+1\n", "output.formulas");
  refused("series,group\nsouth\n", "series.groups");
  EXPECT_TRUE(fails(parse_job(with("nowhere.csv"), at("job.toml")), ErrorKind::storage, "series.groups"));
  EXPECT_TRUE(fails(parse_job(with("trips.csv"), at("job.toml")), ErrorKind::usage, "series.groups"));
  EXPECT_TRUE(fails(parse_job(with("districts.csv") + "[live]\nname = \"flu\"\n", at("job.toml")), ErrorKind::usage,
                    "series.groups"));
  EXPECT_TRUE(fails(parse_job(job_text("", "", outputs("totals = \"out.csv\"\n")), at("job.toml")), ErrorKind::usage,
                    "output.csv"));
}

TEST_F(TotalsOfJobs, TheListOfSeriesMayHaveTheirGroupsInAColumn) {
  const auto with = [&](const std::string& list) {
    write("both.csv", list);
    std::string text = job_text("", "", outputs(""));
    const std::string plain = "list = \"stops.txt\"\n";
    return text.replace(text.find(plain), plain.size(), "list = \"both.csv\"\ngroups = \"both.csv\"\n");
  };
  const Job grouped = job(with("group,series\nleft,south\n,north\n"));
  EXPECT_EQ(grouped.keys, (std::vector<std::string>{"south", "north"}));
  EXPECT_EQ(grouped.series().groups, (std::vector<std::string>{"left", ""}));
  const auto refused = [&](const std::string& list, const std::string& mention) {
    EXPECT_TRUE(fails(parse_job(with(list), at("job.toml")), ErrorKind::usage, mention)) << list;
  };
  refused("series,group\nsouth,a\nsouth,\n", "row 2: the series is there for the second time");
  refused("series,group\n,a\n", "row 1: the name of the series is empty");
  refused("series,group\n", "holds no series");
  refused("south\nnorth\n", "no column series");
}

TEST_F(TotalsOfJobs, WithoutACsvThereIsNoneUnlessItIsNamed) {
  EXPECT_EQ(job(job_text("", "", "[mechanism]\nname = \"gaussian\"\n[output]\njson = \"out.json\"\n")).series().totals,
            "");
  const Job named = job(job_text("", "", "[mechanism]\nname = \"gaussian\"\n[output]\ntotals = \"sums.csv\"\n"));
  create_dataset();
  ASSERT_TRUE(run_job(named, options_));
  EXPECT_TRUE(exists("sums.csv"));
}

TEST_F(TotalsOfJobs, AreCutAndRoundedByThemselves) {
  options_.seed = 1;  // now and then a draw happens to cut nothing
  const Job whole = job(job_text("", "", outputs("integers = true\n", "shrink")));
  const Result<report::Published> done = run_job(whole, options_);
  ASSERT_TRUE(done) << done.error().text();
  bool differs = false;
  const std::vector<double>& cells = done->release.estimate.value;
  for (const Sums& sums : done->release.totals.sums)
    for (std::size_t i = 0; i < sums.value.size(); ++i) {
      EXPECT_EQ(sums.value[i], std::floor(sums.value[i]));
      EXPECT_GE(sums.lower[i], 0);
      if (sums.of == "all" && done->release.totals.periods[sums.periods].per == "slot")
        differs = differs || sums.value[i] != cells[i] + cells[48 + i];
    }
  EXPECT_TRUE(differs);  // cells that were cut at 0 would add up to too much
}

}  // namespace
}  // namespace chronoveil::engine
