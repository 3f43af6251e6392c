// From a job's source to a panel: the only place where training touches data.
//   Rows      series, time and one column per channel, in any order; the slot of a row's time is its step
//   Dropped   rows of unlisted series, and steps outside of a series' public span
//   Missing   steps without a row, and empty fields
//   Refused   (bad_data, with row and column, never a value) a second row for a step, what is not a number, NaN and
//             infinity; what is too large for a number of single precision, unless values are clamped afterwards
//   Clamped   to the bounds of a plan, if it has any; missing values stay missing
#pragma once

#include <string>
#include <vector>

#include "chronoveil/data/source_spec.h"
#include "chronoveil/engine/release/data_seen.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::engine {

// Opens the source once per channel and checks that its columns are there, without looking at a value. Of a stream,
// which comes only once, this is seen when it is read.
Result<void> check_train_columns(const data::SourceSpec&, const std::vector<std::string>& channels);

// What becomes of a number beyond single precision: an error, or the nearest float. The nearest is for values that are
// clamped to public bounds within single precision, where it is as good as the number itself.
enum class TooLarge { refused, nearest };

// The panel on the public axis. The source is read once per channel, so standard input serves a single channel.
Result<forecasting::Panel> read_panel(const data::SourceSpec&, const std::vector<std::string>& channels,
                                      const SlotAxis&, const std::vector<PublicSeries>&, TooLarge = TooLarge::refused);
// The public part of a panel: every step of every series, with all values missing.
Result<forecasting::Panel> blank_panel(std::size_t channels, const std::vector<PublicSeries>&);
// What training sees: clamped.
Result<forecasting::Panel> read_panel(const Job&, const TrainPlanned&);
// Whether any value is known.
bool knows_anything(const forecasting::Panel&);
// The same for a check: read, and forgotten but for what the owner is told of the rows.
Result<DataSeen> see_panel(const Job&, const TrainPlanned&);

}  // namespace chronoveil::engine
