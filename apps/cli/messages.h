// What is said on stderr to a program that called this one: with CHRONOVEIL_MESSAGES=json one JSON object a line.
//   {"error": {"kind": 2, "parameter": "privacy.epsilon", "value": "-1", "valid": "...", "text": "`privacy.epsilon`: ..."}}
//   {"note": "..."}
//   {"progress": "training", "share": 0.25}   the share only where it is known
// A signal that ends the program, and lack of memory, are still told as text: there is no time to write anything else.
#pragma once

#include <optional>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

bool messages_are_json();

void tell_error(const Error&);
void tell_note(std::string_view text);
void tell_progress(std::string_view text, std::optional<double> share);

}  // namespace chronoveil::cli
