// chronoveil budget debit, slot, use and settle.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "chronoveil/base/plain_text.h"
#include "commands/budget/budget.h"
#include "event_argument.h"
#include "ledger_option.h"
#include "output/budget_output.h"

namespace chronoveil::cli {
namespace {

struct DebitOptions : BudgetOptions {
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
  std::int64_t first = 0;
  std::int64_t count = 1;
  std::string id;
  bool released = false;
  bool abandoned = false;
};

// --unit and --width say what any event protects; only in `structured_subsampling` are they fields of the event itself.
struct Asked {
  accounting::Event event;
  ledger::Stated stated;
};

Result<Asked> asked(const DebitOptions& options) {
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

ledger::Terms terms_of(const DebitOptions& options, const ledger::Stated& stated) {
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

void print_reference(const DebitOptions& options, const ledger::DebitReference& reference, std::string_view state) {
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

Result<void> debit(const DebitOptions& options) {
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
    return invalid("uses", std::to_string(*options.uses), "left out with --slots: a debit has uses or slots, not both");
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

Result<void> use_slot(const DebitOptions& options) {
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

Result<void> use_run(const DebitOptions& options) {
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

Result<void> settle(const DebitOptions& options) {
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

void add_event_options(CLI::App& command, DebitOptions& options) {
  add_event_argument(command, options.event);
  command.add_option("--mechanism", options.mechanism, "What runs");
}

}  // namespace

void add_debits(CLI::App& budget, CommandContext& context) {
  auto options = std::make_shared<DebitOptions>();
  CLI::App* command = add_command(budget, *options, "debit", "Debit an event, before it runs");
  command->add_option("NAME", options->name, "The dataset")->type_name(kDatasetType)->required();
  add_event_options(*command, *options);
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

  options = std::make_shared<DebitOptions>();
  command = add_command(budget, *options, "slot", "Use a slot for an event that the slot's event dominates");
  command->add_option("ID", options->id, "The slot, such as city:1/0")->required();
  add_event_options(*command, *options);
  add_example(*command, "chronoveil budget slot city:1/0 gaussian --noise-multiplier 25");
  on_run(*command, context, [options] { return use_slot(*options); });

  options = std::make_shared<DebitOptions>();
  command = add_command(budget, *options, "use", "Write down that the next uses of a run are gone");
  command->add_option("ID", options->id, "The run, such as city:1")->required();
  command
      ->add_option("--first", options->first,
                   "The first of them, counted from 0: the number of uses that are gone already")
      ->required();
  command->add_option("--count", options->count, "How many; 1 unless given");
  add_example(*command, "chronoveil budget use city:1 --first 17 --count 7");
  on_run(*command, context, [options] { return use_run(*options); });

  options = std::make_shared<DebitOptions>();
  command = add_command(budget, *options, "settle", "Say what became of a debit; it stays spent");
  command->add_option("ID", options->id, "The debit or slot, such as city:1 or city:1/0")->required();
  command->add_flag("--released", options->released, "Its output was released");
  command->add_flag("--abandoned", options->abandoned, "It came to nothing");
  add_example(*command, "chronoveil budget settle city:1 --released");
  on_run(*command, context, [options] { return settle(*options); });
}

}  // namespace chronoveil::cli
