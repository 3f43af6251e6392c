// What is said about a job with [perturb] names its keys; who typed options knows them by another name.
#pragma once

#include <string>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

// "privacy.analysis = \"published\" runs it" becomes "--analysis published runs it", wherever a key stands in the text.
std::string with_perturb_options(std::string text);
// The same of an error, which also starts with the name of what is to blame.
Error with_perturb_options(Error);

}  // namespace chronoveil::cli
