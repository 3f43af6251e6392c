#include "chronoveil/base/draw_right.h"

#include <utility>

namespace chronoveil {

DrawRight::DrawRight(BitSource bits, std::string mark)
    : standing_(Standing::marked), own_(std::make_unique<BitSource>(std::move(bits))), mark_(std::move(mark)) {}

DrawRight DrawRight::seeded(std::uint64_t seed) { return {BitSource::with_seed(seed), "seeded: not private"}; }

DrawRight DrawRight::not_private(BitSource bits) { return {std::move(bits), "not private"}; }

// A copy of the mark stays behind: a moved-from right must never look as if a debit covered it.
DrawRight::DrawRight(DrawRight&& other) noexcept
    : standing_(std::exchange(other.standing_, Standing::spent)), own_(std::move(other.own_)), mark_(other.mark_) {}

DrawRight& DrawRight::operator=(DrawRight&& other) noexcept {
  if (this == &other) return *this;
  standing_ = std::exchange(other.standing_, Standing::spent);
  own_ = std::move(other.own_);
  mark_ = other.mark_;
  return *this;
}

Result<BitSource*> DrawRight::bits() {
  if (standing_ == Standing::spent)
    return fail(ErrorKind::internal, "draws", "the right to draw is used up: one debit covers one run");
  return &source();
}

}  // namespace chronoveil
