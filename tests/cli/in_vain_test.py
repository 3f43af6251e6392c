"""Nothing is spent in vain: what is asked before a debit, what a check tells, what is refused before noise is drawn."""

import unittest

from jobs import HEADER, ROWS, JobTest
from means_jobs import MeansTest
from perturb_jobs import PerturbTest
from program import run


class Terminal(JobTest):
    def test_it_says_what_a_debit_costs_and_asks(self):
        self.create()
        code, shown = self.on_terminal(self.words("run"), b"n\n")
        self.assertEqual(code, 2, shown)
        self.assertRegex(shown, r"cost      ε = 1, δ = 1e-06 from the budget of city\s+"
                                r"left      9\d\.\d % after this debit")
        self.assertIn("not confirmed, so nothing was debited; --yes debits without a question", shown)
        self.assertEqual((self.debits(), self.outputs()), ([], []))
        code, shown = self.on_terminal(self.words("run"), b"y\n")
        self.assertEqual((code, self.debits()), (0, [("city:1", "released")]), shown)

    def test_it_does_not_ask_with_yes_nor_for_a_debit_that_is_taken_up(self):
        self.create()
        self.write("trips.csv", HEADER + ROWS + "c1,yesterday,north\n")
        code, shown = self.on_terminal(self.words("run", "--yes"))
        self.assertEqual((code, self.debits()), (3, [("city:1", "reserved")]), shown)
        self.assertIn("% after this debit", shown)
        self.assertNotIn("[y/N]", shown)
        self.assertIn("row 61", shown)
        self.assertIn("the budget is reserved, not lost: run the same job again", shown)
        self.assertIn("chronoveil check reads every row", shown)
        self.write("trips.csv", HEADER + ROWS)
        code, shown = self.on_terminal(self.words("run"))
        self.assertEqual((code, self.debits()), (0, [("city:1", "released")]), shown)
        self.assertNotIn("[y/N]", shown)

    def test_rows_from_a_pipe_are_read_once_so_no_check_is_advised(self):
        self.create()
        self.change(('path = "trips.csv"', 'path = "-"'))
        done = run(*self.words("run"), stdin=HEADER + ROWS + "c1,yesterday,north\n")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("row 61", done.stderr)
        self.assertIn("can be read only once; put them into a file", done.stderr)


class Seen(JobTest):
    def test_a_check_tells_the_owner_what_is_in_the_data(self):
        self.create()
        self.write("trips.csv", HEADER + ROWS + "".join(f"c1,2026-03-28T{hour}:00,north\n" for hour in (10, 11, 12)) +
                   "c2,2026-03-28T12:00,North\nc2,2026-03-28T13:00,\"west \"\nc3,2026-03-31T00:00,east\n")
        told = self.assert_json(*self.words("check"))
        self.assertEqual(told["data"], {
            "rows": 66, "inside_span": 65, "counted": 63, "first": "2026-03-28T00:30:00+01:00",
            "last": "2026-03-31T00:00:00+02:00", "keys_listed": 2, "keys_matched": 2,
            "first_unlisted": ["North", "west "], "people": 60, "people_over_caps": 1, "records_over_caps": 2})
        text = self.assert_succeeds(*self.words("check"))
        for line in ("rows      66: 65 inside the span, 63 count", "keys      2 of 2 listed have rows",
                     'the first that are not listed: "North" "west "',
                     "people    60: 1 above the caps (max_steps = 2, max_per_slot = 1), which leave out 2 records", "internal  the data was read"):
            self.assertIn(line, text)
        self.assertNotIn("data", self.assert_json(*self.words("check", "--no-data")))

    def test_two_records_in_one_slot_are_above_the_cap_of_one(self):
        self.create("--epsilon", "8", "--unit", "event")
        self.change(('unit = "user"\nmax_steps = 2\n', 'unit = "event"\n'), ("delta = 1e-6\n", ""),
                    ('"gaussian"', '"laplace"'))
        self.write("trips.csv", HEADER + ROWS + "c1,2026-03-28T01:10,north\nc1,2026-03-29T01:10,north\n")
        told = self.assert_json(*self.words("check"))["data"]
        self.assertEqual((told["people"], told["people_over_caps"], told["records_over_caps"]), (60, 1, 1))

    def test_a_run_in_which_no_row_counts_is_refused_before_noise(self):
        self.create()
        self.write("stops.txt", "East\nWest\n")
        self.assertIn("empty     0 of 60 rows count: run refuses that without --allow-empty",
                      self.assert_succeeds(*self.words("check")))
        self.assert_fails(3, ["no row of the data counts", "--allow-empty", "other keys has a debit of its own",
                              "the budget is reserved, not lost"], *self.words("run"))
        self.assertEqual((self.debits(), self.outputs()), ([("city:1", "reserved")], []))
        done = run(*self.words("run", "--allow-empty"))
        self.assertEqual((done.returncode, self.debits()), (0, [("city:1", "released")]), done.stderr)


