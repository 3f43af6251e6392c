// What the main() of each program does: parse the command line, run one command, turn errors into exit codes.
#pragma once

#include <initializer_list>
#include <string_view>

#include "command.h"

namespace chronoveil::cli {

using AddCommand = void (*)(CLI::App&, CommandContext&);

// `name` as in --version and --help. Messages on stderr begin with "chronoveil: " whichever program it is.
int run_program(int argc, char** argv, std::string_view name, std::string_view description, std::string_view example,
                std::initializer_list<AddCommand> commands);

}  // namespace chronoveil::cli
