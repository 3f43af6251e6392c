#include "chronoveil/base/system/filter_program.h"

#include <gtest/gtest.h>

#include <string>

namespace chronoveil {
namespace {

TEST(FilterProgram, GivesWhatTheProgramMakesOfTheText) {
  EXPECT_EQ(filtered({"tr", "a-z", "A-Z"}, "a text"), "A TEXT");
  EXPECT_EQ(filtered({"cat"}, ""), "");
}

TEST(FilterProgram, MoreThanAPipeHoldsPassesInBothDirections) {
  const std::string text(std::size_t{1} << 21, 'x');
  EXPECT_EQ(filtered({"cat"}, text), text);
  EXPECT_EQ(filtered({"true"}, text), "");  // it reads nothing
}

TEST(FilterProgram, FailuresNameTheProgram) {
  const auto refused = [](const std::vector<std::string>& command) {
    const auto result = filtered(command, "secret");
    return result ? std::string("no error") : result.error().text();
  };
  EXPECT_EQ(refused({"no-such-program"}), "cannot run no-such-program: No such file or directory");
  EXPECT_EQ(refused({"false"}), "cannot run false: it ended with exit code 1");
  EXPECT_EQ(refused({"sh", "-c", "kill -9 $$"}), "cannot run sh: signal 9 ended it");
}

}  // namespace
}  // namespace chronoveil
