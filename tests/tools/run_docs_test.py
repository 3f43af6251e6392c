"""The documentation check accepts true pages and rejects untrue ones."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import run_docs  # noqa: E402


class DocsCheck(unittest.TestCase):
    def check(self, text, update=False):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text, encoding="utf-8")
            _, problems = run_docs.check_page(page, Path("/bin/true"), {"test"}, update)
            return problems, page.read_text(encoding="utf-8")

    def problems(self, text):
        return self.check(text)[0]

    def test_true_output_passes(self):
        self.assertEqual(self.problems("```console\n$ echo one; echo two\none\ntwo\n$ true\n```\n"), [])

    def test_untrue_output_is_rejected(self):
        self.assertIn("page.md:2", self.problems("```console\n$ echo one\ntwo\n```\n")[0])

    def test_missing_output_is_rejected(self):
        self.assertEqual(len(self.problems("```console\n$ echo one\n```\n")), 1)

    def test_extra_output_is_rejected(self):
        self.assertEqual(len(self.problems("```console\n$ true\none\n```\n")), 1)

    def test_a_failing_command_is_rejected_though_its_output_fits(self):
        self.assertIn("exit 3", self.problems("```console\n$ echo one; (exit 3)\none\n```\n")[0])

    def test_commands_after_an_exit_are_rejected(self):
        self.assertIn("the shell ended", self.problems("```console\n$ exit 0\n$ echo one\none\n```\n")[0])

    def test_dots_stand_for_lines_and_for_text_but_not_for_anything(self):
        self.assertEqual(self.problems("```console\n$ seq 9\n1\n...\n9\n$ echo a-17-b\na-...-b\n```\n"), [])
        self.assertEqual(len(self.problems("```console\n$ seq 9\n2\n...\n9\n```\n")), 1)
        self.assertEqual(len(self.problems("```console\n$ echo a-17-b\na-...-c\n```\n")), 1)

    def test_errors_on_stderr_are_output_too(self):
        self.assertEqual(self.problems("```console\n$ echo bad >&2\nbad\n```\n"), [])

    def test_commands_continue_and_share_one_shell(self):
        self.assertEqual(self.problems("```console\n$ echo \\\n> one >file\n```\ntext\n```console\n$ cat file\none\n```\n"), [])

    def test_update_writes_the_true_output(self):
        text = "a\n```console\n$ echo one\nold\nolder\n$ echo two\n```\nb\n"
        problems, updated = self.check(text, update=True)
        self.assertEqual(problems, [])
        self.assertEqual(updated, "a\n```console\n$ echo one\none\n$ echo two\ntwo\n```\nb\n")

    def test_update_leaves_what_is_true(self):
        text = "```console\n$ seq 9\n1\n...\n9\n```\n"
        self.assertEqual(self.check(text, update=True)[1], text)

    def test_update_keeps_the_lines_that_are_still_true(self):
        for shown, kept in (("1...\n3\n...\n9", "1...\n2\n3\n...\n9"), ("1\n...\nnine", "1\n...\n9"),
                            ("0\n...\n9", "1\n...\n9"),
                            ("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\n5\n6\n7\n8\n9")):
            updated = self.check(f"```console\n$ seq 9\n{shown}\n```\n", update=True)[1]
            self.assertEqual(updated, f"```console\n$ seq 9\n{kept}\n```\n")
            self.assertEqual(self.problems(updated), [])

    def test_norun_is_for_make_only_and_its_target_must_exist(self):
        self.assertEqual(self.problems("```console norun\n$ sudo make test PREFIX=/usr\n```\n"), [])
        for block in ("```console norun\n$ chronoveil --version\n```\n", "```console norun\n$ make nonsense\n```\n"):
            with self.assertRaises(run_docs.DocsError):
                self.problems(block)

    def test_a_block_of_commands_under_another_name_is_rejected(self):
        with self.assertRaises(run_docs.DocsError):
            self.problems("```sh\nchronoveil --version\n```\n")

    def test_other_blocks_are_left_alone(self):
        self.assertEqual(self.problems("```json\n$ false\n```\n"), [])


if __name__ == "__main__":
    unittest.main()
