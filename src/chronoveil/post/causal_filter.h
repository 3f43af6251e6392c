// What a series is now, from noisy values of it up to now: the live counterpart of shrink. Post-processing: it sees
// released values and public facts only.
#pragma once

#include <cstdint>
#include <memory>

#include "chronoveil/base/state_words.h"

namespace chronoveil::post {

struct CausalSpec {
  double noise_variance = 0;  // R > 0
  std::int64_t season = 0;    // public: steps after which the series roughly repeats; 0: none
};

struct CausalValue {
  double mean = 0;
  double variance = 0;  // of the truth around the mean; infinity before the first value
};

// A bank of state-space models (local level, local trend, public season, each with process variances on a grid),
// weighted by the likelihood of their past innovations.
class CausalFilter {
 public:
  explicit CausalFilter(const CausalSpec&);
  CausalFilter(CausalFilter&&) noexcept;
  ~CausalFilter();

  // One step further, with the value measured there.
  CausalValue update(double measured);
  // One step further without a value: the prediction.
  CausalValue predict();

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace chronoveil::post
