#include "chronoveil/report/page/words.h"

#include <fmt/format.h>

#include <cmath>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

std::string times_words(std::int64_t times) {
  return times == 1 ? "once" : times == 2 ? "twice" : grouped(times) + " times";
}

// "one hour", "any 24 hours in a row"
std::string stretch_words(const mechanisms::PublicShape& shape, const SlotWords& slot) {
  if (shape.unit == Unit::w_event && shape.width > 1)
    return fmt::format("any {} {} in a row", grouped(shape.width), slot.many);
  return "any one " + slot.one;
}

std::string unit_fact(const Published& published, const SlotWords& slot) {
  const mechanisms::PublicShape& shape = published.plan.shape;
  if (published.release.guarantee.unit == Unit::user)
    return fmt::format("Every person, with all their records in {}.",
                       shape.series > 1 ? "these " + grouped(shape.series) + " series together" : "this series");
  return fmt::format("What a person did in {}; not all of it together.", stretch_words(shape, slot));
}

std::string relation_fact(const Guarantee& guarantee) {
  const std::string records = guarantee.unit == Unit::user ? "any one person’s records" : "those records";
  return fmt::format("The figures would come out much the same if {} {}; ε says how close.", records,
                     guarantee.relation == Relation::replace ? "had been different" : "were not there");
}

std::string cap_fact(const Published& published, const SlotWords& slot) {
  const mechanisms::PublicShape& shape = published.plan.shape;
  const std::string each = shape.max_per_slot == 1 ? "once" : "at most " + times_words(shape.max_per_slot);
  std::string limit;
  if (published.release.guarantee.unit != Unit::user) {
    limit = fmt::format("at most {} in one {}{}", times_words(shape.max_per_slot), slot.one,
                        shape.series > 1 ? ", all series together" : "");
  } else if (shape.max_steps >= shape.series * shape.steps) {
    limit = fmt::format("in every {}{}, {} in each", slot.one, shape.series > 1 ? " of every series" : "", each);
  } else {
    limit = fmt::format("in at most {} {}{}, {} in each", grouped(shape.max_steps),
                        shape.max_steps == 1 ? slot.one : slot.many, shape.series > 1 ? " of all series together" : "",
                        each);
  }
  if (published.caps == Basis::enforced)
    return fmt::format("One person counts {}. Anything beyond was left out.", limit);
  return fmt::format("One person counts {}. The publisher states this; it was not checked.", limit);
}

std::string public_fact(const mechanisms::PublicShape& shape) {
  // A maximum that no count comes near is not worth telling.
  const bool notable = shape.maximum < mechanisms::PublicShape{}.maximum;
  return fmt::format("{} the period, the cap{} and the method. They were fixed beforehand, not taken from the data.",
                     shape.series > 1 ? "The list of series," : "Which series,",
                     notable ? ", the largest count (" + grouped(shape.maximum) + ")" : "");
}

std::string limits_fact(const Published& published, const SlotWords& slot) {
  std::string limits =
      published.release.guarantee.unit == Unit::user
          ? "What holds for many people at once, such as how busy a place is, and what is known from elsewhere."
          : fmt::format("Habits that show over more than {}, and what is known from elsewhere.",
                        published.plan.shape.unit == Unit::w_event && published.plan.shape.width > 1
                            ? grouped(published.plan.shape.width) + " " + slot.many
                            : "one " + slot.one);
  if (published.caps == Basis::declared) limits += " People above the cap are protected less.";
  return limits;
}

// "1 in 20" is plainer than "5 %"; "1 in 2" may be far from the truth.
constexpr double kChanceInPercent = 0.05;

// "Exchanging one person’s values makes"
std::string cause_of(const Guarantee& guarantee) {
  const bool user = guarantee.unit == Unit::user;
  switch (guarantee.relation) {
    case Relation::add_remove: return user ? "One person’s records make" : "Those records make";
    case Relation::replace: return user ? "Exchanging one person’s records makes" : "Exchanging those records makes";
    case Relation::replace_values:
      return user ? "Exchanging one person’s values makes" : "Exchanging those values makes";
    case Relation::swap: return "Exchanging " + swapped_words(guarantee.window) + " makes";
  }
  return {};
}

}  // namespace

Facts facts_of(const Published& published) {
  const SlotWords slot = slot_words(published.release.axis);
  if (!published.release.mark.empty())
    return {.unit = "Nobody. The random choices behind these figures are known.",
            .relation = "None: the noise can be removed.",
            .cap = cap_fact(published, slot),
            .public_facts = public_fact(published.plan.shape),
            .not_protected = "Everything."};
  return {.unit = unit_fact(published, slot),
          .relation = relation_fact(published.release.guarantee),
          .cap = cap_fact(published, slot),
          .public_facts = public_fact(published.plan.shape),
          .not_protected = limits_fact(published, slot)};
}

std::string strength_of(const Guarantee& guarantee) {
  if (!std::isfinite(guarantee.epsilon)) return "No finite ε holds: nothing is promised.";
  const bool nominal = is_nominal(guarantee);
  std::string sentence = fmt::format("{} no {} more than {} times as likely or unlikely", cause_of(guarantee),
                                     nominal ? "single output" : "result", rounded_up(std::exp(guarantee.epsilon), 3));
  if (guarantee.delta > kChanceInPercent) {
    sentence += fmt::format(", apart from a chance of {} %", rounded_up(guarantee.delta * 100, 3));
  } else if (guarantee.delta > 0) {
    const double one_in = std::floor(1 / guarantee.delta * (1 + 1e-12));
    sentence += one_in < 1e15
                    ? fmt::format(", apart from a chance of 1 in {}", grouped(static_cast<std::int64_t>(one_in)))
                    : fmt::format(", apart from a chance of {}", rounded_up(guarantee.delta, 2));
  }
  return sentence + (nominal ? ". Sets of outputs can tell more." : ".");
}

bool is_nominal(const Guarantee& guarantee) {
  return guarantee.relation == Relation::swap && guarantee.certificate == Certificate::as_published;
}

std::string swapped_words(std::int64_t window) {
  return window <= 2 ? "two values next to each other"
                     : fmt::format("two values at most {} rows apart", grouped(window - 1));
}

CertificateWords words_of(Certificate certificate, double beta) {
  switch (certificate) {
    case Certificate::exact: return {"Exact", "ε is computed exactly for this method."};
    case Certificate::upper_bound:
      return {"Certified upper bound", "The true ε is not larger; every rounding errs on the safe side."};
    case Certificate::upper_bound_with_confidence:
      return {"Upper bound with confidence 1−β",
              fmt::format("The true ε is not larger, except with the small probability β{}.",
                          beta > 0 ? " = " + rounded_up(beta, 2) : "")};
    case Certificate::as_published:
      return {"As published, not certified", "ε follows a published formula that we could not certify."};
  }
  return {};
}

std::string noise_words(const mechanisms::SeriesPlan& plan) {
  return plan.noise == NoiseKind::laplace
             ? fmt::format("Laplace noise with scale b = {}", rounded(plan.scale))
             : fmt::format("Gaussian noise with a standard deviation of {}", rounded(plan.scale));
}

}  // namespace chronoveil::report
