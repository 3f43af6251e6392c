#include "chronoveil/training/model_file.h"

#include <gtest/gtest.h>

#include "chronoveil/networks/checkpoint.h"
#include "chronoveil/networks/network.h"
#include "chronoveil/neural/tensor_bytes.h"
#include "networks/fixtures.h"

namespace chronoveil::networks {
namespace {

using namespace training;

using engine::testing::fails;

class ModelFile : public testing::TrainFolder {
 protected:
  TrainedModel trained(const std::string& train = "") {
    TrainOptions seeded = train_;
    seeded.seed = 3;
    Result<Training> training = run_training(train_job(train), seeded);
    EXPECT_TRUE(training) << training.error().text();
    return training ? training->model : TrainedModel{};
  }
};

TEST_F(ModelFile, ComesBackAsItWas) {
  TrainedModel model = trained("calendar = true\nfill = \"last\"\nlower = -0.5\nupper = 12\n");
  model.mark = "";
  model.debit = ledger::DebitReference{{"city", 3, std::nullopt}, "abc"};
  const Result<TrainedModel> back = read_model(to_bytes(model), "file");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->config.model, model.config.model);
  EXPECT_EQ(back->config.hidden, 8);
  EXPECT_EQ(back->fill, forecasting::Fill::last);
  ASSERT_EQ(back->calendar.cycles.size(), model.calendar.cycles.size());
  for (std::size_t i = 0; i < model.calendar.cycles.size(); ++i) {
    EXPECT_EQ(back->calendar.cycles[i].period, model.calendar.cycles[i].period);
    EXPECT_EQ(back->calendar.cycles[i].phase, model.calendar.cycles[i].phase);
  }
  EXPECT_EQ(back->clock.start, "2026-03-01T00:00");
  EXPECT_EQ(back->channels, std::vector<std::string>{"kwh"});
  EXPECT_EQ(back->lower, -0.5);
  EXPECT_EQ(back->upper, 12);
  EXPECT_EQ(back->debit->id.text(), "city:3");
  EXPECT_EQ(back->debit->chain_head, "abc");
  EXPECT_EQ(back->guarantee.epsilon, model.guarantee.epsilon);
  EXPECT_EQ(back->guarantee.assumptions.size(), model.guarantee.assumptions.size());
  EXPECT_EQ(back->event.count, model.event.count);
  EXPECT_EQ(to_bytes(*back), to_bytes(model));
}

TEST_F(ModelFile, WhoeverCutsOffOrChangesAByteMakesItUnreadable) {
  const std::string bytes = to_bytes(trained());
  ASSERT_TRUE(read_model(bytes, "file"));
  for (std::size_t length = 0; length < bytes.size(); length += 1 + length / 50)
    EXPECT_TRUE(fails(read_model(bytes.substr(0, length), "file"), ErrorKind::bad_data, "'file'")) << length;
  EXPECT_TRUE(fails(read_model(bytes + "x", "file"), ErrorKind::bad_data, "altered"));
  for (std::size_t place = 0; place < bytes.size(); place += 1 + place / 50) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ 1);
    EXPECT_TRUE(fails(read_model(changed, "file"), ErrorKind::bad_data, "'file'")) << place;
  }
}

TEST_F(ModelFile, WeightsOfAnotherConfigurationAreRefused) {
  TrainedModel model = trained();
  model.config.hidden = 9;
  const Result<TrainedModel> back = read_model(to_bytes(model), "file");
  ASSERT_TRUE(back);
  EXPECT_TRUE(fails(network_of(*back), ErrorKind::bad_data, "configuration"));
}

// A few kilobytes that claim a network of terabytes: refused by its sizes, before anything is made of them.
TEST_F(ModelFile, AHugeConfigurationIsRefusedWithoutBuildingIt) {
  const TrainedModel small = trained();
  for (const char* name : {"simple_feed_forward", "dlinear", "deepar", "itransformer"}) {
    TrainedModel model = small;
    model.config = {};
    model.config.model = name;
    model.config.context_length = 1'000'000;
    model.config.forecast_length = 10'000;
    model.config.hidden = 65'536;
    if (model.config.model != "dlinear") model.config.layers = 64;
    EXPECT_TRUE(fails(network_of(model), ErrorKind::bad_data, "configuration")) << name;
  }
}

TEST_F(ModelFile, ADamagedCheckpointIsNone) {
  const Result<std::vector<neural::Parameter>> weights = neural::from_bytes(trained().weights);
  ASSERT_TRUE(weights);
  const Checkpoint checkpoint{"city:1", 17, *weights};
  ASSERT_TRUE(save_checkpoint(folder_.path(), checkpoint));
  const std::optional<Checkpoint> back = load_checkpoint(folder_.path());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->debit, "city:1");
  EXPECT_TRUE(torch::equal(back->state[0].value, checkpoint.state[0].value));
  EXPECT_EQ(back->used, 17);
  std::string bytes = read("checkpoint");
  write("checkpoint", bytes.substr(0, bytes.size() - 1));
  EXPECT_FALSE(load_checkpoint(folder_.path()));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write("checkpoint", bytes);
  EXPECT_FALSE(load_checkpoint(folder_.path()));
}

}  // namespace
}  // namespace chronoveil::networks
