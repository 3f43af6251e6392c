// The formulas of post/joint/*.h written out with full matrices, explicit basis vectors and a singular value
// decomposition: what the quick implementation must agree with.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "post/shrink_directly.h"

namespace chronoveil::post::direct {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline Reals reals(const VectorXd& v) { return {v.begin(), v.end()}; }
inline VectorXd vector(const Reals& v) {
  VectorXd all(static_cast<Eigen::Index>(v.size()));
  for (std::size_t t = 0; t < v.size(); ++t) all[static_cast<Eigen::Index>(t)] = static_cast<double>(v[t]);
  return all;
}

class JointDirectly {
 public:
  // One column per series, in units of the noise.
  JointDirectly(MatrixXd z, std::size_t season, std::vector<std::vector<Eigen::Index>> groups = {},
                std::vector<Eigen::Index> season_starts = {})
      : z_(std::move(z)),
        T_(z_.rows()),
        S_(z_.cols()),
        K_(std::min<Eigen::Index>(S_, 8)),
        season_(season),
        starts_(std::move(season_starts)),
        vectors_(basis(static_cast<std::size_t>(T_))) {
    smooth_.resize(T_, S_);
    for (Eigen::Index s = 0; s < S_; ++s) smooth_.col(s) = vector(shrunk(z_.col(s)).estimate);
    for (Eigen::Index fold = 0; fold < K_; ++fold) learn(fold);
    for (Eigen::Index s = 0; s < S_; ++s) {
      all_.push_back(dictionary(reals(z_.col(s)), season_, vectors_));
      of_dictionary_ = all_.back().size();
      for (const Candidate& one : joint_candidates(s)) all_.back().push_back(one);
    }
    weigh();
    mix();
    if (starts_.empty() && season > 1 && 2 * static_cast<Eigen::Index>(season) <= T_)
      for (Eigen::Index t = static_cast<Eigen::Index>(season); t < T_; t += static_cast<Eigen::Index>(season))
        starts_.push_back(t);
    for (const std::vector<Eigen::Index>& group : groups) group_variances.push_back(hold_totals(group));
    std::vector<Eigen::Index> every;
    for (Eigen::Index s = 0; s < S_; ++s) every.push_back(s);
    total_variance = hold_totals(every);
  }

  MatrixXd estimates, variances;
  VectorXd total_variance;
  std::vector<VectorXd> group_variances;

 private:
  struct Fold {
    MatrixXd F;
    VectorXd E;
    VectorXd gamma, beta, tau;
    double phi = 0;
  };

  Mixed shrunk(const VectorXd& z, std::size_t season) const {
    const std::vector<Reals> vectors = basis(static_cast<std::size_t>(z.size()));
    const std::vector<Candidate> all = dictionary(reals(z), season, vectors);
    return mixed(all, weights(all, Reals(all.size(), 1)), vectors);
  }
  Mixed shrunk(const VectorXd& z) const { return shrunk(z, season_); }

  double c0(Eigen::Index s) const { return std::sqrt(static_cast<double>(T_)) * z_.col(s).mean(); }

  void learn(Eigen::Index number) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index s = 0; s < S_; ++s)
      if (s % K_ != number) others.push_back(s);
    const double So = static_cast<double>(others.size());
    Fold fold;
    const MatrixXd zo = z_(Eigen::all, others);
    MatrixXd X = smooth_(Eigen::all, others).transpose();  // one row per series
    X = X.colwise() - X.rowwise().mean().eval();
    const Eigen::JacobiSVD<MatrixXd> svd(X, Eigen::ComputeThinU);
    Eigen::Index r = 0;
    while (r < std::min<Eigen::Index>(16, T_ / 4) && r < svd.singularValues().size() &&
           svd.singularValues()[r] > 1e-7 * svd.singularValues()[0])
      ++r;
    fold.F.resize(T_, 0);
    for (Eigen::Index j = 0; j < r; ++j) {
      const VectorXd U = svd.matrixU().col(j);
      VectorXd seen = VectorXd::Zero(T_);
      for (Eigen::Index o = 0; o < zo.cols(); ++o) seen += U[o] * (zo.col(o).array() - zo.col(o).mean()).matrix();
      const Mixed component = shrunk(seen);
      fold.phi += U.sum() * U.sum() / So * static_cast<double>(component.divergence) / static_cast<double>(T_);
      VectorXd f = vector(component.estimate);
      f.array() -= f.mean();
      const double size = f.norm();
      for (int pass = 0; pass < 2; ++pass)
        for (Eigen::Index before = 0; before < fold.F.cols(); ++before)
          f -= fold.F.col(before).dot(f) * fold.F.col(before);
      if (f.norm() < 1e-3 * size + 1e-6) continue;
      fold.F.conservativeResize(Eigen::NoChange, fold.F.cols() + 1);
      fold.F.rightCols(1) = f.normalized();
    }
    fold.phi = std::min(1.0, fold.phi);
    fold.E = envelope(zo);

