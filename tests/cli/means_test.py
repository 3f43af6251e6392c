"""means and plan for means from outside: what is released is the mean that was promised, by an independent computation;
order, exit codes, what is left behind."""

import csv
import gzip
import io
import json
import math
import random
import sqlite3
import unittest

from means_jobs import (PLACES, SLOTS, UPPER, MeansTest, best_fit, cells_of, expected_mean, mean, median_rule,
                        optimised_rule, run, text_of, wrap_around)

# Every mechanism, with what it cannot do without.
MECHANISMS = {"baseline": {}, "clip_mean": {}, "array_averaging": {}, "levy": {}, "fixed_quantile": {},
              "epsilon_quantile": {}, "sum_over_count": {"max_records": 9}, "registered_mean": {"registered": 30}}


class Values(MeansTest):
    """Against the definitions, cell by cell."""

    def test_a_mean_is_the_exact_one_and_its_noise(self):
        cells = cells_of(self.rows)
        for mechanism, settings in {
            "baseline": [{}],
            "clip_mean": [{}, {"m_ub": "median"}, {"m_ub": 1}, {"m_ub": 2}, {"m_ub": 1000}],
            "array_averaging": [{"grouping": grouping, **m_ub} for grouping in ("best_fit", "wrap_around")
                                for m_ub in ({}, {"m_ub": "median"}, {"m_ub": 2}, {"m_ub": 4}, {"m_ub": 1000})],
        }.items():
            for parameters in settings:
                with self.subTest((mechanism, parameters)):
                    set_ = [f"{key}={value}" for key, value in parameters.items()]
                    tape = self.tape(*(0.25 * (i + 1) for i in range(len(cells))))
                    released = self.released(self.means("--noise-from", tape, mechanism=mechanism, set=set_))
                    self.assertEqual(len(released), len(PLACES) * SLOTS)
                    drawn = 0
                    for cell, found in released.items():
                        expected = expected_mean(mechanism, cells[cell], **parameters) if cell in cells else None
                        if expected is None:
                            self.assertIsNone(found, cell)
                            continue
                        drawn += 1
                        self.assertAlmostEqual(found[0], min(expected + 0.25 * drawn, UPPER), delta=1e-6, msg=cell)
                    # No array of a thousand is full.
                    wraps = parameters.get("grouping") == "wrap_around"
                    self.assertEqual(drawn, 0 if wraps and parameters.get("m_ub") == 1000 else len(cells))

    def test_a_sum_over_a_count_has_a_noise_for_each(self):
        cells = cells_of(self.rows)
        noise = [number for i in range(len(PLACES) * SLOTS) for number in (1.5 + i % 3, 0.75 + i % 2)]
        released = self.released(self.means("--noise-from", self.tape(*noise), mechanism="sum_over_count",
                                            max_records=90))
        for number, cell in enumerate((place, hour) for place in PLACES for hour in
                                      sorted({hour for _, hour in released})):
            values = [value for own in cells.get(cell, {}).values() for value in own]
            count = len(values) + noise[2 * number + 1]
            if count < 1:  # a noisy count that is too small
                self.assertIsNone(released[cell])
            else:
                expected = (math.fsum(values) + noise[2 * number]) / count
                self.assertAlmostEqual(released[cell][0], min(expected, UPPER), delta=1e-6, msg=cell)

    def test_a_registered_mean_has_a_value_for_everybody(self):
        cells = cells_of(self.rows)
        for absent, constant in (("auto", UPPER / 2), (20, 20.0)):
            released = self.silent(mechanism="registered_mean", registered=30, set=f"absent={absent}")
            self.assertNotIn(None, released.values())
            for cell, found in released.items():
                own = [mean(values) for values in cells.get(cell, {}).values()]
                self.assertAlmostEqual(found, (math.fsum(own) + constant * (30 - len(own))) / 30, delta=1e-6)

    def test_a_clamped_mean_is_that_of_arrays_which_lie_in_the_range(self):
        """Array means that are all the same are within whatever range is found, at an ε that finds it."""
        self.write("in.csv", text_of([(f"b{i}", "2026-03-28T08:00", "north", 30.0) for i in range(100)] * 20))
        for mechanism in ("levy", "fixed_quantile", "epsilon_quantile"):
            with self.subTest(mechanism):
                words = self.means("--noise-from", self.tape(0.5), mechanism=mechanism, epsilon=400)
                released = self.released(words)
                self.assertEqual(self.released(words), released)
                self.assertAlmostEqual(released["north", "2026-03-28T08"][0], 30.5, delta=1e-6)

    def test_records_beyond_the_cap_are_the_later_ones(self):
        cells = {cell: {bus: values[:2] for bus, values in users.items()}
                 for cell, users in cells_of(self.rows).items()}
        released = self.silent(mechanism="baseline", max_records=2)
        for cell, users in cells.items():
            self.assertAlmostEqual(released[cell], expected_mean("baseline", users), delta=1e-6)

    def test_cells_beyond_the_cap_are_left_out_at_random(self):
        """Two cells of one bus alone, one may stay: over forty seeds either does, but for 2^-39."""
        self.write("in.csv", text_of([("b1", f"2026-03-28T0{hour}:00", "north", 10.0) for hour in (8, 9)]))
        stayed = set()
        for seed in range(40):
            released = self.released(self.means("--seed", str(seed), max_cells=1))
            stayed.add(tuple(cell for cell, found in released.items() if found))
            self.assertEqual(len([found for found in released.values() if found]), 1)
            if len(stayed) == 2:
                break
        self.assertEqual(stayed, {(("north", "2026-03-28T08"),), (("north", "2026-03-28T09"),)})

    def test_the_order_of_the_file_plays_no_part(self):
        """Each bus keeps its own order, and all else is shuffled: the same bytes come out of every mechanism."""
        chance = random.Random(5)
        buses = [row[0] for row in self.rows]
        chance.shuffle(buses)
        left = {bus: iter([row for row in self.rows if row[0] == bus]) for bus in buses}
        shuffled = [next(left[bus]) for bus in buses]
        self.assertNotEqual(shuffled, self.rows)
        self.write("shuffled.csv", text_of(shuffled))
        tape = self.tape(*(0.01 * i for i in range(400)))
        for mechanism, needs in MECHANISMS.items():
            for max_cells in (1, 4):
                with self.subTest((mechanism, max_cells)):
                    words = {"mechanism": mechanism, "max_cells": max_cells, **needs}
                    self.assertEqual(run(*self.means("--noise-from", tape, source="shuffled.csv", **words)).stdout,
                                     run(*self.means("--noise-from", tape, **words)).stdout)

    def test_the_order_of_one_persons_records_does(self):
        """Otherwise the test above could not fail."""
        self.write("in.csv", text_of(self.rows[::-1]))
        tape = self.tape(*[0.0] * 400)
        backwards = run(*self.means("--noise-from", tape)).stdout
        self.write("in.csv", text_of(self.rows))
        self.assertNotEqual(run(*self.means("--noise-from", tape)).stdout, backwards)

    def test_an_interval_holds_the_noise_at_its_level(self):
        """Half a width of b ln(1/(1 − level)), b = c U m/(ε Σ m) for Laplace noise in a mean of every value."""
        self.write("in.csv", text_of([(f"b{i}", "2026-03-28T08:00", "north", 30.0) for i in range(2000)]))
        for level in (0.5, 0.95):
            found = self.released(self.means("--noise-from", self.tape(0.0), mechanism="baseline", level=level))
            middle, lower, upper = found["north", "2026-03-28T08"]
            half = 4 * UPPER / (2 * 2000) * math.log(1 / (1 - level))
            self.assertAlmostEqual(middle, 30, delta=1e-6)
            self.assertAlmostEqual(lower, 30 - half, delta=1e-6)
            self.assertAlmostEqual(upper, 30 + half, delta=1e-6)

    def test_seeds_repeat_and_differ(self):
        for mechanism, needs in MECHANISMS.items():
            with self.subTest(mechanism):
                first = self.released(self.means("--seed", "7", mechanism=mechanism, **needs))
                self.assertEqual(self.released(self.means("--seed", "7", mechanism=mechanism, **needs)), first)
                self.assertNotEqual(self.released(self.means("--seed", "8", mechanism=mechanism, **needs)), first)

    def test_a_tape_must_fit(self):
        self.assert_fails(2, ["--noise-from: ", "at least"], *self.means("--noise-from", self.tape(1.0)))
        self.assert_fails(2, ["--keep-from: "], *self.means("--keep-from", self.tape(1)))
        self.assert_fails(2, ["seed"], *self.means("--noise-from", self.tape(*[0.0] * 9), "--seed", "1"))


