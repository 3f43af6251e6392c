#include "chronoveil/json/fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace chronoveil::testing {
namespace {

using nlohmann::json;

Failure told(const FieldProblem& problem) {
  return fail(ErrorKind::bad_data, problem.path + (problem.held ? " is " : " is not there: ") +
                                       (problem.held ? problem.held->type_name() : "") + "; " +
                                       std::string(problem.valid.empty() ? "nobody asked" : problem.valid));
}

JsonFields read(const json& object) { return {object, told}; }

template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "was accepted" : result.error().text();
}

TEST(JsonFields, EachFieldIsOfItsType) {
  const json all = {{"text", "a"}, {"number", 0.5}, {"whole", -3}, {"yes", true}, {"list", {1, 2}}, {"none", nullptr}};
  const JsonFields fields = read(all);
  EXPECT_EQ(fields.text("text"), "a");
  EXPECT_EQ(fields.number("number"), 0.5);
  EXPECT_EQ(fields.finite("whole"), -3);
  EXPECT_EQ(fields.integer("whole"), -3);
  EXPECT_EQ(fields.yes_or_no("yes"), true);
  EXPECT_EQ(fields.integers("list"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(message_of(fields.text("number")), "number is number; a text");
  EXPECT_EQ(message_of(fields.number("text")), "text is string; a number");
  EXPECT_EQ(message_of(fields.integer("number")), "number is number; a whole number");
  EXPECT_EQ(message_of(fields.yes_or_no("whole")), "whole is number; true or false");
  EXPECT_EQ(message_of(fields.list("yes")), "yes is boolean; a list");
  EXPECT_EQ(message_of(fields.object("list")), "list is array; an object");
  EXPECT_EQ(message_of(fields.texts("list")), "list is array; a text");
  EXPECT_EQ(message_of(fields.text("gone")), "gone is not there: ; a text");
  EXPECT_EQ(message_of(fields.text("none")), "none is null; a text");
}

TEST(JsonFields, AWholeNumberFits64BitsWithASign) {
  const json all = json::parse(R"({"most": 9223372036854775807, "more": 9223372036854775808, "real": 3.0,
                                   "list": [1, 9223372036854775808]})");
  EXPECT_EQ(read(all).integer("most"), std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(read(all).integer("more"));
  EXPECT_FALSE(read(all).integer("real"));
  EXPECT_FALSE(read(all).integers("list"));
}

TEST(JsonFields, WhatIsMissingAndWhatIsNullAreSaid) {
  const json all = {{"none", nullptr}, {"whole", 7}};
  const JsonFields fields = read(all);
  EXPECT_EQ(fields.integer_if("gone").value(), std::optional<std::int64_t>());
  EXPECT_EQ(fields.integer_if("whole").value(), std::optional<std::int64_t>(7));
  EXPECT_FALSE(fields.integer_if("none"));
  EXPECT_EQ(fields.text_if("gone").value(), std::optional<std::string>());
  EXPECT_FALSE(fields.text_if("whole"));
  EXPECT_EQ(fields.integer_or_none("none").value(), std::optional<std::int64_t>());
  EXPECT_FALSE(fields.integer_or_none("gone"));
  EXPECT_EQ(fields.finite_or_none("none").value(), std::optional<double>());
  EXPECT_EQ(fields.number("none"), std::numeric_limits<double>::infinity());
  EXPECT_FALSE(fields.finite("none"));
  EXPECT_TRUE(fields.has("whole"));
  EXPECT_FALSE(fields.has("none"));
  EXPECT_FALSE(fields.has("gone"));
}

TEST(JsonFields, AnErrorNamesTheWholePath) {
  const json all = json::parse(R"({"plan": {"shape": {"steps": "ten"}}, "rows": [{"n": 1}, {"n": "x"}, 3]})");
  const Result<JsonFields> plan = read(all).object("plan");
  ASSERT_TRUE(plan);
  const Result<JsonFields> shape = plan->object("shape");
  ASSERT_TRUE(shape);
  EXPECT_EQ(message_of(shape->integer("steps")), "plan.shape.steps is string; a whole number");
  EXPECT_EQ(message_of(read(all).objects("rows")), "rows[2] is number; an object");
  EXPECT_EQ(message_of(plan->nothing_else()), "was accepted");
}

TEST(JsonFields, WhatNobodyAskedForIsRefused) {
  const json all = {{"a", 1}, {"b", 2}};
  const JsonFields fields = read(all);
  EXPECT_EQ(message_of(fields.nothing_else()), "a is number; nobody asked");
  ASSERT_TRUE(fields.integer("a"));
  EXPECT_EQ(message_of(fields.nothing_else()), "b is number; nobody asked");
  EXPECT_FALSE(fields.text("b")) << "it was asked for, and is not what it should be";
  EXPECT_TRUE(fields.nothing_else());
}

TEST(JsonFields, AListHasAsManyNumbersAsItShould) {
  const json all =
      json::parse(R"({"list": [1.5, null], "words": ["a"], "small": [0, 4294967295], "large": [4294967296]})");
  std::vector<double> numbers;
  ASSERT_TRUE(read(all).numbers_into(numbers, "list", 2, -1));
  EXPECT_EQ(numbers, (std::vector<double>{1.5, -1}));
  EXPECT_FALSE(read(all).numbers_into(numbers, "list", 3, -1));
  EXPECT_FALSE(read(all).numbers_into(numbers, "words", 1, -1));
  EXPECT_EQ(read(all).small_integers("small"), (std::vector<std::uint32_t>{0, 4294967295}));
  EXPECT_FALSE(read(all).small_integers("large"));
}

}  // namespace
}  // namespace chronoveil::testing
