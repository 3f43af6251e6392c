#include "chronoveil/accounting/events/stated/pure.h"

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

MadeLoss Pure::loss() const { return response_model({.epsilon = epsilon}); }

Result<Event> Pure::for_replacement() const { return Event{Pure{2 * epsilon}}; }

double Pure::renyi(double order) const { return pure_renyi(epsilon, order); }

}  // namespace chronoveil::accounting
