#include "accounting/oracle.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace chronoveil::accounting::oracle {
namespace {

const Real& pi() {
  static const Real value = 4 * atan(Real(1));
  return value;
}

// P(N(0,1) > x).
Real normal_tail(const Real& x) {
  if (x < 0) return 1 - normal_tail(-x);
  if (x < 7) {  // ½ − φ(x) Σ x^{2k+1} / (2k+1)!!, all terms positive
    Real term = x, sum = x;
    for (int k = 1; term > sum * Real(1e-65); ++k) {
      term *= x * x / (2 * k + 1);
      sum += term;
    }
    return Real(0.5) - density(x) * sum;
  }
  Real fraction = x;  // Laplace's continued fraction
  for (int k = 110; k >= 1; --k) fraction = x + k / fraction;
  return density(x) / fraction;
}

Real log_factorial(std::int64_t n) {
  static std::vector<Real> small{Real(0)};
  if (n < 2000) {
    while (static_cast<std::int64_t>(small.size()) <= n)
      small.push_back(small.back() + log(Real(static_cast<std::int64_t>(small.size()))));
    return small[static_cast<std::size_t>(n)];
  }
  const Real x = n, x2 = x * x;  // Stirling's series; the next term is below 1e-43
  Real series = -Real(691) / (360360 * x2) + Real(1) / 1188;
  series = series / x2 - Real(1) / 1680;
  series = series / x2 + Real(1) / 1260;
  series = series / x2 - Real(1) / 360;
  series = series / x2 + Real(1) / 12;
  return x * log(x) - x + log(2 * pi() * x) / 2 + series / x;
}

// One direction: H_{e^ε}(P‖Q).
Real mixture_one_way(const Normals& p, const Normals& q, const Real& epsilon) {
  Real low = p.means[0], high = low;
  for (const Normals* side : {&p, &q})
    for (const Real& mean : side->means) {
      low = std::min(low, mean);
      high = std::max(high, mean);
    }
  const Real alpha = exp(epsilon);
  // p − αq times a positive factor, so that nothing underflows far out. Long double serves for the cuts: a wrong cut
  // costs only its square.
  std::vector<std::pair<long double, long double>> terms;  // mean, signed weight
  for (std::size_t i = 0; i < p.means.size(); ++i)
    terms.emplace_back(static_cast<long double>(p.means[i] - low), static_cast<long double>(p.weights[i]));
  for (std::size_t i = 0; i < q.means.size(); ++i)
    terms.emplace_back(static_cast<long double>(q.means[i] - low), static_cast<long double>(-alpha * q.weights[i]));
  auto surplus = [&](long double x) {
    long double peak = -1e300L, sum = 0;
    for (const auto& [mean, weight] : terms) peak = std::max(peak, mean * (x - mean / 2));
    for (const auto& [mean, weight] : terms) sum += weight * std::exp(mean * (x - mean / 2) - peak);
    return sum;
  };
  const auto span = static_cast<double>(high - low);
  const double from = -40, to = span + 40;
  const int points = 4000;
  std::vector<Real> cuts{Real(from)};
  long double left = from, at_left = surplus(left);
  const bool starts_positive = at_left > 0;
  for (int i = 1; i <= points; ++i) {
    const long double right = from + (static_cast<long double>(to) - from) * i / points, at_right = surplus(right);
    if ((at_left > 0) != (at_right > 0)) {
      long double a = left, b = right;
      for (int k = 0; k < 70; ++k) {
        const long double middle = (a + b) / 2;
        ((surplus(middle) > 0) == (at_left > 0) ? a : b) = middle;
      }
      cuts.push_back(Real((a + b) / 2));
    }
    left = right;
    at_left = at_right;
  }
  Real total = 0;
  auto between = [](const Real& a, const Real& b) {
    return a > 0 ? normal_tail(a) - normal_tail(b) : normal_tail(-b) - normal_tail(-a);
  };
  bool positive = starts_positive;
  for (std::size_t i = 0; i < cuts.size(); ++i, positive = !positive) {
    if (!positive) continue;
    const Real a = i == 0 ? Real(-200) : cuts[i], b = i + 1 < cuts.size() ? cuts[i + 1] : Real(span + 200);
    for (std::size_t k = 0; k < p.means.size(); ++k)
      total += p.weights[k] * between(a + low - p.means[k], b + low - p.means[k]);
    for (std::size_t k = 0; k < q.means.size(); ++k)
      total -= alpha * q.weights[k] * between(a + low - q.means[k], b + low - q.means[k]);
  }
  return total;
}

constexpr int kNodes = 16;  // of Gauss and Legendre, in each piece

}  // namespace

