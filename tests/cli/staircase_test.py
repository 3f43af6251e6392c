"""noisy_sort by a staircase says its plateau: in the plan, in the debit, and to whoever prices it."""

import json
import unittest

from perturb_jobs import PerturbTest
from program import ProgramTest, run

SORT = ("noisy_sort", "--window", "10", "--max-shift", "60")
STAIRS = (*SORT, "--law", "staircase")


class Debits(PerturbTest):
    def test_a_debit_says_the_plateau_that_was_drawn_with(self):
        self.create()
        for number, (law, plateau) in enumerate((("staircase", 2), ("laplace", None)), 1):
            words = self.by("noisy_sort", "--yes", dataset="meter", set=f"law={law}", csv=self.folder / f"{law}.csv",
                            json_out=self.folder / f"{law}.json")
            done = run(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            event = json.loads(self.read(f"{law}.json"))["plan"]["event"]
            self.assertEqual((event["law"], event.get("plateau")), (law, plateau))
            debits = self.assert_json("budget", "history", "meter", "--ledger", str(self.ledger))["debits"]
            self.assertEqual(debits[number - 1]["event"], event)


class Prices(ProgramTest):
    def delta(self, *words):
        return self.assert_json("account", *STAIRS, "--event-epsilon", "4", *words, "--epsilon", "4")["delta"]

    def test_the_rule_is_meant_where_none_is_given(self):
        self.assertEqual(self.delta("--plateau", "3"), self.delta())
        self.assertNotEqual(self.delta("--plateau", "9"), self.delta())

    def test_a_given_plateau_is_kept_by_calibrate(self):
        answer = self.assert_json("calibrate", *STAIRS, "--plateau", "9", "--epsilon", "4", "--delta", "0.01")
        self.assertEqual(answer["event"]["plateau"], 9)

    def test_what_is_no_plateau_is_refused_by_name(self):
        for sort, plateau in ((STAIRS, "0"), (STAIRS, "10"), (STAIRS, "2.5"), (STAIRS, "x"), (SORT, "3")):
            with self.subTest((sort, plateau)):
                self.assert_fails(2, "plateau: ", "account", *sort, "--event-epsilon", "4", "--plateau", plateau,
                                  "--epsilon", "4")


if __name__ == "__main__":
    unittest.main()
