#include "chronoveil/base/guarantee.h"

namespace chronoveil {

std::string_view name(Unit unit) {
  switch (unit) {
    case Unit::event: return "event";
    case Unit::w_event: return "w-event";
    case Unit::user: return "user";
  }
  return "?";
}

std::string_view name(Relation relation) {
  constexpr std::string_view names[] = {"add_remove", "replace", "replace_values", "swap"};
  return names[static_cast<int>(relation)];
}

std::string_view name(Certificate certificate) {
  switch (certificate) {
    case Certificate::exact: return "exact";
    case Certificate::upper_bound: return "upper bound";
    case Certificate::upper_bound_with_confidence: return "upper bound with confidence 1−β";
    case Certificate::as_published: return "as published";
  }
  return "?";
}

std::string_view name(Basis basis) { return basis == Basis::enforced ? "enforced" : "declared"; }

std::string unit_text(const Guarantee& guarantee) {
  std::string text(name(guarantee.unit));
  if (guarantee.unit == Unit::w_event) text += " of width " + std::to_string(guarantee.width);
  return text;
}

Result<Unit> parse_unit(std::string_view text) {
  for (Unit unit : {Unit::event, Unit::w_event, Unit::user})
    if (text == name(unit)) return unit;
  return invalid("unit", text, "event, w-event or user");
}

Result<Relation> parse_relation(std::string_view text) {
  for (Relation relation : {Relation::add_remove, Relation::replace, Relation::replace_values, Relation::swap})
    if (text == name(relation)) return relation;
  return invalid("relation", text, "add_remove, replace, replace_values or swap");
}

}  // namespace chronoveil
