#include "chronoveil/bound/placed_rows.h"

namespace chronoveil::bound {

namespace {

Failure bad_row(std::int64_t row, std::string_view what) {
  return fail(ErrorKind::bad_data, "row " + std::to_string(row) + ": " + std::string(what));
}

}  // namespace

Result<bool> RowPlacer::next(PlacedRows& out) {
  out.rows.clear();
  CV_TRY(const bool more, source_.next(batch_));
  if (!more) return false;
  const std::size_t rows = batch_.rows();
  if (rows > 0 && batch_.user.empty()) {
    return fail(ErrorKind::usage, "source.user", "caps can be enforced only with the column of users");
  }
  if (batch_.user.size() != rows || (!batch_.value.empty() && batch_.value.size() != rows)) {
    return fail(ErrorKind::internal, "a batch with columns of unequal length");
  }
  CV_CHECK(finder_.find(batch_, cells_, left_out_));
  out.texts.make_room_for(batch_.user);
  for (std::size_t row = 0; row < rows; ++row) {
    if (cells_[row] == CellFinder::kNowhere) continue;
    const std::string_view user = batch_.user[row];
    const std::int64_t amount = batch_.value.empty() ? 1 : batch_.value[row];
    const std::int64_t number = batch_.row_of(row);
    if (amount < 0) return bad_row(number, "the value is negative");
    if (user.empty()) return bad_row(number, "the user is empty; every record needs a user");
    if (amount == 0) continue;
    out.rows.push_back({out.texts.hold(user), cells_[row], person_hash_(user), amount});
  }
  return true;
}

}  // namespace chronoveil::bound
