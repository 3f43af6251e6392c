"""Keys, signed ledgers and signed releases from outside; anchors."""

import json
import os
import stat
import subprocess
import unittest
from pathlib import Path

from jobs import JobTest
from means_jobs import MeansTest
from perturb_jobs import PerturbTest
from program import PROGRAM, without_spent

HALF = '{"event":"pure","epsilon":0.5}'


class Owner:
    """Somebody with a key, in the folder of a test."""

    variables = {}

    def run_with(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **self.variables}
        return subprocess.run([os.path.abspath(PROGRAM), *map(str, words)], capture_output=True, text=True,
                              encoding="utf-8", cwd=self.folder, env=environment, timeout=120, check=False)

    def told(self, *words):
        done = self.run_with(*words)
        self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""), words)
        return done.stdout

    def refused(self, code, says, *words):
        done = self.run_with(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (words, done.stderr))
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def budget(self, *words):
        return ("budget", *words, "--ledger", self.ledger)

    def sign_with(self, name):
        if not (self.folder / (name + ".key")).exists():
            self.told("key", "create", name)
        self.variables = {"CHRONOVEIL_KEY": str(self.folder / (name + ".key"))}

    def assert_signed(self, *command):
        """A job of any kind, in a dataset that is signed by hand: anybody can verify what it writes."""
        self.create()
        self.sign_with("owner")
        self.told(*self.budget("sign"))
        self.told(*command)
        self.variables = {}
        self.assertRegex(self.told("verify", "out.json", "--key", "owner.pub"), r"^holds: signed by .*; debit \w+:1\n$")
        text = (self.folder / "out.json").read_text(encoding="utf-8")
        (self.folder / "out.json").write_text(text.replace('"epsilon":', '"epsilon":1', 1), encoding="utf-8")
        self.refused(5, "changed after it was signed", "verify", "out.json", "--key", "owner.pub")


class SignedMeans(MeansTest, Owner):
    def test_are_verified_by_anybody(self):
        self.assert_signed(*self.job())


class SignedPerturbation(PerturbTest, Owner):
    def test_is_verified_by_anybody(self):
        self.assert_signed(*self.job())


