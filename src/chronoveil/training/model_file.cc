#include "chronoveil/training/model_file.h"

#include <array>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/training/hashed_blocks.h"

namespace chronoveil::training {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMagic = "chronoveil model 1\n";
constexpr std::array<std::pair<std::string_view, forecasting::Fill>, 3> kFills = {
    {{"zero", forecasting::Fill::zero},
     {"window_mean", forecasting::Fill::window_mean},
     {"last", forecasting::Fill::last}}};

ordered_json config_json(const forecasting::ModelConfig& config) {
  return {{"model", config.model},
          {"context_length", config.context_length},
          {"forecast_length", config.forecast_length},
          {"channels", config.channels},
          {"covariates", config.covariates},
          {"hidden", config.hidden},
          {"layers", config.layers},
          {"heads", config.heads},
          {"inner", config.inner},
          {"kernel", config.kernel},
          {"head_features", config.head_features},
          {"season", config.season},
          {"spread", config.spread},
          {"lags", config.lags}};
}

Result<forecasting::ModelConfig> config_in(const report::Fields& fields) {
  forecasting::ModelConfig config;
  CV_TRY(config.model, fields.text("model"));
  CV_TRY(config.context_length, fields.integer("context_length"));
  CV_TRY(config.forecast_length, fields.integer("forecast_length"));
  CV_TRY(config.channels, fields.integer("channels"));
  CV_TRY(config.covariates, fields.integer("covariates"));
  CV_TRY(config.hidden, fields.integer("hidden"));
  CV_TRY(config.layers, fields.integer("layers"));
  CV_TRY(config.heads, fields.integer("heads"));
  CV_TRY(config.inner, fields.integer("inner"));
  CV_TRY(config.kernel, fields.integer("kernel"));
  CV_TRY(config.head_features, fields.integer("head_features"));
  CV_TRY(config.season, fields.integer("season"));
  CV_TRY(config.spread, fields.finite("spread"));
  CV_TRY(const std::vector<std::uint32_t> lags, fields.small_integers("lags"));
  config.lags.assign(lags.begin(), lags.end());
  return forecasting::completed(std::move(config));
}

ordered_json header_of(const TrainedModel& model) {
  ordered_json cycles = ordered_json::array();
  for (const forecasting::Calendar::Cycle& cycle : model.calendar.cycles)
    cycles.push_back({{"period", cycle.period}, {"phase", cycle.phase}});
  ordered_json header;
  header["dataset"] = model.dataset;
  header["mark"] = model.mark;
  header["model"] = config_json(model.config);
  header["calendar"] = std::move(cycles);
  header["fill"] = report::name_in(kFills, model.fill);
  header["channels"] = model.channels;
  header["lower"] = report::or_null(model.lower);
  header["upper"] = report::or_null(model.upper);
  header["clock"] = {{"start", model.clock.start},
                     {"end", model.clock.end},
                     {"length", model.clock.length},
                     {"zone", model.clock.zone}};
  header["guarantee"] = report::guarantee_json(model.guarantee, model.price, model.mark, model.not_protected);
  header["plan"] = {{"steps", model.steps},
                    {"analysis", report::name_in(report::kAnalysisNames, model.price.analysis)},
                    {"event", accounting::event_to_json(model.event)},
                    {"price", report::price_json(model.price)}};
  header["debit"] = report::debit_json(model.debit);
  header["software"] = report::software_json();
  return header;
}

Result<TrainedModel> model_in(const report::Fields& header) {
  TrainedModel model;
  CV_TRY(model.dataset, header.text("dataset"));
  CV_TRY(model.mark, header.text("mark"));
  CV_TRY(const report::Fields config, header.object("model"));
  CV_TRY(model.config, config_in(config));
  CV_TRY(const std::vector<report::Fields> cycles, header.objects("calendar"));
  for (const report::Fields& cycle : cycles) {
    forecasting::Calendar::Cycle read;
    CV_TRY(read.period, cycle.finite("period"));
    CV_TRY(read.phase, cycle.finite("phase"));
    if (!(read.period > 0)) return report::unreadable(cycle.path_to("period"));
    model.calendar.cycles.push_back(read);
  }
  if (model.calendar.covariates() != model.config.covariates) return report::unreadable("calendar");
  CV_TRY(model.fill, header.one_of(kFills, "fill"));
  CV_TRY(model.channels, header.texts("channels"));
  if (static_cast<std::int64_t>(model.channels.size()) != model.config.channels) return report::unreadable("channels");
  for (const auto& [key, bound] : {std::pair{"lower", &model.lower}, {"upper", &model.upper}}) {
    if (!header.has(key)) continue;  // older files say nothing of bounds
    CV_TRY(*bound, header.finite(key));
  }
  CV_TRY(const report::Fields clock, header.object("clock"));
  CV_TRY(model.clock.start, clock.text("start"));
  CV_TRY(model.clock.end, clock.text("end"));
  CV_TRY(model.clock.length, clock.text("length"));
  CV_TRY(model.clock.zone, clock.text("zone"));
  CV_TRY(const report::Fields guarantee, header.object("guarantee"));
  CV_TRY(model.guarantee, report::guarantee_in(guarantee));
  CV_TRY(model.not_protected, guarantee.texts("not_protected"));
  CV_TRY(const report::Fields plan, header.object("plan"));
  CV_TRY(model.steps, plan.integer("steps"));
  CV_TRY(model.event, report::event_in(plan));
  CV_TRY(model.price, report::price_in(plan));
  CV_TRY(model.debit, report::debit_in(header));
  return model;
}

Failure damaged(const std::string& path, std::string_view what) {
  return fail(ErrorKind::bad_data, "'" + path + "': " + std::string(what));
}

}  // namespace

std::string to_bytes(const TrainedModel& model) {
  return sealed(kMagic, {report::text_of(header_of(model)), model.weights});
}

Result<TrainedModel> read_model(std::string_view bytes, const std::string& path) {
  if (!bytes.starts_with(kMagic)) return damaged(path, "this is not a model file");
  const auto blocks = unsealed(kMagic, 2, bytes);
  if (!blocks) return damaged(path, "the model file was cut off or altered; its checksum does not fit");
  Result<TrainedModel> model = report::read_document((*blocks)[0], model_in);
  if (!model) return damaged(path, model.error().text());
  model->weights = (*blocks)[1];
  return model;
}

Result<TrainedModel> load_model(const std::string& path) {
  CV_TRY(const std::string bytes, engine::read_text_file("model", path, engine::TextSize::document));
  return read_model(bytes, path);
}

}  // namespace chronoveil::training
