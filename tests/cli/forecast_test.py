"""forecast and backtest from outside: quantiles after a history, sample paths, reports, histories that are private."""

import json
import shutil
import stat
import unittest
from xml.etree import ElementTree

from train_jobs import CONTEXT, FORECAST, HOURS, SERIES, STEPS, TrainTest, is_whole, rows_of, text_of, time_of

SVG = "{http://www.w3.org/2000/svg}"
QUANTILES = [f"q{level}" for level in range(10, 100, 10)]
PRIVATE = {"--epsilon": "2", "--delta": "1e-5", "--lower": "0", "--upper": "30", "--dataset": "city"}


def label(hour):
    return time_of(hour) + ":00+00:00"


class ForecastTest(TrainTest):
    """One model for all: it is public."""

    model = None

    def setUp(self):
        super().setUp()
        self.create()
        if ForecastTest.model is None:
            self.assert_succeeds(*self.train())
            ForecastTest.model = (self.folder / "model.cvm").read_bytes()
            for name in ("model.cvm", "model.json", "model.html", "job.toml"):
                (self.folder / name).unlink()
            for path in self.folder.glob("ledger.db*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            self.create()
        self.assertTrue(is_whole(ForecastTest.model))
        self.write("model.cvm", ForecastTest.model)

    def check_quantiles(self, rows, first):
        for row in rows:
            quantiles = [float(one) for one in row[first:first + 9]]
            self.assertEqual(quantiles, sorted(quantiles))
            self.assertLess(quantiles[0], quantiles[-1])


class Forecasts(ForecastTest):
    def test_quantiles_of_what_comes_next(self):
        """A ledger is not needed; many have named one in their environment all the same."""
        header, rows = rows_of(self.assert_succeeds(*self.forecast("--ledger", str(self.ledger))))
        self.assertEqual(header, ["series", "time", *QUANTILES])
        self.assertEqual([row[:2] for row in rows],
                         [[f"m{i}", label(HOURS + step)] for i in range(SERIES) for step in range(FORECAST)])
        self.check_quantiles(rows, 2)

    def test_everything_at_once(self):
        files = {name: self.folder / name for name in ("q.csv", "paths.csv", "all.json", "report.html")}
        words = ("--output", "q.csv", "--paths-output", "paths.csv", "--json-output", "all.json", "--report",
                 "report.html", "--paths", "20", "--title", "Next hours")
        told = self.assert_json(*self.forecast(*words), cwd=self.folder)
        header, rows = rows_of(files["q.csv"].read_text())
        self.assertEqual((header, len(rows)), (["series", "time", *QUANTILES], SERIES * FORECAST))
        header, paths = rows_of(files["paths.csv"].read_text())
        self.assertEqual(header, ["series", "path", "time", "value"])
        self.assertEqual(len(paths), SERIES * 20 * FORECAST)
        self.assertEqual({row[2] for row in paths}, {row[1] for row in rows})
        self.assertEqual(json.loads(files["all.json"].read_text()), told)
        self.assertEqual((told["title"], told["input"], len(told["series"])), ("Next hours", None, SERIES))
        self.assertEqual(told["times"], [label(HOURS + step) for step in range(FORECAST)])
        self.assertEqual((told["model"]["debit"]["id"], told["model"]["steps"]), ("city:1", STEPS))
        self.assertLessEqual(told["model"]["guarantee"]["epsilon"], 8)
        self.assertEqual([[float(one) for one in row[2:]] for row in rows[:FORECAST]], told["series"][0]["quantiles"])
        self.assertIn("Next hours", files["report.html"].read_text())
        # They show the history, which nobody protected.
        for path in files.values():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(self.debits(), [])

    def test_a_chart_shows_the_history_and_is_its_owners(self):
        chart = self.folder / "next.svg"
        for name, mentions in (("next.gif", "must end in .svg or .png"), ("load.csv", "overwritten")):
            self.assert_refused(2, ["--chart: ", mentions], self.forecast("--chart", str(self.folder / name)))
        self.assertEqual(self.assert_succeeds(*self.forecast("--chart", str(chart))), "")
        self.assertEqual(stat.S_IMODE(chart.stat().st_mode), 0o600)
        root = ElementTree.parse(chart).getroot()
        self.assertTrue(root.find(f"{SVG}desc").text.startswith("The history is not protected"))
        drawn = [path.get("class") for path in root.iter(f"{SVG}path")]
        self.assertEqual([drawn.count(name) for name in ("truth", "line", "band")],
                         [1 + SERIES, 1 + SERIES, 1 + 4 * SERIES])  # once in the legend

    def test_times_continue_after_the_history_and_keys_choose(self):
        """Later than the model's own data, in another order, with gaps; what is not listed is left out."""
        later = HOURS + 50
        rows = [("m9", time_of(hour), "5.5") for hour in range(later - 20, later) if hour % 4] + [
            ("m1", time_of(hour), "7.5") for hour in range(later - 30, later - 3)]
        self.write("later.csv", text_of(reversed(rows), "meter,ts,load\n"))
        self.write("keys.txt", "m1\n")
        words = self.forecast("--value", "load", "--keys", str(self.folder / "keys.txt"), source="later.csv")
        _, forecast = rows_of(self.assert_succeeds(*words))
        self.assertEqual([row[:2] for row in forecast], [["m1", label(later + step)] for step in range(FORECAST)])

    def test_hours_are_those_of_the_zone_of_the_training(self):
        """Its day begins when theirs did, unless another zone is named."""
        self.assert_succeeds(*self.train(('time = "ts"', 'time = "ts"\nzone = "Asia/Kolkata"'), ("model.cvm", "home.cvm"),
                                         ("steps = 12", "steps = 2")))
        for words, hour in (((), HOURS), (("--zone", "UTC"), HOURS + 5)):  # 5:30 later; slots begin at full hours there
            _, rows = rows_of(self.assert_succeeds(*self.forecast(*words, model="home.cvm")))
            self.assertEqual([row[1] for row in rows[:FORECAST]],
                             [time_of(hour + step) + ":00+05:30" for step in range(FORECAST)])

    def test_one_series_needs_no_column_of_series(self):
        text = "time,kwh\n" + "".join(f"{time_of(hour)},{5 + hour % 24}\n" for hour in range(CONTEXT))
        self.write("one.csv", text)
        words = ("forecast", str(self.folder / "model.cvm"), str(self.folder / "one.csv"))
        header, rows = rows_of(self.assert_succeeds(*words))
        self.assertEqual(header, ["time", *QUANTILES])
        self.assertEqual([row[0] for row in rows], [label(CONTEXT + step) for step in range(FORECAST)])
        self.check_quantiles(rows, 1)

    def test_an_output_that_is_an_input_or_another_output(self):
        """The data would be gone."""
        self.write("keys.txt", "m1\n")
        keys = ("--keys", str(self.folder / "keys.txt"))
        for option, name in (("--output", "load.csv"), ("--json-out", "keys.txt")):
            self.assert_refused(2, [f"{option}: ", name, "overwritten"],
                                self.forecast(*keys, option, str(self.folder / name)))
        self.assert_refused(2, ["--report: ", "--output too"], self.forecast(
            "--output", str(self.folder / "out"), "--report", str(self.folder / "out")))
        self.assert_refused(2, ["--output: ", "standard output"], self.forecast("--output", "-", "--json"))


class PrivateHistories(ForecastTest):
    def private(self, *flags, **changes):
        given = {**PRIVATE, "--keys": str(self.folder / "meters.txt"), "--ledger": str(self.ledger),
                 **{"--" + name: value for name, value in changes.items()}}
        words = [word for name, value in given.items() if value is not None for word in (name, value)]
        return self.forecast("--private", *words, *flags)

    def test_a_private_history_is_debited_and_says_what_it_promises(self):
        told = self.assert_json(*self.private("--output", str(self.folder / "out.csv")))
        self.assertEqual(self.debits(), [("city:1", "released")])
        given = told["input"]
        self.assertEqual((told["debit"]["id"], given["event"]["event"], given["event"]["rate"]),
                         ("city:1", "time_subsampling", 0.5))
        self.assertLessEqual(given["guarantee"]["epsilon"], 2)
        self.assertEqual((given["guarantee"]["unit"], given["guarantee"]["relation"]), ("event", "replace_values"))
        limits = " ".join(given["guarantee"]["not_protected"])
        for mention in ("more than one step", "last row", "missing is protected like a value", "stands with the model"):
            self.assertIn(mention, limits)
        header, rows = rows_of(self.read("out.csv"))
        self.assertEqual((header, len(rows)), (["series", "time", *QUANTILES], SERIES * FORECAST))
        self.check_quantiles(rows, 2)
        self.assertEqual(stat.S_IMODE((self.folder / "out.csv").stat().st_mode), 0o644)
        # A second one is a second debit, with other noise.
        again = self.assert_succeeds(*self.private("--fill", "mean", "--max-steps", "1"))
        self.assertNotEqual(again, self.read("out.csv"))
        self.assertEqual(len(self.debits()), 2)

    def test_a_seed_debits_nothing_and_marks(self):
        first = self.seeded(self.private("--seed", "3", "--json-output", str(self.folder / "all.json")))
        self.assertTrue(all(line.endswith(",seeded: not private") for line in first.splitlines()[1:]))
        self.assertIn("Nothing is protected: ", json.loads(self.read("all.json"))["input"]["guarantee"]["not_protected"][0])
        self.assertEqual(self.debits(), [])
        # It replaces what a seed made, and never what is private.
        self.seeded(self.private("--seed", "4", "--json-output", str(self.folder / "all.json")))
        self.assert_succeeds(*self.private("--json-output", str(self.folder / "all.json")))
        kept = self.read("all.json")
        self.assert_refused(2, ["--json-out: ", "may be of a private release"],
                            self.private("--seed", "5", "--json-output", str(self.folder / "all.json")),
                            debits=[("city:1", "released")])
        self.assertEqual(self.read("all.json"), kept)

    def test_a_chart_and_a_page_of_a_private_history_say_what_it_is_worth(self):
        chart, page = self.folder / "next.svg", self.folder / "next.html"
        files = ("--chart", str(chart), "--report", str(page))
        self.assert_refused(2, ["--chart: ", "must end in .svg or .png"], self.private("--chart", "next.gif"))
        self.seeded(self.private("--seed", "3", *files))
        self.assertEqual(ElementTree.parse(chart).getroot().find(f"{SVG}desc").text, "seeded: not private")
        self.assertEqual(stat.S_IMODE(chart.stat().st_mode), 0o600)
        self.seeded(self.private("--seed", "4", *files))
        self.assert_succeeds(*self.private(*files))
        first = chart.read_bytes()
        self.assertEqual(stat.S_IMODE(chart.stat().st_mode), 0o644)
        self.assertRegex(ElementTree.parse(chart).getroot().find(f"{SVG}desc").text, "^Differential privacy with ε")
        self.assertIn("The forecast is mostly noise", page.read_text(encoding="utf-8"))
        self.assertIn(b"Mostly noise", first)
        self.assert_refused(2, ["--chart: ", "may be of a private release"],
                            self.private("--seed", "5", "--chart", str(chart)), debits=[("city:1", "released")])
        chart.unlink()
        self.assert_succeeds(*self.private("--again", "city:1", *files))
        self.assertEqual(chart.read_bytes(), first)
        # With noise that leaves something, nothing warns.
        self.assert_succeeds(*self.private(*files, epsilon="60", delta="1e-4", rate="1"))
        self.assertNotIn("mostly noise", page.read_text(encoding="utf-8"))
        self.assertNotIn(b"Mostly noise", chart.read_bytes())

    def test_what_an_earlier_version_stored_has_no_chart_and_is_emitted_all_the_same(self):
        chart, quantiles = self.folder / "next.svg", self.folder / "next.csv"
        self.assert_succeeds(*self.private("--output", str(quantiles)))
        first = quantiles.read_bytes()
        stored = self.folder / "ledger.db.releases" / "city-1.json"
        document = json.loads(stored.read_text(encoding="utf-8"))
        for name in ("svg", "promise"):
            del document[name]
        stored.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
        quantiles.unlink()
        self.assert_succeeds(*self.private("--again", "city:1", "--output", str(quantiles)))
        self.assertEqual(quantiles.read_bytes(), first)
        self.assert_refused(2, ["--chart: ", "an earlier version stored this forecast"],
                            self.private("--again", "city:1", "--chart", str(chart)), debits=[("city:1", "released")])
        # Half of the two is no earlier version.
        document["svg"] = "<svg/>"
        stored.write_text(json.dumps(document), encoding="utf-8")
        self.assert_refused(5, ["damaged"], self.private("--again", "city:1", "--chart", str(chart)),
                            debits=[("city:1", "released")])

    def test_what_it_cannot_do_without(self):
        for missing in ("epsilon", "dataset"):
            self.assert_refused(2, [f"--{missing}: ", "missing"], self.private(**{missing: None}))
        self.assert_refused(2, ["--keys: ", "public list"], self.private(keys=None))
        self.assert_refused(2, ["--epsilon: ", "--private"], self.forecast("--epsilon", "1"))
        self.assert_refused(2, "--upper: ", self.private(upper="-1"))
        self.assert_refused(2, ["--delta: 0 ", "greater than 0"], self.private(delta="0"))
        self.assert_refused(2, ["--rate: 1e-05 ", "without noise"], self.private(rate="1e-5"))

    def test_over_the_budget_is_4_and_names_what_fits(self):
        told = self.assert_refused(4, ["budget", "--epsilon "], self.private(epsilon="300"))
        fits = told.split("--epsilon ")[1].split()[0]
        self.assert_succeeds(*self.private(epsilon=fits))
        self.assertEqual(len(self.debits()), 1)

    def test_a_terminal_is_asked_before_the_debit(self):
        code, shown = self.on_terminal(self.private(), b"n\n")
        self.assertEqual((code, self.debits()), (2, []), shown)
        self.assertRegex(shown, r"cost      ε = 2, δ = \S+ from the budget of city\s+left      \d+\.\d % after this debit")
        code, shown = self.on_terminal(self.private(), b"y\n")
        self.assertEqual((code, self.debits()), (0, [("city:1", "released")]), shown)

    def test_bad_rows_leave_a_debit_that_is_still_good(self):
        self.write("load.csv", text_of([*self.rows, ("m0", time_of(HOURS), "x424242.5", "1")]))
        self.assert_refused(3, [f"row {len(self.rows) + 1}", "the debit city:1, for which nothing was drawn",
                                "the same forecast without --private reads every row at no cost"], self.private(),
                            [("city:1", "reserved")])


class Backtests(ForecastTest):
    def test_a_table_with_baselines(self):
        words = self.train(command="backtest", flags=("--epsilons", "8,inf", "--models", "simple_feed_forward,dlinear",
                                                      "--windows", "2", "--seeds", "2"))
        csv, report = self.folder / "table.csv", self.folder / "table.html"
        told = self.assert_json(*words, "--output", str(csv), "--report", str(report))
        self.assertEqual((told["series"], told["windows"], told["held_back"]), (SERIES, 2 * SERIES, 2 * FORECAST))
        named = [(row["model"], row["baseline"], row.get("epsilon"), row["seeds"]) for row in told["rows"]]
        self.assertEqual(named, [("seasonal_naive", True, None, 1), ("auto_ets", True, None, 1), ("without_data", False, 0, 1)] + [
            (model, False, epsilon, 2) for model in ("simple_feed_forward", "dlinear") for epsilon in (8, None)])
        for row in told["rows"]:
            self.assertGreater(row["crps"], 0)
        self.assertEqual([row["reason"] for row in told["rows"] if "reason" in row], ["has seen no data"] + ["trained without noise"] * 2)
        header, rows = rows_of(csv.read_text())
        self.assertEqual(header, ["model", "epsilon", "noise_multiplier", "steps", "crps", "deviation", "seeds", "mark"])
        self.assertEqual({row[-1] for row in rows},
                         {"internal: computed from the data without noise: for its owner alone"})
        self.assertEqual([row[:2] for row in rows], [["seasonal_naive", ""], ["auto_ets", ""], ["without_data", "0"]] + [
            [model, epsilon] for model in ("simple_feed_forward", "dlinear") for epsilon in ("8", "inf")])
        self.assertEqual([float(row[4]) for row in rows], [row["crps"] for row in told["rows"]])
        for path in (csv, report):  # scores of held-back data are as private as the data
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertIn("auto_ets", report.read_text())
        self.assertEqual(self.debits(), [])
        self.assertFalse((self.folder / "model.json").exists())

    def test_text_for_the_owner_alone(self):
        text = self.assert_succeeds(*self.train(command="backtest", flags=("--no-baselines", "--epsilons", "8")))
        self.assertIn("for the owner of the data alone", text)
        self.assertNotIn("auto_ets", text)
        for flags, mentions in ((("--epsilons", "1,much"), "--epsilons: "),
                                (("--output", str(self.folder / "load.csv")), ["--output: ", "overwritten"])):
            self.assert_refused(2, mentions, self.train(command="backtest", flags=flags))
        self.assert_refused(3, "series 'm0'", self.train(command="backtest", flags=("--windows", "20")))


if __name__ == "__main__":
    unittest.main()
