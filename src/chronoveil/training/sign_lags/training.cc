// The one release that makes a model of sign_lags, and its store.
#include <sodium.h>

#include <nlohmann/json.hpp>

#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/train/plan.h"
#include "chronoveil/engine/train/read.h"
#include "chronoveil/training/sign_lags/model.h"
#include "chronoveil/training/train_documents.h"

namespace chronoveil::training {
namespace {

using engine::Job;

// As it is released, and as it is stored: then the model and the document are the bytes that were released.
struct Kept {
  std::string title;  // the documents have their own
  const Job* job = nullptr;
  Training training;
  std::optional<TrainDocuments> stored;  // without the page, which is made anew
  std::optional<ledger::DebitReference> debit;
  std::optional<report::BudgetLeft> budget;
};

// The training with what is known of it only once it is paid for.
Training settled(const Kept& kept) {
  Training training = kept.training;
  training.model.debit = kept.debit;
  training.budget = kept.budget;
  return training;
}

TrainDocuments documents_of(const Kept& kept) {
  TrainDocuments all = training::documents_of(report_of(*kept.job, settled(kept)).value(), settled(kept).model);
  if (kept.stored) all.model = kept.stored->model, all.json = kept.stored->json;
  return all;
}

std::string document_of(const Kept& kept) { return kept.stored ? kept.stored->json : documents_of(kept).json; }

std::string in_hex(std::string_view bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  text.pop_back();
  return text;
}

std::optional<std::string> from_hex(const std::string& text) {
  std::string bytes(text.size() / 2, '\0');
  std::size_t length = 0;
  if (text.size() % 2 != 0 || sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                                             text.size(), nullptr, &length, nullptr) != 0)
    return std::nullopt;
  return length == bytes.size() ? std::optional(bytes) : std::nullopt;
}

// The debit comes first, where engine/release/witnesses.cc looks for it.
std::string to_store(const Kept& kept, const std::string& document) {
  const TrainDocuments all = documents_of(kept);
  nlohmann::ordered_json stored;
  stored["debit"] = {{"id", kept.debit->id.text()}, {"chain_head", kept.debit->chain_head}};
  stored["json"] = document;
  stored["model"] = in_hex(all.model);
  return stored.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Kept> from_store(std::string_view text) {
  const auto damaged = [] { return fail(ErrorKind::storage, "run.again", "the stored model is damaged"); };
  const nlohmann::json stored = nlohmann::json::parse(text, nullptr, false);
  if (!stored.is_object() || stored.size() != 3) return damaged();
  for (const char* name : {"json", "model"})
    if (!stored.contains(name) || !stored[name].is_string()) return damaged();
  const std::optional<std::string> model = from_hex(stored["model"].get<std::string>());
  if (!model) return damaged();
  Kept kept;
  kept.stored = TrainDocuments{*model, stored["json"].get<std::string>(), ""};
  const nlohmann::json said = nlohmann::json::parse(kept.stored->json, nullptr, false);
  // What the ledger has the digest of is the document, and the document has that of the model.
  if (!said.is_object() || said.value("model_sha256", "") != ledger::sha256_hex(*model)) return damaged();
  Result<TrainedModel> trained = read_model(*model, "stored");
  if (!trained || !trained->debit) return damaged();
  const nlohmann::json debit{{"id", trained->debit->id.text()}, {"chain_head", trained->debit->chain_head}};
  if (stored.value("debit", nlohmann::json()) != debit || said.value("debit", nlohmann::json()) != debit)
    return damaged();
  kept.debit = trained->debit;
  kept.training.model = *std::move(trained);
  kept.budget = budget_said_in(said);
  return kept;
}

Result<std::string> document_in(std::string_view text) {
  CV_TRY(const Kept kept, from_store(text));
  return kept.stored->json;
}

Result<Training> made(const Job& job, const TrainOptions& options, Training training, mechanisms::Draws& draws) {
  const engine::TrainPlanned& planned = training.planned;
  engine::tell(options, "reading");
  CV_TRY(const forecasting::Panel panel, engine::read_panel(job, planned));
  CV_CHECK(engine::check_not_empty(engine::knows_anything(panel) ? 1 : 0, options.allow_empty));
  if (!options.allow_empty) engine::add_not_empty(training.model.guarantee.assumptions);
  CV_TRY(const forecasting::SignProducts products, sign_products(panel, planned.signs->config));
  engine::tell(options, "measuring");
  CV_CHECK(draws.start(planned.event));
  Result<forecasting::SignRelease> release =
      forecasting::release(products, planned.noise_multiplier, planned.signs->protected_values, draws.right());
  draws.finish();
  if (!release) return tl::unexpected(std::move(release.error()));
  training.model.weights = to_weights(*release);
  training.model.steps = training.uses = 1;
  training.model.mark = draws.mark();
  engine::disown(training.model.guarantee, training.model.not_protected, draws.mark(), "model");
  return training;
}

// What is stored of a training is its model; the rest is what its job plans.
void fill(const Job& job, const engine::TrainPlanned& planned, Kept& kept) {
  kept.job = &job;
  kept.training.planned = planned;
  kept.training.parameters = planned.signs->config.released();
  kept.training.uses = 1;
}

engine::ReleaseKind<Kept> kind_of(const Job& job, const TrainOptions& options, const Training& training) {
  engine::ReleaseKind<Kept> kind;
  kind.open = [&]() -> Result<void> {
    if (job.source.path == "-") return {};  // standard input is read once, after the debit
    return engine::check_train_columns(job.source, training.planned.channels);
  };
  kind.make = [&](mechanisms::Draws& draws) -> Result<Kept> {
    CV_TRY(Training done, made(job, options, training, draws));
    return Kept{"", &job, std::move(done), std::nullopt, std::nullopt, std::nullopt};
  };
  kind.document = document_of;
  kind.to_store = to_store;
  kind.from_store = from_store;
  kind.document_in = document_in;
  kind.write = [&](Kept kept, const std::string& document) {
    fill(job, training.planned, kept);
    TrainDocuments all = documents_of(kept);
    all.json = document;
    return write_documents(job, all, kept.training.model.mark);
  };
  return kind;
}

// What the caller is told of a release that was made, or emitted anew.
void take(const Job& job, Kept kept, Training& training) {
  fill(job, training.planned, kept);
  training = settled(kept);
  if (training.model.debit) training.json = document_of(kept);
}

}  // namespace

Result<void> train_sign_lags(const Job& job, const TrainOptions& options, Training& training) {
  if (options.replay)
    return fail(ErrorKind::usage, "run.noise_from", "training draws too much to replay it; `run.seed` repeats a run");
  training.parameters = training.planned.signs->config.released();
  engine::ReleaseKind<Kept> kind = kind_of(job, options, training);
  CV_CHECK(engine::claim_for(job, job.relation, options, kind));
  CV_TRY(Kept kept, engine::run_debited(options, engine::ask_of(job, training.planned), kind));
  take(job, std::move(kept), training);
  return {};
}

Result<void> sign_lags_again(const Job& job, const std::string& debit, const TrainOptions& options,
                             Training& training) {
  training.parameters = training.planned.signs->config.released();
  engine::ReleaseKind<Kept> kind = kind_of(job, options, training);
  CV_CHECK(engine::claim_for(job, job.relation, options, kind));
  CV_TRY(Kept kept, engine::emit_again(debit, options, kind));
  take(job, std::move(kept), training);
  return {};
}

}  // namespace chronoveil::training