class Signed(JobTest, Owner):
    def test_a_backup_that_cannot_be_made_whole_holds_nothing(self):
        for name in ("aa", "bb"):
            self.sign_with(name)
            self.told(*self.budget("create", name, "--epsilon", "1"))
        self.sign_with("aa")
        keys = {name: self.told("key", "show", f"{name}.key").strip() for name in ("aa", "bb")}
        self.refused(2, "signed by several keys: " + "; ".join(f"'{name}' by {keys[name]}" for name in
                                                               sorted(keys, key=keys.get)), *self.budget("backup", "part.db"))
        self.refused(2, "no dataset", "budget", "restore", "part.db", "--ledger", self.folder / "new.db")
        self.told(*self.budget("sign", "bb"))  # by the one key
        self.told(*self.budget("backup", "whole.db"))
        self.told("budget", "restore", "whole.db", "--ledger", self.folder / "new.db")

    def test_a_key_is_made_once_and_shown(self):
        made = json.loads(self.told("key", "create", "owner", "--json"))
        self.assertEqual((made["secret"], made["public"]), ("owner.key", "owner.pub"))
        self.assertEqual(stat.S_IMODE((self.folder / "owner.key").stat().st_mode), 0o600)
        before = (self.folder / "owner.key").read_bytes()
        self.refused(5, "owner.pub", "key", "create", "owner")
        (self.folder / "owner.pub").unlink()
        self.refused(5, "owner.key", "key", "create", "owner")
        self.assertEqual((self.folder / "owner.key").read_bytes(), before)
        self.assertFalse((self.folder / "owner.pub").exists())
        self.assertEqual(self.told("key", "show", "owner.key"), made["key"] + "\n")
        self.assertNotIn(before.split()[1].decode(), self.told("key", "show", "owner.key"))
        self.refused(5, "nowhere", "key", "show", "nowhere")
        os.chmod(self.folder / "owner.key", 0o644)
        self.variables = {"CHRONOVEIL_KEY": "owner.key"}
        self.refused(5, "mode 0600", *self.budget("create", "city", "--epsilon", "1"))

    def test_a_ledger_is_signed_and_verified_with_the_public_key(self):
        self.told("key", "create", "other")
        self.sign_with("owner")
        self.told(*self.budget("create", "city", "--epsilon", "1"))
        self.told(*self.budget("debit", "city", HALF))
        self.variables = {}
        self.assertIn("every seal is signed", self.told(*self.budget("verify", "--key", "owner.pub")))
        done = self.run_with(*self.budget("verify", "--key", "other.pub"))
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn("another key", done.stderr)
        self.refused(2, "is signed", *self.budget("debit", "city", HALF))
        self.sign_with("other")
        self.refused(2, "budget sign city", *self.budget("debit", "city", HALF))
        self.assertEqual(self.told(*self.budget("sign")), "signed city\n")
        self.told(*self.budget("debit", "city", HALF))
        self.told(*self.budget("verify", "--key", "other.pub"))

    def test_a_release_is_verified_by_anybody_without_a_ledger(self):
        self.told("key", "create", "other")
        self.sign_with("owner")
        self.told(*self.budget("create", "city", "--epsilon", "8", "--delta", "1e-5"))
        self.told("run", self.job, "--ledger", self.ledger)
        self.variables = {}
        release = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.ledger.unlink()
        line = self.told("verify", "out.json", "--key", "owner.pub")
        self.assertRegex(line, r"^holds: signed by [0-9a-f]{16}…; DP, ε = 1, δ = 1e-06, unit user, add_remove, exact; "
                               r"debit city:1\n$")
        told = json.loads(self.told("verify", "out.json", "--key", "owner.pub", "--json"))
        self.assertEqual((told["holds"], told["guarantee"]), (True, release["guarantee"]))
        self.refused(5, "another key", "verify", "out.json", "--key", "other.pub")
        self.assertEqual(set(release["signature"]), {"key", "digest", "value"})

        def forged(change):
            copy = json.loads(json.dumps(release))
            change(copy)
            (self.folder / "forged.json").write_text(json.dumps(copy), encoding="utf-8")
        for name, change in {
                "nothing but the order and the spaces": lambda r: None,
                "the title": lambda r: r.update(title="Another"),
        }.items():
            with self.subTest(name):
                forged(change)
                self.told("verify", "forged.json", "--key", "owner.pub")
        for name, change in {
                "epsilon": lambda r: r["guarantee"].update(epsilon=0.1),
                "an assumption": lambda r: r["guarantee"]["assumptions"].pop(),
                "a value": lambda r: r["series"][0]["value"].__setitem__(3, 5),
                "the debit": lambda r: r["debit"].update(id="city:2"),
                "one key more": lambda r: r.update(note="trust me"),
                "one key less": lambda r: r.pop("plan"),
        }.items():
            with self.subTest(name):
                forged(change)
                self.refused(5, "changed after it was signed", "verify", "forged.json", "--key", "owner.pub")
        forged(lambda r: r.pop("signature"))
        self.refused(5, "not signed", "verify", "forged.json", "--key", "owner.pub")
        forged(lambda r: r["signature"].update(value="0" * 128))
        self.refused(5, "not by this key", "verify", "forged.json", "--key", "owner.pub")
        text = (self.folder / "out.json").read_text(encoding="utf-8")
        (self.folder / "forged.json").write_text(text.replace("{", '{"guarantee":{"epsilon":0.01},', 1), encoding="utf-8")
        self.refused(3, "twice", "verify", "forged.json", "--key", "owner.pub")

    def test_a_release_that_is_nested_without_end_is_refused(self):
        self.told("key", "create", "owner")
        self.told(*self.budget("create", "city", "--epsilon", "1"))
        debit = json.loads(self.told(*self.budget("debit", "city", HALF, "--json")))["debit"]
        for opens, closes in (("[", "]"), ('{"a":', "}")):
            text = f'{{"debit":{json.dumps(debit)},"a":{opens * 300_000}1{closes * 300_000}}}'
            (self.folder / "deep.json").write_text(text, encoding="utf-8")
            self.refused(3, "nested too deep", "verify", "deep.json", "--key", "owner.pub")
            self.refused(3, "nested too deep", *self.budget("verify", "--against", "deep.json"))

    def test_what_is_not_private_is_not_signed(self):
        self.sign_with("owner")
        done = self.run_with("run", self.job, "--seed", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("signature", json.loads((self.folder / "out.json").read_text(encoding="utf-8")))

    def test_a_release_that_is_emitted_anew_is_signed_anew(self):
        self.sign_with("owner")
        self.told(*self.budget("create", "city", "--epsilon", "8", "--delta", "1e-5"))
        self.told("run", self.job, "--ledger", self.ledger)
        first = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.told("run", self.job, "--ledger", self.ledger, "--again", "city:1")
        self.assertEqual(json.loads((self.folder / "out.json").read_text(encoding="utf-8")), first)
        self.told("verify", "out.json", "--key", "owner.pub")

    def test_an_anchor_gives_an_older_ledger_away(self):
        self.variables = {"CHRONOVEIL_ANCHOR": str(self.folder / "anchor")}
        self.told(*self.budget("create", "city", "--epsilon", "1"))
        older = self.ledger.read_bytes()
        self.told(*self.budget("debit", "city", HALF))
        self.assertEqual([line.split()[:2] for line in Path(self.folder / "anchor").read_text().splitlines()],
                         [["city", "1"], ["city", "2"]])
        latest = self.ledger.read_bytes()
        self.ledger.write_bytes(older)
        self.refused(5, "older than its anchor", *self.budget("debit", "city", HALF))
        self.refused(5, "older than its anchor", *self.budget("show", "city"))
        self.refused(5, "older than its anchor", *self.budget("list"))
        self.refused(5, "older than its anchor", *self.budget("export"))
        self.refused(5, "older than its anchor", *self.budget("history", "city"))
        self.refused(5, "older than its anchor", *self.budget("backup", self.folder / "backup.db"))
        self.ledger.write_bytes(latest)
        self.told(*self.budget("backup", self.folder / "another.db"))
        self.told(*self.budget("debit", "city", HALF))
        self.ledger.unlink()
        self.refused(5, "older than its anchor", *self.budget("create", "city", "--epsilon", "1"))

    def test_an_anchor_that_is_gone_is_not_made_anew(self):
        """As where its disk is not mounted: every older ledger would do."""
        anchor = self.folder / "anchor"
        self.told(*self.budget("create", "city", "--epsilon", "1"))
        self.variables = {"CHRONOVEIL_ANCHOR": str(anchor)}
        for words in (("show", "city"), ("debit", "city", HALF), ("create", "town", "--epsilon", "1"), ("verify",)):
            self.refused(5, "is not there, and the ledger has rows", *self.budget(*words))
        self.assertFalse(anchor.exists())
        anchor.touch()  # from now on
        self.told(*self.budget("debit", "city", HALF))
        self.assertEqual(len(anchor.read_text().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
