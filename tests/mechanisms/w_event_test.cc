// w_event against the paper's pseudo-code, and its account: what every window of w steps spends, over random streams.
#include "chronoveil/mechanisms/series/w_event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "live_checks.h"

namespace chronoveil::mechanisms::testing {
namespace {

using Real = long double;

SeriesPlan plan_for(std::int64_t series, std::int64_t steps, std::int64_t width, const std::string& strategy,
                    Relation relation = Relation::add_remove, std::int64_t per_slot = 1, double epsilon = 0.7) {
  Request request = request_for(steps, epsilon, 0);
  request.shape.series = series;
  request.shape.unit = Unit::w_event;
  request.shape.width = width;
  request.shape.relation = relation;
  request.shape.max_per_slot = per_slot;
  request.parameters["strategy"] = strategy;
  return value_of(w_event().prepare(request));
}

// Quiet stretches, walks and jumps, in turn, and whole steps or single series missing.
std::vector<std::int64_t> stream(const SeriesPlan& plan, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  const auto series = static_cast<std::size_t>(plan.shape.series), steps = static_cast<std::size_t>(plan.shape.steps);
  const double size = std::exp2(uniform(random) * 10) * plan.scale, missing = uniform(random) < 0.5 ? 0 : 0.2;
  std::vector<double> level(series, size);
  std::vector<std::int64_t> counts(cells(plan));
  for (std::size_t t = 0; t < steps; ++t) {
    const double speed = std::exp2(-4 * uniform(random)) * (uniform(random) < 0.4 ? size : plan.scale);
    const bool silent = uniform(random) < missing;
    for (std::size_t s = 0; s < series; ++s) {
      level[s] = std::abs(level[s] + speed * (uniform(random) - 0.5));
      counts[s * steps + t] = std::min(static_cast<std::int64_t>(level[s]), plan.shape.maximum);
      if (silent || uniform(random) < missing) counts[s * steps + t] = kMissing;
    }
  }
  return counts;
}

// What all questions of each step spend of ε for one neighbour who moves the slot by c.
std::vector<Real> spent_a_step(const SeriesPlan& plan, const Watched& watched) {
  std::vector<Real> distances(static_cast<std::size_t>(plan.shape.steps), 0), counts = distances;
  for (const Question& question : watched.questions) {
    const auto t = static_cast<std::size_t>(question.step);
    const Real loss = static_cast<Real>(plan.shape.max_per_slot) / static_cast<Real>(question.scale);
    // The counts of a slot together move by c: the same loss whichever of them moves.
    if (question.series == kDistance)
      distances[t] += loss;
    else
      counts[t] = std::max(counts[t], loss);
  }
  for (std::size_t t = 0; t < counts.size(); ++t) counts[t] += distances[t];
  return counts;
}

// The most that any window spends for the worst neighbour, in units of ε: one window, or two when one is replaced.
// Never less than the truth: every operation on these positive numbers is short by 2^-64 at most.
Real worst_window(const SeriesPlan& plan, const Watched& watched) {
  const std::vector<Real> spent = spent_a_step(plan, watched);
  const auto width = static_cast<std::size_t>(std::min(plan.shape.width, plan.shape.steps));
  Real worst = 0;
  for (std::size_t first = 0; first + width <= spent.size(); ++first)
    worst = std::max(worst, std::accumulate(spent.begin() + static_cast<std::ptrdiff_t>(first),
                                            spent.begin() + static_cast<std::ptrdiff_t>(first + width), Real{0}));
  if (plan.shape.relation == Relation::replace) worst *= 2;
  worst *= 1 + static_cast<Real>(width + 8) * 0x1p-63L;
  return worst / static_cast<Real>(std::get<accounting::Pure>(plan.event.kind).epsilon);
}

struct Streams {
  Real worst = 0;
  std::int64_t published = 0, kept = 0;
  std::string complaints;
};

Streams account(const std::function<SeriesPlan(std::uint64_t)>& plan_of, const Start& start, int streams) {
  Streams all;
  for (int i = 0; i < streams; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const SeriesPlan plan = plan_of(seed);
    const std::vector<std::int64_t> counts = stream(plan, seed);
    Draws draws = Draws::seeded(seed);
    const Watched watched = watch(plan, counts, draws, start);
    all.complaints += question_complaints(plan, counts, watched);
    all.worst = std::max(all.worst, worst_window(plan, watched));
    const auto sampled = std::accumulate(watched.estimate.sampled.begin(), watched.estimate.sampled.end(), 0);
    all.published += sampled;
    all.kept += static_cast<std::int64_t>(cells(plan)) - sampled;
  }
  return all;
}

constexpr std::int64_t kWidths[] = {1, 2, 3, 5, 8, 20, 60, 90};

TEST(WEvent, NoWindowSpendsMoreThanEpsilon) {
  for (const std::string strategy : {"absorption", "distribution"}) {
    for (const std::int64_t width : kWidths) {
      const Streams all = account(
          [&](std::uint64_t seed) {
            return plan_for(static_cast<std::int64_t>(1 + seed % 3), 80, width, strategy,
                            seed % 2 == 0 ? Relation::add_remove : Relation::replace,
                            static_cast<std::int64_t>(1 + seed % 4), 0.1 + static_cast<double>(seed % 7));
          },
          start_of_catalogue(), 60);
      EXPECT_EQ(all.complaints, "");
      EXPECT_LE(all.worst, 1) << strategy << ", w = " << width;
      EXPECT_GT(all.worst, strategy == "distribution" ? 0.74L
                           : width <= 8               ? 0.999L
                                                      : 0.85L)
          << strategy << ", w = " << width;
      EXPECT_GT(all.published, 100) << strategy << ", w = " << width;
      EXPECT_GT(all.kept, 100) << strategy << ", w = " << width;
    }
  }
}

// Twins of the shares. Each plants an overspend that the account must find.
class Forgetful final : public WindowShares {  // absorbs what was skipped, and nullifies nothing
 public:
  explicit Forgetful(std::int64_t width) : width_(width) {}
  std::int64_t whole() const override { return width_; }
  std::int64_t offer(std::int64_t t) override { return std::min(t - last_, width_); }
  void spend(std::int64_t t, std::int64_t) override { last_ = t; }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  std::int64_t width_, last_ = -1;
};

class FreeDistance final : public WindowShares {  // publishes with all of ε, as if distances cost nothing
 public:
  explicit FreeDistance(std::unique_ptr<WindowShares> inner) : inner_(std::move(inner)) {}
  std::int64_t whole() const override { return inner_->whole(); }
  std::int64_t offer(std::int64_t t) override { return 2 * (offered_ = inner_->offer(t)); }
  void spend(std::int64_t t, std::int64_t) override { inner_->spend(t, offered_); }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  std::unique_ptr<WindowShares> inner_;
  std::int64_t offered_ = 0;
};

// The most that a window spends with other shares than those of the catalogue.
Real worst_with(const std::string& strategy, std::int64_t width,
                const std::function<std::unique_ptr<WindowShares>(std::int64_t width)>& make) {
  return account([&](std::uint64_t) { return plan_for(1, 80, width, strategy); },
                 [&](const SeriesPlan& plan) { return w_event_process(plan, make(plan.shape.width)); }, 40)
      .worst;
}

TEST(WEvent, PlantedOverspendsAreFound) {
  for (const std::int64_t width : {3, 8}) {
    EXPECT_LE(worst_with("absorption", width, absorption), 1) << "the control";
    EXPECT_LE(worst_with("distribution", width, distribution), 1) << "the control";
    EXPECT_GT(worst_with("absorption", width, [](std::int64_t w) { return std::make_unique<Forgetful>(w); }), 1);
    EXPECT_GT(worst_with("absorption", width, [](std::int64_t w) { return absorption(w - 1); }), 1) << "a step short";
    EXPECT_GT(worst_with("distribution", width, [](std::int64_t w) { return distribution(w - 1); }), 1)
        << "a step short";
    for (const auto& make : {absorption, distribution})
      EXPECT_GT(
          worst_with("absorption", width, [&](std::int64_t w) { return std::make_unique<FreeDistance>(make(w)); }), 1);
  }
}

// The pseudo-code of the paper, step by step, in long double: shares as real numbers, the past as a list.
struct Paper {
  Real epsilon;  // for one unit of c
  std::int64_t width;
  bool absorbs;
  std::vector<Real> spent = {};              // ε_{t,2}
  std::int64_t last = 0;                     // l, from 1; 0: none yet
  std::int64_t nullified = 0, absorbed = 0;  // how often

