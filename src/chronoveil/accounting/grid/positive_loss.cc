#include "chronoveil/accounting/grid/positive_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// Relative room for the rounding of long sums.
constexpr double kSumError = 4e-16;

// Merges neighbouring outputs so that every group's loss is a multiple of `step`; a fraction of an output may go to
// each of two groups (randomised post-processing). `atoms` by falling loss, their masses times e^{tilt × loss}.
GridLoss merged_onto_grid(const std::vector<MassAt>& atoms, double step, double tilt, double slack) {
  GridLoss grid{.step = step, .first = 0, .mass = {}, .infinite = 0, .slack = slack};
  if (atoms.empty()) return grid;
  const long top = static_cast<long>(std::floor((atoms.front().loss + slack) / step));
  const long bottom = static_cast<long>(std::floor((atoms.back().loss + slack) / step));
  grid.first = bottom;
  grid.mass.assign(static_cast<std::size_t>(top - bottom + 1), 0.0);
  std::size_t next = 0;
  double left = 1;  // of atoms[next]
  for (long index = top; index >= bottom && next < atoms.size(); --index) {
    const double target = step * static_cast<double>(index);
    double surplus = 0, sum = 0;  // surplus: P-mass minus e^target × Q-mass of the group
    for (; next < atoms.size(); ++next, left = 1) {
      const MassAt& atom = atoms[next];
      const double gap = std::abs(atom.loss - target) <= slack ? 0.0 : atom.loss - target;
      const double mass = left * atom.mass * (tilt == 0 ? 1.0 : std::exp(-tilt * (atom.loss - target)));
      const double contribution = -std::expm1(-gap) * mass;
      if (gap < 0 && surplus + contribution < 0) {
        if (surplus > 0 && contribution < 0) {
          const double fraction = surplus / -contribution;
          sum += fraction * mass;
          left *= 1 - fraction;
        }
        break;
      }
      surplus += contribution;
      sum += mass;
    }
    grid.mass[static_cast<std::size_t>(index - bottom)] += sum;
  }
  return grid;
}

bool all_finite(const PositiveLoss& half) {
  bool good = std::isfinite(half.beyond_p + half.beyond_q + half.infinite + half.charged + half.zero);
  for (const double mass : half.p) good &= std::isfinite(mass);
  for (const double mass : half.q) good &= std::isfinite(mass);
  return good;
}

void push_half(std::vector<MassAt>& atoms, const PositiveLoss& half) {
  if (half.beyond_p > 0 && half.beyond_q > 0)
    atoms.push_back({half.loss(half.bins()) + std::max(0.0, std::log(half.beyond_p / half.beyond_q)), half.beyond_p});
  for (std::size_t i = half.bins(); i-- > 0;) {
    if (!(half.p[i] > 0 && half.q[i] > 0)) continue;
    const double offset = std::clamp(std::log(half.p[i] / half.q[i]), 0.0, half.step);
    atoms.push_back({half.loss(i) + offset, half.p[i]});
  }
}

}  // namespace

Result<void> check_masses(const GridLoss& grid) {
  bool good = std::isfinite(grid.step) && std::isfinite(grid.infinite) && std::isfinite(grid.slack);
  for (const double mass : grid.mass) good &= mass >= 0 && mass < std::numeric_limits<double>::infinity();
  if (!good) return fail(ErrorKind::cannot_certify, "the losses of this event are beyond the range of numbers");
  return {};
}

double bins_up_to(double loss, double step) {
  const double bins = std::ceil(loss / step);
  return bins > 1 && loss <= (bins - 1) * step * (1 + kOnGrid) ? bins - 1 : bins;
}

PositiveLoss thinned(PositiveLoss loss, double rate) {
  for (double& mass : loss.p) mass *= rate;
  for (double& mass : loss.q) mass *= rate;
  loss.beyond_p *= rate;
  loss.beyond_q *= rate;
  loss.infinite *= rate;
  loss.charged *= rate;
  loss.zero = loss.zero * rate + (1 - rate);
  return loss;
}

