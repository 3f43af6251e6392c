#include <cmath>

#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

// Truth with probability e^ε/(e^ε + values − 1); with probability δ everything is shown [KairouzOhViswanath15].
class ResponseModel final : public LossModel {
 public:
  explicit ResponseModel(const Response& response)
      : epsilon_(response.epsilon), others_(static_cast<double>(response.values - 1)), delta_(response.delta) {}
  Lattice lattice() const override { return {epsilon_, true}; }
  bool bounded() const override { return true; }
  double top(double) const override { return epsilon_; }
  double infinite() const override { return delta_; }
  long double delta(double epsilon) const override {
    if (epsilon >= epsilon_) return delta_;
    return delta_ + (1.0L - delta_) * truth() * -std::expm1(static_cast<long double>(epsilon) - epsilon_);
  }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    const double rest = 1 - delta_;
    half.infinite = delta_;
    half.zero = rest;
    if (epsilon_ > 0) {
      half.zero = rest * static_cast<double>(truth() * std::exp(-static_cast<long double>(epsilon_))) * (others_ - 1);
      add_atom(half, epsilon_, rest * static_cast<double>(truth()));
    }
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  long double truth() const { return 1 / (1 + others_ * std::exp(-static_cast<long double>(epsilon_))); }
  double epsilon_, others_, delta_;
};

}  // namespace

std::unique_ptr<const LossModel> response_model(const Response& response) {
  return std::make_unique<ResponseModel>(response);
}

}  // namespace chronoveil::accounting
