// Smooths means per place and slot that were measured with independent noise of mean 0 and a known deviation s, which
// may differ from cell to cell. It sees released values and public facts only: post-processing.
//
// In units of a typical s, with w = 1/s² and w = 0 where there is no cell, a candidate is
//   b       what the place has in common with the others: a level, or a level and a course (course.h), learned from the
//           places of other folds, so that it is constant for the cell's own noise
//   m = b + N/(D + κ),  N = Σ k w (z − b),  D = Σ k w    over cells near in place and near in time: k is the product of
//           two kernels (reach.h); κ pulls towards b, as if b had been measured κ times
//   x̂ = m + g (z − m),  g = τ²w/(1 + τ²w)    g is how much of its own value a cell keeps, τ how far a cell differs from
//           its neighbours                                                                         [FayHerriot79]
// for every reach in place and time, κ = 0, 1, 4, ..., 256, τ² = 0, 1/16, 1/4, ..., 16. With w/(D + κ) = ℓ it is affine
// in the cell's own value with slope H = g + (1 − g)ℓ, exactly: nothing has to be inverted or probed. So
//   R = Σ (z − x̂)² w − n + 2 Σ H
// is an unbiased estimate of Σ (x̂ − x)² w, in units of the noise [Stein81]; for that the noise needs its mean and its
// variance, not a law. Published is the mixture Σ p x̂, p ∝ exp(−R/4). That the mixture is nearly as good as the best
// candidate is a theorem for Gaussian noise and other families of candidates [LeungBarron06, DalalyanSalmon12]; here,
// and under Laplace noise, it is what experiments show. The values as measured are one of the candidates.
//
// Variance of a cell over s²: V = Σ p (H + (x̂ − mixture)² w), raised equally until its mean is at least Σ p R/n + √((κ₄
// − 1)/n), Stein's estimate and its standard error, κ₄ the noise's fourth moment over the square of its variance; at
// most 1. Intervals hold on average over the cells, not for each.
//
// Errors of smoothed cells share a bias, which adds up. So the mean of all cells is given back: each gets its part,
// in proportion to V s², of how far the smoothed mean is from the measured one; the noise of that is Σ s²/n², which is
// added to every variance. That is done where it costs little, Σ s²/n² at most 0.03 of the mean of V s².
//   Edges   fewer than two cells: as measured, V = 1. One place: b = 0 and κ = 0 alone
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/post/cells/reach.h"

namespace chronoveil::post {

struct CellsSpec {
  std::int64_t places = 1, steps = 1;
  std::vector<cells::Middle> middles = {};  // of the places; empty: nobody knows which are near
  std::int64_t season = 0;                  // steps after which a place looks alike again, such as a day; 0: none
  double fourth_moment = 3;                 // κ₄ of the noise: 3 of a normal law, 6 of Laplace's
};

struct SmoothedCells {
  std::vector<double> values;
  std::vector<double> widths;  // √V: of the interval, over that of the cell as measured
};

// place * T + step. A deviation of 0 says that there is no cell; its value may be anything, and stays.
SmoothedCells smooth_cells(std::span<const double> values, std::span<const double> deviations, const CellsSpec&);

}  // namespace chronoveil::post
