// Running and checking a job with [perturb]; release/order.h has the order in which it happens.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/engine/job/column_guesses.h"
#include "chronoveil/engine/perturb/ask.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/perturb/kept_rows.h"
#include "chronoveil/engine/perturb/perturb.h"
#include "chronoveil/engine/perturb/rows.h"
#include "chronoveil/engine/perturb/timed_rows.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/report/page/csv_link.h"

namespace chronoveil::engine {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // of text that leaves in one go

// A ledger that admitted an event without a price would no longer promise anything.
Result<void> check_payable(const PerturbPlanned& planned) {
  CV_TRY(const mechanisms::TemporalMechanism* mechanism, mechanisms::find_temporal_mechanism(planned.chosen.mechanism));
  if (mechanism->certified) return {};
  return fail(ErrorKind::cannot_certify, "mechanism.name",
              planned.chosen.mechanism +
                  " has no certified price, so no budget can pay for it; with `run.seed` it "
                  "runs for comparison, and its output is marked as not private");
}

// A plan by a paper's number may come with a δ at which nothing is certified.
template <class T>
Result<T> or_why_not_charged(Result<T> result, const PerturbPlanned& planned) {
  if (!result && result.error().kind == ErrorKind::cannot_certify &&
      planned.chosen.price.analysis == accounting::Analysis::published)
    result.error().message +=
        "; a budget is charged the certified price, whatever the paper says: give a `privacy.delta` above that";
  return result;
}

// The source while it is open, and its columns.
struct OpenRows {
  std::unique_ptr<data::FieldRows> rows;
  PerturbColumns columns;
};

data::FieldRowsSpec rows_of(const Job& job) {
  return {job.source.path, job.source.delimiter, job.source.header, job.source.rows, job.source.stream};
}

Result<OpenRows> open_rows(const Job& job, std::function<void()> before_wait) {
  OpenRows open;
  CV_TRY(open.rows, data::open_field_rows(rows_of(job), std::move(before_wait)));
  CV_TRY(open.columns, columns_of(job, open.rows->columns()));
  std::vector<std::size_t> used = open.columns.perturbed;
  used.insert(used.end(), open.columns.kept.begin(), open.columns.kept.end());
  if (open.columns.time) used.push_back(*open.columns.time);
  CV_CHECK(open.rows->use(used));
  open.columns.delimiter = job.source.delimiter.value_or(open.rows->delimiter());
  return open;
}

std::string named(const std::vector<std::string>& columns) {
  constexpr std::size_t kShown = 20;
  std::string all;
  for (std::size_t i = 0; i < std::min(columns.size(), kShown); ++i) all += (i == 0 ? "" : ", ") + columns[i];
  return columns.size() > kShown ? all + " and " + std::to_string(columns.size() - kShown) + " more" : all;
}

Result<RowMover> mover_for(const mechanisms::TemporalPlan& plan, const PerturbColumns& columns,
                           mechanisms::Draws& draws) {
  CV_TRY(mechanisms::Perturbation perturbation, mechanisms::Perturbation::start(plan, draws));
  return RowMover(columns, std::move(perturbation), static_cast<std::size_t>(plan.lanes), draws.mark());
}

Result<void> finish(RowMover& mover, std::string& out) {
  if (mover.rows() == 0) return fail(ErrorKind::bad_data, "source.path", "the series has no row");
  return mover.finish(out);
}

// Reads all rows as a release does, and forgets the draws and everything that comes out. Returns the number of rows.
Result<std::int64_t> try_out(const PerturbPlanned& planned, const PerturbColumns& columns, data::FieldRows& rows) {
  mechanisms::Draws forgotten = mechanisms::Draws::seeded(BitSource::for_this_thread().next_u64());
  CV_TRY(RowMover mover, mover_for(planned.chosen, columns, forgotten));
  std::string unused;
  while (true) {
    CV_CHECK(check_interrupted());
    CV_TRY(const std::span<const std::string_view> fields, rows.next());
    if (fields.empty()) break;
    CV_CHECK(mover.push(fields, unused));
    unused.clear();
  }
  CV_CHECK(finish(mover, unused));
  return mover.rows();
}

// One run over the rows: what leaves goes to `out`, in pieces where it leaves at once.
class Passage {
 public:
  Passage(const Job& job, const PerturbOptions& options, const PerturbPlanned& planned)
      : job_(job), options_(options), planned_(planned), at_once_(leaves_at_once(job)) {}