class Cells(MeansTest):
    """Where and when."""

    def test_every_public_cell_has_a_row(self):
        text = run(*self.means("--seed", "1")).stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(text.splitlines()[0], "place,slot,mean,lower,upper,mark")
        self.assertEqual({row["mark"] for row in rows}, {"seeded: not private"})
        self.assertEqual([row["place"] for row in rows], [place for place in PLACES for _ in range(SLOTS)])
        self.assertEqual(len({row["slot"] for row in rows}), SLOTS)
        self.assertEqual({row["mean"] for row in rows if row["place"] == "nowhere"}, {""})

    def test_slots_follow_the_clock_of_the_zone(self):
        """Over both changes of the clock: no slot between two and three in spring, two of them in autumn."""
        spring = [row["slot"] for row in csv.DictReader(io.StringIO(run(*self.means("--seed", "1")).stdout))][:SLOTS]
        self.assertEqual({slot[19:] for slot in spring}, {"+00:00"})  # one offset, so that one call reads them all
        spring = [self.local(slot) for slot in spring]
        at = spring.index("2026-03-29T01:00:00+01:00")
        self.assertEqual(spring[at + 1], "2026-03-29T03:00:00+02:00")
        self.assertEqual(spring[-1], "2026-03-29T23:00:00+02:00")
        self.write("in.csv", text_of([("b1", "2026-10-25T02:30+02:00", "north", 10.0),
                                      ("b1", "2026-10-25T02:30+01:00", "north", 20.0),
                                      ("b1", "2026-10-25T03:30+01:00", "north", 30.0)]))
        done = run(*self.means("--noise-from", self.tape(*[0.0] * 9), start="2026-10-25T00:00", end="2026-10-26T00:00",
                               place_list=None, place_key="north"))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 25)
        self.assertEqual([(self.local(row["slot"]), round(float(row["mean"]), 6)) for row in rows if row["mean"]],
                         [("2026-10-25T02:00:00+02:00", 10.0), ("2026-10-25T02:00:00+01:00", 20.0),
                          ("2026-10-25T03:00:00+01:00", 30.0)])

    def test_a_whole_span_may_be_one_slot_and_one_place(self):
        done = run(*self.means("--noise-from", self.tape(0.5), place=None, place_list=None, length="1d",
                               start="2026-03-28", end="2026-03-29", mechanism="baseline"))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual((list(rows[0])[:2], rows[0]["place"]), (["place", "slot"], ""))
        self.assertEqual(rows[0]["slot"], "2026-03-28")
        values = [speed for _, time, _, speed in self.rows if time < "2026-03-29"]
        self.assertEqual(len(rows), 1)
        self.assertAlmostEqual(float(rows[0]["mean"]), mean(values) + 0.5, delta=1e-6)

    def test_unlisted_places_and_other_times_are_left_out(self):
        before = self.silent()
        extra = [("b1", "2026-03-28T08:00", "harbour", 1.0)] * 50 + [("b1", "2026-03-30T00:00", "north", 1.0)] * 50
        self.write("in.csv", text_of(extra + self.rows))
        self.assertEqual(self.silent(), before)

    def test_sparse_cells_are_not_published(self):
        users = {cell: len(own) for cell, own in cells_of(self.rows).items()}
        released = self.silent(sparse_below=5)
        self.assertEqual({cell for cell, found in released.items() if found is not None},
                         {cell for cell, number in users.items() if number >= 5})
        told = json.loads(run(*self.means("--seed", "1", sparse_below=5), "--json").stdout)
        states = {(cell["place"], cell["slot"][:13]): cell["state"] for cell in told["cells"]}
        for cell, state in states.items():
            self.assertEqual(state, "empty" if cell not in users else "sparse" if users[cell] < 5 else "published")

    def test_private_counts_show_no_empty_cells(self):
        """Whether somebody was there is protected: what is published depends on the noise alone."""
        tape = self.tape(*(number for _ in range(len(PLACES) * SLOTS) for number in (60.0, 3.0)))
        words = {"mechanism": None, "counts": "private", "max_records": 3}
        self.assertNotIn(None, self.released(self.means("--noise-from", tape, **words)).values())
        told = json.loads(run(*self.means("--noise-from", tape, **words), "--json").stdout)
        self.assertEqual(told["plan"]["mechanism"], "sum_over_count")
        self.assertEqual(told["guarantee"]["not_protected"],
                         ["Nothing is protected: the random choices of this release are known."])
        planned = json.loads(run(*self.means(**words), "--dry-run", "--json").stdout)
        self.assertEqual(planned["guarantee"]["relation"], "add_remove")
        self.assertIn("Where and when a person was is protected", planned["guarantee"]["not_protected"][0])
        registered = self.assert_json(*self.means("--dry-run", mechanism=None, counts="private", registered=40))
        self.assertEqual((registered["mechanism"], registered["guarantee"]["relation"]), ("registered_mean", "replace"))

    def test_a_grid_makes_places_of_points(self):
        """Squares of 1 km around the equator, where a degree is as long to the east as to the north."""
        degree = math.pi * 6371008.8 / 180
        box = f"0,0,{2000 / degree!r},{2000 / degree!r}"
        rows = "".join(f"b{i},2026-03-28T08:00,{x / degree!r},{y / degree!r},{speed}\n" for i, (x, y, speed) in
                       enumerate([(500, 1500, 10), (1500, 1500, 20), (500, 500, 30), (1500, 500, 40), (1600, 400, 50),
                                  (2500, 500, 65), (500, -1, 65)]))
        self.write("points.csv", "bus,ts,x,y,speed\n" + rows)
        words = {"source": "points.csv", "place": None, "place_list": None, "longitude": "x", "latitude": "y",
                 "grid": box, "grid_shape": "square", "cell_size": 1000, "mechanism": "baseline"}
        silent = {place: found for (place, hour), found in self.silent(**words).items() if hour == "2026-03-28T08"}
        self.assertEqual({place: round(found, 6) for place, found in silent.items()},
                         {"r1c1": 10, "r1c2": 20, "r2c1": 30, "r2c2": 45})
        told = json.loads(run(*self.means("--seed", "1", **words), "--json").stdout)
        self.assertEqual((told["grid"]["shape"], told["grid"]["size"]), ("square", 1000))
        path = self.folder / "cells.geojson"
        done = run(*self.means("--seed", "1", **words, geojson=path))
        self.assertEqual(done.returncode, 0, done.stderr)
        again = run(*self.means("--seed", "1", **words, geojson=path))
        self.assertEqual(again.returncode, 0, again.stderr)  # what is not private may be replaced
        features = json.loads(path.read_text(encoding="utf-8"))["features"]
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([(one["properties"]["place"], one["properties"]["slot"]) for one in features],
                         [(row["place"], row["slot"]) for row in rows])
        self.assertAlmostEqual(float(rows[0]["longitude"]) * degree, 500, delta=0.1)
        self.assertAlmostEqual(float(rows[0]["latitude"]) * degree, 1500, delta=0.1)
        ring = features[0]["geometry"]["coordinates"][0]
        self.assertAlmostEqual(min(x for x, _ in ring) * degree, 0, delta=0.1)
        self.assertAlmostEqual(max(y for _, y in ring) * degree, 2000, delta=0.1)
        listed = run(*self.means("--seed", "1", geojson=path))
        self.assertEqual(listed.returncode, 2)
        self.assertIn("--geojson: what a list names has no outlines", listed.stderr)
        words["grid_shape"] = "hexagon"
        self.assertEqual(len([found for found in self.silent(**words).values() if found is not None]), 4)

    def test_every_source_gives_the_same_release(self):
        expected = run(*self.means("--seed", "3")).stdout
        text = text_of(self.rows)
        self.write("in.gz", gzip.compress(text.encode()))
        self.write("in.tsv", "\ufeff" + text.replace(",", "\t").replace("\n", "\r\n"))
        database = sqlite3.connect(self.folder / "in.db")
        database.execute('CREATE TABLE rides (bus TEXT, ts TEXT, "where" TEXT, speed REAL)')
        database.executemany("INSERT INTO rides VALUES (?, ?, ?, ?)", self.rows)
        database.commit()
        database.close()
        for name, words in {
            "gzip": self.means("--seed", "3", source="in.gz"),
            "tabs": self.means("--seed", "3", source="in.tsv", delimiter="\t"),
            "sqlite": self.means("--seed", "3", source="in.db", kind="sqlite", table="rides"),
        }.items():
            with self.subTest(name):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
        self.assertEqual(run(*self.means("--seed", "3", source="-"), stdin=text).stdout, expected)


