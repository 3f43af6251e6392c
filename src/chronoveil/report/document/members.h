// Objects of a document whose writer and reader follow one list of members, so that what is written is what is read:
//   void members(PlaceGridSpec& grid, auto& with) { with.finite("west", grid.west); ... }   in this namespace
// A double that is not finite is written as null; where it is read back, null is infinity, unless the list says finite.
#pragma once

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"

namespace chronoveil::report {

template <class T>
nlohmann::ordered_json member_json(const T& held) {
  if constexpr (std::is_same_v<T, double>)
    return finite_or_null(held);
  else if constexpr (std::is_same_v<T, Unit> || std::is_same_v<T, Relation>)
    return name(held);
  else if constexpr (std::is_same_v<T, mechanisms::Parameters>)
    return parameters_json(held);
  else if constexpr (std::is_same_v<T, accounting::Event>)
    return accounting::event_to_json(held);
  else if constexpr (std::is_same_v<T, accounting::Price>)
    return price_json(held);
  else if constexpr (requires { *held; })
    return or_null(held);
  else
    return held;
}

template <class T>
Result<void> put(Result<T> read, T& into) {
  if (!read) return Failure(std::move(read).error());
  into = *std::move(read);
  return {};
}

// What is read, by the type that it is read as.
template <class T>
struct As {};
inline auto held_in(const Fields& in, const char* key, As<bool>) { return in.yes_or_no(key); }
inline auto held_in(const Fields& in, const char* key, As<double>) { return in.number(key); }
inline auto held_in(const Fields& in, const char* key, As<std::int64_t>) { return in.integer(key); }
inline auto held_in(const Fields& in, const char* key, As<std::string>) { return in.text(key); }
inline auto held_in(const Fields& in, const char* key, As<std::optional<double>>) { return in.finite_or_none(key); }
inline auto held_in(const Fields& in, const char* key, As<std::optional<std::int64_t>>) {
  return in.integer_or_none(key);
}
inline auto held_in(const Fields& in, const char* key, As<std::vector<std::string>>) { return in.texts(key); }
inline auto held_in(const Fields& in, const char*, As<Unit>) { return unit_in(in); }
inline auto held_in(const Fields& in, const char*, As<Relation>) { return relation_in(in); }
inline auto held_in(const Fields& in, const char*, As<mechanisms::Parameters>) { return parameters_in(in); }
inline auto held_in(const Fields& in, const char*, As<accounting::Event>) { return event_in(in); }
inline auto held_in(const Fields& in, const char*, As<accounting::Price>) { return price_in(in); }

struct MemberWriter {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();

  void operator()(const char* key, const auto& held) { all[key] = member_json(held); }
  void finite(const char* key, double held) { all[key] = finite_or_null(held); }
  void named(const char* key, const auto& names, auto held) { all[key] = name_in(names, held); }
  void numbers_if_any(const char* key, const std::vector<double>& held) {
    if (!held.empty()) all[key] = held;
  }
  void object(const char* key, const auto& held);
};

struct MemberReader {
  const Fields& fields;
  Result<void> done = {};  // the first error stays

  template <class T>
  void operator()(const char* key, T& into) {
    if (done) done = put(held_in(fields, key, As<T>()), into);
  }
  void finite(const char* key, double& into) {
    if (done) done = put(fields.finite(key), into);
  }
  void named(const char* key, const auto& names, auto& into) {
    if (done) done = put(fields.one_of(names, key), into);
  }
  void numbers_if_any(const char* key, std::vector<double>& into) {
    if (!done || !fields.has(key)) return;
    const Result<const nlohmann::json*> list = fields.list(key);
    done = list ? fields.numbers_into(into, key, (*list)->size(), 0) : Failure(list.error());
  }
  template <class T>
  void object(const char* key, T& into);
};

template <class T>
nlohmann::ordered_json object_json(T held) {
  MemberWriter with;
  members(held, with);
  return std::move(with.all);
}

template <class T>
Result<T> object_in(const Fields& fields) {
  T all{};
  MemberReader with{fields};
  members(all, with);
  if (!with.done) return Failure(std::move(with.done).error());
  return all;
}

void MemberWriter::object(const char* key, const auto& held) { all[key] = object_json(held); }

template <class T>
void MemberReader::object(const char* key, T& into) {
  if (!done) return;
  const Result<Fields> inner = fields.object(key);
  done = inner ? put(object_in<T>(*inner), into) : Failure(inner.error());
}

}  // namespace chronoveil::report
