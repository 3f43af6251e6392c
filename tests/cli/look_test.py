"""A look at how many slots people fill: it is debited, writes caps into the job and nothing else, and the release says
where they came from."""

import json
import os
import tomllib
import unittest

import means_jobs
from jobs import JOB, JobTest
from program import FolderTest, run

# 4,000 people: most with 1 or 2 hours, a tenth with 8; nobody has more.
PEOPLE = 4000
HOURS = [8 if person % 10 == 0 else 1 + person % 2 for person in range(PEOPLE)]
TRIPS = "card,ts,stop\n" + "".join(
    f"c{person},2026-03-{28 + (person + hour) % 2}T{3 + (person * 7 + hour * 3) % 20:02}:30,"
    f"{'north' if person % 3 else 'south'}\n" for person in range(PEOPLE) for hour in range(HOURS[person]))
COMMENTED = JOB.replace("max_steps = 2\n", "# how much of one person counts is not known yet\n").replace(
    "epsilon = 1.0\n", "epsilon = 1.0   # of the release\n")


class LookTest(JobTest):
    def setUp(self):
        super().setUp()
        self.write("trips.csv", TRIPS)
        self.job.write_text(COMMENTED, encoding="utf-8")

    def look(self, *flags):
        """At so little noise that it decides nothing: 25 b lie between one person and none."""
        epsilon = () if "--epsilon" in flags else ("--epsilon", "50")
        return ("look", str(self.job), *epsilon, *flags, "--ledger", str(self.ledger))

    def states(self):
        return [state for _, state in self.debits()]

    def create(self, *arguments):
        super().create(*(arguments or ("--epsilon", "200", "--delta", "1e-5")))

    def looked(self, *flags):
        self.create()
        done = run(*self.look(*flags))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def added(self):
        """The lines that are new in the job; all others are there, in order, to the byte."""
        old, new = COMMENTED.splitlines(True), self.job.read_bytes().decode().splitlines(True)
        added = [line for line in new if line not in old]
        self.assertEqual([line for line in new if line not in added], old)
        return added


