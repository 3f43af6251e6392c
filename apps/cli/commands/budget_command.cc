// chronoveil budget: creates budgets, shows them, debits them by hand, checks them and carries them elsewhere.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/release/claims.h"
#include "chronoveil/engine/release/witnesses.h"
#include "chronoveil/ledger/ledger.h"
#include "command.h"
#include "event_argument.h"
#include "ledger_option.h"
#include "output/budget_output.h"
#include "output/progress_line.h"
#include "patience.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

struct BudgetOptions {
  std::string ledger;
  bool json = false;

  std::string name;
  double epsilon = 0;
  double delta = 0;
  std::optional<std::string> unit;
  std::int64_t width = 1;
  std::optional<std::int64_t> window;
  std::string relation = "add_remove";
  std::string filter;
  std::string renews;
  std::string parts;
  std::string parts_by;
  std::optional<std::int64_t> straddle;

  EventArgument event;
  std::string purpose;
  std::string mechanism;
  std::string part;
  std::optional<double> event_delta;
  std::optional<std::string> event_relation;
  bool no_eviction = false;
  std::string state = "reserved";
  bool slots = false;
  std::optional<std::int64_t> uses;
  bool composed = false;
  Patience patience;
  std::int64_t first = 0;
  std::int64_t count = 1;

  std::string id;
  bool released = false;
  bool abandoned = false;
  std::string against;
  std::string key;
  std::string place;
};

using Options = std::shared_ptr<BudgetOptions>;

// Only commands that bring datasets create a ledger: a mistyped path must not look like a valid, empty one.
Result<ledger::Ledger> open_ledger(const BudgetOptions& options, bool must_exist = true) {
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  ledger::Options how;
  how.must_exist = must_exist;
  return ledger::Ledger::open(place, std::move(how));
}

// A restored older ledger would spend budget a second time.
Result<void> check_latest(const BudgetOptions& options, ledger::Ledger& ledger, const std::string& dataset) {
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  return engine::check_witnesses(ledger, place, dataset);
}

// What lies beside the ledger and contradicts it, for the named dataset or for all.
Result<std::vector<engine::Contradiction>> found_beside(const BudgetOptions& options, ledger::Ledger& ledger) {
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  return options.name.empty() ? engine::contradictions(ledger, place)
                              : engine::contradictions(ledger, place, options.name);
}

// Looking costs nothing, but an older ledger shows too much as left.
Result<void> warn_of_older(const BudgetOptions& options, ledger::Ledger& ledger) {
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  if (!found.empty()) print_error("warning: " + found.front().text());
  return {};
}

void print(const json& object) { std::cout << object.dump(-1, ' ', false, json::error_handler_t::replace) << "\n"; }

// One name per line, or separated by commas.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty() && part.back() == '\r') part.pop_back();
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Result<std::optional<ledger::Partition>> partition_of(const BudgetOptions& options, const ledger::Protected& promise) {
  if (options.parts.empty() && options.parts_by.empty()) {
    if (options.straddle) return invalid("straddle", std::to_string(*options.straddle), "left out without parts");
    return std::nullopt;
  }
  ledger::Partition partition;
  partition.straddle = options.straddle.value_or(ledger::safe_straddle(promise));
  if (!options.parts_by.empty()) {
    if (!options.parts.empty()) return invalid("parts", options.parts, "left out with --parts-by");
    partition.by = ledger::Partition::By::day;
  } else if (options.parts.starts_with('@')) {
    CV_TRY(const std::string text, engine::read_text_file("parts", options.parts.substr(1)));
    partition.names = split(text, '\n');
  } else {
    partition.names = split(options.parts, ',');
  }
  for (const std::string& part : partition.names) CV_CHECK(check_plain_text("parts", part));
  return partition;
}

