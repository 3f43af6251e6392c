// Events as text: every event survives the round trip, its text is canonical, and whatever is wrong is named.
#include "chronoveil/accounting/events/event_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace chronoveil::accounting {
namespace {

const std::string kStructured =
    R"("event":"structured_subsampling","series":10,"length":20,"context_length":3,"forecast_length":2,"batch_size":4)";

const char* const kEvents[] = {
    R"({"event":"gaussian","noise_multiplier":2.5})",
    R"({"count":1000,"event":"laplace","noise_multiplier":0.1})",
    R"({"event":"discrete_gaussian","scale":3.0,"sensitivity":2})",
    R"({"count":9223372036854775807,"event":"discrete_laplace","scale":1e-100,"sensitivity":9007199254740993})",
    R"({"epsilon":0.3,"event":"exponential"})",
    R"({"epsilon":0.0,"event":"pure"})",
    R"({"delta":1e-30,"epsilon":0.1,"event":"approximate"})",
    R"({"epsilon":5e-324,"event":"randomized_response","values":5})",
    R"({"event":"mixture","noise_multiplier":1.5,"p":{"means":[0.0,2.0],"weights":[0.9,0.1]},"q":{"means":[0.0],"weights":[1.0]}})",
    R"({"event":"time_subsampling","noise_multiplier":4.0,"participation":20,"rate":0.1})",
    R"({"event":"time_subsampling","filter":"gaussian","filter_width":10.0,"length":100,"noise_multiplier":4.0,"participation":20,"rate":0.1})",
    R"({"batch_size":4,"bottom_level":"poisson","context_length":3,"event":"structured_subsampling","forecast_length":2,"length":[5,20],"noise_multiplier":1.0,"series":10,"top_level":"iterate","unit":"user","width":2,"windows_per_series":2})",
    R"({"batch_size":4,"bottom_level":"with_replacement","context_length":3,"context_noise":0.5,"event":"structured_subsampling","forecast_length":2,"label_noise":1.5,"length":20,"noise_multiplier":1.0,"series":10,"top_level":"without_replacement","unit":"event","width":1,"windows_per_series":1})",
    R"({"event":"ranswitch","stay":0.4,"window":10})",
    R"({"count":2,"event":"staswitch","stay":0.5,"window":4})",
    R"({"epsilon":1.0,"event":"noisy_sort","law":"laplace","window":24})",
    R"({"epsilon":1.0,"event":"noisy_sort","law":"staircase","max_shift":200,"window":24})",
    R"({"epsilon":1.0,"event":"noisy_sort","law":"staircase","max_shift":200,"plateau":23,"window":24})",
    R"({"event":"threshold","threshold":2,"window":4})",
    R"({"count":3,"event":"compose","events":[{"event":"gaussian","noise_multiplier":1.0},{"event":"compose","events":[{"epsilon":1.0,"event":"pure"}]}]})",
};

std::string error_of(const std::string& text, bool open_noise = false) {
  const auto event = parse_event(text, open_noise);
  return event ? "accepted" : event.error().text();
}

void expect_error(const std::string& text, const std::string& part) {
  const auto event = parse_event(text);
  ASSERT_FALSE(event) << text;
  EXPECT_EQ(event.error().kind, ErrorKind::usage) << text;
  EXPECT_NE(event.error().text().find(part), std::string::npos) << text << " says: " << event.error().text();
  EXPECT_EQ(event.error().text().find('\n'), std::string::npos);
}

TEST(EventJson, EveryEventSurvivesTheRoundTrip) {
  for (const char* text : kEvents) {
    const auto event = parse_event(text);
    ASSERT_TRUE(event) << text << ": " << event.error().text();
    EXPECT_EQ(to_text(*event), text);
    EXPECT_EQ(to_text(*parse_event(to_text(*event))), text);
  }
}

TEST(EventJson, TheTextIsCanonicalWhateverTheOrderDefaultsAndForm) {
  EXPECT_EQ(to_text(*parse_event(R"( {"noise_multiplier" : 2, "event":"gaussian","count":1} )")),
            R"({"event":"gaussian","noise_multiplier":2.0})");
  EXPECT_EQ(to_text(*parse_event(R"({"noise_multiplier":20e-1,"count":1e3,"event":"gaussian"})")),
            R"({"count":1000,"event":"gaussian","noise_multiplier":2.0})");
  const auto shuffled = parse_event("{" + kStructured + R"(,"noise_multiplier":1,"length":20,)" + "\"width\":1}");
  EXPECT_FALSE(shuffled);  // length twice
  const auto listed = parse_event(
      R"({"event":"structured_subsampling","series":10,"length":[20,5,20],"context_length":3,"forecast_length":2,"batch_size":4,"noise_multiplier":1})");
  ASSERT_TRUE(listed) << listed.error().text();
  EXPECT_NE(to_text(*listed).find("[5,20]"), std::string::npos);
  const auto alone = parse_event("{" + kStructured + R"(,"noise_multiplier":1})");
  const auto list_of_one = parse_event(
      R"({"event":"structured_subsampling","series":10,"length":[20,20],"context_length":3,"forecast_length":2,"batch_size":4,"noise_multiplier":1})");
  EXPECT_EQ(to_text(*alone), to_text(*list_of_one));
}

TEST(EventJson, EveryRequiredFieldIsAskedForByName) {
  for (const char* text : kEvents) {
    const auto whole = nlohmann::json::parse(text);
    for (const auto& [key, value] : whole.items()) {
      const bool optional = key == "count" || key == "windows_per_series" || key == "top_level" ||
                            key == "bottom_level" || key == "unit" || key == "width" || key == "context_noise" ||
                            key == "label_noise" || key == "max_shift" || key == "plateau" ||
                            (key == "law" && !whole.contains("plateau"));  // laplace has no plateau
      auto without = whole;
      without.erase(key);
      const auto event = parse_event(without.dump());
      if (optional) {
        EXPECT_TRUE(event) << without.dump() << ": " << event.error().text();
      } else {
        ASSERT_FALSE(event) << without.dump();
        EXPECT_NE(event.error().text().find(key == "event" ? "name" : key), std::string::npos)
            << without.dump() << " says: " << event.error().text();
      }
    }
  }
}

TEST(EventJson, EveryFieldOfTheWrongTypeIsNamed) {
  for (const char* text : kEvents) {
    const auto whole = nlohmann::json::parse(text);
    for (const auto& [key, value] : whole.items()) {
      for (const nlohmann::json& wrong : {nlohmann::json(nullptr), nlohmann::json(true), nlohmann::json("many"),
                                          nlohmann::json{{"a", 1}}, nlohmann::json::array({"x"})}) {
        auto changed = whole;
        changed[key] = wrong;
        const auto event = parse_event(changed.dump());
        ASSERT_FALSE(event) << changed.dump();
        EXPECT_EQ(event.error().kind, ErrorKind::usage);
        const bool names_it = event.error().text().find(key) != std::string::npos;
        EXPECT_TRUE(names_it || key == "events" || ((key == "p" || key == "q") && wrong.is_object()))
            << changed.dump() << " says: " << event.error().text();
      }
    }
  }
}

TEST(EventJson, UnknownFieldsAndEventsAreRefusedByName) {
  for (const char* text : kEvents) {
    auto changed = nlohmann::json::parse(text);
    changed["sigma"] = 1;
    expect_error(changed.dump(), "unknown field \"sigma\"");
  }
  expect_error(R"({"event":"gauss","noise_multiplier":1})", "\"gauss\" is not known");
  expect_error(R"({"event":"","noise_multiplier":1})", "is not known");
  expect_error(
      R"({"event":"mixture","noise_multiplier":1,"p":{"means":[0],"weights":[1],"sd":1},"q":{"means":[0],"weights":[1]}})",
      "unknown field \"sd\"");
  expect_error("{\"event\":\"gau\\nss\"}", "gau?ss");
}

TEST(EventJson, AFieldGivenTwiceIsRefusedAtAnyDepth) {
  expect_error(R"({"event":"gaussian","noise_multiplier":1,"noise_multiplier":2})", "twice");
  expect_error(R"({"event":"compose","events":[{"event":"pure","epsilon":1,"epsilon":1}]})", "twice");
  expect_error(
      R"({"event":"mixture","noise_multiplier":1,"p":{"means":[0],"means":[1],"weights":[1]},"q":{"means":[0],"weights":[1]}})",
      "twice");
  // The same key in two different objects is no duplicate.
  EXPECT_EQ(error_of(R"({"event":"compose","events":[{"event":"pure","epsilon":1},{"event":"pure","epsilon":1}]})"),
            "accepted");
}

TEST(EventJson, MalformedTextSaysWhere) {
  expect_error("", "malformed JSON");
  expect_error("{\"event\":\"gaussian\",", "malformed JSON at byte");
  expect_error(R"({"event":"gaussian","noise_multiplier":NaN})", "malformed JSON at byte");
  expect_error(R"({"event":"gaussian","noise_multiplier":Infinity})", "malformed JSON at byte");
  expect_error(R"({"event":"gaussian","noise_multiplier":1e999})", "malformed JSON");
  expect_error(R"({"event":"gaussian","noise_multiplier":1} x)", "malformed JSON at byte");
  expect_error("[1]", "must be a JSON object");
  expect_error("3", "must be a JSON object");
  expect_error("\"\xff\"", "malformed JSON");
}

TEST(EventJson, WholeNumbersAreWholeAndBelowTwoToThe63) {
  for (const char* count : {"9223372036854775808", "18446744073709551615", "1e19", "9.3e18", "1.5", "-1e300", "0.1"})
    expect_error(std::string(R"({"event":"pure","epsilon":1,"count":)") + count + "}", "count");
  for (const char* count : {"0", "-1", "-9223372036854775808"})
    expect_error(std::string(R"({"event":"pure","epsilon":1,"count":)") + count + "}", "count");
  EXPECT_EQ(parse_event(R"({"event":"pure","epsilon":1,"count":9223372036854775807})")->count, INT64_MAX);
}

std::string nested(int depth) {
  std::string text = R"({"event":"pure","epsilon":1})";
  for (int i = 0; i < depth; ++i) text = R"({"event":"compose","events":[)" + text + "]}";
  return text;
}

TEST(EventJson, NestingEndsAtSixteen) {
  EXPECT_EQ(error_of(nested(16)), "accepted");
  expect_error(nested(17), "16 deep");
  expect_error(nested(3000), "16 deep");
}

TEST(EventJson, OnlyTheNoiseMayBeLeftOpen) {
  EXPECT_EQ(error_of(R"({"event":"gaussian"})", true), "accepted");
  EXPECT_EQ(error_of(R"({"event":"discrete_laplace","sensitivity":2})", true), "accepted");
  EXPECT_EQ(error_of(R"({"event":"approximate","delta":1e-9})", true), "accepted");
  EXPECT_EQ(error_of("{" + kStructured + "}", true), "accepted");
  EXPECT_NE(error_of(R"({"event":"discrete_laplace"})", true).find("sensitivity"), std::string::npos);
  EXPECT_NE(error_of(R"({"event":"gaussian","sigma":1})", true).find("sigma"), std::string::npos);
  EXPECT_TRUE(has_open_noise(*parse_event(R"({"event":"compose","events":[{"event":"pure"}]})", true)));
}

}  // namespace
}  // namespace chronoveil::accounting