class Replaced(JobTest):
    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.glob("out*")}

    def assert_kept(self, mentions, *flags):
        before = self.files()
        self.assert_fails(2, mentions, *self.words("run", *flags))
        self.assertEqual(self.files(), before)

    def test_a_seed_or_a_replay_never_replaces_a_private_release(self):
        self.create()
        noise = self.write("noise.txt", "0\n" * 200)
        self.assert_succeeds(*self.words("run"))
        for flags in (("--seed", "1"), ("--noise-from", str(noise))):
            for name, key in (("out.csv", "output.csv"), ("out.json", "output.json"), ("out.html", "output.report"),
                              ("out_totals.csv", "output.totals")):
                kept = self.files()
                for other in set(kept) - {name}:
                    (self.folder / other).unlink()
                self.assert_kept([f"{key}: ", "may be of a private release", "name another file"], *flags)
                for other, content in kept.items():
                    self.write(other, content)

    def test_it_replaces_what_is_not_private_itself_and_no_file_that_it_does_not_know(self):
        noise = self.write("noise.txt", "0\n" * 200)
        for flags in (("--seed", "1"), ("--seed", "2"), ("--noise-from", str(noise)), ("--seed", "1")):
            self.assertEqual(run(*self.words("run", *flags)).returncode, 0, flags)
        self.write("out.csv", "my notes\n")
        self.assert_kept("output.csv: ", "--seed", "1")
        (self.folder / "out.csv").unlink()
        # A title that reads like a mark is none.
        self.create()
        self.change(('report = "out.html"', 'report = "out.html"\ntitle = "seeded: not private"'))
        self.assert_succeeds(*self.words("run"))
        self.assert_kept("output.", "--seed", "1")

    def test_a_release_emitted_anew_does_not_replace_that_of_a_later_debit(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        (self.folder / "out.csv").unlink()
        self.assert_succeeds(*self.words("run", "--again", "city:1"))
        self.assert_succeeds(*self.words("run", "--yes"))
        self.assert_kept(["output.json: ", "holds the release of the debit city:4"], "--again", "city:1")


    def test_without_json_it_does_not_replace_what_the_same_job_made_later_either(self):
        self.create()
        self.change(('json = "out.json"\n', ""))
        self.assert_succeeds(*self.words("run"))
        first = self.files()
        self.assert_succeeds(*self.words("run", "--again", "city:1"))  # the only one there is
        self.assert_succeeds(*self.words("run", "--yes"))
        later = self.debits()[-1][0]
        self.assert_kept(["output.csv: ", f"may hold the release of the debit {later}", "move it away"], "--again", "city:1")
        (self.folder / "out.csv").unlink()
        self.assert_kept("output.report: ", "--again", "city:1")
        self.assert_succeeds(*self.words("run", "--again", later))
        for path in self.folder.glob("out*"):
            path.unlink()
        self.assert_succeeds(*self.words("run", "--again", "city:1"))
        self.assertEqual(self.files(), first)


class ReplacedMeans(MeansTest):
    def test_a_seed_or_a_replay_never_replaces_private_means_in_any_form(self):
        self.write("points.csv", "bus,ts,x,y,speed\n" + "".join(
            f"b{i},2026-03-28T08:{i % 60:02},{i % 2 / 50 + 0.005},0.005,{10 + i}\n" for i in range(40)))
        grid = "\n".join(f"{name} = {value}" for name, value in
                         (("shape", "'square'"), ("west", 0), ("south", 0), ("east", 0.04), ("north", 0.01), ("size", 1112)))
        change = (('place = "where"', 'longitude = "x"\nlatitude = "y"'), ('"in.csv"', '"points.csv"'),
                  ('list = "places.txt"', grid), ('report = "out.html"', 'geojson = "out.geojson"\nchart = "out.svg"'))
        self.create()
        self.assert_succeeds(*self.job(*change))
        keys = {"out.csv": "output.csv", "out.json": "output.json", "out.geojson": "output.geojson",
                "out.svg": "output.chart"}
        kept = {name: (self.folder / name).read_bytes() for name in keys}
        tape = self.tape(*[0.0] * 400)
        for flags in (("--seed", "1"), ("--noise-from", tape)):
            for name, key in keys.items():
                for other in keys:
                    (self.folder / other).unlink(missing_ok=True)
                self.write(name, kept[name])
                self.assert_refused(2, [f"{key}: ", "may be of a private release"], self.job(*change, flags=flags))
                self.assertEqual((self.folder / name).read_bytes(), kept[name])
            (self.folder / name).unlink()
            self.assertEqual(run(*self.job(*change, flags=flags)).returncode, 0)
            self.assertEqual(run(*self.job(*change, flags=("--seed", "2"))).returncode, 0)  # not private itself


class ReplacedSeries(PerturbTest):
    def test_a_seed_never_replaces_a_private_series_in_any_form(self):
        self.create()
        self.assert_succeeds(*self.job())
        keys = {"out.csv": "output.csv", "out.json": "output.json", "out.html": "output.report"}
        kept = {name: (self.folder / name).read_bytes() for name in keys}
        for name, key in keys.items():
            for other in keys:
                (self.folder / other).unlink(missing_ok=True)
            self.write(name, kept[name])
            self.assert_refused(2, [f"{key}: ", "may be of a private release"], self.job(flags=("--seed", "1")))
            self.assertEqual((self.folder / name).read_bytes(), kept[name])

    def test_a_check_tells_the_first_and_the_last_time(self):
        self.create()
        seen = self.assert_json(*self.job(command="check"))["data"]
        times = [row[0] for row in self.rows]
        self.assertEqual((seen["rows"], seen["first"][:16], seen["last"][:16]), (len(times), min(times), max(times)))
        self.assertRegex(self.assert_succeeds(*self.job(command="check")), f"times     {min(times)}.* to {max(times)}")


class Uninformative(JobTest):
    def test_counts_whose_intervals_are_wider_than_any_count(self):
        self.create()
        self.change(("epsilon = 1.0", "epsilon = 0.01\nmaximum = 50"))
        self.assert_fails(2, ["privacy.epsilon: an interval would be about ±", "no count is above 50", "say nothing",
                              "privacy.max_steps", "--allow-uninformative"], *self.words("run"))
        self.assert_fails(2, "say nothing", *self.words("check"))
        self.assert_succeeds(*self.words("check", "--allow-uninformative"))
        self.assertIn("refused   an interval would be", self.assert_succeeds(*self.words("plan")))
        self.assertEqual((self.debits(), self.outputs()), ([], []))
        self.assert_succeeds(*self.words("run", "--allow-uninformative"))

    def test_counts_of_more_people_than_are_assumed(self):
        self.create()
        self.change(("epsilon = 1.0", "epsilon = 0.0001"))
        self.assert_fails(2, ["no count is above 10000 if a slot of a series has 10000 people, which is assumed since the "
                              "job does not say it", "say nothing", "or plan.users if there are more people"],
                          *self.words("run"))
        text = (self.folder / "job.toml").read_text()
        self.write("job.toml", text + "[plan]\nusers = 200000\n")
        self.assert_succeeds(*self.words("check"))
        # What is known to be few says nothing at an ε that would do for many.
        self.write("job.toml", text.replace("epsilon = 0.0001", "epsilon = 0.1") + "[plan]\nusers = 30\n")
        said = self.assert_fails(2, "no count is above 30 if a slot of a series has 30 people, so", *self.words("check"))
        self.assertNotIn("assumed", str(said))
        self.assertEqual((self.debits(), self.outputs()), ([], []))


class UninformativeMeans(MeansTest):
    def test_cells_of_which_the_job_says_too_little(self):
        self.create()
        self.assert_refused(2, ["means.max_cells: it is missing", "188 cells", "publicly known"],
                            self.job(("max_cells = 4\n", "")))
        self.assert_refused(2, ["means.counts: it is missing", "who was where and when", "becomes public"],
                            self.job(('counts = "public"\n', "")))
        self.assertEqual(self.debits(), [])

    def test_means_whose_intervals_are_as_wide_as_the_bounds(self):
        self.create()
        few = ("[privacy]", "[plan]\nusers = 3\n[privacy]")
        everywhere = ("max_cells = 4", "max_cells = 188")
        message = self.assert_refused(2, ["in a cell of 3 people an interval would be about ±", "65 apart",
                                          "means.max_cells", "--allow-uninformative"], self.job(few, everywhere))
        self.assertNotIn("plan.users", message)
        self.assert_refused(2, ["in a cell of 10000 people (assumed, since the job does not say how many)",
                                "or plan.users if cells have more people"],
                            self.job(everywhere, ("epsilon = 2.0", "epsilon = 0.05")))
        self.assertEqual(self.debits(), [])
        self.assert_succeeds(*self.job(few, everywhere, flags=("--allow-uninformative",)))

    def test_means_in_which_no_row_counts_are_refused_before_noise(self):
        self.create()
        self.write("places.txt", "North\nWest\n")  # not as the data have them
        self.assertIn("empty     0 of 123 rows count", self.assert_succeeds(*self.job(command="check")))
        self.assert_fails(3, ["no row of the data counts", "--allow-empty", "the budget is reserved, not lost"], *self.job())
        self.assertEqual((self.debits(), "out.csv" in self.files()), ([("buses:1", "reserved")], False))
        done = run(*self.job(flags=("--allow-empty",)))
        self.assertEqual((done.returncode, self.debits()), (0, [("buses:1", "released")]), done.stderr)
        self.assertEqual({line.split(",", 2)[2] for line in self.read("out.csv").splitlines()[1:]}, {",,"})

    def test_a_check_counts_people_above_either_cap(self):
        self.create()
        cells = self.assert_json(*self.job(("max_cells = 4", "max_cells = 1"), command="check"))["data"]
        self.assertEqual((cells["rows"], cells["counted"], cells["keys_matched"]), (len(self.rows), len(self.rows), 3))
        self.assertEqual((cells["people"], cells["people_over_caps"]), (7, 6))  # all but the one that is alone
        few = ("max_cells = 4", "max_cells = 4\nmax_records = 4")
        records = self.assert_json(*self.job(few, command="check"))["data"]
        self.assertEqual((records["people_over_caps"], records["records_over_caps"]), (1, 1 + 86))

    def test_the_offered_budget_names_what_it_makes_public(self):
        self.assert_refused(2, ["--relation replace_values",
                                "where and when people were, and how often, becomes public"], self.job())

    def test_a_command_says_what_it_wrote(self):
        self.create()
        words = self.means("--csv", str(self.folder / "own.csv"), dataset="buses")
        said = self.assert_succeeds(*words)
        self.assertTrue(said.endswith(f"written   {self.folder / 'own.csv'}\n"), said)
        self.assertIn("debit     buses:", said)


class Words(JobTest):
    def test_what_is_not_known_is_answered_with_the_nearest_word(self):
        for words, mention in (
            (("relase", "in.csv"), "relase is not known here; nearest: release; see chronoveil --help"),
            (("run", "job.toml", "--alow-empty"), "nearest: --allow-empty; see chronoveil run --help"),
            (("budget", "shwo"), "nearest: show; see chronoveil budget --help"),
            (("release", "x", "--epsilom=1"), "nearest: --epsilon"),
            (("run", "job.toml", "--epsilon", "1"), "--epsilon is not known here; a job says it: privacy.epsilon; see"),
            (("look", "job.toml", "--json-output", "a"), "nearest: --json-out"),
            (("check", "job.toml", "--output=a"), "--output=a is not known here; a job says it: output.csv; see"),
        ):
            self.assertIn(mention, run(*words).stderr)
        self.change(("max_steps", "max_step"))
        self.assertIn("nearest: privacy.max_steps", run(*self.words("check")).stderr)
        self.assertIn("docs/jobs.md has every key", run(*self.words("check")).stderr)

    def test_a_file_by_the_name_of_another_format_is_not_written(self):
        self.create()
        for ending in ("parquet", "xlsx", "arrow"):
            self.change(('"out.csv"', f'"out.{ending}"'))
            for command in ("check", "run"):
                self.assert_fails(2, ["output.csv: ", f"CSV, JSON and HTML are written, not {ending}"],
                                  *self.words(command))
        self.assertEqual((self.debits(), self.outputs()), ([], []))


if __name__ == "__main__":
    unittest.main()
