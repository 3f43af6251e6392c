// Training from end to end, on real files and a real ledger: one debit, whatever happens on the way.
#include "chronoveil/training/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "chronoveil/networks/checkpoint.h"
#include "networks/fixtures.h"

namespace chronoveil::networks {
namespace {

using namespace training;

using engine::testing::fails;

class Train : public testing::TrainFolder {
 protected:
  // Stops the process' work after so many steps, as a crash would: by an error from inside.
  struct Stop {};
  // Steps until `stop_after` of this call, then nothing is cleaned up.
  void crash_after(const engine::Job& job, std::int64_t stop_after) {
    TrainOptions options = train_;
    std::int64_t steps = 0;
    options.on_step = [&](const TrainProgress&) {
      if (++steps == stop_after) throw Stop();
    };
    EXPECT_THROW((void)run_training(job, options), Stop);
  }
};

TEST_F(Train, DebitsOnceAndWritesAModelThatCarriesItsGuarantee) {
  create_dataset_for_training();
  const Result<Training> training = run_training(train_job(), train_);
  ASSERT_TRUE(training) << training.error().text();
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].state, ledger::State::released);
  EXPECT_EQ(debits()[0].uses, 40);
  EXPECT_EQ(debits()[0].used, 40);
  const Result<TrainedModel> model = load_model(at("model.cvm"));
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->debit->id.text(), debits()[0].id.text());
  EXPECT_EQ(model->steps, 40);
  EXPECT_TRUE(model->mark.empty());
  EXPECT_LE(model->guarantee.epsilon, 8);
  EXPECT_GT(model->guarantee.epsilon, 7);
  EXPECT_TRUE(network_of(*model));
}

TEST_F(Train, GoesOnAfterACrashWithoutASecondDebitAndWithoutGivingStepsBack) {
  create_dataset_for_training();
  const engine::Job job = train_job();
  crash_after(job, 17);  // checkpoint at 10, 17 steps used
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].state, ledger::State::reserved);
  EXPECT_EQ(debits()[0].used, 17);
  EXPECT_FALSE(exists("model.cvm"));
  crash_after(job, 5);  // from the checkpoint at 10: steps 11 to 15, 22 used
  EXPECT_EQ(debits()[0].used, 22);
  const Result<Training> training = run_training(job, train_);
  ASSERT_TRUE(training) << training.error().text();
  EXPECT_TRUE(training->resumed);
  ASSERT_EQ(debits().size(), 1U);
  EXPECT_EQ(debits()[0].used, 40);  // never more than was reserved
  EXPECT_EQ(training->uses, 40);
  EXPECT_EQ(training->model.steps, 28);  // 10 of the checkpoint and the 18 that were left
}

TEST_F(Train, SpareStepsMakeUpForACrash) {
  create_dataset_for_training();
  const engine::Job job = train_job("spare_steps = 10\n");
  crash_after(job, 17);
  const Result<Training> training = run_training(job, train_);
  ASSERT_TRUE(training) << training.error().text();
  EXPECT_EQ(training->model.steps, 40);
  EXPECT_EQ(debits()[0].used, 47);
  EXPECT_EQ(debits()[0].uses, 50);
}

TEST_F(Train, NeverReusesNoise) {
  create_dataset_for_training();
  const engine::Job job = train_job();
  crash_after(job, 12);
  const std::string folder = at("ledger.db.training/city/" + engine::digest_of(job));
  const std::optional<Checkpoint> before = load_checkpoint(folder);
  ASSERT_TRUE(before);
  // The same checkpoint twice: if anything but fresh bits entered, both would end alike.
  const Result<Training> one = run_training(job, train_);
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(save_checkpoint(folder, *before));
  TrainOptions again = train_;
  again.confirmed = true;
  const Result<Training> other = run_training(job, again);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_NE(one->model.weights, other->model.weights);
  EXPECT_EQ(debits().size(), 2U);
}

