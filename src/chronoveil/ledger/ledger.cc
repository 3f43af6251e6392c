#include "chronoveil/ledger/ledger.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/event_json.h"
#include "chronoveil/base/version.h"
#include "chronoveil/base/waiting.h"
#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/anchor.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/first_seal.h"
#include "chronoveil/ledger/plausible_clock.h"
#include "chronoveil/ledger/pricing.h"
#include "chronoveil/ledger/store.h"

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

// Whose row it is. A name of the database is taken as it is, for the database compares it.
Result<std::string> recorded_name(const std::string& known, const std::string& who) {
  if (known.empty()) return one_line(who.empty() ? system_user() : who);
  if (known.find_first_of("\r\n") != std::string::npos)
    return fail(ErrorKind::storage, "ledger: the name of the database's role has a line feed; take another role");
  return who.empty() ? known : known + " (" + one_line(who) + ")";
}

}  // namespace

void on_warning(std::function<void(const std::string&)> handler) { warning_handler() = std::move(handler); }

struct Ledger::Inside {
  std::unique_ptr<Store> store;
  Options options;
  std::mutex mutex;
  std::map<std::string, Account> accounts;        // each as of the last row that this process has read
  std::map<std::string, std::string> signatures;  // of their seals
  const SecretKey* key = nullptr;
  std::unique_ptr<Anchor> anchor;
  AnchoredHeads anchored;  // before this ledger was opened

  // Brings the account up to the rows in the store.
  Result<Account*> catch_up(const std::string& dataset, const Store::Reader& read) {
    Account& account = accounts[dataset];
    // The last row known is read again: a ledger that lost it must not be written to.
    const std::int64_t known = account.next_sequence() - 1;
    CV_TRY(const Stored stored, read(std::max<std::int64_t>(known, 0)));
    auto row = stored.rows.begin();
    if (known >= 0) {
      if (row == stored.rows.end() || row->hash != account.head()) {
        accounts.erase(dataset);
        return fail(ErrorKind::storage,
                    "ledger: rows of dataset '" + dataset + "' that were there before are gone or changed");
      }
      ++row;
    }
    const auto take_in = [&]() -> Result<void> {
      for (; row != stored.rows.end(); ++row) {
        CV_CHECK(account.apply(*row));
        CV_CHECK(check_anchored_head(dataset, account));
      }
      CV_CHECK(check_seal(dataset, account.seal(), stored.seal));
      if (stored.seal) CV_CHECK(signer_of(dataset, *stored.seal));
      return check_anchored_length(dataset, account);
    };
    if (Result<void> done = take_in(); !done) {
      accounts.erase(dataset);
      return tl::unexpected(done.error());
    }
    signatures[dataset] = stored.seal ? stored.seal->signature : "";
    return &account;
  }

  static Failure older_than_anchor(const std::string& dataset) {
    return fail(ErrorKind::storage, "anchor: the ledger is older than its anchor, or another one: dataset '" + dataset +
                                        "' does not have a row that was anchored; put back the latest ledger");
  }

  // Whether the last row that was taken in is the one that was anchored in its place, if one was.
  Result<void> check_anchored_head(const std::string& dataset, const Account& account) const {
    const auto heads = anchored.find(dataset);
    if (heads == anchored.end()) return {};
    const auto head = heads->second.find(account.next_sequence());
    if (head != heads->second.end() && head->second != account.head()) return older_than_anchor(dataset);
    return {};
  }

  // What was moved away goes on elsewhere, and so do its heads.
  Result<void> check_anchored_length(const std::string& dataset, const Account& account) const {
    const auto heads = anchored.find(dataset);
    if (heads == anchored.end() || account.moved_away()) return {};
    if (heads->second.rbegin()->first > account.next_sequence()) return older_than_anchor(dataset);
    return {};
  }

