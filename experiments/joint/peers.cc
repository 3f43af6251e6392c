#include "joint/peers.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "chronoveil/post/local_level.h"

namespace chronoveil::joint {

std::vector<double> singular_values_shrunk(const std::vector<double>& values, std::int64_t steps, double sigma) {
  using Eigen::MatrixXd;
  const Eigen::Index series = static_cast<Eigen::Index>(values.size()) / steps;
  MatrixXd all = Eigen::Map<const MatrixXd>(values.data(), steps, series);
  const Eigen::RowVectorXd means = all.colwise().mean();
  all.rowwise() -= means;
  const double longer = static_cast<double>(std::max<Eigen::Index>(steps, series));
  const double beta = static_cast<double>(std::min<Eigen::Index>(steps, series)) / longer;
  const double unit = sigma * std::sqrt(longer);
  const Eigen::BDCSVD<MatrixXd> svd(all, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Eigen::VectorXd shrunk = svd.singularValues() / unit;
  for (double& y : shrunk)
    y = y <= 1 + std::sqrt(beta) ? 0 : unit * std::sqrt(std::pow(y * y - beta - 1, 2) - 4 * beta) / y;
  all = svd.matrixU() * shrunk.asDiagonal() * svd.matrixV().transpose();
  all.rowwise() += means;
  return {all.data(), all.data() + all.size()};
}

std::vector<double> local_levels(const std::vector<double>& values, std::int64_t steps, double sigma) {
  std::vector<std::int64_t> every(static_cast<std::size_t>(steps));
  std::iota(every.begin(), every.end(), std::int64_t{0});
  std::vector<double> all;
  for (std::size_t first = 0; first < values.size(); first += every.size()) {
    const post::Samples samples{steps, every, std::span(values).subspan(first, every.size())};
    const double step = post::estimate_step_variance(samples, sigma * sigma).likeliest;
    const std::vector<double> mean = post::smooth(samples, sigma * sigma, step).mean;
    all.insert(all.end(), mean.begin(), mean.end());
  }
  return all;
}

}  // namespace chronoveil::joint
