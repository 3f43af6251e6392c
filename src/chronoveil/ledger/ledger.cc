#include "chronoveil/ledger/ledger.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/base/system/waiting.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/plausible_clock.h"
#include "chronoveil/ledger/proof/first_seal.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

Instant system_clock() { return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

std::string system_user() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return "uid " + std::to_string(geteuid());
}

// One line of a row: whatever would break the chain's text or the store's encoding is replaced.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  }
  return text;
}

std::function<void(const std::string&)>& warning_handler() {
  static std::function<void(const std::string&)> handler;
  return handler;
}

// What a dataset promises never changes, so that another filter or total is another dataset.
Failure name_is_taken(const Account& account) {
  const std::string& name = account.dataset().name;
  std::string what = "a name not taken yet: what a dataset promises, its filter and its total never change. ";
  if (account.may_delete())
    what += "This one has no debit: chronoveil budget delete " + name + " frees its name";
  else
    what += "For another filter or total create a dataset of another name, such as " + name +
            "-2, and end this one: chronoveil budget close " + name +
            " --reason TEXT. What the two spend adds up for whoever is in both";
  return invalid("dataset", name, what);
}

// Whose row it is. A name of the database is not changed, for the database compares it.
Result<std::string> recorded_name(const std::string& known, const std::string& who) {
  if (known.empty()) return one_line(who.empty() ? system_user() : who);
  if (known.find_first_of("\r\n") != std::string::npos)
    return fail(ErrorKind::storage, "ledger", "the name of the database's role has a line feed; take another role");
  return who.empty() ? known : known + " (" + one_line(who) + ")";
}

}  // namespace

void on_warning(std::function<void(const std::string&)> handler) { warning_handler() = std::move(handler); }

void warn(const std::string& sentence) {
  if (warning_handler()) warning_handler()(sentence);
}

Ledger::Ledger(std::shared_ptr<Inside> inside) : inside_(std::move(inside)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<Ledger> Ledger::open(const std::string& where, Options options) {
  auto inside = std::make_shared<Inside>();
  WaitingFor waiting("the ledger to open");
  CV_TRY(inside->store, open_store(where, first_seal_of, options.must_exist ? Absent::refuse : Absent::create));
  waiting.over();
  if (!options.clock) options.clock = system_clock;
  if (const char* word = std::getenv(kClockIsRight); word != nullptr && word == std::string_view("1"))
    options.clock_is_right = true;
  const auto variable = [](const std::optional<std::string>& given, const char* name) {
    const char* value = std::getenv(name);
    return given ? *given : std::string(value == nullptr ? "" : value);
  };
  CV_TRY(inside->key, SecretKey::at(variable(options.key, "CHRONOVEIL_KEY")));
  if (const std::string place = variable(options.anchor, "CHRONOVEIL_ANCHOR"); !place.empty()) {
    CV_TRY(const std::vector<std::string> present, inside->store->datasets());
    CV_TRY(inside->anchor, open_anchor(place, present.empty() ? Absent::create : Absent::refuse));
    CV_TRY(inside->anchored, inside->anchor->heads());
  }
  CV_TRY(options.who, recorded_name(inside->store->writer_name(), options.who));
  if (warning_handler())
    for (const std::string& warning : inside->store->warnings()) warn(warning);
  inside->options = std::move(options);
  return Ledger(std::move(inside));
}

Result<Dataset> Ledger::create(const DatasetRequest& request) {
  CV_TRY(Dataset dataset, make_dataset(request));
  const std::scoped_lock lock(inside_->mutex);
  CV_CHECK(inside_->append(
      request.name, false,
      [&](const Account& account, const std::string&, const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
        if (account.moved_away())
          return fail(ErrorKind::usage, "dataset", "'" + request.name + "' was moved to another ledger; write there");
        if (account.exists()) return name_is_taken(account);
        if (const Instant clock = inside_->options.clock();
            dataset.renews && !inside_->options.clock_is_right && !is_plausible(*dataset.renews, "", clock))
          return implausible(request.name, "", clock);
        return std::vector<Inside::Draft>{{"create", to_body(dataset)}};
      }));
  return dataset;
}

Receipt Ledger::receipt_for(DebitReference reference, Event event, bool taken_up) const {
  std::function<Result<void>()> write_drawing = [inside = inside_, id = reference.id] {
    return inside->write_drawing(id);
  };
  return {std::move(reference), std::move(event), std::move(write_drawing), taken_up};
}

Result<Receipt> Ledger::reserve(const Terms& terms, const Event& event, const BeforeSecond& before_second) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const Reservation reserved, inside_->debit(terms, {event}, {}, before_second));
  return receipt_for(reserved, event, reserved.taken_up);
}