  Result<void> check_anchored(const std::string& dataset, const std::vector<Entry>& rows) const {
    Account account;
    for (const Entry& row : rows) {
      CV_CHECK(account.apply(row));
      CV_CHECK(check_anchored_head(dataset, account));
    }
    return check_anchored_length(dataset, account);
  }

  // The debit stands although its head could not be anchored; nothing was read yet.
  Result<void> anchor_head(const std::string& dataset, const Account& account) {
    if (!anchor) return {};
    Result<void> done = anchor->append(dataset, account.next_sequence(), account.head());
    if (!done) done.error().message += "; what was written stands: see chronoveil budget history " + dataset;
    return done;
  }

  // The signature of a seal that follows one with the signature `before`.
  Result<std::string> signature_for(const std::string& dataset, const Seal& seal, const std::string& before,
                                    bool is_new) const {
    if (key == nullptr) {
      if (before.empty()) return std::string();
      return fail(ErrorKind::usage, "CHRONOVEIL_KEY: dataset '" + dataset +
                                        "' is signed; name the secret key that it is signed with, or it could not be "
                                        "verified any more");
    }
    if (!is_new && !before.starts_with(key->public_key().text() + ":"))
      return fail(ErrorKind::usage,
                  "CHRONOVEIL_KEY: dataset '" + dataset +
                      "' is not signed by this key yet; look at it, then run: chronoveil budget sign " + dataset);
    return sign_seal(*key, dataset, seal);
  }

  // A name that cannot be is no dataset that somebody made.
  Result<std::vector<std::string>> names() {
    CV_TRY(std::vector<std::string> all, store->datasets());
    for (const std::string& name : all)
      if (!check_dataset_name(name))
        return fail(ErrorKind::storage, "ledger: it is damaged: a dataset has a name that none can have");
    for (const auto& item : anchored)
      if (std::find(all.begin(), all.end(), item.first) == all.end()) return older_than_anchor(item.first);
    return all;
  }

  Result<Account*> existing(const std::string& dataset, const Store::Reader& read) {
    CV_CHECK(check_dataset_name(dataset));
    CV_TRY(Account * account, catch_up(dataset, read));
    if (!account->exists()) {
      accounts.erase(dataset);
      return invalid("dataset", dataset, "one that was created; see budget list and budget create");
    }
    return account;
  }

  Result<Account*> writable(const std::string& dataset, const Store::Reader& read) {
    CV_TRY(Account * account, existing(dataset, read));
    if (account->moved_away())
      return fail(ErrorKind::usage, "dataset: '" + dataset + "' was moved to another ledger; write there");
    return account;
  }

  Store::Reader reader(const std::string& dataset) {
    return [this, dataset](std::int64_t from) { return store->read(dataset, from); };
  }

  std::string now(const Account& account) const { return account.time_to_record(timestamp(options.clock())); }

  bool trusts_clock(const Account& account, Instant clock) const {
    return options.clock_is_right || !account.exists() || !account.dataset().renews ||
           is_plausible(*account.dataset().renews, account.last_time(), clock);
  }

  // What follows is dated like the row before it where the clock cannot be trusted; a debit then is refused.
  std::string time_of_next_row(const Account& account) const {
    const Instant clock = options.clock();
    return trusts_clock(account, clock) ? account.time_to_record(timestamp(clock)) : account.last_time();
  }

  Result<void> check_clock(const Account& account) const {
    const Instant clock = options.clock();
    if (trusts_clock(account, clock)) return {};
    return implausible(account.dataset().name, account.last_time(), clock);
  }

  std::string clock_note(const Account& account) const {
    if (!account.dataset().renews) return "";
    const Instant clock = options.clock();
    if (timestamp(clock + std::chrono::days(1)) < account.last_time())
      return "the last row is dated " + account.last_time() + ", after the clock: the period stays " +
             account.period_at(account.last_time()) + " until the clock passes it";
    if (trusts_clock(account, clock)) return "";
    return implausible(account.dataset().name, account.last_time(), clock).value().message;
  }

