// The series of the experiment: three of real data, read in place, and the made-up ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::koga2022 {

struct Dataset {
  std::string name;
  std::vector<std::int64_t> counts;  // what is released
  std::vector<double> truth;         // what the release is compared with
  std::int64_t max_steps = 0;        // I
  double rate = 0.1;                 // p
  double filter_width = 10;          // σ_g
  std::int64_t season = 0;           // steps of a public season; 0: none is tried
  bool trend = false;                // the truth is a trend below the counts
  bool clip = false;                 // released values below zero count as zero
};

// One lane of a motorway: the first 1800 five-minute counts (weekdays only, so one day follows another).
Result<Dataset> read_pems_lane(const std::string& folder);
// Check-ins at LaGuardia airport in 12-hour slots, from the day of the first to the day of the last.
Result<Dataset> read_gowalla(const std::string& folder);
// Check-ins at the busiest place of Foursquare in New York in 6-hour slots; the file counts minutes from its own start.
Result<Dataset> read_foursquare(const std::string& folder);

// x_t = 200 sin(ωt) + 500 + 0.1t seen every 1/f steps, over 10000 steps; a period has 1000 steps. With observation
// noise, what is released has deviation 100 around it, drawn once. I = 100, p = 0.1 (1 + log2(1/f)/4),
// σ_g = 10/(1 + log2(1/f)/4).
Dataset make_synth(int one_over_f, bool observation_noise);

// A small stand-in for the real data, for the tests: a day of 48 steps that repeats, T = 240.
Dataset make_toy();

}  // namespace chronoveil::koga2022
