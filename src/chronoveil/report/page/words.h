// The guarantee in plain words. Every sentence is true of what it describes: numbers that promise something are rounded
// against ourselves.
#pragma once

#include <string>

#include "chronoveil/report/series/published.h"

namespace chronoveil::report {

// What a reader must know, in one or two sentences each.
struct Facts {
  std::string unit;               // who or what is protected
  std::string relation;           // compared with what
  std::string cap;                // how much one person can count for, and who vouches for it
  std::string public_facts;       // what was known beforehand
  std::string not_protected;      // the limits
  bool limits_stand_out = false;  // the limits are more than a reader would expect
  std::string unit_label = "Who is protected";
  std::string cap_label = "Cap for a person";
};
Facts facts_of(const Published&);

// What ε and δ mean: P(S) <= e^ε P'(S) + δ for every set S of outputs, in a sentence. The factor and the chance are
// rounded up. If is_nominal(), the sentence is about single outputs and says that sets of outputs can tell more.
std::string strength_of(const Guarantee&);

// Whether ε and δ are a paper's for temporal privacy, which bound single outputs but not sets: no differential privacy.
bool is_nominal(const Guarantee&);

// What neighbours of relation swap exchange: "two values at most 9 rows apart", "two values next to each other".
std::string swapped_words(std::int64_t window);

// "Certified upper bound: ..."; with β where the bound holds with confidence.
struct CertificateWords {
  std::string name, meaning;
};
CertificateWords words_of(Certificate, double beta = 0);

// "Gaussian noise with a standard deviation of 12.3"
std::string noise_words(const mechanisms::SeriesPlan&);

}  // namespace chronoveil::report
