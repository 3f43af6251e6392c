// sign_lags, a forecaster that looks at the data once: which seasons it compares, how far back it reads and how far it
// forecasts. All of it is chosen from public facts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

struct SignLagsConfig {
  std::int64_t forecast = 24;         // F
  std::int64_t context = 336;         // P: the past differences that a forecast weighs
  std::int64_t day = 24;              // d: the slots of a rhythm, each with its own spread; 1: no rhythm
  std::vector<std::int64_t> seasons;  // m_1 < m_2 < ...: values are compared with those m steps before

  std::int64_t lags() const { return context + forecast; }                      // K
  std::int64_t history() const { return context + seasons.back(); }             // the past values that a forecast reads
  std::int64_t released() const { return std::ssize(seasons) * (lags() + 1); }  // J (K + 1) integers
  bool operator==(const SignLagsConfig&) const = default;
};

// Refused (usage, naming train.seasons, train.context or train.forecast): no season, more than kMostSeasons, seasons
// that do not ascend from 1; F < 1, P < 1, P not a multiple of d; F > m_1 unless the only season is 1; with d > 1 a
// season that is not a multiple of d; beyond kLongestLags, kMostWeights or kMostWork.
inline constexpr std::int64_t kMostSeasons = 8;
inline constexpr std::int64_t kLongestLags = 1 << 16;                // K, and the longest season
inline constexpr std::int64_t kMostWeights = std::int64_t{1} << 24;  // F P of a season: 128 MiB
inline constexpr std::int64_t kMostWork = std::int64_t{1} << 36;     // F P² of a season: about a minute
Result<void> check_sign_lags(const SignLagsConfig&);

// Public facts of a panel, and what the caller wishes; what is absent is chosen.
struct SignLagsWishes {
  std::int64_t forecast = 24;
  double slot_seconds = 0;              // 0: not known, no rhythm
  bool weekly = true;                   // whether days differ by weekday; solar power does not know weekdays
  std::vector<std::int64_t> seasons;    // empty: chosen
  std::optional<std::int64_t> context;  // P
  std::int64_t shortest = 0;            // of the lengths of all series
};
// The largest of these that the shortest series can learn from and forecast with, d the usual season of the slots:
//   d, 7d, 14d and P = 14d   from 60d steps on, with a weekly rhythm (slots below a day)
//   d, 7d and P = 8d         from 15d steps on, with a weekly rhythm
//   d, 2d and P = 4d         from 6d steps on
//   d and P = d              from 2d steps on
//   1 and P = 60, or less    otherwise, and without a rhythm; at least one difference and one lag are needed
// P is at most 4096 steps, in whole days, or a day if that is longer: minutes would take hours.
// Only seasons of at least F steps are compared, except that the season 1 forecasts any number of steps. Refused like
// check_sign_lags(), and a shortest series of fewer than 3 steps (bad data).
Result<SignLagsConfig> choose_sign_lags(const SignLagsWishes&);

}  // namespace chronoveil::forecasting
