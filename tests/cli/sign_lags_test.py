"""sign_lags from outside, by the program without libtorch: planned, trained, forecast with and backtested, and what is
forecast from a release that is public already."""

import json
import math
import os
import subprocess
import threading
import unittest

import jobs
import train_jobs
from program import PROGRAM, without_spent
from train_jobs import FORECAST, SERIES, TrainTest, is_whole, rows_of, text_of, weights_of

QUANTILES = [f"q{level}" for level in range(10, 100, 10)]
NETWORK_KEYS = ("steps = 5", "noise_multiplier = 2.0", "batch_size = 4", "windows_per_series = 2", "clip = 1.0",
                "hidden = 8", "season = 24", "calendar = false", "checkpoint_every = 3", 'optimiser = "sgd"',
                "lower = 0.0\nupper = 30.0", "spare_steps = 1", "initial_seed = 2", 'fill = "zero"')


def sensitivity(values, seasons, lags):
    return 2 * values * math.sqrt(seasons * (1 + 16 * lags))


class SignLagsTest(TrainTest):
    job_text = train_jobs.SIGN_LAGS

    def alone(self, *words):
        """Without chronoveil-forecast."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "CHRONOVEIL_FORECAST": "/nowhere"}
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, encoding="utf-8", env=environment,
                              timeout=120, check=False)
        self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""), words)
        return done.stdout

    def plan(self, *pairs):
        return self.assert_json(*self.job(*pairs, command="plan"))

    def test_one_debit_makes_a_model_and_its_documents(self):
        self.create()
        told = json.loads(self.alone(*self.train(), "--json"))
        self.assertEqual((told["kind"], told["model"]["name"]), ("train", "sign_lags"))
        self.assertEqual(self.debits(), [("city:1", "released")])
        self.assertLessEqual(told["guarantee"]["epsilon"], 8)
        model = (self.folder / "model.cvm").read_bytes()
        self.assertTrue(is_whole(model))
        released = json.loads(weights_of(model)[8:])
        plan = self.plan()
        self.assertEqual(len(released["products"]), plan["released"])
        self.assertEqual(released["noise"], plan["noise"])
        self.assertEqual(released["seasons"], plan["model"]["seasons"])
        page = self.read("model.html")
        self.assertIn("sign_lags", page)
        self.assertNotIn("Gradients", page)
        self.assert_succeeds("budget", "verify", "--against", str(self.folder / "model.json"), "--ledger",
                             str(self.ledger))

    def test_noise_is_in_proportion_to_what_one_change_can_move(self):
        plan = self.plan()
        lags = plan["model"]["context_length"] + FORECAST
        one = sensitivity(1, len(plan["model"]["seasons"]), lags)
        self.assertEqual(plan["released"], len(plan["model"]["seasons"]) * (lags + 1))
        self.assertAlmostEqual(plan["sensitivity"] / one, 1, 12)
        self.assertAlmostEqual(plan["noise"] / (plan["noise_multiplier"] * one), 1, 12)
        self.assertEqual(plan["plan"]["event"]["event"], "gaussian")
        for text, values in (('unit = "user"\nmax_steps = 3', 3), ('unit = "w-event"\nwidth = 5', 5)):
            wide = self.plan(('unit = "event"', text))
            self.assertEqual(wide["protected_values"], values)
            self.assertAlmostEqual(wide["sensitivity"] / (values * one), 1, 12)
        both = self.plan(('value = "kwh"\n', ""), ('model = "sign_lags"', 'model = "sign_lags"\nchannels = ["kwh", "temp"]'))
        self.assertEqual(both["protected_values"], 2)
        self.assertAlmostEqual(both["sensitivity"] / (2 * one), 1, 12)

    def test_auto_is_the_default_and_says_what_it_chose(self):
        named, left = self.plan(), self.plan(('model = "sign_lags"\n', ""))
        self.assertIn("auto", left["reason"])
        self.assertIn("sign_lags", left["reason"])
        self.assertIn("24 steps apart", left["reason"])
        left["reason"] = named["reason"]
        self.assertEqual(left, named)
        self.assertEqual(self.plan(("forecast_length = 6\n", ""))["model"]["forecast_length"], 24)
        self.create()
        self.alone(*self.train(('model = "sign_lags"\n', "")))
        self.assertIn("auto", json.loads(self.read("model.json"))["plan"]["reason"])

    def test_a_network_without_a_context_gets_all_of_it_from_public_facts(self):
        plan = self.plan(('model = "sign_lags"', 'model = "dlinear"\nsteps = 5'))
        self.assertEqual((plan["model"]["context_length"], plan["model"]["season"]), (24, 24))
        self.assertGreaterEqual(plan["sampling"]["batch_size"], 128)
        self.assertEqual(plan["sampling"]["windows_per_series"], 22)  # 128 windows of 6 series
        given = self.plan(('model = "sign_lags"', 'model = "dlinear"\nsteps = 5\ncontext_length = 24'))
        self.assertEqual(given["sampling"]["windows_per_series"], 1)
        self.assertIn("windows_per_series = 32", given["reason"])

    def test_keys_of_networks_are_refused_by_name(self):
        for key in NETWORK_KEYS:
            name = key.split(" ")[0]
            for model in ('model = "sign_lags"', 'model = "auto"', ""):
                self.assert_refused(2, [f"train.{name}: ", "networks"],
                                    self.job(('model = "sign_lags"', f"{model}\n{key}"), command="plan"))
        self.assert_refused(2, ["train.seasons"], self.job(
            ('model = "sign_lags"', 'model = "dlinear"\nsteps = 5\nseasons = [24]'), command="plan"))

    def test_seasons_and_contexts_that_do_not_fit_are_refused(self):
        for keys, mention in (("seasons = [24, 24]", "train.seasons"), ("seasons = [-1]", "train.seasons"),
                              ("context_length = 25", "train.context_length"),
                              ("context_length = 960", "train.context_length"),
                              ("context_length = 0", "train.context_length")):
            self.assert_refused(2, mention, self.job(('model = "sign_lags"', f'model = "sign_lags"\n{keys}'),
                                                     command="plan"))
        self.assertEqual(self.plan(('model = "sign_lags"', 'model = "sign_lags"\nseasons = [24, 48]'))["model"]["seasons"],
                         [24, 48])

    def test_again_emits_the_stored_model_and_a_second_debit_is_asked_for(self):
        self.create()
        self.alone(*self.train())
        first = self.files()
        self.assert_fails(2, ["city:1", "--yes", "--again city:1"], *self.train())
        for name in ("model.cvm", "model.json", "model.html"):
            (self.folder / name).unlink()
        (self.folder / "load.csv").rename(self.folder / "away.csv")
        self.alone(*self.train(flags=("--again", "city:1")))
        for name in ("model.cvm", "model.json", "model.html"):
            self.assertEqual(self.files()[name], first[name])
        self.assertEqual(len(self.debits()), 1)
        stored = self.folder / "ledger.db.releases" / "city-1.json"
        whole = stored.read_text(encoding="utf-8")
        place = whole.index('"model":"') + 1000
        stored.write_text(whole[:place] + ("0" if whole[place] != "0" else "1") + whole[place + 1:], encoding="utf-8")
        self.assert_fails(5, "--again", *self.train(flags=("--again", "city:1")))

    def test_a_bad_row_leaves_the_debit_for_the_same_job(self):
        self.create()
        self.write("load.csv", text_of([*self.rows, ("m0", "2026-03-01T00:00", "1", "1")]))
        message = self.assert_refused(3, ["row ", "city:1"], self.train(), debits=[("city:1", "reserved")])
        self.assertIn("not lost", message)
        self.write("load.csv", text_of(self.rows))
        done = subprocess.run([PROGRAM, *self.train()], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("used the debit city:1", done.stderr)
        self.assertEqual(self.debits(), [("city:1", "released")])

    def test_rows_of_a_pipe_are_read_once_after_the_debit(self):
        self.create()
        self.seeded(self.train(flags=("--seed", "7")))
        model = weights_of((self.folder / "model.cvm").read_bytes())
        pipe = self.folder / "pipe.csv"
        os.mkfifo(pipe)
        rows = text_of(self.rows)
        writer = threading.Thread(target=pipe.write_text, args=(rows,), daemon=True)
        writer.start()
        self.seeded(self.train(('path = "load.csv"', 'path = "pipe.csv"'), flags=("--seed", "7")))
        writer.join(60)
        self.assertEqual(weights_of((self.folder / "model.cvm").read_bytes()), model)
        words = self.train(('path = "load.csv"', 'path = "-"'))
        done = subprocess.run([PROGRAM, *words], input=rows, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.debits(), [("city:1", "released")])

    def test_values_beyond_single_precision_and_absurd_widths(self):
        rows = text_of([("m0", self.rows[0][1], "1e300", "1"), *self.rows[1:]])
        self.write("load.csv", rows)
        self.seeded(self.train(flags=("--seed", "7")))
        channels = ('value = "kwh"\n', ""), ('model = "sign_lags"', 'model = "sign_lags"\nchannels = ["kwh", "temp"]')
        wide = ('unit = "event"', f'unit = "w-event"\nwidth = {2 ** 53 - 1}')
        self.assert_refused(2, "less: noise for so many values would hide everything",
                            self.job(wide, *channels, command="plan"))

    def test_a_seed_repeats_and_debits_nothing(self):
        words = self.train(flags=("--seed", "7"))
        self.seeded(words)
        first = self.files()["model.cvm"]
        self.seeded(words)
        self.assertEqual(self.files()["model.cvm"], first)
        self.seeded(self.train(flags=("--seed", "8")))
        self.assertNotEqual(weights_of(self.files()["model.cvm"]), weights_of(first))
        self.assertFalse(self.ledger.exists())

    def test_the_model_forecasts_on_its_own(self):
        self.create()
        self.alone(*self.train())
        page = self.folder / "next.html"
        header, rows = rows_of(self.alone(*self.forecast("--report", str(page), "--output", "-")))
        self.assertEqual(header, ["series", "time", *QUANTILES])
        self.assertEqual(len(rows), SERIES * FORECAST)
        for row in rows:
            quantiles = [float(one) for one in row[2:]]
            self.assertEqual(quantiles, sorted(quantiles))
        # A clear rhythm of a day is found again.
        median = {(row[0], row[1][11:13]): float(row[6]) for row in rows}
        for series in range(SERIES):
            for hour in range(FORECAST):
                truth = 10 + series + 3 * math.sin(2 * math.pi * hour / 24) + 0.2
                self.assertLess(abs(median[(f"m{series}", f"{hour:02}")] - truth), 1)
        self.assertIn("released integers", page.read_text(encoding="utf-8"))
        model = bytearray((self.folder / "model.cvm").read_bytes())
        model[-60] ^= 1
        self.write("model.cvm", bytes(model))
        self.assert_refused(3, "model.cvm", self.forecast(), debits=[("city:1", "released")])

    def test_a_private_history_works_as_for_any_model(self):
        self.create()
        self.alone(*self.train())
        words = self.forecast("--private", "--dataset", "city", "--epsilon", "2", "--delta", "1e-5", "--lower", "0",
                              "--upper", "30", "--keys", str(self.folder / "meters.txt"), "--ledger", str(self.ledger))
        self.assertEqual(len(rows_of(self.alone(*words))[1]), SERIES * FORECAST)
        self.assertEqual([state for _, state in self.debits()], ["released", "released"])

    def test_a_backtest_shows_the_model_without_data(self):
        told = json.loads(self.alone(*self.job(command="backtest"), "--epsilons", "8,inf", "--seeds", "2", "--json"))
        rows = {(row["model"], row.get("epsilon")): row for row in told["rows"]}
        self.assertEqual(set(rows), {("seasonal_naive", None), ("auto_ets", None), ("without_data", 0),
                                     ("sign_lags", 8), ("sign_lags", None)})
        self.assertTrue(all(row["crps"] < 0.2 for row in told["rows"]))
        self.assertGreater(rows[("sign_lags", 8)]["deviation"], 0)
        table = self.alone(*self.job(command="backtest"), "--report", str(self.folder / "scores.html"))
        self.assertRegex(table, r"without_data +0 ")
        self.assertIn("0: no data", self.read("scores.html"))


class ReleaseForecastTest(TrainTest):
    """What comes after a release of counts."""

    def setUp(self):
        super().setUp()
        self.write("trips.csv", jobs.HEADER + "".join(
            f"c{card},2026-03-{2 + day:02}T{hour:02}:10,north\n"
            for day in range(14) for hour in range(24) for card in range(day, day + 5 + 10 * (hour == 8))))

    def release(self):
        words = ("release", str(self.folder / "trips.csv"), "--time", "ts", "--user", "card", "--series", "stop",
                 "--series-key", "north", "--start", "2026-03-02", "--end", "2026-03-16", "--length", "1h", "--unit", "event",
                 "--epsilon", "5", "--mechanism", "laplace", "--seed", "3", "--output", str(self.folder / "out.csv"),
                 "--json-out", str(self.folder / "out.json"))
        self.seeded(words)

    def test_it_goes_on_where_the_release_ends(self):
        self.release()
        page = self.folder / "next.html"
        done = subprocess.run([PROGRAM, "forecast", "--release", str(self.folder / "out.json"), "--report", str(page),
                               "--output", "-"], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"))
        header, rows = rows_of(done.stdout)
        self.assertEqual(header, ["series", "time", *QUANTILES, "mark"])
        self.assertEqual(len(rows), 24)
        self.assertTrue(rows[0][1].startswith("2026-03-16T00:00"))
        median = [float(row[6]) for row in rows]
        self.assertEqual(median.index(max(median)), 8)
        self.assertTrue(all(float(one) >= 0 for row in rows for one in row[2:11]))
        text = page.read_text(encoding="utf-8")
        self.assertIn("has seen no data", text)
        self.assertIn("The history is not protected:", text)

    def test_refusals(self):
        self.release()
        release = str(self.folder / "out.json")
        self.assert_fails(2, "--series", "forecast", "--release", release, "--series", "stop")
        self.assert_fails(2, "--steps", "forecast", "--release", release, "--steps", "0")
        self.assert_fails(2, "MODEL", "forecast")
        self.write("other.json", "{}")
        self.assert_fails(3, "other.json", "forecast", "--release", str(self.folder / "other.json"))


if __name__ == "__main__":
    unittest.main()
