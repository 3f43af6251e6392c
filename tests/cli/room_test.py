"""A budget counted in releases: as many as are promised are admitted, and the next one is refused."""

import json
import math
import re
import unittest

from jobs import JobTest
from program import FolderTest, run

GAUSSIAN = '{"event":"gaussian","noise_multiplier":%g}'
PURE = '{"event":"pure","epsilon":%g}'


class RoomTest(FolderTest):
    def budget(self, *arguments):
        return self.assert_json("budget", *arguments, "--ledger", str(self.folder / "ledger.db"))

    def debits(self, *arguments):
        done = run("budget", "debit", *arguments, "--ledger", str(self.folder / "ledger.db"))
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return done

    def keeps_its_word(self, name, create, event, *terms, before=(), part=()):
        """The room that is shown after the first debit is what is then admitted; nothing more is."""
        self.budget("create", name, *create)
        for other in before:
            self.budget("debit", name, other)
        self.budget("debit", name, event, *terms)
        room = self.budget("show", name, *part)["room"]
        self.assertFalse(room["or_more"])
        self.assertGreater(room["more"], 0, name)
        for left in range(room["more"], 0, -1):
            self.assertEqual(self.debits(name, event, *terms).returncode, 0, (name, left))
        refused = self.debits(name, event, *terms)
        self.assertEqual(refused.returncode, 4, name)
        self.assertIn("no room for this release, which takes ", refused.stderr)
        self.assertIn("no room for another release like the last one", refused.stderr)
        return room

    def test_every_filter_admits_what_was_promised_and_no_more(self):
        total = ("--epsilon", "1", "--delta", "1e-6")
        for filter, event in (("union", GAUSSIAN % 9), ("zcdp", GAUSSIAN % 11), ("renyi", GAUSSIAN % 12),
                              ("gaussian", GAUSSIAN % 10), ("zcdp", PURE % 0.1), ("union", PURE % 0.3)):
            self.keeps_its_word(f"{filter}-{len(event)}", (*total, "--filter", filter), event)
        room = self.keeps_its_word("sum", (*total, "--filter", "sum"), GAUSSIAN % 30, "--delta", "2e-7")
        self.assertEqual(room["more"], 4)  # five of δ = 2e-7 fill 1e-6: δ counts as well as ε
        self.assertEqual(self.keeps_its_word("tenths", ("--epsilon", "1"), PURE % 0.1)["more"], 9)

    def test_a_mixture_and_a_part_keep_it_too(self):
        self.keeps_its_word("mixed", ("--epsilon", "2", "--delta", "1e-6"), GAUSSIAN % 8, before=(PURE % 0.4,) * 2)
        parts = ("--epsilon", "1", "--delta", "1e-6", "--parts", "north,south", "--relation", "replace")
        self.keeps_its_word("parts", parts, GAUSSIAN % 9, "--part", "north", before=(GAUSSIAN % 20,),
                            part=("--part", "north"))

    def test_it_is_said_before_the_filter(self):
        self.budget("create", "city", "--epsilon", "1", "--delta", "1e-6")
        place = ("--ledger", str(self.folder / "ledger.db"))
        empty = self.assert_succeeds("budget", "show", "city", *place)
        self.assertIn("nothing was debited yet", empty.splitlines()[1])
        self.assertIsNone(self.budget("show", "city")["room"])
        self.budget("debit", "city", GAUSSIAN % 20)
        lines = self.assert_succeeds("budget", "show", "city", *place).splitlines()
        self.assertIn("room for 20 more releases like the last one, city:1 (ε = 0.189, δ = 1e-06)", lines[1])
        self.budget("debit", "city", GAUSSIAN % 1e6)
        room = self.budget("show", "city")["room"]
        self.assertEqual((room["more"], room["or_more"]), (10000, True))
        self.assertIn("more than 10,000 more", self.assert_succeeds("budget", "show", "city", *place))
        refused = self.debits("city", GAUSSIAN % 2).stderr
        self.assertLess(refused.index("no room for this release"), refused.index("the filter union has admitted"))

    def test_one_release_may_take_everything_and_nothing_more_is_promised(self):
        self.budget("create", "city", "--epsilon", "1", "--delta", "1e-6")
        exact = self.assert_json("calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6")["noise_multiplier"]
        self.budget("debit", "city", json.dumps({"event": "gaussian", "noise_multiplier": exact}))
        self.assertEqual(self.budget("show", "city")["room"]["more"], 0)


