"""Bad input to means from outside: each kind gets its exit code and one clear line, tells no value of the data, leaves
no file behind, and spends a debit only where a row is bad."""

import os
import signal
import subprocess
import unittest

from means_jobs import HEADER, JOB, MeansTest, UPPER, text_of
from program import PROGRAM

SECRET = "Zaphod71234"  # a person, a place or a text that no message may repeat
SECRET_SPEED = "71.234"


class BadInput(MeansTest):
    secrets = (SECRET, SECRET_SPEED)


class Rows(BadInput):
    def setUp(self):
        super().setUp()
        self.create()

    def assert_row_refused(self, mentions, row, header=HEADER, changes=(), **options):
        """Found when it is read: run and means have made their debit and say that it is still good; check has made none.
        Where the same job failed before, its debit is taken up."""
        self.write("in.csv", header + "b1,2026-03-28T08:00," + ("1,1," if "x" in header else "north,") + "20\n" + row)
        before = len(self.debits())
        check = self.assert_refused(3, ["row 2", *mentions], self.job(*changes, command="check"))
        self.assertNotIn("spent", check)
        self.assertEqual(len(self.debits()), before)
        for words in (self.job(*changes, flags=("--yes",)), self.means("--yes", dataset="buses", **options)):
            message = self.assert_refused(3, ["row 2", *mentions], words)
            self.assertRegex(message, r"; the budget is reserved, not lost: .* the debit buses:\d+, [^\n]*\n\Z")
        self.assertLessEqual({state for _, state in self.debits()[before:]}, {"reserved"})

    def test_a_record_without_a_user(self):
        self.assert_row_refused(["column bus", "empty", "needs a user"], f",2026-03-28T08:00,north,{SECRET_SPEED}\n")

    def test_a_record_without_a_place(self):
        self.assert_row_refused(["column where", "empty", "needs a place"],
                                f"{SECRET},2026-03-28T08:00,,{SECRET_SPEED}\n")

    def test_a_record_without_a_value_or_with_none_that_can_be_averaged(self):
        for value in ("", SECRET, "nan", "inf", "1e999", SECRET_SPEED.replace(".", ",").join('""'), "12 km"):
            with self.subTest(value):
                self.assert_row_refused(["column speed"], f"{SECRET},2026-03-28T08:00,north,{value}\n")

    def test_a_record_without_a_time(self):
        self.assert_row_refused(["column ts"], f"{SECRET},,north,{SECRET_SPEED}\n")

    def test_a_point_that_is_none(self):
        points = (('place = "where"', 'longitude = "x"\nlatitude = "y"'),
                  ('list = "places.txt"', "west = 0\nsouth = 0\neast = 2\nnorth = 2\nsize = 9000"))
        options = {"place": None, "place_list": None, "longitude": "x", "latitude": "y", "grid": "0,0,2,2",
                   "cell_size": 9000}
        for point, column in (((SECRET, "1"), "x"), (("1", ""), "y")):
            with self.subTest(point):
                self.assert_row_refused([f"column {column}"],
                                        f"{SECRET},2026-03-28T08:00,{','.join(point)},{SECRET_SPEED}\n",
                                        "bus,ts,x,y,speed\n", points, **options)

    def test_more_people_than_are_registered(self):
        self.write("in.csv", text_of([(f"{SECRET}{i}", "2026-03-28T08:00", "north", 71.234) for i in range(9)]))
        self.assert_refused(3, ["registered", "stays spent"],
                            self.means("--yes", dataset="buses", mechanism="registered_mean", registered=8))


