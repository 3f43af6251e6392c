#include "chronoveil/accounting/loss_model.h"

namespace chronoveil::accounting {

Result<std::unique_ptr<const LossModel>> noisy_sort_model(const NoisySort& e) {
  if (e.max_shift) return fail(ErrorKind::cannot_certify, "max_shift: a price for truncated keys is not there yet");
  return response_model(e.epsilon, 2, 0);
}

}  // namespace chronoveil::accounting