Real density(const Real& x) {
  static const Real scale = 1 / sqrt(2 * pi());
  return scale * exp(-x * x / 2);
}

Real gaussian(const Real& mu, const Real& epsilon) {
  if (mu <= 0) return 0;
  return normal_tail(epsilon / mu - mu / 2) - exp(epsilon) * normal_tail(epsilon / mu + mu / 2);
}

Real laplace(const Real& scale, const Real& epsilon) {
  const Real gap = 1 / scale - epsilon;
  return gap <= 0 ? Real(0) : -expm1(-gap / 2);
}

Real bounded_range(const Real& range, const Real& epsilon) {
  if (epsilon >= range) return 0;
  auto at = [&](const Real& t) { return (exp(range) - exp(t)) / expm1(range) * -expm1(epsilon - t); };
  Real low = epsilon, high = range;
  const Real ratio = (sqrt(Real(5)) - 1) / 2;
  Real left = high - ratio * (high - low), right = low + ratio * (high - low), at_left = at(left), at_right = at(right);
  for (int i = 0; i < 80; ++i) {  // the maximum is known twice as well as its place
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = at(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = at(left);
    }
  }
  return at((low + high) / 2);
}

Real binomial_weight(std::int64_t n, std::int64_t k, const Real& p) {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  return exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) + k * log(p) + (n - k) * log1p(-p));
}

Real hypergeometric_weight(std::int64_t population, std::int64_t marked, std::int64_t draws, std::int64_t k) {
  if (k < std::max<std::int64_t>(0, draws - (population - marked)) || k > std::min(marked, draws)) return 0;
  auto log_choose = [](std::int64_t n, std::int64_t m) {
    return log_factorial(n) - log_factorial(m) - log_factorial(n - m);
  };
  return exp(log_choose(marked, k) + log_choose(population - marked, draws - k) - log_choose(population, draws));
}

Real pure(const Real& per_step, std::int64_t n, const Real& epsilon) {
  if (per_step <= 0 || epsilon >= n * per_step) return 0;
  const Real truth = 1 / (1 + exp(-per_step)), odds = exp(per_step);
  auto k = static_cast<std::int64_t>(floor((epsilon / per_step + n) / 2)) + 1;
  if (k < 0) k = 0;
  Real weight = binomial_weight(n, k, truth), sum = 0;
  for (; k <= n; ++k) {
    const Real loss = (2 * k - n) * per_step;
    if (loss > epsilon) sum += weight * -expm1(epsilon - loss);
    if (k > n * truth && weight < sum * Real(1e-50)) break;
    weight *= odds * (n - k) / (k + 1);
  }
  return sum;
}

Real approximate(const Real& per_step, const Real& delta, std::int64_t n, const Real& epsilon) {
  return 1 - exp(n * log1p(-delta)) * (1 - pure(per_step, n, epsilon));
}

Real LatticeLoss::delta(const Real& epsilon) const {
  Real sum = infinite;
  for (std::size_t k = 0; k < mass.size(); ++k) {
    const Real loss = spacing * (first + static_cast<long>(k));
    if (loss > epsilon) sum += mass[k] * -expm1(epsilon - loss);
  }
  return sum;
}

LatticeLoss LatticeLoss::reversed() const {
  LatticeLoss out{spacing, -(first + static_cast<long>(mass.size()) - 1), std::vector<Real>(mass.size())};
  for (std::size_t k = 0; k < mass.size(); ++k)
    out.mass[mass.size() - 1 - k] = mass[k] * exp(-spacing * (first + static_cast<long>(k)));
  return out;
}