  // Runs `compose` on the up-to-date account inside a transaction; it returns the kinds and bodies of the rows to
  // append. Returns those rows once they are durable.
  struct Draft {
    std::string kind;
    std::string body;
  };
  using Composer =
      std::function<Result<std::vector<Draft>>(const Account&, const std::string& recorded_at, const Store::Reader&)>;

  Result<std::vector<Entry>> append(const std::string& dataset, bool must_exist, const Composer& compose) {
    CV_CHECK(check_dataset_name(dataset));
    std::vector<Entry> rows;
    WaitingFor waiting("the ledger's dataset '" + dataset + "', which another process holds");
    Result<void> done = store->append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
      waiting.over();
      rows.clear();
      CV_TRY(const Account* account, must_exist ? writable(dataset, read) : catch_up(dataset, read));
      const std::string recorded_at = time_of_next_row(*account);
      CV_TRY(const std::vector<Draft> drafts, compose(*account, recorded_at, read));
      std::string previous = account->head();
      for (const Draft& draft : drafts) {
        Entry entry{dataset, 0, recorded_at, options.who, draft.kind, draft.body, "", ""};
        rows.push_back(
            linked(std::move(entry), account->next_sequence() + static_cast<std::int64_t>(rows.size()), previous));
        previous = rows.back().hash;
      }
      CV_TRY(Seal seal, account->seal_with(rows));
      if (!rows.empty()) {
        CV_TRY(seal.signature, signature_for(dataset, seal, signatures[dataset], !account->exists()));
      }
      return Addition{rows, std::move(seal)};
    });
    if (!done) {
      // What the store kept is unknown after its own errors; a refusal leaves the account as it was read.
      if (done.error().kind == ErrorKind::storage) accounts.erase(dataset);
      if (store->in_doubt() && !rows.empty()) done.error().message += doubt_about(rows);
      return tl::unexpected(done.error());
    }
    Account& account = accounts[dataset];
    for (const Entry& row : rows) {
      if (Result<void> applied = account.apply(row); !applied) {
        accounts.erase(dataset);
        return tl::unexpected(applied.error());
      }
    }
    if (!rows.empty()) CV_CHECK(anchor_head(dataset, account));
    return rows;
  }

  // What a caller must know of rows that may be there although they could not be confirmed.
  static std::string doubt_about(const std::vector<Entry>& rows) {
    const bool debit = std::any_of(rows.begin(), rows.end(), [](const Entry& row) { return row.kind == "debit"; });
    return std::string(debit ? "; the debit may have been made" : "; it may have been written all the same") +
           ": see chronoveil budget history " + rows.front().dataset;
  }

  struct Admission {
    Cost cost;
    bool takes_all = false;
  };

  // What a request is charged: its price under the filter, or everything when it is the first and keeps the whole
  // (ε, δ) alone.
  static Result<Admission> admission_of(const Account& account, const std::string& period, const Terms& terms,
                                        const Event& event, const Cost& cost) {
    const Result<void> admitted = account.admit(period, terms.part, cost);
    if (admitted) return Admission{cost, false};
    const Result<bool> untouched = account.is_untouched(period, terms.part);
    if (!untouched || !*untouched) return tl::unexpected(admitted.error());
    const Result<bool> alone = fills_at_most_all(account.dataset(), terms, event);
    if (!alone || !*alone) return tl::unexpected(admitted.error());
    return Admission{account.dataset().filter.budget, true};
  }

  // Only rows of before may leave it open.
  static Result<void> check_says_eviction(const Terms& terms) {
    if (terms.stated.eviction != Eviction::unsaid) return {};
    return fail(ErrorKind::internal, "ledger: a new debit must say whether its caps can evict");
  }

  // Whether the events are one, a list of slots, or one that happens in numbered uses.
  struct Shape {
    bool has_slots = false;
    std::optional<std::int64_t> uses;
  };

  static DebitBody body_of(const Terms& terms, const std::vector<Event>& events, const Shape& shape) {
    DebitBody body;
    body.terms = terms;
    body.has_slots = shape.has_slots;
    body.uses = shape.uses;
    body.analysis = accounting::kAnalysisVersion;
    body.software = kVersion;
    if (shape.has_slots) {
      body.events = nlohmann::json::array();
      for (const Event& event : events) body.events.push_back(accounting::event_to_json(event));
    } else {
      body.events = accounting::event_to_json(events.front());
    }
    return body;
  }

  // The last debit of the job of `asked`, if that may be had for it: nothing was drawn or used, by a version that would
  // have written so, neither here nor, after a backup was made, in the ledger that it is of; the terms are the same to
  // the letter; and what was charged is no less than the price of today.
  static Result<std::optional<DebitReference>> unused_debit(const Account& account, const DebitBody& asked,
                                                            const Event& event, const Cost& cost,
                                                            const Store::Reader& read) {
    std::optional<DebitReference> none;
    const std::optional<Account::JobDebit> last = account.last_of(asked.terms.job);
    if (!last || last->state != State::reserved || last->used > 0 || asked.has_slots ||
        account.from_backup(last->sequence))
      return none;
    CV_TRY(const Stored stored, read(last->sequence));
    const Entry& row = stored.rows.front();
    CV_TRY(const DebitBody there, debit_from_body(row.body));
    DebitBody same = asked;
    same.period = there.period;
    same.cost = there.cost;
    same.takes_all = there.takes_all;
    same.analysis = there.analysis;
    same.software = there.software;
    if (to_body(same) != row.body) return none;
    if (there.takes_all) {
      CV_TRY(const bool alone, fills_at_most_all(account.dataset(), asked.terms, event));
      if (!alone) return none;
    } else if (!covers(there.cost, cost)) {
      return none;
    }
    return std::optional(DebitReference{{row.dataset, row.sequence, std::nullopt}, row.hash});
  }

  static bool covers(const Cost& charged, const Cost& price) {
    if (charged.values.size() != price.values.size()) return false;
    for (std::size_t i = 0; i < price.values.size(); ++i)
      if (charged.values[i] < price.values[i]) return false;
    return charged.delta >= price.delta;
  }

  Result<Reservation> debit(const Terms& terms, const std::vector<Event>& events, const Shape& shape,
                            const BeforeSecond& before_second = {}) {
    CV_CHECK(check_says_eviction(terms));
    DebitBody body = body_of(terms, events, shape);
    // Pricing needs no lock, nor the latest rows: what a dataset promises never changes.
    const Account* known = &accounts[terms.dataset];
    if (!known->exists()) {
      CV_TRY(known, writable(terms.dataset, reader(terms.dataset)));
    }
    const Event event = composed(events);
    CV_TRY(const Cost cost, price(known->dataset(), terms, event));
    std::optional<DebitReference> taken;
    const Composer compose = [&](const Account& account, const std::string& recorded_at,
                                 const Store::Reader& read) -> Result<std::vector<Draft>> {
      CV_TRY(taken, unused_debit(account, body, event, cost, read));
      if (taken) return std::vector<Draft>{};
      if (const auto last = account.last_of(terms.job); last && before_second)
        CV_CHECK(before_second({terms.dataset, last->sequence, std::nullopt}, last->state));
      CV_CHECK(check_clock(account));
      body.period = account.period_at(recorded_at);
      CV_TRY(const Admission admission, admission_of(account, body.period, terms, event, cost));
      body.cost = admission.cost;
      body.takes_all = admission.takes_all;
      return std::vector<Draft>{{"debit", to_body(body)}};
    };
    CV_TRY(const std::vector<Entry> rows, append(terms.dataset, true, compose));
    if (taken) return Reservation{*std::move(taken), true};
    return Reservation{{{terms.dataset, rows.front().sequence, std::nullopt}, rows.front().hash}, false};
  }

  Result<void> write_drawing(const DebitId& id) {
    const std::scoped_lock lock(mutex);
    const Composer compose = [&](const Account& account, const std::string&,
                                 const Store::Reader&) -> Result<std::vector<Draft>> {
      CV_CHECK(account.may_draw(id));
      if (!id.slot && account.from_backup(id.sequence))
        return invalid("id", id.text(),
                       "a debit that did not come out of a backup, which may have been drawn for since");
      return std::vector<Draft>{{"drawing", to_body(DrawingBody{id.sequence, id.slot})}};
    };
    CV_CHECK(append(id.dataset, true, compose));
    return {};
  }

  // Copies the rows of a dataset, as they are, to a store that has none of it, and appends a note of how they came.
  Result<void> copy(const Stored& from, Store& to, const std::optional<Entry>& note) const {
    const std::string& dataset = from.rows.front().dataset;
    return to.append(dataset, [&](const Store::Reader& read) -> Result<Addition> {
      CV_TRY(const Stored present, read(0));
      if (!present.rows.empty() || present.seal)
        return fail(ErrorKind::usage, "dataset: '" + dataset + "' exists there already");
      Addition all{from.rows, *from.seal};
      if (!note) return all;
      all.rows.push_back(linked(*note, from.rows.back().sequence + 1, from.rows.back().hash));
      CV_TRY(all.seal, seal_of(all.rows));
      if (!from.seal->signature.empty()) {
        CV_TRY(all.seal.signature, signature_for(dataset, all.seal, from.seal->signature, false));
      }
      return all;
    });
  }

  // Rows that follow from each other, all of them, or an error: a broken chain is not carried elsewhere.
  static Result<Stored> sound_rows(Store& from, const std::string& dataset) {
    CV_TRY(Stored stored, from.read(dataset, 0));
    CV_TRY(const Seal seal, seal_of(stored.rows));
    CV_CHECK(check_seal(dataset, seal, stored.seal));
    if (stored.seal) CV_CHECK(signer_of(dataset, *stored.seal));
    return stored;
  }

  Result<Entry> opened(const std::vector<Entry>& rows, Origin origin) const {
    Account account;
    for (const Entry& row : rows) CV_CHECK(account.apply(row));
    return Entry{rows.front().dataset, 0, time_of_next_row(account), options.who, "opened", to_body(origin), "", ""};
  }
};

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
    CV_TRY(inside->anchor, open_anchor(place));
    CV_TRY(inside->anchored, inside->anchor->heads());
  }
  CV_TRY(options.who, recorded_name(inside->store->writer_name(), options.who));
  if (warning_handler())
    for (const std::string& warning : inside->store->warnings()) warning_handler()(warning);
  inside->options = std::move(options);
  return Ledger(std::move(inside));
}