class Source(BadInput):
    """Known before anything is spent."""

    def test_columns_that_are_not_there(self):
        self.create()
        for mentions, header in ((["user: ", "bus"], "who,ts,where,speed\n"),
                                 (["place: ", "where"], "bus,ts,at,speed\n"),
                                 (["value: ", "speed"], "bus,ts,where,v\n"), (["time: ", "ts"], "bus,t,where,speed\n"),
                                 (["empty"], "")):
            with self.subTest(header):
                self.write("in.csv", header)
                self.assert_refused(3, mentions, self.job())
                self.assert_refused(3, mentions, self.means(dataset="buses"))
                self.assert_refused(3, mentions, self.job(command="check"))
        self.assertEqual(self.debits(), [])

    def test_a_file_that_is_not_there(self):
        self.create()
        self.assert_refused(5, "nowhere.csv", self.means(dataset="buses", source="nowhere.csv"))
        self.assert_refused(5, "--place-list", self.means(dataset="buses", place_list="/nowhere.txt"))
        self.assertEqual(self.debits(), [])

    def test_nobody_at_all_is_a_release_without_means(self):
        self.write("in.csv", HEADER)
        for mechanism in ("baseline", "array_averaging", "levy", "fixed_quantile"):
            found = self.released(self.means("--seed", "1", "--allow-empty", mechanism=mechanism))
            self.assertEqual(set(found.values()), {None})
        # Where counts are private nobody can tell an empty file from a full one.
        found = self.released(self.means("--seed", "1", "--allow-empty", mechanism="registered_mean", registered=9))
        self.assertNotIn(None, found.values())

    def test_one_user_alone_is_protected_by_noise_as_wide_as_the_bounds(self):
        self.write("in.csv", text_of([("b1", "2026-03-28T08:00", "north", 71.234)] * 5))
        for mechanism in ("baseline", "clip_mean", "array_averaging", "levy", "fixed_quantile", "epsilon_quantile"):
            with self.subTest(mechanism):
                released = self.released(self.means("--seed", "1", "--allow-empty", mechanism=mechanism))
                self.assertEqual([cell for cell, found in released.items() if found], [("north", "2026-03-28T08")])
        planned = self.assert_json("plan", "--counts", "5", "--upper", "65", "--epsilon", "1")
        for mechanism in ("baseline", "clip_mean", "array_averaging", "array_averaging_wrap_around"):
            self.assertAlmostEqual(planned["sensitivity"][mechanism], UPPER, delta=1e-6)
        self.assertEqual((planned["fills"], planned["arrays_best_fit"]), ([5], 1))