Result<void> create(const BudgetOptions& options) {
  ledger::DatasetRequest request;
  request.name = options.name;
  request.epsilon = options.epsilon;
  request.delta = options.delta;
  CV_TRY(request.promise.relation, parse_relation(options.relation));
  const bool swap = request.promise.relation == Relation::swap;
  CV_TRY(request.promise.unit, parse_unit(options.unit.value_or(swap ? "event" : "user")));
  if (swap != options.window.has_value())
    return swap ? fail(ErrorKind::usage, "--window", "needed for relation swap: values less than so many steps apart")
                : invalid("window", std::to_string(*options.window), "left out unless the relation is swap");
  if (swap && options.width != 1)
    return invalid("width", std::to_string(options.width),
                   "left out where the relation is swap; --window says how far");
  request.promise.width = options.window.value_or(options.width);
  // Events that move values cost δ, of which the union sets aside only a tenth.
  if (swap) request.filter = ledger::FilterKind::sum;
  if (!options.filter.empty()) {
    CV_TRY(request.filter, ledger::parse_filter_kind(options.filter));
  }
  if (!options.renews.empty()) {
    CV_TRY(request.renews, ledger::parse_renewal(options.renews));
  }
  CV_TRY(request.partition, partition_of(options, request.promise));
  CV_TRY(ledger::Ledger ledger, open_ledger(options, false));
  // A dataset that once existed must not begin anew.
  CV_TRY(const std::string place, engine::ledger_place(options.ledger));
  CV_CHECK(ledger::check_dataset_name(request.name));
  CV_CHECK(engine::check_witnesses(ledger, place, request.name));
  CV_TRY(const ledger::Dataset dataset, ledger.create(request));
  if (options.json) {
    print(dataset_json(dataset));
  } else {
    std::cout << "created " << dataset_line(dataset) << "\n";
  }
  return {};
}

// What everything would have cost if it had been chosen in advance. Composing many different events takes long, so it
// is priced only on request; what the filter has admitted is a mere sum.
Result<accounting::Price> composed_price(const ledger::View& view, const Patience& patience) {
  if (view.not_composed) return tl::unexpected(*view.not_composed);
  const auto* everything = std::get_if<accounting::Compose>(&view.dearest.kind);
  if (everything != nullptr && everything->events.empty()) return accounting::Price{};
  const Waiting waiting("composing");
  CV_TRY(const Delta delta, Delta::make(view.dataset.delta));
  return patience.wait_for<accounting::Price>(
      "composing", [event = view.dearest, delta] { return accounting::epsilon_at(event, delta, {.fitted = true}); });
}

Result<void> show(const BudgetOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(const ledger::View view,
         ledger.view(options.name, options.part.empty() ? std::nullopt : std::optional(options.part)));
  CV_CHECK(warn_of_older(options, ledger));
  std::optional<Result<accounting::Price>> composed;
  if (options.composed) composed = composed_price(view, options.patience);
  if (options.json) {
    print(view_json(view, composed));
  } else {
    std::cout << view_text(view, composed);
  }
  return {};
}

Result<void> list(const BudgetOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(const std::vector<std::string> names, ledger.datasets());
  CV_CHECK(warn_of_older(options, ledger));
  json all = json::array();
  std::string lines;
  for (const std::string& name : names) {
    CV_TRY(const ledger::View view, ledger.view(name));
    json item = dataset_json(view.dataset);
    item["share_left"] = engine::share_left(view);
    item["debits"] = view.debits;
    all.push_back(std::move(item));
    lines += fmt::format("{}; {:.1f} % left\n", dataset_line(view.dataset), 100 * engine::share_left(view));
  }
  if (options.json) {
    print({{"datasets", std::move(all)}});
  } else {
    std::cout << lines;
  }
  return {};
}

Result<void> history(const BudgetOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(const ledger::View view, ledger.view(options.name));
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(options.name));
  CV_CHECK(warn_of_older(options, ledger));
  if (options.json) {
    json all = json::array();
    for (const ledger::Debit& debit : debits) all.push_back(debit_json(view.dataset.filter, debit));
    print({{"dataset", options.name}, {"debits", std::move(all)}});
  } else {
    for (const ledger::Debit& debit : debits) std::cout << debit_line(view.dataset.filter, debit) << "\n";
  }
  return {};
}

