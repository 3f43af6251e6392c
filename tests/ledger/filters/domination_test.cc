#include "chronoveil/ledger/filters/domination.h"

#include "chronoveil/accounting/events/event_json.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

accounting::Event event(const std::string& json) { return value_of(accounting::parse_event(json)); }

bool runs_in(const std::string& what, const std::string& slot) { return is_dominated_by(event(what), event(slot)); }

const std::vector<std::string> kEvents = {
    R"({"event":"gaussian","noise_multiplier":2})",
    R"({"event":"laplace","noise_multiplier":2})",
    R"({"event":"discrete_gaussian","scale":4,"sensitivity":2})",
    R"({"event":"discrete_laplace","scale":4,"sensitivity":2})",
    R"({"event":"exponential","epsilon":0.5})",
    R"({"event":"pure","epsilon":0.5})",
    R"({"event":"approximate","epsilon":0.5,"delta":1e-6})",
    R"({"event":"randomized_response","epsilon":0.5,"values":3})",
    R"({"event":"mixture","noise_multiplier":1,"p":{"means":[0,1],"weights":[0.5,0.5]},"q":{"means":[0],"weights":[1]}})",
    R"({"event":"time_subsampling","participation":5,"rate":0.1,"noise_multiplier":3})",
    R"({"event":"structured_subsampling","series":10,"length":100,"context_length":4,"forecast_length":2,"batch_size":2,"windows_per_series":1,"noise_multiplier":2})",
    R"({"event":"compose","events":[{"event":"pure","epsilon":0.1},{"event":"gaussian","noise_multiplier":1}]})"};

TEST(Domination, EveryEventRunsInItsOwnSlotAndNoneMoreOftenThanReserved) {
  for (const std::string& text : kEvents) {
    accounting::Event one = event(text), three = one;
    three.count = 3;
    EXPECT_TRUE(is_dominated_by(one, one)) << text;
    EXPECT_TRUE(is_dominated_by(one, three)) << text;
    EXPECT_TRUE(is_dominated_by(three, three)) << text;
    EXPECT_FALSE(is_dominated_by(three, one)) << text;
  }
}

TEST(Domination, AnotherKindDoesNotRunUnlessItIsPureInAPureSlot) {
  for (const std::string& slot : kEvents) {
    for (const std::string& what : kEvents) {
      if (what == slot) continue;
      const std::string kind = std::string(accounting::name(event(slot)));
      const std::string other = std::string(accounting::name(event(what)));
      const bool pure_slot = kind == "pure" || kind == "approximate";
      const bool pure_event = other == "laplace" || other == "discrete_laplace" || other == "exponential" ||
                              other == "pure" || other == "randomized_response";
      EXPECT_EQ(runs_in(what, slot), pure_slot && pure_event) << other << " in " << kind;
    }
  }
}

TEST(Domination, MoreNoiseRunsAndLessDoesNot) {
  EXPECT_TRUE(runs_in(R"({"event":"gaussian","noise_multiplier":3})", kEvents[0]));
  EXPECT_FALSE(runs_in(R"({"event":"gaussian","noise_multiplier":1.9})", kEvents[0]));
  EXPECT_TRUE(runs_in(R"({"event":"laplace","noise_multiplier":3})", kEvents[1]));
  EXPECT_FALSE(runs_in(R"({"event":"laplace","noise_multiplier":1.9})", kEvents[1]));
  EXPECT_TRUE(runs_in(R"({"event":"discrete_laplace","scale":5,"sensitivity":1})", kEvents[3]));
  EXPECT_FALSE(runs_in(R"({"event":"discrete_laplace","scale":3,"sensitivity":1})", kEvents[3]));
  EXPECT_FALSE(runs_in(R"({"event":"discrete_laplace","scale":4,"sensitivity":3})", kEvents[3]));
  EXPECT_TRUE(runs_in(R"({"event":"time_subsampling","participation":4,"rate":0.1,"noise_multiplier":4})", kEvents[9]));
  EXPECT_FALSE(
      runs_in(R"({"event":"time_subsampling","participation":6,"rate":0.1,"noise_multiplier":4})", kEvents[9]));
  EXPECT_FALSE(
      runs_in(R"({"event":"time_subsampling","participation":5,"rate":0.2,"noise_multiplier":4})", kEvents[9]));
}

TEST(Domination, ADiscreteGaussianRunsWithLessSensitivityButNotWithAnotherScale) {
  EXPECT_TRUE(runs_in(R"({"event":"discrete_gaussian","scale":4,"sensitivity":1})", kEvents[2]));
  EXPECT_FALSE(runs_in(R"({"event":"discrete_gaussian","scale":4,"sensitivity":3})", kEvents[2]));
  EXPECT_FALSE(runs_in(R"({"event":"discrete_gaussian","scale":5,"sensitivity":2})", kEvents[2]));
}

TEST(Domination, ASmallerEpsilonRuns) {
  EXPECT_TRUE(runs_in(R"({"event":"pure","epsilon":0.4})", kEvents[5]));
  EXPECT_FALSE(runs_in(R"({"event":"pure","epsilon":0.6})", kEvents[5]));
  EXPECT_FALSE(runs_in(R"({"event":"laplace","noise_multiplier":1.9})", kEvents[5]));
  EXPECT_TRUE(runs_in(R"({"event":"approximate","epsilon":0.4,"delta":1e-7})", kEvents[6]));
  EXPECT_FALSE(runs_in(R"({"event":"approximate","epsilon":0.4,"delta":1e-5})", kEvents[6]));
  EXPECT_FALSE(runs_in(R"({"event":"approximate","epsilon":0.6,"delta":1e-7})", kEvents[6]));
  EXPECT_FALSE(runs_in(R"({"event":"randomized_response","epsilon":0.5,"values":4})", kEvents[7]));
}

TEST(Domination, AComposedSlotTakesAsManyEventsEachInItsPlace) {
  EXPECT_TRUE(runs_in(
      R"({"event":"compose","events":[{"event":"pure","epsilon":0.05},{"event":"gaussian","noise_multiplier":2}]})",
      kEvents[11]));
  EXPECT_FALSE(runs_in(
      R"({"event":"compose","events":[{"event":"gaussian","noise_multiplier":2},{"event":"pure","epsilon":0.05}]})",
      kEvents[11]));
  EXPECT_FALSE(runs_in(R"({"event":"compose","events":[{"event":"pure","epsilon":0.05}]})", kEvents[11]));
}

TEST(Domination, APlateauThatASlotLeavesToTheRuleIsThatOfTheRule) {
  const auto stairs = [](const std::string& plateau) {
    return R"({"event":"noisy_sort","window":10,"epsilon":4,"law":"staircase","max_shift":60)" + plateau + "}";
  };
  EXPECT_TRUE(runs_in(stairs(R"(,"plateau":3)"), stairs("")));
  EXPECT_TRUE(runs_in(stairs(""), stairs(R"(,"plateau":3)")));
  EXPECT_FALSE(runs_in(stairs(R"(,"plateau":4)"), stairs("")));
  EXPECT_FALSE(runs_in(stairs(R"(,"plateau":4)"), stairs(R"(,"plateau":3)")));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
