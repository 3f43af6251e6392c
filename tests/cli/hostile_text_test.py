"""Text that commands a terminal, forges rows or turns the direction of reading: refused where it comes in, and where it
is there already (old ledgers, stored releases, paths, arguments) never printed as it is."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from budget_test import Rows
from jobs import JobTest
from program import PROGRAM, run

CONTROLS = "\x1b[2J\x07\b\x7f\x9b31m\u0085"
DIRECTIONS = "\u202e\u2066\u200f\u061c\u2028\u2029"
FORGED = "weekly\r\n  composed      ε = 0: forged"
HOSTILE = {"controls": "a" + CONTROLS + "b", "directions": "a" + DIRECTIONS + "b", "rows": FORGED}
EVERYTHING = "".join(HOSTILE.values())
NOT_PLAIN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")
COMMANDS = ("account", "calibrate", "budget show", "budget list", "budget history", "budget create", "budget debit",
            "budget slot", "budget use", "budget settle", "budget verify", "budget export", "budget backup",
            "budget restore", "budget move", "noise", "init", "plan", "check", "look", "run", "release", "means", "perturb",
            "live", "live status", "live close", "verify", "key create", "key show", "train", "forecast", "backtest", "evaluate",
            "simulate", "completion", "man")
SLOW = ("train", "forecast", "backtest")  # half a second each, to load libtorch: they get a few words


def toml(text):
    """As TOML writes it, with every character that may not stand there escaped."""
    return json.dumps(text)


class HostileText(JobTest):
    def assert_plain(self, text, *context):
        self.assertIsNone(NOT_PLAIN.search(text), (text, *context))

    def told(self, *arguments, code=0):
        """What a command prints, each stream checked, of its text and of its JSON."""
        printed = []
        for extra in ((), ("--json",)):
            done = run(*arguments, *extra)
            self.assertEqual(done.returncode, code, (arguments, done.stderr))
            for stream in (done.stdout, done.stderr):
                self.assert_plain(stream, arguments)
            printed.append(done.stdout)
        return printed[0], printed[1]

    def refused(self, *arguments):
        """Exit 2, one line, and no debit."""
        for extra in ((), ("--json",)):
            done = run(*arguments, *extra)
            self.assertEqual((done.returncode, done.stdout), (2, ""), (arguments, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assert_plain(done.stderr, arguments)

    def budget(self, *arguments):
        return ("budget", *arguments, "--ledger", str(self.ledger))

    def test_names_and_purposes_are_refused_at_the_door(self):
        self.create()
        for name, text in HOSTILE.items():
            with self.subTest(name):
                self.refused(*self.budget("create", text, "--epsilon", "1"))
                self.refused(*self.budget("create", "town", "--epsilon", "1", "--parts", "north," + text.replace("\n", "")))
                for option in ("--purpose", "--mechanism"):
                    self.refused(*self.budget("debit", "city", "pure", "--event-epsilon", "0.1", option, text))
                for old, new in (('name = "city"\n', f'name = {toml(text)}\n'),
                                 ('name = "city"\n', f'name = "city"\npurpose = {toml(text)}\n'),
                                 ("[output]\n", f"[output]\ntitle = {toml(text)}\n"),
                                 ('list = "stops.txt"', f'keys = ["north", {toml(text)}]')):
                    self.change((old, new))
                    for command in ("run", "check", "plan"):
                        self.refused(*self.words(command))
        self.change()
        for text in ("so\x1buth", "so\u202euth", "so\tuth"):
            self.write("stops.txt", "north\n" + text + "\n")
            self.refused(*self.words("run"))
        self.assertEqual(self.debits(), [])

    def test_options_are_refused_like_the_keys_of_a_job(self):
        self.create()
        words = ("release", str(self.folder / "trips.csv"), "--user", "card", "--time", "ts", "--zone", "Europe/Berlin",
                 "--start", "2026-03-28T00:00", "--end", "2026-03-30T00:00", "--length", "1h", "--max-steps", "2",
                 "--epsilon", "1", "--delta", "1e-6", "--mechanism", "gaussian", "--dataset", "city", "--ledger",
                 str(self.ledger))
        for name, text in HOSTILE.items():
            with self.subTest(name):
                for option in ("--purpose", "--title"):
                    self.refused(*words, option, text)
                self.refused(*words, "--series", "stop", "--series-key", text)
        self.assertEqual(self.debits(), [])

    def test_an_old_ledger_is_shown_without_its_commands(self):
        self.create("--epsilon", "8", "--delta", "1e-5", "--renews", "month", "--parts", "north,south")
        for extra in (("--uses", "3"), ("--part", "north")):
            run(*self.budget("debit", "city", "pure", "--event-epsilon", "0.5", "--purpose", "PURPOSE", "--mechanism",
                             "MECHANISM", *extra))
        lines = {command: run(*self.budget(command, "city")).stdout.count("\n") for command in ("show", "history")}

        def old(time, body):
            for field in ("purpose", "mechanism", "software"):
                if field in body:
                    body[field] = EVERYTHING
            return time, body

        Rows(self.ledger).edit(old)
        for command in ("show", "history"):
            text, _ = self.told(*self.budget(command, "city"))
            self.assertEqual(text.count("\n"), lines[command], text)  # no row was forged
            self.assertNotIn("\n  composed", text)
        history = json.loads(self.told(*self.budget("history", "city"))[1])
        self.assertEqual([debit["purpose"] for debit in history["debits"]], [EVERYTHING, EVERYTHING])
        for command in (("list",), ("verify",), ("export",), ("show", "city", "--composed"), ("show", "city", "--part", "north")):
            self.told(*self.budget(*command))

    def test_a_stored_release_is_emitted_without_its_commands(self):
        self.create()
        self.assertEqual(run(*self.words("run")).returncode, 0)
        stored = next((self.folder / "ledger.db.releases").rglob("*.json"))
        release = json.loads(stored.read_text(encoding="utf-8"))
        for series in release["series"]:
            series["key"] = series["key"] + EVERYTHING
        release["title"] = EVERYTHING
        release["plan"]["mechanism"] = EVERYTHING
        for assumption in release["guarantee"]["assumptions"]:
            assumption["text"] = EVERYTHING
        for ascii_only in (True, False):
            self.outputs_of(json.dumps(release, ensure_ascii=ascii_only), stored)

    def outputs_of(self, text, stored):
        # Whether it is taken is not asked here; what is printed and written must be plain in either case.
        stored.chmod(0o600)
        stored.write_text(text, encoding="utf-8")
        self.write("release.json", text)
        for words in (self.words("run", "--again", "city:1"),
                      ("evaluate", str(self.job), "--release", str(self.folder / "release.json")),
                      self.budget("verify", "--against", str(self.folder / "release.json"))):
            for extra in ((), ("--json",)):
                done = run(*words, *extra)
                self.assert_plain(done.stdout + done.stderr, words)
        for name in ("out.csv", "out.json", "out.html"):
            self.assert_plain((self.folder / name).read_text(encoding="utf-8"), name)

    def test_paths_are_shown_on_one_line(self):
        self.create()
        for name in ("controls", "rows"):
            text = HOSTILE[name].replace("/", "")
            self.change(('csv = "out.csv"', f"csv = {toml(text)}"))
            done = run(*self.words("run", "--yes"))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_plain(done.stdout + done.stderr, name)
            self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("  composed")], [])

    def test_whatever_is_given_to_any_command_is_repeated_in_plain_text(self):
        with tempfile.TemporaryDirectory(prefix="chronoveil-hostile-") as home:
            environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "CHRONOVEIL_WAIT": "1"}
            words = [text.encode() for text in HOSTILE.values()] + [b"\xff\xfe\x1b]0;title\x07"]
            words += [b"@" + words[0], b"--" + words[1], b'{"event": "' + words[0] + b'"}',
                      json.dumps({"event": EVERYTHING, EVERYTHING: EVERYTHING}).encode(),
                      json.dumps({"event": "gaussian", EVERYTHING: 1}, ensure_ascii=False).encode(), b"postgresql://\x1b"]
            for command in COMMANDS:
                for place, word in enumerate(words[:2] if command in SLOW else words):
                    for line in ([word], ["--ledger", word], [word, word, "--json"])[:3 if place == 0 else 1]:
                        done = subprocess.run([os.path.abspath(PROGRAM), *command.split(), *line], capture_output=True, timeout=60,
                                              check=False, env=environment, cwd=home, stdin=subprocess.DEVNULL)
                        for stream in (done.stdout, done.stderr):
                            self.assert_plain(stream.decode("utf-8"), command, line)
                        self.assertIn(done.returncode, (0, 2, 3, 4, 5, 6), (command, line, done.stderr))


class Formulas(JobTest):
    """A spreadsheet calculates a cell that begins with = + - or @, quoted or not."""

    KEYS = ("=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "=", "-", "--5", "-inf", "+north")
    NUMBERS = ("-5", "+49", "-0.5", "+.5", "-1e3", "a=b", "1-2", "north")

    def keys(self, *keys, more=""):
        self.change(('list = "stops.txt"', f"keys = {json.dumps(keys)}"), ("[output]\n", f"[output]\n{more}"))

    def test_keys_like_formulas_are_refused_before_the_debit(self):
        self.create()
        for key in self.KEYS:
            self.keys("north", key)
            for command in ("plan", "check", "run"):
                self.assert_fails(2, ["output.formulas", "key 2 of series", f"'{key[0]}'"], *self.words(command))
        self.write("stops.txt", "north\n=1+1\n")
        self.change()
        self.assert_fails(2, ["output.formulas", "key 2"], *self.words("run"))
        self.assertEqual(self.debits(), [])

    def test_numbers_are_numbers_and_formulas_can_be_kept(self):
        self.create()
        self.keys(*self.NUMBERS)
        self.assert_succeeds(*self.words("run"))
        self.keys(*self.KEYS, more='formulas = "keep"\n')
        self.assert_succeeds(*self.words("run", "--allow-empty", "--yes"))  # replaces the outputs of another job
        lines = (self.folder / "out.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual({line.split(",2026-")[0] for line in lines[1:]}, set(self.KEYS))
        self.keys("=1", more='formulas = "maybe"\n')
        self.assert_fails(2, ["output.formulas"], *self.words("run"))

    def test_without_a_csv_there_is_no_cell(self):
        self.create()
        self.change(('list = "stops.txt"', 'keys = ["=1"]'), ('csv = "out.csv"\n', ""))
        self.assert_succeeds(*self.words("run", "--allow-empty"))


if __name__ == "__main__":
    unittest.main()
