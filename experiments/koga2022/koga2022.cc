// Runs the experiments of [Koga22] with our mechanisms beside theirs, and writes their figures as CSV.
//   koga2022 DATA OUT TRIALS     real data from the folder DATA, and Synth; real.csv and synth.csv go to OUT
//   koga2022 --toy OUT TRIALS    made-up data of the same form, small
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "koga2022/datasets.h"
#include "koga2022/trials.h"
#include "program.h"

namespace chronoveil::koga2022 {
namespace {

using experiments::write;

constexpr std::string_view kHeader =
    "dataset,one_over_f,steps,max_steps,mechanism,analysis,scale,trials,mean,deviation\n";

// Every contender under both analyses, one line each.
Result<std::string> table_of(const Dataset& dataset, int one_over_f, int trials) {
  std::string lines;
  for (const Contender& contender : contenders(dataset))
    for (const auto analysis : {accounting::Analysis::published, accounting::Analysis::certified}) {
      CV_TRY(const Errors errors, run_trials(dataset, contender, analysis, trials));
      const char* name = analysis == accounting::Analysis::certified ? "certified" : "published";
      lines += fmt::format("{},{},{},{},\"{}\",{},{:.4f},{},{:.4f},{:.4f}\n", dataset.name, one_over_f,
                           dataset.counts.size(), dataset.max_steps, contender.label, name, errors.scale, trials,
                           errors.mean, errors.deviation);
      fmt::print(stderr, "{:15} 1/{:<3} {:17} {:10} sigma {:8.2f}  error {:7.2f} +- {:.2f}\n", dataset.name, one_over_f,
                 contender.label, name, errors.scale, errors.mean, errors.deviation);
    }
  return lines;
}

Result<void> run(const std::string& data, const std::filesystem::path& out, int trials) {
  const bool toy = data == "--toy";
  std::string real(kHeader), synth(kHeader);
  if (toy) {
    CV_TRY(const std::string lines, table_of(make_toy(), 1, trials));
    real += lines;
  } else {
    for (const auto read : {read_pems_lane, read_gowalla, read_foursquare}) {
      CV_TRY(const Dataset dataset, read(data));
      CV_TRY(const std::string lines, table_of(dataset, 1, trials));
      real += lines;
    }
  }
  CV_CHECK(write(out / "real.csv", real));
  for (const bool noisy : {false, true})
    for (int one_over_f = toy ? 32 : 1; one_over_f <= 64; one_over_f *= 2) {
      // Long series scatter little: a fifth of the trials gives their means to well under a percent.
      CV_TRY(const std::string lines, table_of(make_synth(one_over_f, noisy), one_over_f, toy ? trials : trials / 5));
      synth += lines;
    }
  return write(out / "synth.csv", synth);
}

}  // namespace
}  // namespace chronoveil::koga2022

int main(int argc, char** argv) {
  return chronoveil::experiments::run_program("koga2022", 5, argc, argv, chronoveil::koga2022::run);
}
