// chronoveil account and chronoveil calibrate: price an event, or find the noise for a price.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "chronoveil/chronoveil.h"
#include "command.h"
#include "event_argument.h"
#include "output/progress_line.h"
#include "patience.h"

namespace chronoveil::cli {
namespace {

using accounting::Analysis;
using accounting::Event;
using accounting::Price;
using nlohmann::json;

// What account and calibrate share.
struct Request {
  EventArgument event;
  std::optional<std::string> epsilon, delta, tolerance;
  std::string analysis = "certified";
  bool max_count = false, compare = false, json = false;
  Patience patience;
};

void add_request(CLI::App& command, Request& request) {
  add_event_argument(command, request.event);
  command.add_option("--epsilon", request.epsilon, "ε");
  command.add_option("--delta", request.delta,
                     "δ: less than 1, and greater than 0 except for events that move values in time");
  command.add_option("--analysis", request.analysis, "certified, or published: a paper's own formula, not certified");
  command.add_option("--tolerance", request.tolerance, "Largest relative gap between both bounds of ε (0.001)");
  Patience::add_option(command, request.patience);
  add_json_flag(command, request.json);
}

Result<accounting::Options> read_options(const Request& request) {
  accounting::Options options;
  options.attained = true;
  if (request.tolerance) {
    CV_TRY(options.tolerance, read_number("tolerance", *request.tolerance));
  }
  if (request.analysis != "certified" && request.analysis != "published")
    return invalid("analysis", request.analysis, "certified or published");
  options.analysis = request.analysis == "published" ? Analysis::published : Analysis::certified;
  return options;
}

// A price that takes long to measure is replaced by a quick bound, unless the user allows the time.
bool has_time_to_measure(const Request& request, const Event& event) {
  constexpr double kEnough = 60;
  return !accounting::takes_long_to_measure(event) || request.patience.seconds() >= kEnough;
}

std::string not_measured_line(const accounting::Options& options) {
  return options.measured
             ? ""
             : "Not measured: --patience 60 allows the time to measure it, and it may then come out lower.\n";
}

Result<Epsilon> read_epsilon(const Request& request) {
  CV_TRY(const double value, read_number("epsilon", *request.epsilon));
  return Epsilon::make(value);
}
// Events that move values in time may be pure, and their published analysis chooses δ: for these, 0 is a valid δ and
// the default.
Result<Delta> read_delta(const Request& request, const Event& event) {
  const bool moves = accounting::window_of(event).has_value();
  if (!request.delta && moves) return Delta::make(0);
  CV_TRY(const double value, read_number("delta", *request.delta));
  return moves ? Delta::make(value) : Delta::make_positive(value);
}

// Rounded up to six digits, so that what is printed is true.
std::string rounded_up(double value) {
  if (std::isinf(value)) return "infinity";
  std::string text = fmt::format("{:.6g}", value);
  if (std::strtod(text.c_str(), nullptr) < value) {
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 5);
    text = fmt::format("{:.6g}", value + unit);
  }
  return text;
}

std::string described(const Event& event) {
  Event once = event;
  once.count = 1;
  json fields = event_json(once);
  fields.erase("event");
  std::string out(accounting::name(event));
  if (!std::holds_alternative<accounting::Compose>(event.kind) &&
      !std::holds_alternative<accounting::Mixture>(event.kind))
    for (const auto& [key, value] : fields.items()) out += ", " + key + " " + value.dump();
  if (event.count != 1) out += fmt::format(", {} times", event.count);
  return out;
}

void add_neighbours(json& out, const Event& event) {
  if (const auto unit = accounting::unit_of(event)) out["unit"] = name(*unit);
  if (const auto relation = accounting::relation_of(event)) out["relation"] = name(*relation);
  if (const auto window = accounting::window_of(event)) {
    out["definition"] = "TLDP";
    out["window"] = *window;
  }
}

json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json price_to_json(const Event& event, const Price& price, bool epsilon_asked) {
  json out = {{"event", event_json(event)},
              {"epsilon", finite_or_null(price.epsilon)},
              {"delta", price.delta},
              {"analysis", price.analysis == Analysis::published ? "published" : "certified"},
              {"certificate", name(price.certificate)},
              {"count", event.count}};
  if (epsilon_asked) {
    out["epsilon_lower"] = finite_or_null(price.epsilon_lower);
    if (price.epsilon_attained) out["epsilon_attained"] = finite_or_null(*price.epsilon_attained);
  } else {
    out["delta_lower"] = price.delta_lower;
    if (price.delta_attained) out["delta_attained"] = *price.delta_attained;
  }
  if (price.beta > 0) out["beta"] = price.beta;
  if (price.nominal) {
    out["nominal_epsilon"] = finite_or_null(price.nominal->epsilon);
    out["nominal_delta"] = price.nominal->delta;
  }
  if (!price.reason.empty()) out["reason"] = price.reason;
  add_neighbours(out, event);
  return out;
}

std::string assurance(const Price& price, bool epsilon_asked) {
  if (price.certificate == Certificate::as_published) return "As published, not certified.";
  if (std::isinf(price.epsilon)) return price.reason + ".";
  if (price.certificate == Certificate::exact) return "Certified: exact, to within rounding.";
  if (price.certificate == Certificate::upper_bound_with_confidence)
    return fmt::format("Certified: upper bound with confidence {}, measured.", shortest(1 - price.beta));
  return epsilon_asked ? fmt::format("Certified: an upper bound; this analysis cannot give less than ε = {:.6g}.",
                                     price.epsilon_lower)
                       : fmt::format("Certified: an upper bound; this analysis cannot give less than δ = {:.6g}.",
                                     price.delta_lower);
}

// Whom the price is for, if the event says so. A composition may hold for fewer neighbours than some of its events.
std::string for_whom(const Event& event) {
  const auto relation = accounting::relation_of(event);
  if (!relation) return "";
  if (*relation == Relation::add_remove) return " for one unit added or removed";
  const auto* compose = std::get_if<accounting::Compose>(&event.kind);
  const bool mixed = compose && std::any_of(compose->events.begin(), compose->events.end(), [](const Event& part) {
                       return accounting::relation_of(part) == Relation::add_remove;
                     });
  return mixed ? " for one unit replaced; events for one added or removed are converted to that"
               : " for one unit replaced";
}

// "(ε = 2, δ = 0.445)-TLDP over sets of outputs", or what a paper says instead.
std::string guaranteed(const Event& event, const Price& price) {
  const std::string pair = fmt::format("(ε = {}, δ = {})", rounded_up(price.epsilon), rounded_up(price.delta));
  const auto window = accounting::window_of(event);
  if (!window) return pair + "-differential privacy" + for_whom(event);
  if (price.analysis == Analysis::published)
    return pair + ", the paper's number for single outputs, not differential privacy";
  return fmt::format("{}-TLDP over sets of outputs, for swaps of values less than {} steps apart", pair, *window);
}

std::string nominal_line(const Price& price) {
  if (!price.nominal) return "";
  return fmt::format("Nominal: (ε = {}, δ = {}), the paper's number for single outputs, not differential privacy.\n",
                     rounded_up(price.nominal->epsilon), rounded_up(price.nominal->delta));
}

// If a person takes part more often than declared, ε grows; the caller should know how fast.
Result<std::vector<double>> by_participation(const Event& event, Delta delta, const accounting::Options& options) {
  std::vector<double> epsilons;
  const auto* declared = std::get_if<accounting::TimeSubsampling>(&event.kind);
  if (!declared) return epsilons;
  for (std::int64_t times = 1; times <= 4; ++times) {
    Event more = event;
    auto& e = std::get<accounting::TimeSubsampling>(more.kind);
    if (__builtin_mul_overflow(declared->participation, times, &e.participation)) break;
    if (e.length) e.participation = std::min(e.participation, *e.length);
    CV_TRY(const Price price, accounting::epsilon_at(more, delta, options));
    epsilons.push_back(price.epsilon);
  }
  return epsilons;
}

// Other accountants' answers to the same question, for comparison.
Result<json> comparison(const Event& event, Delta delta) {
  json out = json::object();
  CV_TRY(const OtherPrices prices, other_prices(event, delta));
  if (prices.renyi) out["epsilon_rdp"] = *prices.renyi;
  if (prices.zcdp) out["epsilon_zcdp"] = *prices.zcdp;
  if (prices.black_box) out["epsilon_black_box"] = finite_or_null(*prices.black_box);
  return out;
}

Result<void> print_max_count(const Request& request, const Event& event, const accounting::Options& options,
                             std::ostream& out) {
  if (!request.epsilon || !request.delta)
    return fail(ErrorKind::usage, "--max-count", "needs both --epsilon and --delta");
  CV_TRY(const Epsilon epsilon, read_epsilon(request));
  CV_TRY(const Delta delta, read_delta(request, event));
  CV_TRY(const std::int64_t count, accounting::max_count(event, epsilon, delta, options));
  if (!request.json) {
    Event once = event;
    once.count = 1;
    out << fmt::format("{}: at most {} times within ε = {}, δ = {}.\n", described(once), count,
                       shortest(epsilon.value()), shortest(delta.value()));
    return {};
  }
  Event repeated = event;
  repeated.count = std::max<std::int64_t>(count, 1);
  json answer = {{"event", event_json(repeated)},
                 {"count", count},
                 {"epsilon", epsilon.value()},
                 {"delta", delta.value()},
                 {"analysis", request.analysis}};
  add_neighbours(answer, event);
  out << answer.dump() << '\n';
  return {};
}

Result<void> account(const Request& request, std::ostream& out) {
  CV_TRY(accounting::Options options, read_options(request));
  CV_TRY(const Event event, read_event(request.event));
  options.measured = has_time_to_measure(request, event);
  if (request.max_count) return print_max_count(request, event, options, out);
  if (request.epsilon.has_value() == request.delta.has_value())
    return fail(ErrorKind::usage, "give --delta to ask for ε or --epsilon to ask for δ (both with --max-count)");
  const bool epsilon_asked = request.delta.has_value();
  Price price;
  std::vector<double> more;
  json compared = json::object();
  if (epsilon_asked) {
    CV_TRY(const Delta delta, read_delta(request, event));
    CV_TRY(price, accounting::epsilon_at(event, delta, options));
    CV_TRY(more, by_participation(event, delta, options));
    if (request.compare) {
      CV_TRY(compared, comparison(event, delta));
    }
  } else {
    if (request.compare) return fail(ErrorKind::usage, "--compare", "goes with --delta");
    CV_TRY(const Epsilon epsilon, read_epsilon(request));
    CV_TRY(price, accounting::delta_at(event, epsilon, options));
  }
  if (request.json) {
    json answer = price_to_json(event, price, epsilon_asked);
    answer.update(compared);
    if (!options.measured) answer["measured"] = false;
    for (double epsilon : more) answer["epsilon_by_participation"].push_back(finite_or_null(epsilon));
    out << answer.dump() << '\n';
    return {};
  }
  out << fmt::format("{}: {}.\n{}\n{}", described(event), guaranteed(event, price), assurance(price, epsilon_asked),
                     nominal_line(price))
      << not_measured_line(options);
  if (more.size() == 4)
    out << fmt::format("If a person takes part in 2, 3 or 4 times as many steps: ε = {}, {}, {}.\n",
                       rounded_up(more[1]), rounded_up(more[2]), rounded_up(more[3]));
  static constexpr std::pair<const char*, const char*> kOthers[] = {
      {"epsilon_rdp", "Rényi accounting"}, {"epsilon_zcdp", "zCDP"}, {"epsilon_black_box", "windows pooled, at best"}};
  for (const auto& [key, title] : kOthers)
    if (compared.contains(key) && compared[key].is_number())
      out << fmt::format("For comparison, {}: ε = {}.\n", title, rounded_up(compared[key].get<double>()));
  return {};
}

Result<void> calibrate(const Request& request, std::ostream& out) {
  CV_TRY(accounting::Options options, read_options(request));
  CV_TRY(Event event, read_event(request.event, true));
  options.measured = has_time_to_measure(request, event);
  if (!request.epsilon || (!request.delta && !accounting::window_of(event)))
    return fail(ErrorKind::usage, "--epsilon and --delta are both needed to calibrate");
  CV_TRY(const Epsilon epsilon, read_epsilon(request));
  CV_TRY(const Delta delta, read_delta(request, event));
  if (!accounting::has_open_noise(event)) event = accounting::opened(std::move(event));
  CV_TRY(const auto found, accounting::calibrate(event, epsilon, delta, options));
  if (request.json) {
    json answer = price_to_json(found.event, found.price, true);
    answer[found.parameter == "epsilon" ? "event_epsilon" : found.parameter] = found.noise;
    if (const auto window = accounting::window_of(found.event); window && found.parameter == "stay")
      answer["move"] = (1 - found.noise) / static_cast<double>(*window - 1);
    if (found.parameter == "threshold") answer["threshold"] = static_cast<std::int64_t>(found.noise);
    if (!options.measured) answer["measured"] = false;
    out << answer.dump() << '\n';
    return {};
  }
  out << fmt::format("{} {}: {}.\nPrice: {}. {}\n{}", found.parameter, shortest(found.noise), described(found.event),
                     guaranteed(found.event, found.price), assurance(found.price, true), nominal_line(found.price))
      << not_measured_line(options);
  return {};
}

// The question may take longer than anybody waits, so nothing is printed before the answer is there.
Result<void> answered(const std::string& what, const std::shared_ptr<Request>& request,
                      Result<void> (*answer)(const Request&, std::ostream&)) {
  const Waiting waiting(what);
  CV_TRY(const std::string text,
         request->patience.wait_for<std::string>(what, [request, answer]() -> Result<std::string> {
           std::ostringstream out;
           CV_CHECK(answer(*request, out));
           return out.str();
         }));
  std::cout << text;
  return {};
}

}  // namespace

