"""Bad input to train and forecast from outside: each kind gets its exit code and one clear line, tells no value of the
data, and leaves no file behind. What is only planned is in train_plan_test.py."""

import os
import unittest

from train_jobs import HOURS, SECRET, TrainTest, text_of, time_of


class Jobs(TrainTest):
    """Known before anything is spent."""

    def setUp(self):
        super().setUp()
        self.create()

    def test_an_epsilon_that_pays_for_no_step_names_one_that_does(self):
        pairs = (("epsilon = 8.0", "epsilon = 0.01"), ("= 2.0", "= 0.5"), ("steps = 12\n", ""))
        told = self.assert_refused(4, ["privacy.epsilon: 0.01", "one step", "the smallest that would do is "],
                                   self.train(*pairs, command="plan"))
        smallest = told.split()[-1]
        self.assertGreater(float(smallest), 0.01)
        done = self.assert_json(*self.train(("epsilon = 8.0", f"epsilon = {smallest}"), *pairs[1:]))
        self.assertEqual(done["steps"], 1)
        self.assertLessEqual(done["guarantee"]["epsilon"], float(smallest))

    def test_steps_and_noise_that_do_not_fit(self):
        self.assert_refused(4, ["privacy.epsilon: 8", "12 steps", "the smallest that would do is "],
                            self.train(("= 2.0", "= 0.3"), command="plan"))

    def test_a_budget_that_does_not_admit_it(self):
        self.ledger.unlink()
        self.create("city", "event", 1)
        self.assert_refused(4, ["budget of dataset 'city'", "privacy.epsilon"],
                            self.train(("noise_multiplier = 2.0\n", "")))

    def test_parameters(self):
        """What a plan finds, and what is seen before the debit."""
        for command, code, mentions, pair in (
                ("plan", 2, ["train.batch_size: 7", "at most 6"], ("batch_size = 4", "batch_size = 7")),
                ("plan", 2, ["privacy.delta", "greater than 0"], ("delta = 1e-5", "delta = 0.0")),
                ("plan", 6, ["privacy.delta: 0.9 ", "12 steps", "without noise"], ("delta = 1e-5", "delta = 0.9")),
                ("plan", 2, ["train.model", "prophet", "deepar"], ("simple_feed_forward", "prophet")),
                ("plan", 2, ["output.model", "load.csv"], ("model.cvm", "load.csv")),
                ("plan", 2, ["train.upper", "missing", "both"], ("steps = 12", "steps = 12\nlower = 0.0")),
                ("plan", 2, ["train.upper: 1", "greater than lower"], ("steps = 12", "steps = 12\nlower = 1\nupper = 1")),
                ("plan", 2, ["train.lower", "finite"], ("steps = 12", "steps = 12\nlower = -inf\nupper = 1")),
                ("train", 2, ["train.noise_unit: 29.5", "at least 30: "],
                 ("steps = 12", "steps = 12\nlower = 0\nupper = 30\nlabel_noise = 1\nnoise_unit = 29.5")),
                ("train", 3, ["series 'm0'", f"{HOURS} steps"], ("forecast_length = 6", "forecast_length = 97")),
                ("train", 3, ["source.value", "water"], ('value = "kwh"', 'value = "water"')),
                ("train", 5, ["nowhere.csv"], ("load.csv", "nowhere.csv")),
                ("train", 5, ["output.model", "nowhere/model.cvm"], ("model.cvm", "nowhere/model.cvm"))):
            with self.subTest(pair):
                self.assert_refused(code, mentions, self.train(pair, command=command))

    def test_flags(self):
        for mentions, flags in ((["--device: ", "cuda"], ("--device", "cuda")),
                                (["--again: ", "city:9"], ("--again", "city:9")),
                                (["--noise-from: "], ("--noise-from", os.devnull))):
            with self.subTest(flags):
                self.assert_refused(2, mentions, self.train(flags=flags))
        self.assert_refused(2, ["output: ", "--json"], self.train(('"model.json"', '"-"'), flags=("--json",)))

    def test_a_job_that_does_not_train(self):
        counts = self.write("counts.toml", 'version = 1\n[dataset]\nname = "x"\n[source]\npath = "load.csv"\n'
                            'time = "ts"\n[slots]\nstart = "2026-03-01"\nend = "2026-03-02"\nlength = "1h"\n'
                            '[privacy]\nepsilon = 1\nmax_steps = 1\n[output]\ncsv = "out.csv"\n')
        self.assert_refused(2, ["[train]", "chronoveil run"], ("train", str(counts)))

    def test_a_ledger_that_is_none(self):
        command, path, *_ = self.train()
        broken = self.write("broken.db", "this is no ledger, whatever it is called " * 9)
        self.assert_refused(5, "broken.db", (command, path, "--ledger", str(broken)))


