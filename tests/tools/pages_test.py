"""Pages agree with the tree: citations with the bibliography, dependencies with the setup, links with files."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
CITATION = re.compile(r"\[((?:[A-Z][A-Za-z]*[0-9]{2}\b[^\]\n]*))\](?!\()")
KEY = re.compile(r"\b[A-Z][A-Za-z]*[0-9]{2}\b")


def sources():
    for folder in ("include", "src", "apps", "tests", "bench"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".h", ".cc"}:
                yield path


def mechanisms_without_link(root):
    """Those that have a page and that the table of mechanisms does not lead to."""
    table = (root / "docs/mechanisms/README.md").read_text(encoding="utf-8")
    return [name for name in mechanisms_with_page(root) if f"| [`{name}`]({name}.md) |" not in table]


def mechanisms_without_test(root):
    """Those that no test names: as the function that gives its row, or as text."""
    tests = "".join(path.read_text(encoding="utf-8") for path in (root / "tests/mechanisms").glob("*_test.cc"))
    return [name for name in mechanisms_with_page(root) if not re.search(rf'\b{name}\(\)|"{name}"', tests)]


def mechanisms_with_page(root):
    """All that there are: tests/mechanisms hold the pages to the catalogue."""
    return sorted(page.stem for page in (root / "docs/mechanisms").glob("*.md") if page.stem != "README")


class Pages(unittest.TestCase):
    def test_every_citation_stands_in_the_bibliography(self):
        known = set(re.findall(r"^\| \[(\w+)\]", (ROOT / "docs/bibliography.md").read_text(encoding="utf-8"), re.MULTILINE))
        self.assertGreater(len(known), 20)
        unknown = {}
        for path in [*PAGES, *sources()]:
            for inside in CITATION.findall(path.read_text(encoding="utf-8")):
                for key in KEY.findall(inside):
                    if key not in known:
                        unknown.setdefault(key, str(path.relative_to(ROOT)))
        self.assertEqual(unknown, {})

    def test_every_package_of_the_setup_is_explained(self):
        groups = ["build", "forecast", "test", "python", "bench", "check", "readers"]
        packages = subprocess.run([ROOT / "tools/setup.sh", *groups, "--list"], capture_output=True, text=True,
                                  check=True).stdout.split()
        rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/dependencies.md").read_text(encoding="utf-8"), re.MULTILINE)
        explained = {name.strip() for row in rows for name in row.split(",")} - {"package", "---"}
        self.assertEqual(set(packages), explained)

    def test_every_link_to_a_file_leads_somewhere(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" not in target:
                    with self.subTest(page=page.name, target=target):
                        self.assertTrue((page.parent / target).exists())

    def test_each_user_has_a_page_that_begins_with_their_file_and_a_picture(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        begin = re.search(r"\*\*Begin with your file:\*\*(.*?)\n\n", readme, re.DOTALL).group(1)
        pages = re.findall(r"\]\(docs/(\w+\.md)\)", begin)
        self.assertEqual(len(set(pages)), 5)
        for name in pages:
            page = (ROOT / "docs" / name).read_text(encoding="utf-8")
            before, file, steps = page.partition("\n## 1. Your file\n")
            self.assertTrue(file, name)
            self.assertRegex(before, r"```text\n\w+,", name)  # some rows of it
            self.assertRegex(before, r"minutes", name)
            self.assertRegex(before, r"!\[[^\]]+\]\(pictures/[\w.]+\)", name)
            self.assertRegex(steps, r"\$ chronoveil init ", name)

    def test_the_first_screen_of_the_readme_has_numbers_a_picture_and_then_a_comparison(self):
        first, *rest = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")
        self.assertIn("](docs/pictures/", first)
        self.assertRegex(first, r"mean absolute error +[0-9.]+\n")
        table = next(part for part in rest if part.startswith("Beside other libraries"))
        for library in ("OpenDP", "Google", "Tumult", "SmartNoise", "Opacus"):
            self.assertRegex(table, rf"\n\|[^\n]*{library}")

    def test_the_readme_leads_to_every_page(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        for page in sorted((ROOT / "docs").glob("*.md")):
            self.assertIn(f"(docs/{page.name})", text)

    def test_every_mechanism_is_in_the_table_and_has_a_test(self):
        self.assertGreater(len(mechanisms_with_page(ROOT)), 25)
        self.assertEqual(mechanisms_without_link(ROOT), [])
        self.assertEqual(mechanisms_without_test(ROOT), [])


if __name__ == "__main__":
    unittest.main()
