#include "chronoveil/training/checkpoint.h"

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/neural/tensor_bytes.h"
#include "chronoveil/training/hashed_blocks.h"

namespace chronoveil::training {
namespace {

constexpr std::string_view kMagic = "chronoveil checkpoint 1\n";

std::string path_in(const std::string& folder) { return folder + "/checkpoint"; }

}  // namespace

Result<void> save_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  return write_files({{path_in(folder), sealed(kMagic, {checkpoint.debit, neural::to_bytes(checkpoint.state)}), 0600}});
}

std::optional<Checkpoint> load_checkpoint(const std::string& folder) {
  const Result<std::string> bytes = engine::read_text_file("checkpoint", path_in(folder), engine::TextSize::document);
  if (!bytes) return std::nullopt;
  const auto blocks = unsealed(kMagic, 2, *bytes);
  if (!blocks) return std::nullopt;
  Result<std::vector<neural::Parameter>> state = neural::from_bytes((*blocks)[1]);
  if (!state) return std::nullopt;
  return Checkpoint{std::string((*blocks)[0]), std::move(*state)};
}

}  // namespace chronoveil::training
