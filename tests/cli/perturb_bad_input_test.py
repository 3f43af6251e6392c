"""Bad input to perturb from outside: each kind gets its exit code and one clear line, tells no value of the data,
leaves no file behind, and spends a debit only where a row is bad."""

import re
import unittest

from perturb_jobs import HEADER, PerturbTest, ROWS, WINDOW, run, smallest_delta, text_of

SECRET = "Zaphod71234"  # a value that no message may repeat


class BadInput(PerturbTest):
    secrets = (SECRET,)

    def assert_refused(self, code, mentions, words, **options):
        """By the names that were typed: options, or the keys of a job."""
        told = super().assert_refused(code, mentions, words, **options)
        if not words[1].endswith(".toml"):
            self.assertNotRegex(told, r"\b(privacy|perturb|mechanism|dataset)\.[a-z]", words)
        return told

    def assert_costs_nothing(self, code, mentions, words, **options):
        self.assert_refused(code, mentions, words, **options)
        self.assertEqual(self.debits(), [])


class Parameters(BadInput):
    """Known before anything is spent."""

    def setUp(self):
        super().setUp()
        self.create()

    def test_a_window_that_is_none(self):
        for window in ("0", "1", "-3", "2000000"):
            for mechanism, words in (("ranswitch", {"delta": 0.6}), ("noisy_sort", {}), (None, {}),
                                     ("staswitch", {"delta": 0.9})):
                with self.subTest((window, mechanism)):
                    words = {"dataset": "meter", "window": window, "mechanism": mechanism, **words}
                    self.assert_costs_nothing(2, ["--window: ", window, "between 2 and"], self.perturb(**words))
            self.assert_costs_nothing(2, ["privacy.window: ", window],
                                      self.job(("window = 4", f"window = {window}")))
        self.assert_costs_nothing(2, "--window", self.perturb(dataset="meter", window="six", delta=0.6))
        self.assert_costs_nothing(2, ["--window: ", "missing"], self.perturb(dataset="meter", window=None, delta=0.6))

    def test_a_probability_to_stay_below_that_to_move(self):
        for mechanism in ("ranswitch", "staswitch"):
            for stay in ("0.1", "0", "-0.5", "1.5"):
                with self.subTest((mechanism, stay)):
                    self.assert_costs_nothing(2, ["stay", stay], self.perturb(
                        dataset="meter", mechanism=mechanism, delta=0.9, set=f"stay={stay}"))

    def test_an_epsilon_that_no_parameters_can_certify_names_the_smallest_delta(self):
        for window, epsilon in ((WINDOW, 2), (10, 2), (4, 0.5)):
            for delta in (None, 1e-6, 0.9 * smallest_delta(window, epsilon)):
                with self.subTest((window, epsilon, delta)):
                    told = self.assert_refused(6, ["--epsilon: ", "smallest possible delta"], self.perturb(
                        dataset="meter", window=window, epsilon=epsilon, delta=delta))
                    named = [float(number) for number in re.findall(r"\d\.\d+(?:e-?\d+)?", told)]
                    smallest = smallest_delta(window, epsilon)
                    self.assertTrue(any(-1e-5 < number / smallest - 1 < 1e-3 for number in named), (told, smallest))
        self.assertEqual(self.debits(), [])
        # What is named can be had.
        self.assertEqual(len(self.seeded(self.perturb(delta=1.001 * smallest_delta(WINDOW, 2)))[1]), ROWS)

    def test_a_stay_that_costs_more_than_is_asked_for(self):
        self.assert_costs_nothing(2, ["--set stay: 0.9", "more than --epsilon 2"],
                                  self.perturb(dataset="meter", delta=0.6, set="stay=0.9"))

    def test_a_debit_that_does_not_fit_says_which_epsilon_would(self):
        self.create("small", "--epsilon", "1", "--relation", "swap", "--window", str(WINDOW))
        self.assert_costs_nothing(4, "noisy_sort with --epsilon 1 would fit",
                                  self.perturb(dataset="small", mechanism="noisy_sort"))

    def test_where_no_mechanism_fits_each_says_why(self):
        told = self.assert_refused(6, ["--mechanism: no mechanism fits this job", "ranswitch: --epsilon: no stay"],
                                   self.perturb("--stream", dataset="meter", mechanism=None))
        self.assertIn("noisy_sort: --delta: 0 is not possible for a stream", told)

    def test_a_delta_too_small_for_a_stream_names_the_smallest(self):
        self.assert_costs_nothing(6, ["--delta: 1e-06", "smallest possible delta is 5.70794e-05", "max_shift 16777216"],
                                  self.perturb("--stream", dataset="meter", mechanism="noisy_sort", window=1000,
                                               epsilon=1e-5, delta=1e-6))

    def test_threshold_has_no_certified_price(self):
        self.assert_costs_nothing(6, ["--mechanism: threshold", "--analysis published runs it"],
                                  self.perturb(dataset="meter", mechanism="threshold", epsilon=20))
        self.assert_costs_nothing(6, ["mechanism.name: threshold", 'privacy.analysis = "published" runs it'],
                                  self.job(('"noisy_sort"', '"threshold"')))

    def test_numbers_that_are_no_budget(self):
        for name, value in (("epsilon", "0"), ("epsilon", "-1"), ("epsilon", "nan"), ("epsilon", None), ("delta", "1"),
                            ("delta", "-0.1"), ("delta", "2")):
            with self.subTest((name, value)):
                self.assert_costs_nothing(2, name, self.perturb(**{"dataset": "meter", "delta": 0.6, name: value}))

    def test_words_that_nobody_knows(self):
        for mentions, words in ((["--mechanism: ", "shuffle"], {"mechanism": "shuffle"}),
                                (["--channels", "both"], {"channels": "both"}),
                                (["--move", "rows"], {"move": "rows"}), (["unit: ", "tribe"], {"unit": "tribe"}),
                                (["--unit: "], {"unit": "user"}), (["stays"], {"set": "stays=0.5"}),
                                (["--set"], {"set": "stay"}), (["--lower: "], {"lower": 0}),
                                (["--categories: "], {"categories": "a,b"}), (["--length: "], {"length": 9}),
                                (["--delimiter: "], {"delimiter": ",,"}),
                                (["law"], {"mechanism": "noisy_sort", "set": "law=x"}),
                                (["max_shift"], {"mechanism": "noisy_sort", "set": "max_shift=0"}),
                                (["threshold"], {"mechanism": "threshold", "analysis": "published",
                                                 "set": f"threshold={WINDOW}"})):
            with self.subTest(words):
                self.assert_costs_nothing(2, mentions, self.perturb(**{"dataset": "meter", "delta": 0.6, **words}))

    def test_what_does_not_go_together(self):
        numbers = {"mechanism": "local_laplace", "window": None, "delta": None, "columns": "kwh", "lower": 0,
                   "upper": 9}
        apart = {"channels": "independent", "columns": "kwh,room"}
        for mentions, flags, words in (
                (["--move: "], ("--no-time",), {"move": "times", "keep": None}),
                (["--move: ", "leave --channels independent out"], (), {"move": "times", "keep": None, **apart}),
                (["--keep: "], (), {"move": "times"}),
                (["--keep: ", "day"], (), {"columns": "day,kwh"}),
                (["--columns: ", "time"], (), {"columns": "time,kwh"}),
                (["--keep: ", "time"], (), {"keep": "time"}),
                (["--columns: ", "twice"], (), {"columns": "kwh,kwh"}),
                (["--columns: ", "missing"], (), {"channels": "independent"}),
                (["--move: "], (), {**numbers, "move": "times", "keep": None}),
                (["--window: "], (), {**numbers, "window": WINDOW}),
                (["--upper: "], (), {**numbers, "upper": None}),
                (["--upper: ", "greater than --lower 0"], (), {**numbers, "mechanism": "piecewise", "upper": 0}),
                (["--categories: ", "takes --lower and --upper"], (), {**numbers, "categories": "a,b"}),
                (["--categories: "], (), {**numbers, "mechanism": "randomized_response", "lower": None, "upper": None}),
                (["--length: "], (), {**numbers, "unit": "user"}),
                (["--internal: ", "stream"], ("--stream",), {"internal": "own.html"}),
                (["--noise-from"], (), {"noise_from": "/dev/null"}),
                (["--keep-from"], (), {"keep_from": "/dev/null"}),
                (["--internal: "], (), {"again": "meter:1", "internal": self.folder / "own.html"}),
                (["--again: "], ("--stream",), {"again": "meter:1"})):
            with self.subTest((flags, words)):
                words = {"dataset": "meter", "delta": 0.6, **words}
                self.assert_costs_nothing(2, mentions, self.perturb(*flags, **words))

    def test_a_job_that_is_to_replay_noise_or_kept_steps(self):
        for option in ("--noise-from", "--keep-from"):
            self.assert_costs_nothing(2, option + ": ", self.job(flags=(option, "/dev/null")))

    def test_a_dataset_that_is_none(self):
        self.assert_costs_nothing(2, "--dataset", self.perturb(delta=0.6))
        self.assert_costs_nothing(2, ["budget create water", "--relation swap", f"--window {WINDOW}"],
                                  self.perturb(dataset="water", delta=0.6))

    def test_a_job_names_its_keys(self):
        for mentions, old, new in (
                (["perturb.colums", "nearest: perturb.columns"], "keep = [\"day\"]", "colums = [\"kwh\"]"),
                (["perturb.channels"], "keep = [\"day\"]", "channels = \"both\""),
                (["perturb.move"], "keep = [\"day\"]", "move = \"rows\""),
                (["[slots]"], "[privacy]", "[slots]\nstart = \"2026-03-01\"\n[privacy]"),
                (["source.user"], "path = \"in.csv\"", "path = \"in.csv\"\nuser = \"room\""),
                (["privacy.max_steps"], "window = 4", "window = 4\nmax_steps = 3"),
                (["output.csv", "missing"], "csv = \"out.csv\"\n", ""),
                (["output.level"], "csv = \"out.csv\"", "csv = \"out.csv\"\nlevel = 0.9"),
                (["mechanism.stays"], "name = \"noisy_sort\"", "name = \"noisy_sort\"\nstays = 0.4"),
                (["perturb.keep"], "keep = [\"day\"]", "keep = \"day\"")):
            with self.subTest(new):
                self.assert_costs_nothing(2, mentions, self.job((old, new)))


