// From a job's source to a panel: the only place where training touches data.
//   Rows      series, time and one column a channel, in any order; the slot of its time is the step of a row
//   Dropped   rows of unlisted series, and steps outside of a series' public span
//   Missing   steps without a row, and empty fields
//   Refused   (bad_data, with row and column, never a value) a second row for a step, what is not a number, NaN and
//             infinity; what is too large for a number of single precision, unless values are clamped afterwards
//   Clamped   to the bounds of a plan, if it has any; missing values stay missing
#pragma once

#include <string>
#include <vector>

#include "chronoveil/data/source_spec.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/forecasting/panel.h"

namespace chronoveil::engine {

// Opens the source once a channel and sees that its columns are there; no value is looked at.
Result<void> check_train_columns(const data::SourceSpec&, const std::vector<std::string>& channels);

// What becomes of a number beyond single precision: an error, or the nearest number that there is. The nearest is for
// those who clamp to public bounds, within single precision: for them it is as good as the number itself.
enum class TooLarge { refused, nearest };

// The panel on the public axis. The source is read once a channel, so standard input serves a single one.
Result<forecasting::Panel> read_panel(const data::SourceSpec&, const std::vector<std::string>& channels,
                                      const SlotAxis&, const std::vector<PublicSeries>&, TooLarge = TooLarge::refused);
// Every step of every series, all of them missing: what is public of a panel.
Result<forecasting::Panel> blank_panel(std::size_t channels, const std::vector<PublicSeries>&);
// What training sees: clamped.
Result<forecasting::Panel> read_panel(const Job&, const TrainPlanned&);

}  // namespace chronoveil::engine