// Whether the ledger has the row that covers a release, and the release says what was debited and released.
Result<bool> verify_release(const engine::ReleaseClaims& claims, ledger::Ledger& ledger,
                            ledger::Verification& verification) {
  CV_TRY(const ledger::Verification covered, ledger.verify_against(claims.debit));
  if (!verification.holds()) return false;
  verification.findings = covered.findings;
  if (!covered.holds()) return false;
  CV_TRY(const ledger::View view, ledger.view(claims.debit.id.dataset));
  CV_TRY(const std::vector<ledger::Debit> debits, ledger.history(claims.debit.id.dataset));
  for (const ledger::Debit& debit : debits) {
    if (debit.id.sequence != claims.debit.id.sequence) continue;
    const engine::ClaimsHeld held = engine::held_against(claims, debit, view.dataset);
    for (const std::string& what : held.contradictions)
      verification.findings.push_back({debit.id.dataset, debit.id.sequence, what});
    return held.tied;
  }
  return false;
}

// An empty list stands for every dataset.
std::vector<std::string> named(const BudgetOptions& options) {
  return options.name.empty() ? std::vector<std::string>{} : std::vector{options.name};
}

// What lies beside the ledger and was paid for by a debit that the ledger lacks. A dataset whose chain is broken proves
// nothing more.
Result<void> hear_witnesses(const BudgetOptions& options, ledger::Ledger& ledger, ledger::Verification& verification) {
  if (!verification.holds()) return {};
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  for (const engine::Contradiction& one : found)
    verification.findings.push_back({one.debit.dataset, one.debit.sequence, one.text()});
  return {};
}

// The findings are the result, so they go to stdout; the exit code says whether there are any.
Result<void> verify(const BudgetOptions& options, CommandContext& context) {
  std::optional<engine::ReleaseClaims> release;
  if (!options.against.empty()) {
    CV_TRY(const std::string text, engine::read_text_file("against", options.against, engine::TextSize::document));
    CV_TRY(release, engine::claims_of(text));
  }
  std::optional<ledger::PublicKey> key;
  if (!options.key.empty()) {
    CV_TRY(key, ledger::PublicKey::read(options.key));
  }
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_TRY(ledger::Verification verification, ledger.verify(named(options), key));
  bool tied = false;
  if (release) {
    CV_TRY(tied, verify_release(*release, ledger, verification));
  }
  CV_CHECK(hear_witnesses(options, ledger, verification));
  if (options.json) {
    json all = verification_json(verification);
    if (release) all["against"] = {{"debit", release->debit.id.text()}, {"tied", tied}};
    print(all);
  } else if (verification.holds()) {
    std::string more = key ? "; every seal is signed" : "";
    if (release && tied) more += "; the release is covered, and is what was released";
    if (release && !tied) more += "; the release is covered, but its row has no digest: its values are not tied to it";
    std::cout << fmt::format("holds: {} datasets, {} rows, {} debits; chain, prices and sums agree{}\n",
                             verification.datasets, verification.rows, verification.debits, more);
  }
  if (!options.json) std::cout << affected_text(verification);
  for (const ledger::Finding& finding : verification.findings) {
    print_error(fmt::format("verify: dataset '{}', row {}: {}", finding.dataset, finding.sequence, finding.message));
  }
  if (!verification.holds()) context.exit_code = static_cast<int>(ErrorKind::storage);
  return {};
}

Result<void> sign(const BudgetOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  // A signature says that the owner has looked: an older ledger must not get one.
  CV_TRY(const std::vector<engine::Contradiction> found, found_beside(options, ledger));
  if (!found.empty()) return fail(ErrorKind::storage, "ledger", found.front().text());
  CV_CHECK(ledger.sign(named(options)));
  CV_TRY(const std::vector<std::string> names,
         options.name.empty() ? ledger.datasets() : Result<std::vector<std::string>>(named(options)));
  if (options.json) {
    print({{"signed", names}});
  } else {
    for (const std::string& name : names) std::cout << "signed " << name << "\n";
  }
  return {};
}