  // Lets the text so far leave. An error is kept for the next row.
  void flush() {
    if (!at_once_ || text_.empty() || !left_) return;
    sent_ += text_.size();  // in part at least, where the next line fails
    left_ = options_.leave(text_);
    text_.clear();
  }
  bool rows_left() const { return sent_ > header_size_; }

  // Rows that do not leave at once are read to the end, and tried with draws that are forgotten, before the first bit
  // of the release: errors in them are found while the debit can still be taken up by another run.
  Result<PerturbedRelease> run(OpenRows& open, mechanisms::Draws& draws) {
    if (!at_once_ && draws.mark().empty()) {
      CV_TRY(KeptRows kept, KeptRows::of(*open.rows));
      auto all = std::make_unique<KeptRows>(std::move(kept));
      CV_CHECK(try_out(planned_, open.columns, *all));
      all->rewind();
      open.rows = std::move(all);
    }
    return release(open, draws);
  }

 private:
  Result<PerturbedRelease> release(OpenRows& open, mechanisms::Draws& draws) {
    CV_TRY(RowMover mover, mover_for(planned_.chosen, open.columns, draws));
    if (!job_.perturb().internal.empty()) mover.keep_record();
    text_ = mover.header();
    header_size_ = text_.size();
    const Result<void> read = read_all(open, mover);
    // If the reader of the output is gone, that is why the series ended, whatever else is wrong with it.
    CV_CHECK(left_);
    if (!read && !at_once_) return tl::unexpected(read.error());
    // Whole rows from before a stream broke off are released: the series ends there, unless it is too short.
    const Result<void> finished = finish(mover, text_);
    if (!finished) return tl::unexpected(read ? finished.error() : read.error());
    flush();
    CV_CHECK(left_);
    if (!read) {
      Error error = read.error();
      error.message += "; every row before it was released";
      return tl::unexpected(std::move(error));
    }
    return published(open.columns, mover, draws.mark());
  }

  Result<void> read_all(OpenRows& open, RowMover& mover) {
    while (true) {
      CV_CHECK(check_interrupted());
      CV_TRY(const std::span<const std::string_view> fields, open.rows->next());
      if (fields.empty()) return {};
      CV_CHECK(mover.push(fields, text_));
      if (text_.size() >= kPiece) flush();
      CV_CHECK(left_);
    }
  }

  Result<PerturbedRelease> published(const PerturbColumns& columns, const RowMover& mover, const std::string& mark) {
    PerturbedRelease all;
    all.title = job_.title.empty() ? (job_.dataset.empty() ? "A perturbed series" : job_.dataset) : job_.title;
    auto name = columns.names.begin();
    if (columns.time) all.time = *name++;
    for (std::size_t i = 0; i < columns.kept.size(); ++i) all.kept.push_back(*name++);
    all.columns.assign(name, columns.names.end());
    all.times_move = job_.perturb().times_move;
    all.rows = mover.rows();
    all.empty = mover.empty();
    all.guarantee = planned_.guarantee;
    all.mark = mark;
    all.plan = planned_.chosen;
    all.reason = planned_.reason;
    all.not_protected = mechanisms::not_protected(planned_.chosen);
    disown(all.guarantee, all.not_protected, mark);
    CV_TRY(mechanisms::Moves law,
           mechanisms::expected_moves(planned_.chosen, mechanisms::kMadeUpValues, 1, mover.rows()));
    all.expected = mechanisms::to_what_holds(std::move(law));
    CV_TRY(all.curve, certified_curve(planned_.chosen.event, job_.epsilon));
    if (!at_once_) {
      all.csv = std::move(text_);
      all.rows_digest = ledger::sha256_hex(all.csv);
    }
    if (!job_.perturb().internal.empty()) {
      all.internal.emplace();
      all.internal->realised =
          mover.moves().moves(mover.rows() * planned_.chosen.lanes, mover.missing(), planned_.chosen.window);
      const std::int64_t usual = std::max<std::int64_t>(2, planned_.chosen.window);
      for (const BeforeAfter& column : mover.record())
        all.internal->columns.push_back(compared(column, job_.perturb().average > 0 ? job_.perturb().average : usual));
    }
    return all;
  }

