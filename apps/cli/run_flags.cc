#include "run_flags.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "command.h"
#include "debit_prompt.h"
#include "ledger_option.h"
#include "output/progress_line.h"

namespace chronoveil::cli {
Result<engine::RunOptions> options_of(const RunFlags& flags) {
  engine::RunOptions options;
  options.ledger = flags.ledger;
  options.confirmed = flags.yes;
  options.allow_empty = flags.allow_empty;
  options.allow_uninformative = flags.allow_uninformative;
  if (flags.seed) {
    std::uint64_t seed = 0;
    const char* const end = flags.seed->data() + flags.seed->size();
    const auto parsed = std::from_chars(flags.seed->data(), end, seed);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      return invalid("--seed", *flags.seed, "a whole number between 0 and 2^64 - 1");
    options.seed = seed;
  }
  if (flags.noise_from || flags.keep_from) options.replay.emplace();
  if (flags.noise_from) {
    CV_TRY(options.replay->noise, engine::read_numbers("--noise-from", *flags.noise_from));
  }
  if (flags.keep_from) {
    CV_TRY(options.replay->kept, engine::read_integers("--keep-from", *flags.keep_from));
  }
  return options;
}

void add_uninformative_flag(CLI::App& command, bool& allow) {
  command.add_flag("--allow-uninformative", allow,
                   "Release although no interval would say more than the public bounds do");
}

void add_look_flags(CLI::App& command, RunFlags& flags) {
  add_ledger_option(command, flags.ledger);
  add_clock_flag(command);
  command.add_flag(
      "--yes", flags.yes,
      "Debit without a question, even the same job over the same span a second time, and replace its outputs");
  command.add_flag("--allow-empty", flags.allow_empty, "Release although no row of the data counts");
  command.add_option("--again", flags.again, "Emit the stored release of this debit anew, at no cost");
  command.add_flag("--dry-run", flags.dry_run, "Plan only: no ledger, no data");
  command.add_option("--seed", flags.seed, "For tests and experiments only: not private, touches no ledger");
}

void add_run_flags(CLI::App& command, RunFlags& flags) {
  add_look_flags(command, flags);
  add_uninformative_flag(command, flags.allow_uninformative);
}

void add_replay_flags(CLI::App& command, RunFlags& flags) {
  command.add_option("--noise-from", flags.noise_from,
                     "For tests only: numbers to use as noise, in order; not private, touches no ledger");
  command.add_option("--keep-from", flags.keep_from,
                     "For tests only: the steps to keep, from 0; not private, touches no ledger");
}

void add_analysis_option(CLI::App& command, std::optional<std::string>& analysis) {
  command.add_option("--analysis", analysis, "certified (the default), or published: as in the papers, not certified");
}

Result<void> apply_analysis(const std::optional<std::string>& word, accounting::Analysis& analysis) {
  if (!word) return {};
  if (*word != "certified" && *word != "published") return invalid("--analysis", *word, "certified or published");
  analysis = *word == "published" ? accounting::Analysis::published : accounting::Analysis::certified;
  return {};
}

namespace {

template <class Published>
const std::string& mark_of(const Published& published) {
  return published.release.mark;
}
const std::string& mark_of(const engine::PerturbedRelease& release) { return release.mark; }
const std::string& mark_of(const report::Look& look) { return look.mark; }

DebitQuestion question_for(const engine::Job& job, const RunFlags& flags, const engine::RunOptions&) {
  return question_of(job, flags.yes);
}
// What a look costs is not what its job says.
DebitQuestion question_for(const engine::Job& job, const RunFlags& flags, const engine::LookOptions& options) {
  return {options.epsilon, options.delta, job.source.path == "-", flags.yes};
}

// Rows of a stream, as they may leave.
Result<void> write_now(std::string_view text) {
  if (const int problem = write_all(STDOUT_FILENO, text))
    return fail(ErrorKind::storage, "stdout", std::string("could not be written: ") + std::strerror(problem));
  return {};
}

// Tells on a terminal what is going on, and says on an interrupt what has been spent.
template <class Published, class Options>
Result<Ran<Published>> run_watched(const engine::Job& job, const RunFlags& flags, Options options,
                                   Result<Published> (*run)(const engine::Job&, const Options&),
                                   Result<Published> (*again)(const engine::Job&, const std::string&, const Options&)) {
  if (flags.again) {
    Result<Published> emitted = again(job, *flags.again, options);
    if (!emitted) return tl::unexpected(std::move(emitted.error()));
    return Ran<Published>{*std::move(emitted), false};
  }
  watch_debit(options);
  const DebitQuestion question = question_for(job, flags, options);
  bool taken_up = false;
  const auto say = options.note_taken_up;
  options.note_taken_up = [&](const std::string& debit) {
    taken_up = true;
    say(debit);
  };
  Result<Published> published = [&] {
    const ProgressLine progress;
    options.progress = [&progress, noted = options.progress](std::string_view stage) {
      noted(stage);
      progress.tell(std::string(stage) + " ...");
    };
    options.before_debit = ask_before_debit(question, &progress);
    return run(job, options);
  }();
  if (published && !mark_of(*published).empty()) print_note(mark_of(*published));
  if (!published) return tl::unexpected(std::move(published.error()));
  return Ran<Published>{*std::move(published), taken_up};
}

}  // namespace

void watch_debit(engine::RunOptions& options) {
  say_on_interrupt("nothing was spent");
  // While the debit is being written, it is unknown whether it is durable.
  options.progress = [](std::string_view stage) {
    if (stage == "debiting") say_on_interrupt("a debit may have been made; budget history tells");
  };
  options.note_debit = [](const std::string& debit) {
    say_on_interrupt("the debit " + debit + " is reserved; run the same job again to use it at no further cost");
  };
  options.note_taken_up = [](const std::string& debit) {
    print_note("used the debit " + debit + ", for which nothing had been drawn: at no further cost");
  };
  options.note_programme = [](const std::string& sentence) { print_note(sentence); };
  options.note_drawing = [](const std::string& debit) {
    say_on_interrupt("the debit " + debit + " stays spent; if its release is stored, --again " + debit +
                     " emits it anew at no cost");
  };
  options.note_released = [](const std::string& debit, bool stored) {
    say_on_interrupt("the debit " + debit + " is released" +
                     (stored ? "; --again " + debit + " emits its stored release anew at no cost" : std::string()));
  };
}

Result<Ran<report::Published>> run_with(const engine::Job& job, const RunFlags& flags) {
  CV_TRY(engine::RunOptions options, options_of(flags));
  return run_watched(job, flags, std::move(options), engine::run_job, engine::run_again);
}

Result<Ran<report::MeansPublished>> run_means_with(const engine::Job& job, const RunFlags& flags) {
  CV_TRY(engine::RunOptions options, options_of(flags));
  return run_watched(job, flags, std::move(options), engine::run_means, engine::run_means_again);
}

Result<Ran<engine::PerturbedRelease>> run_perturbation_with(const engine::Job& job, const RunFlags& flags) {
  engine::PerturbOptions options;
  CV_TRY(static_cast<engine::RunOptions&>(options), options_of(flags));
  options.leave = write_now;
  return run_watched(job, flags, std::move(options), engine::run_perturbation, engine::run_perturbation_again);
}

Result<Ran<report::Look>> run_look_with(const engine::Job& job, const RunFlags& flags, engine::LookOptions options) {
  CV_TRY(static_cast<engine::RunOptions&>(options), options_of(flags));
  return run_watched(job, flags, std::move(options), engine::run_look, engine::run_look_again);
}

}  // namespace chronoveil::cli
