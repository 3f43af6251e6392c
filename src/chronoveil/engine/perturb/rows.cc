#include "chronoveil/engine/perturb/rows.h"

#include <algorithm>

namespace chronoveil::engine {
namespace {

Result<std::size_t> place_of(std::string_view key, const std::string& column, const std::vector<std::string>& header) {
  const auto found = std::find(header.begin(), header.end(), column);
  // Not listed: where the header is missing, these are values.
  if (found == header.end())
    return fail(
        ErrorKind::bad_data, std::string(key),
        "the source has no column '" + column + "' among the " + std::to_string(header.size()) + " of its first line");
  if (std::find(found + 1, header.end(), column) != header.end())
    return fail(ErrorKind::bad_data, std::string(key), "the source has two columns '" + column + "'");
  return static_cast<std::size_t>(found - header.begin());
}

Result<std::vector<std::size_t>> places_of(std::string_view key, const std::vector<std::string>& columns,
                                           const std::vector<std::string>& header) {
  std::vector<std::size_t> places;
  for (const std::string& column : columns) {
    CV_TRY(const std::size_t place, place_of(key, column, header));
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  return places;
}

// A name that no column has.
std::string name_of_mark(const std::vector<std::string>& names) {
  std::string name = "mark";
  while (std::find(names.begin(), names.end(), name) != names.end()) name = "chronoveil_" + name;
  return name;
}

}  // namespace

Result<PerturbColumns> columns_of(const Job& job, const std::vector<std::string>& header) {
  const PerturbSpec& perturb = job.perturb();
  PerturbColumns columns;
  if (perturb.has_times) {
    Result<std::size_t> time = place_of("source.time", job.source.time, header);
    // Times that move with their values would tell where everything was.
    if (!time) {
      time.error().message += "; name the column of times, or say that there is none (`perturb.times`)";
      return tl::unexpected(std::move(time.error()));
    }
    columns.time = *time;
  }
  CV_TRY(columns.kept, places_of("perturb.keep", perturb.keep, header));
  CV_TRY(columns.perturbed, places_of("perturb.columns", perturb.columns, header));
  if (perturb.columns.empty()) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (i != columns.time && std::find(columns.kept.begin(), columns.kept.end(), i) == columns.kept.end())
        columns.perturbed.push_back(i);
    }
  }
  if (columns.perturbed.empty())
    return fail(ErrorKind::bad_data, "perturb.columns", "the source has no column besides the times and what is kept");
  if (columns.time) columns.names.push_back(header[*columns.time]);
  for (const std::size_t i : columns.kept) columns.names.push_back(header[i]);
  for (const std::size_t i : columns.perturbed) columns.names.push_back(header[i]);
  return columns;
}

RowMover::RowMover(const PerturbColumns& columns, mechanisms::Perturbation perturbation, std::size_t lanes,
                   const std::string& mark)
    : columns_(columns), perturbation_(std::move(perturbation)), delimiter_(columns.delimiter), lanes_(lanes) {
  if (lanes == 1) {
    lanes_[0].columns = columns.perturbed;
  } else {
    for (std::size_t i = 0; i < lanes; ++i) lanes_[i].columns = {columns.perturbed[i]};
  }
  for (const std::string& name : columns.names) {
    if (!header_.empty()) header_ += delimiter_;
    append_field(name, header_);
  }
  end_ = "\n";
  if (!mark.empty()) {
    header_.append(1, delimiter_).append(name_of_mark(columns.names));
    std::string last(1, delimiter_);
    append_field(mark, last);
    end_ = last + "\n";
  }
  header_ += "\n";
}

