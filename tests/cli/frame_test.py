"""What holds for the program as a whole: help, version, exit codes, lost output, signals."""

import errno
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest, run

ROOT = Path(__file__).resolve().parent.parent.parent


def constant(path, name):
    return re.search(rf"{name} = \"?([^\";]+)", (ROOT / "include/chronoveil" / path).read_text(encoding="utf-8")).group(1)


def commands():
    """Every command that can be run, as a list of words, from the manual page."""
    page = run("man").stdout.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    return [re.match(r"chronoveil ((?:[a-z]+ ?)+)", line).group(1).split()
            for line in re.findall(r"^\.SS (.*)$", page, re.MULTILINE)]


class Frame(ProgramTest):
    def test_version_names_the_release_and_the_analysis(self):
        release = constant("base/version.h", "kVersion")
        analysis = constant("accounting/accountant.h", "kAnalysisVersion")
        self.assertEqual(self.assert_succeeds("--version"), f"chronoveil {release} (analysis {analysis})\n")

    def test_the_commands_of_the_work_are_there(self):
        found = {words[0] for words in commands()}
        self.assertLessEqual({"account", "calibrate", "budget", "noise", "completion", "man"}, found)

    def test_help_of_every_command_has_an_example_of_that_command(self):
        for words in commands():
            with self.subTest(words):
                text = self.assert_succeeds(*words, "--help")
                self.assertIn("Example:", text)
                for example in text.split("Example:\n")[1].splitlines():
                    self.assertIn("chronoveil " + " ".join(words), example)

    def test_every_command_with_a_result_has_json(self):
        for words in commands():
            if words[0] not in {"completion", "man"}:
                with self.subTest(words):
                    self.assertIn("--json", self.assert_succeeds(*words, "--help"))

    def test_no_command_an_unknown_command_and_an_unknown_option_are_usage_errors(self):
        for arguments, mention in (([], "command"), (["nonsense"], "nonsense"), (["--nonsense"], "--nonsense"),
                                   (["man", "--nonsense"], "--nonsense")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, r"\Achronoveil: [^\n]*\n\Z")
            self.assertIn(mention, done.stderr)

    def test_control_characters_of_an_argument_do_not_reach_the_terminal(self):
        done = run("man", "--bad\x1b[31m\noption")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Achronoveil: [^\x00-\x1f]*\n\Z")

    def test_output_that_cannot_be_written_is_exit_5(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "man"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (5, "chronoveil: stdout: could not be written\n"))

    def test_a_closed_stdout_is_exit_5(self):
        done = subprocess.run(["bash", "-c", 'exec "$0" --version >&-', PROGRAM], stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (5, "chronoveil: stdout: could not be written\n"))

    def test_a_reader_that_went_away_is_exit_5(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAM, "man"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, 5)

    def test_signals_end_the_program_with_130_and_a_message(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                event = Path(folder) / "event"
                os.mkfifo(event)
                process = subprocess.Popen([PROGRAM, "account", f"@{event}", "--delta", "1e-6"],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                writer = self.open_once_read(event, process)
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                os.close(writer)
                self.assertEqual((process.returncode, out), (130, ""))
                self.assertRegex(err, r"\Achronoveil: interrupted[^\n]*\n\Z")

    def open_once_read(self, pipe, process):
        """Opens the pipe for writing as soon as the process reads it: from then on the process waits for us."""
        while True:
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                self.assertIsNone(process.poll(), "the program ended without reading the event")
                time.sleep(0.005)


if __name__ == "__main__":
    unittest.main()
