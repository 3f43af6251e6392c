// Running a look; release/order.h has the order in which it happens.
#include <filesystem>

#include "chronoveil/engine/job/job_text.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/look/caps_from.h"
#include "chronoveil/engine/look/measure.h"
#include "chronoveil/engine/look/predict.h"
#include "chronoveil/engine/look/questions.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/published.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/document/signature.h"

namespace chronoveil::engine {
namespace {

// What the look asks of which data.
Job asked_by(const Job& job, const LookOptions& options, Relation relation) {
  Job asked = without_caps(job);
  asked.relation = relation;
  asked.epsilon = options.epsilon;
  asked.delta = options.delta;
  asked.csv = options.output;
  asked.json = options.json;
  asked.report.clear(), asked.chart.clear(), asked.geojson.clear();
  return asked;
}

Result<Claim> claim_of_look(const Job& asked, Relation relation) {
  CV_TRY(Claim claim, claim_of(asked, relation));
  Facts facts = std::move(claim.facts);
  facts.emplace_back("look", "1");
  claim.digest = digest_without(facts, found_by_look());
  claim.facts.clear();
  return claim;
}

Ask ask_of(const LookPlanned& planned) {
  mechanisms::Request request;
  request.shape = planned.chosen.shape;
  request.delta = planned.chosen.delta;
  return ask_for<mechanisms::SeriesMechanism, mechanisms::SeriesPlan>(
      planned.chosen, request, mechanisms::find_series_mechanism, [](const mechanisms::SeriesPlan& plan) {
        Ask ask{"look", std::string(kLook), plan.event, plan.delta};
        ask.noise = noise_text(plan.noise, plan.scale);
        return ask;
      });
}

report::Look look_of(const Job& job, const LookPlanned& planned, const std::vector<double>& noisy, std::string mark) {
  report::Look look;
  look.title = job.title.empty() ? job.dataset : job.title;
  look.mark = std::move(mark);
  look.guarantee = planned.guarantee;
  look.not_protected = not_protected(planned.guarantee, planned.chosen.shape);
  disown(look.guarantee, look.not_protected, look.mark, "look");
  look.plan = planned.chosen;
  look.questions = planned.questions;
  look.choices = planned.choices;
  auto next = noisy.begin();
  for (report::LookQuestion& question : look.questions) {
    const auto end = next + std::ssize(question.first);
    question.people.assign(next, end);
    next = end;
  }
  predict(job, planned, look);
  look.asked = asked_of(job, look.proposal);
  return look;
}

Result<report::Look> made(const Job& job, const LookOptions& options, const LookPlanned& planned,
                          data::RecordSource& source, mechanisms::Draws& draws) {
  tell(options, "reading");
  // How many numbers there are is public, so that a look at nobody is made like any other: refusing one would tell.
  CV_TRY(const bound::PeopleCounted counted, count_people(job, planned, source, draws.right()));
  tell(options, "looking");
  CV_TRY(const std::vector<double> noisy, measure_people(planned, counted, draws));
  return look_of(job, planned, noisy, draws.mark());
}

// The text of the job with these values.
Result<std::string> job_with(const Job& job, const KeyValues& values) {
  CV_TRY(const std::string text, read_text_file("job", job.path));
  return rewritten(job, text, values);
}

// A job that a program filled in by hand has no file; what is not private changes none.
Result<void> write_look(const Job& job, const LookOptions& options, const report::Look& look,
                        const std::string& document) {
  std::vector<OutputFile> files;
  if (const KeyValues values = values_for_job(look); !job.path.empty() && !values.empty()) {
    CV_TRY(std::string text, job_with(job, values));
    std::error_code ignored;
    const auto mode = static_cast<int>(std::filesystem::status(job.path, ignored).permissions()) & 0777;
    files.push_back({options.output.empty() ? job.path : options.output, std::move(text), mode});
  }
  if (!options.json.empty()) {  // last: when it is there, everything is
    CV_TRY(std::string signed_document, report::signed_release(document));
    files.push_back({options.json, std::move(signed_document), mode_of(look.mark)});
  }
  return write_files(files);
}

// Everything that could keep the caps out of the job is found before the debit.
Result<void> check_writes(const Job& job, const Job& asked, const LookOptions& options) {
  if (job.path == "-") return fail(ErrorKind::usage, "job", "a look writes into the job; it must be a file");
  CV_CHECK(check_values(asked));
  if (!options.json.empty()) CV_CHECK(check_writable("output.json", options.json));
  if (options.rehearses()) return check_replaces_no_release(NamedOutputs{{"output.json", options.json}});
  if (job.path.empty()) return {};
  CV_CHECK(check_writable("output", options.output.empty() ? job.path : options.output));
  KeyValues values{{"slots.length", "\"" + job.slots.length + "\""}};
  if (is_of_counts(job)) values.emplace_back("privacy.max_steps", "1");
  if (counts_records(job)) values.emplace_back("privacy.max_per_slot", "1");
  if (job.is<MeansSpec>())
    values.insert(values.end(), {{"means.max_cells", "1"},
                                 {"means.lower", shortest(job.means().lower)},
                                 {"means.upper", shortest(job.means().upper)}});
  values.emplace_back("privacy.caps_from", "\"" + job.dataset + ":1\"");
  CV_CHECK(job_with(job, values));
  return {};
}

ReleaseKind<report::Look> look_kind(const Job& job, const LookOptions& options) {
  ReleaseKind<report::Look> kind = kind_of_document<report::Look>(report::look_json, report::look_from_json);
  kind.write = [&](const report::Look& look, const std::string& document) {
    return write_look(job, options, look, document);
  };
  return kind;
}

// The kind keeps references to all of them.
Result<void> claim_look(const Job& asked, const LookOptions& options, ReleaseKind<report::Look>& kind) {
  CV_CHECK(claim_for(asked, asked.relation, options, kind));
  CV_TRY(kind.claim, claim_of_look(asked, asked.relation));
  kind.check_replaces_other = {};  // it writes none of the job's outputs
  kind.before_next_time = "mend the row and look again";
  return {};
}

}  // namespace

Result<report::Look> run_look(const Job& job, const LookOptions& options) {
  CV_CHECK(check_rehearsal(options));
  tell(options, "planning");
  CV_TRY(const LookPlanned planned, plan_look(job, options));
  const Job asked = asked_by(job, options, planned.chosen.shape.relation);
  CV_CHECK(check_writes(job, asked, options));
  ReleaseKind<report::Look> kind = look_kind(job, options);
  CV_CHECK(claim_look(asked, options, kind));
  std::unique_ptr<data::RecordSource> source;
  kind.open = [&] { return opened(job, source); };
  kind.make = [&](mechanisms::Draws& draws) { return made(job, options, planned, *source, draws); };
  return run_debited(options, ask_of(planned), kind);
}

KeyValues values_for_job(const report::Look& look) {
  if (!look.debit || look.proposal.empty()) return {};
  KeyValues values = look.proposal;
  values.emplace_back("privacy.caps_from", "\"" + look.debit->id.text() + "\"");
  return values;
}

std::string proposed_lines(const report::Look& look) { return job_lines(look.proposal); }

Result<report::Look> run_look_again(const Job& job, const std::string& debit, const LookOptions& options) {
  CV_TRY(const LookPlanned planned, plan_look(job, options));
  const Job asked = asked_by(job, options, planned.chosen.shape.relation);
  CV_CHECK(check_writes(job, asked, options));
  ReleaseKind<report::Look> kind = look_kind(job, options);
  CV_CHECK(claim_look(asked, options, kind));
  return emit_again(debit, options, kind);
}

}  // namespace chronoveil::engine