  const Job& job_;
  const PerturbOptions& options_;
  const PerturbPlanned& planned_;
  bool at_once_;
  std::string text_;
  Result<void> left_;
  std::size_t header_size_ = 0, sent_ = 0;
};

// As stored: the number of bytes of the document, the document, the rows.
std::string stored(const PerturbedRelease& release, const std::string& document) {
  return std::to_string(document.size()) + "\n" + document + release.csv;
}

Result<std::string> document_in(std::string_view text) {
  std::size_t size = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), size);
  const auto start = static_cast<std::size_t>(parsed.ptr - text.data()) + 1;
  if (parsed.ec != std::errc() || start > text.size() || size > text.size() - start)
    return fail(ErrorKind::storage, "run.again", "the stored release is damaged");
  return std::string(text.substr(start, size));
}

Result<PerturbedRelease> from_store(std::string_view text) {
  PerturbedRelease release;
  CV_TRY(const std::string document, document_in(text));
  CV_TRY(static_cast<report::Perturbed&>(release), report::perturbed_from_json(document));
  release.csv = text.substr(text.find('\n') + 1 + document.size());
  // Earlier versions stored no digest of the rows.
  if (!release.rows_digest.empty() && release.rows_digest != ledger::sha256_hex(release.csv))
    return fail(ErrorKind::storage, "run.again",
                "the rows of the stored release were changed: they do not match their digest");
  return release;
}

Result<void> write_perturbed(const Job& job, const PerturbedRelease& release, const std::string& document) {
  std::vector<OutputFile> files;
  const int mode = mode_of(release.mark);
  if (!job.csv.empty() && !leaves_at_once(job)) files.push_back({job.csv, release.csv, mode});
  if (!job.report.empty())
    files.push_back({job.report, report::perturbed_html(release, report::csv_beside(job.csv, job.report)), mode});
  if (!job.chart.empty()) {
    CV_TRY(std::string chart, chart_as(job.chart, report::perturbed_svg(release),
                                       report::guarantee_line(release.guarantee, release.mark)));
    files.push_back({job.chart, std::move(chart), mode});
  }
  if (!job.perturb().internal.empty() && release.internal)
    files.push_back({job.perturb().internal, report::perturbed_internal_html(release, *release.internal), 0600});
  if (!job.json.empty()) {  // last: when it is there, everything is
    CV_TRY(std::string signed_document, report::signed_release(document));
    files.push_back({job.json, std::move(signed_document), mode});
  }
  return write_files(files);
}

Result<void> check_files(const Job& job) {
  if (job.csv.empty() && !job.handed_back && job.source.kind != data::SourceKind::memory)  // see check_outputs
    return fail(ErrorKind::usage, "output.csv", "it is missing; the rows of the release go there, and nowhere else");
  // Whatever standard output leads to is readable by others than the owner.
  if (job.perturb().internal == "-")
    return fail(ErrorKind::usage, "output.internal", "it must be a file, which only its owner may read");
  return check_outputs(job);
}

ReleaseKind<PerturbedRelease> perturbed_kind(const Job& job) {
  ReleaseKind<PerturbedRelease> kind;
  kind.document = [](const PerturbedRelease& release) { return report::perturbed_json(release); };
  if (!leaves_at_once(job)) kind.to_store = stored;
  kind.from_store = from_store;
  kind.document_in = document_in;
  kind.write = [&job](const auto& release, const auto& document) { return write_perturbed(job, release, document); };
  return kind;
}

// Of what may be a row of data nothing is quoted.
bool are_names(const std::vector<std::string>& header) {
  return std::none_of(header.begin(), header.end(), [](const std::string& name) {
    return name.empty() || name.find_first_of("0123456789") != std::string::npos;
  });
}

}  // namespace

bool leaves_at_once(const Job& job) { return job.csv == "-" && (job.source.path == "-" || job.perturb().stream); }

