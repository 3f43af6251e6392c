// Jobs of any kind, each handed to the engine of its kind.
#include <algorithm>
#include <utility>

#include "chronoveil/chronoveil.h"
#include "chronoveil/data/arrow/stream.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil {
namespace {

enum class Kind { series, means, perturb };

Result<Kind> kind_of(const Job& job) {
  CV_CHECK(engine::check_values(job));
  if (job.is<engine::TrainSpec>())
    return fail(ErrorKind::usage, "train", "a model is trained, not released: use chronoveil train, or run_training()");
  return job.is<engine::MeansSpec>() ? Kind::means : job.is<engine::PerturbSpec>() ? Kind::perturb : Kind::series;
}

// A result of one kind as a result of any kind.
template <class Any, class T>
Result<Any> any(Result<T> result) {
  if (!result) return Failure(std::move(result).error());
  return Any(std::move(*result));
}

template <class T>
Result<Check> any_check(Result<T> checked) {
  if (!checked) return Failure(std::move(checked).error());
  return Check{std::move(checked->planned),
               std::move(checked->budget),
               std::move(checked->cost),
               std::move(checked->earlier),
               checked->room,
               std::move(checked->seen)};
}

void read_from_memory(data::SourceSpec& source) {
  source.kind = data::SourceKind::memory;
  source.path.clear();
  source.url.clear();
  source.query.clear();
  source.table.clear();
  source.rows = nullptr;
  source.stream = nullptr;
}

Result<void> read_stream(data::SourceSpec& source, ArrowArrayStream& stream, data::ArrowStream::Reads reads) {
  CV_TRY(std::shared_ptr<data::ArrowStream> taken, data::ArrowStream::take(stream, reads));
  read_from_memory(source);
  source.stream = std::move(taken);
  return {};
}

engine::PerturbOptions perturbing(const RunOptions& options) { return {options, {}}; }

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // clang++ 14 needs to be told

}  // namespace

Result<Job> parse_job(std::string_view toml) { return engine::parse_job(toml, ""); }

void read_from(Job& job, Table rows) { read_from(job.source, std::move(rows)); }

void read_from(data::SourceSpec& source, Table rows) {
  read_from_memory(source);
  source.rows = std::make_shared<const Table>(std::move(rows));
}

Result<void> read_from(Job& job, ArrowArrayStream& stream) {
  const bool often = job.is<engine::TrainSpec>() && job.train().channels.size() > 1;
  return read_stream(job.source, stream, often ? data::ArrowStream::Reads::often : data::ArrowStream::Reads::once);
}

Result<void> read_from(data::SourceSpec& source, ArrowArrayStream& stream) {
  return read_stream(source, stream, data::ArrowStream::Reads::often);
}

Result<std::optional<std::vector<std::string>>> columns_read(const Job& job) {
  if (job.is<engine::PerturbSpec>()) return std::nullopt;
  CV_TRY(const data::RowDecoder decoder, data::RowDecoder::make(job.source));
  std::vector<std::string> columns;
  const auto add = [&](const std::string& column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
  };
  for (const data::RowDecoder::Wanted& wanted : decoder.wanted()) add(wanted.column);
  if (job.is<engine::TrainSpec>())
    for (const std::string& channel : job.train().channels) add(channel);
  return columns;
}

Result<AnyPlan> make_plan(const Job& job) {
  CV_TRY(const Kind kind, kind_of(job));
  switch (kind) {
    case Kind::means: return any<AnyPlan>(engine::plan_means(job));
    case Kind::perturb: return any<AnyPlan>(engine::plan_perturbation(job));
    case Kind::series: break;
  }
  return any<AnyPlan>(engine::plan_job(job));
}

Result<Check> check(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(const Kind kind, kind_of(job));
  switch (kind) {
    case Kind::means: return any_check(engine::check_means_job(job, options, read_data));
    case Kind::perturb: return any_check(engine::check_perturbation(job, options, read_data));
    case Kind::series: break;
  }
  return any_check(engine::check_job(job, options, read_data));
}

Result<AnyRelease> run(const Job& job, const RunOptions& options) {
  CV_TRY(const Kind kind, kind_of(job));
  switch (kind) {
    case Kind::means: return any<AnyRelease>(engine::run_means(job, options));
    case Kind::perturb: return any<AnyRelease>(engine::run_perturbation(job, perturbing(options)));
    case Kind::series: break;
  }
  return any<AnyRelease>(engine::run_job(job, options));
}

Result<AnyRelease> release_again(const Job& job, const std::string& debit, const RunOptions& options) {
  CV_TRY(const Kind kind, kind_of(job));
  switch (kind) {
    case Kind::means: return any<AnyRelease>(engine::run_means_again(job, debit, options));
    case Kind::perturb: return any<AnyRelease>(engine::run_perturbation_again(job, debit, perturbing(options)));
    case Kind::series: break;
  }
  return any<AnyRelease>(engine::run_again(job, debit, options));
}

const Guarantee& guarantee_of(const AnyPlan& plan) {
  return std::visit([](const auto& planned) -> const Guarantee& { return planned.guarantee; }, plan);
}

const Guarantee& guarantee_of(const AnyRelease& release) {
  return std::visit(
      Overloaded{[](const engine::PerturbedRelease& perturbed) -> const Guarantee& { return perturbed.guarantee; },
                 [](const auto& published) -> const Guarantee& { return published.release.guarantee; }},
      release);
}

const std::optional<ledger::DebitReference>& debit_of(const AnyRelease& release) {
  return std::visit(
      [](const auto& published) -> const auto& { return published.debit; }, release);
}

std::string to_csv(const AnyRelease& release) {
  return std::visit(Overloaded{[](const report::Published& counts) { return report::to_csv(counts); },
                               [](const report::MeansPublished& means) { return report::means_csv(means); },
                               [](const engine::PerturbedRelease& perturbed) { return perturbed.csv; }},
                    release);
}

std::string to_json(const AnyRelease& release) {
  return std::visit(
      Overloaded{[](const report::Published& counts) { return report::to_json(counts); },
                 [](const report::MeansPublished& means) { return report::means_json(means); },
                 [](const engine::PerturbedRelease& perturbed) { return report::perturbed_json(perturbed); }},
      release);
}

std::string to_html(const AnyRelease& release) {
  return std::visit(
      Overloaded{[](const report::Published& counts) { return report::to_html(counts); },
                 [](const report::MeansPublished& means) { return report::means_html(means); },
                 [](const engine::PerturbedRelease& perturbed) { return report::perturbed_html(perturbed); }},
      release);
}

}  // namespace chronoveil
