// The right to draw for data: bits, and the proof that a debit covers what they are drawn for. Code that sees data and
// draws takes one of these; code that sees no data (the laws in noise and temporal) takes the bits themselves.
//   Made   for private use only by mechanisms::Draws, in exchange for a receipt or a run of the ledger. seeded() and
//          not_private() are open to everybody and mark what comes of them
//   Once   it cannot be copied or taken out of the Draws that hold it; if its run is over, or its Draws were moved
//          from, it gives no bits
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil {

namespace mechanisms {
class Draws;
}

class DrawRight {
 public:
  static DrawRight seeded(std::uint64_t seed);   // "seeded: not private"
  static DrawRight not_private(BitSource bits);  // "not private"

  DrawRight(const DrawRight&) = delete;
  DrawRight& operator=(const DrawRight&) = delete;
  ~DrawRight() = default;

  const std::string& mark() const { return mark_; }  // empty where a debit covers it
  // Of this thread's cryptographic source if a debit covers it. Refused (internal) once it is used up. The caller uses
  // the source at once and keeps it no longer than this right.
  Result<BitSource*> bits();

 private:
  friend class mechanisms::Draws;  // the only maker of a right without a mark
  enum class Standing { marked, authorised, running, spent };
  DrawRight() = default;  // authorised
  DrawRight(DrawRight&& other) noexcept;
  DrawRight& operator=(DrawRight&& other) noexcept;
  DrawRight(BitSource bits, std::string mark);
  BitSource& source() { return own_ ? *own_ : BitSource::for_this_thread(); }

  Standing standing_ = Standing::authorised;
  std::unique_ptr<BitSource> own_;  // of a right with a mark
  std::string mark_;
};

}  // namespace chronoveil
