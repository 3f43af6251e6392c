// The guarantee in plain words. Every sentence is true of what it describes: numbers that promise something are rounded
// against ourselves.
#pragma once

#include <string>

#include "chronoveil/report/published.h"

namespace chronoveil::report {

// What a reader must know, a sentence or two each.
struct Facts {
  std::string unit;               // who or what is protected
  std::string relation;           // compared with what
  std::string cap;                // how much anybody can count for, and who vouches for it
  std::string public_facts;       // what was known beforehand
  std::string not_protected;      // the limits
  bool limits_stand_out = false;  // they are more than a reader would expect
};
Facts facts_of(const Published&);

// What ε and δ mean: P(S) <= e^ε P'(S) + δ for every set S of outputs, in a sentence. The factor is rounded up, the
// chance too.
std::string strength_of(const Guarantee&);

// "Certified upper bound: ..."
struct CertificateWords {
  std::string name, meaning;
};
CertificateWords words_of(Certificate);

// "Gaussian noise with a standard deviation of 12.3"
std::string noise_words(const mechanisms::SeriesPlan&);

}  // namespace chronoveil::report
