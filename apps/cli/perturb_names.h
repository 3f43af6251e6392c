// Messages about a job with [perturb] name its keys; this puts the names of options in their place.
#pragma once

#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

// "privacy.analysis = \"published\" runs it" becomes "--analysis published runs it", wherever a key stands in the text.
std::string with_perturb_options(std::string text);
// The same for an error, which also starts with the name of what is to blame.
Error with_perturb_options(Error);

}  // namespace chronoveil::cli
