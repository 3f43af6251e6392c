#include "chronoveil/mechanisms/parts/window_shares.h"

#include <algorithm>
#include <deque>

namespace chronoveil::mechanisms {
namespace {

class Distribution final : public WindowShares {
 public:
  explicit Distribution(std::int64_t width) : width_(width) {}

  std::int64_t whole() const override { return std::int64_t{1} << 40; }
  std::int64_t offer(std::int64_t t) override {
    while (!spent_.empty() && spent_.front().step <= t - width_) {
      sum_ -= spent_.front().shares;
      spent_.pop_front();
    }
    return (whole() - sum_) / 2;
  }
  void spend(std::int64_t t, std::int64_t shares) override {
    spent_.push_back({t, shares});
    sum_ += shares;
  }
  void save(StateWriter& to) const override {
    to.put(static_cast<std::int64_t>(spent_.size()));
    for (const Spent& each : spent_) {
      to.put(each.step);
      to.put(each.shares);
    }
  }
  void load(StateReader& from) override {
    spent_.clear();
    sum_ = 0;
    for (std::int64_t left = std::min(from.integer(), width_); left > 0; --left) {
      const std::int64_t step = from.integer();
      spend(step, from.integer());
    }
  }

 private:
  struct Spent {
    std::int64_t step, shares;
  };
  std::int64_t width_;
  std::deque<Spent> spent_;  // at most w
  std::int64_t sum_ = 0;
};

class Absorption final : public WindowShares {
 public:
  explicit Absorption(std::int64_t width) : width_(width) {}

  std::int64_t whole() const override { return width_; }
  std::int64_t offer(std::int64_t t) override { return std::clamp<std::int64_t>(t - taken_, 0, width_); }
  void spend(std::int64_t t, std::int64_t shares) override { taken_ = t + shares - 1; }
  void save(StateWriter& to) const override { to.put(taken_); }
  void load(StateReader& from) override { taken_ = from.integer(); }

 private:
  std::int64_t width_;
  std::int64_t taken_ = -1;  // the last step whose share is spent or nullified
};

}  // namespace

std::unique_ptr<WindowShares> distribution(std::int64_t width) { return std::make_unique<Distribution>(width); }
std::unique_ptr<WindowShares> absorption(std::int64_t width) { return std::make_unique<Absorption>(width); }

}  // namespace chronoveil::mechanisms