Result<void> export_rows(const BudgetOptions& options) {
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  std::vector<std::string> names{options.name};
  if (options.name.empty()) {
    CV_TRY(names, ledger.datasets());
  }
  json rows = json::array();
  for (const std::string& name : names) {
    CV_TRY(const std::vector<ledger::Entry> entries, ledger.entries(name));
    for (const ledger::Entry& entry : entries) rows.push_back(entry_json(entry));
  }
  if (options.json) {
    print({{"format", "chronoveil-ledger-1"}, {"rows", std::move(rows)}});
  } else {
    for (const json& row : rows) std::cout << row.dump(-1, ' ', false, json::error_handler_t::replace) << "\n";
  }
  return {};
}

// --unit and --width say what any event protects; only in `structured_subsampling` are they fields of the event itself.
struct Asked {
  accounting::Event event;
  ledger::Stated stated;
};

Result<Asked> asked(const BudgetOptions& options) {
  EventArgument argument = options.event;
  Asked result;
  if (argument.text != "structured_subsampling") {
    if (const auto unit = argument.options.extract("unit")) {
      CV_TRY(result.stated.unit, parse_unit(unit.mapped()));
    }
    if (const auto width = argument.options.extract("width")) {
      CV_TRY(const double value, read_number("width", width.mapped()));
      if (!(value >= 1 && value < 1e15) || value != std::floor(value)) {
        return invalid("width", width.mapped(), "a whole number, at least 1");
      }
      result.stated.width = static_cast<std::int64_t>(value);
    }
  }
  if (options.event_relation) {
    CV_TRY(result.stated.relation, parse_relation(*options.event_relation));
  }
  if (options.no_eviction) result.stated.eviction = ledger::Eviction::none;
  CV_TRY(result.event, read_event(argument));
  return result;
}

ledger::Terms terms_of(const BudgetOptions& options, const ledger::Stated& stated) {
  ledger::Terms terms;
  terms.dataset = options.name;
  terms.purpose = options.purpose;
  terms.mechanism = options.mechanism;
  terms.stated = stated;
  if (!options.part.empty()) terms.part = options.part;
  terms.delta = options.event_delta;
  return terms;
}

// A compose event without repetition is a list of slots; any other event repeated is as many slots.
std::vector<accounting::Event> slots_of(const accounting::Event& event) {
  const auto* compose = std::get_if<accounting::Compose>(&event.kind);
  if (compose != nullptr && event.count == 1) {
    std::vector<accounting::Event> slots;
    for (const accounting::Event& part : compose->events) {
      for (std::int64_t i = 0; i < part.count; ++i) slots.push_back({part.kind, 1});
    }
    return slots;
  }
  return std::vector<accounting::Event>(static_cast<std::size_t>(event.count), accounting::Event{event.kind, 1});
}

void print_reference(const BudgetOptions& options, const ledger::DebitReference& reference, std::string_view state) {
  say_on_interrupt(reference.id.text() + " is " + std::string(state));
  if (options.json) {
    print({{"debit", reference_json(reference)}, {"state", state}});
  } else {
    std::cout << state << " " << reference.id.text() << "\n";
  }
}

// For an end of the command without an error message of its own: a lost output, no memory, an interrupt.
void say_may_be_written(const std::string& dataset) {
  say_on_interrupt("it may have been written: see chronoveil budget history " + dataset);
}

constexpr std::int64_t kMostSlots = 100'000;

