#include "chronoveil/engine/look/means.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/engine/look/predict.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/plan/means_comparison.h"

namespace chronoveil::engine {
namespace {

constexpr int kValueBins = 32;

Job with_caps(const Job& job, const std::string& length, std::int64_t cells) {
  Job tried = job;
  tried.slots.length = length;
  tried.means().max_cells = cells;
  return tried;
}

void add_value_bins(const MeansSpec& means, report::LookQuestion& question) {
  const double width = (means.upper - means.lower) / kValueBins;
  for (int i = 0; i < kValueBins; ++i) {
    question.first.push_back(means.lower + i * width);
    question.last.push_back(i + 1 < kValueBins ? means.lower + (i + 1) * width : means.upper);
  }
}

// Expected |noise| of the mean of so many people, as a share of the width; infinite where the plan cannot say.
double noise_of(const Job& job, const mechanisms::CellsPlan& plan, double people) {
  const auto mechanism = mechanisms::find_cell_mechanism(plan.mechanism);
  const auto records = static_cast<std::uint32_t>(job.means().max_records.value_or(1));
  const auto counted = static_cast<std::size_t>(std::clamp(people, 1.0, static_cast<double>(plan::kMostUsers)));
  const auto facts = (*mechanism)->look(plan, std::vector<std::uint32_t>(counted, records));
  return facts ? facts->expected_noise / plan.shape.width() : std::numeric_limits<double>::infinity();
}

double middle(const report::LookQuestion& question, std::size_t bin) {
  return (question.first[bin] + question.last[bin]) / 2;
}

// The standard deviation of the values, in units of the width; without values, that of values spread evenly.
double spread_of(const Job& job, const report::LookQuestion& values, const std::vector<double>& people) {
  double all = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < people.size(); ++i) all += people[i], mean += people[i] * middle(values, i);
  if (!(all > 0)) return std::sqrt(1.0 / 12);
  mean /= all;
  for (std::size_t i = 0; i < people.size(); ++i) square += people[i] / all * std::pow(middle(values, i) - mean, 2);
  return std::sqrt(square) / (job.means().upper - job.means().lower);
}

// How far the bounds move a value on average, in units of the width.
double bias_of(const report::LookQuestion& values, const std::vector<double>& people, double lower, double upper) {
  double all = 0, moved = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const double value = middle(values, i);
    all += people[i];
    moved += people[i] * std::max({0.0, lower - value, value - upper});
  }
  return moved / all / (values.last.back() - values.first.front());
}

void propose_bounds(const report::LookQuestion& values, const std::vector<double>& people, double noise,
                    report::Look& look) {
  if (people.empty()) return;
  const double width = values.last.back() - values.first.front();
  double least = std::numeric_limits<double>::infinity(), lower = 0, upper = 0;
  for (const double low : values.first)
    for (const double high : values.last) {
      if (!(low < high)) continue;
      const double error = norm(bias_of(values, people, low, high), noise * (high - low) / width);
      if (error < least) least = error, lower = low, upper = high;
    }
  look.proposal.emplace_back("means.lower", shortest(lower));
  look.proposal.emplace_back("means.upper", shortest(upper));
}

}  // namespace

Result<Relation> relation_of_means(const Job& job) {
  CV_TRY(const MeansPlanned planned, plan_means(with_caps(job, job.slots.length, 1), Compare::when_needed));
  return planned.chosen.relation == Relation::add_remove ? Relation::add_remove : Relation::replace;
}

Result<void> ask_of_means(const Job& job, const std::vector<LookLength>& lengths, LookPlanned& planned) {
  for (const LookLength& length : lengths) {
    report::LookQuestion question{.of = "slots", .length = length.length};
    CV_TRY(const MeansPlanned one, plan_means(with_caps(job, length.length, 1), Compare::when_needed));
    add_bins(one.chosen.shape.cells(), question);
    for (const double last : question.last) {
      const auto cap = static_cast<std::int64_t>(last);
      const auto tried = plan_means(with_caps(job, length.length, cap), Compare::when_needed);
      if (!tried) continue;
      planned.choices.push_back({.length = length.length, .cap = cap});
      planned.cells.push_back(tried->chosen);
    }
    planned.questions.push_back(std::move(question));
    planned.longer.push_back(length.holds);
  }
  report::LookQuestion values{.of = "value"};
  add_value_bins(job.means(), values);
  planned.questions.push_back(std::move(values));
  planned.longer.emplace_back();
  return {};
}

void predict_means(const Job& job, const LookPlanned& planned, report::Look& look) {
  const auto values = std::find_if(look.questions.begin(), look.questions.end(),
                                   [](const report::LookQuestion& each) { return each.of == "value"; });
  const std::vector<double> people_by_value = people_in_bins(*values, look.plan, look.people);
  const double spread = spread_of(job, *values, people_by_value);
  for (const report::LookQuestion& question : look.questions) {
    const std::vector<double> people = people_in_bins(question, look.plan, look.people);
    for (std::size_t i = 0; question.of == "slots" && i < look.choices.size(); ++i) {
      report::LookChoice& choice = look.choices[i];
      if (choice.length != question.length) continue;
      const double all = sum_of(question, people), kept = sum_of(question, people, static_cast<double>(choice.cap));
      const auto cells = static_cast<double>(planned.cells[i].shape.cells());
      choice.typical = all / cells;
      choice.left_out = all > 0 ? 1 - kept / all : 0;
      choice.noise = noise_of(job, planned.cells[i], kept / cells);
      const double fewer = kept > 0 ? std::max(0.0, cells / kept - cells / all) : 0;
      choice.error = all > 0 && !sees_too_few(look, question) ? norm(choice.noise, spread * std::sqrt(fewer))
                                                              : std::numeric_limits<double>::infinity();
    }
  }
  const report::LookChoice* choice = chosen(look);
  if (choice == nullptr) return;
  if (choice->length != job.slots.length) look.proposal.emplace_back("slots.length", "\"" + choice->length + "\"");
  look.proposal.emplace_back("means.max_cells", std::to_string(choice->cap));
  propose_bounds(*values, people_by_value, choice->noise, look);
}

}  // namespace chronoveil::engine