std::vector<long double> profile_on_grid(const PositiveLoss& loss) {
  const std::size_t n = loss.bins();
  std::vector<long double> values(n + 1);
  const long double decay = std::exp(-static_cast<long double>(loss.step));
  const long double rise = -std::expm1(-static_cast<long double>(loss.step));
  // h(α_i) = h(α_{i+1}) + (p_i − α_i q_i) + (α_{i+1} − α_i) Q(loss > l_{i+1}): a sum of positive terms.
  const double top_q = smaller(loss.beyond_p, loss.beyond_q);
  values[n] = static_cast<long double>(loss.infinite) + loss.charged + (loss.beyond_p - top_q);
  long double q_above = top_q;  // times α_i
  for (std::size_t i = n; i-- > 0;) {
    values[i] = values[i + 1] + larger(0.0, loss.p[i] - loss.q[i]) + rise * q_above;
    q_above = loss.q[i] + decay * q_above;
  }
  return values;
}

PositiveLoss from_profile(double step, const std::vector<long double>& given, double infinite) {
  const std::size_t n = given.size() - 1;
  std::vector<long double> values = given;
  // The envelope is that of the whole symmetric profile: a chord from 1/α to α passes 1 at (2h(α) + α − 1)/(α + 1).
  // Without it a steep fall next to 1 would not be convex with its mirror image, and the masses would exceed 1.
  for (std::size_t i = 1; i <= n; ++i) {
    const long double x = static_cast<long double>(step) * static_cast<long double>(i);
    values[0] = smaller(values[0], std::tanh(x / 2) + 2 * given[i] / (std::exp(x) + 1));
  }
  // The lower convex hull of (e^{i step}, values[i]). The slope from a to b is times e^{step × a}, or, seen from its
  // other end, times e^{step × b}: neither overflows, however far apart they are.
  auto slope = [&](std::size_t a, std::size_t b) {
    return (values[b] - values[a]) / std::expm1(static_cast<long double>(step) * static_cast<long double>(b - a));
  };
  auto slope_at_end = [&](std::size_t a, std::size_t b) {
    return (values[b] - values[a]) / -std::expm1(-static_cast<long double>(step) * static_cast<long double>(b - a));
  };
  std::vector<std::size_t> hull{0};
  for (std::size_t c = 1; c <= n; ++c) {
    while (hull.size() >= 2) {
      const std::size_t a = hull[hull.size() - 2], b = hull.back();
      if (slope_at_end(a, b) < slope(b, c)) break;
      hull.pop_back();
    }
    hull.push_back(c);
  }
  PositiveLoss loss{.step = step, .p = std::vector<double>(n), .q = std::vector<double>(n)};
  loss.infinite = static_cast<double>(smaller<long double>(infinite, values[n]));
  loss.charged = static_cast<double>((values[n] - loss.infinite) * (1 + kSumError));
  const double decay = std::exp(-step);
  for (std::size_t k = 1; k < hull.size(); ++k) {
    const std::size_t a = hull[k - 1], b = hull[k];
    const long double before = slope_at_end(a, b);
    const long double after = k + 1 < hull.size() ? slope(b, hull[k + 1]) : 0.0L;
    const double mass = static_cast<double>(larger(0.0L, after - before));
    loss.p[b - 1] = mass;
    loss.q[b - 1] = mass * decay;
  }
  // Symmetry fixes the kink at α = 1: 1 − h(1) + 2 h'(1+).
  loss.zero = static_cast<double>(larger(0.0L, 1 - values[0] + 2 * slope(0, hull.size() > 1 ? hull[1] : n)));
  return loss;
}

PositiveLoss paired(const PositiveLoss& fine) {
  PositiveLoss loss = fine;
  loss.step = 2 * fine.step;
  loss.p.assign(fine.bins() / 2, 0.0);
  loss.q.assign(fine.bins() / 2, 0.0);
  const double decay = std::exp(-fine.step);
  for (std::size_t i = 0; i < loss.bins(); ++i) {
    loss.p[i] = fine.p[2 * i] + fine.p[2 * i + 1];
    loss.q[i] = fine.q[2 * i] + fine.q[2 * i + 1] * decay;
  }
  return loss;
}

