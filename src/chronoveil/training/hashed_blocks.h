// Blocks of bytes with a name before and a hash behind them: model files and checkpoints. Any changed or missing byte
// makes them unreadable.
//   magic   for each block: its length, a little-endian 64-bit integer, and its bytes   BLAKE2b of all before
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chronoveil::training {

std::string sealed(std::string_view magic, const std::vector<std::string_view>& blocks);
// Empty unless the bytes are exactly what sealed() made of `count` blocks.
std::optional<std::vector<std::string_view>> unsealed(std::string_view magic, std::size_t count,
                                                      std::string_view bytes);

}  // namespace chronoveil::training
