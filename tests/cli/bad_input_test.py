"""Bad input from outside: each kind gets its exit code and one clear line, tells no value of the data, leaves no file
behind, and spends a debit only where the documentation says so."""

import contextlib
import gzip
import lzma
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import jobs
from program import PROGRAM, FolderTest, run

SECRET = "Zaphod71234"  # a person, a key or a text that no message may repeat
SECRET_COUNT = "71234"

JOB = jobs.JOB.replace('path = "trips.csv"\nuser = "card"', 'path = "in.csv"\nCOLUMNS')
RECORDS = JOB.replace("COLUMNS", 'user = "card"')
AMOUNTS = JOB.replace("COLUMNS", 'user = "card"\nvalue = "n"')
COUNTS = JOB.replace("COLUMNS", 'value = "n"')
RECORD_HEADER = "card,ts,stop\n"
COUNT_HEADER = "ts,stop,n\n"
RECORD_ROWS = "".join(f"{SECRET}{i},2026-03-28T{i % 24:02}:30,north\n" for i in range(2000))
COUNT_ROWS = "".join(f"2026-03-28T{hour:02}:30,{stop},{SECRET_COUNT}\n" for hour in range(24)
                     for stop in ("north", "south"))
STEPS = 47  # two days, one of them without an hour

# What a message says of a debit for which nothing was drawn.
KEPT = r"; the budget is reserved, not lost: run the same job again to use the debit city:\d+, [^\n]*\n\Z"


class BadInputTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        home = tempfile.TemporaryDirectory(prefix="chronoveil-bad-")
        cls.addClassCleanup(home.cleanup)
        cls.ledger = Path(home.name) / "ledger.db"
        for dataset, *words in (("city", "--epsilon", "1000", "--delta", "1e-2"),
                                ("spent", "--epsilon", "0.5", "--delta", "1e-6"),
                                ("visits", "--epsilon", "1000", "--unit", "event")):
            done = run("budget", "create", dataset, *words, "--ledger", str(cls.ledger))
            assert done.returncode == 0, done.stderr

    def setUp(self):
        super().setUp()
        self.write("stops.txt", "north\nsouth\n")
        self.write("in.csv", RECORD_HEADER + RECORD_ROWS)

    def job(self, *pairs, text=RECORDS):
        """The words of a run of a job with pieces of its text replaced; --yes, as trials repeat themselves."""
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return ("run", str(self.write("job.toml", text)), "--yes", "--ledger", str(self.ledger))

    def release(self, kind=RECORDS, **changes):
        """The same as job(), from options."""
        given = {"--user": None if kind is COUNTS else "card", "--value": None if kind is RECORDS else "n",
                 "--time": "ts", "--series": "stop", "--series-list": self.folder / "stops.txt",
                 "--zone": "Europe/Berlin", "--start": "2026-03-28T00:00", "--end": "2026-03-30T00:00",
                 "--length": "1h", "--epsilon": "1", "--delta": "1e-6", "--max-steps": "2", "--dataset": "city",
                 "--mechanism": "gaussian", "--csv": self.folder / "out.csv", "--ledger": self.ledger}
        given.update({"--" + name.replace("_", "-"): value for name, value in changes.items()})
        words = [str(word) for name, value in given.items() if value is not None for word in (name, value)]
        return ("release", str(self.folder / "in.csv"), *words, "--yes")

    def debits(self, dataset="city"):
        history = self.assert_json("budget", "history", dataset, "--ledger", str(self.ledger))
        return [debit["state"] for debit in history["debits"]]

    @contextlib.contextmanager
    def spending(self, *states):
        """The code inside makes debits that end in exactly these states."""
        before = len(self.debits())
        yield
        self.assertEqual(self.debits()[before:], list(states))

    def files(self):
        """Every file with what it holds, hidden ones too; pipes and folders by name."""
        return {path.name: path.read_bytes() if path.is_file() else None for path in self.folder.iterdir()}

    def assert_one_line(self, done, mentions, words):
        self.assertEqual(done.stdout, "", words)
        self.assertRegex(done.stderr, r"\Achronoveil: [^\n]+\n\Z", words)
        for value in (SECRET, SECRET_COUNT):
            self.assertNotIn(value, done.stderr, words)
        for mention in [mentions] if isinstance(mentions, str) else mentions:
            self.assertIn(mention, done.stderr, words)

    def assert_refused(self, code, mentions, words, **options):
        before = self.files()
        done = run(*words, **options)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        self.assert_one_line(done, mentions, words)
        self.assertEqual(self.files(), before, words)
        return done.stderr

    def assert_works(self, words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done

    def check(self, text=RECORDS):
        path = self.write("job.toml", text)
        return ("check", str(path), "--ledger", str(self.ledger))

    def released(self, *flags):
        """The values of a run that adds no noise, by series and time."""
        self.write("zeros.txt", "0\n" * 200)
        path = self.write("job.toml", self.text)
        self.assertEqual(run("run", str(path), "--noise-from", str(self.folder / "zeros.txt"), *flags).returncode, 0)
        rows = [line.split(",") for line in (self.folder / "out.csv").read_text(encoding="utf-8").splitlines()[1:]]
        return {(row[0], row[1]): float(row[2]) for row in rows}


class Data(BadInputTest):
    def assert_source_refused(self, mentions, data, kinds=(RECORDS, COUNTS)):
        """Found when the source is opened: before the debit, in every command. Releases name their options."""
        for kind in kinds:
            self.write("in.csv", data[kind] if isinstance(data, dict) else data)
            self.assert_refused(3, mentions, self.job(text=kind))
            self.assert_refused(3, mentions, self.check(kind))
            self.assert_refused(3, [mention.replace("source.path", "INPUT").replace("source.", "--")
                                    for mention in mentions], self.release(kind))

    def assert_rows_refused(self, mentions, data, kind):
        """Found when the rows are read: run and release have made their debit and say that it is still good; check has
        made none. Where the same job failed before, its debit is taken up and no other is made."""
        self.write("in.csv", data)
        self.assertNotIn("spent", self.assert_refused(3, mentions, self.check(kind)))
        before = self.debits()
        for words in (self.job(text=kind), self.release(kind)):
            message = self.assert_refused(3, mentions, words)
            self.assertRegex(message, KEPT)
        self.assertLessEqual(set(self.debits()[len(before):]), {"reserved"})
        self.assertEqual(self.debits()[:len(before)], before)

    def assert_fine(self, data, kind):
        self.write("in.csv", data)
        self.assert_works(self.check(kind))

    def test_an_empty_file_costs_nothing(self):
        with self.spending():
            for data in (b"", b"\n\n", b"\xef\xbb\xbf", gzip.compress(b""), lzma.compress(b"")):
                with self.subTest(data):
                    self.assert_source_refused(["source.path: ", "empty", "header"], data)

    def test_a_header_alone_is_all_zeros(self):
        for kind, header in ((RECORDS, RECORD_HEADER), (COUNTS, COUNT_HEADER)):
            self.write("in.csv", header)
            self.text = kind
            self.assertEqual(list(self.released("--allow-empty").values()), [0.0] * (2 * STEPS))

    def test_wrong_columns_cost_nothing_and_are_named(self):
        with self.spending():
            self.assert_source_refused(["source.time: ", "ts", "header"],
                                       {RECORDS: f"card,{SECRET},stop\n", COUNTS: f"{SECRET},stop,n\n"})
            self.assert_source_refused(["source.series: ", "stop", "more than once"],
                                       {RECORDS: "card,ts,stop,stop\n", COUNTS: "ts,stop,stop,n\n"})
            self.assert_source_refused(["source.user: ", "card"], COUNT_HEADER, [RECORDS])
            self.assert_source_refused(["source.value: ", "column n"], RECORD_HEADER, [COUNTS])

    def test_what_is_no_text_costs_nothing(self):
        garbage = bytes(range(256)) * 20
        with self.spending():
            self.assert_source_refused(["source.path: line 1: a NUL byte", "UTF-8"], garbage)
            self.assert_source_refused(["source.path: ", "UTF-16"], (RECORD_HEADER + RECORD_ROWS).encode("utf-16"))
            self.assert_source_refused(["source.path: ", "zip"], b"PK\x03\x04" + garbage)
        self.assert_rows_refused("row 1 (line 2): ", RECORD_HEADER.encode() + garbage, RECORDS)

    def test_the_order_of_rows_does_not_matter_and_records_may_repeat(self):
        self.text = COUNTS
        self.write("in.csv", COUNT_HEADER + COUNT_ROWS)
        sorted_rows = self.released()
        self.write("in.csv", COUNT_HEADER + "\n".join(reversed(COUNT_ROWS.splitlines())))
        self.assertEqual(self.released(), sorted_rows)
        self.text = RECORDS
        self.write("in.csv", RECORD_HEADER + f"{SECRET},2026-03-28T00:30,north\n" * 3)
        self.assertEqual(sum(self.released().values()), 1)  # one person, capped at one in a slot

    def test_counts_given_twice_are_refused_unless_they_are_to_be_added(self):
        rows = COUNT_HEADER + f"2026-03-28T00:30,north,{SECRET_COUNT}\n" * 2
        self.write("in.csv", rows)
        self.assert_refused(3, ["row 2: ", 'source.duplicates = "sum"'], self.check(COUNTS))
        with self.spending("reserved", "released"):
            self.assert_refused(3, ["row 2: ", "--duplicates sum"], self.release(COUNTS))
            self.assert_works(self.release(COUNTS, duplicates="sum"))

    def test_what_is_no_count_names_its_row_and_column(self):
        for mention, value in {
            "negative": f"-{SECRET_COUNT}", "a fraction": f"{SECRET_COUNT}.5", "2^53": "9007199254740993",
            "not a whole number": "NaN", "empty": '""',
        }.items():
            with self.subTest(mention):
                rows = f"2026-03-28T00:30,north,1\n2026-03-28T01:30,north,{value}"
                self.assert_rows_refused(["row 2 (line 3): column n: ", mention], COUNT_HEADER + rows, COUNTS)
        with self.spending():
            for value in ("1e999", "-inf", "inf", "0x10", SECRET, "7 1", "1e-3", "9" * 40):
                with self.subTest(value):
                    self.write("in.csv", f"card,ts,stop,n\n{SECRET},2026-03-28T00:30,north,1\n"
                                         f"{SECRET},2026-03-28T00:30,north,{value}\n")
                    self.assert_refused(3, "row 2 (line 3): column n: ", self.check(AMOUNTS))
        self.assert_fine(COUNT_HEADER + "2026-03-28T00:30,north,9007199254740992\n", COUNTS)

    def test_a_line_of_a_megabyte_is_a_line(self):
        long = SECRET * (1_000_000 // len(SECRET))
        self.assert_fine(RECORD_HEADER + f"{long},2026-03-28T00:30,north\n", RECORDS)
        self.assert_fine(COUNT_HEADER + f"2026-03-28T00:30,{long},1\n", COUNTS)
        self.assert_rows_refused("row 1 (line 2): 1 field instead of 3", RECORD_HEADER + long, RECORDS)
        self.assert_rows_refused("row 1 (line 2): column ts: ", RECORD_HEADER + f"a,{long},north\n", RECORDS)
        self.assert_rows_refused("row 1 (line 2): column n: too large",
                                 COUNT_HEADER + f"2026-03-28T00:30,north,{'7' * 1_000_000}\n", COUNTS)
        self.write("in.csv", RECORD_HEADER + "x" * (17 << 20))
        self.assert_refused(3, "row 1 (line 2): longer than 16 MiB", self.check())

    def test_compressed_data_that_is_cut_off_or_corrupt_says_where(self):
        for name, compress in (("gzip", gzip.compress), ("xz", lzma.compress)):
            for kind, text in ((RECORDS, RECORD_HEADER + RECORD_ROWS), (COUNTS, COUNT_HEADER + COUNT_ROWS)):
                with self.subTest(name):
                    whole = compress(text.encode())
                    self.assert_fine(whole, kind)
                    for cut in (len(whole) // 2, len(whole) - 4):
                        self.assert_rows_refused([f"the {name} data is cut off", "after row "], whole[:cut], kind)
                    with self.spending():
                        self.assert_source_refused([f"source.path: the {name} data is cut off"], whole[:12], [kind])
            corrupt = bytearray(whole)
            corrupt[len(whole) // 2] ^= 0xff
            self.write("in.csv", bytes(corrupt))
            self.assert_refused(3, "row", self.check(COUNTS))

    def test_rows_out_of_shape_name_their_row(self):
        for mention, row in {
            "2 fields instead of 3": f"{SECRET},2026-03-28T00:30",
            "4 fields instead of 3": f"{SECRET},2026-03-28,n,{SECRET}",
            "never closed": f'{SECRET},"2026-03-28T00:30,north', "quote inside": f'{SECRET}"x,2026-03-28T00:30,north',
            "column card: empty": ",2026-03-28T00:30,north", "column ts: empty": f"{SECRET},,north",
            "column ts: not a time": f"{SECRET},{SECRET},north", "column ts: not a date": f"{SECRET},2026-02-30,north",
        }.items():
            with self.subTest(mention):
                self.write("in.csv", RECORD_HEADER + "a,2026-03-28T00:30,north\n" + row + "\n")
                self.assert_refused(3, ["row 2 (line 3): ", mention], self.check())

    def test_keys_that_are_not_listed_are_dropped_and_listed_ones_without_rows_are_zero(self):
        for kind, text in ((RECORDS, RECORD_HEADER + f"a,2026-03-28T00:30,{SECRET}\nb,2026-03-28T00:30,north\n"),
                           (COUNTS, COUNT_HEADER + f"2026-03-28T00:30,{SECRET},5\n2026-03-28T00:30,north,1\n")):
            self.text = kind
            self.write("in.csv", text)
            values = self.released()
            self.assertEqual(values.pop(("north", "2026-03-27T23:00:00+00:00")), 1)
            self.assertEqual(set(values.values()), {0.0})
            self.assertEqual({series for series, _ in values}, {"north", "south"})
            for name in ("out.csv", "out.json", "out.html"):
                self.assertNotIn(SECRET, (self.folder / name).read_text(encoding="utf-8"))

    def test_keys_in_the_data_that_are_no_utf8_are_keys_that_are_not_listed(self):
        self.text = RECORDS
        rows = b"a,2026-03-28T00:30,nor\xff\xfeth\nb\xff,2026-03-28T00:30,north\n"
        self.write("in.csv", RECORD_HEADER.encode() + rows)
        self.assertEqual(sum(self.released().values()), 1)

    def test_public_keys_must_be_utf8(self):
        self.write("stops.txt", b"north\nsou\xff\xfeth\n")
        with self.spending():
            self.assert_refused(2, ["series.list: ", "line 2", "UTF-8"], self.job())
            self.assert_refused(2, ["--series-list: ", "line 2", "UTF-8"], self.release())

    def test_a_missing_file_and_a_folder_are_5_and_cost_nothing(self):
        (self.folder / "in.csv").unlink()
        with self.spending():
            for words in (self.job(), self.check()):
                self.assert_refused(5, ["source.path: ", "in.csv", "No such file"], words)
            self.assert_refused(5, ["INPUT: ", "in.csv", "No such file"], self.release())
            (self.folder / "in.csv").mkdir()
            for words in (self.job(), self.check()):
                self.assert_refused(5, ["source.path: ", "in.csv", "directory"], words)
            self.assert_refused(5, ["INPUT: ", "in.csv", "directory"], self.release())
            self.assert_refused(5, "INPUT: ", ("release", "/nowhere/in.csv", *self.release()[2:]))


class Time(BadInputTest):
    def assert_slots_refused(self, mentions, *pairs):
        """The same by job and by options, and nothing is spent."""
        with self.spending():
            self.assert_refused(2, mentions, self.job(*((f'{key} = "{old}"', f'{key} = "{new}"')
                                                         for key, old, new in pairs)))
            changes = {key: new for key, old, new in pairs}
            self.assert_refused(2, [mention.replace("slots.", "--") for mention in mentions], self.release(**changes))

    def test_a_length_that_does_not_divide_a_day(self):
        for length in ("7h", "0h", "-1h", "1.5h", "36h", "25h", "1", "h", "1ms", "999999999999d"):
            with self.subTest(length):
                self.assert_slots_refused(["slots.length: ", length, "divides a day", "15min"],
                                          ("length", "1h", length))

    def test_a_span_of_nothing_or_backwards(self):
        for end in ("2026-03-28T00:00", "2026-03-27T00:00"):
            self.assert_slots_refused([f"slots.end: {end} ", "after the start"], ("end", "2026-03-30T00:00", end))

    def test_a_start_or_an_end_that_is_no_boundary_or_no_time(self):
        start, end = "2026-03-28T00:00", "2026-03-30T00:00"
        self.assert_slots_refused(["slots.start: 2026-03-29T02:00 ", "must be a time that exists", "skipped"],
                                  ("start", start, "2026-03-29T02:00"))
        self.assert_slots_refused(["slots.end: 2026-10-25T02:00 ", "must have an offset", "twice"],
                                  ("end", end, "2026-10-25T02:00"))
        self.assert_slots_refused(["slots.start: 2026-03-28T00:30 ", "boundary"], ("start", start, "2026-03-28T00:30"))
        self.assert_slots_refused(["slots.start: yesterday ", "such as 2026-03-01T00:00"],
                                  ("start", start, "yesterday"))
        self.assert_slots_refused(["slots.end: 9999-01-01 "], ("end", end, "9999-01-01"))

    def test_more_slots_and_series_than_a_job_may_hold(self):
        self.assert_slots_refused(["slots.length: 1s ", "at most 10000000 slots"],
                                  ("length", "1h", "1s"), ("end", "2026-03-30T00:00", "2126-03-30T00:00"))
        self.write("stops.txt", "".join(f"stop{i}\n" for i in range(20_000)))
        self.assert_slots_refused(["20000 series of ", "more than 268435456"],
                                  ("length", "1h", "1min"), ("end", "2026-03-30T00:00", "2026-04-30T00:00"))

    def test_an_hour_that_the_clocks_skipped_is_a_bad_row(self):
        for text, data in ((RECORDS, f"{RECORD_HEADER}{SECRET},2026-03-29T02:30,north\n"),
                           (COUNTS, f"{COUNT_HEADER}2026-03-29T02:30,north,{SECRET_COUNT}\n")):
            self.write("in.csv", data)
            mentions = ["row 1 (line 2): column ts: ", "Europe/Berlin skipped", "offset"]
            self.assert_refused(3, mentions, self.check(text))
            with self.spending("reserved"):
                self.assert_refused(3, mentions, self.job(text=text))

    def test_the_night_of_23_hours_has_no_slot_that_was_skipped(self):
        self.text = COUNTS
        self.write("in.csv", COUNT_HEADER + "2026-03-29T01:59,north,3\n2026-03-29T03:00,north,5\n")
        values = self.released()
        night = [(time, value) for (series, time), value in values.items() if series == "north" and time >= "2026-03-28T23"][:4]
        self.assertEqual(night, [("2026-03-28T23:00:00+00:00", 0), ("2026-03-29T00:00:00+00:00", 3),
                                 ("2026-03-29T01:00:00+00:00", 5), ("2026-03-29T02:00:00+00:00", 0)])

    def test_an_hour_that_the_clocks_showed_twice_is_the_earlier_unless_offsets_say_otherwise(self):
        self.text = COUNTS.replace("2026-03-28T00:00", "2026-10-25T00:00").replace("2026-03-30T00:00",
                                                                                    "2026-10-26T00:00")
        early, late = ("north", "2026-10-25T00:00:00+00:00"), ("north", "2026-10-25T01:00:00+00:00")
        self.write("in.csv", COUNT_HEADER + "2026-10-25T02:30,north,3\n")
        values = self.released()
        self.assertEqual((len(values), values[early], values[late]), (50, 3, 0))
        self.write("in.csv", COUNT_HEADER + "2026-10-25T02:30+02:00,north,3\n2026-10-25T02:30+01:00,north,4\n")
        values = self.released()
        self.assertEqual((values[early], values[late]), (3, 4))
        # Without offsets both hours look the same, and the second count of the slot is refused rather than lost.
        self.write("in.csv", COUNT_HEADER + "2026-10-25T02:30,north,3\n2026-10-25T02:30,north,4\n")
        self.assert_refused(3, "row 2: ", self.check(self.text))
        # A slot across the change is longer and takes both hours.
        self.text = self.text.replace('"1h"', '"3h"').replace('value = "n"', 'value = "n"\nduplicates = "sum"')
        self.write("in.csv", COUNT_HEADER + "2026-10-25T02:30+02:00,north,3\n2026-10-25T02:30+01:00,north,4\n")
        self.assertEqual(self.released()[("north", "2026-10-24T22:00:00+00:00")], 7)


class Jobs(BadInputTest):
    def test_caps_and_budgets_out_of_range_name_the_key_and_cost_nothing(self):
        cases = [("max_steps", "2", value) for value in ("0", "-1", "9007199254740993")]
        cases += [("epsilon", "1.0", value) for value in ("0", "-1", "inf", "nan", "-inf")]
        cases += [("delta", "1e-6", value) for value in ("1", "-1", "2", "nan", "inf")]
        with self.spending():
            for key, old, value in cases:
                with self.subTest(f"{key} = {value}"):
                    self.assert_refused(2, [f"privacy.{key}: ", "it must be "],
                                        self.job((f"{key} = {old}", f"{key} = {value}")))
                    option = key.replace("_", "-")
                    self.assert_refused(2, [f"--{option}: ", "it must be "], self.release(**{key: value}))
            for line in ("max_per_slot = 0", "max_per_slot = -3", "maximum = 0", "maximum = -1"):
                with self.subTest(line):
                    key, _, value = line.partition(" = ")
                    self.assert_refused(2, [f"privacy.{key}: {value} ", "between 1 and"],
                                        self.job(("max_steps = 2", "max_steps = 2\n" + line)))
                    self.assert_refused(2, f"--{key.replace('_', '-')}: {value} ", self.release(**{key: value}))
            self.assert_refused(2, ["max_steps", "max_per_slot", "at most 2^53"],
                                self.job(("max_steps = 2", "max_steps = 2\nmax_per_slot = 9007199254740992")))
            for value in ("1e308", "1e-300", "5e-324"):
                with self.subTest(value):
                    self.assert_refused(2, ["privacy.epsilon: ", "it must be "],
                                        self.job(("epsilon = 1.0", f"epsilon = {value}")))

    def test_wrong_types_say_what_type_is_right(self):
        with self.spending():
            for mentions, old, new in (
                (["privacy.max_steps: ", "a whole number"], "max_steps = 2", "max_steps = 1.5"),
                (["privacy.max_steps: ", "a whole number"], "max_steps = 2", 'max_steps = "2"'),
                (["privacy.epsilon: ", "a number"], "epsilon = 1.0", 'epsilon = "1"'),
                (["slots.length: ", "a text"], 'length = "1h"', "length = 3600"),
                (["version: ", "a whole number"], "version = 1", 'version = "1"'),
                (["version: ", "missing", "version = 1"], "version = 1", ""),
                (["plan: ", "a section"], "version = 1", "version = 1\nplan = 3"),
                (["series.keys: ", "a list of texts"], 'list = "stops.txt"', "keys = [1, 2]"),
                (["series.keys: ", "at least one"], 'list = "stops.txt"', "keys = []"),
                (["series.keys: ", "key 2", "twice"], 'list = "stops.txt"', 'keys = ["a", "a"]'),
                (["privacy.epsilonn: ", "no such key", "privacy.epsilon"], "epsilon = 1.0", "epsilonn = 1.0"),
                (["[privacyy]: ", "no such section", "privacy"], "[privacy]", "[privacyy]"),
                (["line 21: ", "epsilon"], "delta = 1e-6", "delta = 1e-6\nepsilon = 2.0"),
                (["output.csv: ", "NUL"], 'csv = "out.csv"', 'csv = "a\\u0000b"'),
            ):
                with self.subTest(new):
                    self.assert_refused(2, ["job.toml: ", *mentions], self.job((old, new)))

    def test_what_is_no_job_is_refused_with_its_line(self):
        with self.spending():
            for mention, content in {
                "line 1: ": "this is no job\n", "line 3: ": b'version = 1\n[dataset]\nname = "\xff\xfe"\n',
                "version: ": "", "line 1:": RECORDS.encode("utf-16"), "line 1: Error": '{"version": 1}',
            }.items():
                with self.subTest(mention):
                    path = self.write("job.toml", content)
                    for command in ("run", "check"):
                        self.assert_refused(2, ["job.toml: ", mention],
                                            (command, str(path), "--ledger", str(self.ledger)))
            for path, mention in ((self.folder / "absent.toml", "No such file"), (self.folder, "directory")):
                self.assert_refused(5, ["job: ", mention], ("run", str(path), "--ledger", str(self.ledger)))

    def test_gaussian_noise_needs_a_delta(self):
        with self.spending():
            for name in ("gaussian", "subsample", "filter_subsample", "shrink"):
                with self.subTest(name):
                    self.assert_refused(2, ["privacy.delta: 0 ", "greater than 0", name],
                                        self.job(('name = "gaussian"', f'name = "{name}"'),
                                                 ("delta = 1e-6", "delta = 0")))
            self.assert_refused(2, "--delta: 0 ", self.release(delta="0"))

    def test_parameters_of_mechanisms(self):
        with self.spending():
            for mentions, parameters in (
                (["mechanism.rate: 0 ", "greater than 0"], 'name = "subsample"\nrate = 0'),
                (["mechanism.rate: 1.5 ", "at most 1"], 'name = "subsample"\nrate = 1.5'),
                (["mechanism.rate: nan "], 'name = "subsample"\nrate = nan'),
                (["mechanism.filter_width: -1 "], 'name = "filter_subsample"\nfilter_width = -1'),
                (["mechanism.coefficients: 0 "], 'name = "dft"\ncoefficients = 0'),
                (["mechanism.rate: ", "no such parameter"], 'name = "gaussian"\nrate = 0.5'),
                (["mechanism.name: magic ", "laplace, gaussian"], 'name = "magic"'),
                (["privacy.unit: ", "event"], 'name = "event"'),
                (["mechanism.memory: 0.5 ", "auto or a number"], 'name = "running_total"\nmemory = 0.5'),
                (["mechanism.separation: 0 ", "number of steps"], 'name = "running_total"\nseparation = 0'),
            ):
                with self.subTest(parameters):
                    self.assert_refused(2, mentions, self.job(('name = "gaussian"', parameters)))

    def test_published_analysis_falls_back_to_certified_where_there_is_none(self):
        job = self.job(('name = "gaussian"', 'name = "laplace"'))[1]
        planned = self.assert_json("plan", job, "--analysis", "published")
        self.assertEqual(planned["guarantee"]["certificate"], "exact")
        job = self.job()[1]
        planned = self.assert_json("plan", job, "--analysis", "published")
        self.assertEqual(planned["guarantee"]["certificate"], "as published")

    def test_a_budget_that_is_spent_is_4_and_reads_nothing(self):
        self.write("in.csv", RECORD_HEADER + SECRET)
        city, spent = 'name = "city"', 'name = "spent"'
        self.assert_refused(4, "budget", self.job((city, spent)))
        self.assert_refused(4, "budget", self.check(RECORDS.replace(city, spent)))
        self.assert_refused(4, "budget", self.release(dataset="spent"))
        self.assertEqual(self.debits("spent"), [])
        self.write("in.csv", RECORD_HEADER + RECORD_ROWS)
        half = (city, spent), ("epsilon = 1.0", "epsilon = 0.5"), ("delta = 1e-6", "delta = 5e-7")
        while run(*self.job(*half)).returncode == 0:
            for name in ("out.csv", "out.json", "out.html"):
                (self.folder / name).unlink()
        made = self.debits("spent")
        self.assertGreaterEqual(len(made), 1)
        self.assert_refused(4, "budget", self.job(*half))
        self.assertEqual(self.debits("spent"), made)

    def test_a_dataset_that_is_not_there_or_promises_another_unit(self):
        with self.spending():
            self.assert_refused(2, ["dataset.name: there is no dataset 'town'", "budget create town"],
                                self.job(('name = "city"', 'name = "town"')))
            self.assert_refused(2, ["--dataset: there is no dataset 'town'", "budget create town"], self.release(dataset="town"))
            for ledger in (self.folder / "ledger.db", self.folder / "absent" / "ledger.db"):
                self.assert_refused(2, ["--dataset: there is no dataset 'city'", "budget create city"],
                                    self.release(ledger=ledger))
            self.assert_refused(5, ["ledger: ", "not a database"], self.release(ledger=self.folder / "in.csv"))
            self.assert_refused(2, ["privacy.unit: event ", "'city' promises: user"],
                                self.job(('unit = "user"', 'unit = "event"')))
            self.assert_refused(2, ["--unit: w-event ", "'city' promises: user"],
                                self.release(unit="w-event", width="3", max_steps=None))
            self.assert_refused(2, ["privacy.relation: replace ", "add_remove"],
                                self.job(('unit = "user"', 'unit = "user"\nrelation = "replace"')))
        # What covers more than is promised is welcome.
        done = self.assert_works(self.job(('name = "city"', 'name = "visits"'),
                                          ('name = "gaussian"', 'name = "laplace"'), ("delta = 1e-6", "delta = 0")))
        self.assertIn("visits:", done.stdout)

    def test_wrong_words_on_the_command_line(self):
        with self.spending():
            for mention, words in {
                "--frobnicate": self.job() + ("--frobnicate",),
                "--analysis: rough": self.job() + ("--analysis", "rough"),
                "--seed: x": self.job() + ("--seed", "x"), "--unit: person": self.release(unit="person"),
                "--epsilon": self.release(epsilon="much"), "--width: it belongs": self.release(width="3"),
                "--width: it is missing": self.release(unit="w-event"),
                "--width: 0": self.release(unit="w-event", width="0"),
                "--zone: Europe/Atlantis": self.release(zone="Europe/Atlantis"),
                "--set: rate": self.release(set="rate"), "--user: ''": self.release(user=""),
                "--level: 1": self.release(level="1"),
            }.items():
                with self.subTest(mention):
                    self.assert_refused(2, mention, words)


class Outputs(BadInputTest):
    def test_an_unwritable_output_is_found_before_the_debit(self):
        self.write("file", "")
        with self.spending():
            for mention, path in {"No such file": "nowhere/out.csv", "directory": ".",
                                  "Not a directory": "file/out.csv", "too long": "x" * 300}.items():
                with self.subTest(mention):
                    words = self.job(('csv = "out.csv"', f'csv = "{path}"'))
                    self.assert_refused(5, ["output.csv: ", mention], words)
                    self.assert_refused(5, ["output.csv: ", mention], ("check", *words[1:2], *words[3:]))
                    self.assert_refused(5, ["--csv: ", mention], self.release(csv=self.folder / path))

    def test_an_output_never_replaces_what_the_job_is_made_of(self):
        os.symlink(self.folder / "in.csv", self.folder / "link.csv")
        os.link(self.folder / "stops.txt", self.folder / "hard.txt")
        with self.spending():
            for what, path in (("the source", "in.csv"), ("the source", "link.csv"), ("the job itself", "job.toml"),
                               ("the list of series", "./stops.txt"), ("the list of series", "hard.txt"),
                               ("output.json too", "./out.json")):
                with self.subTest(path):
                    words = self.job(('csv = "out.csv"', f'csv = "{path}"'))
                    self.assert_refused(2, ["output.csv: ", what], words)
            self.assert_refused(2, ["--csv: ", "the source"], self.release(csv=f"{self.folder}/./in.csv"))
            self.assert_refused(2, ["--report: ", "the list of series"], self.release(report=self.folder / "stops.txt"))
            ledger = self.ledger.read_bytes()
            self.assert_refused(5, ["output.csv: ", "ledger"], self.job(('csv = "out.csv"', f'csv = "{self.ledger}"')))
            self.assert_refused(5, ["--csv: ", "ledger"], self.release(csv=self.ledger))
            self.assert_refused(2, ["--csv: ", "the ledger"], self.release(csv=f"{self.ledger}-wal"))
            self.assertEqual(self.ledger.read_bytes(), ledger)

    def test_an_internal_report_never_takes_the_name_of_what_is_published(self):
        self.assert_works((*self.job(), "--seed", "1"))
        for name in ("out.json", "out.html", "in.csv", "stops.txt", "job.toml"):
            with self.subTest(name):
                self.assert_refused(2, ["--report: ", "needs its own"],
                                    ("evaluate", str(self.folder / "job.toml"), "--release",
                                     str(self.folder / "out.json"), "--report", f"{self.folder}/./{name}"))

    def test_what_is_simulated_needs_a_file_for_each_part(self):
        for option in ("--truth", "--keys", "--job"):
            self.assert_refused(2, ["--output: ", f"{option} too"],
                                ("simulate", "traffic", "--people", "10", "--output", str(self.folder / "x.csv"), option,
                                 f"{self.folder}/./x.csv"))

    def test_a_job_that_writes_nothing_is_refused(self):
        with self.spending():
            self.assert_refused(2, ["output.csv", "output.report"],
                                self.job(('csv = "out.csv"\njson = "out.json"\nreport = "out.html"\n', "")))

    def test_a_folder_that_may_not_be_written_to(self):
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            run("--version", **options)
        except PermissionError:
            self.skipTest("the program lies where only its owner may run it")
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        words = ("release", str(self.folder / "in.csv"), *self.release(dataset=None, ledger=None)[2:], "--seed", "1")
        self.assert_refused(5, ["--csv: ", "Permission denied"], words, **options)

    def test_a_disk_that_is_full_keeps_the_release_for_another_try(self):
        with self.spending("released"):
            words = self.job(('csv = "out.csv"\njson = "out.json"\nreport = "out.html"\n', 'csv = "/dev/full"\n'))
            message = self.assert_refused(5, ["/dev/full", "No space left", "--again city:"], words)
            debit = re.search(r"--again (city:\d+)", message)[1]
            job = self.folder / "job.toml"
            job.write_text(job.read_text(encoding="utf-8").replace("/dev/full", "out.csv"), encoding="utf-8")
            self.assert_works((*words, "--again", debit))
            self.assertEqual(len((self.folder / "out.csv").read_text(encoding="utf-8").splitlines()), 2 * STEPS + 1)

    def test_a_file_system_that_is_full_holds_no_part_of_an_output(self):
        small = self.folder / "small"
        small.mkdir()
        mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(small)],
                                                       capture_output=True, check=False).returncode == 0
        if not mounted:
            self.skipTest("a file system of a few pages can only be made by root")
        self.addCleanup(subprocess.run, ["umount", str(small)], check=True)
        words = self.job(('csv = "out.csv"\n', 'csv = "small/out.csv"\n'),
                         ('report = "out.html"', 'report = "small/out.html"'))
        with self.spending("released"):
            self.assert_refused(5, ["small/out.html", "No space left", "--again city:"], words)
        self.assertEqual(list(small.iterdir()), [])

    def test_standard_output_that_is_full_is_5(self):
        with open("/dev/full", "w", encoding="utf-8") as full, self.spending("released"):
            done = subprocess.run([PROGRAM, *self.release(csv="-")], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False, timeout=120)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stderr, r"\Achronoveil: [^\n]*No space left[^\n]*--again city:\d+[^\n]*\n\Z")


class Replays(BadInputTest):
    def test_tapes_that_do_not_fit(self):
        subsample = self.job(('name = "gaussian"', 'name = "subsample"'))
        zeros = self.write("zeros.txt", "0\n" * 200)
        with self.spending():
            for mentions, content in (
                (["3 numbers", "at least 94"], "1 2 3"), (["word 2 of ", "a finite number"], "1 two 3"),
                (["word 1 of ", "a finite number"], "nan"), (["word 1 of ", "a finite number"], "inf"),
                (["number 1 ", "2^61"], "1e300\n" * 94), (["0 numbers", "at least"], ""),
            ):
                with self.subTest(content[:9]):
                    tape = self.write("tape.txt", content)
                    self.assert_refused(2, ["--noise-from: ", *mentions], (*self.job(), "--noise-from", str(tape)))
                    self.assert_refused(2, ["--noise-from: ", *mentions], (*self.release(), "--noise-from", str(tape)))
            for mentions, content in (
                (["94 ", "between 0 and 93"], "94"), (["-1 ", "between 0 and 93"], "-1"), (["3 ", "ascend"], "5 3"),
                (["3 ", "ascend"], "3 3"), (["word 1 of ", "a whole number"], "1.5"),
                (["word 2 of ", "a whole number"], "1 x"), (["word 1 of ", "a whole number"], "9" * 30),
            ):
                with self.subTest(content[:9]):
                    self.write("job.toml", RECORDS.replace('"gaussian"', '"subsample"'))
                    kept = self.write("kept.txt", content)
                    self.assert_refused(2, ["--keep-from: ", *mentions],
                                        (*subsample, "--noise-from", str(zeros), "--keep-from", str(kept)))
            for option in ("--noise-from", "--keep-from"):
                for path, mention in (("/nowhere.txt", "No such file"), (str(self.folder), "directory")):
                    self.assert_refused(5, [f"{option}: ", mention], (*self.job(), option, path))

    def test_again_needs_a_debit_of_this_job(self):
        with self.spending("released"):
            done = self.assert_works(self.job())
            debit = re.search(r"city:\d+", done.stdout)[0]
            form = "such as city:17"
            for mention, word in (("in the ledger", "city:99999"), ("'city'", "town:1"), (form, "x"), (form, ""),
                                  (form, "city:"), (form, "city:-1"), (form, "city:99999999999999999999")):
                with self.subTest(word):
                    self.assert_refused(2, [f"--again: {word} ", mention], (*self.job(), "--again", word))
                    self.assert_refused(2, [f"--again: {word} ", mention], (*self.release(), "--again", word))
            self.assert_refused(2, [f"--again: {debit} ", "this very job"],
                                (*self.job(("max_steps = 2", "max_steps = 3")), "--again", debit))
            self.assert_refused(2, "--again: ", (*self.job(), "--again", debit, "--seed", "1"))


class Interrupts(BadInputTest):
    def start(self, *words):
        """A run whose input is a pipe: returns it and the writing end, once the run has opened the other."""
        (self.folder / "in.csv").unlink(missing_ok=True)
        os.mkfifo(self.folder / "in.csv")
        process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   encoding="utf-8")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        pipe = open(self.folder / "in.csv", "w", encoding="utf-8")
        self.addCleanup(pipe.close)
        return process, pipe

    def test_an_interrupt_in_the_middle_leaves_a_debit_and_no_file(self):
        for kind, rows in ((RECORDS, RECORD_HEADER + RECORD_ROWS), (COUNTS, COUNT_HEADER + COUNT_ROWS)):
            for words in (self.job(text=kind), self.release(kind)):
                with self.subTest(words[0]), self.spending("abandoned"):
                    before = len(self.debits())
                    process, pipe = self.start(*words)
                    files = self.files()
                    pipe.write(rows)
                    pipe.flush()
                    self.wait_for_debit(process, before)
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=60)
                    self.assertEqual((process.returncode, out), (130, ""))
                    self.assertRegex(err, r"\Achronoveil: interrupted; the debit city:\d+ is reserved; run the same job again [^\n]*\n\Z")
                    self.assertEqual(self.files(), files)
                    self.assertEqual(self.debits()[before:], ["reserved"])
                    debit = re.search(r"city:\d+", err).group()  # the next one would take it up
                    self.assert_succeeds("budget", "settle", debit, "--abandoned", "--ledger", str(self.ledger))
                    pipe.close()

    def test_a_kill_in_the_middle_leaves_a_debit_and_no_file(self):
        with self.spending("reserved"):
            before = len(self.debits())
            process, pipe = self.start(*self.job())
            files = self.files()
            pipe.write(RECORD_HEADER + RECORD_ROWS)
            pipe.flush()
            self.wait_for_debit(process, before)
            process.kill()
            self.assertEqual(process.communicate(timeout=60), ("", ""))
            self.assertEqual(self.files(), files)

    def test_an_interrupt_of_a_check_costs_nothing(self):
        with self.spending():
            process, pipe = self.start(*self.check(), "--data")
            files = self.files()
            pipe.write(RECORD_HEADER + RECORD_ROWS)
            pipe.flush()
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (130, ""))
            self.assertRegex(err, r"\Achronoveil: interrupted[^\n]*\n\Z")
            self.assertEqual(self.files(), files)

    def test_a_pipe_that_ends_in_the_middle_of_a_row_is_a_bad_row(self):
        with self.spending("reserved"):
            process, pipe = self.start(*self.job())
            pipe.write(RECORD_HEADER + RECORD_ROWS + SECRET)
            pipe.close()
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (3, ""))
            self.assertRegex(err, r"\Achronoveil: row 2001 \(line 2002\): 1 field instead of 3 \(is the line cut off[^)]*\); "
                                  r"the budget is reserved, not lost: .* the debit city:\d+, [^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
