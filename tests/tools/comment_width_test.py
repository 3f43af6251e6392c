"""Comments that are too wide are named by their line; what only looks like a comment is not."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import comment_width  # noqa: E402

FULL = "// " + "x" * 117  # as wide as may be


class CommentWidth(unittest.TestCase):
    def found(self, text):
        return list(comment_width.wide_comments(text))

    def test_a_line_of_120_columns_may_stand(self):
        self.assertEqual(self.found(FULL + "\n"), [])

    def test_one_column_more_is_named(self):
        self.assertEqual(self.found("int a;\n" + FULL + "x\n"), [(2, 121)])

    def test_a_comment_after_code_counts_from_the_start_of_its_line(self):
        self.assertEqual(self.found("int a;  " + FULL + "\n"), [(1, 128)])

    def test_columns_are_counted_as_they_are_shown(self):
        self.assertEqual(self.found("// " + "ε" * 117), [])
        self.assertEqual(self.found("// " + "x\u0302" * 117), [])
        self.assertEqual(self.found("// " + "語" * 59), [(1, 121)])

    def test_strings_are_no_comments(self):
        for text in (f'auto a = "{FULL}xx";', f'auto a = R"({FULL}xx)";', f'auto a = R"-({FULL}xx)-";',
                     f'auto a = "\\"{FULL}xx";'):
            self.assertEqual(self.found(text), [], text)

    def test_a_number_with_marks_begins_no_character(self):
        self.assertEqual(self.found("int a = 1'000;  " + FULL), [(1, 136)])

    def test_a_wide_comment_fails_and_is_named_with_its_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "wide.h"
            path.write_text(FULL + "x\n", encoding="utf-8")
            self.assertEqual(comment_width.main([path]), 1)
            path.write_text(FULL + "\n", encoding="utf-8")
            self.assertEqual(comment_width.main([path]), 0)


if __name__ == "__main__":
    unittest.main()
