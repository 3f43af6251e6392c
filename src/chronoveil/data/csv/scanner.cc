#include "chronoveil/data/csv/scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace chronoveil::data {
namespace {

// Bit i of the result is the parity of bits 0 to i.
constexpr std::uint64_t prefix_xor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace

BlockMasks masks_portable(const char* block, char delimiter) {
  BlockMasks result{};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (block[i] == '"') result.quote |= bit;
    if (block[i] == delimiter) result.delimiter |= bit;
    if (block[i] == '\n') result.newline |= bit;
    if (block[i] == '\0') result.nul |= bit;
  }
  return result;
}

#ifdef __SSE2__
BlockMasks masks(const char* block, char delimiter) {
  __m128i part[4];
  for (int i = 0; i < 4; ++i) part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block) + i);
  const auto equal = [&](char wanted) {
    const __m128i all = _mm_set1_epi8(wanted);
    std::uint64_t bits = 0;
    for (int i = 3; i >= 0; --i) {
      bits = bits << 16 | static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(part[i], all)));
    }
    return bits;
  };
  BlockMasks result{equal('"'), equal(delimiter), equal('\n'), 0};
  // A NUL is rare: one comparison rules it out for the whole block.
  const __m128i least = _mm_min_epu8(_mm_min_epu8(part[0], part[1]), _mm_min_epu8(part[2], part[3]));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(least, _mm_setzero_si128())) != 0) [[unlikely]] {
    result.nul = equal('\0');
  }
  return result;
}
#else
BlockMasks masks(const char* block, char delimiter) { return masks_portable(block, delimiter); }
#endif

bool CsvScanner::scan_block(const char* block, std::size_t size, std::uint32_t base, std::vector<std::uint32_t>& marks,
                            std::size_t& fault_at) {
  const std::size_t last = size - 1;
  const std::uint64_t valid = ~std::uint64_t{0} >> (kBlock - size);
  BlockMasks found = masks(block, delimiter_);
  found.quote &= valid;
  found.delimiter &= valid;
  found.newline &= valid;
  found.nul &= valid;
  std::uint64_t separators = found.delimiter | found.newline;
  std::uint64_t bad = found.nul;
  if ((found.quote | inside_ | after_closing_) != 0) {
    const std::uint64_t inside = prefix_xor(found.quote) ^ inside_;  // an opening quote is inside, a closing one is not
    const std::uint64_t opening = found.quote & inside;
    const std::uint64_t closing = found.quote & ~inside;
    separators &= ~inside;
    // A quote opens a field only at its first byte; a quote right after a closing one is the second of a pair.
    const std::uint64_t may_open = (separators | closing) << 1 | after_separator_ | after_closing_;
    const std::uint64_t misplaced = opening & ~may_open;
    std::uint64_t stray = ((closing << 1) | after_closing_) & ~(separators | found.quote) & valid;
    for (std::uint64_t left = stray; left != 0; left &= left - 1) {
      if (block[std::countr_zero(left)] == '\r') stray &= ~(left & (~left + 1));
    }
    bad |= misplaced | stray;
    std::uint64_t lines = found.newline & inside;
    if (bad != 0) {
      const std::uint64_t first = bad & (~bad + 1);
      fault_ = (found.nul & first) != 0   ? CsvFault::nul
               : (misplaced & first) != 0 ? CsvFault::quote_inside_field
                                          : CsvFault::text_after_quote;
      lines &= first - 1;
    }
    if (lines != 0) quoted_newlines_ += std::popcount(lines);
    inside_ = (inside >> last & 1) != 0 ? ~std::uint64_t{0} : 0;
    after_closing_ = closing >> last & 1;
  } else if (bad != 0) {
    fault_ = CsvFault::nul;
  }
  after_separator_ = separators >> last & 1;
  if (bad != 0) {
    const int at = std::countr_zero(bad);
    separators &= (std::uint64_t{1} << at) - 1;
    fault_at = base + static_cast<std::size_t>(at);
  }
  for (; separators != 0; separators &= separators - 1) {
    marks.push_back(base + static_cast<std::uint32_t>(std::countr_zero(separators)));
  }
  return bad == 0;
}

std::size_t CsvScanner::scan(const char* buffer, std::size_t from, std::size_t to, bool last,
                             std::vector<std::uint32_t>& marks) {
  if (last) {
    const std::size_t end = scan_on(buffer, from, to, marks);
    if (fault_ == CsvFault::none && inside_ != 0) fault_ = CsvFault::open_quote;
    return end;
  }
  return scan_on(buffer, from, to - (to - from) % kBlock, marks);
}

std::size_t CsvScanner::scan_on(const char* buffer, std::size_t from, std::size_t to,
                                std::vector<std::uint32_t>& marks) {
  std::size_t fault_at = 0;
  for (; to - from >= kBlock; from += kBlock) {
    if (!scan_block(buffer + from, kBlock, static_cast<std::uint32_t>(from), marks, fault_at)) return fault_at;
  }
  if (from < to) {
    char block[kBlock] = {};
    std::memcpy(block, buffer + from, to - from);
    if (!scan_block(block, to - from, static_cast<std::uint32_t>(from), marks, fault_at)) return fault_at;
  }
  return to;
}

}  // namespace chronoveil::data
