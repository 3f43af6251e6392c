// The pieces that a live release rests on: states that survive a torn write, an output that is only appended to, and
// what changed in a job.
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "chronoveil/engine/live/folder.h"
#include "chronoveil/engine/live/output.h"
#include "chronoveil/engine/live/state.h"
#include "support/temporary_folder.h"

namespace chronoveil::engine {
namespace {

LiveState state_at(std::int64_t step) {
  LiveState state;
  state.debit = 3;
  state.span = 1;
  state.step = step;
  state.asked = 2 * step;
  state.begun = 31;
  state.synced = 100 + step;
  state.unsynced = std::string(static_cast<std::size_t>(40 + step % 7 * 60), static_cast<char>('a' + step % 26));
  if (step % 2 == 0) state.seal = bound::ParticipationSeal{step, 40, 7 * step, -1, 1 + step, std::nullopt};
  if (step % 4 == 0) state.seal->secret = bound::SealSecret{-step, step << 50};
  if (step % 3 == 0) state.totals = LiveTail{9, 50 + step, std::string(static_cast<std::size_t>(step % 5), 'z')};
  state.process.assign(static_cast<std::size_t>(5 + step % 3), 0x8000000000000001u + static_cast<std::uint64_t>(step));
  return state;
}

void expect_equal(const LiveState& a, const LiveState& b) {
  EXPECT_EQ(a.debit, b.debit);
  EXPECT_EQ(a.span, b.span);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.asked, b.asked);
  EXPECT_EQ(a.begun, b.begun);
  EXPECT_EQ(a.synced, b.synced);
  EXPECT_EQ(a.unsynced, b.unsynced);
  EXPECT_EQ(a.process, b.process);
  EXPECT_EQ(a.seal, b.seal);
  ASSERT_EQ(a.totals.has_value(), b.totals.has_value());
  if (!a.totals) return;
  EXPECT_EQ(a.totals->begun, b.totals->begun);
  EXPECT_EQ(a.totals->synced, b.totals->synced);
  EXPECT_EQ(a.totals->unsynced, b.totals->unsynced);
}

class LiveParts : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  LiveState latest() const {
    auto read_back = read_live_state(folder_.path());
    EXPECT_TRUE(read_back && *read_back);
    return read_back && *read_back ? **read_back : LiveState();
  }

  chronoveil::testing::TemporaryFolder folder_;
};

