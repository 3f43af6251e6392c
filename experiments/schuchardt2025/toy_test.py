"""The experiment at toy size: all tables and figures come out, and what the accountant says stands as it should. Training is a few
steps on made-up series, with seeds, so the same happens each time."""

import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402

TRAIN = os.environ.get("CHRONOVEIL_TRAIN")
HEAD = (HERE / "settings.csv").read_text(encoding="utf-8").splitlines()[0]


def normal_tail(x):
    return 0.5 * math.erfc(x / math.sqrt(2))


def delta_of_one_window(share, epsilon):
    """H of (1 - s) N(0, 1) + s N(2, 1) against N(0, 1), by hand: the density ratio exceeds e^ε beyond t."""
    t = 1 + math.log(1 + (math.exp(epsilon) - 1) / share) / 2
    return (1 - share) * normal_tail(t) + share * normal_tail(t - 2) - math.exp(epsilon) * normal_tail(t)


class Results(unittest.TestCase):
    """What the page shows."""

    def test_the_page_shows_these_results(self):
        page = (HERE / "README.md").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for path in (HERE / "results").glob("*.csv"):
                (Path(folder) / path.name).write_bytes(path.read_bytes())
            for table in run.draw(Path(folder)).values():
                self.assertIn(table, page)

    def test_the_plan_is_that_of_the_settings(self):
        settings, plan = run.read(HERE / "settings.csv"), run.read(HERE / "results" / "plan.csv")
        for row in settings:
            # A σ of 0 is left open: each budget has its own.
            fixed = {key: value for key, value in row.items() if key != "sigma" or value > 0}
            budgets = [planned for planned in plan if all(planned[key] == value for key, value in fixed.items())]
            self.assertTrue(budgets, row)
            if row["sigma"] == 0:
                noise = [planned["sigma"] for planned in budgets if planned["width"] == 1 and 0 < planned["budget"] < math.inf]
                self.assertEqual(noise, sorted(noise, reverse=True))
            for planned in budgets:
                if not math.isinf(planned["budget"]):
                    self.assertLessEqual(planned["epsilon_lower"], planned["epsilon"])
                    self.assertLessEqual(planned["epsilon"], planned["budget"])


