// The control of a_live_process_cannot_see_counts: the same header, and the question that has an answer.
// layer: mechanisms
// expect-success
#include "chronoveil/mechanisms/live.h"

auto look(chronoveil::mechanisms::Answers& answers) { return answers.count(0, 1.0); }
