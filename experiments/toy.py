"""What the tests of every experiment at toy size share."""

import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

PROGRAM = os.environ["CHRONOVEIL_EXPERIMENT"]


class ToyTest(unittest.TestCase):
    """Runs `here`/run.py at toy size once, into `out`; `printed` is what it said."""

    here = None
    figures = ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.out = Path(folder.name)
        words = [sys.executable, "-B", cls.here / "run.py", "--toy", "--out", cls.out, "--program", PROGRAM]
        cls.printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def test_the_figures_are_drawings(self):
        self.assertTrue(self.figures)
        for name in self.figures:
            root = xml.parse(self.out / f"{name}.svg").getroot()
            self.assertTrue(root.tag.endswith("svg"))
            self.assertGreater(len(list(root.iter())), 20)


class ToyTestOfData(ToyTest):
    """Of an experiment that needs data."""

    def test_absent_data_is_skipped_with_a_message(self):
        program = "import run, pathlib, sys; run.DATA = pathlib.Path('/nonexistent'); sys.argv = ['run.py']; run.main()"
        done = subprocess.run([sys.executable, "-B", "-c", program], cwd=self.here, capture_output=True, text=True, check=True)
        self.assertIn("skipped", done.stdout)