class Toy(toy.ToyTest):
    here, figures = HERE, run.FIGURES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.profiles = run.read(cls.out / "figures.csv")

    def delta(self, figure, panel, line, x):
        return run.one([row for row in self.profiles if row["panel"].endswith(panel)], figure=figure, line=line, x=x)["delta"]

    def test_every_bound_has_two_sides(self):
        for row in self.profiles:
            self.assertLessEqual(row["delta_lower"], row["delta"])

    def test_one_step_with_one_window_is_the_mixture(self):
        self.assertAlmostEqual(self.delta("windows", "1 step", "λ = 1", 0.1) / delta_of_one_window(0.01, 0.1), 1, delta=1e-4)

    def test_one_window_a_series_is_best_after_a_hundred_steps(self):
        for epsilon in (0.001, 0.1, 10):
            one = self.delta("windows", "100 steps", "λ = 1", epsilon)
            self.assertLess(one, self.delta("windows", "100 steps", "λ = 4, at best", epsilon))
            self.assertLess(self.delta("windows", "100 steps", "λ = 4, at best", epsilon),
                            self.delta("windows", "100 steps", "λ = 4", epsilon))

    def test_drawing_series_is_better_than_iterating_over_them(self):
        for epochs in ("1 epoch", "10 epochs"):
            for epsilon in (0.1, 10):
                self.assertLess(self.delta("epochs", epochs, "without replacement, by steps", epsilon),
                                self.delta("epochs", epochs, "iterate, by epochs", epsilon))

    def test_label_noise_goes_from_the_whole_window_to_the_context_alone(self):
        lines = ["σ_F = 0 v", "σ_F = 1 v", "σ_F = 2 v", "σ_F = 5 v", "context alone"]
        deltas = [self.delta("labels", "100 steps", line, 0.1) for line in lines]
        self.assertEqual(deltas, sorted(deltas, reverse=True))

    def test_pooled_windows_are_worse_where_windows_are_long(self):
        for epsilon in (0.1, 10):
            self.assertLess(self.delta("pooled", "0.001", "L_C + L_F = 8", epsilon),
                            1.0001 * self.delta("pooled", "0.001", "L_C + L_F = 8, pooled", epsilon))
        self.assertLess(self.delta("pooled", "0.1", "L_C + L_F = 8", 10), self.delta("pooled", "0.1", "L_C + L_F = 8, pooled", 10))

    def test_more_budget_buys_more_steps(self):
        rows = run.read(self.out / "published_budgets.csv")
        for row in rows:
            if row["budget"] == 1:
                more = run.one(rows, dataset=row["dataset"], models=row["models"], budget=8)
                self.assertGreater(more["steps"], 10 * row["steps"])

    def test_a_plan_buys_fewer_steps_of_wider_units(self):
        facts = {"dataset": "toy", "model": "dlinear", "series": 40, "lengths": "300", "context": 12, "history": 12, "forecast": 12, "batch": 40,
                 "windows": 1, "bottom": "with_replacement", "sigma": 16, "clip": 1e-4, "label_noise": 0, "noise_unit": 1, "max_steps": 100000,
                 "free_steps": 10}
        settings = self.out / "settings.csv"
        settings.write_text(HEAD + "\n" + ",".join(str(facts.get(key, "")) for key in HEAD.split(",")) + "\n", encoding="utf-8")
        subprocess.run([toy.PROGRAM, "plan", settings, self.out], check=True)
        plan = run.read(self.out / "plan.csv")
        steps = [run.one(plan, budget=4, width=width)["steps"] for width in (1, 2, 4, 8)]
        self.assertEqual(steps, sorted(steps, reverse=True))
        self.assertEqual(run.one(plan, budget=math.inf)["steps"], 10)