LatticeLoss convolved(const LatticeLoss& a, const LatticeLoss& b) {
  LatticeLoss out{a.spacing, a.first + b.first, std::vector<Real>(a.mass.size() + b.mass.size() - 1)};
  for (std::size_t i = 0; i < a.mass.size(); ++i)
    for (std::size_t j = 0; j < b.mass.size(); ++j) out.mass[i + j] += a.mass[i] * b.mass[j];
  out.infinite = a.infinite + b.infinite - a.infinite * b.infinite;
  return out;
}

LatticeLoss times(const LatticeLoss& loss, int n) {
  LatticeLoss out{loss.spacing, 0, {Real(1)}};
  for (int i = 0; i < n; ++i) out = convolved(out, loss);
  return out;
}

LatticeLoss discrete_laplace(const Real& scale, std::int64_t shift) {
  const Real a = exp(-1 / scale);
  LatticeLoss loss{1 / scale, static_cast<long>(-shift), std::vector<Real>(static_cast<std::size_t>(2 * shift + 1))};
  loss.mass.front() += exp(-shift / scale) / (1 + a);
  for (std::int64_t x = 1; x < shift; ++x)
    loss.mass[static_cast<std::size_t>(2 * x)] += exp(-(shift - x) / scale) * (1 - a) / (1 + a);
  loss.mass.back() += 1 / (1 + a);
  return loss;
}

LatticeLoss discrete_gaussian(const Real& scale, std::int64_t shift) {
  const auto reach = static_cast<long>(ceil(scale * Real(18.6))) + 1;
  auto weight = [&](long x) { return exp(-Real(x) * x / (2 * scale * scale)); };
  Real total = 0;
  for (long x = -reach; x <= reach; ++x) total += weight(x);
  const Real d = shift;
  LatticeLoss loss{d / (2 * scale * scale), -2 * reach + static_cast<long>(shift),
                   std::vector<Real>(static_cast<std::size_t>(4 * reach + 1))};
  // Output x under P is centred at d: y = x − d, loss index 2x − d = 2y + d.
  for (long y = -reach; y <= reach; ++y) loss.mass[static_cast<std::size_t>(2 * (y + reach))] = weight(y) / total;
  return loss;
}

DiscreteGaussianOnce::DiscreteGaussianOnce(const Real& scale, std::int64_t shift)
    : square_(scale * scale), shift_(shift) {
  total_ = 1 + 2 * sum(Real(1), Real(0), Real(0));
}

Real DiscreteGaussianOnce::operator()(const Real& epsilon) const {
  const Real first = floor(epsilon * square_ / shift_ + shift_ / 2) + 1;
  return sum(first - shift_, exp(epsilon - shift_ * (2 * first - shift_) / (2 * square_)), exp(-shift_ / square_)) /
         total_;
}

// Σ_{y >= from} e^{−y²/2s²} (1 − factor × decay^{y − from}), without an exponential for each term.
Real DiscreteGaussianOnce::sum(const Real& from, Real factor, const Real& decay) const {
  Real weight = exp(-from * from / (2 * square_)), ratio = exp(-(2 * from + 1) / (2 * square_)), out = 0;
  const Real fall = exp(-1 / square_);
  for (;;) {
    const Real term = weight * (1 - factor);
    out += term;
    if (ratio < 1 && weight < out * Real(1e-45)) return out;
    weight *= ratio;
    ratio *= fall;
    factor *= decay;
  }
}

