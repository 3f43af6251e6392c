#include "chronoveil/bound/cells/placed_values.h"

#include <cmath>
#include <string>

#include "chronoveil/bound/cell_finder.h"

namespace chronoveil::bound {

ValuePlacer::ValuePlacer(data::RecordSource& source, const SlotAxis& axis, const Places& places, const ValueGrid& grid,
                         BitSource& bits)
    : source_(&source),
      slot_(axis),
      map_(places.grid ? &*places.grid : nullptr),
      grid_(grid),
      name_hash_(SipHash::with_key_from(bits)),
      steps_(axis.steps()) {}

Result<ValuePlacer> ValuePlacer::make(data::RecordSource& source, const SlotAxis& axis, const Places& places,
                                      const ValueGrid& grid, BitSource& bits) {
  if (axis.steps() < 1) return fail(ErrorKind::usage, "slots", "there is no slot between start and end");
  if (places.grid && !places.names.empty()) {
    return fail(ErrorKind::usage, "places", "a list of names and a grid exclude each other");
  }
  ValuePlacer placer(source, axis, places, grid, bits);
  if (places.grid) placer.places_ = places.grid->places();
  if (!places.names.empty()) placer.places_ = static_cast<std::int64_t>(places.names.size());
  if (placer.places_ > kMostCells / placer.steps_) {
    return fail(ErrorKind::usage, "slots, places",
                std::to_string(placer.places_) + " places with " + std::to_string(placer.steps_) +
                    " slots are too many for one job, which holds at most " + std::to_string(kMostCells) +
                    " cells; take longer slots, or several jobs");
  }
  for (const std::string& name : places.names) {
    if (name.empty()) return fail(ErrorKind::usage, "places", "a name in the list is empty");
    const std::uint32_t added = placer.names_.size();
    if (placer.names_.find_or_add(name, placer.name_hash_(name)) != added) {
      return fail(ErrorKind::usage, "places", "\"" + name + "\" is in the list twice; every place must be there once");
    }
  }
  return placer;
}

Failure ValuePlacer::bad_row(std::size_t row, std::string_view what) const {
  return fail(ErrorKind::bad_data, "row " + std::to_string(batch_.row_of(row)) + ": " + std::string(what));
}

Result<void> ValuePlacer::check_columns() const {
  const std::size_t rows = batch_.rows();
  const auto check = [&](std::size_t size, std::string_view parameter, const char* without) -> Result<void> {
    if (size == 0 && rows > 0) return fail(ErrorKind::usage, parameter, without);
    if (size != rows) return fail(ErrorKind::internal, "a batch with columns of unequal length");
    return {};
  };
  CV_CHECK(check(batch_.user.size(), "source.user", "means need the column of users"));
  CV_CHECK(check(batch_.measure.size(), "source.value", "means need the column that holds the value"));
  if (map_ != nullptr) {
    constexpr const char* kNoPoint = "a grid needs both columns";
    CV_CHECK(check(batch_.longitude.size(), "source.longitude, source.latitude", kNoPoint));
    CV_CHECK(check(batch_.latitude.size(), "source.longitude, source.latitude", kNoPoint));
  } else if (names_.size() > 0) {
    CV_CHECK(check(batch_.series.size(), "source.place", "a list of places needs the column of places"));
  }
  return {};
}

std::int64_t ValuePlacer::place_of(std::size_t row) {
  if (map_ != nullptr) {
    static_assert(PlaceGrid::kNowhere == kUnlisted);
    const double longitude = batch_.longitude[row], latitude = batch_.latitude[row];
    if (!std::isfinite(longitude) || !std::isfinite(latitude)) return kMissing;
    return map_->place_of(longitude, latitude);
  }
  if (names_.size() == 0) return 0;
  const std::string_view name = batch_.series[row];
  if (name.empty()) return kMissing;
  // Files are often sorted by place: comparing with the row before then saves the hash.
  if (name != last_name_) {
    const std::uint32_t place = names_.find(name, name_hash_(name));
    last_name_ = name;
    last_place_ = place == StringTable::kNone ? kUnlisted : std::int64_t{place};
  }
  return last_place_;
}

Result<bool> ValuePlacer::next(PlacedValues& out) {
  out.rows.clear();
  CV_TRY(const bool more, source_->next(batch_));
  if (!more) return false;
  CV_CHECK(check_columns());
  const std::size_t rows = batch_.rows();
  left_out_.rows += static_cast<std::int64_t>(rows);
  out.texts.make_room_for(batch_.user);
  last_name_ = {};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t slot = slot_(batch_.time[row]);
    if (slot < 0) {
      ++left_out_.outside_span;
      continue;
    }
    const std::int64_t place = place_of(row);
    if (place == kMissing) return bad_row(row, "the place is empty; every record needs a place");
    if (place == kUnlisted) {
      ++left_out_.unlisted_places;
      continue;
    }
    const std::string_view user = batch_.user[row];
    if (user.empty()) return bad_row(row, "the user is empty; every record needs a user");
    const double value = batch_.measure[row];
    if (!std::isfinite(value)) return bad_row(row, "the value is no finite number");
    out.rows.push_back({out.texts.hold(user), static_cast<std::uint32_t>(place * steps_ + slot),
                        grid_.to_steps(value, left_out_.clamped)});
  }
  return true;
}

}  // namespace chronoveil::bound
