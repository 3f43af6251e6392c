#include "chronoveil/accounting/events/stated/randomized_response.h"

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

MadeLoss RandomizedResponse::loss() const { return response_model({.epsilon = epsilon, .values = values}); }

Result<Event> RandomizedResponse::for_replacement() const { return Event{Pure{2 * epsilon}}; }

}  // namespace chronoveil::accounting
