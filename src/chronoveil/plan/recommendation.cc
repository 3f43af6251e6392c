#include "chronoveil/plan/recommendation.h"

#include <fmt/format.h>

#include <string_view>

#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::plan {
namespace {

constexpr std::int64_t kWideWindow = 8;
constexpr double kClearlyMore = 2;  // below this factor, the gain of a smoother or the loss of a cut-off decides

bool estimates_counts(const Candidate& candidate) {
  const auto mechanism = mechanisms::find_series_mechanism(candidate.mechanism);
  return mechanism && !(*mechanism)->totals;
}

// The candidate of that name, if it fits.
const Candidate* fitting(const std::vector<Candidate>& all, std::string_view name) {
  for (const Candidate& candidate : all)
    if (candidate.mechanism == name && candidate.plan) return &candidate;
  return nullptr;
}

// "Noise on every step carries 1.09 times the information of subsample (0.288 against 0.265) ..."
std::string information_argument(const std::vector<Candidate>& all, const Candidate& every_step) {
  const Candidate* part = fitting(all, "subsample");
  if (part == nullptr) return "Noise on every step carries all the information that the budget buys";
  return fmt::format("Noise on every step carries {:.3g} times the information of subsample ({:.3g} against {:.3g})",
                     every_step.information / part->information, every_step.information, part->information);
}

Recommendation by_sample(const std::vector<Candidate>& all) {
  const Candidate* best = nullptr;
  const Candidate* next = nullptr;
  for (const Candidate& candidate : all) {
    if (!candidate.expected_error || !estimates_counts(candidate)) continue;
    if (best == nullptr || *candidate.expected_error < *best->expected_error) {
      next = best;
      best = &candidate;
    } else if (next == nullptr || *candidate.expected_error < *next->expected_error) {
      next = &candidate;
    }
  }
  if (best == nullptr) return {};
  std::string reason = fmt::format("On the public sample {} has the least expected error, {:.3g} per step",
                                   best->mechanism, *best->expected_error);
  if (next != nullptr) reason += fmt::format("; {} comes next with {:.3g}", next->mechanism, *next->expected_error);
  reason += ".";
  if (best->mechanism == "shrink")
    reason += " " + information_argument(all, *best) + ", and the smoother that knows the noise uses it.";
  return {best->mechanism, std::move(reason)};
}

Recommendation for_one_slot(const Candidate& event) {
  return {event.mechanism,
          fmt::format("Only what a person did in one slot is to be hidden, and noise that is off by {:.3g} on average "
                      "does that on every step by itself.",
                      event.noise_error)};
}

Recommendation with_delta(const std::vector<Candidate>& all, const Candidate& shrink, const Candidate* laplace) {
  if (laplace != nullptr && laplace->information >= kClearlyMore * shrink.information)
    return {laplace->mechanism,
            fmt::format("A person changes so few values that Laplace noise carries {:.3g} times the information of "
                        "Gaussian noise: it is off by {:.3g} per step on average, Gaussian noise by {:.3g}.",
                        laplace->information / shrink.information, laplace->noise_error, shrink.noise_error)};
  return {shrink.mechanism, information_argument(all, shrink) +
                                fmt::format(", and a smoother that knows the noise can use all of it: the noise is off "
                                            "by {:.3g} per step on average before it is smoothed, less after.",
                                            shrink.noise_error)};
}

// Whether one person moves fewer coefficients than steps: only then do coefficients need less noise.
bool asks_less(const mechanisms::SeriesPlan& dft) {
  return dft.measured / dft.shape.series * dft.shape.touched() < dft.shape.changes();
}

Recommendation without_delta(const Candidate& laplace, const Candidate* dft) {
  if (dft != nullptr && asks_less(*dft->plan) && kClearlyMore * dft->noise_error <= laplace.noise_error)
    return {
        dft->mechanism,
        fmt::format("Without a delta every question costs: asking {} low frequencies instead of {} steps leaves "
                    "noise that is off by {:.3g} per step on average instead of {:.3g}. What quicker changes hold is "
                    "lost; a public sample would tell how much.",
                    dft->plan->measured, laplace.plan->measured, dft->noise_error, laplace.noise_error)};
  return {
      laplace.mechanism,
      fmt::format("Without a delta, Laplace noise on every step is off by {:.3g} on average and loses nothing of the "
                  "series; asking for low frequencies instead would not ask clearly less of a person.",
                  laplace.noise_error)};
}

// Where steps are published as they come.
Recommendation for_live(const mechanisms::Request& request, const std::vector<Candidate>& all) {
  const Candidate* kalman = fitting(all, "kalman");
  const Candidate* laplace = fitting(all, "laplace");
  if (kalman != nullptr && (laplace == nullptr || laplace->information < kClearlyMore * kalman->information))
    return {kalman->mechanism,
            fmt::format("With a delta, any number of questions carries the same information in all, so every step is "
                        "asked and a filter that knows the noise uses all of it: the noise is off by {:.3g} per step "
                        "on average before it is filtered, less after.",
                        kalman->noise_error)};
  if (kalman != nullptr) return with_delta(all, *kalman, laplace);
  const Candidate* w_event = fitting(all, "w_event");
  if (w_event != nullptr && request.shape.width >= kWideWindow)
    return {w_event->mechanism,
            fmt::format("Without a delta, noise on every step of a window of {} would be off by {:.3g} per step on "
                        "average; steps that differ little from the last published one are not published anew, and "
                        "leave their share to those that do.",
                        request.shape.width, laplace != nullptr ? laplace->noise_error : w_event->noise_error)};
  const Candidate* fixed = fitting(all, "fixed_rate");
  if (laplace != nullptr && fixed != nullptr && kClearlyMore * fixed->noise_error <= laplace->noise_error)
    return {fixed->mechanism,
            fmt::format("Without a delta every question costs: asking {} steps instead of {} leaves noise that is off "
                        "by {:.3g} on average instead of {:.3g}, and a filter carries over the steps between. A public "
                        "sample would tell whether another rate, or fast, does better.",
                        fixed->plan->measured, laplace->plan->measured, fixed->noise_error, laplace->noise_error)};
  if (laplace != nullptr)
    return {laplace->mechanism,
            fmt::format("Without a delta, a person is in so few steps that asking fewer would not lower the noise by "
                        "half: Laplace noise on every step is off by {:.3g} on average and loses nothing.",
                        laplace->noise_error)};
  return {};
}

}  // namespace

Recommendation recommend(const mechanisms::Request& request, const std::vector<Candidate>& all, Audience audience,
                         bool by_expected_error) {
  if (by_expected_error) {
    Recommendation found = by_sample(all);
    if (!found.mechanism.empty()) return found;
  }
  const Candidate* event = fitting(all, "event");
  const Candidate* shrink = fitting(all, "shrink");
  const Candidate* laplace = fitting(all, "laplace");
  if (request.shape.unit == Unit::event && event != nullptr) return for_one_slot(*event);
  if (audience == Audience::live) {
    Recommendation found = for_live(request, all);
    if (!found.mechanism.empty()) return found;
  }
  if (shrink != nullptr) return with_delta(all, *shrink, laplace);
  if (laplace != nullptr) return without_delta(*laplace, fitting(all, "dft"));
  for (const Candidate& candidate : all)
    if (candidate.plan && estimates_counts(candidate))
      return {candidate.mechanism, "It is the first that fits; the usual choices do not."};
  return {};
}

}  // namespace chronoveil::plan
