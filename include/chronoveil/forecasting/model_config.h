// Which model, and how large: public, and all that is needed to rebuild it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

struct ModelConfig {
  std::string model = "simple_feed_forward";  // a network, or sign_lags
  std::int64_t context_length = 24;           // steps that the network reads; DeepAR's lags reach further back
  std::int64_t forecast_length = 24;          // L_F
  std::int64_t channels = 1;                  // D
  std::int64_t covariates = 0;                // F, from the calendar
  std::int64_t hidden = 0;                    // width; 0: the model's own (64, 40, 32, 20)
  std::int64_t layers = 0;                    // 0: the model's own (2, 2, 2, -)
  std::int64_t heads = 4;                     // itransformer
  std::int64_t inner = 128;                   // itransformer's feed-forward width
  std::int64_t kernel = 25;                   // dlinear's moving average
  std::int64_t head_features = 0;             // simple_feed_forward: features per step before the head; 0: none
  std::int64_t season = 0;                    // laws are centred at the value this many steps before; 0: at 0
  double spread = 0.1;             // with a season: the initial scale of laws, in units of the window's scale
  std::vector<std::int64_t> lags;  // deepar: steps back, ascending; empty: only 1
};

struct ModelInfo {
  std::string_view name;
  std::string_view summary;
};
std::span<const ModelInfo> models();  // those that are networks
// Whether it is one of them, which libtorch trains step by step.
bool is_network(std::string_view model);

// Defaults filled in, everything in range, or an error that names the key as a job spells it ("model.hidden"). A key of
// another model (lags, layers of dlinear, head_features) is an error; completing twice changes nothing.
Result<ModelConfig> completed(ModelConfig);

// L_C: everything a window reads before its forecast: context_length, for deepar plus the longest lag (1 if there are
// none).
std::int64_t history_length(const ModelConfig&);

// The lags of [Schuchardt25] for hours (up to 169), those of GluonTS up to 31 for days and up to 53 for weeks; {1}
// otherwise. Longer lags would cost more than they are worth: with every step back, a step lies in one more window.
std::vector<std::int64_t> usual_lags(double slot_seconds);

}  // namespace chronoveil::forecasting
