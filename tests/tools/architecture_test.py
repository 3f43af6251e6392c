"""The page on architecture: its drawing is that of the layer table, and what it names is there."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\| [^|]+ \| `([\w:]+)` \| `(src/[\w/.]+)` \|$", re.MULTILINE)
IN_A_ROOM = re.compile(r"`((?:engine|report|mechanisms|training|data|bound)/[\w/.]*)`")


def missing_steps(page):
    """(function, file) pairs of the page whose file does not hold the name."""
    return [(name, path) for name, path in STEP.findall(page)
            if not (ROOT / path).is_file()
            or not re.search(rf"\b{re.escape(name)}\b", (ROOT / path).read_text(encoding="utf-8"))]


def missing_rooms(page):
    return [path for path in IN_A_ROOM.findall(page) if not any((ROOT / top / "chronoveil" / path).exists() for top in ("src", "include"))]


class Architecture(unittest.TestCase):
    def test_the_drawing_is_that_of_the_table(self):
        subprocess.run([sys.executable, "-B", ROOT / "tools" / "draw_layers.py", "--check"], check=True)

    def test_every_step_of_a_row_is_where_the_page_says(self):
        self.assertGreater(len(STEP.findall(PAGE)), 10)
        self.assertEqual(missing_steps(PAGE), [])

    def test_every_room_is_there(self):
        self.assertGreater(len(IN_A_ROOM.findall(PAGE)), 20)
        self.assertEqual(missing_rooms(PAGE), [])

    def test_a_page_that_names_what_is_not_there_is_caught(self):
        self.assertTrue(missing_steps("| A step. | `no_such_function` | `src/chronoveil/base/result.h` |"))
        self.assertTrue(missing_steps("| A step. | `fail` | `src/chronoveil/base/no_such_file.h` |"))
        self.assertTrue(missing_rooms("`engine/no_such_room/`"))


if __name__ == "__main__":
    unittest.main()
