#include "chronoveil/networks/checkpoint.h"

#include <charconv>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/neural/tensor_bytes.h"
#include "chronoveil/training/hashed_blocks.h"

namespace chronoveil::networks {
namespace {

// engine/witnesses.cc reads how they begin. The first form did not say how many uses were used up.
constexpr std::string_view kFirstMagic = "chronoveil checkpoint 1\n", kMagic = "chronoveil checkpoint 2\n";

std::string path_in(const std::string& folder) { return folder + "/checkpoint"; }

}  // namespace

Result<void> save_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string used = std::to_string(checkpoint.used), state = neural::to_bytes(checkpoint.state);
  return write_files({{path_in(folder), training::sealed(kMagic, {checkpoint.debit, used, state}), 0600}});
}

std::optional<Checkpoint> load_checkpoint(const std::string& folder) {
  const Result<std::string> bytes = engine::read_text_file("checkpoint", path_in(folder), engine::TextSize::document);
  if (!bytes) return std::nullopt;
  const bool first = bytes->starts_with(kFirstMagic);
  const auto blocks = first ? training::unsealed(kFirstMagic, 2, *bytes) : training::unsealed(kMagic, 3, *bytes);
  if (!blocks) return std::nullopt;
  std::int64_t used = 0;
  if (!first) {
    const std::string_view text = (*blocks)[1];
    if (std::from_chars(text.data(), text.data() + text.size(), used).ptr != text.data() + text.size())
      return std::nullopt;
  }
  Result<std::vector<neural::Parameter>> state = neural::from_bytes(blocks->back());
  if (!state) return std::nullopt;
  return Checkpoint{std::string(blocks->front()), used, std::move(*state)};
}

}  // namespace chronoveil::networks
