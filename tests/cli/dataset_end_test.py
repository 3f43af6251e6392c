"""Closing and deleting datasets: neither ever makes room."""

import json
import os
import shutil
import subprocess
import unittest

from budget_test import Rows
from jobs import JobTest
from program import PROGRAM, run

HALF = '{"event":"pure","epsilon":0.5}'


class EndTest(JobTest):
    def budget(self, *words, code=0, ledger=None):
        done = run("budget", *words, "--ledger", str(ledger or self.ledger))
        self.assertEqual(done.returncode, code, (words, done.stderr))
        return done.stdout + done.stderr

    def rows(self, name="city"):
        return [json.loads(line)["kind"] for line in self.budget("export", name).splitlines()]

    def test_a_dataset_without_debits_is_deleted_and_created_anew_in_one_chain(self):
        self.create("--epsilon", "1", "--delta", "1e-6")
        said = self.budget("create", "city", "--epsilon", "2", code=2)
        self.assertIn("chronoveil budget delete city", said)
        self.assertEqual(self.budget("delete", "city"), "deleted city\n")
        self.assertEqual(self.budget("list"), "")
        for command in (("show", "city"), ("debit", "city", HALF), ("delete", "city"), ("close", "city", "--reason", "x")):
            self.assertIn("one that was created", self.budget(*command, code=2))
        self.budget("create", "city", "--epsilon", "2", "--filter", "sum")
        self.assertIn("reserved city:3", self.budget("debit", "city", HALF))  # no number is given twice
        self.assertEqual(self.rows(), ["create", "deleted", "create", "debit"])
        self.assertIn("75.0 % left", self.budget("list"))
        self.assertIn("holds: 1 datasets, 4 rows, 1 debits", self.budget("verify"))

    def test_what_was_debited_or_carried_is_not_deleted(self):
        self.create("--epsilon", "1")
        self.budget("backup", str(self.folder / "empty.db"))
        self.budget("debit", "city", HALF)
        self.budget("settle", "city:1", "--abandoned")
        self.assertIn("never forgotten", self.budget("delete", "city", code=2))
        restored = self.folder / "restored.db"
        self.budget("restore", str(self.folder / "empty.db"), ledger=restored)
        self.assertIn("may have debits", self.budget("delete", "city", code=2, ledger=restored))
        self.assertIn("may have debits", self.budget("delete", "city", code=2, ledger=self.folder / "empty.db"))
        self.budget("create", "town", "--epsilon", "1")
        self.budget("move", str(self.folder / "there.db"))
        self.assertIn("moved", self.budget("delete", "town", code=2))
        self.assertIn("may have debits", self.budget("delete", "town", code=2, ledger=self.folder / "there.db"))

    def test_a_stored_release_speaks_against_it(self):
        self.create()
        shutil.copy(self.ledger, self.folder / "older")
        self.assert_succeeds(*self.words("run"))
        shutil.copy(self.folder / "older", self.ledger)
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        self.assertIn("does not have the debit city:1", self.budget("delete", "city", code=5))
        self.assertIn("does not have the debit city:1", self.budget("close", "city", "--reason", "x", code=5))

    def test_a_deletion_written_after_a_debit_is_found(self):
        self.create("--epsilon", "1")
        self.budget("debit", "city", HALF)
        rows = Rows(self.ledger)
        kept = rows.read()
        rows.write([*kept, (*kept[-1][:4], "deleted", "{}", "", "")])
        for command in (("show", "city"), ("create", "city", "--epsilon", "1"), ("debit", "city", HALF)):
            self.assertIn("row 2 of dataset 'city' is not allowed here", self.budget(*command, code=5))

    def test_copies_keep_what_was_deleted(self):
        self.create("--epsilon", "1")
        self.budget("delete", "city")
        self.budget("backup", str(self.folder / "backup.db"))
        restored = self.folder / "restored.db"
        self.assertEqual(self.budget("restore", str(self.folder / "backup.db"), ledger=restored), "restored\n")
        self.assertIn("exists there already", self.budget("restore", str(self.folder / "backup.db"), code=2))
        self.assertEqual(self.budget("list", ledger=restored), "")
        self.budget("create", "city", "--epsilon", "3", ledger=restored)
        self.assertIn("holds", self.budget("verify", ledger=restored))

    def test_a_signed_and_anchored_one_moves_and_is_created_anew_there(self):
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

        def anchored(*words, ledger="ledger.db", code=0):
            done = subprocess.run([os.path.abspath(PROGRAM), *words, *(("--ledger", ledger) if words[0] == "budget" else ())], env=variables,
                                  cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            return done.stdout + done.stderr
        anchored("key", "create", "owner")
        variables |= {"CHRONOVEIL_ANCHOR": "anchor", "CHRONOVEIL_KEY": "owner.key"}
        anchored("budget", "create", "city", "--epsilon", "1")
        anchored("budget", "delete", "city")
        variables.pop("CHRONOVEIL_KEY")
        self.assertIn("is signed", anchored("budget", "create", "city", "--epsilon", "9", code=2))
        variables["CHRONOVEIL_KEY"] = "owner.key"
        anchored("budget", "move", "there.db")
        self.assertIn("moved to another ledger", anchored("budget", "create", "city", "--epsilon", "1", code=2))
        anchored("budget", "create", "city", "--epsilon", "3", ledger="there.db")
        anchored("budget", "debit", "city", HALF, ledger="there.db")
        self.assertIn("every seal is signed", anchored("budget", "verify", "--key", "owner.pub", ledger="there.db"))

    def test_a_closed_dataset_pays_for_nothing_new_and_keeps_what_is_paid(self):
        self.create()
        self.budget("debit", "city", '{"event":"gaussian","noise_multiplier":20,"count":2}', "--slots")
        self.budget("close", "city", "--reason", "", code=2)
        self.assertEqual(self.budget("close", "city", "--reason", "misnamed"), "closed city\n")
        self.assertIn("closed before (misnamed)", self.budget("close", "city", "--reason", "again", code=2))
        self.assertIn("was closed (misnamed)", self.budget("debit", "city", HALF, code=2))
        self.assert_fails(2, "was closed (misnamed)", *self.words("run"))
        self.budget("slot", "city:1/0", '{"event":"gaussian","noise_multiplier":20}')
        self.budget("settle", "city:1/0", "--released")
        self.assert_fails(2, "was closed (misnamed)", *self.words("check"))
        shown = self.budget("show", "city")
        self.assertIn("closed        misnamed", shown)
        self.assertNotIn("room for", shown)
        self.assertIn("; closed", self.budget("list"))
        said = self.budget("create", "city", "--epsilon", "1", code=2)
        self.assertIn("adds up for whoever is in both", said)
        self.assertIn("holds", self.budget("verify"))


if __name__ == "__main__":
    unittest.main()