class Parameters(BadInput):
    """Everything that is public is refused before data, ledger and debit."""

    def setUp(self):
        super().setUp()
        (self.folder / "in.csv").unlink()

    def test_options(self):
        for mentions, changes in (
            (["--epsilon: 0"], {"epsilon": "0"}), (["--epsilon: -1"], {"epsilon": "-1"}),
            (["--epsilon"], {"epsilon": None}),
            (["--epsilon: "], {"epsilon": "nan"}), (["--delta: 1"], {"delta": "1"}), (["--delta: "], {"delta": "-1"}),
            (["--set m_ub: 0"], {"set": "m_ub=0"}), (["--set m_ub: -1"], {"set": "m_ub=-1"}),
            (["--set m_ub: 1.5"], {"set": "m_ub=1.5"}), (["--set m_ub: ", "median"], {"set": "m_ub=most"}),
            (["--set speed: "], {"set": "speed=1"}),
            (["--set m_ub: "], {"mechanism": "baseline", "set": "m_ub=2"}),
            (["--max-records: 0"], {"max_records": "0"}), (["--max-cells: 0"], {"max_cells": "0"}),
            (["--sparse-below: 0"], {"sparse_below": "0"}), (["--registered: 0"], {"registered": "0"}),
            (["--upper"], {"upper": None}), (["--upper", "lower"], {"upper": "0"}), (["--upper"], {"upper": "inf"}),
            (["--lower"], {"lower": "nan"}), (["--upper", "lower"], {"lower": "65"}),
            (["--user"], {"user": None}), (["--value"], {"value": None}),
            (["--place-list"], {"place_list": None}), (["--place"], {"place": None}),
            (["--place-key", "--place-list"], {"place_key": "north"}),
            (["--mechanism: magic"], {"mechanism": "magic"}), (["--mechanism: laplace"], {"mechanism": "laplace"}),
            (["--counts: secret", "public, private"], {"counts": "secret"}),
            (["--level: 1"], {"level": "1"}), (["--length: 7h"], {"length": "7h"}), (["--start"], {"start": None}),
            (["--plan-counts: number 2"], {"plan_counts": "3,0"}), (["--plan-users: 0"], {"plan_users": "0"}),
            (["--plan-counts: "], {"plan_counts": ","}), (["--dataset"], {}),
        ):
            with self.subTest(changes):
                self.assert_refused(2, mentions, self.means(**changes))
                if "dataset" not in mentions[0]:
                    self.assert_refused(2, mentions, self.means("--dry-run", **changes))

    def test_wrap_around_where_a_person_may_move_one_array_only(self):
        for mechanism in ("levy", "fixed_quantile", "epsilon_quantile"):
            self.assert_refused(2, ["--set grouping: wrap_around", "best_fit"],
                                self.means("--dry-run", mechanism=mechanism, set="grouping=wrap_around"))
            self.assert_succeeds(*self.means("--dry-run", mechanism=mechanism, set="grouping=best_fit"))

    def test_private_counts_take_mechanisms_that_protect_them(self):
        for mechanism in ("baseline", "clip_mean", "array_averaging", "levy", "fixed_quantile", "epsilon_quantile"):
            self.assert_refused(2, [f"--mechanism: {mechanism}", "sum_over_count", "registered_mean", "private"],
                                self.means("--dry-run", mechanism=mechanism, counts="private"))
        self.assert_refused(2, ["--max-records: ", "sum_over_count"],
                            self.means("--dry-run", mechanism="sum_over_count", counts="private"))
        self.assert_refused(2, ["--registered: ", "registered_mean"],
                            self.means("--dry-run", mechanism="registered_mean", counts="private"))
        self.assert_refused(2, ["--max-records: "], self.means("--dry-run", mechanism=None, counts="private"))

    def test_gaussian_noise_needs_a_delta(self):
        self.assert_refused(2, ["--delta: 0", "gaussian"], self.means("--dry-run", set="noise=gaussian"))
        self.assertIn("Gaussian", self.assert_succeeds(*self.means("--dry-run", set="noise=gaussian", delta="1e-6")))

    def test_grids(self):
        words = {"place": None, "place_list": None, "longitude": "x", "latitude": "y", "grid": "0,0,2,2",
                 "cell_size": "9000"}
        self.assert_succeeds(*self.means("--dry-run", **words))
        for mentions, changes in (
            (["--latitude: it is missing"], {"latitude": None}), (["--longitude: it is missing"], {"longitude": None}),
            (["--longitude: it is missing"], {"longitude": None, "latitude": None}),
            (["--grid: it is missing"], {"grid": None}),
            (["--cell-size: it is missing"], {"cell_size": None}),
            (["--place"], {"place": "where"}), (["--grid", "four numbers"], {"grid": "0,0,2"}),
            (["--grid", "four numbers"], {"grid": "0,0,2,2,2"}), (["--grid: x", "a number"], {"grid": "0,0,x,2"}),
            (["--grid: 0", "east"], {"grid": "2,0,0,2"}), (["--grid: 0", "north"], {"grid": "0,2,2,0"}),
            (["--grid"], {"grid": "0,0,200,2"}), (["--cell-size: 0"], {"cell_size": "0"}),
            (["--cell-size: "], {"cell_size": "1"}), (["--grid-shape: round"], {"grid_shape": "round"}),
            (["--cell-size: ", "--place-list"], {"place_list": self.folder / "places.txt"}),
        ):
            with self.subTest(changes):
                self.assert_refused(2, mentions, self.means("--dry-run", **{**words, **changes}))

    def test_jobs(self):
        for mentions, *pairs in (
            ("means.upper: it is missing", ("upper = 65.0\n", "")),
            ("means.upper", ("upper = 65.0", "upper = -1.0")),
            ("means.max_cell: there is no such key; nearest: means.max_cells", ("max_cells", "max_cell")),
            ("means.max_cells: 0", ("max_cells = 4", "max_cells = 0")),
            ("means.max_records: 0", ("max_cells = 4", "max_records = 0")),
            ("means.sparse_below: 0", ("max_cells = 4", "sparse_below = 0")),
            ("means.counts: ", ('counts = "public"', 'counts = "none"')),
            ("privacy.epsilon: 0", ("epsilon = 2.0", "epsilon = 0.0")),
            ("privacy.max_steps: it belongs to counts", ("epsilon = 2.0", "epsilon = 2.0\nmax_steps = 2")),
            ("privacy.unit: event", ("epsilon = 2.0", 'epsilon = 2.0\nunit = "event"')),
            ("source.user: it is missing", ('user = "bus"\n', "")),
            ("source.value: it is missing", ('value = "speed"\n', "")),
            ("source.series: ", ('place = "where"', 'series = "where"')),
            ("source.longitude: it is missing", ('place = "where"\n', ""),
             ('list = "places.txt"', "west = 0\nsouth = 0\neast = 2\nnorth = 2\nsize = 9000")),
            ("places.size: a grid names its own places",
             ('list = "places.txt"', 'list = "places.txt"\nsize = 9000')),
            ("places.west: it is missing", ('list = "places.txt"', "size = 9000")),
            ("[series]: a job of means has no such section", ("[places]", '[series]\nkeys = ["a"]\n[places]')),
            ("[live]: a job of means has no such section", ("[places]", '[live]\nname = "a"\n[places]')),
            ("source.place: it belongs to a job of means", ("[means]\nlower = 0.0\nupper = 65.0\ncounts = \"public\"\nmax_cells = 4\n", "")),
            ("mechanism.m_ub: 0", ('name = "clip_mean"', 'name = "clip_mean"\nm_ub = 0')),
            ("mechanism.name: ", ('name = "clip_mean"', 'name = "shrink"')),
            ("plan.counts: ", ("[privacy]", '[plan]\ncounts = "3,0"\n[privacy]')),
            ("plan.counts: ", ("[privacy]", '[plan]\ncounts = "in.csv"\n[privacy]')),
            ("plan.sample", ("[privacy]", '[plan]\nsample = "s.csv"\n[privacy]')),
        ):
            with self.subTest(pairs):
                self.write("in.csv", "1 2 3")
                self.assert_refused(2, mentions, self.job(*pairs, command="plan"))
                self.assert_refused(2, mentions, self.job(*pairs))

    def test_a_job_file_says_everything_itself(self):
        """What is passed over in silence would promise something else than is done."""
        for option, value in (("--epsilon", "0.1"), ("--upper", "65"), ("--max-cells", "1"), ("--value", "speed"),
                              ("--set", "m_ub=2"), ("--csv", "other.csv"), ("--dataset", "other")):
            words = self.job(command="means", flags=(option, value, "--dry-run"))
            self.assert_refused(2, [f"{option}: ", "job"], words)
        for option, value in (("--epsilon", "0.1"), ("--upper", "65"), ("--max-cells", "1"), ("--m-ub", "2"),
                              ("--max-records", "1"), ("--sample", "sample.csv")):
            self.assert_refused(2, [f"{option}: "], self.job(command="plan", flags=(option, value)))

    def test_nothing_is_published_live(self):
        for words in (("live",), ("live", "status"), ("live", "close")):
            path = self.write("job.toml", JOB)
            self.assert_refused(2, ["means", "chronoveil run"], (*words, str(path), "--ledger", str(self.ledger)))
        self.assertFalse(self.ledger.exists())

    def test_plans(self):
        self.assert_fails(2, "JOB: it is missing", "plan")
        given = {"--counts": "3,2", "--upper": "65", "--epsilon": "1"}
        for mentions, changes in (
            ("--epsilon: 0", {"--epsilon": "0"}), ("--epsilon: it is missing", {"--epsilon": None}),
            ("--upper: it is missing", {"--upper": None}), ("--upper", {"--upper": "0"}),
            ("--counts: number 1", {"--counts": "0"}), ("--counts: number 2", {"--counts": "3,99999999999"}),
            ("--m-ub: 0", {"--m-ub": "0"}), ("--m-ub: ", {"--m-ub": "most"}),
            ("--max-cells: 0", {"--max-cells": "0"}), ("--max-records: 0", {"--max-records": "0"}),
            ("--max-records", {"--counts": None, "--users": "3"}), ("--users: 0", {"--counts": None, "--users": "0",
                                                                                   "--max-records": "1"}),
            ("--cells: 0", {"--cells": "0"}), ("--analysis: guessed", {"--analysis": "guessed"}),
            ("--delta: 1", {"--delta": "1"}),
        ):
            with self.subTest(changes):
                words = {**given, **changes}
                self.assert_fails(2, mentions, "plan", *(word for name, value in words.items() if value is not None
                                                        for word in (name, value)))
        self.assert_fails(5, ["--counts: ", "nowhere"], "plan", "--counts", "/nowhere.txt", "--upper", "65",
                          "--epsilon", "1")
        counts = JOB.replace('place = "where"', 'series = "where"').replace('value = "speed"\n', "").replace(
            "[places]", "[series]").replace("[means]\nlower = 0.0\nupper = 65.0\ncounts = \"public\"\nmax_cells = 4\n", "").replace(
            '"clip_mean"', '"laplace"')
        self.write("counts.toml", counts.replace("[privacy]", "[privacy]\nmax_steps = 4"))
        self.assert_fails(2, ["--counts: ", "[means]"], "plan", str(self.folder / "counts.toml"), "--counts", "3,2")


class Interrupts(BadInput):
    def test_an_interrupt_leaves_a_debit_and_no_file(self):
        self.create()
        (self.folder / "in.csv").unlink()
        os.mkfifo(self.folder / "in.csv")
        before = self.files()
        process = subprocess.Popen([PROGRAM, *self.job()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   encoding="utf-8")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        with open(self.folder / "in.csv", "w", encoding="utf-8") as pipe:
            pipe.write(text_of(self.rows))
            pipe.flush()
            self.wait_for_debit(process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertRegex(err, r"\Achronoveil: interrupted; the debit buses:1 is reserved; run the same job again [^\n]*\n\Z")
        self.assertEqual(self.debits(), [("buses:1", "reserved")])
        self.assertEqual({**self.files(), "job.toml": b""}, {**before, "job.toml": b""})


if __name__ == "__main__":
    unittest.main()
