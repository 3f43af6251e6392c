"""perturb from outside: what is released is the series with its values moved and nothing else; streams, jobs, debits,
what is left behind."""

import gzip
import json
import os
import select
import signal
import stat
import subprocess
import unittest
from xml.etree import ElementTree

from perturb_jobs import (HEADER, MOVING, PERMUTING, PerturbTest, ROWS, WINDOW, meter, rows_of, run, text_of)
from program import PROGRAM, without_spent

SVG = "{http://www.w3.org/2000/svg}"


class Values(PerturbTest):
    """What comes out is what went in, elsewhere."""

    def test_times_stay_and_rows_are_the_same_in_another_order(self):
        for mechanism in PERMUTING:
            with self.subTest(mechanism):
                header, rows = self.seeded(self.by(mechanism))
                self.assertEqual(header, ["time", "day", "kwh", "room"])
                self.assertEqual([row[:2] for row in rows], [(time, day) for time, _, _, day in self.rows])
                before, after = [row[1:3] for row in self.rows], [row[2:] for row in rows]
                self.assertEqual(sorted(after), sorted(before))
                self.assertNotEqual(after, before)

    def test_nothing_moves_farther_than_the_mechanism_says(self):
        """An exchange brings a value forward by less than a window; staswitch delays none by more, either."""
        for mechanism, ahead, behind in (("ranswitch", WINDOW - 1, ROWS), ("staswitch", WINDOW - 1, WINDOW - 1)):
            for seed in range(5):
                _, rows = self.seeded(self.by(mechanism), seed)
                moved = [to - int(row[3][1:]) for to, row in enumerate(rows)]
                self.assertLessEqual(max(moved), behind)
                self.assertGreaterEqual(min(moved), -ahead)
                self.assertGreater(max(moved), 0)
        shift = 9
        _, rows = self.seeded(self.by("noisy_sort", delta=0.5, set=f"max_shift={shift}"))
        self.assertLessEqual(max(abs(to - int(row[3][1:])) for to, row in enumerate(rows)), 2 * shift)

    def test_threshold_leaves_as_many_slots_empty_as_values_are_missing(self):
        done = run(*self.by("threshold", "--seed", "1", csv=self.folder / "out.csv", json_out=self.folder / "out.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        _, rows = rows_of(self.read("out.csv"))
        self.assertEqual([row[0] for row in rows], [row[0] for row in self.rows])
        empty = [row for row in rows if row[2:4] == ["", ""]]
        left = [tuple(row[2:4]) for row in rows if row[2:4] != ["", ""]]
        self.assertEqual(len(set(left)), len(left))  # none is there twice
        self.assertLessEqual(set(left), {row[1:3] for row in self.rows})
        self.assertGreater(len(empty), 0)
        told = json.loads(self.read("out.json"))
        self.assertEqual((told["rows"], told["empty"]), (ROWS, len(empty)))
        self.assertEqual(told["guarantee"]["certificate"], "as published")

    def test_columns_of_a_row_stay_together_unless_they_are_to_part(self):
        pairs = {row[1:3] for row in self.rows}
        for mechanism in PERMUTING:
            with self.subTest(mechanism):
                _, joint = self.seeded(self.by(mechanism, columns="kwh,room"))
                self.assertEqual({row[2:] for row in joint}, pairs)
                words = {"delta": 0.99} if mechanism != "noisy_sort" else {}
                words = {"columns": "kwh,room", "channels": "independent", "epsilon": 8, **words}
                _, apart = self.seeded(self.by(mechanism, **words))
                for column in (2, 3):
                    self.assertEqual(sorted(row[column] for row in apart), sorted(row[column - 1] for row in self.rows))
                self.assertNotEqual({row[2:] for row in apart}, pairs)

    def test_columns_apart_cost_as_much_as_all_of_them(self):
        one = self.assert_json(*self.by("noisy_sort", "--dry-run"))
        two = self.assert_json(*self.by("noisy_sort", "--dry-run", columns="kwh,room", channels="independent"))
        for planned in (one, two):
            self.assertLessEqual(planned["guarantee"]["epsilon"], 2)
            self.assertGreater(planned["guarantee"]["epsilon"], 1.999)
        self.assertAlmostEqual(two["plan"]["event"]["epsilon"], one["plan"]["event"]["epsilon"] / 2, delta=1e-3)
        self.assertEqual(two["plan"]["event"]["count"], 2)
        self.assertTrue(any("costs add up" in each["text"] for each in two["guarantee"]["assumptions"]))

    def test_columns_apart_have_a_published_number_which_adds_up_too(self):
        """Chances of single outputs multiply: n columns at n ε are one column at ε, with n δ."""
        for mechanism in MOVING:
            if mechanism == "noisy_sort":  # its certified price is its only one
                continue
            with self.subTest(mechanism):
                one = self.assert_json(*self.by(mechanism, "--dry-run", analysis="published", epsilon=6, delta=None))
                apart = {"analysis": "published", "epsilon": 12, "delta": None, "columns": "kwh,room",
                         "channels": "independent"}
                two = self.assert_json(*self.by(mechanism, "--dry-run", **apart))
                self.assertEqual(two["guarantee"]["certificate"], "as published")
                for part in ("epsilon", "delta"):
                    self.assertAlmostEqual(two["guarantee"][part], 2 * one["guarantee"][part], places=9)
                done = run(*self.by(mechanism, "--seed", "1", csv=self.folder / "out.csv", **apart))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_columns_that_nobody_names_are_left_out(self):
        header, rows = self.seeded(self.perturb(columns="room", keep=None, delta=0.6))
        self.assertEqual(header, ["time", "room"])
        self.assertEqual(sorted(row[1] for row in rows), sorted(row[2] for row in self.rows))
        header, _ = self.seeded(self.perturb(keep=None, delta=0.6))
        self.assertEqual(header, ["time", "kwh", "room", "day"])

    def test_both_views_are_the_same_pairs_in_the_order_of_time(self):
        """Rows that keep their values and get new times, written in the old order, would undo it all."""
        views = {}
        for move in ("values", "times"):
            done = run(*self.perturb("--seed", "4", keep=None, delta=0.6, move=move, csv=self.folder / "out.csv",
                                     json_out=self.folder / "out.json"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(self.read("out.json"))["view"], move)
            views[move] = self.read("out.csv")
        self.assertEqual(views["times"], views["values"])
        _, rows = rows_of(views["times"])
        self.assertEqual([row[0] for row in rows], sorted(row[0] for row in rows))

    def test_an_empty_line_of_a_single_column_is_a_value_like_any_other(self):
        values = ["a", "", "b", "", "c", "d", "", "e"]
        self.write("bare.csv", "v\n" + "".join(f"{value}\n" for value in values))
        for mechanism in PERMUTING:
            done = run(*self.by(mechanism, "--no-time", "--seed", "1", source="bare.csv", time=None, keep=None,
                                csv=self.folder / "out.csv"))
            self.assertEqual(done.returncode, 0, done.stderr)
            _, rows = rows_of(self.read("out.csv"))
            self.assertEqual(sorted(row[0] for row in rows), sorted(values))

    def test_fields_come_out_as_they_went_in(self):
        odd = ["a,b", 'say "so"', "two\nlines", " blank ", "", "é", "+07.50", "cr\rhere", "'", "=1+1"]
        text = "time,what\n" + "".join(f'{i},"{value.replace(chr(34), chr(34) * 2)}"\n' for i, value in enumerate(odd))
        self.write("odd.csv", text.encode())
        for mechanism in PERMUTING:
            done = run(*self.by(mechanism, "--seed", "1", source="odd.csv", keep=None, csv=self.folder / "out.csv"))
            self.assertEqual(done.returncode, 0, done.stderr)
            _, rows = rows_of((self.folder / "out.csv").read_bytes().decode())
            self.assertEqual([row[0] for row in rows], [str(i) for i in range(len(odd))])
            self.assertEqual(sorted(row[1] for row in rows), sorted(odd))

    def test_every_form_of_the_source_gives_the_same_release(self):
        expected = run(*self.perturb("--seed", "3", delta=0.6)).stdout
        text = text_of(self.rows)
        self.write("in.gz", gzip.compress(text.encode()))
        self.write("in.tsv", "\ufeff" + text_of(self.rows, delimiter="\t").replace("\n", "\r\n"))
        self.write("cut.csv", text.removesuffix("\n"))
        self.write("bare.csv", text.removeprefix(HEADER))
        self.assertEqual(run(*self.perturb("--seed", "3", source="in.gz", delta=0.6)).stdout, expected)
        self.assertEqual(run(*self.perturb("--seed", "3", source="cut.csv", delta=0.6)).stdout, expected)
        self.assertEqual(run(*self.perturb("--seed", "3", source="-", delta=0.6), stdin=text).stdout, expected)
        tabs = run(*self.perturb("--seed", "3", source="in.tsv", delta=0.6, delimiter="\t")).stdout
        self.assertEqual(tabs.replace("\t", ","), expected)
        bare = run(*self.perturb("--no-header", "--seed", "3", source="bare.csv", delta=0.6, time="1", keep="4")).stdout
        self.assertEqual(bare.splitlines()[1:], expected.splitlines()[1:])

    def test_rows_may_have_no_times(self):
        self.write("bare.csv", "v\n" + "".join(f"{i}\n" for i in range(50)))
        header, rows = self.seeded(self.perturb("--no-time", source="bare.csv", keep=None, delta=0.6))
        self.assertEqual((header, sorted(int(row[0]) for row in rows)), (["v"], list(range(50))))

    def test_seeds_repeat_and_differ(self):
        for mechanism in MOVING:
            with self.subTest(mechanism):
                first = self.seeded(self.by(mechanism), 7)
                self.assertEqual(self.seeded(self.by(mechanism), 7), first)
                self.assertNotEqual(self.seeded(self.by(mechanism), 8), first)

    def test_the_best_is_chosen_where_nothing_is_named(self):
        planned = self.assert_json(*self.perturb("--dry-run", mechanism=None))
        self.assertEqual(planned["mechanism"], "noisy_sort")  # the only one that needs no δ
        self.assertEqual((planned["guarantee"]["definition"], planned["guarantee"]["relation"]), ("TLDP", "swap"))
        self.assertEqual(planned["guarantee"]["window"], WINDOW)
        names = {candidate["mechanism"] for candidate in planned["candidates"]}
        self.assertEqual(names, set(MOVING))

    def test_whole_numbers_are_shown_whole(self):
        text = self.assert_succeeds(*self.perturb("--stream", "--dry-run", keep=None, mechanism="noisy_sort",
                                                  window=1000, delta=1e-9, epsilon=1))
        self.assertRegex(text, r"max_shift \d{5}\b")

    def test_how_far_values_move_is_told_in_digits_that_hold(self):
        """By ranswitch 2 Σ j q (1 − q)^(k−1−j) steps on average."""
        planned = self.assert_json(*self.perturb("--dry-run", mechanism=None, epsilon=2, delta=0.7))
        stay = self.assert_json(*self.perturb("--dry-run", epsilon=2, delta=0.7))["plan"]["parameters"]["stay"]
        q = (1 - stay) / (WINDOW - 1)
        exact = sum(2 * j * q * (1 - q) ** (WINDOW - 1 - j) for j in range(1, WINDOW))
        cost = {one["mechanism"]: one.get("cost") for one in planned["candidates"]}["ranswitch"]
        self.assertEqual((cost, round(exact, 2)), (0.43, 0.43))
        text = self.assert_succeeds(*self.perturb("--dry-run", mechanism=None, epsilon=2, delta=0.7))
        self.assertRegex(text, r"ranswitch +0\.43 ")

    def test_what_threshold_loses_is_a_share_of_the_rows_there_are(self):
        self.write("in.csv", text_of(meter(100)))
        done = run(*self.by("threshold", "--seed", "1", window=10, set="threshold=4", csv=self.folder / "out.csv",
                            report=self.folder / "out.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("About 6 % of the values get lost and 6 % of the rows stay empty.", self.read("out.html"))

    def test_what_does_not_fit_is_told_by_the_names_that_were_typed(self):
        text = self.assert_succeeds(*self.perturb("--dry-run", mechanism=None))
        self.assertIn("ranswitch does not fit: --epsilon: ", text)
        self.assertIn("threshold does not fit: --mechanism: threshold has no certified price at any delta; "
                      "--analysis published runs it", text)
        self.assertIn("ranswitch does not fit: privacy.epsilon: ",
                      self.assert_succeeds(*self.job(command="plan")))

    def test_kept_columns_are_declared_public_in_the_plan(self):
        declared = "  declared  the columns that are kept in place are public\n"
        self.assertIn(declared, self.assert_succeeds(*self.by("noisy_sort", "--dry-run")))
        self.assertNotIn(declared, self.assert_succeeds(*self.by("noisy_sort", "--dry-run", keep=None)))

    def test_a_nominal_number_is_never_the_guarantee(self):
        """By the paper, ranswitch has a δ that is far from the true one; the true one is what is promised."""
        planned = self.assert_json(*self.perturb("--dry-run", delta=0.6))
        price = planned["plan"]["price"]
        self.assertLess(price["nominal_delta"], price["delta"])
        self.assertEqual(planned["guarantee"]["delta"], 0.6)
        self.assertNotEqual(planned["guarantee"]["certificate"], "as published")
        published = self.assert_json(*self.perturb("--dry-run", analysis="published", epsilon=3))
        self.assertEqual(published["guarantee"]["certificate"], "as published")


class Baselines(PerturbTest):
    """What changes values instead, for comparison."""

    def setUp(self):
        super().setUp()
        rows = [f"{i},{i % 11}.5,{'on' if i % 3 else 'off'}\n" for i in range(300)]
        self.write("in.csv", "time,kwh,state\n" + "".join(rows))

    def changed(self, mechanism, **changes):
        words = {"window": None, "keep": None, "mechanism": mechanism, **changes}
        return self.seeded(self.perturb(**words))

    def test_every_row_keeps_its_time_and_gets_another_value(self):
        for mechanism, words in (("piecewise", {"columns": "kwh", "lower": 0, "upper": 12}),
                                 ("local_laplace", {"columns": "kwh", "lower": 0, "upper": 12}),
                                 ("randomized_response", {"columns": "state", "categories": "on,off"})):
            with self.subTest(mechanism):
                header, rows = self.changed(mechanism, **words)
                self.assertEqual(header, ["time", words["columns"]])
                self.assertEqual([row[0] for row in rows], [str(i) for i in range(300)])
                if mechanism == "randomized_response":
                    self.assertEqual({row[1] for row in rows}, {"on", "off"})
                else:
                    self.assertGreater(len({float(row[1]) for row in rows}), 290)

    def test_all_values_of_a_user_are_hidden_with_a_share_each(self):
        words = {"window": None, "keep": None, "mechanism": "local_laplace", "columns": "kwh", "lower": 0, "upper": 12}
        planned = self.assert_json(*self.perturb("--dry-run", unit="user", length=300, **words))
        self.assertEqual((planned["guarantee"]["unit"], planned["guarantee"]["relation"]), ("user", "replace"))
        self.assertEqual(planned["guarantee"]["definition"], "DP")
        self.assertEqual(planned["plan"]["event"]["count"], 300)
        out = self.folder / "out.csv"
        done = run(*self.perturb("--seed", "1", unit="user", length=299, csv=out, **words))
        self.assertEqual((done.returncode, out.exists()), (3, False), done.stderr)
        self.assertIn("--length: ", done.stderr)


class Streams(PerturbTest):
    """Rows leave as soon as they may, and the debit is there before the first of them."""

    def start(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment, bufsize=0)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def lines(self, process, number):
        """So many lines of the output, while the input is open."""
        text = b""
        while text.count(b"\n") < number:
            ready, _, _ = select.select([process.stdout], [], [], 60)
            self.assertTrue(ready, f"only {text!r} came")
            piece = os.read(process.stdout.fileno(), 65536)
            self.assertTrue(piece, f"it ended after {text!r}: {process.stderr.read1()!r}" if not piece else "")
            text += piece
        self.assertEqual(text.count(b"\n"), number)
        return text.decode().splitlines()

    def end(self, process):
        process.stdin.close()
        rest, problem = process.stdout.read().decode(), process.stderr.read().decode()
        return process.wait(60), rest.splitlines(), problem

    def test_a_row_leaves_while_the_next_is_still_to_come(self):
        """By an exchange slot i is settled with value i + k − 1, and not before."""
        self.create()
        process = self.start(*self.perturb(source="-", keep=None, dataset="meter", delta=0.6))
        lines = text_of(self.rows).splitlines(keepends=True)
        process.stdin.write("".join(lines[:1 + WINDOW]).encode())
        out = self.lines(process, 2)
        self.assertEqual(out[0] + "\n", HEADER)
        self.assertEqual(self.debits(), [("meter:1", "drawing")])
        for i in range(1, 20):
            process.stdin.write(lines[WINDOW + i].encode())
            out += self.lines(process, 1)
        code, rest, problem = self.end(process)
        self.assertEqual((code, without_spent(problem)), (0, ""))
        out += rest
        sent = [row.rstrip("\n").split(",") for row in lines[1:WINDOW + 20]]
        _, rows = rows_of("\n".join(out))
        self.assertEqual([row[0] for row in rows], [row[0] for row in sent])
        self.assertEqual(sorted(row[1:] for row in rows), sorted(row[1:] for row in sent))
        self.assertEqual(self.debits(), [("meter:1", "released")])

    def test_a_line_that_comes_in_two_pieces_is_one(self):
        process = self.start(*self.perturb("--seed", "1", source="-", keep=None, delta=0.6))
        lines = text_of(self.rows).splitlines(keepends=True)
        process.stdin.write("".join(lines[:WINDOW]).encode() + lines[WINDOW][:9].encode())
        process.stdin.write(lines[WINDOW][9:].encode())
        self.assertTrue(self.lines(process, 2)[0].endswith(",mark"))
        self.assertEqual(self.end(process)[0], 0)

    def test_a_sort_of_a_stream_needs_a_delta_and_holds_back_no_more_than_it_says(self):
        shift = 12
        words = {"mechanism": "noisy_sort", "delta": 0.5, "set": f"max_shift={shift}", "keep": None}
        process = self.start(*self.perturb("--seed", "1", source="-", **words))
        lines = text_of(self.rows).splitlines(keepends=True)
        process.stdin.write("".join(lines).encode())
        out = self.lines_at_least(process, 1 + ROWS - 2 * shift - 1)
        code, rest, _ = self.end(process)
        self.assertEqual((code, len(out) + len(rest)), (0, 1 + ROWS))
        self.assert_fails(6, ["--delta: ", "stream"],
                          *self.perturb("--stream", "--dry-run", mechanism="noisy_sort", keep=None))

    def lines_at_least(self, process, number):
        text = b""
        while text.count(b"\n") < number:
            ready, _, _ = select.select([process.stdout], [], [], 60)
            self.assertTrue(ready, f"only {text.count(bytes([10]))} lines came")
            piece = os.read(process.stdout.fileno(), 65536)
            self.assertTrue(piece, f"it ended after {text.count(bytes([10]))} lines")
            text += piece
        return text.decode().splitlines()

    def test_a_comparison_of_published_prices_calls_none_of_them_certified(self):
        done = run(*self.perturb("--dry-run", "--analysis", "published", mechanism=None, epsilon=4, delta=0.7))
        self.assertEqual(done.returncode, 0, done.stderr)
        for mechanism in ("ranswitch", "staswitch", "threshold"):
            self.assertRegex(done.stdout, rf"(?m)^{mechanism} .*not certified +ε = ")
        self.assertRegex(done.stdout, r"(?m)^noisy_sort +\S+ +ε = ")

    def test_without_a_delta_a_stream_is_sorted_once_it_has_ended(self):
        text = text_of(self.rows)
        done = run(*self.perturb("--seed", "1", source="-", mechanism="noisy_sort"), stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, run(*self.perturb("--seed", "1", mechanism="noisy_sort")).stdout)

    def test_a_stream_that_ends_in_the_middle_of_a_line_is_3_and_all_before_it_is_out(self):
        self.create()
        text = text_of(self.rows) + "2026-03-03T00:00,47.11"
        done = run(*self.perturb(source="-", dataset="meter", delta=0.6), stdin=text)
        self.assertEqual(done.returncode, 3)
        _, rows = rows_of(done.stdout)
        self.assertEqual(sorted(row[2] for row in rows), sorted(row[1] for row in self.rows))
        self.assertRegex(done.stderr, rf"\Achronoveil: row {ROWS + 1} [^\n]*middle of a line[^\n]*stays spent\n\Z")
        self.assertNotIn("47.11", done.stdout + done.stderr)
        self.assertEqual([state for _, state in self.debits()], ["released"])
        # A file that ends so is whole, and a stream that goes to a file leaves none behind.
        self.write("cut.csv", text_of(self.rows).removesuffix("\n"))
        self.assertEqual(len(self.seeded(self.perturb(source="cut.csv", delta=0.6))[1]), ROWS)
        before = self.files()
        done = run(*self.by("noisy_sort", source="-", dataset="meter", csv=self.folder / "out.csv"), stdin=text)
        self.assertEqual((done.returncode, self.files()), (3, before))

    def test_a_stream_shorter_than_the_window_lets_nothing_out(self):
        for mechanism in ("ranswitch", "staswitch"):
            done = run(*self.by(mechanism, "--seed", "1", source="-"), stdin=text_of(self.rows[:WINDOW - 1]))
            self.assertEqual(done.returncode, 3)
            self.assertIn("window", done.stderr)
            self.assertNotIn("2026-", done.stdout)

    def test_a_signal_ends_a_stream_and_says_what_was_spent(self):
        self.create()
        process = self.start(*self.perturb(source="-", keep=None, dataset="meter", delta=0.6))
        process.stdin.write("".join(text_of(self.rows).splitlines(keepends=True)[:1 + WINDOW]).encode())
        self.lines(process, 2)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 130)
        self.assertIn("meter:1", process.stderr.read().decode())
        self.assertEqual([debit for debit, _ in self.debits()], ["meter:1"])

    def test_whoever_reads_no_further_ends_it(self):
        process = self.start(*self.perturb("--seed", "1", source="-", keep=None, delta=0.6))
        process.stdin.write(text_of(self.rows[:50]).encode())
        self.lines_at_least(process, 10)
        process.stdout.close()
        try:
            for _ in range(200):
                process.stdin.write(text_of(self.rows, "").encode())
        except BrokenPipeError:
            pass
        self.assertNotEqual(process.wait(60), 0)

    def test_whoever_reads_nothing_at_all_is_the_reason_and_not_that_the_series_is_short(self):
        process = self.start(*self.perturb("--seed", "1", source="-", keep=None, delta=0.6))
        process.stdout.close()
        process.stdin.write(text_of(self.rows[:WINDOW - 1]).encode())
        process.stdin.close()
        self.assertEqual(process.wait(60), 5)
        self.assertNotIn("--window", process.stderr.read().decode())


class Ledger(PerturbTest):
    """Plan, debit, release; and what becomes of the files."""

    def test_a_job_is_planned_checked_released_and_emitted_anew(self):
        self.create()
        self.assert_planned_and_checked("noisy_sort")
        told = self.assert_json(*self.job())
        self.assertEqual(told["debit"]["id"], "meter:1")
        self.assertEqual((told["guarantee"]["definition"], told["guarantee"]["relation"]), ("TLDP", "swap"))
        self.assertEqual((told["guarantee"]["unit"], told["guarantee"]["window"]), ("event", WINDOW))
        self.assertLessEqual(told["guarantee"]["epsilon"], 2)
        self.assertEqual(set(told["outputs"]), {"csv", "json", "report"})
        self.assertEqual(self.debits(), [("meter:1", "released")])
        _, rows = rows_of(self.read("out.csv"))
        self.assertEqual(sorted(row[2] for row in rows), sorted(row[1] for row in self.rows))
        release = json.loads(self.read("out.json"))
        for key in ("guarantee", "plan", "expected", "curve", "debit", "software"):
            self.assertIn(key, release)
        # What is promised is a point of the curve, and not below the line between two.
        (promised,) = [point["delta"] for point in release["curve"] if point["epsilon"] == 2]
        self.assertEqual(promised, release["guarantee"]["delta"])
        self.assert_verified_and_emitted_anew(("epsilon = 2.0", "epsilon = 3.0"))

    def test_what_the_summary_says_without_a_job(self):
        self.create()
        text = self.assert_succeeds("perturb", str(self.folder / "in.csv"), "--dataset", "meter", "--window", str(WINDOW),
                                    "--epsilon", "1", "--csv", str(self.folder / "first.csv"), "--internal",
                                    str(self.folder / "own.html"), "--ledger", str(self.ledger))
        for mention in ("guarantee TLDP", "debit     meter:1", "% left", "first.csv", "own.html: for the owner alone"):
            self.assertIn(mention, text)

    def test_what_the_summary_says(self):
        self.create()
        text = self.assert_succeeds(*self.job())
        for mention in ("guarantee TLDP", "swap", "δ = 0", "mechanism noisy_sort, law ", f"rows      {ROWS}",
                        "debit     meter:1", "% left", "out.html"):
            self.assertIn(mention, text)

    def test_perturb_takes_a_job_file_too_and_options_ask_the_same(self):
        self.create()
        self.assert_takes_jobs(self.by("noisy_sort"))
        self.assert_fails(2, "meter:1", *self.by("noisy_sort", dataset="meter", csv=self.folder / "out.csv"))
        self.write("counts.toml", 'version = 1\n[dataset]\nname = "x"\n[source]\npath = "in.csv"\ntime = "time"\n'
                   '[slots]\nstart = "2026-03-28"\nend = "2026-03-29"\nlength = "1h"\n[privacy]\n'
                   'epsilon = 1\nmax_steps = 1\n[output]\ncsv = "-"\n')
        self.assert_fails(2, ["[perturb]", "chronoveil run"], "perturb", str(self.folder / "counts.toml"))

    def test_the_release_is_the_output(self):
        self.create()
        text = self.assert_succeeds(*self.perturb(dataset="meter", delta=0.6))
        self.assertEqual(len(text.splitlines()), 1 + ROWS)
        self.assertEqual(self.assert_succeeds(*self.perturb(dataset="meter", delta=0.6), "--again", "meter:1"), text)

    def test_a_dry_run_needs_neither_ledger_nor_data(self):
        (self.folder / "in.csv").unlink()
        self.assertIn("ranswitch", self.assert_succeeds(*self.perturb("--dry-run", delta=0.6)))
        self.assertEqual(self.assert_json(*self.job(flags=("--dry-run",)))["mechanism"], "noisy_sort")
        self.assertFalse(self.ledger.exists())

    def test_a_dataset_that_is_missing_is_created_as_told(self):
        done = run(*self.job())
        self.assertEqual(done.returncode, 2)
        self.assertIn("chronoveil budget create meter ", done.stderr)
        for word in ("--relation swap", f"--window {WINDOW}"):
            self.assertIn(word, done.stderr)

    def test_a_dataset_that_promises_something_else_refuses(self):
        """Hiding when does not hide what; and hiding swaps of near values does not hide those of far ones."""
        for dataset, promise in (("people", ("--relation", "add_remove")), ("members", ("--relation", "replace")),
                                 ("wide", ("--relation", "swap", "--window", str(WINDOW + 1)))):
            self.create(dataset, "--epsilon", "9", "--delta", "0.9", "--filter", "sum", *promise)
            self.assert_fails(2, [f"'{dataset}'"],
                              *self.perturb(dataset=dataset, delta=0.6, csv=self.folder / "out.csv"))
            self.assertEqual(self.debits(dataset), [])
        # What hides swaps within a wider window hides those within a narrower one.
        self.create("narrow", "--epsilon", "9", "--delta", "0.9", "--filter", "sum", "--relation", "swap", "--window",
                    str(WINDOW - 1))
        self.assert_succeeds(*self.perturb(dataset="narrow", delta=0.6))
        self.create("values", "--epsilon", "9", "--relation", "replace", "--unit", "event")
        self.assert_succeeds(*self.perturb(dataset="values", window=None, mechanism="local_laplace", columns="kwh",
                                           lower=0, upper=300))

    def test_a_budget_that_does_not_admit_it_is_4(self):
        self.create("meter", "--epsilon", "1", "--relation", "swap", "--window", str(WINDOW))
        before = self.files()
        self.assert_fails(4, ["budget"], *self.by("noisy_sort", dataset="meter", csv=self.folder / "out.csv"))
        self.assertEqual(self.files(), before)
        self.assertEqual(self.debits(), [])

    def test_outputs_come_whole_or_not_at_all(self):
        self.create()
        self.assert_succeeds(*self.job())
        self.assert_whole_or_not_at_all("one field\n", [f"row {ROWS + 1} "], ("= 2.0", "= 1.9"))

    def test_a_chart_shows_the_law_and_what_it_is_worth_and_nothing_of_the_values(self):
        self.create()
        chart = self.folder / "out.svg"
        with_chart = ('report = "out.html"', 'report = "out.html"\nchart = "out.svg"')
        self.assert_fails(2, ["output.chart: ", "must end in .svg or .png"],
                          *self.job((with_chart[0], 'chart = "out.gif"')))
        self.assertEqual(self.debits(), [])
        done = run(*self.job(with_chart, flags=("--seed", "1")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(stat.S_IMODE(chart.stat().st_mode), 0o600)
        seeded = ElementTree.parse(chart).getroot()
        self.assertEqual(seeded.find(f"{SVG}desc").text, "seeded: not private")
        for name in ("out.csv", "out.json", "out.html", "out.svg"):
            (self.folder / name).unlink()
        self.assertIn("out.svg", self.assert_succeeds(*self.job(with_chart)))
        self.assertEqual(stat.S_IMODE(chart.stat().st_mode), 0o644)
        root, first = ElementTree.parse(chart).getroot(), chart.read_bytes()
        self.assertEqual(root.find(f"{SVG}desc").text.replace("\u00a0", " "),
                         "Differential privacy with ε = 2, δ = 0, unit event, values swapped within 4 rows")
        words = "\n".join(text.text or "" for text in root.iter(f"{SVG}text"))
        for title in ("How far values move", "The certified curve", "certified δ at every ε"):
            self.assertIn(title, words)
        # Another series of as many rows has the very same, and so has what was stored.
        self.write("in.csv", text_of([(time, f"{i}.25", f"r{i}", day)
                                      for i, (time, _, _, day) in enumerate(meter()[::-1])]))
        self.assert_succeeds(*self.job(with_chart, flags=("--yes",)))
        self.assertEqual(chart.read_bytes(), first)
        chart.unlink()
        last, _ = self.debits()[-1]
        self.assert_succeeds(*self.job(with_chart, flags=("--again", last)))
        self.assertEqual(chart.read_bytes(), first)

    def test_what_really_happened_is_for_the_owner_alone(self):
        self.create()
        public = self.assert_succeeds(*self.job(('report = "out.html"', 'report = "out.html"\ninternal = "own.html"')))
        own = self.folder / "own.html"
        self.assertEqual(stat.S_IMODE(own.stat().st_mode), 0o600)
        self.assertIn("internal", self.read("own.html"))
        self.assertIn("own.html", public)
        # Public figures are a function of the plan: another series has the very same.
        first = json.loads(self.read("out.json"))
        self.write("in.csv", text_of([(time, f"{i}.25", f"r{i}", day)
                                      for i, (time, _, _, day) in enumerate(meter()[::-1])]))
        self.assert_succeeds(*self.job(flags=("--yes",)))
        second = json.loads(self.read("out.json"))
        for key in ("expected", "curve", "guarantee", "plan", "rows", "empty"):
            self.assertEqual(first[key], second[key], key)


if __name__ == "__main__":
    unittest.main()
