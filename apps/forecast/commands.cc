#include "commands.h"

#include <cstdio>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"

namespace chronoveil::cli {

void add_machine_options(CLI::App& command, Machine& machine) {
  command.add_option("--device", machine.device, "cpu (the default), or cuda where libtorch has it");
  command.add_option("--threads", machine.threads, "Threads of the processor; as many as it has cores unless given");
}

Result<void> apply(const Machine& machine, const training::Networks* networks) {
  if (machine.threads && (*machine.threads < 1 || *machine.threads > 1024))
    return invalid("--threads", std::to_string(*machine.threads), "a number from 1 to 1024");
  return training::use_machine(networks, machine.device, machine.threads);
}

bool NetworkDoor::leads_away_for(const std::string& model) const {
  return networks == nullptr && forecasting::is_network(model);
}

Result<engine::Job> training_job(const std::string& path) {
  CV_TRY(engine::Job job, engine::read_job(path));
  if (!job.is<engine::TrainSpec>())
    return fail(ErrorKind::usage, path + ": train: the job has no section [train]; use chronoveil run");
  return job;
}

Result<void> check_outputs(const NamedFiles& outputs, const NamedFiles& inputs, bool json) {
  bool taken = json;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, path] = outputs[i];
    if (path.empty()) continue;
    if (path == "-" && std::exchange(taken, true))
      return fail(ErrorKind::usage, option, "standard output is taken; name a file");
    for (const auto& [name, other] : inputs)
      if (engine::same_file(path, other))
        return fail(ErrorKind::usage, option, "'" + path + "' is " + name + "; it would be overwritten");
    for (std::size_t j = 0; j < i; ++j)
      if (engine::same_file(path, outputs[j].second))
        return fail(ErrorKind::usage, option, "'" + path + "' is " + outputs[j].first + " too");
    CV_CHECK(check_writable(option, path));
  }
  return {};
}

}  // namespace chronoveil::cli
