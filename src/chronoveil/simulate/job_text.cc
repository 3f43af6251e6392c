#include "chronoveil/simulate/job_text.h"

#include <fmt/format.h>

#include <string_view>

#include "chronoveil/base/toml_text.h"

namespace chronoveil::simulate {
namespace {

std::string line(std::string_view key, const std::optional<std::string>& value) {
  return value ? fmt::format("{} = {}\n", key, toml_text(*value)) : std::string();
}

std::string ending(const JobPaths& paths) {
  return "[mechanism]\nname = \"auto\"\n[output]\n" + line("csv", paths.csv) + line("json", paths.json) +
         line("report", paths.report);
}

}  // namespace

std::string job_text(const JobFacts& facts, const std::vector<std::string>& keys, const JobPaths& paths) {
  std::string text = "version = 1\n[dataset]\n" + line("name", facts.dataset);
  text += "[source]\nkind = \"csv\"\n" + line("path", paths.data) + line("user", facts.user) +
          line("time", facts.time) + line("series", facts.series) + line("value", facts.value) +
          line("zone", facts.zone);
  if (facts.means)
    text += line("value", facts.means->value) + line("longitude", facts.means->longitude) +
            line("latitude", facts.means->latitude);
  text += "[slots]\n" + line("start", facts.start + "T00:00") + line("end", facts.end + "T00:00") +
          line("length", facts.length);
  if (facts.means) {
    const MeansFacts& means = *facts.means;
    text += fmt::format("[places]\nwest = {}\nsouth = {}\neast = {}\nnorth = {}\nsize = {}\n", means.west, means.south,
                        means.east, means.north, means.size);
    text += fmt::format(
        "[means]\nlower = 0\nupper = {}\n# where vehicles are, and when, is public; their values are not\n"
        "counts = \"public\"\n# {}\nmax_cells = {}\nsparse_below = {}\n",
        means.upper, facts.caps_reason, means.max_cells, means.sparse_below);
    text += "[privacy]\nunit = \"user\"\nepsilon = 1.0\n";
    return text + ending(paths);
  }
  if (!keys.empty()) {
    text += "[series]\n";
    if (!paths.keys.empty()) {
      text += line("list", paths.keys);
    } else {
      text += "keys = [";
      for (std::size_t i = 0; i < keys.size(); ++i) text += (i == 0 ? "" : ", ") + toml_text(keys[i]);
      text += "]\n";
    }
  }
  text += "[privacy]\nunit = \"user\"\n# " + facts.caps_reason + "\n";
  text += facts.max_steps ? fmt::format("max_steps = {}\n", *facts.max_steps) : "max_steps = \"all\"\n";
  text += fmt::format("max_per_slot = {}\nepsilon = 1.0\ndelta = 1e-6\n", facts.max_per_slot);
  return text + ending(paths);
}

}  // namespace chronoveil::simulate
