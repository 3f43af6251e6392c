// Short ways to say what most tests say.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::ledger::testing {

inline accounting::Event pure(double epsilon, std::int64_t count = 1) { return {accounting::Pure{epsilon}, count}; }
inline accounting::Event gaussian(double noise_multiplier, std::int64_t count = 1) {
  return {accounting::Gaussian{noise_multiplier}, count};
}
inline accounting::Event approximate(double epsilon, double delta) { return {accounting::Approximate{epsilon, delta}}; }

inline DatasetRequest dataset(const std::string& name, double epsilon, double delta = 0) {
  DatasetRequest request;
  request.name = name;
  request.epsilon = epsilon;
  request.delta = delta;
  return request;
}

inline Terms terms(const std::string& dataset) {
  Terms result;
  result.dataset = dataset;
  result.purpose = "a test";
  result.mechanism = "none";
  return result;
}

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return *std::move(result);
}

inline void ok(const Result<void>& result) { ASSERT_TRUE(result) << result.error().text(); }

// A failure of this kind; returns what it says.
template <class T>
std::string refusal(const Result<T>& result, ErrorKind kind) {
  if (result) {
    ADD_FAILURE() << "was accepted";
    return "";
  }
  EXPECT_EQ(static_cast<int>(result.error().kind), static_cast<int>(kind)) << result.error().text();
  return result.error().text();
}

// Writes rows of one dataset behind the ledger's back, with a seal that fits them as rows, whatever they say.
inline void put_rows(const std::string& where, const std::vector<Entry>& rows) {
  const auto store = value_of(open_store(where, seal_of));
  const Result<Seal> honest = seal_of(rows);
  const Seal seal = honest ? *honest : Seal{static_cast<std::int64_t>(rows.size()), rows.back().hash, "{}", ""};
  ok(store->append(rows.front().dataset, [&](const Store::Reader&) -> Result<Addition> {
    return Addition{rows, seal};
  }));
}

}  // namespace chronoveil::ledger::testing