Result<PerturbedRelease> run_perturbation(const Job& job, const PerturbOptions& options) {
  if (options.replay)
    return fail(ErrorKind::usage, options.replay->noise ? "run.noise_from" : "run.keep_from",
                "what moves in time draws choices of its own; use `run.seed` for a test");
  if (leaves_at_once(job) && !options.leave)
    return fail(ErrorKind::internal, "perturb",
                "rows of this job leave at once, and no function was given to take them");
  tell(options, "planning");
  CV_TRY(const PerturbPlanned planned, plan_perturbation(job, Compare::when_needed));
  if (!options.rehearses()) CV_CHECK(check_payable(planned));
  CV_CHECK(check_files(job));
  if (options.rehearses()) CV_CHECK(check_replaces_no_release(job));
  ReleaseKind<PerturbedRelease> kind = perturbed_kind(job);
  CV_CHECK(claim_for(job, planned.chosen.relation, options, kind));
  Passage passage(job, options, planned);
  OpenRows open;
  const auto open_now = [&]() -> Result<void> {
    CV_TRY(open, open_rows(job, [&] { passage.flush(); }));
    return {};
  };
  // Without a header, columns are counted in the first row, which is data: this must wait for the debit.
  kind.open = [&]() -> Result<void> { return job.source.header ? open_now() : data::check_field_rows(rows_of(job)); };
  kind.make = [&](mechanisms::Draws& draws) -> Result<PerturbedRelease> {
    tell(options, "releasing");
    if (!job.source.header) CV_CHECK(open_now());
    return passage.run(open, draws);
  };
  kind.left_in_part = [&] { return passage.rows_left(); };
  return or_why_not_charged(run_debited(options, ask_of(planned), kind), planned);
}

Result<PerturbedRelease> run_perturbation_again(const Job& job, const std::string& debit,
                                                const PerturbOptions& options) {
  CV_CHECK(check_files(job));
  if (leaves_at_once(job)) return fail(ErrorKind::usage, "run.again", "what left as a stream is not stored");
  if (!job.perturb().internal.empty())
    return fail(ErrorKind::usage, "output.internal",
                "what only the owner may see is not stored with a release; leave it out where a "
                "release is emitted anew");
  CV_TRY(const PerturbPlanned planned, plan_perturbation(job, Compare::when_needed));
  ReleaseKind<PerturbedRelease> kind = perturbed_kind(job);
  CV_CHECK(claim_for(job, planned.chosen.relation, options, kind));
  return emit_again(debit, options, kind);
}

Result<std::optional<PerturbedColumns>> perturbed_columns(const Job& job) {
  std::error_code ignored;
  if (job.source.path == "-" || !job.source.header || !std::filesystem::exists(job.source.path, ignored))
    return std::nullopt;
  CV_TRY(const std::unique_ptr<data::FieldRows> rows, data::open_field_rows(rows_of(job), {}));
  const std::vector<std::string>& header = rows->columns();
  Result<PerturbColumns> found = columns_of(job, header);
  if (!found) {
    if (are_names(header)) found.error().message += "; its columns are " + named(header);
    return tl::unexpected(std::move(found.error()));
  }
  PerturbedColumns columns;
  if (found->time) columns.time = header[*found->time];
  const auto is_in = [](const std::vector<std::size_t>& places, std::size_t i) {
    return std::find(places.begin(), places.end(), i) != places.end();
  };
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i == found->time) continue;
    (is_in(found->kept, i)        ? columns.kept
     : is_in(found->perturbed, i) ? columns.moved
                                  : columns.left_out)
        .push_back(header[i]);
  }
  return columns;
}

Result<PerturbChecked> check_perturbation(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(PerturbPlanned planned, plan_perturbation(job, Compare::when_needed));
  CV_CHECK(check_payable(planned));
  CV_TRY(const Claim claim, claim_of(job, planned.chosen.relation));
  CV_CHECK(check_files(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, options.ledger));
  CV_TRY(DebitAsked asked, or_why_not_charged(ask_ledger(budget, claim, ask_of(planned)), planned));
  std::optional<DataSeen> seen;
  if (job.source.path != "-" && !job.source.header && !read_data) {
    CV_CHECK(data::check_field_rows(rows_of(job)));  // see run_perturbation
  } else if (job.source.path != "-") {
    CV_TRY(OpenRows open, open_rows(job, {}));
    if (read_data) {
      auto timed = std::make_unique<TimedRows>(std::move(open.rows), open.columns.time);
      const TimedRows& times = *timed;
      open.rows = std::move(timed);
      CV_TRY(seen.emplace().rows, try_out(planned, open.columns, *open.rows));
      seen->first = times.first(), seen->last = times.last();
    }
  } else if (read_data) {
    return fail(ErrorKind::usage, "data", "the rows of a stream are not there yet");
  }
  return PerturbChecked{std::move(planned), std::move(budget.view), std::move(asked.cost), std::move(asked.earlier),
                        asked.room,         std::nullopt,           std::move(seen)};
}

}  // namespace chronoveil::engine