Result<Dataset> Ledger::create(const DatasetRequest& request) {
  CV_TRY(Dataset dataset, make_dataset(request));
  const std::scoped_lock lock(inside_->mutex);
  CV_CHECK(inside_->append(
      request.name, false,
      [&](const Account& account, const std::string&, const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
        if (account.exists()) return invalid("dataset", request.name, "a name not taken yet");
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
  CV_TRY(Inside::Admission admission,
         Inside::admission_of(*account, account->period_at(inside_->now(*account)), terms, event, cost));
  return std::move(admission.cost);
}

Result<DebitReference> Ledger::reserve_slots(const Terms& terms, const std::vector<Event>& slots) {
  if (slots.empty()) return fail(ErrorKind::usage, "slots: a debit needs at least one slot");
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(Reservation reserved, inside_->debit(terms, slots, {.has_slots = true, .uses = std::nullopt}));
  return static_cast<DebitReference&&>(std::move(reserved));
}

Result<Receipt> Ledger::open_slot(const DebitId& id, const Event& event, const std::string& mechanism) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::vector<Entry> rows,
         inside_->append(id.dataset, true,
                         [&](const Account& account, const std::string&,
                             const Store::Reader& read) -> Result<std::vector<Inside::Draft>> {
                           CV_CHECK(account.may_open_slot(id));
                           CV_TRY(const Stored from_debit, read(id.sequence));
                           CV_TRY(const DebitBody debit, debit_from_body(from_debit.rows.front().body));
                           CV_TRY(const std::vector<Event> slots, debit.parsed_events());
                           CV_CHECK(check_slot(account.dataset(), debit.terms, event,
                                               slots[static_cast<std::size_t>(*id.slot)]));
                           const SlotBody body{id.sequence, *id.slot, mechanism, accounting::event_to_json(event)};
                           return std::vector<Inside::Draft>{{"slot", to_body(body)}};
                         }));
  return receipt_for(DebitReference{id, rows.front().hash}, event, false);
}

Result<Reservation> Ledger::reserve_run(const Terms& terms, const Event& event, std::int64_t uses,
                                        const BeforeSecond& before_second) {
  if (uses < 1) return invalid("uses", std::to_string(uses), "at least 1");
  const std::scoped_lock lock(inside_->mutex);
  return inside_->debit(terms, {event}, {.has_slots = false, .uses = uses}, before_second);
}

Result<Run> Ledger::resume_run(const DebitId& id) {
  const std::scoped_lock lock(inside_->mutex);
  // Read as a writer that writes nothing: a process that was killed may have left a use under way in a server, and
  // only what waits for it knows for good what is gone.
  RunProgress progress;
  const Inside::Composer compose = [&](const Account& account, const std::string&,
                                       const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
    CV_TRY(const RunProgress* run, account.open_run(id));
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
    return std::vector<Inside::Draft>{{"use", to_body(UseBody{id.sequence, first, count, token})}};
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

Result<std::vector<std::string>> Ledger::datasets() {
  const std::scoped_lock lock(inside_->mutex);
  return inside_->names();
}

Result<View> Ledger::view(const std::string& name, const std::optional<std::string>& part) {
  CV_TRY(const std::vector<Debit> debits, history(name));
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const Account* account, inside_->existing(name, inside_->reader(name)));
  View view;
  view.dataset = account->dataset();
  view.period = account->period_at(inside_->now(*account));
  view.clock_note = inside_->clock_note(*account);
  view.admitted = account->admitted(view.period);
  CV_TRY(const Cost so_far, account->charged(view.period, part));
  view.left = so_far.left_of(view.dataset.filter.budget);
  view.admissible = admissible(view.dataset.filter, so_far);
  if (view.dataset.partition) view.part_rule = rule_of(*view.dataset.partition, view.dataset.promise);
  view.debits = account->debit_count();
  view.rows = account->next_sequence();
  view.chain_head = account->head();
  view.moved_away = account->moved_away();
  const std::vector<std::int64_t> places = account->dearest_parts(view.period);
  std::vector<Event> events;
  for (const Debit& debit : debits) {
    if (debit.uses && debit.state == State::reserved) view.runs.push_back(debit);
    if (debit.period != view.period) {
      if (may_still_publish(debit)) view.earlier.push_back(debit);
      continue;
    }
    if (debit.terms.part) {
      CV_TRY(const std::int64_t place, place_of(*view.dataset.partition, *debit.terms.part));
      if (std::find(places.begin(), places.end(), place) == places.end()) continue;
    }
    Result<Event> charged = fitted(debit.event, debit.terms.stated, view.dataset.promise);
    if (!charged) {
      view.not_composed = charged.error();
      continue;
    }
    view.beta = std::min(1.0, view.beta + accounting::largest_beta(*charged));
    events.push_back(*std::move(charged));
  }
  view.dearest = composed(events);
  return view;
}

Result<std::vector<Debit>> Ledger::history(const std::string& dataset) {
  CV_TRY(const std::vector<Entry> rows, entries(dataset));
  std::vector<Debit> debits;
  std::map<std::int64_t, std::size_t> index;
  for (const Entry& row : rows) {
    if (row.kind == "debit") {
      CV_TRY(DebitBody body, debit_from_body(row.body));
      CV_TRY(const std::vector<Event> events, body.parsed_events());
      body.terms.dataset = dataset;
      Debit debit{{dataset, row.sequence, std::nullopt},
                  row.recorded_at,
                  row.recorded_by,
                  row.hash,
                  body.software,
                  body.analysis,
                  body.terms,
                  composed(events),
                  {},
                  body.uses,
                  0,
                  "",
                  body.period,
                  body.cost,
                  State::reserved,
                  std::nullopt,
                  body.says_drawing(),
                  false};
      debit.terms.job = body.job();
      if (body.has_slots) {
        for (const Event& event : events) debit.slots.push_back({event, std::nullopt, std::nullopt});
      }
      index[row.sequence] = debits.size();
      debits.push_back(std::move(debit));
    } else if (row.kind == "slot") {
      CV_TRY(const SlotBody body, slot_from_body(row.body));
      CV_TRY(Event event, accounting::event_from_json(body.event));
      Slot& slot = debits[index.at(body.debit)].slots[static_cast<std::size_t>(body.slot)];
      slot.used = std::move(event);
      slot.state = State::reserved;
    } else if (row.kind == "drawing") {
      CV_TRY(const DrawingBody body, drawing_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      (body.slot ? debit.slots[static_cast<std::size_t>(*body.slot)].state.emplace() : debit.state) = State::drawing;
    } else if (row.kind == "use") {
      CV_TRY(const UseBody body, use_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      debit.used += body.count;
      debit.token = body.token;
    } else if (row.kind == "state") {
      CV_TRY(const StateBody body, state_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      (body.slot ? debit.slots[static_cast<std::size_t>(*body.slot)].state.emplace() : debit.state) = body.state;
      if (!body.slot) debit.digest = body.digest;
    } else if (row.kind == "opened") {
      CV_TRY(const Origin origin, origin_from_body(row.body));
      for (Debit& debit : debits) debit.from_backup = debit.from_backup || origin == Origin::backup;
    }
  }
  return debits;
}

// Only rows that form a chain are handed out: whoever reads them may rely on what they refer to.
Result<std::vector<Entry>> Ledger::entries(const std::string& dataset) {
  CV_CHECK(check_dataset_name(dataset));
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(Stored stored, Inside::sound_rows(*inside_->store, dataset));
  if (stored.rows.empty())
    return invalid("dataset", dataset, "one that was created; see budget list and budget create");
  return std::move(stored.rows);
}

Result<Verification> Ledger::verify(const std::vector<std::string>& only, const std::optional<PublicKey>& signed_by) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(std::vector<std::string> names, inside_->names());
  for (const std::string& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return invalid("dataset", name, "one that was created; see budget list");
    }
  }
  Verification verification;
  for (const std::string& name : only.empty() ? names : only) {
    CV_TRY(const Stored stored, inside_->store->read(name, 0));
    verify_dataset(name, stored.rows, stored.seal, verification);
    if (verification.holds()) verify_signature(name, stored.seal, signed_by, verification);
    if (verification.holds() && inside_->anchor) {
      if (Result<Account*> anchored = inside_->catch_up(name, inside_->reader(name)); !anchored)
        verification.findings.push_back({name, 0, anchored.error().message});
    }
  }
  return verification;
}

Result<void> Ledger::sign(const std::vector<std::string>& only) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::vector<std::string> names, inside_->names());
  std::vector<std::pair<std::string, Seal>> verified;
  for (const std::string& name : only.empty() ? names : only) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      return invalid("dataset", name, "one that was created; see budget list");
    CV_TRY(const Stored stored, inside_->store->read(name, 0));
    Verification verification;
    verify_dataset(name, stored.rows, stored.seal, verification);
    // Whoever names a dataset may give it a signature in place of one that is none.
    if (only.empty() && verification.holds()) verify_signature(name, stored.seal, std::nullopt, verification);
    if (!verification.holds())
      return fail(ErrorKind::storage,
                  "sign: dataset '" + name + "' does not hold: " + verification.findings.front().message);
    CV_CHECK(inside_->check_anchored(name, stored.rows));
    if (stored.seal) verified.emplace_back(name, *stored.seal);
  }
  if (inside_->key == nullptr)
    return fail(ErrorKind::usage, "CHRONOVEIL_KEY: name the secret key to sign with; see chronoveil key create");
  for (const auto& [name, seal] : verified)
    CV_CHECK(inside_->store->sign(name, seal, sign_seal(*inside_->key, name, seal)));
  return {};
}

