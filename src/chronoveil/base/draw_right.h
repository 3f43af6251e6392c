// The right to draw for data: bits, and the proof that a debit covers what they are drawn for. Whatever sees data and
// draws takes one of these; what sees no data (the laws in noise and temporal) takes the bits themselves.
//   Made   for private use by mechanisms::Draws alone, which takes a receipt or a run of the ledger for it. seeded()
//          and not_private() are open to everybody and mark what comes of them
//   Once   it is neither copied nor taken out of the Draws that hold it; one whose run is over, or whose Draws were
//          moved from, gives no bits
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
  // Where a debit covers it, of this thread's cryptographic source. Refused (internal) once it is used up. Whoever asks
  // uses them at once and keeps them no longer than this right.
  Result<BitSource*> bits();

 private:
  friend class mechanisms::Draws;  // the one door to a right without a mark
  enum class Standing { marked, authorised, running, spent };
  DrawRight() = default;  // authorised
  DrawRight(DrawRight&& other) noexcept;
  DrawRight& operator=(DrawRight&& other) noexcept;
  DrawRight(BitSource bits, std::string mark);
  BitSource& source() { return own_ ? *own_ : BitSource::for_this_thread(); }

  Standing standing_ = Standing::authorised;
  std::unique_ptr<BitSource> own_;  // of one with a mark
  std::string mark_;
};

}  // namespace chronoveil