TEST_F(LiveParts, TheLatestStateIsReadBack) {
  {
    auto files = LiveStateFiles::open(folder_.path());
    ASSERT_TRUE(files);
    EXPECT_FALSE(files->latest());
    for (std::int64_t step = 0; step < 20; ++step) {
      ASSERT_TRUE(files->save(state_at(step)));
      expect_equal(latest(), state_at(step));
    }
  }
  auto again = LiveStateFiles::open(folder_.path());
  ASSERT_TRUE(again && again->latest());
  expect_equal(*again->latest(), state_at(19));
  ASSERT_TRUE(again->save(state_at(20)));
  expect_equal(latest(), state_at(20));
  ASSERT_TRUE(again->save(LiveState())) << "as at the opening: nothing published, nothing kept";
  expect_equal(latest(), LiveState());
  struct stat facts {};
  ASSERT_EQ(::stat(at("state.0").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(LiveParts, AStateThatIsBeingOpenedKeepsTheDebitBefore) {
  auto files = LiveStateFiles::open(folder_.path());
  ASSERT_TRUE(files);
  LiveState opening;
  EXPECT_FALSE(opening.witness()) << "the first of its release";
  LiveState before = state_at(6);
  before.holder = -5;
  before.before = 77;
  opening.earlier = before.witness();
  ASSERT_TRUE(files->save(opening));
  const LiveState found = latest();
  expect_equal(found, opening);
  const std::optional<LiveWitness> witness = found.witness();
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->debit, 3);
  EXPECT_EQ(witness->holder, -5);
  EXPECT_EQ(witness->asked, 12);
  EXPECT_EQ(witness->before, 77);
}

// As a version wrote it that knew no seals: twelve numbers, no process, no lines.
TEST_F(LiveParts, AStateOfAVersionWithoutSealsIsReadBack) {
  std::string bytes = "CVLIVE01";
  const auto put = [&](std::int64_t number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  for (const std::int64_t head : {1, 12, 0, 0}) put(head);
  for (const std::int64_t field : {1, 3, 11, 12, 13, 0, 5, 1000, 4, 6, 31, 99}) put(field);
  std::string hash(32, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  write("state.1", bytes + hash);
  const LiveState found = latest();
  EXPECT_EQ(found.debit, 3);
  EXPECT_EQ(found.step, 5);
  EXPECT_EQ(found.people, 6);
  EXPECT_EQ(found.synced, 99);
  EXPECT_FALSE(found.seal);
}

// Whoever reads the secret of the seal could make another file of participation that fits it.
TEST_F(LiveParts, StatesThatOthersCouldReadAreTakenFromThem) {
  {
    auto files = LiveStateFiles::open(folder_.path());
    ASSERT_TRUE(files && files->save(state_at(4)));
  }
  for (const char* name : {"state.0", "state.1"}) std::filesystem::permissions(at(name), std::filesystem::perms(0666));
  ASSERT_TRUE(LiveStateFiles::open(folder_.path()));
  for (const char* name : {"state.0", "state.1"})
    EXPECT_EQ(std::filesystem::status(at(name)).permissions(), std::filesystem::perms(0600));
}

TEST_F(LiveParts, AWriteThatWasCutOffAnywhereLeavesTheStateBefore) {
  std::string before, after;
  {
    auto files = LiveStateFiles::open(folder_.path());
    ASSERT_TRUE(files);
    for (std::int64_t step = 0; step < 6; ++step) ASSERT_TRUE(files->save(state_at(step)));
    before = read("state.0");  // saves 1 to 6: the seventh goes to state.1
    const std::string old = read("state.1");
    ASSERT_TRUE(files->save(state_at(6)));
    after = read("state.1");
    ASSERT_NE(old, after);
    ASSERT_EQ(read("state.0"), before);
    for (std::size_t cut = 0; cut < after.size(); ++cut) {
      // What a write of `cut` bytes leaves: the new beginning and the old rest.
      std::string torn = after.substr(0, cut);
      if (old.size() > cut) torn += old.substr(cut);
      if (torn == after) continue;
      write("state.1", torn);
      const std::int64_t step = latest().step;
      EXPECT_EQ(step, 5) << "cut at " << cut;
    }
  }
  write("state.1", after);
  EXPECT_EQ(latest().step, 6);
  for (std::size_t i = 0; i < after.size(); i += 3) {
    std::string flipped = after;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    write("state.1", flipped);
    EXPECT_EQ(latest().step, 5) << "a bit of byte " << i;
  }
}

TEST_F(LiveParts, WithoutAnyWholeStateNothingGoesOn) {
  {
    auto files = LiveStateFiles::open(folder_.path());
    ASSERT_TRUE(files && files->save(state_at(1)));
  }
  for (const char* name : {"state.0", "state.1"}) {
    std::string bytes = read(name);
    if (!bytes.empty()) bytes[bytes.size() / 2] ^= 1;
    write(name, bytes);
  }
  const auto files = LiveStateFiles::open(folder_.path());
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().kind, ErrorKind::storage);
  EXPECT_FALSE(read_live_state(folder_.path()));
}

// The words of the process as they stand in a file, and how much of it belongs to the state.
std::string process_words(const LiveState& state) {
  return {reinterpret_cast<const char*>(state.process.data()), state.process.size() * sizeof state.process[0]};
}

TEST_F(LiveParts, NothingOfTheMechanismIsLeftInTheLastState) {
  auto files = LiveStateFiles::open(folder_.path());
  ASSERT_TRUE(files && files->save(state_at(6)) && files->save(state_at(8)));
  const std::string words[] = {process_words(state_at(6)), process_words(state_at(8))};
  ASSERT_NE(read("state.1").find(words[0]), std::string::npos);
  ASSERT_NE(read("state.0").find(words[1]), std::string::npos);
  LiveState last = state_at(8);
  ASSERT_TRUE(files->save_last(last));
  last.process.clear();
  expect_equal(latest(), last);
  EXPECT_EQ(read("state.0").size(), read("state.1").size()) << "no end of a longer state is left";
  for (const char* name : {"state.0", "state.1"})
    for (const std::string& word : words) EXPECT_EQ(read(name).find(word.substr(0, 8)), std::string::npos);
}

TEST_F(LiveParts, WhatCannotBeOpenedAnyMoreIsForgottenToo) {
  {
    auto files = LiveStateFiles::open(folder_.path());
    ASSERT_TRUE(files && files->save(state_at(6)) && files->save(state_at(8)));
  }
  const std::string before = read("state.0");
  ASSERT_TRUE(forget_live_process(folder_.path(), state_at(8).debit - 1)) << "it is of a later debit";
  EXPECT_EQ(read("state.0"), before);
  ASSERT_TRUE(forget_live_process(folder_.path(), state_at(8).debit));
  EXPECT_TRUE(latest().process.empty());
  EXPECT_EQ(latest().step, 8);
  for (const char* name : {"state.0", "state.1"}) write(name, before.substr(0, before.size() - 1));
  ASSERT_TRUE(forget_live_process(folder_.path(), state_at(8).debit));
  for (const char* name : {"state.0", "state.1"}) EXPECT_EQ(read(name), before.substr(0, 8));
  EXPECT_FALSE(read_live_state(folder_.path())) << "it is still damaged";
}

TEST_F(LiveParts, AnOutputGoesOnWhereTheLastAppendEnded) {
  const std::string synced = "time,value\n", unsynced = "1,10\n2,20\n";
  for (std::size_t there = 0; there <= unsynced.size(); ++there) {
    write("out.csv", synced + unsynced.substr(0, there));
    auto output = LiveOutput::resume(at("out.csv"), static_cast<std::int64_t>(synced.size()), unsynced);
    ASSERT_TRUE(output) << output.error().text();
    ASSERT_TRUE(output->append("3,30\n"));
    ASSERT_TRUE(output->sync());
    EXPECT_EQ(read("out.csv"), synced + unsynced + "3,30\n");
  }
}

TEST_F(LiveParts, AnOutputThatSomebodyChangedIsLeftAlone) {
  const std::string synced = "time,value\n", unsynced = "1,10\n2,20\n";
  for (const std::string& text : {synced.substr(1), std::string(), synced + "1,11\n", synced + unsynced + "3,30\n"}) {
    write("out.csv", text);
    const auto output = LiveOutput::resume(at("out.csv"), static_cast<std::int64_t>(synced.size()), unsynced);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, ErrorKind::storage);
    EXPECT_EQ(read("out.csv"), text);
  }
}

TEST_F(LiveParts, ANewReleaseOverwritesNothing) {
  write("out.csv", "precious\n");
  EXPECT_FALSE(LiveOutput::begin(at("out.csv")));
  EXPECT_FALSE(LiveOutput::rehearse(at("out.csv"), "time,value,mark\n"));
  EXPECT_EQ(read("out.csv"), "precious\n");
  write("out.csv", "time,value,mark\n1,2,seeded\n");
  EXPECT_TRUE(LiveOutput::rehearse(at("out.csv"), "time,value,mark\n"));
  EXPECT_EQ(read("out.csv"), "");
  EXPECT_TRUE(LiveOutput::begin(at("out.csv")));
  EXPECT_FALSE(LiveOutput::begin(at("no/such/folder/out.csv")));
  std::filesystem::create_directory(at("folder"));
  EXPECT_FALSE(LiveOutput::begin(at("folder")));
  EXPECT_FALSE(LiveOutput::begin("/dev/null"));
}

TEST(LiveFacts, ADifferenceIsNamedByItsKey) {
  const Facts before = {{"a.x", "1"}, {"series.keys", "north"}, {"series.keys", "south"}, {"m.p", "2"}};
  EXPECT_EQ(difference(before, before), "");
  const auto with = [&](std::size_t i, const std::string& value) {
    Facts now = before;
    now[i].second = value;
    return now;
  };
  EXPECT_EQ(difference(before, with(0, "2")), "a.x was '1' when the release was opened and is '2' now");
  EXPECT_NE(difference(before, with(1, "east")).find("series.keys had 'north'"), std::string::npos);
  Facts more = before;
  more.emplace_back("series.keys", "west");
  EXPECT_NE(difference(before, more).find("series.keys has 'west' now"), std::string::npos);
  Facts fewer = before;
  fewer.pop_back();
  EXPECT_NE(difference(before, fewer).find("m.p had '2'"), std::string::npos);
  const Facts turned = {{"a.x", "1"}, {"series.keys", "south"}, {"series.keys", "north"}, {"m.p", "2"}};
  EXPECT_NE(difference(before, turned).find("order"), std::string::npos);
}

}  // namespace
}  // namespace chronoveil::engine
