// The fields of events as options of the command line: one option per name, whichever kinds have a field of that name.
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

// `count`, then by kind in the order of the list. Fields without help exist only in JSON.
const std::vector<EventOption>& event_options();

}  // namespace chronoveil::accounting