class Ledger(MeansTest):
    """Plan, debit, release; and what becomes of the files."""

    def test_a_job_is_planned_checked_released_and_emitted_anew(self):
        self.create()
        self.assert_planned_and_checked("clip_mean")
        told = self.assert_json(*self.job())
        self.assertEqual(told["debit"]["id"], "buses:1")
        self.assertLessEqual(told["guarantee"]["epsilon"], 2)
        self.assertEqual(told["guarantee"]["relation"], "replace_values")
        self.assertEqual(set(told["outputs"]), {"csv", "json", "report"})
        self.assertNotIn("cells", told)
        self.assertEqual(self.debits(), [("buses:1", "released")])
        self.assertEqual(self.read("out.csv").splitlines()[0], "place,slot,mean,lower,upper")
        release = json.loads(self.read("out.json"))
        for key in ("cells", "guarantee", "plan", "debit", "software"):
            self.assertIn(key, release)
        self.assert_verified_and_emitted_anew(("max_cells = 4", "max_cells = 3"))

    def test_what_the_summary_says(self):
        self.create()
        text = self.assert_succeeds(*self.job())
        for mention in ("guarantee DP, unit user, replace_values: ε = 2", "cells     4 of 188 published",
                        "debit     buses:1", "% left", "Where and when a person was is not protected", "out.html"):
            self.assertIn(mention, text)
        self.assertIn("Where and when a person was is not protected", self.read("out.html"))

    def test_means_takes_a_job_file_too(self):
        self.create()
        self.assert_takes_jobs(self.means())
        self.assert_fails(2, "buses:1", *self.means(dataset="buses"))  # options and a job ask the same
        self.write("counts.toml", 'version = 1\n[dataset]\nname = "x"\n[source]\npath = "in.csv"\nuser = "bus"\n'
                   'time = "ts"\n[slots]\nstart = "2026-03-28"\nend = "2026-03-29"\nlength = "1h"\n[privacy]\n'
                   'max_steps = 4\nepsilon = 1\n[output]\ncsv = "-"\n')
        self.assert_fails(2, ["[means]", "chronoveil run"], "means", str(self.folder / "counts.toml"))

    def test_the_release_is_the_output(self):
        self.create()
        text = self.assert_succeeds(*self.means(dataset="buses"))
        self.assertEqual(text.splitlines()[0], "place,slot,mean,lower,upper")
        self.assertEqual(len(text.splitlines()), 1 + len(PLACES) * SLOTS)
        self.assertEqual(self.assert_succeeds(*self.means(dataset="buses"), "--again", "buses:1"), text)
        told = self.assert_json(*self.means(dataset="buses"), "--again", "buses:1")
        self.assertEqual((told["debit"]["id"], len(told["cells"])), ("buses:1", len(PLACES) * SLOTS))
        means = [cell["mean"] for cell in told["cells"] if cell["mean"] is not None]
        self.assertEqual(means, [found[0] for found in self.by_cell(text).values() if found])

    def test_a_dry_run_needs_neither_ledger_nor_data(self):
        (self.folder / "in.csv").unlink()
        self.assertIn("clip_mean", self.assert_succeeds(*self.means("--dry-run")))
        self.assertEqual(self.assert_json(*self.job(flags=("--dry-run",)))["mechanism"], "clip_mean")
        self.assertFalse(self.ledger.exists())

    def test_a_dataset_that_is_missing_is_created_as_told(self):
        done = run(*self.job())
        self.assertEqual(done.returncode, 2)
        self.assertIn("chronoveil budget create buses --epsilon 4 --unit user --relation replace_values", done.stderr)
        private = run(*self.job(('counts = "public"', 'counts = "private"\nmax_records = 3'),
                                ('name = "clip_mean"', 'name = "auto"')))
        self.assertIn("budget create buses --epsilon 4 --unit user --ledger", private.stderr)

    def test_a_dataset_that_promises_more_refuses(self):
        """Hiding values does not hide that somebody was there; what hides both is taken everywhere."""
        for dataset, promise in (("people", "add_remove"), ("members", "replace")):
            self.create(dataset, "--epsilon", "9", "--relation", promise)
            for mechanism in ("baseline", "clip_mean", "array_averaging", "levy", "fixed_quantile", "epsilon_quantile"):
                self.assert_fails(2, ["--dataset: ", promise, "replace_values", "where and when"],
                                  *self.means(dataset=dataset, mechanism=mechanism))
            self.assertEqual(self.debits(dataset), [])
        self.assert_fails(2, ["--dataset: ", "'people'", "add_remove"],
                          *self.means(dataset="people", mechanism="registered_mean", registered=30))
        self.create("values", "--epsilon", "9", "--relation", "replace_values")
        for dataset in ("people", "members", "values"):
            self.assert_succeeds(*self.means(dataset=dataset, mechanism="sum_over_count", max_records=3))
        for dataset in ("members", "values"):
            self.assert_succeeds(*self.means(dataset=dataset, mechanism="registered_mean", registered=30))
        spent = {dataset: self.assert_json("budget", "show", dataset, "--ledger", str(self.ledger))["share_left"]
                 for dataset in ("people", "members", "values")}
        self.assertAlmostEqual(spent["people"], 7 / 9, delta=1e-9)  # one person added or removed: as it is
        self.assertAlmostEqual(spent["members"], 3 / 9, delta=1e-9)  # replaced: twice the sum over a count, and 2
        self.assertAlmostEqual(spent["values"], 3 / 9, delta=1e-9)

    def test_a_budget_that_does_not_admit_it_is_4_and_says_what_would(self):
        self.create("buses", "--epsilon", "1", "--relation", "replace_values")
        before = self.files()
        self.assert_fails(4, ["budget", "clip_mean with ", "would fit"], *self.means(dataset="buses"))
        self.assert_fails(4, ["budget", "clip_mean with privacy.epsilon = ", "would fit"], *self.job(flags=("--yes",)))
        self.assertEqual(set(self.files()), {*before, "job.toml"})

    def test_outputs_come_whole_or_not_at_all(self):
        self.create()
        self.assert_succeeds(*self.job())
        self.assert_whole_or_not_at_all("b1,2026-03-28T08:00,south,fast\n", ["row ", "speed"], ("= 2.0", "= 1.5"))

    def test_evaluate_tells_what_nothing_else_does(self):
        self.create()
        rows = [(bus, time, place, 4711.5 if i % 9 == 0 else -3.25 if i % 10 == 0 else speed)
                for i, (bus, time, place, speed) in enumerate(self.rows)]
        clamped = sum(1 for row in rows if not 0 <= row[3] <= UPPER)
        rows += [("b1", "2026-03-28T08:00", "harbour", 1.0)] * 6 + [("b1", "2026-04-01T00:00", "north", 1.0)] * 7
        self.write("in.csv", text_of(rows))
        text = self.assert_succeeds(*self.job(("max_cells = 4", "max_cells = 4\nmax_records = 4")))
        for name in ("out.csv", "out.json", "out.html"):
            text += self.read(name)
        for word in ("4711", "clamped", "harbour", "-3.25", "unlisted"):
            self.assertNotIn(word, text)

        told = self.assert_json("evaluate", str(self.folder / "job.toml"), "--release", str(self.folder / "out.json"))
        cut = sum(max(0, len(values) - 4) for cell in cells_of(self.rows).values() for values in cell.values())
        self.assertEqual(told["left_out"], {"rows": len(rows), "outside_span": 7, "unlisted_places": 6, "over_cells": 0,
                                            "over_records": cut, "clamped": clamped})
        self.assertEqual(told["errors"]["cells"], 4)
        truth = {}  # before bounds and caps
        for _, time, place, speed in rows[:len(self.rows)]:
            truth.setdefault((place, time[:13]), []).append(speed)
        found = dict(zip(((place, time[:13]) for place in told["places"] for time in told["time"]), told["truth"]))
        self.assertEqual({cell for cell, value in found.items() if value is not None}, set(truth))
        for cell, speeds in truth.items():
            self.assertAlmostEqual(found[cell], mean(speeds), delta=1e-4)
        report = self.folder / "internal.html"
        text = self.assert_succeeds("evaluate", str(self.folder / "job.toml"), "--release",
                                    str(self.folder / "out.json"), "--report", str(report))
        self.assertTrue(text.startswith("internal: reveals the data\n"))
        self.assertIn(f"values clamped to the bounds                {clamped}\n", text)
        self.assertEqual(report.stat().st_mode & 0o777, 0o600)
        self.assertIn("internal: reveals the data", report.read_text(encoding="utf-8"))

    def test_a_value_outside_the_bounds_leaves_no_trace(self):
        """It is taken as the bound, and every file is the same, to the byte, as if it had been the bound."""
        tape = self.tape(*(0.5 * i for i in range(20)))
        seen = []
        for beyond in (UPPER, 4711.5, 1e300):
            self.write("in.csv", text_of([(bus, time, place, beyond if i % 7 == 0 else speed)
                                          for i, (bus, time, place, speed) in enumerate(self.rows)]))
            done = run(*self.job(flags=("--noise-from", tape)))
            self.assertEqual(done.returncode, 0, done.stderr)
            seen.append((done.stdout, done.stderr, *(self.read(name) for name in ("out.csv", "out.json", "out.html"))))
        self.assertEqual(seen[1], seen[0])
        self.assertEqual(seen[2], seen[0])

    def test_a_release_that_is_no_release_of_the_job_is_not_evaluated(self):
        run(*self.job(flags=("--seed", "1")))
        release = ("--release", str(self.folder / "out.json"))
        self.assert_fails(2, "places", *self.job(('end = "2026-03-30T00:00"', 'end = "2026-03-29T00:00"'),
                                                 command="evaluate", flags=release))
        self.write("other.json", '{"series": []}')
        self.assert_fails(3, "release", *self.job(command="evaluate",
                                                  flags=("--release", str(self.folder / "other.json"))))