Result<std::optional<DebitReference>> Ledger::to_take_up(const Terms& terms, const Event& event,
                                                         std::optional<std::int64_t> uses) {
  const std::scoped_lock lock(inside_->mutex);
  CV_CHECK(Inside::check_says_eviction(terms));
  const Store::Reader read = inside_->reader(terms.dataset);
  CV_TRY(const Account* account, inside_->writable(terms.dataset, read));
  CV_TRY(const Cost cost, price(account->dataset(), terms, event));
  const DebitBody asked = Inside::body_of(terms, {event}, {.has_slots = false, .uses = uses});
  return Inside::unused_debit(*account, asked, event, cost, read);
}

Result<Cost> Ledger::check(const Terms& terms, const Event& event) {
  const std::scoped_lock lock(inside_->mutex);
  CV_CHECK(Inside::check_says_eviction(terms));
  CV_TRY(const Account* account, inside_->writable(terms.dataset, inside_->reader(terms.dataset)));
  CV_CHECK(inside_->check_clock(*account));
  CV_TRY(const Cost cost, price(account->dataset(), terms, event));
  CV_TRY(const std::optional<DebitReference> unused, Inside::unused_debit(*account, Inside::body_of(terms, {event}, {}),
                                                                          event, cost, inside_->reader(terms.dataset)));
  if (unused) return cost;
  CV_CHECK(Inside::check_not_closed(*account));
  Result<Inside::Admission> admission =
      Inside::admission_of(*account, account->period_at(inside_->now(*account)), terms, event, cost);
  if (!admission) return inside_->in_releases(admission.error(), terms, cost);
  return std::move(admission->cost);
}

Result<Reservation> Ledger::reserve_run(const Terms& terms, const Event& event, std::int64_t uses,
                                        const BeforeSecond& before_second) {
  if (uses < 1) return invalid("uses", std::to_string(uses), "at least 1");
  const std::scoped_lock lock(inside_->mutex);
  return inside_->debit(terms, {event}, {.has_slots = false, .uses = uses}, before_second);
}

Result<Run> Ledger::resume_run(const DebitId& id) {
  const std::scoped_lock lock(inside_->mutex);
  // Read as a writer that writes nothing: a killed process may have left a use under way in a server, and only a writer
  // waits until that use is committed or gone.
  RunProgress progress;
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    CV_TRY(const RunProgress* run, account.open_run(id));
    CV_CHECK(account.check_own(id));
    progress = *run;
    return std::vector<Inside::Draft>{};
  };
  CV_CHECK(inside_->append(id.dataset, true, compose));
  CV_TRY(Event event, accounting::event_from_json(progress.event));
  return Run(DebitReference{id, std::move(progress.chain_head)}, std::move(event), progress.uses, progress.used,
             std::move(progress.token));
}

Result<void> Ledger::use_run(const DebitId& id, std::int64_t first, std::int64_t count, const std::string& token) {
  const std::scoped_lock lock(inside_->mutex);
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    CV_CHECK(account.may_use(id, first, count));
    CV_CHECK(account.check_own(id));
    return std::vector<Inside::Draft>{{"use", to_body(UseBody{id.sequence, first, count, token, id.slot})}};
  };
  CV_CHECK(inside_->append(id.dataset, true, compose));
  return {};
}

Result<void> Ledger::settle(const DebitId& id, State state, const std::optional<std::string>& digest) {
  if (state != State::released && state != State::abandoned)
    return invalid("state", name(state), "released or abandoned");
  const std::scoped_lock lock(inside_->mutex);
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    CV_CHECK(account.may_settle(id, state));
    return std::vector<Inside::Draft>{{"state", to_body(StateBody{id.sequence, id.slot, state, digest})}};
  };
  CV_CHECK(inside_->append(id.dataset, true, compose));
  return {};
}

}  // namespace chronoveil::ledger
