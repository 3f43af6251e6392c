// Samples of the units against real ones: every sample of a small data set is listed, with the exact law of what is
// published, for one unit added, removed or replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/neighbours.h"

namespace chronoveil::accounting {
namespace {

std::shared_ptr<const Event> inside(Kind kind) { return std::make_shared<const Event>(Event{std::move(kind), 1}); }

double delta_of(const Event& event, double epsilon) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  EXPECT_TRUE(price) << to_text(event) << ": " << price.error().text();
  return price ? price->delta : 0;
}

// A data set: each unit has a value in {−1, 0, 1} for each of two questions. A question is the sum over the sample plus
// discrete Laplace noise.
using Unit2 = std::pair<int, int>;
using Data = std::vector<Unit2>;
constexpr double kScale = 1.5;
constexpr int kReach = 45;  // e^{−40/1.5} is 1e-12
using Law = std::vector<double>;

using Samples = std::function<void(const Data&, const std::function<void(double, int, int)>&)>;

// The law of an answer, `second` or first, over all samples that `samples` lists with their probabilities.
Law answered(const Data& data, bool second, const Samples& samples) {
  Law sums(2 * kReach + 1), law(2 * kReach + 1);
  samples(data, [&](double chance, int first_sum, int second_sum) {
    sums[static_cast<std::size_t>((second ? second_sum : first_sum) + kReach)] += chance;
  });
  const double a = std::exp(-1 / kScale);
  for (int s = -kReach; s <= kReach; ++s)
    for (int x = -kReach; x <= kReach; ++x)
      law[static_cast<std::size_t>(x + kReach)] +=
          sums[static_cast<std::size_t>(s + kReach)] * (1 - a) / (1 + a) * std::pow(a, std::abs(x - s));
  return law;
}

double hockey_stick(const Data& d, const Data& e, const Samples& samples, double epsilon) {
  const Law p1 = answered(d, false, samples), p2 = answered(d, true, samples);
  const Law q1 = answered(e, false, samples), q2 = answered(e, true, samples);
  double delta = 0;
  for (std::size_t i = 0; i < p1.size(); ++i)
    for (std::size_t j = 0; j < p2.size(); ++j)
      delta += std::max(0.0, p1[i] * p2[j] - std::exp(epsilon) * q1[i] * q2[j]);
  return delta;
}

constexpr double kRate = 0.4;
void poisson(const Data& data, const std::function<void(double, int, int)>& each) {
  for (unsigned set = 0; set < 1U << data.size(); ++set) {
    double chance = 1;
    int first = 0, second = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const bool in = (set >> i & 1U) != 0;
      chance *= in ? kRate : 1 - kRate;
      first += in ? data[i].first : 0;
      second += in ? data[i].second : 0;
    }
    each(chance, first, second);
  }
}

// Samples of two, without and with replacement.
void pairs(const Data& data, bool again, const std::function<void(double, int, int)>& each) {
  const auto n = static_cast<double>(data.size());
  for (std::size_t i = 0; i < data.size(); ++i)
    for (std::size_t j = 0; j < data.size(); ++j)
      if (again || i != j)
        each(1 / (n * (again ? n : n - 1)), data[i].first + data[j].first, data[i].second + data[j].second);
}
void subsets(const Data& data, const std::function<void(double, int, int)>& each) { pairs(data, false, each); }
void draws(const Data& data, const std::function<void(double, int, int)>& each) { pairs(data, true, each); }

const Data kOthers[] = {{{0, 0}, {0, 0}}, {{1, -1}, {0, 1}}, {{-1, -1}, {1, 1}}};
const Unit2 kUnits[] = {{1, 1}, {1, -1}, {-1, 0}, {0, 1}};

// The largest share of the price that some pair of neighbours shows.
double most_shown(const Event& event, const Samples& samples, Relation relation) {
  double most = 0;
  for (const double epsilon : {0.1, 0.5, 1.0, 1.6}) {
    const double price = delta_of(event, epsilon);
    auto look = [&](const Data& d, const Data& e) {
      most =
          std::max({most, hockey_stick(d, e, samples, epsilon) / price, hockey_stick(e, d, samples, epsilon) / price});
    };
    for (const Data& others : kOthers)
      for (const Unit2& unit : kUnits) {
        Data with = others;
        with.push_back(unit);
        if (relation == Relation::add_remove) {
          look(with, others);
          continue;
        }
        for (const Unit2& other : kUnits) {
          Data replaced = others;
          replaced.push_back(other);
          look(with, replaced);
        }
      }
  }
  return most;
}

TEST(Sampled, NoTwoDataSetsShowMoreThanThePrice) {
  const auto once = inside(DiscreteLaplace{kScale, 1}), twice = inside(DiscreteLaplace{kScale, 2});
  const Event added{PoissonSampled{kRate, once}, 2};
  const auto exchanged = for_replacement(added);
  ASSERT_TRUE(exchanged);
  struct Case {
    Event event;
    Samples samples;
    Relation relation;
    double least;  // how much of the price is shown: the bound is no idle one
  };
  // Samples of a fixed size change by a replacement: values are at most 2 apart.
  const Case cases[] = {
      {added, poisson, Relation::add_remove, 0.9},
      {*exchanged, poisson, Relation::replace, 0.3},
      {{SampledWithoutReplacement{3, 2, twice}, 2}, subsets, Relation::replace, 0.3},
      {{SampledWithoutReplacement{3, 2, twice, Relation::add_remove}, 2}, subsets, Relation::add_remove, 0.3},
      {{SampledWithReplacement{3, 2, twice}, 2}, draws, Relation::replace, 0.3},
      {{SampledWithReplacement{3, 2, twice, Relation::add_remove}, 2}, draws, Relation::add_remove, 0.3},
  };
  for (const Case& c : cases) {
    const double shown = most_shown(c.event, c.samples, c.relation);
    EXPECT_LE(shown, 1 + 1e-6) << to_text(c.event);
    EXPECT_GE(shown, c.least) << to_text(c.event);
  }
  // Twins: the sensitivity of a unit added where one is replaced, in both kinds of sample, and a rate that is too low.
  EXPECT_GT(most_shown({PoissonSampled{kRate, once, Relation::replace}, 2}, poisson, Relation::replace), 1.05);
  EXPECT_GT(most_shown({SampledWithoutReplacement{3, 2, once}, 2}, subsets, Relation::replace), 1.05);
  EXPECT_GT(most_shown({PoissonSampled{kRate / 2, once}, 2}, poisson, Relation::add_remove), 1.05);
}

}  // namespace
}  // namespace chronoveil::accounting
