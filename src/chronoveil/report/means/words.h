// The guarantee of means in plain words. Every sentence is true of what it describes.
#pragma once

#include <string>

#include "chronoveil/report/means/published.h"
#include "chronoveil/report/page/words.h"

namespace chronoveil::report {

Facts facts_of(const MeansPublished&);

// What is averaged: "speed", or "value" where the job has no better word.
std::string measure_words(const MeansPublished&);

// "Laplace noise with b = 20 times the most that one person moves the sum of a cell"
std::string noise_words(const mechanisms::CellsPlan&);

// That means were smoothed, over what, and what that is good for; one paragraph.
std::string smoothed_words(Smoothed);

// How many cells there are and how many have a mean.
struct CellNumbers {
  std::int64_t published = 0, empty = 0, sparse = 0;
};
CellNumbers cell_numbers(const MeansRelease&);
std::string cell_number_words(const CellNumbers&);  // "72 cells: 60 with a mean, 10 with nobody there, 2 with too few"

}  // namespace chronoveil::report