class Plan(MeansTest):
    """From public counts alone."""

    def planned(self, counts, **changes):
        """For a list of counts, or for what --counts is to say."""
        given = {"--counts": ",".join(map(str, counts)) if isinstance(counts, list) else counts, "--upper": "65",
                 "--epsilon": "1"}
        given.update({"--" + name.replace("_", "-"): value for name, value in changes.items()})
        return self.assert_json("plan", *(str(word) for name, value in given.items() if value is not None
                                          for word in (name, value)))

    def test_lists_that_were_worked_by_hand(self):
        for counts, median, optimised, arrays, full, fills in (
            ([7], 7, 7, 1, 1, [7]),  # one user
            ([3, 3, 3, 3], 3, 3, 4, 4, [3, 3, 3, 3]),  # all equal
            ([9, 5, 5, 2, 1], 5, 5, 4, 3, [5, 5, 5, 3]),
            # 8²/1 = 64, 15²/2 = 112.5, 19²/3 = 120.33, 23²/4 = 132.25, 26²/5 = 135.2, 27²/6 = 121.5:
            ([6, 5, 5, 4, 2, 2, 2, 1], 4, 5, 6, 5, [5, 5, 5, 5, 4, 2]),
            ([100, 1, 1], 1, 100, 2, 1, [100, 2]),  # 3²/1 = 9 against 102²/100 = 104.04: nearly all are one user's
        ):
            with self.subTest(counts):
                told = self.planned(counts)
                self.assertEqual((told["m_ub_median"], told["m_ub_optimised"]), (median, optimised))
                self.assertEqual((told["arrays_best_fit"], told["arrays_wrap_around"]), (arrays, full))
                self.assertEqual(told["fills"], fills)
                self.assertEqual(told["records"], sum(counts))
                shuffled = self.planned(counts[::-1])
                self.assertEqual(shuffled, told)

    def test_random_lists_against_the_definitions(self):
        chance = random.Random(11)
        for trial in range(12):
            counts = [chance.randint(1, chance.choice((2, 6, 30))) for _ in range(chance.randint(1, 40))]
            m_ub = chance.choice((None, chance.randint(1, 12)))
            with self.subTest((trial, counts, m_ub)):
                told = self.planned(counts, m_ub=m_ub)
                ordered = sorted(counts, reverse=True)
                bound = m_ub or optimised_rule(counts)
                users = [[0.0] * count for count in ordered]
                arrays = best_fit(users, bound)
                full = len(wrap_around(users, bound))
                kept = sum(min(count, bound) for count in counts)
                self.assertEqual((told["m_ub_median"], told["m_ub_optimised"], told["m_ub"]),
                                 (median_rule(counts), optimised_rule(counts), bound))
                self.assertEqual(told["fills"], [len(array) for array in arrays])
                self.assertEqual(told["arrays_best_fit"], len(arrays))
                self.assertEqual(told["arrays_wrap_around"], full)
                sensitivity = told["sensitivity"]
                for mechanism, expected in {
                    "baseline": UPPER * max(counts) / sum(counts),
                    "clip_mean": UPPER * min(bound, max(counts)) / kept,
                    "array_averaging": UPPER / len(arrays),
                    "array_averaging_wrap_around": UPPER / full if full else 0,
                }.items():
                    self.assertAlmostEqual(sensitivity[mechanism], expected, delta=1e-6, msg=mechanism)
                    self.assertAlmostEqual(told["noise"][mechanism], expected, delta=1e-6)  # ε = 1 in one cell
                # Levy's interval is three bins of τ at most, none wider than the bounds.
                width = UPPER * math.sqrt(math.log(2 * len(arrays) / 0.2) / (2 * bound))
                self.assertAlmostEqual(sensitivity["levy"], min(3 * width, UPPER) / len(arrays), delta=1e-6)

    def test_cells_and_delta_shape_the_noise(self):
        counts = [4] * 50
        one, many = (self.planned(counts, max_cells=cells)["noise"]["array_averaging"] for cells in (1, 16))
        self.assertAlmostEqual(many, 16 * one, delta=1e-6)
        gaussian = self.planned(counts, max_cells=64, delta=1e-6)["candidates"]
        chosen = next(row for row in gaussian if row["mechanism"] == "array_averaging")
        self.assertEqual(chosen["plan"]["noise"], "gaussian")
        self.assertLessEqual(chosen["plan"]["price"]["epsilon"], 1)
        self.assertLess(chosen["facts"]["expected_noise"], 64 * one / 2)

    def test_nobody_is_in_more_cells_than_there_are(self):
        noise = [self.planned([4] * 50, cells=cells, max_cells=9)["noise"]["clip_mean"] for cells in (5, 9, 100)]
        self.assertAlmostEqual(noise[1], noise[2], delta=1e-9)
        self.assertAlmostEqual(noise[0], noise[1] * 5 / 9, delta=1e-6)

    def test_caps_stand_in_for_counts(self):
        told = self.planned(None, users=12, max_records=5)
        self.assertTrue(told["from_caps"])
        self.assertEqual((told["records"], told["m_ub_optimised"], told["arrays_best_fit"]), (60, 5, 12))
        self.assertEqual(set(told["sensitivity"]) & {"sum_over_count", "clip_mean"}, {"sum_over_count", "clip_mean"})

    def test_counts_come_from_a_list_or_a_file(self):
        told = self.planned([9, 5, 5, 2, 1])
        for text in ("9\n5\n5\n2\n1\n", "1, 2 5\t5\r\n9", "9,5,5,2,1"):
            path = self.write("counts.txt", text)
            self.assertEqual(self.planned(path), told)
            self.assertEqual(self.planned(f"@{path}"), told)

    def test_the_published_sensitivity_of_wrap_around_is_twice(self):
        certified, published = self.planned([9, 5, 5, 2, 1]), self.planned([9, 5, 5, 2, 1], analysis="published")
        self.assertAlmostEqual(certified["sensitivity"]["array_averaging_wrap_around"], UPPER / 3, delta=1e-6)
        self.assertAlmostEqual(published["sensitivity"]["array_averaging_wrap_around"], 2 * UPPER / 3, delta=1e-6)
        row = next(row for row in published["candidates"] if row.get("variant") == "wrap_around")
        self.assertEqual(row["plan"]["price"]["certificate"], "as published")

    def test_a_plan_in_words(self):
        text = self.assert_succeeds("plan", "--counts", "9,5,5,2,1", "--upper", "65", "--epsilon", "1")
        for mention in ("5 users, 22 records", "5 by the median rule, 5 by the optimised rule",
                        "4 by best fit, 3 full by wrap-around", "fills     5, 5, 5, 3", "Laplace b = 16.25",
                        "sum_over_count does not fit", "advised   "):
            self.assertIn(mention, text)

    def test_a_job_is_planned_with_its_counts(self):
        counts = ("[privacy]", '[plan]\ncounts = "counts.txt"\n[privacy]')
        self.write("counts.txt", "9 5 5 2 1")
        told = self.assert_json(*self.job(counts, ('name = "clip_mean"', 'name = "auto"'), command="plan"))
        self.assertEqual(told["fills"], [5, 5, 5, 3])
        self.assertEqual(told["mechanism"], told["recommended"])
        self.assertEqual((told["places"], told["steps"]), (len(PLACES), SLOTS))
        self.assertIn({"text": "the counts that helped to choose the mechanism are public", "basis": "declared"},
                      told["guarantee"]["assumptions"])
        self.assertIn({"text": "every row can be read and is one that the job takes; any other ends the release, which can be "
                               "seen", "basis": "declared"}, told["guarantee"]["assumptions"])
        by_option = self.assert_json(*self.job(('name = "clip_mean"', 'name = "auto"'), command="plan",
                                               flags=("--counts", "9,5,5,2,1")))
        self.assertEqual(by_option["sensitivity"], told["sensitivity"])
        self.assertNotIn("fills", self.assert_json(*self.job(command="plan")))


if __name__ == "__main__":
    unittest.main()
