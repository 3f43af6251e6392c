#include "chronoveil/accounting/grid/sketch.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::accounting {
namespace {

// Collects atoms by rising size of their losses, all of one sign, and merges those in a thin tail far out, where a fine
// grid has very many and the tilt makes hardly any difference.
class SketchMaker {
 public:
  SketchMaker(Sketch& out, double step) : out_(out), far_(160 * step) {}

  void add(double mass, double loss) {
    if (!(mass > 0)) return;
    if (std::abs(loss - first_) > (std::abs(loss) - far_) / 24 || mass_ + mass > 1e-6) close();
    if (mass_ == 0) first_ = loss;
    mass_ += mass;
    weighted_ += mass * loss;
  }

  void close() {
    if (mass_ > 0) {
      out_.mass.push_back(mass_);
      out_.loss.push_back(weighted_ / mass_);
    }
    mass_ = weighted_ = 0;
  }

 private:
  Sketch& out_;
  double far_, first_ = 0, mass_ = 0, weighted_ = 0;
};

}  // namespace

Sketch sketch(const LossModel& model, std::int64_t count, double step, std::size_t bins, Reading reading) {
  Sketch out;
  out.count = count;
  SketchMaker above(out, step), below(out, step);
  if (reading != Reading::symmetric) {
    const GridLoss grid = model.grids(step, bins, reading).upper;
    const auto zero = static_cast<std::size_t>(-grid.first);
    for (std::size_t k = zero; k < grid.mass.size(); ++k) above.add(grid.mass[k], step * static_cast<double>(k - zero));
    for (std::size_t k = zero; k-- > 0;) below.add(grid.mass[k], -step * static_cast<double>(zero - k));
    above.close();
    below.close();
    return out;
  }
  const PositiveLoss half = model.halves(step, bins, false).upper;
  auto add = [&](double p, double loss) {
    above.add(p, loss);
    below.add(p * std::exp(-loss), -loss);
  };
  out.mass.push_back(std::max(half.zero, 1e-300));
  out.loss.push_back(0);
  for (std::size_t i = 0; i < half.bins(); ++i)
    if (half.p[i] > 0 && half.q[i] > 0)
      add(half.p[i], half.loss(i) + std::clamp(std::log(half.p[i] / half.q[i]), 0.0, half.step));
  if (half.beyond_q > 0)
    add(half.beyond_p, half.loss(half.bins()) + std::log(std::max(1.0, half.beyond_p / half.beyond_q)));
  above.close();
  below.close();
  return out;
}

}  // namespace chronoveil::accounting
