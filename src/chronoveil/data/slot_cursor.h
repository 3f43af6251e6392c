// The slots of a job one after the other, in constant memory: what make_axis lists, walked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "chronoveil/data/slots.h"

namespace chronoveil::data {

class SlotCursor {
 public:
  // At the first slot. Errors are those of make_axis.
  static Result<SlotCursor> make(const SlotSpec&);
  SlotCursor(SlotCursor&&) noexcept;
  SlotCursor& operator=(SlotCursor&&) noexcept;
  ~SlotCursor();

  std::int64_t steps() const;  // of the whole span
  std::int64_t step() const;   // the current one, from 0; steps() after the last
  std::int64_t begin() const;  // of the current slot, milliseconds since 1970-01-01T00:00Z; of the end after the last
  std::int64_t end() const;    // the first instant after it
  std::string label() const;   // as in SlotAxis::labels
  void advance();              // not after the last
  // The length that most slots have, in milliseconds.
  std::int64_t usual_length() const;

 private:
  struct Inside;
  explicit SlotCursor(std::unique_ptr<Inside>);
  std::unique_ptr<Inside> inside_;
};

// The span that follows: it begins where the given one ends and is as long by the calendar. Whole months (from the
// first of a month to the first of another) are followed by as many months, all else by as many days or, where the span
// is no whole days, by as many milliseconds.
Result<SlotSpec> span_after(const SlotSpec&);

}  // namespace chronoveil::data