void add_account_command(CLI::App& app, CommandContext& context) {
  auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("account", "Price an event: ε at δ, δ at ε, or how often it fits");
  add_request(*command, *request);
  command->add_flag("--max-count", request->max_count, "The largest count within --epsilon and --delta");
  command->add_flag("--compare", request->compare, "Also show what Rényi, zCDP and black-box accounting would say");
  add_example(*command, "chronoveil account gaussian --noise-multiplier 2 --count 1000 --delta 1e-6");
  add_example(*command, "chronoveil account dp_sgd --rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5");
  add_example(*command, R"(chronoveil account '{"event": "laplace", "noise_multiplier": 2}' --epsilon 0.1 --json)");
  on_run(*command, context, [request] { return answered("pricing", request, account); });
}

void add_calibrate_command(CLI::App& app, CommandContext& context) {
  auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("calibrate", "Find the least noise for a given ε and δ");
  add_request(*command, *request);
  CLI::Option* event = command->get_option("EVENT");
  event->description(
      event->get_description() +
      ". If a single event gives its noise parameter, that is replaced; in a composition, those left out are found");
  add_example(*command, "chronoveil calibrate gaussian --count 52 --epsilon 1 --delta 1e-6");
  add_example(*command, "chronoveil calibrate ranswitch --window 10 --epsilon 2 --delta 0.5");
  on_run(*command, context, [request] { return answered("calibrating", request, calibrate); });
}

}  // namespace chronoveil::cli