PositiveLoss pointwise_maximum(const std::vector<PositiveLoss>& losses) {
  std::vector<long double> values = profile_on_grid(losses.front());
  double infinite = losses.front().infinite;
  for (std::size_t k = 1; k < losses.size(); ++k) {
    const auto other = profile_on_grid(losses[k]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = larger(values[i], other[i]);
    infinite = larger(infinite, losses[k].infinite);
  }
  for (long double& value : values) value *= 1 + kSumError;
  return from_profile(losses.front().step, values, infinite);
}

PositiveLoss maximum_of_merged(const PositiveLoss& first, const PositiveLoss& second) {
  // From the top down, h(α) = above − α q between atoms; the largest of two such lines changes at atoms and crossings.
  // α is counted from each bin's own e^{i h}, and q times that: neither leaves its range.
  struct Line {
    const PositiveLoss& half;
    long double above, q = 0;  // P- and Q-mass of the losses passed so far
    long double at(long double alpha) const { return above - alpha * q; }
    long double atom(std::size_t i) const {  // as α
      if (half.p[i] <= 0 || half.q[i] <= 0) return 0;
      return std::exp(static_cast<long double>(std::clamp(std::log(half.p[i] / half.q[i]), 0.0, half.step)));
    }
    void pass(std::size_t i, long double alpha) {
      above += half.p[i];
      q += half.p[i] / alpha;
    }
  };
  Line a{first, first.infinite}, b{second, second.infinite};
  PositiveLoss out{.step = first.step, .p = std::vector<double>(first.bins()), .q = std::vector<double>(first.bins())};
  out.infinite = static_cast<double>(larger(a.above, b.above));
  // Lines through NaN never meet: check_masses() must see it.
  if (!all_finite(first) || !all_finite(second)) {
    out.zero = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  const long double widest = std::exp(static_cast<long double>(first.step)), decay = 1 / widest;
  long double slope = 0;  // −h'(α) of the maximum so far
  for (std::size_t i = first.bins(); i-- > 0;) {
    for (long double* seen : {&a.q, &b.q, &slope}) *seen *= decay;
    auto turn = [&](long double alpha, long double to) {
      if (to <= slope) return;
      out.p[i] += static_cast<double>(alpha * (to - slope));
      out.q[i] += static_cast<double>(to - slope);
      slope = to;
    };
    long double alpha = widest, next_a = a.atom(i), next_b = b.atom(i);
    while (alpha > 1) {
      const long double next = larger(1.0L, larger(next_a, next_b));
      // Between alpha and next both are straight: does the larger change?
      const bool a_before = a.at(alpha) > b.at(alpha) || (a.at(alpha) == b.at(alpha) && a.q > b.q);
      const bool a_after = a.at(next) > b.at(next);
      turn(alpha, a_before ? a.q : b.q);
      if (a_before != a_after && a.q != b.q) {
        const long double crossing = std::clamp((a.above - b.above) / (a.q - b.q), next, alpha);
        // Both meet at α = 1 by symmetry; that is mass at loss 0, not above it.
        if (i > 0 || crossing > 1 + 1e-12L) turn(crossing, a_after ? a.q : b.q);
      }
      alpha = next;
      if (next_a > 0 && alpha == next_a) {
        a.pass(i, alpha);
        next_a = 0;
      }
      if (next_b > 0 && alpha == next_b) {
        b.pass(i, alpha);
        next_b = 0;
      }
    }
  }
  const long double top = larger(a.at(1), b.at(1));
  out.zero = static_cast<double>(larger(0.0L, 1 - top - 2 * slope));
  return out;
}

PositiveLoss envelope_of_minimum(const std::vector<PositiveLoss>& losses) {
  std::vector<long double> values = profile_on_grid(losses.front());
  double infinite = losses.front().infinite;
  for (std::size_t k = 1; k < losses.size(); ++k) {
    const auto other = profile_on_grid(losses[k]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = smaller(values[i], other[i]);
    infinite = smaller(infinite, losses[k].infinite);
  }
  for (long double& value : values) value *= 1 + kSumError;
  return from_profile(losses.front().step, values, infinite);
}

GridLoss dominating(const PositiveLoss& above, const PositiveLoss& below) {
  const double step = above.step;
  const long n = static_cast<long>(std::max(above.bins(), below.bins()));
  GridLoss grid{.step = step,
                .first = -n,
                .mass = std::vector<double>(2 * static_cast<std::size_t>(n) + 1),
                .infinite = above.infinite + above.charged * (1 + kMassError),
                .slack = 0};
  double* const centre = grid.mass.data() + n;
  const double rise = -std::expm1(-step), growth = std::expm1(step);
  centre[0] = above.zero * (1 + kMassError) + kSumError;
  for (std::size_t i = 0; i < above.bins(); ++i) {
    const double p = above.p[i] * (1 + kMassError);
    if (p <= 0) continue;
    // (a − e^l b)/(1 − e^{−h}) moves up, the rest down; so does the possible rounding error of the masses and of both
    // ends of the bin, which are multiples of the step up to one rounding each.
    const double hidden = 3 * kMassError + 4 * 0x1p-53 * above.loss(i + 1);
    const double up = std::clamp((p - above.q[i] + hidden * p) / rise, 0.0, p);
    centre[i + 1] += up;
    centre[i] += p - up;
  }
  for (std::size_t i = 0; i < below.bins(); ++i) {
    // Losses in [−l − h, −l) with P-mass e^{−l} q and Q-mass p: (p − q)/(e^h − 1) of it moves down, the rest up; what
    // rounding may hide moves up.
    const double p = below.p[i], q = below.q[i] * (1 + kMassError);
    if (q <= 0) continue;
    const double hidden = 3 * kMassError + 4 * 0x1p-53 * below.loss(i + 1);
    const double down = std::clamp((p - q - hidden * p) / growth, 0.0, q);
    const double decay = std::exp(-below.loss(i)) * (1 + kMassError);
    const long at = -static_cast<long>(i);
    centre[at - 1] += down * decay;
    centre[at] += (q - down) * decay;
  }
  const double stay = smaller(above.beyond_p, above.beyond_q) * (1 + kMassError);
  centre[above.bins()] += stay;
  grid.infinite += larger(0.0, above.beyond_p * (1 + kMassError) - stay);
  centre[-static_cast<long>(below.bins())] += below.beyond_q * std::exp(-below.loss(below.bins())) * (1 + kMassError);
  return grid;
}

GridLoss dominated(const PositiveLoss& above, const PositiveLoss& below) {
  // A NaN loss has no place among the others: the grid reports it to check_masses().
  if (!all_finite(above) || !all_finite(below))
    return {
        .step = above.step, .first = 0, .mass = {}, .infinite = std::numeric_limits<double>::quiet_NaN(), .slack = 0};
  std::vector<MassAt> atoms;
  atoms.reserve(above.bins() + below.bins() + 3);
  push_half(atoms, above);
  if (above.zero > 0) atoms.push_back({0.0, above.zero});
  std::vector<MassAt> reversed;
  push_half(reversed, below);
  // Mass at loss l of the reverse direction is mass e^{−l} at loss −l of this one.
  for (auto it = reversed.rbegin(); it != reversed.rend(); ++it)
    atoms.push_back({-it->loss, it->mass * std::exp(-it->loss)});
  return dominated(atoms, above.infinite, above.step);
}

GridLoss dominating(const std::vector<MassAt>& atoms, double infinite, double step, std::size_t bins) {
  const long n = static_cast<long>(bins);
  GridLoss grid{.step = step, .first = -n, .mass = std::vector<double>(2 * bins + 1), .infinite = infinite, .slack = 0};
  for (const MassAt& atom : atoms) {
    const double loss = atom.loss + 4 * kSumError * std::abs(atom.loss);
    const double mass = atom.mass * (1 + kMassError), index = std::floor(loss / step);
    if (index >= static_cast<double>(n)) {
      (index == static_cast<double>(n) && loss <= step * index ? grid.mass.back() : grid.infinite) += mass;
    } else if (index < static_cast<double>(-n)) {
      grid.mass.front() += mass;
    } else {
      // Both masses of the atom are kept: e^{−loss} = up e^{−(l + h)} + (1 − up) e^{−l}.
      const double share = std::expm1(step * index - loss) / std::expm1(-step);
      const double up = std::clamp(share * (1 + 4 * kSumError) + 4 * kMassError, 0.0, 1.0);
      const auto at = static_cast<std::size_t>(static_cast<long>(index) + n);
      grid.mass[at + 1] += up * mass;
      grid.mass[at] += (1 - up) * mass;
    }
  }
  return grid;
}

GridLoss dominated(const std::vector<MassAt>& atoms, double infinite, double step) {
  constexpr double kSlack = 3 * kMassError;
  // On so fine a grid losses cannot be told apart: treated as no loss, which every pair dominates.
  const bool told_apart = step > 4 * kSlack;
  GridLoss grid = merged_onto_grid(told_apart ? atoms : std::vector<MassAt>(), step, 0, kSlack);
  for (double& mass : grid.mass) mass *= 1 - 3 * kMassError;
  grid.infinite = infinite * (1 - 3 * kMassError);
  return grid;
}

GridLoss coarsened_up(const GridLoss& fine, long factor, double tilt) {
  const double step = fine.step * static_cast<double>(factor);
  auto floor_div = [&](long a) { return a >= 0 ? a / factor : -((-a + factor - 1) / factor); };
  GridLoss coarse{.step = step, .first = floor_div(fine.first), .mass = {}, .infinite = fine.infinite, .slack = 0};
  coarse.mass.assign(static_cast<std::size_t>(floor_div(fine.last()) - coarse.first + 2), 0.0);
  std::vector<double> up(static_cast<std::size_t>(factor)), down(static_cast<std::size_t>(factor));
  for (long r = 0; r < factor; ++r) {
    const double offset = fine.step * static_cast<double>(r);
    const double share = std::min(1.0, std::expm1(-offset) / std::expm1(-step) * (1 + 4 * kSumError));
    up[static_cast<std::size_t>(r)] = share * std::exp(tilt * (step - offset)) * (1 + kMassError / 10);
    down[static_cast<std::size_t>(r)] = (1 - share) * std::exp(-tilt * offset) * (1 + kMassError / 10);
  }
  for (std::size_t k = 0; k < fine.mass.size(); ++k) {
    const long index = fine.first + static_cast<long>(k), block = floor_div(index);
    const auto r = static_cast<std::size_t>(index - block * factor);
    const auto at = static_cast<std::size_t>(block - coarse.first);
    coarse.mass[at] += fine.mass[k] * down[r];
    coarse.mass[at + 1] += fine.mass[k] * up[r];
  }
  return coarse;
}

GridLoss coarsened_down(const GridLoss& fine, long factor, double tilt) {
  std::vector<MassAt> atoms;
  atoms.reserve(fine.mass.size());
  for (std::size_t k = fine.mass.size(); k-- > 0;)
    if (fine.mass[k] > 0)
      atoms.push_back({fine.step * static_cast<double>(fine.first + static_cast<long>(k)), fine.mass[k]});
  GridLoss coarse = merged_onto_grid(atoms, fine.step * static_cast<double>(factor), tilt, 1e-15);
  for (double& mass : coarse.mass) mass *= 1 - kMassError / 10;
  coarse.infinite = fine.infinite;
  coarse.slack += fine.slack;
  return coarse;
}

}  // namespace chronoveil::accounting
