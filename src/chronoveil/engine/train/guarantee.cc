#include "chronoveil/engine/train/guarantee.h"

#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/train/job.h"

namespace chronoveil::engine {
namespace {

std::string counted(std::int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string windows_text(const TrainPlanned& planned) {
  const forecasting::SamplingScheme& scheme = planned.scheme;
  std::string text = scheme.top == forecasting::TopLevel::iterate
                         ? "series take turns in a fixed order, " + std::to_string(scheme.group()) + " per step"
                         : "each step draws " + std::to_string(scheme.group()) + " of " +
                               std::to_string(planned.series.size()) + " series";
  const std::string windows = counted(scheme.windows_per_series, "window", "windows");
  text += scheme.bottom == forecasting::BottomLevel::poisson
              ? ", and each of their windows on its own, " + windows + " per series on average"
              : ", and " + windows + " of each";
  return text + ", by exact random choices; windows are never dropped for their content";
}

std::string noise_text(const TrainPlanned& planned) {
  return "the gradient of a window is clipped to norm " + shortest(planned.clip) + "; the sum gets Gaussian noise of " +
         shortest(planned.noise_multiplier) + " times that in every coordinate, exact on a grid, and is divided by " +
         std::to_string(planned.scheme.batch_size) + ", a constant";
}

// What the noise on windows counts on, and whether clamping sees to it.
void add_changes(const Job& job, const TrainPlanned& planned, std::vector<Assumption>& all) {
  const bool noisy = noises_windows(job.train());
  const bool enforced = planned.bounds && job.train().noise_unit >= largest_change(*planned.bounds, job.train());
  const std::string most =
      "a change moves the values of a step by at most " + shortest(job.train().noise_unit) + " in all";
  if (planned.bounds)
    all.push_back({"values are clamped to [" + shortest(planned.bounds->lower()) + ", " +
                       shortest(planned.bounds->upper()) + "] before any window is cut" +
                       (noisy && enforced ? ", so " + most + ", which the noise on windows covers" : ""),
                   Basis::enforced});
  if (!noisy) return;
  if (!enforced) all.push_back({most + ": the noise on windows covers no more", Basis::declared});
  all.push_back(
      {"a change never makes a value missing or a missing value appear: the noise on windows does not cover that",
       Basis::declared});
}

// What a model that learns in steps does with windows.
void add_steps(const Job& job, const TrainPlanned& planned, std::vector<Assumption>& all) {
  all.push_back({windows_text(planned), Basis::enforced});
  all.push_back(
      {"the gradient of a window depends on that window alone: values are scaled and gaps are filled inside "
       "it" +
           std::string(planned.calendar.cycles.empty() ? "" : ", and covariates come from the calendar"),
       Basis::enforced});
  all.push_back({noise_text(planned), Basis::enforced});
  all.push_back(
      {"at most " + counted(planned.steps, "step is", "steps are") + " taken" +
           (planned.spare_steps > 0 ? ", and " + std::to_string(planned.spare_steps) + " of them again after a crash"
                                    : ", none of them twice"),
       Basis::enforced});
  all.push_back({std::string("no checkpoint is chosen by looking at private data: what is released is ") +
                     (job.train().average > 0 ? "the moving average of all iterates" : "the last iterate"),
                 Basis::enforced});
}

// What a model that looks once takes from the data.
void add_one_look(const SignLagsPlanned& signs, std::vector<Assumption>& all) {
  all.push_back({"the data is looked at once, by " + counted(signs.config.released(), "number", "numbers") +
                     ": sums of products of signs, integers that " +
                     counted(signs.protected_values, "value", "values") + " can move by at most " +
                     shortest(signs.sensitivity) + " in all, in the 2-norm, whatever the values are",
                 Basis::enforced});
  all.push_back({"each of them gets Gaussian noise of standard deviation " + shortest(signs.noise) +
                     ", exact on integers; the model is computed from what comes out",
                 Basis::enforced});
}

}  // namespace

Guarantee train_guarantee(const Job& job, const TrainPlanned& planned) {
  Guarantee guarantee;
  guarantee.unit = job.unit;
  if (job.unit == Unit::w_event) guarantee.width = job.width;
  guarantee.relation = Relation::replace_values;
  guarantee.epsilon = planned.price.epsilon;
  guarantee.delta = planned.delta;
  guarantee.certificate = planned.price.certificate;
  std::vector<Assumption>& all = guarantee.assumptions;
  all.push_back({"which series there are, when each starts and how long it is, is public", Basis::declared});
  if (job.unit == Unit::user)
    all.push_back({"one person is behind at most " + counted(changed_steps(job), "step", "steps") +
                       (planned.signs ? " of all series together"
                                      : ", all of one series; somebody in several series is not covered"),
                   Basis::declared});
  else
    all.push_back({"what is protected lies in one series: " +
                       (job.unit == Unit::event ? std::string("the value of one step")
                                                : "the values of " + std::to_string(job.width) + " steps in a row") +
                       (noises_windows(job.train()) ? "" : ", also whether it is missing") +
                       "; the same event in several series is not covered",
                   Basis::declared});
  add_changes(job, planned, all);
  add_reading(job.source, Reading::whole, all);
  if (planned.signs)
    add_one_look(*planned.signs, all);
  else
    add_steps(job, planned, all);
  all.push_back({planned.signs ? "seasons and everything else in the job were chosen without looking at this data"
                               : "model, clip, learning rate and everything else in the job were chosen without "
                                 "looking at this data; tuning them on it is not covered",
                 Basis::declared});
  if (planned.price.analysis == accounting::Analysis::published)
    all.push_back({"the formula of the paper holds: as published, not certified", Basis::declared});
  return guarantee;
}

std::vector<std::string> not_protected(const TrainPlanned& planned) {
  std::vector<std::string> all;
  switch (planned.guarantee.unit) {
    case Unit::event:
      all.emplace_back(
          "What a series does over more than one step is not protected: the guarantee covers one of them.");
      break;
    case Unit::w_event:
      all.push_back("What a series does over more than " + std::to_string(planned.guarantee.width) +
                    " steps in a row is not protected.");
      break;
    case Unit::user:
      all.push_back(std::string("Somebody who is behind more steps than declared") +
                    (planned.signs ? "" : ", or in several series,") + " is protected less: nobody checked.");
      break;
  }
  const auto* windows = std::get_if<accounting::StructuredSubsampling>(&planned.event.kind);
  if (windows != nullptr && (windows->context_noise > 0 || windows->label_noise > 0))
    all.emplace_back(
        "Whether a value is missing is not protected: the noise on windows hides only the values that are there.");
  all.emplace_back("What many series have in common is not hidden: that is what the model learns.");
  all.emplace_back(
      "The history that a forecast is made from is not protected by the training: a forecast of a private series "
      "reveals something about it, unless its context was made private, too.");
  all.emplace_back(
      "Which series there are, when they were observed and every parameter of the training are public. Choosing a "
      "model, a checkpoint or a clip by its score on private data is not covered.");
  all.emplace_back("Whoever can read the original data, or the machine that holds it, is not stopped by this model.");
  return all;
}

}  // namespace chronoveil::engine