Result<Verification> Ledger::verify_against(const DebitReference& reference) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const Stored stored, inside_->store->read(reference.id.dataset, 0));
  Verification verification;
  verify_dataset(reference.id.dataset, stored.rows, stored.seal, verification);
  verify_reference(reference, stored.rows, verification);
  return verification;
}

Result<void> Ledger::back_up(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> present, target->datasets());
  if (!present.empty())
    return fail(ErrorKind::usage, "backup: there is a ledger with datasets already; choose a new place");
  CV_TRY(const std::vector<std::string> names, inside_->names());
  for (const std::string& name : names) {
    CV_TRY(const Stored stored, Inside::sound_rows(*inside_->store, name));
    CV_CHECK(inside_->copy(stored, *target, std::nullopt));
  }
  return {};
}

Result<void> Ledger::restore(const std::string& from) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> source, open_store(from, first_seal_of, Absent::refuse));
  CV_TRY(const std::vector<std::string> names, source->datasets());
  if (names.empty()) return fail(ErrorKind::usage, "restore: the backup holds no dataset");
  for (const std::string& name : names) {
    CV_TRY(const Stored stored, Inside::sound_rows(*source, name));
    CV_CHECK(inside_->check_anchored(name, stored.rows));
    if (stored.rows.back().kind == "moved") {
      return fail(ErrorKind::usage, "restore: dataset '" + name + "' was moved elsewhere before the backup was made");
    }
    CV_TRY(const Entry note, inside_->opened(stored.rows, Origin::backup));
    CV_CHECK(inside_->copy(stored, *inside_->store, note));
    CV_TRY(const Account* here, inside_->catch_up(name, inside_->reader(name)));
    CV_CHECK(inside_->anchor_head(name, *here));
  }
  return {};
}

