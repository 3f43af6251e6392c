// An erratum: a step that is published already, once more, as a release of its own.
#include <algorithm>
#include <filesystem>

#include "chronoveil/engine/live/session.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

// Rows of an erratum look like those of the release, so the name of their file says what they are:
// "flu_erratum_2026-07-13.csv" beside "flu.csv".
std::string erratum_beside(const std::string& csv, std::string step) {
  for (char& c : step) c = c == ':' ? '-' : c == ' ' ? 'T' : c;
  const std::filesystem::path path(csv);
  return (path.parent_path() / (path.stem().string() + "_erratum_" + step + path.extension().string())).string();
}

}  // namespace

Result<Job> erratum_of(const Job& job, const LiveCorrection& correction, const std::string& ledger) {
  CV_TRY(const LiveStanding stands, live_status(job, ledger));
  if (stands.stage == LiveStage::none)
    return fail(ErrorKind::usage, "live",
                "the release '" + job.live().name + "' was never opened, so that there is nothing to correct");
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(stands.mechanism));
  if (mechanism->totals)
    return fail(ErrorKind::usage, "live",
                "'" + job.live().name + "' publishes running totals, and an erratum is of the count of one step");
  CV_TRY(const std::int64_t instant, LiveClock::instant_of(job, correction.step, "run.step"));
  CV_TRY(data::SlotCursor cursor, live_cursor({stands.start, stands.end, stands.length, job.slots.zone}));
  while (cursor.step() < stands.published && cursor.begin() != instant) cursor.advance();
  if (cursor.step() >= stands.published)
    return invalid("run.step", correction.step,
                   "it must be the start of a step of the span from " + stands.start + " that is published already");
  Job erratum = job;
  SeriesSpec counts(job.live());
  counts.may_be_empty = true;  // as the step was: whether somebody counts must not decide whether an erratum exists
  erratum.kind = std::move(counts);
  erratum.slots.start = cursor.label();
  cursor.advance();
  erratum.slots.end = cursor.label();
  erratum.source.path = correction.rows;
  erratum.epsilon = correction.epsilon.value_or(job.epsilon);
  erratum.delta = correction.delta.value_or(job.delta);
  erratum.mechanism = "auto";  // one step needs no mechanism for many
  erratum.parameters.clear();
  erratum.csv = correction.csv.empty() ? erratum_beside(job.csv, correction.step) : correction.csv;
  erratum.json = erratum.report = erratum.chart = erratum.series().totals = "";
  CV_CHECK(check_values(erratum));
  CV_CHECK(check_spared(erratum, "the rows", correction.rows));
  for (const std::string& path : {job.csv, job.series().totals, job.json, job.report, job.chart, job.live().rejects})
    CV_CHECK(check_spared(erratum, "the release that is corrected", path));
  return erratum;
}

}  // namespace chronoveil::engine
