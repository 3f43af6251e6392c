// The leading eigenvectors of a symmetric matrix without negative eigenvalues.
#pragma once

#include <Eigen/Core>

namespace chronoveil::post::joint {

struct Leading {
  Eigen::VectorXd values;   // descending
  Eigen::MatrixXd vectors;  // one column each
};

// At most `count`: those above kRank times the largest. Small matrices are solved directly; larger ones by subspace
// iteration from `start` (no columns: from fixed vectors), until each vector v has |Gv − λv| <= 10⁻¹⁰ λ_1 or
// kIterations are done. Vectors that close to each other in eigenvalue may then still be mixed with each other, which
// harms nothing here: any good basis will do, and it is the same on every run.
// `start` becomes the whole subspace, a start for similar matrices.
//   Edges   a matrix of zeros, or of no rows, has none
inline constexpr double kRank = 1e-14;
inline constexpr int kIterations = 60;
Leading leading(const Eigen::MatrixXd& matrix, Eigen::Index count, Eigen::MatrixXd& start);

}  // namespace chronoveil::post::joint
