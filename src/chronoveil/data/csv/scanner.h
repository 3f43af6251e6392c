// Finds the separators of a CSV (RFC 4180) 64 bytes at a time. Where a byte lies inside quotes follows from the parity
// of the quotes before it, so a block needs a few comparisons and a prefix XOR, no branch per byte [LL19].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chronoveil::data {

inline constexpr std::size_t kBlock = 64;

// One bit per byte of a block.
struct BlockMasks {
  std::uint64_t quote, delimiter, newline, nul;
};
BlockMasks masks_portable(const char* block, char delimiter);
BlockMasks masks(const char* block, char delimiter);  // the same, by SSE2 where available

enum class CsvFault { none, nul, quote_inside_field, text_after_quote, open_quote };

class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}

  // Looks at bytes [from, to) of the buffer, which follow those looked at before, and appends the offsets of delimiters
  // and newlines outside quotes to `marks`. Without `last` it stops before a block that is not full. Returns how far it
  // came; at a fault, the offset of the faulty byte.
  std::size_t scan(const char* buffer, std::size_t from, std::size_t to, bool last, std::vector<std::uint32_t>& marks);

  // The same to the very last byte although more may follow: for streams, whose next byte may take long.
  std::size_t scan_on(const char* buffer, std::size_t from, std::size_t to, std::vector<std::uint32_t>& marks);

  CsvFault fault() const { return fault_; }
  std::int64_t quoted_newlines() const { return quoted_newlines_; }

 private:
  bool scan_block(const char* block, std::size_t size, std::uint32_t base, std::vector<std::uint32_t>& marks,
                  std::size_t& fault_at);

  char delimiter_;
  std::uint64_t inside_ = 0;           // all ones when the next byte lies inside quotes
  std::uint64_t after_separator_ = 1;  // 1 when the last byte was a separator outside quotes, or at the beginning
  std::uint64_t after_closing_ = 0;    // 1 when the last byte was a closing quote (or the first of a pair)
  std::int64_t quoted_newlines_ = 0;
  CsvFault fault_ = CsvFault::none;
};

}  // namespace chronoveil::data
