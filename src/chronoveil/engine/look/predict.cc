#include "chronoveil/engine/look/predict.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "chronoveil/engine/look/means.h"
#include "chronoveil/engine/look/questions.h"
#include "chronoveil/mechanisms/parts/calibrated.h"

namespace chronoveil::engine {
namespace {

constexpr double kMistaken = 0.001;   // how often noise alone may stand out somewhere
constexpr double kGoodEnough = 0.1;   // of a typical count
constexpr double kAbove = 2;          // standard deviations, for a bound that holds in 19 of 20 looks and more
constexpr double kMostUnseen = 0.25;  // of all people: with more, a cap would be one for the people who are seen
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The nearest point, by squares, of those that are not negative and add up to `total`: what is left of each number
// above one level is kept [Duchi08].
void project(std::vector<double>& numbers, double total) {
  std::vector<double> sorted = numbers;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, level = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double tried = (sum - total) / static_cast<double>(i + 1);
    if (sorted[i] <= tried) break;
    level = tried;
  }
  for (double& number : numbers) number = std::max(0.0, number - level);
}

// √((left out × typical)² + noise²) / typical
double error_of(double left_out, double noise, double typical) {
  return typical > 0 ? norm(left_out, noise / typical) : kInfinity;
}

const report::LookQuestion* question_about(const report::Look& look, std::string_view of, std::string_view length) {
  for (const report::LookQuestion& each : look.questions)
    if (each.of == of && each.length == length) return &each;
  return nullptr;
}

const report::LookChoice* least_error(const std::vector<report::LookChoice>& choices, const std::string* length) {
  const report::LookChoice* best = nullptr;
  for (const report::LookChoice& each : choices)
    if (std::isfinite(each.error) && (length == nullptr || each.length == *length) &&
        (best == nullptr || each.error < best->error))
      best = &each;
  return best;
}

// The cap on records in one slot. Counts are then of records, so that both their size and their noise grow with it.
std::optional<std::int64_t> cap_on_records(const report::Look& look, const report::LookChoice& choice) {
  const report::LookQuestion* question = question_about(look, "records", "");
  if (question == nullptr) return std::nullopt;
  const std::vector<double> people = people_in_bins(*question, look.plan, look.people);
  const double all = sum_of(*question, people, kInfinity);
  if (people.empty() || !(all > 0) || sees_too_few(look, *question)) return std::nullopt;
  std::int64_t best = 0;
  double least = kInfinity;
  for (const double cap : question->last) {
    const double kept = sum_of(*question, people, cap);
    const double typical = choice.typical * all / look.people;
    const double error = error_of(1 - kept / all, cap * choice.noise, typical);
    if (error < least) least = error, best = static_cast<std::int64_t>(cap);
  }
  return best;
}

}  // namespace

double sum_of(const report::LookQuestion& question, const std::vector<double>& people, double cap) {
  double sum = 0;
  for (std::size_t i = 0; i < people.size(); ++i)
    sum += people[i] * std::min(cap, (question.first[i] + question.last[i]) / 2);
  return sum;
}

const report::LookChoice* chosen(const report::Look& look) {
  for (const report::LookQuestion& each : look.questions) {
    const report::LookChoice* best = each.of == "slots" ? least_error(look.choices, &each.length) : nullptr;
    if (best != nullptr && best->error <= kGoodEnough) return best;
  }
  return least_error(look.choices, nullptr);
}

double least_seen(const report::LookQuestion& question, const mechanisms::SeriesPlan& plan) {
  const auto bins = static_cast<double>(std::max<std::size_t>(1, question.first.size()));
  return mechanisms::noise_half_width(plan.noise, plan.scale, 1 - 2 * kMistaken / bins);
}

std::vector<double> people_in_bins(const report::LookQuestion& question, const mechanisms::SeriesPlan& plan,
                                   double people) {
  const double seen = least_seen(question, plan);
  const auto last =
      std::find_if(question.people.rbegin(), question.people.rend(), [&](double noisy) { return noisy > seen; });
  if (last == question.people.rend() || !(people > 0)) return {};
  // Values may lie anywhere between their bounds; of slots and records, few are the rule.
  const auto first = question.of == "value" ? std::find_if(question.people.begin(), question.people.end(),
                                                           [&](double noisy) { return noisy > seen; })
                                            : question.people.begin();
  std::vector<double> all(first, last.base());
  project(all, people);
  all.insert(all.begin(), static_cast<std::size_t>(first - question.people.begin()), 0.0);
  all.resize(question.people.size());
  return all;
}

void predict(const Job& job, const LookPlanned& planned, report::Look& look) {
  const auto questions = static_cast<double>(look.questions.size());
  look.people = 0;
  for (const report::LookQuestion& each : look.questions)
    look.people += std::accumulate(each.people.begin(), each.people.end(), 0.0) / questions;
  if (job.is<MeansSpec>()) return predict_means(job, planned, look);
  for (std::size_t i = 0; i < look.questions.size(); ++i) {
    const report::LookQuestion& question = look.questions[i];
    if (question.of != "slots") continue;
    const std::vector<double> people = people_in_bins(question, look.plan, look.people);
    const double all = sum_of(question, people, kInfinity);
    const auto steps = static_cast<double>(1 + *std::max_element(planned.longer[i].begin(), planned.longer[i].end()));
    for (report::LookChoice& choice : look.choices) {
      if (choice.length != question.length) continue;
      choice.typical = all / steps / std::max(1.0, static_cast<double>(std::ssize(job.keys)));
      choice.left_out = all > 0 ? 1 - sum_of(question, people, static_cast<double>(choice.cap)) / all : 0;
      choice.error = sees_too_few(look, question) ? kInfinity : error_of(choice.left_out, choice.noise, choice.typical);
    }
  }
  const report::LookChoice* choice = chosen(look);
  if (choice == nullptr) return;
  look.proposal.emplace_back("slots.length", "\"" + choice->length + "\"");
  look.proposal.emplace_back("privacy.max_steps", std::to_string(choice->cap));
  if (const std::optional<std::int64_t> records = cap_on_records(look, *choice))
    look.proposal.emplace_back("privacy.max_per_slot", std::to_string(*records));
}

double most_unseen(const report::Look& look, const report::LookQuestion& question) {
  const double seen = least_seen(question, look.plan);
  const auto last =
      std::find_if(question.people.rbegin(), question.people.rend(), [&](double noisy) { return noisy > seen; });
  const double after = std::accumulate(question.people.rbegin(), last, 0.0);
  const double variance = (look.plan.noise == NoiseKind::laplace ? 2 : 1) * look.plan.scale * look.plan.scale;
  const double above = kAbove * std::sqrt(static_cast<double>(last - question.people.rbegin()) * variance);
  return std::clamp(after + above, 0.0, std::max(0.0, look.people));
}

bool sees_too_few(const report::Look& look, const report::LookQuestion& question) {
  return most_unseen(look, question) > kMostUnseen * look.people;
}

std::optional<double> look_quantile(const report::Look& look, const report::LookQuestion& question, double share) {
  const std::vector<double> people = people_in_bins(question, look.plan, look.people);
  double below = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    below += people[i];
    if (below >= share * look.people * (1 - 1e-9)) return question.last[i];
  }
  return std::nullopt;
}

}  // namespace chronoveil::engine