class Looking(LookTest):
    def test_the_debit_the_job_and_the_words_of_the_release(self):
        shown = self.looked("--lengths", "1h")
        self.assertEqual(self.added(), ["max_steps = 8\n", 'caps_from = "city:1"\n'])
        for words in ("debit     city:1", f"written   {self.job}", "max_steps = 8", "slots of 1h", "ε = 50, δ = 0"):
            self.assertIn(words, shown)
        debit = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))["debits"][0]
        self.assertEqual((debit["id"], debit["mechanism"], debit["state"]), ("city:1", "look", "released"))
        self.assertEqual(debit["event"]["event"], "laplace")

        self.assert_succeeds(*self.words("run"))
        release = json.loads((self.folder / "out.json").read_text())
        said = {each["text"]: each["basis"] for each in release["guarantee"]["assumptions"]}
        self.assertEqual(said["caps: exactly those that the look debited as city:1 proposed for this job; its cost comes on "
                              "top"], "enforced")
        self.assertIn("but for what a look proposed, the job was written without looking at the data: everything in it is public", said)
        self.assertIn("those that the look debited as city:1 proposed", (self.folder / "out.html").read_text())
        self.assertEqual(self.states(), ["released", "released"])

    def test_the_table_and_the_noisy_numbers_are_near_the_truth(self):
        self.looked("--lengths", "1h,1d", "--json-out", str(self.folder / "look.json"))
        look = json.loads((self.folder / "look.json").read_text())
        self.assertEqual(look["kind"], "look")
        hours = look["questions"][0]
        # It is above 20 b with probability 2e-9.
        self.assertAlmostEqual(look["plan"]["scale"], 2 / 50, places=12)
        for first, last, people in zip(hours["first"], hours["last"], hours["people"]):
            self.assertLess(abs(people - sum(first <= own <= last for own in HOURS)), 0.8, first)
        self.assertLess(abs(look["people"] - PEOPLE), 5)
        for choice in look["choices"]:
            if choice["length"] == "1h" and choice["cap"] in (1, 2):
                middle = [7 if own == 8 else own for own in HOURS]  # of its bin, 6 to 8
                kept = sum(min(own, choice["cap"]) for own in middle) / sum(middle)
                self.assertAlmostEqual(choice["left_out"], 1 - kept, delta=0.01)
        verified = run("budget", "verify", "--against", str(self.folder / "look.json"), "--ledger", str(self.ledger))
        self.assertEqual(verified.returncode, 0, verified.stderr)

    def test_a_cap_that_is_there_is_replaced_and_a_copy_leaves_the_job_alone(self):
        text = JOB.replace("max_steps = 2", 'max_steps = "all"  # for now').replace("\n", "\r\n")
        self.job.write_bytes(text.encode())
        copy = self.folder / "capped.toml"
        self.looked("--lengths", "1h", "--output", str(copy))
        self.assertEqual(self.job.read_bytes(), text.encode())
        expected = text.replace('max_steps = "all"', "max_steps = 8").replace(
            "delta = 1e-6\r\n", 'delta = 1e-6\r\ncaps_from = "city:1"\r\n')
        self.assertEqual(copy.read_bytes(), expected.encode())

    def test_longer_slots_where_the_job_s_own_would_tell_little(self):
        self.job.write_text(COMMENTED.replace("epsilon = 1.0", "epsilon = 0.05"), encoding="utf-8")
        self.looked()
        self.assertIn('length = "1d"\n', self.job.read_text())
        self.assert_succeeds(*self.words("run", "--allow-uninformative"))

    def test_records_are_asked_for_where_they_count(self):
        self.job.write_text(COMMENTED.replace("epsilon = 1.0", "max_per_slot = 20\nepsilon = 1.0"), encoding="utf-8")
        shown = self.looked("--lengths", "1h")
        self.assertIn("records in one slot", shown)
        self.assertIn("max_per_slot = 1\n", self.job.read_text())

    def test_gaussian_noise_where_it_is_less(self):
        self.job.write_text(COMMENTED.replace('unit = "user"', 'unit = "user"\nrelation = "replace"'), encoding="utf-8")
        plan = self.assert_json("look", str(self.job), "--dry-run", "--epsilon", "0.5", "--delta", "1e-6", "--lengths",
                                "1h,2h,3h,4h,6h,8h,12h,1d")
        self.assertEqual((plan["plan"]["mechanism"], plan["plan"]["delta"]), ("gaussian", 1e-6))
        self.assertAlmostEqual(plan["plan"]["sensitivity"], 4, places=12)
        self.assertNotIn("people", plan["questions"][0])

    def test_a_replacement_changes_twice_as_much(self):
        self.job.write_text(COMMENTED.replace('unit = "user"', 'unit = "user"\nrelation = "replace"'), encoding="utf-8")
        plan = self.assert_json("look", str(self.job), "--dry-run", "--lengths", "1h", "--epsilon", "0.5")
        self.assertEqual((plan["plan"]["sensitivity"], plan["plan"]["scale"]), (2, plan["plan"]["scale"]))
        self.assertAlmostEqual(plan["plan"]["scale"], 4, places=9)
        self.assertEqual(plan["guarantee"]["relation"], "replace")

    def test_too_few_people_are_said(self):
        self.write("trips.csv", "".join(TRIPS.splitlines(True)[:4]))
        shown = run("look", str(self.job), "--seed", "1", "--epsilon", "0.05").stdout
        self.assertIn("Too few people for this noise: no cap can be proposed", shown)
        self.assertNotIn("[privacy]", shown)


