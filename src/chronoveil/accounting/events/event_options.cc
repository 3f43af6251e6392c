#include "chronoveil/accounting/events/event_options.h"

#include <algorithm>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {
namespace {

using Form = EventOption::Form;

template <class E, class T>
constexpr Form form_of(const Field<E, T>&) {
  if (std::is_same_v<T, std::vector<std::int64_t>>) return Form::wholes;
  if (std::is_same_v<T, std::shared_ptr<const Event>>) return Form::event;
  return std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::optional<std::int64_t>> ? Form::whole : Form::number;
}
constexpr Form form_of(const auto&) { return Form::text; }

// One help text, and the kinds that have it.
struct Said {
  std::string kinds;
  std::string_view help;
};
struct Gathered {
  std::string_view name;
  Form form;
  std::vector<Said> said;
};

void add(std::vector<Gathered>& all, std::string_view kind, const auto& field) {
  if (field.help.empty()) return;
  auto option = std::find_if(all.begin(), all.end(), [&](const Gathered& one) { return one.name == field.name; });
  if (option == all.end()) option = all.insert(all.end(), {field.name, form_of(field), {}});
  if (form_of(field) == Form::wholes) option->form = Form::wholes;  // a list of one is a number
  auto& said = option->said;
  const auto same = std::find_if(said.begin(), said.end(), [&](const Said& one) { return one.help == field.help; });
  if (same == said.end())
    said.push_back({std::string(kind), field.help});
  else
    same->kinds += ", " + std::string(kind);
}

std::vector<EventOption> gathered() {
  std::vector<Gathered> all;
  each_kind(
      [&]<class E>() { std::apply([&](const auto&... field) { (add(all, E::kName, field), ...); }, E::fields()); });
  std::vector<EventOption> options{{"count", Form::whole, "How often, decided before the first output"}};
  for (const Gathered& one : all) {
    std::string help;
    for (const Said& said : one.said) help += (help.empty() ? "" : "; ") + said.kinds + ": " + std::string(said.help);
    options.push_back({one.name, one.form, std::move(help)});
  }
  return options;
}

}  // namespace

const std::vector<EventOption>& event_options() {
  static const std::vector<EventOption> options = gathered();
  return options;
}

}  // namespace chronoveil::accounting
