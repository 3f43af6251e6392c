// Models that need no libtorch: trained here, and run on histories.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <variant>

#include "arrow.h"
#include "jobs.h"
#include "module.h"

namespace chronoveil::python {
namespace {

// `again`: the debit whose model is emitted anew.
std::string train(const HeldJob& held, const std::string& ledger, bool confirmed, std::optional<std::uint64_t> seed,
                  const std::optional<std::string>& again, const nb::callable& told_to) {
  TrainOptions options;
  static_cast<RunOptions&>(options) = run_options(ledger, confirmed, false, false, seed, told_to);
  const auto say = [](const training::Training& done) {
    const auto& debit = done.model.debit;
    return debit ? "interrupted when the model was done: the debit " + debit->id.text() +
                       " is released, and again() gives it at no cost"
                 : std::string("interrupted");
  };
  const training::Training done =
      patiently([&] { return again ? train_again(held.job, *again, options) : run_training(held.job, options); },
                held.names, say);
  return report::to_json(value_of(training::report_of(held.job, done), held.names));
}

// What a forecast was asked for, by name. A missing name has its standard value.
using Answer = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;
using Asked = std::map<std::string, Answer>;

template <class T>
void take(const Asked& asked, const char* name, T& to) {
  const auto found = asked.find(name);
  if (found == asked.end()) return;
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) {
      to = static_cast<double>(*whole);
      return;
    }
  }
  if (const auto* answer = std::get_if<T>(&found->second))
    to = *answer;
  else
    raise({.kind = ErrorKind::usage, .parameter = name, .valid = "it is of the wrong type"});
}

Result<ForecastRequest> request_of(const Asked& asked) {
  ForecastRequest request;
  request.source.zone.clear();
  std::string series, keys, fill = "linear";
  std::int64_t path_seed = 1;
  take(asked, "source", request.source.path);
  take(asked, "time", request.source.time);
  take(asked, "time_format", request.source.time_format);
  take(asked, "zone", request.source.zone);
  take(asked, "series", series);
  if (!series.empty()) request.source.series = series;
  take(asked, "value", request.channels);
  take(asked, "keys", request.keys);
  take(asked, "paths", request.prediction.paths);
  take(asked, "keep_paths", request.prediction.keep_paths);
  take(asked, "path_seed", path_seed);
  request.prediction.seed = static_cast<std::uint64_t>(path_seed);
  if (request.prediction.paths < 1)
    return invalid("paths", std::to_string(request.prediction.paths), "a number of at least 1");
  bool is_private = false;
  take(asked, "private", is_private);
  if (!is_private) return request;
  training::PrivateHistory& history = request.privacy.emplace();
  take(asked, "dataset", history.dataset);
  take(asked, "purpose", history.purpose);
  take(asked, "epsilon", history.epsilon);
  take(asked, "delta", history.delta);
  take(asked, "rate", history.rate);
  take(asked, "max_steps", history.changed_steps);
  take(asked, "lower", history.lower);
  take(asked, "upper", history.upper);
  take(asked, "fill", fill);
  if (fill != "linear" && fill != "mean") return invalid("fill", fill, "linear or mean");
  history.fill = fill == "mean" ? training::GapFill::mean : training::GapFill::linear;
  return request;
}

// `capsule`: the history, unless `asked` names a file.
nb::dict forecast(const std::string& model, nb::handle capsule, const Asked& asked,
                  const std::map<std::string, std::string>& outputs, const std::string& ledger, bool confirmed,
                  std::optional<std::uint64_t> seed, const std::optional<std::string>& again,
                  const nb::callable& told_to) {
  ForecastRequest request = value_of(request_of(asked));
  if (!capsule.is_none()) value_of(read_from(request.source, *stream_in(capsule)));
  request.run = run_options(ledger, confirmed, false, false, seed, told_to);
  request.outputs.assign(outputs.begin(), outputs.end());
  std::string title;
  take(asked, "title", title);
  const auto path = [&](const char* name) { return outputs.contains(name) ? outputs.at(name) : std::string(); };
  const training::ForecastPaths paths{path("output"), path("paths_output"), path("json_output"), path("report")};
  const training::WriteForecast write = [&](const training::ForecastDocuments& all) {
    return training::write_forecast(all, paths);
  };
  const training::ForecastDocuments all = patiently([&]() -> Result<training::ForecastDocuments> {
    if (request.privacy) return run_private_forecast(model, request, title, write, again);
    CV_TRY(const report::Forecasted found, run_forecast(model, request, title));
    training::ForecastDocuments made = training::documents_of(found);
    CV_CHECK(write(made));
    return made;
  });
  nb::dict told;
  told["csv"] = all.csv;
  told["paths"] = all.paths;
  told["mark"] = all.mark;
  return told;
}

}  // namespace

void add_training(nb::module_& module) {
  using namespace nb::literals;
  module.def("train", &train, "job"_a, "ledger"_a, "confirmed"_a, "seed"_a.none(), "again"_a.none(), "tell"_a);
  module.def("forecast", &forecast, "model"_a, "capsule"_a.none(), "asked"_a, "outputs"_a, "ledger"_a, "confirmed"_a,
             "seed"_a.none(), "again"_a.none(), "tell"_a);
  module.def(
      "key_list", [](const std::string& path) { return value_of(engine::read_key_list(path, "keys")); }, "path"_a);
  module.def(
      "needs_libtorch",
      [](const std::string& path) {
        return forecasting::is_network(value_of(training::load_model(path)).config.model);
      },
      "model"_a);
}

}  // namespace chronoveil::python