Result<void> debit(const BudgetOptions& options) {
  CV_CHECK(check_plain_text("purpose", options.purpose));
  CV_CHECK(check_plain_text("mechanism", options.mechanism));
  CV_TRY(const Asked request, asked(options));
  const accounting::Event& event = request.event;
  const ledger::Terms terms = terms_of(options, request.stated);
  CV_TRY(const ledger::State state, ledger::parse_state(options.state));
  if (options.slots && event.count > kMostSlots)
    return invalid("count", std::to_string(event.count), "at most 100000 slots");
  if (options.slots && state != ledger::State::reserved)
    return invalid("state", options.state, "reserved: slots are settled one by one");
  if (options.uses && options.slots)
    return invalid("uses", std::to_string(*options.uses), "left out with --slots: a debit has either");
  if (options.uses && state != ledger::State::reserved)
    return invalid("state", options.state, "reserved: a run is settled when it ends");
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_CHECK(check_latest(options, ledger, options.name));
  say_may_be_written(options.name);
  if (options.slots) {
    CV_TRY(const ledger::DebitReference reference, ledger.reserve_slots(terms, slots_of(event)));
    print_reference(options, reference, "reserved");
    return {};
  }
  if (options.uses) {
    CV_TRY(const ledger::DebitReference reference, ledger.reserve_run(terms, event, *options.uses));
    print_reference(options, reference, "reserved");
    return {};
  }
  CV_TRY(const ledger::Receipt receipt, ledger.reserve(terms, event));
  const ledger::DebitId& id = receipt.reference().id;
  if (state != ledger::State::reserved) {
    say_on_interrupt("the debit " + id.text() + " is reserved");
    if (Result<void> settled = ledger.settle(id, state); !settled) {
      settled.error().message += "; the debit " + id.text() + " is made";
      return tl::unexpected(std::move(settled.error()));
    }
  }
  print_reference(options, receipt.reference(), ledger::name(state));
  return {};
}

Result<void> use_slot(const BudgetOptions& options) {
  CV_CHECK(check_plain_text("mechanism", options.mechanism));
  CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(options.id));
  CV_TRY(const accounting::Event event, read_event(options.event));
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_CHECK(check_latest(options, ledger, id.dataset));
  say_may_be_written(id.dataset);
  CV_TRY(const ledger::Receipt receipt, ledger.open_slot(id, event, options.mechanism));
  print_reference(options, receipt.reference(), "reserved");
  return {};
}

Result<void> use_run(const BudgetOptions& options) {
  CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(options.id));
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_CHECK(check_latest(options, ledger, id.dataset));
  say_may_be_written(id.dataset);
  CV_CHECK(ledger.use_run(id, options.first, options.count));
  const std::string used = fmt::format("used {} of {} from {}", options.count, id.text(), options.first);
  say_on_interrupt(used);
  if (options.json) {
    print({{"id", id.text()}, {"first", options.first}, {"count", options.count}});
  } else {
    std::cout << used << "\n";
  }
  return {};
}

Result<void> settle(const BudgetOptions& options) {
  if (options.released == options.abandoned)
    return fail(ErrorKind::usage, "settle", "give either --released or --abandoned");
  CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(options.id));
  const ledger::State state = options.released ? ledger::State::released : ledger::State::abandoned;
  CV_TRY(ledger::Ledger ledger, open_ledger(options));
  CV_CHECK(check_latest(options, ledger, id.dataset));
  say_may_be_written(id.dataset);
  CV_CHECK(ledger.settle(id, state));
  say_on_interrupt(id.text() + " is " + std::string(ledger::name(state)));
  if (options.json) {
    print({{"id", id.text()}, {"state", ledger::name(state)}});
  } else {
    std::cout << ledger::name(state) << " " << id.text() << "\n";
  }
  return {};
}

Result<void> carry(const BudgetOptions& options, const char* done,
                   Result<void> (ledger::Ledger::*how)(const std::string&)) {
  const bool restores = how == &ledger::Ledger::restore;
  CV_TRY(ledger::Ledger ledger, open_ledger(options, !restores));
  if (!restores) {
    CV_TRY(const std::string place, engine::ledger_place(options.ledger));
    CV_CHECK(engine::check_witnesses(ledger, place));
  }
  CV_CHECK((ledger.*how)(options.place));
  if (options.json) {
    print({{"done", done}});
  } else {
    std::cout << done << "\n";
  }
  return {};
}

