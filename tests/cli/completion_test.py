"""Completion scripts, run by the shells themselves, and the manual page: both know every command and option."""

import os
import pty
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest, run


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

    def test_bash_completes_the_kinds_of_a_first_job_and_the_options_of_each(self):
        self.assertLessEqual({"means", "perturb", "train"}, self.bash_completes("init", ""))
        self.assertIn("--max-cells", self.bash_completes("init", "means", "--"))
        self.assertNotIn("--max-cells", self.bash_completes("init", "--"))
        self.assertIn("--max-steps", self.bash_completes("init", "--"))
        self.assertEqual(self.bash_completes("init", "means", "--counts", "pr"), {"private"})

    def test_bash_completes_the_words_that_a_parameter_accepts(self):
        self.assertEqual(self.bash_completes("completion", "f"), {"fish"})

    def test_bash_completes_the_mechanisms_that_an_error_would_offer(self):
        slots = ["--start", "2026-03-01", "--end", "2026-03-02", "--length", "1h"]
        cells = ["--user", "bus", "--place", "at", "--place-key", "north", "--value", "speed", "--upper", "9",
                 "--counts", "public"]
        for command, words in (("release", [*slots, "--max-steps", "4"]), ("means", [*slots, *cells]),
                               ("perturb", ["--window", "3"])):
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
        def words(at, previous, current=""):
            call = 'compdef() { }; source /dev/stdin; _chronoveil_words "$1" "$2" "$3"; print -r -- "$REPLY" "$OFFERS"'
            done = subprocess.run(["zsh", "-f", "-c", call, "zsh", at, previous, current], input=self.script("zsh"),
                                  capture_output=True, text=True, check=True)
            return set(done.stdout.split())

        self.assertIn("calibrate", words("chronoveil", "chronoveil"))
        self.assertIn("--delta", words("chronoveil account", "account", "--"))
        self.assertNotIn("--delta", words("chronoveil man", "man", "--"))
        self.assertEqual(words("chronoveil run", "run"), {"files"})
        self.assertEqual(words("chronoveil budget show", "show"), {"datasets"})

    def typed(self, folder, shell, line):
        """What a real shell on a terminal makes of the line and a Tab."""
        start = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
        load = {"bash": "source ./script", "zsh": "autoload -Uz compinit; compinit -u -D; source ./script"}[shell]
        ours, theirs = pty.openpty()
        process = subprocess.Popen(start, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, start_new_session=True,
                                   env={"PATH": f"{folder}/bin:/usr/bin:/bin", "HOME": folder, "TERM": "dumb",
                                        "PS1": "> ", "CHRONOVEIL_LEDGER": f"{folder}/ledger.db"})
        os.close(theirs)
        os.write(ours, f"{load}; echo rea''dy\n".encode())
        shown = self.until(ours, b"ready")
        os.write(ours, line.encode() + b"\t")
        time.sleep(0.1)  # a shell may drop what is typed while it completes
        os.write(ours, b"|\x15exit\n")
        shown = self.until(ours, None)
        process.wait(timeout=60)
        os.close(ours)
        return shown.decode()

    @staticmethod
    def until(terminal, mark):
        shown = b""
        try:
            while mark is None or mark not in shown:
                piece = os.read(terminal, 4096)
                if not piece:
                    break
                shown += piece
        except OSError:  # the shell is gone
            pass
        return shown

    def test_files_and_datasets_are_offered_by_every_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "bin").mkdir()
            (home / "bin" / "chronoveil").symlink_to(Path(PROGRAM).resolve())
            (home / "town_job.toml").write_text("version = 1\n", encoding="utf-8")
            for place, name in (("ledger.db", "townhall"), ("other.db", "harbour")):
                self.assert_succeeds("budget", "create", name, "--epsilon", "1", "--ledger", str(home / place))
            cases = (("chronoveil run town", "town_job.toml"), ("chronoveil budget show town", "townhall"),
                     ("chronoveil budget show --ledger other.db harb", "harbour"),
                     ("chronoveil release in.csv --dataset tow", "townhall"),
                     ("chronoveil run town_job.toml --allow-em", "--allow-empty"),
                     ("chronoveil release in.csv --series-list town", "town_job.toml"))
            for shell in ("bash", "zsh"):
                (home / "script").write_text(self.script(shell), encoding="utf-8")
                for line, word in cases:
                    self.assertIn(word, self.typed(folder, shell, line), (shell, line))
            (home / "script").write_text(self.script("fish"), encoding="utf-8")
            for line, word in cases:
                done = subprocess.run(["fish", "--no-config", "-c", f"source script; complete -C '{line}'"], cwd=folder,
                                      capture_output=True, text=True, check=True,
                                      env={"HOME": folder, "PATH": f"{folder}/bin:/usr/bin:/bin",
                                           "CHRONOVEIL_LEDGER": f"{folder}/ledger.db"})
                self.assertIn(word, done.stdout, line)

    def test_the_manual_page_has_every_command_and_option(self):
        page = self.assert_succeeds("man").replace("\\-", "-")
        self.assertTrue(page.startswith(".TH CHRONOVEIL 1 "))
        for command in ("account", "calibrate"):
            section = page.split(f".SS \\fBchronoveil {command}\\fR")[1].split(".SS ")[0]
            for option in options_of_help(self.assert_succeeds(command, "--help")) - {"--help"}:
                self.assertIn(f"\\fB{option}\\fR", section)
        self.assertIn(".SH EXIT STATUS", page)

    def commands(self, words=()):
        """Every command by its words, with the options that its help shows, from the top down."""
        text = self.assert_succeeds(*words, "--help")
        options, _, below = text.split("\nOptions:\n")[1].split("\nExample:\n")[0].partition("\nSubcommands:\n")
        names = re.findall(r"^  (-[^ ]+)", options, re.MULTILINE)
        found = {words: {name for several in names for name in several.split(",")}}
        for name in re.findall(r"^  ([a-z]+) ", below, re.MULTILINE):
            found.update(self.commands((*words, name)))
        return found

    def test_every_option_of_every_command_is_offered_by_every_shell_and_in_the_manual_page(self):
        commands = self.commands()
        for words, option in ((("train",), "--device"), (("forecast",), "--private"), (("backtest",), "--epsilons"),
                              (("live", "correct"), "--rows"), (("init", "means"), "--max-cells"), (("run",), "--again")):
            self.assertIn(option, commands[words])
        lines = "".join(" ".join(("chronoveil", *words)) + "\n" for words in commands)
        loops = {
            "bash": 'source ./script; while read -ra words; do COMP_WORDS=("${words[@]}" --); COMP_CWORD=${#words[@]}; '
                    '_chronoveil; echo "${COMPREPLY[@]}"; done',
            "zsh": 'compdef() { }; source ./script; while read -r line; do _chronoveil_words "$line" "${line##* }" "--"; '
                   'print -r -- "$REPLY"; done',
            "fish": "source ./script; while read line; complete -C \"$line --\" | string split -f 1 \\t | string join ' '; end"}
        with tempfile.TemporaryDirectory() as folder:
            for shell, loop in loops.items():
                (Path(folder) / "script").write_text(self.script(shell), encoding="utf-8")
                quiet = {"bash": "--norc", "zsh": "-f", "fish": "--no-config"}[shell]
                done = subprocess.run([shell, quiet, "-c", loop], input=lines, cwd=folder, capture_output=True, text=True,
                                      check=True, env={"HOME": folder, "PATH": "/usr/bin:/bin"})
                offered = done.stdout.split("\n")
                self.assertEqual(len(offered), len(commands) + 1, (shell, done.stderr))
                for (words, options), line in zip(commands.items(), offered, strict=False):
                    long = {option for option in options if option.startswith("--")}
                    self.assertLessEqual(long, set(line.split()), (shell, words))
        page = self.assert_succeeds("man").replace("\\-", "-")
        for words, options in commands.items():
            heading = f".SS \\fB{' '.join(('chronoveil', *words))}\\fR"
            own = options - {"-h", "--help", "--version"}
            alone = not any(other[:len(words)] == words for other in commands if other != words)
            self.assertEqual(page.count(heading) == 1, alone or bool(own), words)
            section = page.partition(heading)[2].split(".SS ")[0].split(".SH ")[0]
            for option in own:
                self.assertIn(f"\\fB{option}\\fR", section, words)

    def test_an_unknown_shell_is_a_usage_error(self):
        done = run("completion", "tcsh")
        self.assertEqual(done.returncode, 2)
        self.assertIn("SHELL", done.stderr)


if __name__ == "__main__":
    unittest.main()
