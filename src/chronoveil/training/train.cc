#include "chronoveil/training/train.h"

#include <nlohmann/json.hpp>

#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/report/document/digest.h"
#include "chronoveil/training/networks.h"
#include "chronoveil/training/sign_lags/model.h"
#include "chronoveil/training/spent_curve.h"
#include "chronoveil/training/stored_model.h"
#include "chronoveil/training/train_documents.h"

namespace chronoveil::training {
namespace {

using engine::Job;
using engine::TrainPlanned;

TrainedModel described(const Job& job, const TrainPlanned& planned) {
  TrainedModel model;
  model.config = planned.model;
  model.calendar = planned.calendar;
  model.fill = job.train().fill;
  model.channels = planned.channels;
  model.lower = job.train().lower;
  model.upper = job.train().upper;
  model.clock = job.slots;
  model.dataset = job.dataset;
  model.guarantee = planned.guarantee;
  model.event = planned.event;
  model.price = planned.price;
  model.not_protected = engine::not_protected(planned);
  return model;
}

Result<void> write_all(const Job& job, const Training& training) {
  TrainDocuments all{to_bytes(training.model), "", ""};
  if (!job.json.empty() || !job.report.empty()) {
    CV_TRY(const report::Trained trained, report_of(job, training));
    all = documents_of(trained, training.model);
    if (!training.json.empty()) all.json = training.json;  // as when the ledger got its digest
  }
  return write_documents(job, all, training.model.mark);
}

// Takes the document of a stored training as it was when it was released.
Result<void> take_document(const std::string& path, const ledger::Debit& found, Training& training) {
  CV_TRY(training.json, engine::read_text_file("run.again", path));
  CV_TRY(const std::string digest, report::release_digest(training.json));
  const nlohmann::json said = nlohmann::json::parse(training.json, nullptr, false);
  if (digest != *found.digest || said.value("model_sha256", "") != ledger::sha256_hex(to_bytes(training.model)))
    return fail(ErrorKind::storage, "run.again",
                "the stored model of " + found.id.text() + " was changed: it does not match the digest in the ledger");
  training.resumed = said.value("resumed", false);
  training.budget = budget_said_in(said);
  return {};
}

}  // namespace

Result<report::Trained> report_of(const Job& job, const Training& training) {
  const TrainPlanned& planned = training.planned;
  const TrainedModel& model = training.model;
  report::Trained all;
  all.title = job.title.empty() ? "Model of " + job.dataset : job.title;
  all.model = facts_of(model, training.parameters);
  all.event = model.event;
  all.series = static_cast<std::int64_t>(planned.series.size());
  all.least_windows = planned.least_windows;
  all.most_windows = planned.most_windows;
  all.batch_size = planned.scheme.batch_size;
  all.windows_per_series = planned.scheme.windows_per_series;
  all.top_level = planned.scheme.top == forecasting::TopLevel::iterate ? "iterate" : "without_replacement";
  all.bottom_level = planned.scheme.bottom == forecasting::BottomLevel::poisson ? "poisson" : "with_replacement";
  all.touched_share = planned.touched_share;
  all.series_rate = planned.series_rate;
  all.noise_multiplier = planned.noise_multiplier;
  all.clip = planned.clip;
  all.lower = model.lower;
  all.upper = model.upper;
  all.planned_steps = planned.steps;
  all.spare_steps = planned.spare_steps;
  all.uses = training.uses;
  all.resumed = training.resumed;
  all.reason = planned.reason;
  if (planned.signs) {
    const engine::SignLagsPlanned& signs = *planned.signs;
    all.signs = {signs.config.seasons,   signs.config.history(), signs.config.released(),
                 signs.protected_values, signs.sensitivity,      signs.noise};
  }
  std::vector<SpentAfter> spent = training.spent;
  if (spent.empty() && !planned.signs) {
    CV_TRY(spent, spent_curve(planned));
  }
  for (const SpentAfter& point : spent) all.spent.push_back({point.steps, point.epsilon});
  all.budget = training.budget;
  all.model_path = job.train().output;
  all.model_digest = ledger::sha256_hex(to_bytes(model));
  return all;
}

Result<Training> run_training(const Job& job, const TrainOptions& options) {
  Training training;
  CV_TRY(training.planned, engine::plan_training(job));
  CV_CHECK(engine::check_train_outputs(job));
  if (options.rehearses()) CV_CHECK(engine::check_replaces_no_release(job));
  training.model = described(job, training.planned);
  if (training.planned.signs) {
    CV_CHECK(train_sign_lags(job, options, training));
    return training;
  }
  CV_TRY(const Networks* networks, needed(options.networks, training.model.config.model));
  if (Result<void> done = networks->train(job, options, training); !done) {
    if (training.model.debit)
      done.error().message +=
          "; the debit " + training.model.debit->id.text() + " stays reserved, and " +
          (done.error().kind == ErrorKind::bad_data
               ? "the same job uses it once the data, or `source.time_format`, is mended (from one usual form to "
                 "another); a job that is changed in anything else has a debit of its own; chronoveil check reads "
                 "every row beforehand"
               : "the same command goes on from the last checkpoint");
    return tl::unexpected(std::move(done.error()));
  }
  engine::tell(options, "writing");
  if (Result<void> written = write_all(job, training); !written) {
    const std::string anew = training.model.debit ? "; " + how_to_have_it_anew(training.model.debit->id) : "";
    written.error().message += anew;
    return tl::unexpected(std::move(written.error()));
  }
  return training;
}

Result<Training> train_again(const Job& job, const std::string& debit, const TrainOptions& options) {
  if (options.rehearses())
    return fail(ErrorKind::usage, "run.again", "a stored model draws nothing; leave `run.seed` and replays out");
  Training training;
  CV_TRY(training.planned, engine::plan_training(job));
  CV_CHECK(engine::check_train_outputs(job));
  if (training.planned.signs) {
    training.model = described(job, training.planned);
    CV_CHECK(sign_lags_again(job, debit, options, training));
    return training;
  }
  CV_TRY(const engine::Claim claim, engine::claim_of(job));
  CV_TRY(engine::OpenBudget budget, engine::open_budget(job, claim, options.ledger));
  CV_TRY(const ledger::Debit found, engine::debit_of_job(budget, claim, debit));
  if (found.state == ledger::State::reserved)
    return fail(ErrorKind::usage, "run.again",
                "the training of " + debit + " is not finished; the same command without `run.again` goes on");
  CV_TRY(const std::string folder, training_folder(budget, job));
  CV_TRY(training.model, load_model(stored_model(folder, found.id)));
  if (!training.model.debit || !(training.model.debit->id == found.id))
    return fail(ErrorKind::storage, "run.again", "the stored model does not belong to the debit " + debit);
  CV_TRY(const std::unique_ptr<Forecaster> forecaster, forecaster_of(training.model, options.networks, options.device));
  training.parameters = forecaster->parameters();
  training.uses = found.used;
  CV_CHECK(engine::check_replaces_no_later(job, found, budget.ledger));
  if (found.digest) CV_CHECK(take_document(stored_json(folder, found.id), found, training));
  CV_CHECK(write_all(job, training));
  return training;
}

}  // namespace chronoveil::training
