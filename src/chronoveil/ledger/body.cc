#include "chronoveil/ledger/body.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/filters/cost_json.h"
#include "chronoveil/ledger/json_fields.h"

namespace chronoveil::ledger {

using nlohmann::json;

namespace {

// Bytes that are not UTF-8 are replaced: a purpose typed in another encoding must not stop a debit.
std::string canonical(const json& body) { return body.dump(-1, ' ', false, json::error_handler_t::replace); }

constexpr std::size_t kDigestSize = 64;

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// The text between `start` and the closing bracket at the end.
std::optional<std::string_view> last_bracket(std::string_view text, std::string_view start) {
  const std::size_t at = text.rfind(start);
  if (at == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  return text.substr(at + start.size(), text.size() - at - start.size() - 1);
}

// Takes the text up to the separator off the front, with the separator; all of it if there is none.
std::string cut_before(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  std::string part(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

json live_to_json(const LiveTag& live) {
  return {{"release", live.release},
          {"job", live.job},
          {"span", live.span},
          {"holder", live.holder},
          {"opening", live.opening}};
}

Result<LiveTag> live_from_json(const JsonFields& fields) {
  LiveTag live;
  CV_TRY(live.release, fields.text("release"));
  CV_TRY(live.job, fields.text("job"));
  CV_TRY(live.span, fields.integer("span"));
  CV_TRY(live.holder, fields.text("holder"));
  CV_TRY(live.opening, fields.text("opening"));
  CV_CHECK(fields.nothing_else());
  return live;
}

json programme_to_json(const std::vector<SlotsFor>& programme) {
  json list = json::array();
  for (const SlotsFor& one : programme) {
    list.push_back(
        {{"name", one.name}, {"job", one.job}, {"varies", one.varies}, {"first", one.first}, {"count", one.count}});
    if (one.uses) list.back()["uses"] = *one.uses;
  }
  return list;
}

// The slots of the releases follow each other, and each slot is for one of them.
Result<std::vector<SlotsFor>> programme_from_json(const json& list, std::size_t slots) {
  std::vector<SlotsFor> programme;
  std::int64_t next = 0;
  for (const json& item : list) {
    const JsonFields fields = fields_of(item);
    SlotsFor one;
    CV_TRY(one.name, fields.text("name"));
    CV_TRY(one.job, fields.text("job"));
    CV_TRY(one.first, fields.integer("first"));
    CV_TRY(one.count, fields.integer("count"));
    CV_TRY(one.uses, fields.integer_if("uses"));
    if (one.uses && *one.uses < 1) return fields.wrong("uses");
    CV_CHECK(fields.list("varies"));
    for (const json& key : *fields.find("varies")) {
      if (!key.is_string()) return fields.wrong("varies");
      one.varies.push_back(key.get<std::string>());
    }
    CV_CHECK(fields.nothing_else());
    if (one.job.empty() || one.first != next || one.count < 1) return fields.wrong("first");
    if (__builtin_add_overflow(next, one.count, &next)) return fields.wrong("count");
    programme.push_back(std::move(one));
  }
  if (programme.empty() || next != static_cast<std::int64_t>(slots)) return bad_body("programme");
  return programme;
}

}  // namespace

Result<std::vector<accounting::Event>> DebitBody::parsed_events() const {
  std::vector<accounting::Event> result;
  if (!has_slots) {
    CV_TRY(accounting::Event event, accounting::event_from_json(events));
    result.push_back(std::move(event));
    return result;
  }
  for (const json& slot : events) {
    CV_TRY(accounting::Event event, accounting::event_from_json(slot));
    result.push_back(std::move(event));
  }
  return result;
}

std::optional<std::int64_t> uses_of(const std::vector<SlotsFor>& programme, std::int64_t slot) {
  for (const SlotsFor& one : programme)
    if (slot >= one.first && slot - one.first < one.count) return one.uses;
  return std::nullopt;
}

std::string DebitBody::job() const {
  if (!terms.job.empty()) return terms.job;
  const std::optional<std::string_view> digest = last_bracket(terms.mechanism, "[job ");
  return digest && is_hex(*digest) ? std::string(*digest) : std::string();
}

std::optional<LiveTag> DebitBody::live() const {
  if (terms.live || !uses) return terms.live;
  std::optional<std::string_view> text = last_bracket(terms.mechanism, "[live ");
  if (!text) return std::nullopt;
  LiveTag live;
  live.release = cut_before(*text, ' ');
  live.job = cut_before(*text, '/');
  const std::string span = cut_before(*text, ' ');
  const auto [end, error] = std::from_chars(span.data(), span.data() + span.size(), live.span);
  if (error != std::errc() || end != span.data() + span.size()) return std::nullopt;
  live.holder = cut_before(*text, ' ');
  live.opening = cut_before(*text, ' ');
  return live;
}

std::string to_body(const DebitBody& debit) {
  json body = {{debit.has_slots ? "slots" : "event", debit.events},
               {"purpose", debit.terms.purpose},
               {"mechanism", debit.terms.mechanism},
               {"cost", cost_to_json(debit.cost)},
               {"analysis", debit.analysis},
               {"software", debit.software}};
  if (debit.terms.stated.unit) body["unit"] = name(*debit.terms.stated.unit);
  if (debit.terms.stated.width) body["width"] = *debit.terms.stated.width;
  if (debit.terms.stated.relation) body["relation"] = name(*debit.terms.stated.relation);
  if (debit.terms.stated.eviction == Eviction::none) body["eviction"] = "none";
  if (debit.terms.part) body["part"] = *debit.terms.part;
  if (debit.terms.delta) body["delta"] = *debit.terms.delta;
  if (!debit.terms.job.empty()) body["job"] = debit.terms.job;
  if (debit.terms.live) body["live"] = live_to_json(*debit.terms.live);
  if (!debit.period.empty()) body["period"] = debit.period;
  if (debit.takes_all) body["takes_all"] = true;
  if (debit.uses) body["uses"] = *debit.uses;
  if (!debit.programme.empty()) body["programme"] = programme_to_json(debit.programme);
  return canonical(body);
}

Result<DebitBody> debit_from_body(std::string_view text) {
  CV_TRY(json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  DebitBody debit;
  CV_TRY(debit.terms.purpose, fields.text("purpose"));
  CV_TRY(debit.terms.mechanism, fields.text("mechanism"));
  CV_TRY(const auto unit, fields.text_if("unit"));
  if (unit) {
    CV_TRY(debit.terms.stated.unit, parse_unit(*unit));
  }
  CV_TRY(debit.terms.stated.width, fields.integer_if("width"));
  CV_TRY(const auto relation, fields.text_if("relation"));
  if (relation) {
    CV_TRY(debit.terms.stated.relation, parse_relation(*relation));
  }
  CV_TRY(debit.terms.part, fields.text_if("part"));
  if (fields.find("delta")) {
    CV_TRY(debit.terms.delta, fields.finite("delta"));
  }
  CV_TRY(auto job, fields.text_if("job"));
  if (job && job->empty()) return fields.wrong("job");
  debit.terms.job = std::move(job).value_or("");
  if (fields.find("live")) {
    CV_TRY(const JsonFields live, fields.object("live"));
    CV_TRY(debit.terms.live, live_from_json(live));
  }
  CV_TRY(auto period, fields.text_if("period"));
  debit.period = std::move(period).value_or("");
  if (const json* takes_all = fields.find("takes_all")) {
    if (*takes_all != true) return fields.wrong("takes_all");
    debit.takes_all = true;
  }
  CV_TRY(const JsonFields cost, fields.object("cost"));
  CV_TRY(debit.cost, cost_from_json(cost));
  CV_TRY(debit.analysis, fields.integer("analysis"));
  CV_TRY(debit.software, fields.text("software"));
  CV_TRY(const auto eviction, fields.text_if("eviction"));
  if (eviction && *eviction != "none") return fields.wrong("eviction");
  if (eviction) debit.terms.stated.eviction = Eviction::none;
  if (!eviction && debit.analysis < kFirstToSayEviction) debit.terms.stated.eviction = Eviction::unsaid;
  debit.has_slots = fields.find("slots") != nullptr;
  if (debit.has_slots) {
    CV_CHECK(fields.list("slots"));
  } else {
    CV_CHECK(fields.object("event"));
  }
  CV_TRY(debit.uses, fields.integer_if("uses"));
  if (debit.uses && (*debit.uses < 1 || debit.has_slots)) return fields.wrong("uses");
  if (debit.terms.live && !debit.uses) return fields.wrong("live");
  if (const json* programme = fields.find("programme")) {
    CV_CHECK(fields.list("programme"));
    if (!debit.has_slots) return fields.wrong("programme");
    CV_TRY(debit.programme, programme_from_json(*programme, body["slots"].size()));
  }
  CV_CHECK(fields.nothing_else());
  debit.events = std::move(body[debit.has_slots ? "slots" : "event"]);
  return debit;
}

std::string to_body(const SlotBody& slot) {
  json body = {{"debit", slot.debit}, {"slot", slot.slot}, {"mechanism", slot.mechanism}, {"event", slot.event}};
  if (!slot.job.empty()) body["job"] = slot.job;
  if (slot.uses) body["uses"] = *slot.uses;
  return canonical(body);
}

Result<SlotBody> slot_from_body(std::string_view text) {
  CV_TRY(json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  SlotBody slot;
  CV_TRY(slot.debit, fields.integer("debit"));
  CV_TRY(slot.slot, fields.integer("slot"));
  CV_TRY(slot.mechanism, fields.text("mechanism"));
  CV_TRY(auto job, fields.text_if("job"));
  if (job && job->empty()) return fields.wrong("job");
  slot.job = std::move(job).value_or("");
  CV_TRY(slot.uses, fields.integer_if("uses"));
  if (slot.uses && (*slot.uses < 1 || slot.job.empty())) return fields.wrong("uses");
  CV_CHECK(fields.object("event"));
  CV_CHECK(fields.nothing_else());
  slot.event = std::move(body["event"]);
  return slot;
}

std::string to_body(const UseBody& use) {
  json body = {{"debit", use.debit}, {"first", use.first}, {"count", use.count}};
  if (use.slot) body["slot"] = *use.slot;
  if (!use.token.empty()) body["token"] = use.token;
  return canonical(body);
}

Result<UseBody> use_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  UseBody use;
  CV_TRY(use.debit, fields.integer("debit"));
  CV_TRY(use.slot, fields.integer_if("slot"));
  CV_TRY(use.first, fields.integer("first"));
  CV_TRY(use.count, fields.integer("count"));
  CV_TRY(auto token, fields.text_if("token"));
  use.token = std::move(token).value_or("");
  CV_CHECK(fields.nothing_else());
  return use;
}

std::string to_body(const DrawingBody& drawing) {
  json body = {{"debit", drawing.debit}};
  if (drawing.slot) body["slot"] = *drawing.slot;
  return canonical(body);
}

Result<DrawingBody> drawing_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  DrawingBody drawing;
  CV_TRY(drawing.debit, fields.integer("debit"));
  CV_TRY(drawing.slot, fields.integer_if("slot"));
  CV_CHECK(fields.nothing_else());
  return drawing;
}

std::string to_body(const StateBody& state) {
  json body = {{"debit", state.debit}, {"state", name(state.state)}};
  if (state.slot) body["slot"] = *state.slot;
  if (state.digest) body["digest"] = *state.digest;
  return canonical(body);
}

Result<StateBody> state_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  StateBody state;
  CV_TRY(state.debit, fields.integer("debit"));
  CV_TRY(state.slot, fields.integer_if("slot"));
  CV_TRY(const std::string value, fields.text("state"));
  CV_TRY(state.state, parse_state(value));
  CV_TRY(state.digest, fields.text_if("digest"));
  if (state.digest && (state.state != State::released || state.digest->size() != kDigestSize || !is_hex(*state.digest)))
    return fields.wrong("digest");
  CV_CHECK(fields.nothing_else());
  return state;
}

std::string to_body(const MovedBody& moved) {
  json body = {{"to", moved.to}, {"place", moved.place}};
  if (moved.noted_first) body["noted_first"] = true;
  return canonical(body);
}

Result<MovedBody> moved_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  MovedBody moved;
  CV_TRY(moved.to, fields.text("to"));
  CV_TRY(moved.place, fields.text("place"));
  if (const json* noted_first = fields.find("noted_first")) {
    if (*noted_first != true) return fields.wrong("noted_first");
    moved.noted_first = true;
  }
  CV_CHECK(fields.nothing_else());
  return moved;
}

std::string to_body(Origin origin) {
  json body = {{"from", origin == Origin::moved ? "moved" : "backup"}};
  if (origin == Origin::whole_backup) body["whole"] = true;
  return canonical(body);
}

Result<Origin> origin_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  CV_TRY(const std::string from, fields.text("from"));
  const json* whole = fields.find("whole");
  CV_CHECK(fields.nothing_else());
  if (from != "moved" && from != "backup") return fields.wrong("from");
  if (whole != nullptr && (*whole != true || from != "backup")) return fields.wrong("whole");
  if (whole != nullptr) return Origin::whole_backup;
  return from == "moved" ? Origin::moved : Origin::backup;
}

std::string closed_body(const std::string& reason) { return canonical({{"reason", reason}}); }

Result<std::string> reason_from_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  CV_TRY(std::string reason, fields.text("reason"));
  CV_CHECK(fields.nothing_else());
  return reason;
}

