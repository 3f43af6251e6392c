"""Pictures of rehearsals, which are the same every time, are those that the program of today makes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM

ROOT = Path(__file__).resolve().parent.parent.parent


class PicturesTest(unittest.TestCase):
    def test_pictures_of_rehearsals_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "tools/make_pictures.py", "--program", PROGRAM, "--to", folder,
                            "blurred", "compared"], check=True, capture_output=True)
            made = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        self.assertEqual(len(made), 2)
        for name, picture in made.items():
            self.assertTrue(picture == (ROOT / "docs/pictures" / name).read_bytes(), f"{name}: make pictures")


if __name__ == "__main__":
    unittest.main()
