// The fields of events as options of the command line: one option a name, whichever kinds have a field of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chronoveil::accounting {

struct EventOption {
  enum class Form { number, whole, wholes, text, event };
  std::string_view name;  // of the field in JSON
  Form form = Form::number;
  std::string help;  // "time_subsampling: probability that a step is kept; poisson_sampled, dp_sgd: ..."
};

// `count`, then by the kinds in the order of their list. Fields without help are for JSON alone.
const std::vector<EventOption>& event_options();

}  // namespace chronoveil::accounting