CLI::App* add_command(CLI::App& budget, const Options& options, const char* name, const char* description) {
  CLI::App* command = budget.add_subcommand(name, description);
  add_ledger_option(*command, options->ledger);
  add_json_flag(*command, options->json);
  return command;
}

void add_event_options(CLI::App& command, const Options& options) {
  add_event_argument(command, options->event);
  command.add_option("--mechanism", options->mechanism, "What runs");
}

void add_create(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App* command = add_command(budget, options, "create", "Create a dataset with its budget");
  command->add_option("NAME", options->name, "The dataset")->required();
  command->add_option("--epsilon", options->epsilon, "ε of the whole budget")->required();
  command->add_option("--delta", options->delta, "δ of the whole budget; 0 unless given");
  command->add_option("--unit", options->unit,
                      "What is protected: user (the default), w-event or event (always for swap)");
  command->add_option("--width", options->width, "How many events in a row, for w-event");
  command->add_option(
      "--relation", options->relation,
      "How neighbours differ: add_remove (the default), replace, replace_values (where and when is public), or swap");
  command->add_option("--window", options->window, "For swap: two values less than so many steps apart change places");
  command->add_option("--filter", options->filter,
                      "union, sum, zcdp, renyi or gaussian; union; sum where δ is 0 or the relation is swap");
  command->add_option("--renews", options->renews, "month or year: the budget is then for each period");
  command->add_option("--parts", options->parts, "The public parts, in order: a,b,c or @FILE with one a line");
  command->add_option("--parts-by", options->parts_by, "Public parts by date")->check(CLI::IsMember({"day"}));
  add_clock_flag(*command);
  command->add_option("--straddle", options->straddle,
                      "How many neighbouring parts a window of w-event can touch; as many as it has events");
  add_example(*command, "chronoveil budget create city --epsilon 1 --delta 1e-6 --unit user");
  on_run(*command, context, [options] { return create(*options); });
}