class Rows(TrainTest):
    """Found when they are read, after the debit, which stays with the job."""

    def test_rows_that_are_none(self):
        self.create()
        at = f"m5,{time_of(HOURS - 1)}"  # the last row is exchanged for a bad one
        for mentions, row in (
                (["column kwh"], f"{at},NaN,{SECRET}"), (["column kwh"], f"{at},{SECRET}x,1"),
                (["given before"], f"m0,{time_of(3)},{SECRET},1")):
            with self.subTest(row):
                self.write("load.csv", text_of(self.rows[:-1]) + row + "\n")
                self.assert_refused(3, [f"row {len(self.rows)}", *mentions, "city:1 stays reserved"], self.train(),
                                    [("city:1", "reserved")])
        self.assertEqual(self.uses(), [(12, 0)])  # no step was begun


class Forecasts(TrainTest):
    """Model files and histories."""

    model = None  # the same for all

    def setUp(self):
        super().setUp()
        if Forecasts.model is None:
            self.seeded(self.train(flags=("--seed", "1")))
            Forecasts.model = self.files()["model.cvm"]
        self.write("model.cvm", Forecasts.model)

    def test_model_files_that_are_none(self):
        model = Forecasts.model
        middle = len(model) // 2
        altered = model[:middle] + bytes([model[middle] ^ 1]) + model[middle + 1:]
        for mention, content in (("cut off or altered", model[:middle]), ("cut off or altered", altered),
                                 ("not a model", b""), ("not a model", text_of(self.rows).encode())):
            self.write("bad.cvm", content)
            self.assert_refused(3, ["bad.cvm", mention], self.forecast(model="bad.cvm"))
        (self.folder / "folder.cvm").mkdir()
        self.assert_refused(5, "folder.cvm", self.forecast(model="folder.cvm"))

    def test_histories_that_are_none(self):
        header = "meter,ts,kwh,temp\n"
        for mentions, text in (
                (["no rows"], header),
                (["before the model's clock"], header + f"m0,2025-03-01T00:00,{SECRET},1\n"),
                (["row 2", "column kwh"], header + f"m0,{time_of(3)},1,1\nm0,{time_of(4)},NaN,{SECRET}\n"),
                (["row 2", "given before"], header + f"m0,{time_of(3)},1,1\nm0,{time_of(3)},{SECRET},1\n"),
                (["--time: ", "ts"], f"meter,when,kwh\nm0,{time_of(3)},{SECRET}\n")):
            with self.subTest(mentions):
                self.write("history.csv", text)
                self.assert_refused(3, mentions, self.forecast(source="history.csv"))
        self.assert_refused(2, ["--value: ", "the model reads: 1"], self.forecast("--value", "kwh,temp"))
        command, model, *_ = self.forecast()
        self.assert_refused(2, ["INPUT: ", "file"], (command, model, "-"), stdin=f"time,kwh\n{time_of(1)},{SECRET}\n")


if __name__ == "__main__":
    unittest.main()
