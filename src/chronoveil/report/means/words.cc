#include "chronoveil/report/means/words.h"

#include <fmt/format.h>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

std::string cap_fact(const mechanisms::CellShape& shape, const SlotWords& slot) {
  std::string cells = shape.cells() == 1 ? "in this one cell" : "in every cell";
  if (shape.max_cells < shape.cells())
    cells = fmt::format("in at most {} {} (one place in one {} each)", grouped(shape.max_cells),
                        shape.max_cells == 1 ? "cell" : "cells", slot.one);
  if (shape.max_records)
    cells += fmt::format(", with at most {} {} in each", grouped(*shape.max_records),
                         *shape.max_records == 1 ? "record" : "records");
  return fmt::format("One person counts {}. Anything beyond was left out.", cells);
}

std::string public_fact(const mechanisms::CellShape& shape, Relation relation) {
  return fmt::format(
      "The places, the period, the bounds of a value ({} to {}), the caps{} and the method, all fixed "
      "beforehand{}.",
      rounded(shape.lower, 6), rounded(shape.upper, 6), shape.registered ? ", how many people are registered" : "",
      relation == Relation::replace_values ? "; and who was where and when, and how often" : "");
}

}  // namespace

Facts facts_of(const MeansPublished& published) {
  const Relation relation = published.release.guarantee.relation;
  const SlotWords slot = slot_words(published.release.axis);
  Facts facts{.unit = "",
              .relation = "",
              .cap = cap_fact(published.plan.shape, slot),
              .public_facts = public_fact(published.plan.shape, relation),
              .not_protected = ""};
  if (!published.release.mark.empty()) {
    facts.unit = "Nobody. The random choices behind these figures are known.";
    facts.relation = "None: the noise can be removed.";
    facts.not_protected = "Everything.";
    return facts;
  }
  const bool values_only = relation == Relation::replace_values;
  facts.unit = values_only ? "Every person: all their values, in all cells together."
                           : "Every person, with all their records in all cells together.";
  facts.relation = fmt::format("The means would come out much the same if {}; ε says how close.",
                               values_only                     ? "all values of any one person had been different"
                               : relation == Relation::replace ? "any one person’s records had been different"
                                                               : "any one person’s records were not there");
  facts.not_protected =
      values_only ? "Where and when a person was, and how often: that is taken to be known. Only the values are hidden."
                  : "What holds for many people at once, such as how a place is usually, and what is known from "
                    "elsewhere.";
  facts.limits_stand_out = values_only;
  return facts;
}

std::string measure_words(const MeansPublished& published) {
  return published.measure.empty() ? "value" : published.measure;
}

std::string noise_words(const mechanisms::CellsPlan& plan) {
  return fmt::format("{} times the most that one person moves the sum of a cell",
                     plan.noise == NoiseKind::laplace
                         ? "Laplace noise with b = " + rounded(plan.noise_multiplier)
                         : "Gaussian noise with a standard deviation of " + rounded(plan.noise_multiplier));
}

std::string smoothed_words(Smoothed smoothed) {
  return fmt::format(
      "The means are smoothed: each borrows from {}, as far as the noise gives reason to. Intervals then hold on "
      "average "
      "over the cells. Single means may lean towards those around them; the unbiased means as measured are in the "
      "files, "
      "for sums of your own.",
      smoothed == Smoothed::over_places ? "places near by and from slots near by"
                                        : "other slots of its place, and from all places alike");
}

CellNumbers cell_numbers(const MeansRelease& release) {
  CellNumbers numbers;
  for (const CellEstimate& cell : release.cells)
    ++(cell.state == CellEstimate::State::published ? numbers.published
       : cell.state == CellEstimate::State::empty   ? numbers.empty
                                                    : numbers.sparse);
  return numbers;
}

std::string cell_number_words(const CellNumbers& numbers) {
  const std::int64_t all = numbers.published + numbers.empty + numbers.sparse;
  std::string words =
      fmt::format("{} {}: {} with a mean", grouped(all), all == 1 ? "cell" : "cells", grouped(numbers.published));
  if (numbers.empty > 0) words += fmt::format(", {} with nobody there", grouped(numbers.empty));
  if (numbers.sparse > 0) words += fmt::format(", {} with too few to publish", grouped(numbers.sparse));
  return words;
}

}  // namespace chronoveil::report
