#include "commands.h"

#include <unistd.h>

#include <cstdio>

namespace chronoveil::cli {

void add_machine_options(CLI::App& command, Machine& machine) {
  command.add_option("--device", machine.device, "cpu (the default), or cuda where libtorch has it");
  command.add_option("--threads", machine.threads, "Threads of the processor; as many as it has cores unless given");
}

Result<void> apply(const Machine& machine) {
  if (!machine.threads) return {};
  if (*machine.threads < 1 || *machine.threads > 1024)
    return invalid("--threads", std::to_string(*machine.threads), "a number from 1 to 1024");
  torch::set_num_threads(static_cast<int>(*machine.threads));
  return {};
}

Result<engine::Job> training_job(const std::string& path) {
  CV_TRY(engine::Job job, engine::read_job(path));
  if (!job.train.given)
    return fail(ErrorKind::usage, path + ": train: the job has no section [train]; use chronoveil run");
  return job;
}

ProgressLine::ProgressLine() : on_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (on_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::tell(std::string_view text) const {
  if (on_) std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(text.size()), text.data());
}

}  // namespace chronoveil::cli