void add_looks(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App* command = add_command(budget, options, "show", "Show what is left of a budget");
  command->add_option("NAME", options->name, "The dataset")->required();
  command->add_option("--part", options->part, "What is left for this part");
  command->add_flag("--composed", options->composed,
                    "Also what all of it would cost, had it been chosen in advance; may take a while");
  Patience::add_option(*command, options->patience);
  add_example(*command, "chronoveil budget show city");
  on_run(*command, context, [options] { return show(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "list", "List the datasets of the ledger");
  add_example(*command, "chronoveil budget list");
  on_run(*command, context, [options] { return list(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "history", "List the debits of a dataset");
  command->add_option("NAME", options->name, "The dataset")->required();
  add_example(*command, "chronoveil budget history city");
  on_run(*command, context, [options] { return history(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "verify", "Check the chain, the price of every row and the sums");
  command->add_option("NAME", options->name, "Only this dataset");
  command->add_option("--against", options->against, "A release (JSON) whose debit must be there");
  command->add_option("--key", options->key, "The public key (NAME.pub) that every seal must be signed by");
  add_example(*command, "chronoveil budget verify --against out.json");
  on_run(*command, context, [options, &context] { return verify(*options, context); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "sign", "Sign what verifies with the key that CHRONOVEIL_KEY names");
  command->add_option("NAME", options->name, "Only this dataset");
  add_example(*command, "CHRONOVEIL_KEY=owner.key chronoveil budget sign city");
  on_run(*command, context, [options] { return sign(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "export", "Print every row as JSON, one a line");
  command->add_option("NAME", options->name, "Only this dataset");
  add_example(*command, "chronoveil budget export city");
  on_run(*command, context, [options] { return export_rows(*options); });
}

void add_debits(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App* command = add_command(budget, options, "debit", "Debit an event, before it runs");
  command->add_option("NAME", options->name, "The dataset")->required();
  add_event_options(*command, options);
  command->add_option("--purpose", options->purpose, "Why, in words");
  command->add_option("--part", options->part, "The part that it concerns");
  command->add_option("--delta", options->event_delta, "Charge the event its ε at this δ");
  command->get_option("--unit")->description("What the event protects; the dataset's unless given");
  command->get_option("--width")->description("How many events in a row it protects, or steps of a user");
  command->add_option("--relation", options->event_relation,
                      "The neighbours it was priced for; the dataset's unless given");
  command->add_flag("--no-eviction", options->no_eviction,
                    "With a unit wider than the dataset's: no cap can push one event out for another");
  add_clock_flag(*command);
  command->add_option("--state", options->state, "reserved (the default), released or abandoned");
  command->add_flag("--slots", options->slots, "Reserve one slot for each event composed");
  command->add_option("--uses", options->uses, "Reserve a run: the event happens in this many numbered uses");
  add_example(*command, "chronoveil budget debit city gaussian --noise-multiplier 20 --purpose 'weekly counts'");
  on_run(*command, context, [options] { return debit(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "slot", "Use a slot for an event that its own dominates");
  command->add_option("ID", options->id, "The slot, such as city:1/0")->required();
  add_event_options(*command, options);
  add_example(*command, "chronoveil budget slot city:1/0 gaussian --noise-multiplier 25");
  on_run(*command, context, [options] { return use_slot(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "use", "Write down that the next uses of a run are gone");
  command->add_option("ID", options->id, "The run, such as city:1")->required();
  command->add_option("--first", options->first, "The first of them, counted from 0: as many as are gone")->required();
  command->add_option("--count", options->count, "How many; 1 unless given");
  add_example(*command, "chronoveil budget use city:1 --first 17 --count 7");
  on_run(*command, context, [options] { return use_run(*options); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "settle", "Say what became of a debit; it stays spent");
  command->add_option("ID", options->id, "The debit or slot, such as city:1 or city:1/0")->required();
  command->add_flag("--released", options->released, "Its output was released");
  command->add_flag("--abandoned", options->abandoned, "It came to nothing");
  add_example(*command, "chronoveil budget settle city:1 --released");
  on_run(*command, context, [options] { return settle(*options); });
}

void add_carriage(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App* command = add_command(budget, options, "backup", "Copy every row to a new place");
  command->add_option("PATH", options->place, "A new file, or an empty PostgreSQL ledger")->required();
  add_example(*command, "chronoveil budget backup ledger-2026-03.db");
  on_run(*command, context, [options] { return carry(*options, "backed up", &ledger::Ledger::back_up); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "restore", "Take in the datasets of a backup");
  command->add_option("PATH", options->place, "The backup")->required();
  add_example(*command, "chronoveil budget restore ledger-2026-03.db");
  on_run(*command, context, [options] { return carry(*options, "restored", &ledger::Ledger::restore); });

  options = std::make_shared<BudgetOptions>();
  command = add_command(budget, options, "move", "Close every dataset here and open it there");
  command->add_option("TO", options->place, "A path, or a URL postgresql://...")->required();
  add_example(*command, "chronoveil budget move postgresql://ledger@db.example.org/privacy");
  on_run(*command, context, [options] { return carry(*options, "moved", &ledger::Ledger::move); });
}

}  // namespace

void add_budget_command(CLI::App& app, CommandContext& context) {
  CLI::App* budget = app.add_subcommand("budget", "Create, show, debit and check privacy budgets");
  budget->require_subcommand(1);
  add_example(*budget, "chronoveil budget show city");
  add_create(*budget, context);
  add_looks(*budget, context);
  add_debits(*budget, context);
  add_carriage(*budget, context);
}

}  // namespace chronoveil::cli
