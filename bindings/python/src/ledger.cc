// The ledger: budgets that last.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chronoveil/chronoveil.h"
#include "errors.h"
#include "module.h"
#include "told.h"

namespace chronoveil::python {
namespace {

using Text = std::optional<std::string>;

// One that threads may share.
class OpenLedger {
  template <class Work>
  auto patient(Work work) {
    process_.check("this ledger");
    return patiently(std::move(work));
  }

 public:
  OpenLedger(const std::string& where, bool must_exist, const Text& who)
      : place_(value_of(engine::ledger_place(where))), ledger_(opened(where, must_exist, who)) {}

  std::vector<std::string> datasets() {
    return patient([&] { return ledger_.datasets(); });
  }

  nb::dict view(const std::string& dataset, const Text& part) {
    return told(patient([&] { return ledger_.view(dataset, part); }));
  }

  // How many more releases like the last one; nothing before the first.
  nb::object room(const std::string& dataset, const Text& part) {
    const auto like = patient([&] { return ledger_.room_like_last(dataset, part); });
    if (!like) return nb::none();
    nb::dict room = told(like->room);
    room["text"] = ledger::text(*like);
    return room;
  }

  nb::list history(const std::string& dataset) {
    nb::list all;
    for (const ledger::Debit& debit : patient([&] { return ledger_.history(dataset); })) {
      nb::dict one = told(ledger::DebitReference{debit.id, debit.chain_head});
      one["recorded_at"] = debit.recorded_at;
      one["recorded_by"] = debit.recorded_by;
      one["purpose"] = debit.terms.purpose;
      one["mechanism"] = debit.terms.mechanism;
      one["state"] = std::string(ledger::name(debit.state));
      one["event"] = to_text(debit.event);
      all.append(one);
    }
    return all;
  }

  std::string debit(const std::string& dataset, const std::string& event, const std::string& purpose, const Text& part,
                    std::optional<double> delta, const Text& relation) {
    return patient([&]() -> Result<std::string> {
      CV_TRY(const Event parsed, parse_event(event));
      ledger::Terms terms;
      terms.dataset = dataset;
      terms.purpose = purpose;
      terms.part = part;
      terms.delta = delta;
      if (relation) {
        CV_TRY(terms.stated.relation, parse_relation(*relation));
      }
      CV_CHECK(engine::check_witnesses(ledger_, place_, dataset));
      CV_TRY(const ledger::Receipt receipt, ledger_.reserve(terms, parsed));
      return receipt.reference().id.text();
    });
  }

  void settle(const std::string& debit, const std::string& state) {
    patient([&]() -> Result<void> {
      CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(debit));
      CV_TRY(const ledger::State to, ledger::parse_state(state));
      return ledger_.settle(id, to);
    });
  }

  void close(const std::string& dataset, const std::string& reason) {
    patient([&] { return ledger_.close(dataset, reason); });
  }
  void remove(const std::string& dataset) {
    patient([&] { return ledger_.remove(dataset); });
  }

  nb::dict verify(const std::vector<std::string>& datasets, const Text& signed_by) {
    const ledger::Verification found = patient([&]() -> Result<ledger::Verification> {
      std::optional<ledger::PublicKey> key;
      if (signed_by) {
        CV_TRY(key, ledger::PublicKey::read(*signed_by));
      }
      return ledger_.verify(datasets, key);
    });
    nb::dict told;
    told["datasets"] = found.datasets;
    told["rows"] = found.rows;
    told["debits"] = found.debits;
    nb::list findings;
    for (const ledger::Finding& one : found.findings)
      findings.append(one.dataset + ", row " + std::to_string(one.sequence) + ": " + one.message);
    for (const engine::Contradiction& one : patient([&] { return engine::contradictions(ledger_, place_); }))
      findings.append(one.text());
    told["findings"] = findings;
    return told;
  }

  // What contradicts a release, in sentences.
  std::vector<std::string> held_against(const std::string& release_json) {
    const ReleaseHeld held = patient([&]() -> Result<ReleaseHeld> {
      CV_TRY(const engine::ReleaseClaims claims, engine::claims_of(release_json));
      return chronoveil::held_against(claims, ledger_);
    });
    std::vector<std::string> found;
    for (const ledger::Finding& one : held.findings) found.push_back(one.message);
    return found;
  }

  void back_up(const std::string& to) {
    patient([&] { return ledger_.back_up(to); });
  }
  void restore(const std::string& from) {
    patient([&] { return ledger_.restore(from); });
  }
  const std::string& place() const { return place_; }

 private:
  static Ledger opened(const std::string& where, bool must_exist, const Text& who) {
    ledger::Options options;
    options.must_exist = must_exist;
    options.who = who.value_or("");
    return patiently([&] { return open_ledger(where, options); });
  }
  Process process_;
  std::string place_;
  Ledger ledger_;
};

void create(const std::string& where, const Text& who, const std::string& called, double epsilon, double delta,
            const Text& unit, std::int64_t width, std::optional<std::int64_t> window, const std::string& relation,
            const Text& filter, const Text& renews, const std::vector<std::string>& parts, const Text& parts_by,
            std::optional<std::int64_t> straddle) {
  const DatasetWords words{called, epsilon, delta,  unit,  relation, width,
                           window, filter,  renews, parts, parts_by, straddle};
  ledger::Options options;
  options.who = who.value_or("");
  patiently([&] { return create_dataset(words, where, options); });
}

}  // namespace

void add_ledger(nb::module_& module) {
  using namespace nb::literals;
  module.def("create_dataset", &create, "where"_a, "who"_a.none(), "name"_a, "epsilon"_a, "delta"_a, "unit"_a.none(),
             "width"_a, "window"_a.none(), "relation"_a, "filter"_a.none(), "renews"_a.none(), "parts"_a,
             "parts_by"_a.none(), "straddle"_a.none());
  nb::class_<OpenLedger>(module, "Ledger")
      .def(nb::init<const std::string&, bool, const Text&>(), "where"_a, "must_exist"_a, "who"_a = nb::none())
      .def("datasets", &OpenLedger::datasets)
      .def("view", &OpenLedger::view, "dataset"_a, "part"_a = nb::none())
      .def("room", &OpenLedger::room, "dataset"_a, "part"_a = nb::none())
      .def("history", &OpenLedger::history, "dataset"_a)
      .def("debit", &OpenLedger::debit, "dataset"_a, "event"_a, "purpose"_a, "part"_a = nb::none(),
           "delta"_a = nb::none(), "relation"_a = nb::none())
      .def("settle", &OpenLedger::settle, "debit"_a, "state"_a)
      .def("close", &OpenLedger::close, "dataset"_a, "reason"_a)
      .def("remove", &OpenLedger::remove, "dataset"_a)
      .def("verify", &OpenLedger::verify, "datasets"_a, "signed_by"_a = nb::none())
      .def("held_against", &OpenLedger::held_against, "release_json"_a)
      .def("back_up", &OpenLedger::back_up, "to"_a)
      .def("restore", &OpenLedger::restore, "source"_a)
      .def_prop_ro("place", &OpenLedger::place);
}

}  // namespace chronoveil::python