// It would take steps again that are in the checkpoint already, with other noise.
TEST_F(Train, ALedgerThatKnowsOfFewerStepsThanTheCheckpointIsRefused) {
  create_dataset_for_training();
  const engine::Job job = train_job();
  crash_after(job, 12);
  std::filesystem::copy_file(at("ledger.db"), at("older.db"));
  crash_after(job, 13);  // from the checkpoint at 10 to one at 20, 25 used
  EXPECT_EQ(debits()[0].used, 25);
  std::filesystem::copy_file(at("ledger.db"), at("latest.db"));
  std::filesystem::copy_file(at("older.db"), at("ledger.db"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(fails(run_training(job, train_), ErrorKind::storage, "it does not know all that was made of the debit"));
  EXPECT_EQ(debits()[0].used, 12);
  std::filesystem::copy_file(at("latest.db"), at("ledger.db"), std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(run_training(job, train_));
}

// As a crash leaves it that came after the model was stored, if the checkpoint is then lost.
TEST_F(Train, AModelThatIsStoredIsNotReplacedByAnother) {
  create_dataset_for_training();
  const engine::Job job = train_job("spare_steps = 10\n");
  crash_after(job, 40);
  const std::string model = "ledger.db.training/city/" + engine::digest_of(job) + "/model-1";
  write(model, "what was stored");
  EXPECT_TRUE(fails(run_training(job, train_), ErrorKind::storage, "is stored already"));
  EXPECT_EQ(read(model), "what was stored");
  EXPECT_EQ(debits()[0].used, 40);
  std::filesystem::remove(at(model));
  EXPECT_TRUE(run_training(job, train_));
}

TEST_F(Train, ARunThatCameOutOfABackupIsNotGoneOnWith) {
  create_dataset_for_training();
  const engine::Job job = train_job();
  crash_after(job, 12);
  Result<ledger::Ledger> here = ledger::Ledger::open(at("ledger.db"));
  ASSERT_TRUE(here && here->back_up(at("backup.db")));
  TrainOptions elsewhere = train_;
  elsewhere.ledger = at("restored.db");
  Result<ledger::Ledger> restored = ledger::Ledger::open(elsewhere.ledger);
  ASSERT_TRUE(restored && restored->restore(at("backup.db")));
  EXPECT_TRUE(fails(run_training(job, elsewhere), ErrorKind::usage, "(reserved)"));
}

TEST_F(Train, ACheckpointOfAnotherDebitIsNotTaken) {
  create_dataset_for_training(40);
  const engine::Job job = train_job();
  ASSERT_TRUE(run_training(job, train_));
  TrainOptions again = train_;
  again.confirmed = true;
  const Result<Training> second = run_training(job, again);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->model.steps, 40);
  EXPECT_FALSE(second->resumed);
  EXPECT_EQ(debits()[1].used, 40);
}

TEST_F(Train, AsksBeforeASecondDebitAndEmitsTheFirstAnew) {
  create_dataset_for_training();
  const engine::Job job = train_job();
  const Result<Training> first = run_training(job, train_);
  ASSERT_TRUE(first);
  EXPECT_TRUE(fails(run_training(job, train_), ErrorKind::usage, "run.yes"));
  const std::string bytes = read("model.cvm");
  write("model.cvm", "something else");
  const Result<Training> again = train_again(job, debits()[0].id.text(), train_);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(read("model.cvm"), bytes);
  EXPECT_EQ(debits().size(), 1U);
}

TEST_F(Train, ASeedTouchesNoLedgerAndMarksTheModel) {
  TrainOptions seeded = train_;
  seeded.seed = 7;
  const Result<Training> training = run_training(train_job(), seeded);
  ASSERT_TRUE(training) << training.error().text();
  EXPECT_EQ(training->model.mark, "seeded: not private");
  EXPECT_FALSE(training->model.debit);
  EXPECT_FALSE(exists("ledger.db"));
  const std::string first = read("model.cvm");
  ASSERT_TRUE(run_training(train_job(), seeded));
  EXPECT_EQ(read("model.cvm"), first);
}

TEST_F(Train, ValuesBeyondTheBoundsTrainLikeTheBounds) {
  TrainOptions seeded = train_;
  seeded.seed = 5;
  const auto weights = [&](const std::string& train) {
    const Result<Training> training = run_training(train_job(train), seeded);
    EXPECT_TRUE(training) << training.error().text();
    return training->model.weights;
  };
  const std::string noise = "label_noise = 3\ncontext_noise = 2\n", unit = "noise_unit = 4.5\n";
  const std::string bounds = "lower = 9.5\nupper = 14\n";
  write("load.csv", rows_of([](int series, int hour) {
          return hour % 9 == series ? (series - 2.5) * 1e6 : value_of(series, hour);
        }));
  const std::string clamped = weights(bounds), clamped_noisy = weights(bounds + noise);
  EXPECT_NE(weights(""), clamped);
  write("load.csv", rows_of([](int series, int hour) {
          return std::clamp(hour % 9 == series ? (series - 2.5) * 1e6 : value_of(series, hour), 9.5, 14.0);
        }));
  EXPECT_EQ(weights(""), clamped);
  EXPECT_EQ(weights(noise + unit), clamped_noisy);
  EXPECT_NE(clamped, clamped_noisy);
}

TEST_F(Train, BadDataAfterTheDebitLeavesItReservedForTheSameCommand) {
  create_dataset_for_training();
  const std::string good = read("load.csv");
  write("load.csv", good + "m0,2026-03-01T00:00,1\n");
  EXPECT_TRUE(fails(run_training(train_job(), train_), ErrorKind::bad_data, "stays reserved"));
  EXPECT_FALSE(exists("model.cvm"));
  ASSERT_EQ(debits().size(), 1U);
  write("load.csv", good);
  const Result<Training> training = run_training(train_job(), train_);
  ASSERT_TRUE(training) << training.error().text();
  EXPECT_EQ(debits().size(), 1U);
  EXPECT_EQ(training->model.steps, 40);
}

TEST_F(Train, WhatATrainerRefusesIsRefusedBeforeTheDebit) {
  create_dataset_for_training();
  for (const auto& [key, mention] : {std::pair("clip = 1e-300\n", "train.clip: "),
                                     {"label_noise = 1e6\n", "train.label_noise: "},
                                     {"label_noise = 1\nnoise_unit = 1e300\n", "train.noise_unit: "}})
    EXPECT_TRUE(fails(run_training(train_job(key), train_), ErrorKind::usage, mention));
  TrainOptions elsewhere = train_;
  elsewhere.device = "abacus";
  EXPECT_TRUE(fails(run_training(train_job(), elsewhere), ErrorKind::usage, "--device: "));
  EXPECT_TRUE(debits().empty());
}

TEST_F(Train, OverTheBudgetNothingIsDebitedAndTheErrorNamesWhatFits) {
  create_dataset_for_training(0.5);
  EXPECT_TRUE(fails(run_training(train_job(), train_), ErrorKind::over_budget, "privacy.epsilon"));
  EXPECT_TRUE(debits().empty());
  EXPECT_FALSE(exists("model.cvm"));
}

TEST_F(Train, TheCurveOfWhatIsSpentRisesToThePriceOfTheWhole) {
  TrainOptions seeded = train_;
  seeded.seed = 1;
  std::vector<TrainProgress> told;
  seeded.on_step = [&](const TrainProgress& progress) { told.push_back(progress); };
  const Result<Training> training = run_training(train_job(), seeded);
  ASSERT_TRUE(training) << training.error().text();
  ASSERT_EQ(told.size(), 40U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end(),
                             [](const auto& one, const auto& other) { return one.epsilon < other.epsilon; }));
  EXPECT_LT(told.front().epsilon, told.back().epsilon);
  EXPECT_NEAR(told.back().epsilon, training->planned.price.epsilon, 1e-9);
}

}  // namespace
}  // namespace chronoveil::networks