// RFC 4180, with the delimiter of the input. Blanks at an end are quoted too, since some readers drop them.
void RowMover::append_field(std::string_view text, std::string& out) const {
  const char special[] = {delimiter_, '"', '\r', '\n'};
  const bool plain = text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos &&
                     !text.starts_with(' ') && !text.ends_with(' ');
  // An empty line would be no row.
  const bool alone = text.empty() && columns_.names.size() == 1;
  if (plain && !alone) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

Result<void> RowMover::push_lane(std::size_t lane, std::span<const std::string_view> fields) {
  Lane& to = lanes_[lane];
  mechanisms::TimedValue value;
  value.step = rows_;
  if (to.columns.size() == 1) {
    value.text = fields[to.columns[0]];
  } else {
    for (std::size_t i = 0; i < to.columns.size(); ++i) {
      if (i > 0) value.text += delimiter_;
      append_field(fields[to.columns[i]], value.text);
    }
  }
  arrived_.clear();
  Result<void> done = perturbation_.push(lane, std::move(value), arrived_);
  if (!done) {
    // What blames a parameter is about the series, not about this value.
    if (!done.error().parameter.empty()) return done;
    return at("row " + std::to_string(rows_ + 1) + ", column '" +
                  columns_.names[columns_.names.size() - columns_.perturbed.size() + lane] + "'",
              std::move(done));
  }
  take_over(to);
  return {};
}

void RowMover::keep_record() {
  const std::size_t first = columns_.names.size() - columns_.perturbed.size();
  for (std::size_t i = 0; i < columns_.perturbed.size(); ++i) record_.push_back({columns_.names[first + i], {}, {}});
}

void RowMover::record_before(std::span<const std::string_view> fields) {
  for (std::size_t i = 0; i < record_.size(); ++i) record_[i].before.emplace_back(fields[columns_.perturbed[i]]);
}

void RowMover::record_after(const Lane& lane, const mechanisms::Released& value) {
  for (std::size_t i = 0; i < record_.size(); ++i) {
    if (std::find(lane.columns.begin(), lane.columns.end(), columns_.perturbed[i]) == lane.columns.end()) continue;
    BeforeAfter& column = record_[i];
    if (!value) {
      column.after.emplace_back();
    } else {
      // Columns that move together share one text; each column's value is that of the step it came from.
      column.after.push_back(lane.columns.size() == 1 ? value->text
                                                      : column.before[static_cast<std::size_t>(value->step)]);
    }
  }
}

void RowMover::take_over(Lane& lane) {
  for (mechanisms::Released& one : arrived_) {
    if (!one) ++empty_;
    if (!record_.empty()) {
      moves_.add(lane.released++, one);
      record_after(lane, one);
    }
    lane.waiting.push_back(std::move(one));
  }
}

void RowMover::write_lane(Lane& lane, std::string& out) {
  const mechanisms::Released& value = lane.waiting.front();
  if (lane.columns.size() == 1) {
    append_field(value ? std::string_view(value->text) : std::string_view(), out);
  } else if (value) {
    out += value->text;
  } else {
    out.append(lane.columns.size() - 1, delimiter_);
  }
  lane.waiting.pop_front();
}

void RowMover::write_rows(std::string& out) {
  const auto ready = [](const Lane& lane) { return !lane.waiting.empty(); };
  while (std::all_of(lanes_.begin(), lanes_.end(), ready)) {
    out += starts_.front();
    starts_.pop_front();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (i > 0) out += delimiter_;
      write_lane(lanes_[i], out);
    }
    out += end_;
  }
}

Result<void> RowMover::push(std::span<const std::string_view> fields, std::string& out) {
  if (!record_.empty()) record_before(fields);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) CV_CHECK(push_lane(lane, fields));
  std::string start;
  const auto add = [&](std::size_t column) {
    append_field(fields[column], start);
    start += delimiter_;
  };
  if (columns_.time) add(*columns_.time);
  for (const std::size_t column : columns_.kept) add(column);
  starts_.push_back(std::move(start));
  ++rows_;
  write_rows(out);
  return {};
}

Result<void> RowMover::finish(std::string& out) {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    arrived_.clear();
    CV_TRY(const std::int64_t missing, perturbation_.finish(lane, arrived_));
    missing_ += missing;
    take_over(lanes_[lane]);
  }
  perturbation_.close();
  write_rows(out);
  return {};
}

}  // namespace chronoveil::engine
