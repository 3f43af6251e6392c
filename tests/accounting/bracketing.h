// The one check that every price and every broken twin is put through: do the two bounds enclose the truth?
#pragma once

#include <gtest/gtest.h>

#include "accounting/oracle.h"
#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "support/thoroughness.h"

namespace chronoveil::accounting {

using oracle::Profile;
using oracle::Real;

// ε certified at δ: truth(upper) <= δ <= truth(lower).
testing::AssertionResult encloses_epsilon(double lower, double upper, double delta, const Profile& truth);
testing::AssertionResult encloses_delta(double lower, double upper, double epsilon, const Profile& truth);

bool gap_is_allowed(const Price& price);

// Single uses: the bounds enclose the truth and each is within 1e-9 of it.
testing::AssertionResult is_exact_epsilon(const Event& event, double delta, const Profile& truth);
testing::AssertionResult is_exact_delta(const Event& event, double epsilon, const Profile& truth);

// Compositions: the bounds enclose the truth and are within the stated tolerance of each other.
testing::AssertionResult is_certified_epsilon(const Event& event, double delta, const Profile& truth);
testing::AssertionResult is_certified_delta(const Event& event, double epsilon, const Profile& truth);

}  // namespace chronoveil::accounting
