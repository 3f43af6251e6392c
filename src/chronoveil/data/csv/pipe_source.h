// Bytes from standard input, a named pipe or a terminal as soon as they are there.
#pragma once

#include <memory>
#include <string>

#include "chronoveil/data/csv/byte_source.h"

namespace chronoveil::data {

// Standard input for "-". A read waits for the first byte, then takes what is there. A signal is `interrupted`; reading
// may go on after it. Opening does not wait for a writer.
Result<std::unique_ptr<ByteSource>> open_pipe(const std::string& path);

}  // namespace chronoveil::data