class ToyLags(unittest.TestCase):
    """sign_lags on six series that repeat themselves every twelve steps, but for a walk that goes on for some steps."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        out, lines = Path(cls.folder.name), []
        for i in range(6):
            level, state, values = 0.0, 1, []
            for t in range(1200):
                state = (1103515245 * (state + i) + 12345) % 2**31
                level = 0.9 * level + (state / 2**31 - 0.5)
                values.append(f"{10 + 5 * math.sin(math.pi * t / 6) + level:.4f}")
            lines.append(f"s{i},0," + ",".join(values))
        (out / "toy.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        head = (HERE / "lags_settings.csv").read_text(encoding="utf-8").splitlines()[0]
        settings = out / "lags_settings.csv"
        settings.write_text(f"{head}\ntoy,,4,4,12,0,0,12 24,48\ntoy,short,4,4,12,0,0,12,12\n", encoding="utf-8")
        subprocess.run([toy.PROGRAM, "lags", settings, out, out, "2"], check=True)
        cls.rows = run.read(out / "lags.csv")

    def crps(self, **of):
        return run.one(self.rows, variant="", part="test", **of)["crps"]

    def test_every_budget_has_a_row_a_seed(self):
        found = [(row["width"], row["budget"], row["seed"]) for row in self.rows if row["variant"] == "short"]
        noisy = [(1, 0.25), (1, 0.5), (1, 1), (1, 2), (1, 4), (1, 8), (2, 4), (4, 4), (8, 4)]
        self.assertEqual(sorted(found), sorted([(*budget, seed) for budget in noisy for seed in (1, 2)] + [(1, 0, 1), (1, math.inf, 1)]))
        for row in self.rows:
            self.assertLessEqual(row["epsilon"], row["budget"])
            self.assertTrue(0 <= row["inside"] <= 1)

    def test_data_teaches_and_noise_hides(self):
        free, noisy, none = self.crps(budget=math.inf), self.crps(budget=8, width=1, seed=1), self.crps(budget=0)
        self.assertLess(free, 0.95 * none)
        self.assertLess(noisy, none)

    def test_tables_come_out(self):
        tables = run.training_tables([row for row in self.rows if row["part"] == "test"])
        for model in ("sign_lags", "sign_lags, short", "sign_lags, without data"):
            self.assertIn(f"| {model} |", tables["training"])
            self.assertIn(f"| {model} |", tables["users"])
        self.assertIn("| toy |", run.intervals_table(self.rows))


@unittest.skipUnless(TRAIN, "the program that trains is not built: it needs libtorch")
class ToyTraining(unittest.TestCase):
    """Six series that repeat themselves every twelve steps, and a plan made by hand."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name)
        lines = [f"s{i},0," + ",".join(f"{10 + i + 5 * math.sin(math.pi * (t + i) / 6) + 0.1 * ((7 * t) % 5):.4f}" for t in range(240))
                 for i in range(6)]
        (cls.out / "toy.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        facts = {"dataset": "toy", "variant": "", "series": 6, "lengths": "216", "context": 12, "history": 12, "forecast": 12, "batch": 6,
                 "windows": 1, "bottom": "with_replacement", "sigma": 4, "clip": 1e-4, "learning_rate": 0.01, "free_learning_rate": 0.01,
                 "average": 0, "hidden": 0, "lags": "", "calendar": "", "label_noise": 0, "noise_unit": 1, "tests": 2, "season": 12,
                 "skip": 0, "spread": 0.1, "start_steps": 0, "max_steps": 3, "free_steps": 200}
        rows = [HEAD + ",width,budget,steps,epsilon,epsilon_lower"]
        for model, lags, history in (("simple_feed_forward", "", 12), ("deepar", "1 12", 24), ("itransformer", "", 12), ("dlinear", "", 12)):
            mine = {**facts, "model": model, "lags": lags, "history": history}
            settings = ",".join(str(mine[key]) for key in HEAD.split(","))
            rows += [f"{settings},1,1,0,0,0", f"{settings},1,4,3,3.9,3.8", f"{settings},2,4,1,3.9,3.8"]
            rows += [f"{settings},1,inf,200,inf,inf"] if model == "dlinear" else []
        (cls.out / "plan.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        subprocess.run([sys.executable, "-B", HERE / "train_all.py", "--program", TRAIN, "--panels", cls.out, "--out",
                        cls.out / "training.csv", "--plan", cls.out / "plan.csv", "--jobs", "2", "--seeds", "1"], check=True)
        cls.rows = run.read(cls.out / "training.csv")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_model_has_a_row_a_budget(self):
        for model in run.MODELS:
            found = [(row["budget"], row["width"], row["steps"]) for row in self.rows if row["model"] == model and row["seed"] == 1
                     and not math.isinf(row["budget"])]
            self.assertEqual(sorted(found), [(1, 1, 0), (4, 1, 3), (4, 2, 1)])
        for row in self.rows:
            self.assertGreater(row["crps"], 0)

    def test_training_without_privacy_learns(self):
        trained = run.one(self.rows, model="dlinear", budget=math.inf, seed=1)["crps"]
        self.assertLess(trained, 0.5 * run.one(self.rows, model="dlinear", budget=1, seed=1)["crps"])

    def test_baselines_stand_beside_them_and_the_tables_come_out(self):
        self.assertEqual([row["model"] for row in self.rows if row["seed"] == 0], list(run.BASELINES))
        tables = run.training_tables(self.rows)
        for model in run.MODELS + run.BASELINES:
            self.assertIn(f"| {model} |", tables["training"])
        self.assertIn("w = 2", tables["users"])
        self.assertIn("<svg", run.training_figure(self.rows))


if __name__ == "__main__":
    unittest.main()
