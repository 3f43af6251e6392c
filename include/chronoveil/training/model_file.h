// A trained model in one file: weights, configuration, clock, guarantee and the debit that paid for it. It loads on any
// machine. Two hashed blocks: a JSON object, and the weights, which are what the kind of model says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/data/time/slots.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/model_config.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::training {

struct TrainedModel {
  forecasting::ModelConfig config;
  forecasting::Calendar calendar;  // counted from step 0 of the clock
  forecasting::Fill fill = forecasting::Fill::window_mean;
  std::vector<std::string> channels;   // the columns of values, in order
  std::optional<double> lower, upper;  // bounds of values in training; a forecast does not clamp
  data::SlotSpec clock;                // step 0 is the slot that begins at clock.start; `end` is where training ended
  std::string weights;                 // their bytes: what they mean, the kind of model knows

  std::string dataset;
  std::string mark;  // "seeded: not private" and the like; empty for a private model
  Guarantee guarantee;
  accounting::Event event;
  accounting::Price price;
  std::optional<ledger::DebitReference> debit;
  std::int64_t steps = 0;  // done
  std::vector<std::string> not_protected;
};

std::string to_bytes(const TrainedModel&);
// `path` is named in errors, which are of kind bad_data.
Result<TrainedModel> read_model(std::string_view bytes, const std::string& path);
Result<TrainedModel> load_model(const std::string& path);

// What documents say of it. `parameters`: how many it has.
report::ModelFacts facts_of(const TrainedModel&, std::int64_t parameters);

}  // namespace chronoveil::training