std::string deleted_body() { return canonical(json::object()); }

Result<void> check_deleted_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  return fields_of(body).nothing_else();
}

std::string copied_body(const std::string& token) { return canonical({{"token", token}}); }

Result<void> check_copied_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  CV_CHECK(fields.text("token"));
  return fields.nothing_else();
}

std::string arrived_body(const std::string& copy) {
  return canonical(copy.empty() ? json::object() : json{{"copy", copy}});
}

Result<std::string> copy_from_arrived_body(std::string_view text) {
  CV_TRY(const json body, parse_body(text));
  const JsonFields fields = fields_of(body);
  CV_TRY(const auto copy, fields.text_if("copy"));
  CV_CHECK(fields.nothing_else());
  return copy.value_or("");
}

accounting::Event composed(const std::vector<accounting::Event>& events) {
  if (events.size() == 1) return events.front();
  std::map<std::string, accounting::Event> by_text;
  accounting::Compose all;
  for (accounting::Event event : events) {
    const std::int64_t count = std::exchange(event.count, 1);
    const auto [it, fresh] = by_text.try_emplace(accounting::to_text(event), event);
    std::int64_t sum = count;
    // A count that overflows stays separate: the accountant refuses such a composition.
    if (!fresh && __builtin_add_overflow(it->second.count, count, &sum)) {
      all.events.push_back({event.kind, count});
      continue;
    }
    it->second.count = sum;
  }
  if (by_text.size() == 1 && all.events.empty()) return by_text.begin()->second;
  for (auto& item : by_text) all.events.push_back(std::move(item.second));
  return accounting::Event{std::move(all)};
}

}  // namespace chronoveil::ledger
