#include "chronoveil/post/joint/leading.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace chronoveil::post::joint {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kDirect = 96;  // rows of a matrix that is solved directly
constexpr double kConverged = 1e-10;

// Vectors in general position, the same every time: multiples of the golden ratio, modulo 1.
MatrixXd fixed_vectors(Index rows, Index columns) {
  MatrixXd all(rows, columns);
  double turn = 0;
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) {
      turn += 0.6180339887498949;
      turn -= std::floor(turn);
      all(i, j) = turn - 0.5;
    }
  return all;
}

MatrixXd orthonormal(const MatrixXd& vectors) {
  return Eigen::HouseholderQR<MatrixXd>(vectors).householderQ() * MatrixXd::Identity(vectors.rows(), vectors.cols());
}

Leading above_rank(const VectorXd& ascending, const MatrixXd& vectors, Index count) {
  const Index size = ascending.size();
  Index rank = 0;
  while (rank < std::min(count, size) && ascending[size - 1 - rank] > kRank * ascending[size - 1]) ++rank;
  return {ascending.tail(rank).reverse(), vectors.rightCols(rank).rowwise().reverse()};
}

}  // namespace

Leading leading(const MatrixXd& matrix, Index count, MatrixXd& start) {
  const Index size = matrix.rows();
  if (size == 0 || matrix.cwiseAbs().maxCoeff() == 0) return {VectorXd(0), MatrixXd(size, 0)};
  if (size <= kDirect) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
    return above_rank(solver.eigenvalues(), solver.eigenvectors(), count);
  }
  // More vectors than asked for: what is asked for then converges at the rate of the eigenvalue beyond all of them.
  const Index width = std::min(size, 2 * count + 8);
  MatrixXd basis = orthonormal(start.cols() == width ? start : fixed_vectors(size, width));
  for (int iteration = 0;; ++iteration) {
    const MatrixXd image = matrix.selfadjointView<Eigen::Lower>() * basis;
    const MatrixXd small = basis.transpose() * image;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(0.5 * (small + small.transpose()));
    const MatrixXd& turn = solver.eigenvectors();
    const Index kept = std::min(count, width);
    const MatrixXd wanted = basis * turn.rightCols(kept);
    const MatrixXd off =
        image * turn.rightCols(kept) - wanted * solver.eigenvalues().tail(kept).asDiagonal().toDenseMatrix();
    if (iteration == kIterations || off.colwise().norm().maxCoeff() <= kConverged * solver.eigenvalues()[width - 1]) {
      start = basis * turn;
      return above_rank(solver.eigenvalues(), start, count);
    }
    basis = orthonormal(image * turn);
  }
}

}  // namespace chronoveil::post::joint
