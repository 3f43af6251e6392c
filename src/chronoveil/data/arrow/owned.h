// The structs of the Arrow C interfaces, each released once, whatever happens.
#pragma once

#include <utility>

#include "chronoveil/base/arrow_abi.h"

namespace chronoveil::data {

// A struct without a release is none: it was released, moved away, or never there.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  // Takes it over, as the interface says: by a copy, and the original forgets.
  explicit Owned(Struct* from) : held_(*from) { from->release = nullptr; }
  Owned(Owned&& other) noexcept : held_(std::exchange(other.held_, Struct{})) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      held_ = std::exchange(other.held_, Struct{});
    }
    return *this;
  }
  Owned(const Owned&) = delete;
  ~Owned() { reset(); }

  void reset() {
    if (held_.release != nullptr) held_.release(&held_);
    held_ = Struct{};
  }
  explicit operator bool() const { return held_.release != nullptr; }
  Struct* get() { return &held_; }
  const Struct& operator*() const { return held_; }
  const Struct* operator->() const { return &held_; }

 private:
  Struct held_{};
};

}  // namespace chronoveil::data