class Order(LookTest):
    def test_a_seed_is_not_private_touches_no_ledger_and_writes_nothing(self):
        shown = [run("look", str(self.job), "--seed", "7") for _ in range(2)]
        self.assertEqual(shown[0].stdout, shown[1].stdout)
        self.assertEqual((shown[0].returncode, shown[0].stderr), (0, "seeded: not private\n"))
        self.assertIn("guarantee seeded: not private", shown[0].stdout)
        self.assertEqual((self.added(), self.ledger.exists()), ([], False))

    def test_a_second_look_is_refused_and_the_stored_one_is_free(self):
        self.looked("--lengths", "1h")
        first = self.job.read_bytes()
        self.assert_fails(2, ["city:1", "--yes", "--again city:1"], *self.look("--lengths", "1h"))
        self.job.write_text(COMMENTED, encoding="utf-8")
        self.assert_succeeds(*self.look("--again", "city:1"))
        self.assertEqual(self.job.read_bytes(), first)
        self.assertEqual(len(self.debits()), 1)

    def test_where_too_many_people_are_in_bins_too_small_to_see_nothing_is_proposed(self):
        """Half of 1,300 people come one day, the others 2 to 28: of the bins, only the first can stand out."""
        days = [1 if person % 2 else 2 + person % 27 for person in range(1300)]
        self.write("trips.csv", "card,ts,stop\n" + "".join(
            f"c{person},2026-03-{1 + day:02}T08:30,north\n" for person in range(1300) for day in range(days[person])))
        self.job.write_text(COMMENTED.replace("2026-03-28", "2026-03-01").replace("2026-03-30", "2026-03-29").replace(
            'length = "1h"', 'length = "1d"'), encoding="utf-8")

        def look(epsilon, seed):
            done = run(*self.look("--epsilon", epsilon, "--seed", seed))
            self.assertEqual(done.returncode, 0, done.stderr)
            (unseen,) = [int(line.split()[-1]) for line in done.stdout.splitlines()
                         if line.startswith("slots of 1d") and "left out" not in line]
            return unseen, "no cap can be proposed" in done.stdout
        for seed in "12345678":
            unseen, nothing = look("0.05", seed)
            self.assertGreater(unseen, 325)  # a quarter of all
            self.assertTrue(nothing)
        # With more of the budget all of them are seen.
        unseen, nothing = look("20", "1")
        self.assertLess(unseen, 10)
        self.assertFalse(nothing)

    def test_a_bad_row_costs_nothing_more_once_it_is_mended(self):
        self.create()
        self.write("trips.csv", TRIPS + "c1,gestern,north\n")
        done = run(*self.look())
        self.assertEqual(done.returncode, 3)
        self.assertIn("the debit city:1, for which nothing was drawn, at no further cost; mend the row", done.stderr)
        self.assertNotIn("gestern", done.stderr)
        self.assertEqual((self.added(), self.states()), ([], ["reserved"]))
        self.write("trips.csv", TRIPS)
        done = run(*self.look())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("used the debit city:1", done.stderr)
        self.assertEqual(self.states(), ["released"])

    def test_a_terminal_is_asked(self):
        self.create()
        code, shown = self.on_terminal([*self.look("--lengths", "1h")], b"n\n")
        self.assertEqual((code, self.debits(), self.added()), (2, [], []), shown)
        self.assertIn("Debit it?", shown)
        code, shown = self.on_terminal([*self.look("--lengths", "1h", "--yes")])
        self.assertEqual(code, 0, shown)

    def test_without_room_there_is_no_look(self):
        self.create("--epsilon", "0.1")
        self.assert_fails(4, ["city", "look with --epsilon 0.1 would fit"], *self.look())
        self.assertEqual((self.debits(), self.added()), ([], []))

    def test_a_debit_that_is_no_look_is_not_believed(self):
        self.looked("--lengths", "1h")
        capped = self.job.read_text()
        self.assert_succeeds(*self.words("run"))
        for wrong in ("city:2", "city:9", "town:1", "city", "\\u001b[2J"):
            self.job.write_text(capped.replace("city:1", wrong), encoding="utf-8")
            self.assert_fails(2, "privacy.caps_from", *self.words("run"))
        self.assertEqual(len(self.debits()), 2)


    def caps(self, text, name="x"):
        """What a release of that job says of its caps."""
        job = self.write(f"{name}.toml", text.replace('"out.', f'"{name}.'))
        done = run("run", str(job), "--ledger", str(self.ledger), "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        release = json.loads((self.folder / f"{name}.json").read_text())
        return [(each["basis"], each["text"]) for each in release["guarantee"]["assumptions"]
                if each["text"].startswith("caps: ")]

    def test_caps_are_believed_as_far_as_the_look_goes(self):
        self.looked("--lengths", "1h")
        capped = self.job.read_text()
        exactly = [("enforced", "caps: exactly those that the look debited as city:1 proposed for this job; its cost comes "
                    "on top")]

        def chosen(but):
            return [("declared", f"caps: chosen by the look debited as city:1, {but}, and by public facts alone; its cost "
                     "comes on top")]
        self.assertEqual(self.caps(capped), exactly)
        for old, new in (("epsilon = 1.0", "epsilon = 0.5"), ('name = "gaussian"', 'name = "laplace"')):
            self.assertIn(old, capped)
            self.assertEqual(self.caps(capped.replace(old, new)), exactly, "what a look does not depend on")
        self.assertEqual(self.caps(capped.replace("max_steps = 8", "max_steps = 7")), chosen("which proposed others"))
        self.assertEqual(self.caps(capped.replace("2026-03-30T00:00", "2026-03-29T00:00")),
                         chosen("which asked about another job or span"))
        self.assertNotIn("max_per_slot", capped)
        self.assertEqual(self.caps(capped.replace("max_steps = 8", "max_steps = 8\nmax_per_slot = 5")),
                         chosen("which asked about another job or span"), "a cap that the look did not propose")
        stored = next((self.folder / "ledger.db.releases").glob("city-1.json"))
        kept = stored.read_bytes()
        stored.write_bytes(kept.replace(b'"value":"8"', b'"value":"7"'))
        self.assertNotEqual(stored.read_bytes(), kept)
        self.assertEqual(self.caps(capped.replace("max_steps = 8", "max_steps = 7")), chosen("which is not stored here"))
        stored.unlink()
        self.assertEqual(self.caps(capped), chosen("which is not stored here"))


class BadInput(LookTest):
    def refused(self, mentions, *flags, code=2):
        before = self.job.read_bytes()
        self.assert_fails(code, mentions, *self.look(*flags))
        self.assertEqual((self.job.read_bytes(), self.debits() if self.ledger.exists() else []), (before, []))

    def test_options(self):
        self.create()
        for flags, mentions in ((("--epsilon", "0"), "--epsilon: 0 is not valid"),
                                (("--epsilon", "nan"), "--epsilon"),
                                (("--delta", "1"), "--delta: 1 is not valid"),
                                (("--lengths", "7h"), "--lengths: 7h is not valid"),
                                (("--lengths", "30min"), "--lengths: 30min is not valid"),
                                (("--lengths", "1h,60min"), "--lengths: 60min is not valid"),
                                (("--output", str(self.folder / "trips.csv")), "is the source"),
                                (("--output", str(self.folder / "stops.txt")), "--output"),
                                (("--json-out", str(self.job)), "--json-out")):
            with self.subTest(flags):
                self.refused(mentions, *flags)
        for path in (self.ledger, self.folder / "none" / "x.toml"):
            self.refused("--output", "--output", str(path), code=5)

    def test_jobs(self):
        self.create()
        for old, new, mentions in (('user = "card"\n', "", "source.user: it is missing"),
                                   ('unit = "user"', 'unit = "event"', "privacy.unit: event is not valid"),
                                   ("[output]", '[live]\nname = "x"\n[output]', "live"),
                                   ('length = "1h"', 'length = "7h"', "slots.length")):
            with self.subTest(new):
                self.job.write_text(COMMENTED.replace(old, new), encoding="utf-8")
                self.refused(mentions)
        head, rest = COMMENTED.split("[privacy]\n")
        privacy, rest = rest.split("[mechanism]\n")
        table = "privacy = {" + ", ".join(line.split("#")[0] for line in privacy.splitlines() if line[0] != "#") + "}\n"
        self.job.write_text(table + head + "[mechanism]\n" + rest, encoding="utf-8")
        self.refused("write each section as [privacy]")

    def test_a_release_without_caps_names_the_look(self):
        self.create()
        self.assert_fails(2, ["privacy.max_steps: it is missing", "chronoveil look"], *self.words("run"))

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_job_that_cannot_be_written(self):
        self.create()
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.refused("--output", code=5)

    def test_nobody_is_looked_at_like_anybody(self):
        """Were it refused, that would tell with certainty whether the only person is there."""
        self.create()
        self.write("trips.csv", "card,ts,stop\nc1,2020-01-01T00:00,north\n")
        done = run(*self.look("--lengths", "1h", "--json-out", str(self.folder / "look.json")))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        look = json.loads((self.folder / "look.json").read_text())
        self.assertEqual((look["proposal"], self.added(), self.states()), ([], [], ["released"]))
        self.assertNotIn("some row counts", str(look["guarantee"]))


class Means(FolderTest):
    """3,000 buses in 1 to 4 cells, with speeds from 20 to 40 between public bounds that are far wider."""

    JOB = means_jobs.JOB.replace("max_cells = 4\n", "max_records = 1  # as the timetable says\n").replace(
        "upper = 65.0", "upper = 320.0").replace('name = "clip_mean"', 'name = "auto"')

    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"
        self.write("places.txt", "".join(place + "\n" for place in means_jobs.PLACES))
        self.write("in.csv", means_jobs.HEADER + "".join(
            f"b{bus},2026-03-28T{5 + (bus + 5 * cell) % 19:02}:30,{('north', 'south')[bus % 2]},{20 + bus * 7 % 20}.5\n"
            for bus in range(3000) for cell in range(1 + bus % 4)))

    def look_at(self, text, relation, *flags):
        job = self.write("job.toml", text)
        self.assert_succeeds("budget", "create", "buses", "--epsilon", "1000", "--relation", relation, "--ledger",
                             str(self.ledger))
        shown = self.assert_succeeds("look", str(job), "--epsilon", "200", *flags, "--ledger", str(self.ledger))
        return job.read_text(), shown

    def test_cells_and_bounds_where_counts_are_public_or_private(self):
        for counts, promise, relation in (("public", "replace_values", "replace"), ("private", "add_remove", "add_remove")):
            with self.subTest(counts):
                self.ledger = self.folder / f"{counts}.db"
                text, shown = self.look_at(self.JOB.replace('"public"', f'"{counts}"'), promise, "--lengths", "1h")
                self.assertIn(f"unit user, {relation}: ε = 200", shown)
                found = tomllib.loads(text)
                # 40 buses in a cell, or 16 with one cell each: the noise of one cell a bus, in cells not half as full.
                self.assertEqual(found["means"]["max_cells"], 1)
                # A bin is 10 wide: what is between 20 and 40 may lose little at its ends.
                self.assertLessEqual((found["means"]["lower"], found["means"]["upper"]), (30, 40))
                self.assertGreaterEqual(found["means"]["lower"], 10)
                self.assertIn("max_records = 1  # as the timetable says", text)
                run(*("run", str(self.folder / "job.toml"), "--ledger", str(self.ledger)))
                released = json.loads((self.folder / "out.json").read_text())
                self.assertIn("caps: exactly those that the look debited as buses:1 proposed for this job; its cost comes "
                              "on top",
                              [each["text"] for each in released["guarantee"]["assumptions"]])

    def test_a_value_that_is_no_number_is_an_error(self):
        with open(self.folder / "in.csv", "a", encoding="utf-8") as file:
            file.write("b1,2026-03-28T07:30,north,nan\n")
        job = self.write("job.toml", self.JOB)
        done = run("look", str(job), "--seed", "1")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("row 7501", done.stderr)

    def test_a_release_without_caps_names_the_look(self):
        job = self.write("job.toml", self.JOB)
        self.assert_fails(2, ["means.max_cells: it is missing", "chronoveil look"], "plan", str(job))


if __name__ == "__main__":
    unittest.main()
