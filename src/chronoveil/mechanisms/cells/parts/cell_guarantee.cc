#include "chronoveil/mechanisms/cells/parts/cell_guarantee.h"

namespace chronoveil::mechanisms {
namespace {

std::string counted(std::int64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

bool counts_are_public(const CellsPlan& plan) { return plan.relation == Relation::replace_values; }

void add_caps(const CellShape& shape, std::vector<Assumption>& all) {
  all.push_back({"one person is in at most " + counted(shape.max_cells, "cell", "cells") +
                     " (a place in a slot) of the whole job; which ones stay is chosen at random",
                 Basis::enforced});
  if (shape.max_records)
    all.push_back(
        {"one person has at most " + counted(*shape.max_records, "record", "records") + " in a cell: the first ones",
         Basis::enforced});
}

void add_presence(const CellsPlan& plan, std::vector<Assumption>& all) {
  if (counts_are_public(plan)) {
    all.push_back(
        {"where and when a person was, and with how many records, is public: it is not protected", Basis::declared});
    return;
  }
  if (plan.relation == Relation::replace)
    all.push_back({"everybody who may be there is one of " + std::to_string(*plan.shape.registered) +
                       " registered people, a number that is public",
                   Basis::declared});
}

}  // namespace

Guarantee guarantee_of(const CellsPlan& plan) {
  Guarantee guarantee;
  guarantee.definition = "DP";
  guarantee.unit = Unit::user;
  guarantee.relation = plan.relation;
  guarantee.epsilon = plan.price.epsilon;
  guarantee.delta = plan.delta;
  guarantee.certificate = plan.price.certificate;
  std::vector<Assumption>& all = guarantee.assumptions;
  add_caps(plan.shape, all);
  all.push_back({"one person has one identifier", Basis::declared});
  add_presence(plan, all);
  all.push_back({"a value outside " + shortest(plan.shape.lower) + " to " + shortest(plan.shape.upper) +
                     " is taken as the nearer of the two, bounds that are public",
                 Basis::enforced});
  all.push_back(
      {"the list of places, the span of time and the slots come from the job, never from the data", Basis::enforced});
  all.push_back({std::string(kJobIsPublic), Basis::declared});
  all.push_back({"the noise is exact: whole steps of a grid, drawn from a cryptographic generator", Basis::enforced});
  if (plan.price.analysis == accounting::Analysis::published) {
    guarantee.certificate = Certificate::as_published;
    all.push_back({"the formula of the paper holds: as published, not certified", Basis::declared});
  }
  return guarantee;
}

std::vector<std::string> not_protected(const CellsPlan& plan) {
  std::vector<std::string> all;
  if (counts_are_public(plan)) {
    all.push_back(
        "Where and when a person was is not protected: who was in which place and slot, and with how many records, is "
        "taken as public. The values of these records are protected.");
    all.push_back("Which cells are empty or have too few people to be published can be read off the release.");
  } else {
    all.push_back(
        "Where and when a person was is protected, as the values are: a cell with records and one without get the same "
        "noise.");
    if (plan.relation == Relation::replace)
      all.push_back("That a person is registered at all is not protected: the number of registered people is public.");
  }
  all.push_back(
      "Somebody with several identifiers is protected in each of them alone, and what holds for everybody, such as "
      "slow traffic in a place, can be learnt and is meant to be.");
  return all;
}

}  // namespace chronoveil::mechanisms
