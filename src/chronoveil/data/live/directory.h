// A directory where files appear, each whole: one step, or several.
#pragma once

#include <memory>
#include <string>

#include "chronoveil/data/live/input.h"
#include "chronoveil/data/live/lines.h"

namespace chronoveil::data {

// `may_be_empty`: an empty file has no rows and is no error.
Result<std::unique_ptr<LiveInput>> open_directory(const std::string& path, bool follow, FileOrder, bool may_be_empty,
                                                  LiveLines lines);

}  // namespace chronoveil::data
