// Every order equally likely (Fisher and Yates), by exact uniform integers.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {

template <class T>
void shuffle(std::span<T> items, BitSource& bits) {
  for (std::size_t left = items.size(); left > 1; --left)
    std::swap(items[left - 1], items[noise::uniform_below(left, bits)]);
}

}  // namespace chronoveil::temporal