Real wide_discrete_gaussian(const Real& scale, std::int64_t shift, const Real& epsilon) {
  // Σ_{x >= from} e^{−x²/2s²} = ∫ + f/2 − Σ_k B_2k/(2k)! f^(2k−1), and f^(n) = (−1/s)^n He_n(x/s) f.
  auto sum = [&](const Real& from) {
    const Real t = from / scale, t2 = t * t, root = sqrt(2 * pi());
    Real corrections = Real(1) / 2 + t / (12 * scale);
    corrections -= t * (t2 - 3) / (720 * pow(scale, 3));
    corrections += t * ((t2 - 10) * t2 + 15) / (30240 * pow(scale, 5));
    corrections -= t * (((t2 - 21) * t2 + 105) * t2 - 105) / (1209600 * pow(scale, 7));
    return root * (scale * normal_tail(t) + density(t) * corrections);
  };
  const Real d = shift, first = floor(epsilon * scale * scale / d + d / 2) + 1;
  return (sum(first - d) - exp(epsilon) * sum(first)) / (1 + 2 * sum(Real(1)));
}

LatticeLoss randomized_response(const Real& epsilon, std::int64_t values) {
  const Real total = exp(epsilon) + (values - 1);
  return {epsilon, -1, {1 / total, (values - 2) / total, exp(epsilon) / total}};
}

Real mixture(const Normals& p, const Normals& q, const Real& epsilon) {
  return std::max(mixture_one_way(p, q, epsilon), mixture_one_way(q, p, epsilon));
}

ExponentialPieces::ExponentialPieces(Real range, Real atom, int n)
    : range_(std::move(range)), atom_(std::move(atom)), n_(n) {
  // Legendre's nodes by Newton's method.
  for (int i = 0; i < kNodes; ++i) {
    Real x = cos(pi() * (Real(i) + Real(0.75)) / (kNodes + Real(0.5))), slope = 0;
    for (int round = 0; round < 12; ++round) {
      Real before = 1, value = x;
      for (int k = 2; k <= kNodes; ++k) {
        const Real next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = kNodes * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    nodes_.push_back(x);
    weights_.push_back(2 / ((1 - x * x) * slope * slope));
  }
}

Real ExponentialPieces::operator()(const Real& epsilon) const {
  const Real down = atom_ * exp(-range_);
  const Real c = (1 - atom_ - down) / (4 * sinh(range_ / 2));
  Real sum = 0;
  for (int i = 0; i <= n_; ++i)
    for (int j = 0; i + j <= n_; ++j) {
      const int m = n_ - i - j;
      if (atom_ <= 0 && m < n_) continue;
      Real ways = exp(log_factorial(n_) - log_factorial(i) - log_factorial(j) - log_factorial(m));
      ways *= pow(atom_, i) * pow(down, j) * pow(c, m);
      const Real shift = (i - j) * range_;
      if (m == 0) {
        if (shift > epsilon) sum += ways * -expm1(epsilon - shift);
      } else {
        sum += ways * continuous(m, shift, epsilon);
      }
    }
  return sum;
}

// ∫ e^{l/2} f_m(l) (1 − e^{ε − l − shift})₊ dl, f_m the m-fold convolution of the indicator of (−E, E).
Real ExponentialPieces::continuous(int m, const Real& shift, const Real& epsilon) const {
  std::vector<Real> signed_choose{1 / exp(log_factorial(m - 1))};  // (−1)^j C(m, j) / (m − 1)!
  for (int j = 1; j < m; ++j) signed_choose.push_back(-signed_choose.back() * (m - j + 1) / j);
  Real sum = 0;
  for (int piece = 0; piece < m; ++piece) {
    const Real knot = (2 * piece - m) * range_, end = knot + 2 * range_;
    const Real from = std::max<Real>(knot, epsilon - shift);
    if (from >= end) continue;
    for (int k = 0; k < kNodes; ++k) {
      const Real l = from + (end - from) * (1 + nodes_[static_cast<std::size_t>(k)]) / 2;
      Real f = 0;
      for (int j = 0; j <= piece; ++j) {
        const Real base = l + (m - 2 * j) * range_;
        Real term = signed_choose[static_cast<std::size_t>(j)];
        for (int power = 1; power < m; ++power) term *= base;
        f += term;
      }
      sum += weights_[static_cast<std::size_t>(k)] * (end - from) / 2 * exp(l / 2) * f * (1 - exp(epsilon - l - shift));
    }
  }
  return sum;
}

}  // namespace chronoveil::accounting::oracle
