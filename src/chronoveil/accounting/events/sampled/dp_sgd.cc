#include "chronoveil/accounting/events/sampled/dp_sgd.h"

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"

namespace chronoveil::accounting {

MadeLoss DpSgd::loss() const {
  return subsampled_gaussian_model(1 / static_cast<long double>(noise_multiplier), rate, Directions::fixed);
}

Result<Event> DpSgd::for_replacement() const {
  return Event{
      PoissonSampled{rate, std::make_shared<const Event>(Event{Gaussian{noise_multiplier / 2}}), Relation::replace}};
}

}  // namespace chronoveil::accounting