Result<void> Ledger::move(const std::string& to) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::unique_ptr<Store> target, open_store(to, first_seal_of));
  CV_TRY(const std::vector<std::string> names, inside_->names());
  CV_TRY(const std::vector<std::string> present, target->datasets());
  const MovedBody body{std::string(target->kind()), place_digest(to)};
  for (const std::string& name : names) {
    CV_TRY(Stored stored, Inside::sound_rows(*inside_->store, name));
    const bool left_before = stored.rows.back().kind == "moved";
    const bool arrived = std::find(present.begin(), present.end(), name) != present.end();
    if (left_before) {
      CV_TRY(const MovedBody moved, moved_from_body(stored.rows.back().body));
      if (moved.place != body.place) return fail(ErrorKind::usage, "move: dataset '" + name + "' was moved elsewhere");
      if (arrived) continue;  // an earlier run came as far as this
    }
    if (arrived) return fail(ErrorKind::usage, "move: dataset '" + name + "' exists there already");
    if (!left_before) {
      CV_CHECK(inside_->append(
          name, true,
          [&](const Account&, const std::string&, const Store::Reader&) -> Result<std::vector<Inside::Draft>> {
            return std::vector<Inside::Draft>{{"moved", to_body(body)}};
          }));
      CV_TRY(stored, Inside::sound_rows(*inside_->store, name));
    }
    CV_TRY(const Entry note, inside_->opened(stored.rows, Origin::moved));
    CV_CHECK(inside_->copy(stored, *target, note));
  }
  return {};
}

}  // namespace chronoveil::ledger