    const Eigen::Index curves = fold.F.cols();
    fold.gamma = fold.beta = VectorXd::Zero(curves);
    fold.tau = VectorXd::Ones(curves);
    for (Eigen::Index j = 0; j < curves; ++j) {
      for (Eigen::Index o = 0; o < zo.cols(); ++o)
        fold.gamma[j] += (std::pow(fold.F.col(j).dot(zo.col(o)), 2) - 1) / So;
      fold.gamma[j] = std::max(1e-6, fold.gamma[j]);
      for (int pass = 0; pass < 5; ++pass) {
        double ac = 0, cc = 0, excess = 0, kk = 0;
        const auto each = [&](auto&& add) {
          for (const Eigen::Index s : others) {
            const double k = std::max(c0(s) * c0(s) - 1, 0.0);
            add(fold.F.col(j).dot(z_.col(s)), c0(s), k, 1 / (1 + fold.tau[j] * k));
          }
        };
        each([&](double a, double c, double, double w) { ac += w * a * c, cc += w * c * c; });
        fold.beta[j] = ac / std::max(1e-12, cc);
        each([&](double a, double c, double k, double w) {
          excess += w * w * k * (std::pow(a - fold.beta[j] * c, 2) - 1);
          kk += w * w * k * k;
        });
        fold.tau[j] = std::max(1e-8, excess / std::max(1e-12, kk));
      }
    }
    folds_.push_back(fold);
  }

  VectorXd envelope(const MatrixXd& zo) const {
    if (zo.cols() < 8) return VectorXd::Ones(T_);
    VectorXd v = VectorXd::Zero(T_);
    for (Eigen::Index o = 0; o < zo.cols(); ++o)
      for (Eigen::Index t = 0; t < T_; ++t) {
        const bool end = t == 0 || t == T_ - 1;
        const double before = zo(t == 0 ? 1 : t - 1, o), after = zo(t == T_ - 1 ? T_ - 2 : t + 1, o);
        const double rho = (2 * zo(t, o) - before - after) / std::sqrt(end ? 8 : 6);
        v[t] += rho * rho / static_cast<double>(zo.cols());
      }
    const double noise = std::sqrt(2 / static_cast<double>(zo.cols())) * std::max(1.0, v.mean());
    VectorXd e = noise * vector(shrunk(((v.array() - 1) / noise).matrix()).estimate);
    const double least = 0.02 * std::max(e.mean(), 1e-3);
    for (double& one : e) one = std::max(one, least);
    return e / e.mean();
  }

  std::vector<Candidate> joint_candidates(Eigen::Index s) const {
    const Fold& fold = folds_[static_cast<std::size_t>(s % K_)];
    const Eigen::Index curves = fold.F.cols();
    const VectorXd z = z_.col(s), a = fold.F.transpose() * z, q = z - fold.F * a;
    std::vector<VectorXd> means, kept;  // μ and D
    means.push_back(VectorXd::Zero(curves));
    kept.push_back(VectorXd::Ones(curves));
    for (const double alpha : {0.1, 1.0, 10.0}) {
      means.push_back(VectorXd::Zero(curves));
      kept.push_back((alpha * fold.gamma.array() / (1 + alpha * fold.gamma.array())).matrix());
    }
    for (const double alpha : {0.1, 1.0, 10.0}) {
      const Eigen::ArrayXd g = alpha * fold.tau.array() * std::max(c0(s) * c0(s), 1.0);
      means.push_back(fold.beta * c0(s));
      kept.push_back((g / (1 + g)).matrix());
    }
    std::vector<Candidate> all;
    for (const MatrixXd& M : dampers())
      for (std::size_t o = 0; o < kept.size(); ++o)
        for (const double omega : {0.0, 0.03, 0.1, 0.3, 1.0, 3.0}) {
          const VectorXd shares = (1 + omega * fold.E.array()).inverse().matrix();
          const MatrixXd drop = (VectorXd::Ones(curves) - kept[o]).asDiagonal();
          const VectorXd e = shares.cwiseProduct(M * q + fold.F * drop * (a - means[o]));
          const MatrixXd slope = shares.asDiagonal() * (M * (MatrixXd::Identity(T_, T_) - fold.F * fold.F.transpose()) +
                                                        fold.F * drop * fold.F.transpose());
          Candidate one;
          one.estimate = reals(z - e);
          one.variance = reals(VectorXd::Ones(T_) - slope.diagonal());
          one.risk = Real{e.squaredNorm()} + static_cast<Real>(T_) - 2 * Real{slope.trace()};
          all.push_back(one);
        }
    return all;
  }

  std::vector<MatrixXd> dampers() const {
    std::vector<MatrixXd> all;
    const double T = static_cast<double>(T_);
    const auto add = [&](auto&& share) {
      MatrixXd M = MatrixXd::Zero(T_, T_);
      for (Eigen::Index k = 1; k < T_; ++k) {
        const VectorXd phi_k = vector(vectors_[static_cast<std::size_t>(k)]);
        M += share(k) * phi_k * phi_k.transpose();
      }
      all.push_back(M);
    };
    for (const int order : {1, 2})
      for (double kappa = 0.25; kappa <= 8 * T; kappa *= 2)
        add([&](Eigen::Index k) {
          const double mu = 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k) / T);
          return 1 / (1 + std::pow(std::pow(std::numbers::pi * kappa / T, 2) / mu, order));
        });
    add([](Eigen::Index) { return 1.0; });
    return all;
  }

  void weigh() {
    const double So = static_cast<double>(S_ - (S_ + K_ - 1) / K_), P = 0.5 * So / (So + 4);
    const std::size_t n = all_.front().size();
    Reals base(n, P / static_cast<double>(n - of_dictionary_));
    for (std::size_t i = 0; i < of_dictionary_; ++i) base[i] = (1 - P) / static_cast<double>(of_dictionary_);
    std::vector<Reals> priors(static_cast<std::size_t>(K_), base);
    for (int pass = 0; pass <= 3; ++pass) {
      weights_.clear();
      for (Eigen::Index s = 0; s < S_; ++s)
        weights_.push_back(weights(all_[static_cast<std::size_t>(s)], priors[static_cast<std::size_t>(s % K_)]));
      for (Eigen::Index fold = 0; fold < K_; ++fold) {
        Reals sum = base;
        Real others = 0;
        for (Real& one : sum) one *= 10;
        for (Eigen::Index s = 0; s < S_; ++s) {
          if (s % K_ == fold) continue;
          ++others;
          for (std::size_t i = 0; i < n; ++i) sum[i] += weights_[static_cast<std::size_t>(s)][i];
        }
        for (Real& one : sum) one /= 10 + others;
        priors[static_cast<std::size_t>(fold)] = sum;
      }
    }
  }

  void mix() {
    estimates.resize(T_, S_);
    variances.resize(T_, S_);
    VectorXd delta(S_);
    for (Eigen::Index s = 0; s < S_; ++s) {
      const Reals& weight = weights_[static_cast<std::size_t>(s)];
      const Mixed one = mixed(all_[static_cast<std::size_t>(s)], weight, vectors_);
      estimates.col(s) = vector(one.estimate);
      estimates.col(s).array() += (z_.col(s) - estimates.col(s)).mean();
      variances.col(s) = vector(one.variance);
      delta[s] = static_cast<double>(one.stein - mean(one.variance));
      own_noise_.push_back(static_cast<double>(one.divergence) / static_cast<double>(T_));
      joint_weight_.push_back(0);
      for (std::size_t i = of_dictionary_; i < weight.size(); ++i)
        joint_weight_.back() += static_cast<double>(weight[i]);
    }
    const double v = 2 / static_cast<double>(T_), S = static_cast<double>(S_);
    const double A = std::max(0.0, (delta.array() - delta.mean()).square().sum() / (S - 1) - v), b = A / (A + v);
    for (Eigen::Index s = 0; s < S_; ++s) {
      variances.col(s).array() +=
          std::max(0.0, delta.mean() + b * (delta[s] - delta.mean()) + std::sqrt(v * (b + 4 * (1 - b) / S)));
      variances.col(s) = variances.col(s).cwiseMin(1);
    }
  }

  // C, with "0" beside the dictionary.
  VectorXd real_part(const VectorXd& d, std::size_t season) const {
    const std::vector<Reals> vectors = basis(static_cast<std::size_t>(d.size()));
    std::vector<Candidate> all = dictionary(reals(d), season, vectors);
    Reals prior(all.size(), 0.5L / static_cast<Real>(all.size()));
    const Reals zero(static_cast<std::size_t>(d.size()), 0);
    all.push_back({zero, zero, Real{d.squaredNorm()} - static_cast<Real>(d.size()), {}, {}});
    prior.push_back(0.5L);
    return vector(mixed(all, weights(all, prior), vectors).estimate);
  }

  // Corrects the estimates of these series; gives the variance of their sum, over their number.
  VectorXd hold_totals(const std::vector<Eigen::Index>& members) {
    const double S = static_cast<double>(members.size()), T = static_cast<double>(T_);
    const VectorXd y = z_(Eigen::all, members).rowwise().sum() / std::sqrt(S);
    double phi = 0, own_noise = 0, joint_weight = 0, uncertainty = 0;
    for (const Fold& fold : folds_) phi += fold.phi / static_cast<double>(K_);
    for (const Eigen::Index s : members) {
      own_noise += own_noise_[static_cast<std::size_t>(s)] / S;
      joint_weight += joint_weight_[static_cast<std::size_t>(s)] / S;
      uncertainty += variances.col(s).mean() / S;
    }
    const double h = own_noise + (1 - own_noise) * phi * S / static_cast<double>(S_) * joint_weight;
    const double n = std::sqrt(std::max(1 - h, 0.02));
    const auto give = [&](const VectorXd& c) {
      for (const Eigen::Index s : members)
        estimates.col(s) += variances.col(s).mean() / (S * uncertainty) * std::sqrt(S) * c;
    };
    const auto left = [&]() -> VectorXd { return y - estimates(Eigen::all, members).rowwise().sum() / std::sqrt(S); };
    give(n * real_part(left() / n, season_));
    const Mixed total = shrunk(y);
    VectorXd variance = vector(total.variance);
    variance.array() += std::max(0.0, static_cast<double>(total.stein - mean(total.variance)) + std::sqrt(2 / T));
    if (!starts_.empty()) {
      const VectorXd rest = left();
      std::vector<double> sums, lengths;
      std::vector<Eigen::Index> block(static_cast<std::size_t>(T_));
      for (Eigen::Index t = 0; t < T_; ++t) {
        if (t == 0 || std::find(starts_.begin(), starts_.end(), t) != starts_.end()) {
          sums.push_back(0);
          lengths.push_back(0);
        }
        block[static_cast<std::size_t>(t)] = static_cast<Eigen::Index>(sums.size()) - 1;
        sums.back() += rest[t];
        ++lengths.back();
      }
      const double m = static_cast<double>(sums.size());
      VectorXd D(static_cast<Eigen::Index>(sums.size()));
      for (std::size_t b = 0; b < sums.size(); ++b) D[static_cast<Eigen::Index>(b)] = sums[b] / std::sqrt(lengths[b]);
      if (m / (T * S) <= 0.03 * uncertainty)
        variance.array() += m / T;
      else
        D = n * real_part(D / n, 0);
      VectorXd c(T_);
      for (Eigen::Index t = 0; t < T_; ++t) {
        const Eigen::Index b = block[static_cast<std::size_t>(t)];
        c[t] = D[b] / std::sqrt(lengths[static_cast<std::size_t>(b)]);
      }
      give((c.array() - c.mean()).matrix());
    }
    return variance.cwiseMin(1);
  }

  MatrixXd z_, smooth_;
  Eigen::Index T_, S_, K_;
  std::size_t season_, of_dictionary_ = 0;
  std::vector<Eigen::Index> starts_;
  std::vector<Reals> vectors_;
  std::vector<Fold> folds_;
  std::vector<std::vector<Candidate>> all_;
  std::vector<Reals> weights_;
  std::vector<double> own_noise_, joint_weight_;  // of each series
};

}  // namespace chronoveil::post::direct