class Source(BadInput):
    """Columns and files: known before anything is spent."""

    def setUp(self):
        super().setUp()
        self.create()

    def test_columns_that_are_not_there(self):
        for mentions, words in ((["--columns: ", "'water'", "among the 4 of its first line"], {"columns": "water"}),
                                (["--keep: ", "'water'"], {"keep": "water"}),
                                (["--time: ", "'when'", "--no-time"], {"time": "when"})):
            with self.subTest(words):
                self.assert_costs_nothing(3, mentions, self.perturb(**{"dataset": "meter", "delta": 0.6, **words}))
        self.assert_costs_nothing(3, ["perturb.keep: ", "'water'"], self.job(('["day"]', '["water"]')))

    def test_columns_that_are_there_twice(self):
        self.write("in.csv", "time,kwh,kwh\n" + "1,2,3\n" * 20)
        self.assert_costs_nothing(3, ["--columns: ", "two columns 'kwh'"],
                                  self.perturb(dataset="meter", columns="kwh", keep=None, delta=0.6))

    def test_a_source_without_anything_to_perturb(self):
        self.write("in.csv", "time\n" + "1\n" * 20)
        self.assert_costs_nothing(3, "--columns: ", self.perturb(dataset="meter", keep=None, delta=0.6))
        self.write("in.csv", "")
        self.assert_costs_nothing(3, "empty", self.perturb(dataset="meter", delta=0.6))

    def test_a_file_that_is_not_there(self):
        self.assert_costs_nothing(5, "nowhere.csv", self.perturb(dataset="meter", source="nowhere.csv", delta=0.6))

    def test_an_output_that_is_the_input(self):
        """Or another output, or the ledger: the data would be gone, or public."""
        for option in ("csv", "json_out", "report", "internal"):
            with self.subTest(option):
                words = {"dataset": "meter", "delta": 0.6, "csv": self.folder / "out.csv",
                         option: self.folder / "in.csv"}
                self.assert_costs_nothing(2, "in.csv", self.perturb(**words))
        self.assert_costs_nothing(2, "out.html", self.perturb(dataset="meter", delta=0.6, csv=self.folder / "out.html",
                                                             internal=self.folder / "out.html"))

    def test_an_output_that_cannot_be_written(self):
        for option in ("csv", "json_out", "report", "internal"):
            words = {"dataset": "meter", "delta": 0.6, "csv": self.folder / "out.csv",
                     option: self.folder / "nowhere" / "out"}
            self.assert_costs_nothing(5, "nowhere", self.perturb(**words))


