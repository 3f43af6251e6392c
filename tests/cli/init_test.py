"""chronoveil init: a job out of a header and a few answers, which plan and check take."""

import os
import pty
import subprocess
import unittest

from program import PROGRAM, FolderTest, run

HEADER = "card;ts;stop\n"
SECRET = "c4711;2026-03-01T10:20;north\n"


class InitTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("trips.csv", HEADER + SECRET)
        self.write("stops.txt", "north\nsouth\n")
        self.given = ("--user", "card", "--series", "stop", "--series-list", "stops.txt", "--zone", "Europe/Berlin",
                      "--start", "2026-03-01", "--end", "2026-03-08", "--max-steps", "4")

    def init(self, *arguments):
        return self.assert_succeeds("init", *arguments, cwd=self.folder)

    def answer(self, arguments, answers, **environment):
        """What it prints at a terminal where somebody types the answers."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "init", *arguments], cwd=self.folder, stdin=theirs, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                   env={**os.environ, **environment})
        os.close(theirs)
        os.write(ours, answers)
        stdout, stderr = process.communicate(timeout=60)
        os.close(ours)
        self.assertEqual(process.returncode, 0, stderr)
        return stdout, stderr

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_the_job_passes_plan_and_check(self):
        told = self.init("trips.csv", *self.given)
        job = self.read("trips.toml")
        for line in ('delimiter = ";"', 'time = "ts"', 'time_format = "iso8601"', 'length = "1h"', 'name = "trips"',
                     "# the column that says when", "# what one person adds to one slot", "max_per_slot = 1", 'unit = "user"',
                     "# pairs of series and slot in which one person counts, over the whole job, or all; for user",
                     "max_steps = 4", 'csv = "trips_out.csv"'):
            self.assertIn(line, job)
        self.assertNotIn("4711", job + told)
        self.assert_succeeds("plan", "trips.toml", cwd=self.folder)
        create = next(line for line in told.splitlines() if "budget create" in line).split("next", 1)[1].split()
        ledger = ("--ledger", "ledger.db")
        self.assert_succeeds(*create[1:], *ledger, cwd=self.folder)
        self.assertIn("nothing was debited", self.assert_succeeds("check", "trips.toml", *ledger, cwd=self.folder))
        self.assert_succeeds("run", "trips.toml", *ledger, cwd=self.folder)

    def test_it_overwrites_nothing(self):
        self.write("trips.toml", "mine")
        self.assert_fails(2, ["--job: 'trips.toml' is there already", "overwrites nothing", "--job names another"], "init",
                          "trips.csv", *self.given, cwd=self.folder)
        self.write("trips.parquet", b"PAR1" + bytes(64))  # that it is no CSV matters first
        self.assert_fails(3, "a Parquet file", "init", "trips.parquet", *self.given, cwd=self.folder)
        self.assertEqual(self.read("trips.toml"), "mine")
        self.init("trips.csv", *self.given, "--job", "other.toml")
        self.assertEqual(self.read("trips.toml"), "mine")

    def test_no_row_decides_anything(self):
        self.init("trips.csv", *self.given)
        self.write("trips.csv", HEADER + "\0\"broken;;;;\n")
        self.init("trips.csv", *self.given, "--job", "again.toml", "--output", "trips_out.csv")
        self.assertEqual(self.read("again.toml"), self.read("trips.toml"))

    def test_without_a_terminal_it_names_all_that_is_missing(self):
        self.assert_fails(2, ["--user, --start, --end", "rows are counts", "the columns are card, ts, stop"], "init",
                          "trips.csv", cwd=self.folder)
        self.assert_fails(2, ["--value, --series-list, --start, --end"], "init", "trips.csv", "--user=-", "--series", "stop",
                          cwd=self.folder)
        self.assert_fails(2, ["cannot be guessed: --max-steps", "public knowledge", "days of the span"], "init", "trips.csv",
                          *self.given[:-2], cwd=self.folder)
        self.assert_fails(2, ["--max-steps", "a whole number, or \"all\""], "init", "trips.csv", *self.given[:-1], "many",
                          cwd=self.folder)
        self.assert_fails(2, "FILE: it is missing", "init", cwd=self.folder)
        self.assert_fails(2, ["--user", "a column of the header: card, ts, stop"], "init", "trips.csv", *self.given[2:],
                          "--user", "person", cwd=self.folder)
        self.assert_fails(5, "No such file", "init", "absent.csv", *self.given, cwd=self.folder)
        self.assert_fails(2, "--end", "init", "trips.csv", *self.given[:-4], "--end",
                          "2026-02-01", "--max-steps", "4", cwd=self.folder)
        self.assertFalse((self.folder / "trips.toml").exists())

    def test_where_people_are_protected_somebody_must_say_how_often_one_counts(self):
        counts = ("--user=-", "--value", "card", *self.given[2:-2])
        self.assert_fails(2, ["cannot be guessed: --max-steps", "public knowledge"], "init", "trips.csv", *counts,
                          cwd=self.folder)
        for name, words in (("people", (*self.given[:-1], "all")), ("counts", (*counts, "--max-steps", "all"))):
            text = self.assert_json("init", "trips.csv", *words, "--job", f"{name}.toml", cwd=self.folder)["text"]
            self.assertIn('\nmax_steps = "all"\n', text)
        text = self.assert_json("init", "trips.csv", "--unit", "event", *self.given[:-2], "--job", "events.toml",
                                cwd=self.folder)["text"]
        self.assertNotIn("max_steps", text)

    def test_a_wide_file_is_found_by_a_question_and_named_where_nobody_can_answer(self):
        self.write("cases.csv", "week,Berlin,Hamburg\n")
        said = ("--start", "2025-12-29", "--end", "2026-12-28", "--max-steps", "4")
        self.assert_fails(2, ["cannot be guessed: --value;", "- where each row counts 1", "--wide says instead"], "init",
                          "cases.csv", "--user=-", *said, cwd=self.folder)
        # Name, time, user, wide (asked again), series, format, start, end, and guesses.
        _, stderr = self.answer(("cases.csv", "--zone", "UTC"),
                                b"\n\n-\nyes\ntrue\n\n\n2025-12-29\n2026-12-28\n\n4\n\n\n\n\n")
        self.assertIn("source.wide: yes is not valid; it must be true or false\n", stderr)
        for line in ("wide = true", 'keys = ["Berlin", "Hamburg"]', 'time_format = "%G-W%V"', "max_steps = 4"):
            self.assertIn(f"\n{line}\n", self.read("cases.toml"))
        self.assert_succeeds("plan", "cases.toml", cwd=self.folder)
        self.write("one.csv", "week,Berlin\n")  # one name is a key, not a list in a file
        self.init("one.csv", "--user=-", "--wide", *said)
        self.assertIn('\nkeys = ["Berlin"]\n', self.read("one.toml"))

    def test_the_page_and_the_guarantee_are_written_beside_the_csv(self):
        self.init("trips.csv", *self.given)
        for line in ('csv = "trips_out.csv"', 'json = "trips_out.json"', 'report = "trips_out.html"'):
            self.assertIn(f"\n{line}\n", self.read("trips.toml"))
        self.init("trips.csv", *self.given, "--csv", "made/a.b.csv", "--report", "page.html", "--job", "named.toml")
        for line in ('csv = "made/a.b.csv"', 'json = "made/a.b.json"', 'report = "page.html"'):
            self.assertIn(f"\n{line}\n", self.read("named.toml"))

    def test_names_of_columns_show_how_times_are_written(self):
        for column, time_format, length in (("week", "%G-W%V", "1w"), ("Month", "%Y-%m", "1mo"),
                                            ("quarter", "%Y-Q%q", "3mo"), ("date", "iso8601", "1d"),
                                            ("epoch_ms", "epoch_ms", "1h"), ("unix_time", "epoch", "1h")):
            self.write("wide.csv", f"{column},north,south\n")
            start, end = ("2025-12-29", "2026-12-28") if length == "1w" else ("2026-01-01", "2027-01-01")
            text = self.assert_json("init", "wide.csv", "--user=-", "--wide", "--start", start, "--end", end,
                                    "--max-steps", "2", "--job", f"{column}.toml", cwd=self.folder)["text"]
            for line in (f'time_format = "{time_format}"', f'length = "{length}"', 'keys = ["north", "south"]'):
                self.assertIn(line, text)

    def test_names_of_other_languages_and_of_several_words_are_understood(self):
        for column, time_format, length in (("fecha", "iso8601", "1d"), ("Zeitpunkt", "iso8601", "1h"),
                                            ("tapped_at_ms", "epoch_ms", "1h"), ("hora", "iso8601", "1h"),
                                            ("gps_epoch", "epoch", "1h"), ("iso_week", "%G-W%V", "1w"),
                                            ("Data", "iso8601", "1h"), ("Semaine", "%G-W%V", "1w"), ("Visit time", "iso8601", "1h")):
            self.write("own.csv", f"person;{column};n\n")
            start, end = "2026-03-02", "2026-03-16"
            text = self.assert_json("init", "own.csv", "--user", "person", "--start", start, "--end", end, "--max-steps",
                                    "9", "--job", f"{column}.toml", cwd=self.folder)["text"]
            for line in (f'time = "{column}"', f'time_format = "{time_format}"', f'length = "{length}"'):
                self.assertIn(line, text)
        self.write("taps.csv", "kw;state;tid;long_name;updated\n")  # nothing of these is a time or a longitude for sure
        self.init("taps.csv", "--user", "tid", "--start", "2026-03-01", "--end", "2026-03-08", "--max-steps", "9")
        self.assertIn('time = "updated"', self.read("taps.toml"))

    def test_points_are_found_in_longer_names_and_asked_for_where_there_is_a_map(self):
        said = ("--user", "bus", "--value", "kmph", "--zone", "UTC", "--start", "2026-03-01", "--end", "2026-03-02",
                "--length", "6h", "--upper", "65", "--counts", "public", "--max-cells", "6", "--plan-users", "80",
                "--grid", "72.73,21.09,72.93,21.27", "--cell-size", "9000")
        self.write("pings.csv", "bus\twhen\tkmph\tgps_lon\tgps_lat\n")
        self.init("means", "pings.csv", *said)
        self.assertIn('delimiter = "\\t"\n', self.read("pings.toml"))
        self.assertIn('longitude = "gps_lon"\n', self.read("pings.toml"))
        self.assertIn('latitude = "gps_lat"\n', self.read("pings.toml"))
        self.write("points.csv", "bus,when,kmph,east,north\n")
        self.assert_fails(2, ["missing and cannot be guessed: --longitude, --latitude;", "bus, when, kmph, east, north"],
                          "init", "means", "points.csv", *said, cwd=self.folder)

    def test_a_time_in_two_columns_is_told_the_line_that_joins_them(self):
        for part, line in (("Week", "SELECT YEAR || '-W' || lpad(Week::TEXT, 2, '0') AS iso_week, * FROM 'flu.csv'"),
                           ("Month", "SELECT YEAR || '-' || lpad(Month::TEXT, 2, '0') AS month_of_year, *")):
            self.write("flu.csv", f"YEAR,{part},cases\n")
            self.assert_fails(2, ["cannot be guessed: --time, --start", f"two columns, YEAR and {part}", line], "init",
                              "flu.csv", "--user=-", "--value", "cases", cwd=self.folder)
        self.write("a'b.csv", 'year,week,"c""`id`"\n')  # no name from outside stands in a line for a shell
        failed = run("init", "a'b.csv", "--user=-", "--value=-", cwd=self.folder)
        self.assertIn("FROM 'in.csv'", failed.stderr)
        self.write("flu.csv", "year,week,iso_week,cases\n")
        self.init("flu.csv", "--user=-", "--value", "cases", "--start", "2025-12-29", "--end", "2026-12-28",
                  "--max-steps", "4")
        self.assertIn('time = "iso_week"\n', self.read("flu.toml"))

    def test_a_wide_file_for_a_training_is_told_its_own_line(self):
        self.write("load.csv", "hora;a;b\n")
        self.assert_fails(2, ["FROM 'load.csv') ON COLUMNS(* EXCLUDE hora)"], "init", "train", "load.csv", cwd=self.folder)

    def test_columns_that_are_not_there_are_named_before_what_is_missing(self):
        self.write("load.csv", "hora;a;b\n")
        self.assert_fails(2, ["--series: meter is not valid; it must be a column of the header: hora, a, b",
                              "of a file with a column per series", "FROM 'load.csv') ON COLUMNS(* EXCLUDE hora)"],
                          "init", "train", "load.csv", "--series", "meter", "--value", "value", cwd=self.folder)
        self.write("load.csv", "who,hora,a\n")
        for named, column in (("who", "who"), ("absent", "hora")):
            self.assert_fails(2, f"ON COLUMNS(* EXCLUDE {column})", "init", "train", "load.csv", "--series", "meter",
                              "--value", "value", "--time", named, cwd=self.folder)
        self.write("long.csv", "hora;meter;b\n")
        done = run("init", "train", "long.csv", "--series", "meter", "--value", "value", cwd=self.folder)
        self.assertIn("--value: value is not valid", done.stderr)
        self.assertNotIn("column per series", done.stderr)

    def test_two_jobs_of_one_file_have_outputs_of_their_own(self):
        self.init("trips.csv", *self.given)
        self.init("trips.csv", *self.given, "--job", "areas.toml")
        self.assertIn('csv = "areas_out.csv"', self.read("areas.toml"))
        self.assertIn('json = "areas_out.json"', self.read("areas.toml"))
        self.init("trips.csv", *self.given, "--job", "third.toml", "--output", "mine.csv")
        self.assertIn('csv = "mine.csv"', self.read("third.toml"))

    def test_two_trainings_of_one_file_have_models_of_their_own_and_none_replaces_another_in_silence(self):
        days = [f"2026-01-{day:02}" for day in range(1, 29)]
        self.write("long.csv", "meter,date,kwh\n" + "".join(f"m1,{day},{1 + number % 7}\n" for number, day in enumerate(days)))
        said = ("train", "long.csv", "--series", "meter", "--series-list", "m1, m2", "--value", "kwh", "--start",
                days[0], "--end", "2026-01-29", "--zone", "UTC", "--epsilon", "2")
        self.init(*said)
        self.init(*said, "--dataset", "other", "--job", "e2.toml")
        self.init(*said, "--dataset", "third", "--job", "e3.toml", "--json-out", "mine.json")
        for name, outputs in (("long", "long"), ("e2", "e2"), ("e3", "mine")):
            for line in (f'model = "{name}.cvm"', f'json = "{outputs}.json"', f'report = "{name}.html"'):
                self.assertIn(f"\n{line}\n", self.read(f"{name}.toml"))
        ledger = ("--ledger", "ledger.db")
        for dataset in ("long", "other"):
            self.assert_succeeds("budget", "create", dataset, "--epsilon", "4", "--delta", "1e-5", "--unit", "event",
                                 "--relation", "replace_values", *ledger, cwd=self.folder)
        self.assert_succeeds("run", "long.toml", *ledger, cwd=self.folder)
        model = (self.folder / "long.cvm").read_bytes()
        self.write("e2.toml", self.read("e2.toml").replace('"e2.', '"long.'))
        self.assert_fails(2, ["output.json: 'long.json' holds the release of the debit long:1, of another job",
                              "--yes replaces it"], "run", "e2.toml", *ledger, cwd=self.folder)
        self.assertEqual((self.folder / "long.cvm").read_bytes(), model)

    def test_points_outside_of_the_grid_are_said_to_be_so(self):
        self.write("pings.csv", "card,ts,lon,lat\nc1,2026-03-01T10:00,72.8,21.2\nc2,2026-03-01T10:00,10,10\n")
        self.init("pings.csv", "--user", "card", "--zone", "UTC", "--start", "2026-03-01", "--end", "2026-03-02",
                  "--max-steps", "4", "--longitude", "lon", "--grid", "72.73,21.09,72.93,21.27", "--cell-size", "9000")
        self.assert_succeeds("budget", "create", "pings", "--epsilon", "2", "--delta", "1e-5", "--ledger", "ledger.db",
                             cwd=self.folder)
        told = self.assert_succeeds("check", "pings.toml", "--ledger", "ledger.db", cwd=self.folder)
        self.assertRegex(told, r"keys      1 of \d+ listed have rows; some rows lie outside of all places\n")
        self.assertNotIn("\\n", told)

    def test_a_file_without_a_header_is_told_how_to_get_one_and_is_not_quoted(self):
        for row in ("c4711,2026-03-01T10:20,north\n", "4711;40.64;-73.78;17\n"):
            self.write("bare.csv", row)
            self.assert_fails(2, ["looks like a row of data", "sed '1i card,ts,stop'"], "init", "bare.csv", *self.given,
                              cwd=self.folder)
            for words in ((), ("--user", "person")):
                self.assertNotIn("4711", run("init", "bare.csv", *words, cwd=self.folder).stderr)
        self.assert_fails(2, ["--no-header", "header = false"], "init", "bare.csv", "--no-header", cwd=self.folder)
        self.write("wide.csv", "date,2021,2022,2023\n")  # names that are numbers, beside one that is none
        self.init("wide.csv", "--user=-", "--wide", "--zone", "UTC", "--start", "2026-03-01", "--end", "2026-03-08",
                  "--max-steps", "2")

    def test_means_say_where_and_what_is_public(self):
        self.write("pings.csv", "bus;ts;speed;lon;lat\n" + "b1;2026-03-01T10:20;17;72.8;21.1\n")
        said = ("--user", "bus", "--value", "speed", "--zone", "Asia/Kolkata", "--start", "2026-03-01", "--end",
                "2026-03-02", "--length", "6h", "--upper", "65", "--counts", "public", "--max-cells", "6")
        grid = ("--grid", "72.73,21.09,72.93,21.27", "--cell-size", "9000")
        self.assert_fails(2, ["cannot be guessed: --grid", "--plan-users", "from public knowledge"], "init", "means",
                          "pings.csv", *said, cwd=self.folder)
        told = self.init("means", "pings.csv", *said, *grid, "--plan-users", "80")
        self.assertIn("--unit user --relation replace_values", told)
        self.assertIn("where and when people were, and how often, becomes public", told)
        job = self.read("pings.toml")
        for line in ('longitude = "lon"', 'latitude = "lat"', "west = 72.73", "size = 9000", "max_cells = 6",
                     "users = 80", 'delimiter = ";"', 'counts = "public"',
                     "# cells (a place in a slot) in which one person counts, over the whole job"):
            self.assertIn(line, job)
        planned = self.assert_succeeds("plan", "pings.toml", cwd=self.folder)
        self.assertIn("interval  in a cell of 80 people an interval would be about ±", planned)
        self.assertNotIn("vague", planned)
        self.init("means", "pings.csv", *said, *grid, "--plan-users", "40", "--job", "few.toml")
        planned = self.assert_succeeds("plan", "few.toml", cwd=self.folder)
        self.assertIn("only 65 apart: the report would call it vague; what helps: a smaller means.max_cells", planned)
        create = next(line for line in told.splitlines() if "budget create" in line).split()[2:]
        ledger = ("--ledger", "ledger.db")
        self.assert_succeeds(*create, *ledger, cwd=self.folder)
        self.assertIn("rows      1: 1 inside the span, 1 count",
                      self.assert_succeeds("check", "pings.toml", *ledger, cwd=self.folder))
        self.assert_succeeds("run", "pings.toml", *ledger, cwd=self.folder)
        # Places of a column, and counts that stay private: another relation, and one more cap.
        self.assert_fails(2, ["cannot be guessed: --max-records"], "init", "means", "pings.csv",
                          *(word if word != "public" else "private" for word in said), "--plan-users=-", "--place",
                          "bus", "--place-list", "a, b", "--job", "other.toml", cwd=self.folder)
        told = self.init("means", "pings.csv", *(word if word != "public" else "private" for word in said),
                         "--max-records", "9", "--plan-users=-", "--place", "bus", "--place-list", "a, b", "--job",
                         "other.toml")
        self.assertNotIn("becomes public", told)
        self.assertIn('keys = ["a", "b"]', self.read("other.toml"))
        self.assertIn("in a cell of 100 people, for example, an interval would be about ±",
                      self.assert_succeeds("plan", "other.toml", cwd=self.folder))

    def test_a_perturbed_series_needs_its_window_alone(self):
        self.write("meter.csv", "time,kwh,room\n" + "".join(f"2026-03-01T{hour:02}:00,{hour},r\n" for hour in range(24)))
        self.assert_fails(2, "cannot be guessed: --window\n", "init", "perturb", "meter.csv", cwd=self.folder)
        told = self.init("perturb", "meter.csv", "--window", "6", "--columns", "kwh")
        self.assertIn("--unit event --window 6 --relation swap", told)
        self.assertIn('columns = ["kwh"]', self.read("meter.toml"))
        create = next(line for line in told.splitlines() if "budget create" in line).split()[2:]
        self.assert_succeeds(*create, "--ledger", "ledger.db", cwd=self.folder)
        self.assert_succeeds("run", "meter.toml", "--ledger", "ledger.db", cwd=self.folder)
        self.assertEqual(self.read("meter_out.csv").splitlines()[0], "time,kwh")
        self.init("perturb", "meter.csv", "--no-time", "--window", "6", "--job", "all.toml")
        self.assertIn('columns = ["time", "kwh", "room"]', self.read("all.toml"))
        self.assert_fails(2, ["--columns: cold", "a column of the header: time, kwh, room"], "init", "perturb",
                          "meter.csv", "--window", "6", "--columns", "kwh,cold", "--job", "no.toml", cwd=self.folder)

    def test_a_training_has_the_windows_of_its_slots(self):
        self.write("load.csv", "meter,time,kwh\nm1,2026-03-01T00:00,3\n")
        said = ("--value", "kwh", "--zone", "UTC", "--start", "2026-01-12", "--end", "2026-02-09")
        self.assert_fails(2, ["cannot be guessed: --series", "the columns are meter, time, kwh"], "init", "train",
                          "load.csv", *said, cwd=self.folder)
        self.write("wide.csv", "time," + ",".join(f"m{i}" for i in range(300)) + "\n")
        self.assert_fails(2, ["a column per series", "UNPIVOT", "m18 and 281 more"], "init", "train", "wide.csv",
                          cwd=self.folder)
        told = self.init("train", "load.csv", *said, "--series", "meter", "--series-list", "m1, m2")
        self.assertIn("--unit event --relation replace_values", told)
        job = self.read("load.toml")
        for line in ("[train]", 'model = "auto"', "forecast_length = 24", 'model = "load.cvm"',
                     "# steps that it forecasts", 'length = "1h"'):
            self.assertIn(line, job)
        self.assertIn("trains    sign_lags on 2 series of 672 slots",
                      self.assert_succeeds("plan", "load.toml", cwd=self.folder))

    def test_counts_may_lie_on_a_grid(self):
        self.write("pings.csv", "card,ts,lon,lat\n")
        said = ("--user", "card", "--zone", "UTC", "--start", "2026-03-01", "--end", "2026-03-02", "--max-steps", "4")
        self.assertNotIn("places", self.assert_json("init", "pings.csv", *said, cwd=self.folder)["text"])
        self.assert_fails(2, ["cannot be guessed: --grid, --cell-size; of --grid: the box of a public grid",
                              "--longitude=- and --latitude=- instead mean one place for all"], "init", "pings.csv", *said,
                          "--longitude", "lon", "--job", "grid.toml", cwd=self.folder)
        self.init("pings.csv", *said, "--longitude", "lon", "--grid", "72.73,21.09,72.93,21.27", "--cell-size", "9000",
                  "--job", "grid.toml")
        self.assertIn('latitude = "lat"', self.read("grid.toml"))
        self.assert_succeeds("plan", "grid.toml", cwd=self.folder)

    def test_points_without_a_grid_may_be_one_place_for_all(self):
        self.write("pings.csv", "bus,ts,speed,lon,lat\n")
        said = ("means", "pings.csv", "--user", "bus", "--value", "speed", "--zone", "UTC", "--start", "2026-03-01", "--end",
                "2026-03-02", "--length", "6h", "--upper", "65", "--counts", "public", "--max-cells", "4", "--plan-users", "80")
        self.assert_fails(2, "cannot be guessed: --grid, --cell-size; of --grid", "init", *said, cwd=self.folder)
        self.init(*said, "--longitude=-", "--latitude=-")
        self.assertIn("releases  means of speed in 1 place of 4 slots",
                      self.assert_succeeds("plan", "pings.toml", cwd=self.folder))

    def test_at_a_terminal_means_are_asked_for_what_nobody_can_guess(self):
        self.write("pings.csv", "bus,ts,speed,lon,lat\n")
        # Guesses; a word that is none of two, and a number that is none, are asked again.
        stdout, stderr = self.answer(
            ("means", "pings.csv", "--zone", "UTC"),
            b"\n\nbus\nspeed\n\n\n\n72.73\n21.09\n72.93\n21.27\n9000\n\n2026-03-01\n2026-03-02\n6h\n\n"
            b"fast\n65\nopen\npublic\nmany\n6\n-\n\n\n\n")
        self.assertIn("means.upper: fast is not valid; it must be a number\n", stderr)
        self.assertIn("means.counts: open is not valid; it must be one of public, private\n", stderr)
        self.assertIn("means.max_cells: many is not valid; it must be a whole number\n", stderr)
        self.assertIn("relation replace_values", stdout)
        self.assertIn('longitude = "lon"', self.read("pings.toml"))

    def test_at_a_terminal_it_asks(self):
        # Name, time, user (a wrong and an empty answer are asked again), series, keys, format, start, end, and guesses.
        stdout, stderr = self.answer(
            ("trips.csv", "--zone", "UTC"),
            b"\n\nperson\n\ncard\nstop\nnorth, south\n\n2026-03-01\n2026-03-08\n\n4\n\n\n\n\n")
        self.assertIn("chronoveil budget create trips", stdout)
        self.assertIn("source.time: the column that says when [ts]\n", stderr)
        self.assertIn("source.user: person is not valid; it must be a column of the header: card, ts, stop\n", stderr)
        self.assertEqual(stderr.count("source.user: the column that says who"), 3)
        job = self.read("trips.toml")
        for line in ('user = "card"', 'keys = ["north", "south"]', 'end = "2026-03-08"', "\nmax_steps = 4\n"):
            self.assertIn(line, job)

    def test_the_zone_is_guessed_as_the_machine_has_it(self):
        given = tuple(word for word in self.given if word not in ("--zone", "Europe/Berlin"))
        for zone, guessed in (("Asia/Kolkata", "Asia/Kolkata"), ("Mars/Base", "UTC"), ("", "UTC"),
                              ("CET-1CEST,M3.5.0,M10.5.0/3", "UTC")):
            # Name, time, format; then the zone, and guesses.
            _, stderr = self.answer(("trips.csv", *given), b"\n" * 12, TZ=zone)
            self.assertIn(f"source.zone: the time zone, such as Europe/Berlin [{guessed}]\n", stderr)
            self.assertIn(f'\nzone = "{guessed}"\n', self.read("trips.toml"))
            (self.folder / "trips.toml").unlink()


if __name__ == "__main__":
    unittest.main()