class JobRoomTest(JobTest):
    def test_plan_and_check_say_what_a_job_takes_and_as_many_runs_are_admitted(self):
        self.create("--epsilon", "2", "--delta", "1e-5")
        checked = self.assert_json(*self.words("check"))["room"]
        planned = self.assert_succeeds(*self.words("plan", "--ledger", str(self.ledger))).splitlines()[-1]
        self.assertTrue(planned.startswith("budget    city: 100.0 % left; this job takes "), planned)
        self.assertIn(f"and {checked['more']} like it would fit", planned)
        self.assertIn(planned.split("; ")[1], self.assert_succeeds(*self.words("check")))
        told = self.assert_json(*self.words("plan", "--ledger", str(self.ledger)))
        self.assertEqual(told["room"], checked)
        self.assertEqual((told["budget"]["dataset"], told["budget"]["share_left"]), ("city", 1))
        self.assertIn(f"this job takes {math.ceil(1000 * told['room']['share']) / 10} % of the budget", planned)
        self.assertNotIn("room", self.assert_json(*self.words("plan")))
        for left in range(checked["more"] - 1, -1, -1):
            told = f", room for {left} more like it\n" if left else ", too little for another like it\n"
            done = self.assert_succeeds(*self.words("run", "--yes"))
            self.assertIn(told, done)
        last = re.search(r"(?m)^debit     (.*)$", done)[1]
        again = self.assert_succeeds(*self.words("run", "--again", last))  # what is emitted anew takes nothing
        self.assertRegex(again, r"(?m)^budget    city: [0-9.]+ % left$")
        refused = run(*self.words("run", "--yes"))
        self.assertEqual(refused.returncode, 4)
        self.assertIn("no room for another release like the last one", refused.stderr)
        # A plan needs no room, nor a dataset.
        lacks = re.search(r"takes [0-9.]+ % of the budget; [0-9.]+ % is left", refused.stderr)[0]
        self.assertIn(f"; this job does not fit: it {lacks}\n",
                      self.assert_succeeds(*self.words("plan", "--ledger", str(self.ledger))))
        unknown = self.assert_succeeds(*self.words("plan", "--ledger", str(self.folder / "none.db")))
        self.assertIn("budget    not known yet: there is no dataset 'city' in the ledger yet; create it", unknown)
        unknown = self.assert_json(*self.words("plan", "--ledger", str(self.folder / "none.db")))
        self.assertIsNone(unknown["room"])
        self.assertIn("dataset.name", unknown["budget"]["unknown"])

    def test_while_nothing_is_debited_a_filter_that_takes_much_less_is_named(self):
        self.create("--epsilon", "3", "--delta", "1e-5", "--filter", "sum")
        told = self.assert_json(*self.words("check"))["room"]
        other = told["thriftier"]
        self.assertLessEqual(other["share"], told["share"] / 2)
        self.assertIn(f"deleted and created anew with --filter {other['filter']}, it would take ",
                      self.assert_succeeds(*self.words("plan", "--ledger", str(self.ledger))))
        self.assert_succeeds("budget", "delete", "city", "--ledger", str(self.ledger))
        self.create("--epsilon", "3", "--delta", "1e-5", "--filter", other["filter"])
        anew = self.assert_json(*self.words("check"))["room"]
        self.assertEqual(anew["share"], other["share"])
        self.assertGreater(anew["more"], told["more"])
        self.assertNotIn("thriftier", anew)

    def test_once_something_is_debited_the_filter_stays(self):
        self.create("--epsilon", "3", "--delta", "1e-5", "--filter", "sum")
        self.assert_succeeds(*self.words("run"))
        self.assertNotIn("thriftier", self.assert_json(*self.words("check"))["room"])


if __name__ == "__main__":
    unittest.main()
