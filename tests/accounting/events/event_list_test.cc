// The one list of kinds: code that follows it knows every kind, and every kind has what it must have.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/event_options.h"

namespace chronoveil::accounting {
namespace {

std::set<std::string> names() {
  std::set<std::string> all;
  each_kind([&]<class E>() { all.emplace(E::kName); });
  return all;
}

TEST(EventList, EveryKindHasANameOfItsOwnInSmallLetters) {
  std::size_t kinds = 0;
  each_kind([&]<class E>() {
    ++kinds;
    EXPECT_EQ(E::kName.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << E::kName;
    EXPECT_EQ(name(Event{E{}}), E::kName);
  });
  EXPECT_EQ(names().size(), kinds);
}

TEST(EventList, AnUnknownNameIsAnsweredWithAllOfThem) {
  const auto unknown = parse_event(R"({"event": "no_such"})");
  ASSERT_FALSE(unknown);
  for (const std::string& kind : names())
    EXPECT_NE((unknown.error().text() + ",").find(" " + kind + ","), std::string::npos) << kind;
}

// A parameter that calibrate() may choose: its own, or that of an event inside.
TEST(EventList, EveryKindHasOneNoiseParameterOrEventsInside) {
  each_kind([&]<class E>() {
    const bool has_events = requires(E e) { e.inner; }
    || requires(E e) { e.events; };
    EXPECT_EQ(noise_names(Event{E{}}).size(), has_events ? 0U : 1U) << E::kName;
  });
}

TEST(EventList, EveryFieldWithHelpIsAnOptionThatNamesItsKind) {
  const auto& options = event_options();
  std::size_t fields = 0;
  each_kind([&]<class E>() {
    const auto look = [&](const auto& field) {
      if (field.help.empty()) return;
      ++fields;
      const auto found =
          std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == field.name; });
      ASSERT_NE(found, options.end()) << field.name;
      EXPECT_NE(found->help.find(E::kName), std::string::npos) << field.name << ": " << found->help;
      EXPECT_NE(found->help.find(field.help), std::string::npos) << field.name << ": " << found->help;
    };
    std::apply([&](const auto&... field) { (look(field), ...); }, E::fields());
  });
  EXPECT_GT(fields, 30U);
  std::set<std::string_view> different;
  for (const EventOption& option : options) different.insert(option.name);
  EXPECT_EQ(different.size(), options.size());
}

TEST(EventList, OptionsHaveTheFormOfTheirFields) {
  const auto form_of = [](std::string_view name) {
    const auto& options = event_options();
    return std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.name == name; })->form;
  };
  using Form = EventOption::Form;
  EXPECT_EQ(form_of("count"), Form::whole);
  EXPECT_EQ(form_of("noise_multiplier"), Form::number);
  EXPECT_EQ(form_of("max_shift"), Form::whole);
  EXPECT_EQ(form_of("filter_width"), Form::number);
  EXPECT_EQ(form_of("length"), Form::wholes);  // one length of time_subsampling, several of structured_subsampling
  EXPECT_EQ(form_of("filter"), Form::text);
  EXPECT_EQ(form_of("law"), Form::text);
  EXPECT_EQ(form_of("inner"), Form::event);
}

}  // namespace
}  // namespace chronoveil::accounting