class Rows(BadInput):
    """Found when it is read: the debit is made, and the message says that it is still good."""

    def setUp(self):
        super().setUp()
        self.create()
        self.create("values", "--epsilon", "1000", "--relation", "replace", "--unit", "event")

    def assert_kept(self, mentions, words, dataset="meter", **options):
        before = len(self.debits(dataset))
        message = self.assert_refused(3, mentions, words, **options)
        self.assertRegex(message, rf"; the budget is reserved, not lost: .* the debit {dataset}:\d+, [^\n]*\n\Z")
        self.assertLessEqual({state for _, state in self.debits(dataset)[before:]}, {"reserved"})

    def test_a_window_larger_than_the_series(self):
        for rows in (0, 1, WINDOW - 1):
            self.write("in.csv", text_of(self.rows[:rows]))
            with self.subTest(rows):
                self.assert_kept(["row"] if rows == 0 else ["--window: ", "larger than the series"],
                                  self.by("noisy_sort", "--yes", dataset="meter"))
        self.write("in.csv", text_of(self.rows[:WINDOW]))
        self.assertEqual(len(self.seeded(self.perturb(delta=0.6))[1]), WINDOW)

    def test_rows_that_are_none(self):
        for mentions, row in ((["3 fields instead of 4"], f"1,{SECRET},3\n"), (["5 fields"], f"1,2,3,4,{SECRET}\n"),
                              (["quote"], f'1,{SECRET}"2",3,4\n'), (["NUL"], f"1,{SECRET}\0,3,4\n"),
                              (["never closed"], f'1,2,3,"{SECRET}\n')):
            with self.subTest(mentions):
                self.write("in.csv", text_of(self.rows) + row)
                self.assert_kept([f"row {ROWS + 1} (line {ROWS + 2}): ", *mentions],
                                  self.by("noisy_sort", "--yes", dataset="meter"))

    def test_values_that_are_no_numbers_where_numbers_are_needed(self):
        for mechanism in ("piecewise", "local_laplace"):
            for value in ("", SECRET, "nan", "inf", "1e999", "12 kWh", "0x10"):
                with self.subTest((mechanism, value)):
                    self.write("in.csv", text_of([*self.rows[:4], ("t", value, "r", "d"), *self.rows[4:]]))
                    self.assert_kept(["row 5", "column 'kwh'"], self.perturb(
                        "--yes", dataset="values", window=None, mechanism=mechanism, columns="kwh", lower=0, upper=9),
                        "values")

    def test_values_that_are_no_categories(self):
        self.write("in.csv", HEADER + "1,on,r,d\n2,off,r,d\n" + f"3,{SECRET},r,d\n")
        self.assert_kept(["row 3", "column 'kwh'", "categories"], self.perturb(
            "--yes", dataset="values", window=None, mechanism="randomized_response", columns="kwh",
            categories="on,off"), "values")

    def test_a_stream_that_ends_in_the_middle_of_a_line(self):
        for cut in ("2", "2026-03-09T00:00,", f'2026-03-09T00:00,1,"{SECRET}', f"2026-03-09T00:00,1,{SECRET},d1"):
            done = run(*self.by("noisy_sort", "--yes", source="-", dataset="meter", csv=self.folder / "out.csv"),
                       stdin=text_of(self.rows) + cut)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            self.assertRegex(done.stderr, rf"\Achronoveil: row {ROWS + 1} .*middle of a line.*is reserved, not lost: [^\n]*\n\Z")
            self.assertNotIn(SECRET, done.stderr)
            self.assertFalse((self.folder / "out.csv").exists())


if __name__ == "__main__":
    unittest.main()
