// A file that grows: lines count once their newline is there.
#pragma once

#include <memory>
#include <string>

#include "chronoveil/data/live/input.h"
#include "chronoveil/data/live/lines.h"

namespace chronoveil::data {

// The file must exist. Later it may be missing for a while, as when files are rotated.
Result<std::unique_ptr<LiveInput>> follow_file(const std::string& path, LiveLines lines);

}  // namespace chronoveil::data
