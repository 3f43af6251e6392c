#include "chronoveil/accounting/grid/atomic_model.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::accounting {
namespace {

class AtomicModel final : public LossModel {
 public:
  explicit AtomicModel(AtomicLaw law) : law_(std::move(law)) {
    sums_.reserve(law_.atoms.size());
    Sums sums;
    for (std::size_t i = 0; i < law_.atoms.size(); ++i) {
      if (i > 0) {
        // 1 - e^(b - a) = (1 - e^(b - c)) + e^(b - c) (1 - e^(c - a)): what is above one atom, seen from the next.
        const long double drop = static_cast<long double>(law_.atoms[i].loss) - law_.atoms[i - 1].loss;
        sums.above = -std::expm1(drop) * sums.mass + std::exp(drop) * sums.above;
      }
      sums.mass += law_.atoms[i].mass;
      sums_.push_back(sums);
    }
  }

  long double delta(double epsilon) const override {
    const auto end = std::partition_point(law_.atoms.begin(), law_.atoms.end(),
                                          [&](const LossAtom& atom) { return atom.loss > epsilon; });
    if (end == law_.atoms.begin()) return law_.infinite;
    const auto last = static_cast<std::size_t>(end - law_.atoms.begin()) - 1;
    const long double drop = static_cast<long double>(epsilon) - law_.atoms[last].loss;
    return law_.infinite - std::expm1(drop) * sums_[last].mass + std::exp(drop) * sums_[last].above;
  }
  double top(double) const override { return law_.atoms.empty() ? 0 : law_.atoms.front().loss; }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    for (const LossAtom& atom : law_.atoms) add_atom(half, atom.loss, static_cast<double>(atom.mass));
    half.infinite = law_.infinite;
    half.zero = law_.zero;
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }
  Lattice lattice() const override { return law_.lattice; }
  double infinite() const override { return law_.infinite; }
  bool bounded() const override { return true; }
  bool tight() const override { return law_.tight; }

 private:
  struct Sums {
    long double mass = 0;   // of this atom and all above it
    long double above = 0;  // Σ over them of mass (1 - e^(this loss - its loss))
  };
  AtomicLaw law_;
  std::vector<Sums> sums_;
};

}  // namespace

std::unique_ptr<const LossModel> atomic_model(AtomicLaw law) { return std::make_unique<AtomicModel>(std::move(law)); }

}  // namespace chronoveil::accounting
