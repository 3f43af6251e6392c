// One step of a mechanism, seen by the accountant: its symmetrised privacy profile, exactly at a point and as masses
// of privacy losses on a grid; and, where one of the two directions holds through all steps, each of them alone.
#pragma once

#include <memory>
#include <optional>

#include "chronoveil/accounting/events/kind.h"
#include "chronoveil/accounting/grid/positive_loss.h"

namespace chronoveil::accounting {

// Relative error of LossModel::delta, generously.
inline constexpr long double kProfileError = 1e-12L;
// Relative error of the distance μ between two means, in standard deviations: four roundings of a double. With little
// noise ε/μ − μ/2 cancels and the error exceeds kProfileError, so δ, which grows with μ, is taken at μ(1 ± kMuError).
inline constexpr long double kMuError = 4e-16L;
// Attained and certified values count as equal up to this difference.
inline constexpr double kAttainedGap = 1e-9;

// Which way a pair (P, Q) is read: by the larger of both directions at every α, as P against Q, or as Q against P.
enum class Reading { symmetric, forward, backward };
// Terms summed over all bins of all grids of one question (LossModel::terms): a few seconds at most.
inline constexpr double kMostTerms = 1 << 24;

struct LossHalves {
  PositiveLoss upper;                 // dominates the step once the dots are connected
  std::optional<PositiveLoss> lower;  // dominated by the step once merged; absent when `upper` serves for both
  // What real neighbours show in one direction, if that differs from the symmetric `upper`: losses above and below 0.
  struct OneWay {
    PositiveLoss above, below;
  };
  std::optional<OneWay> attained;
};

// Whether neighbours may show either direction anew at every use, or the same one in all uses.
enum class Directions { free, fixed };

// The two bounds of a step on the grid, in one reading.
struct LossGrids {
  GridLoss upper, lower;
};

class LossModel {
 public:
  virtual ~LossModel() = default;

  // h(e^ε) for ε >= 0, h(α) = max(H_α(P‖Q), H_α(Q‖P)) or the certified bound on it.
  virtual long double delta(double epsilon) const = 0;
  // A lower bound on the same, and on infinite(): what real neighbours are known to attain, if that is less, and
  // without the parts of a sum that were left out and charged to delta().
  virtual long double delta_lower(double epsilon) const { return delta(epsilon); }
  virtual double infinite_lower() const { return infinite(); }
  // A loss above which P has at most `tail` of its mass, not counting infinite losses.
  virtual double top(double tail) const = 0;
  // `bins` bins of width `step`; losses above the last are summed up beyond it. LossHalves::attained only if asked for.
  virtual LossHalves halves(double step, std::size_t bins, bool attained) const = 0;
  // How many terms each bin sums, so that the cost of a grid is known before it is made.
  virtual double terms() const { return 1; }
  // How many terms a grid sums besides, however few its bins.
  virtual double least_terms() const { return 0; }
  // The same on the grid of multiples of `step`. Readings other than the symmetric one need attainable() or directed();
  // their `upper` dominates that direction of a directed() step, and is no bound for others.
  virtual LossGrids grids(double step, std::size_t bins, Reading) const;
  // Whether one direction holds through all uses of the step: the unit is always in the same one of the two data sets.
  // Then each direction may be composed by itself, with the same direction of other such steps and the symmetric
  // reading of the rest; the larger of the two results is the guarantee. Forward: P is the data set with the unit.
  virtual bool directed() const { return false; }
  // Whether both directions, and so all readings, are the same.
  virtual bool symmetric() const { return true; }
  // Losses that carry atoms are multiples of `spacing` (0: there are none); `complete` when all losses are.
  struct Lattice {
    double spacing = 0;
    bool complete = false;
  };
  virtual Lattice lattice() const { return {}; }
  // P-mass of an infinite loss.
  virtual double infinite() const { return 0; }
  // Whether no finite loss exceeds top(0): with δ = 0 a finite ε can hold only then.
  virtual bool bounded() const { return false; }
  // Whether real neighbours attain the profile, so that one use costs exactly delta().
  virtual bool tight() const { return true; }
  // The same at one ε, to within kAttainedGap.
  virtual bool tight_at(double) const { return tight(); }
  // If delta() is slow: a number that is nearly always equal to it, to start a search from.
  virtual std::optional<long double> quick_delta(double) const { return std::nullopt; }
  // The same for once().delta(), which need not be a bound.
  virtual std::optional<long double> guessed_delta(double epsilon) const { return quick_delta(epsilon); }
  // Whether halves() knows what one fixed pair of neighbours shows, step after step.
  virtual bool attainable() const { return tight(); }
  // A model for one use only: a measured bound holds for one use, and may be too low with some probability.
  virtual const LossModel& once() const { return *this; }
  // The probability that delta() is too low at this ε: 0, unless it was measured.
  virtual double beta(double) const { return 0; }
};

// For every event but `compose`; the event must be valid. Ignores `count`.
MadeLoss make_loss_model(const Event&);

// N(μ,1) against N(0,1).
std::unique_ptr<const LossModel> gaussian_model(long double mu);
// Losses ±ε, 0 and, with probability δ, infinite: `pure`, `approximate` and `randomized_response`.
struct Response {
  double epsilon = 0;
  std::int64_t values = 2;
  double delta = 0;
};
std::unique_ptr<const LossModel> response_model(const Response&);

// Adds P-mass at one positive loss: in its bin, or beyond the last.
void add_atom(PositiveLoss&, double loss, double mass);
// Empty bins.
PositiveLoss empty_half(double step, std::size_t bins);

}  // namespace chronoveil::accounting
