// The slots of a job one after the other, in constant memory: what make_axis lists, walked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "chronoveil/data/time/slots.h"

namespace chronoveil::data {

class SlotCursor {
 public:
  // At the first slot. Errors are those of make_axis. Walks once over the span to count its slots.
  static Result<SlotCursor> make(const SlotSpec&);
  SlotCursor(SlotCursor&&) noexcept;
  SlotCursor& operator=(SlotCursor&&) noexcept;
  ~SlotCursor();

  std::int64_t steps() const;  // of the whole span
  std::int64_t step() const;   // the current one, from 0; steps() after the last
  std::int64_t begin() const;  // of the current slot, milliseconds since 1970-01-01T00:00Z; of the end after the last
  std::int64_t end() const;    // the first instant after it; the same as begin() after the last
  std::string label() const;   // as in SlotAxis::labels
  void advance();              // not after the last
  std::int64_t span_end() const;  // the first instant after the last slot
  // The length that most slots have, in milliseconds; in a tie the one that the spec names, else the shortest.
  std::int64_t usual_length() const;
  bool whole_days() const;  // slots are whole days, rather than parts of one
  bool one_offset() const;  // the clocks of the zone have one offset wherever a slot begins

 private:
  struct Inside;
  explicit SlotCursor(std::unique_ptr<Inside>);
  std::unique_ptr<Inside> inside_;
};

// An instant by the clock of a zone, as in SlotAxis::labels: to the second.
Result<std::string> label_at(std::int64_t instant, const std::string& zone);

// The next span: it begins where the given one ends and is equally long by the calendar and the clock of the zone.
//   Whole months (slots of months or of at most a day, from the first of a month to the first of another) are followed
//   by as many months. Other spans are followed by as many days, hours and seconds of local time: a span from 06:00 to
//   06:00 by one that ends at 06:00, even if the clocks change in between. An end that the clocks skip is the instant
//   of the change; of an end that they show twice, the first instant after the start counts.
//   Edges: a span inside an hour that is shown twice, which has no length on the clock, is followed by as many
//   milliseconds. Usage errors: those of make_axis, and a span that would end after kLastYear
Result<SlotSpec> span_after(const SlotSpec&);

}  // namespace chronoveil::data
