"""Completion scripts, run by the shells themselves, and the manual page: both know every command and option."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import ProgramTest, run


def options_of_help(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text.split("Options:")[1].split("Example:")[0]))


class Completion(ProgramTest):
    def script(self, shell):
        return self.assert_succeeds("completion", shell)

    def bash_completes(self, *words):
        """What bash offers for the last of `words`."""
        call = ('source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _chronoveil; '
                'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", call, "bash", "chronoveil", *words], input=self.script("bash"),
                              capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    def test_bash_completes_commands(self):
        self.assertEqual(self.bash_completes("comp"), {"completion"})
        self.assertLessEqual({"account", "calibrate", "budget", "noise", "completion", "man"}, self.bash_completes(""))

    def test_bash_completes_the_options_of_the_command_that_is_typed(self):
        for command in ("account", "calibrate"):
            options = options_of_help(self.assert_succeeds(command, "--help"))
            self.assertIn("--delta", options)
            self.assertLessEqual(options, self.bash_completes(command, "--"))
        self.assertNotIn("--delta", self.bash_completes("man", "--"))

    def test_bash_completes_the_words_that_a_parameter_accepts(self):
        self.assertEqual(self.bash_completes("completion", "f"), {"fish"})

    def test_bash_completes_the_mechanisms_that_an_error_would_offer(self):
        slots = ["--start", "2026-03-01", "--end", "2026-03-02", "--length", "1h"]
        cells = ["--user", "bus", "--place", "at", "--place-key", "north", "--value", "speed", "--upper", "9"]
        for command, words in (("release", slots), ("means", [*slots, *cells]), ("perturb", ["--window", "3"])):
            done = run(command, "in.csv", "--epsilon", "1", "--mechanism", "magic", *words)
            offered = re.fullmatch(r"chronoveil: --mechanism: magic is not valid; it must be one of (.*)\n", done.stderr)
            self.assertTrue(offered, done.stderr)
            self.assertEqual(self.bash_completes(command, "--mechanism", ""), {"auto", *offered.group(1).split(", ")})

    def test_fish_completes_commands_and_options(self):
        with tempfile.TemporaryDirectory() as home:
            script = Path(home) / "chronoveil.fish"
            script.write_text(self.script("fish"), encoding="utf-8")

            def completes(line):
                done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                                      capture_output=True, text=True, check=True, env={"HOME": home, "PATH": "/usr/bin"})
                return {row.split("\t")[0] for row in done.stdout.splitlines()}

            self.assertEqual(completes("chronoveil calib"), {"calibrate"})
            self.assertIn("--delta", completes("chronoveil account --d"))
            self.assertNotIn("--delta", completes("chronoveil man --"))
            self.assertEqual(completes("chronoveil completion z"), {"zsh"})

    def test_zsh_offers_the_words_of_the_command_that_is_typed(self):
        # Without a terminal zsh cannot complete, but the function that knows the words can be asked.
        def words(at, previous):
            call = 'compdef() { }; source /dev/stdin; _chronoveil_words "$1" "$2"; print -r -- "$REPLY"'
            done = subprocess.run(["zsh", "-f", "-c", call, "zsh", at, previous], input=self.script("zsh"),
                                  capture_output=True, text=True, check=True)
            return set(done.stdout.split())

        self.assertIn("calibrate", words("chronoveil", "chronoveil"))
        self.assertIn("--delta", words("chronoveil account", "account"))
        self.assertNotIn("--delta", words("chronoveil man", "man"))

    def test_the_manual_page_has_every_command_and_option(self):
        page = self.assert_succeeds("man").replace("\\-", "-")
        self.assertTrue(page.startswith(".TH CHRONOVEIL 1 "))
        for command in ("account", "calibrate"):
            section = page.split(f".SS \\fBchronoveil {command}\\fR")[1].split(".SS ")[0]
            for option in options_of_help(self.assert_succeeds(command, "--help")) - {"--help"}:
                self.assertIn(f"\\fB{option}\\fR", section)
        self.assertIn(".SH EXIT STATUS", page)

    def test_an_unknown_shell_is_a_usage_error(self):
        done = run("completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("SHELL", done.stderr)


if __name__ == "__main__":
    unittest.main()