  // 1/ε_{t,2} where the step may publish, else nothing.
  Real noise() {
    const auto t = static_cast<std::int64_t>(spent.size()) + 1;
    if (absorbs) {
      const Real share = epsilon / (2 * static_cast<Real>(width));
      const Real skip = last == 0 ? 0 : std::round(spent[static_cast<std::size_t>(last - 1)] / share) - 1;
      if (last > 0 && static_cast<Real>(t - last) <= skip) {
        ++nullified;
        return INFINITY;
      }
      const Real take = std::min(static_cast<Real>(t - last) - skip, static_cast<Real>(width));
      absorbed += take > 1 ? 1 : 0;
      return 1 / (share * take);
    }
    Real left = epsilon / 2;
    for (std::int64_t k = std::max<std::int64_t>(1, t - width + 1); k < t; ++k)
      left -= spent[static_cast<std::size_t>(k - 1)];
    return 2 / left;
  }
};

TEST(WEvent, EqualsThePseudoCodeOfThePaper) {
  for (const bool absorbs : {true, false}) {
    std::int64_t published = 0, kept = 0, nullified = 0, absorbed = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::int64_t width = kWidths[seed % 6], series = static_cast<std::int64_t>(1 + seed % 3);
      const SeriesPlan plan = plan_for(series, 200, width, absorbs ? "absorption" : "distribution");
      std::vector<std::int64_t> counts = stream(plan, seed);
      for (std::int64_t& count : counts) count = std::max<std::int64_t>(count, 0);
      Draws draws = Draws::seeded(seed);
      const Watched watched = watch(plan, counts, draws);
      Paper paper{std::get<accounting::Pure>(plan.event.kind).epsilon, width, absorbs};
      std::vector<Real> last(static_cast<std::size_t>(series), 0);
      std::size_t next = 0;
      for (std::int64_t t = 1; t <= plan.shape.steps; ++t) {
        const Question& distance = watched.questions[next++];
        ASSERT_EQ(distance.series, kDistance);
        Real truth = 0;
        for (std::size_t s = 0; s < last.size(); ++s)
          truth += std::abs(static_cast<Real>(counts[s * 200 + static_cast<std::size_t>(t - 1)]) - last[s]);
        ASSERT_EQ(distance.truth, static_cast<double>(truth));
        EXPECT_NEAR(distance.scale * static_cast<double>(paper.epsilon), 2.0 * static_cast<double>(width), 1e-9);
        const Real noise = paper.noise();
        const bool anew = static_cast<Real>(distance.answer) / static_cast<Real>(series) > noise;
        paper.spent.push_back(anew ? 1 / noise : 0);
        if (anew) paper.last = t;
        (anew ? published : kept) += 1;
        for (std::size_t s = 0; s < last.size(); ++s) {
          const std::size_t cell = s * 200 + static_cast<std::size_t>(t - 1);
          if (anew) {
            ASSERT_LT(next, watched.questions.size());
            const Question& count = watched.questions[next++];
            ASSERT_EQ(count.step, t - 1);
            EXPECT_NEAR(count.scale, static_cast<double>(noise), 1e-9 * count.scale);
            last[s] = count.answer;
          }
          ASSERT_EQ(watched.estimate.value[cell], static_cast<double>(last[s]));
          ASSERT_EQ(watched.estimate.sampled[cell], anew ? 1 : 0);
        }
      }
      EXPECT_EQ(next, watched.questions.size());
      nullified += paper.nullified;
      absorbed += paper.absorbed;
    }
    for (const std::int64_t branch : {published, kept}) EXPECT_GT(branch, 300);
    EXPECT_EQ(nullified > 100 && absorbed > 100, absorbs);
  }
}

// A replacement moves every slot twice as far, and is priced by noise of twice the scale.
TEST(WEvent, ReplacementDoublesTheNoise) {
  const SeriesPlan one = plan_for(2, 50, 5, "absorption"), other = plan_for(2, 50, 5, "absorption", Relation::replace);
  EXPECT_NEAR(other.scale, 2 * one.scale, 1e-12 * one.scale);
  EXPECT_NEAR(plan_for(2, 50, 5, "absorption", Relation::add_remove, 3).scale, 3 * one.scale, 1e-9);
  EXPECT_NEAR(one.scale, 2 / 0.7, 1e-9);
  EXPECT_EQ(one.measured, 50) << "one use a step";
}

TEST(WEvent, AWindowAsLongAsTheSeriesIsAWholePerson) {
  const SeriesPlan whole = plan_for(1, 50, 50, "absorption"), longer = plan_for(1, 50, 5000, "absorption");
  const std::vector<std::int64_t> counts = stream(whole, 3);
  Draws one = Draws::seeded(4), other = Draws::seeded(4);
  EXPECT_TRUE(is_same(watch(whole, counts, one).estimate, watch(longer, counts, other).estimate));
}

// Intervals hold with the probability that they say, whatever the series does: binomial, 1e-7 each.
TEST(WEvent, TheIntervalsHold) {
  for (const std::string strategy : {"absorption", "distribution"}) {
    for (const double size : {0.0, 0.5, 4.0, 40.0}) {
      const SeriesPlan plan = plan_for(1, 400, 10, strategy);
      std::vector<std::int64_t> counts(cells(plan));
      for (std::size_t t = 0; t < counts.size(); ++t)
        counts[t] = static_cast<std::int64_t>(size * plan.scale * (t / 7 % 2 == 0 ? 10 : 1));
      std::int64_t inside = 0, steps = 0;
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Draws draws = Draws::seeded(seed);
        const Watched watched = watch(plan, counts, draws);
        for (std::size_t t = 0; t < counts.size(); ++t, ++steps) {
          const auto truth = static_cast<double>(counts[t]);
          inside += watched.estimate.lower[t] <= truth && truth <= watched.estimate.upper[t] ? 1 : 0;
        }
      }
      // Published values stand for several steps, so the steps count as a tenth of their number.
      const double n = static_cast<double>(steps) / 10, rate = static_cast<double>(inside) / static_cast<double>(steps);
      EXPECT_GT(rate, 0.95 - 5.2 * std::sqrt(0.95 * 0.05 / n)) << strategy << ", " << size;
    }
  }
}

TEST(WEvent, RefusesWhatItCannotDo) {
  Request request = request_for(50, 1, 0);
  EXPECT_FALSE(w_event().prepare(request)) << "unit user";
  request.shape.unit = Unit::w_event;
  request.shape.width = 5;
  EXPECT_TRUE(w_event().prepare(request));
  request.parameters["strategy"] = std::string("greed");
  EXPECT_EQ(w_event().prepare(request).error().text(),
            "mechanism.strategy: greed is not valid; it must be absorption or distribution");
  request.parameters.clear();
  request.shape.steps = request.shape.width = std::int64_t{1} << 30;
  const auto wide = w_event().prepare(request);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().text().find("width: the noise on what a step has moved would have a scale of "), 0u);
}

TEST(WindowShares, AWindowOfOneStepSpendsItsOwn) {
  const auto half = distribution(1), all = absorption(1);
  for (std::int64_t t = 0; t < 5; ++t) {
    EXPECT_EQ(half->offer(t), half->whole() / 2);
    half->spend(t, half->offer(t));
    EXPECT_EQ(all->offer(t), all->whole());
    all->spend(t, 1);
  }
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
