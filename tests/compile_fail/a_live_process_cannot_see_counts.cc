// A live process asks, and gets answers that have their noise. There is nothing else to ask for.
// layer: mechanisms
// expect-error: has no member named 'counts'
#include "chronoveil/mechanisms/live.h"

auto look(chronoveil::mechanisms::Answers& answers) { return answers.counts(); }
