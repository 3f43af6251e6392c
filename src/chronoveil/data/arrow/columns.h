// The columns of an Arrow schema, as far as a source of records understands them.
//   whole numbers   int8 to int64, uint8 to uint64
//   reals           float32, float64
//   texts           utf8, large_utf8, utf8_view
//   times           timestamp in s, ms, us, ns: an instant with a zone, a local time without one; date32, date64: the
//                   local midnight. Parts of a millisecond are cut, towards the past
//   null            a column that has no cell
//   dictionaries    of any of these, by an index of whole numbers
// Whatever else there is (bool, decimal, list, struct, ...) may stand beside them, as long as no job uses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/arrow_abi.h"
#include "chronoveil/base/result.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {

enum class ArrowType {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,  // in the order of their formats
  float32,
  float64,
  utf8,
  large_utf8,
  utf8_view,
  instant,
  local_time,
  local_day,
  local_day_ms,
  null,
  other,
};

inline bool is_whole(ArrowType type) { return type <= ArrowType::uint64; }

struct ArrowColumn {
  std::string name;
  std::string called;                   // "int32", "dictionary of utf8", "list", for errors
  ArrowType type = ArrowType::other;    // of the cells, or of the entries of its dictionary
  std::optional<ArrowType> index = {};  // of a dictionary: its whole numbers
  std::int64_t per_millisecond = 1;     // instants and local times: units in one
  std::int64_t milliseconds = 1;        // or milliseconds in a unit
};

// Errors are usage: it is of no record batch, or broken.
Result<std::vector<ArrowColumn>> columns_of(const ArrowSchema&);

std::vector<std::string> names_of(const std::vector<ArrowColumn>&);

// Where the wanted columns are. A missing, doubled or unfit one is bad_data that names the key, the column and what it
// is.
Result<std::vector<std::size_t>> places_of(const RowDecoder&, const std::vector<ArrowColumn>&);

// That any job can use it, for what moves cells without understanding them; the error is bad_data.
Result<void> check_usable(const ArrowColumn&);

}  // namespace chronoveil::data
