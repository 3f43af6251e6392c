"""The recipe for a new mechanism, as AGENTS.md has it: header and source, a row of the catalogue, a test, its page.

A made-up one for series is added in a temporary copy, and everything that should know it does; without a step of the
recipe a check fails that names what is missing. Only what the recipe touches is compiled, and the suites that look for
pages beside themselves; all else is linked from the build.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pages_test

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CHRONOVEIL_BUILD", ROOT / "build"))
LIBRARY = "libchronoveil_mechanisms.a"

HEADER = """// The noise of `laplace` on every step. Plans are told that a step is the sum of many draws, though it is not.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& made_up();

}  // namespace chronoveil::mechanisms
"""

SOURCE = """#include "chronoveil/mechanisms/series/made_up.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/every_step_process.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> prepare(const Request& request) {
  CV_CHECK(check_request(request, made_up()));
  CV_TRY(Parameters parameters, resolved(request, made_up()));
  return pure_laplace(request, made_up(), std::move(parameters));
}

double twice(const SeriesPlan&) { return 2; }

}  // namespace

const SeriesMechanism& made_up() {
  static const SeriesMechanism row{
      .name = "made_up",
      .summary = "Laplace noise on every step, under another name",
      .units = {Unit::user, Unit::event},
      .prepare = prepare,
      .measure = measure_every_step,
      .reconstruct = reconstruct_every_step,
      .go_live = go_live_every_step,
      .step_spread = twice,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
"""

TEST = """#include <gtest/gtest.h>

#include "chronoveil/mechanisms/series/made_up.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(MadeUp, TheScaleIsTheSensitivityOverEpsilon) {
  EXPECT_NEAR(value_of(made_up().prepare(request_for(10, 0.5, 0))).scale, 6, 1e-9);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
"""

PAGE = "# made_up\n\nLaplace noise on every step, under another name.\n"
ROW = "| [`made_up`](made_up.md) | user, event | yes | | yes | every step, with Laplace noise |\n"

JOB = """version = 1
[dataset]
name = "city"
[source]
path = "trips.csv"
user = "card"
time = "ts"
series = "stop"
[slots]
start = "2026-03-28T00:00"
end = "2026-03-29T00:00"
length = "1h"
[series]
keys = ["north"]
[privacy]
max_steps = 2
epsilon = 1.0
[output]
csv = "out.csv"
"""


def output_of(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def replaced(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path} looks otherwise: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


class Copy:
    """The tree with the mechanism in it, and what is built of it."""

    def __init__(self, root):
        self.root = root
        for part in ("include", "src", "apps", "docs", "tests", "tools"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("CMakeLists.txt", "Makefile", "README.md", "AGENTS.md"):
            shutil.copy(ROOT / part, root)
        self.made = root / "made"
        self.made.mkdir()
        self.units = {}  # text of a unit of the build, which is the same in this tree: command, and the object that it made
        for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
            command = shlex.split(entry["command"])
            made = command[command.index("-o") + 1]
            target = Path(made).parts
            if "chronoveil_mechanisms.dir" in target:
                self.units[Path(entry["file"]).read_text(encoding="utf-8")] = command, BUILD / made
            elif "mechanisms_tests.dir" in target:
                self.test_command = command

    def add_header_and_source(self):
        series = self.root / "src/chronoveil/mechanisms/series"
        (series / "made_up.h").write_text(HEADER, encoding="utf-8")
        (series / "made_up.cc").write_text(SOURCE, encoding="utf-8")

    def add_row(self):
        catalogue = self.root / "src/chronoveil/mechanisms/catalogue.cc"
        before = '#include "chronoveil/mechanisms/series/running_total.h"\n'
        replaced(catalogue, before, '#include "chronoveil/mechanisms/series/made_up.h"\n' + before)
        replaced(catalogue, "&w_event()};", "&w_event(), &made_up()};")

    def add_test(self):
        (self.root / "tests/mechanisms/made_up_test.cc").write_text(TEST, encoding="utf-8")

    def add_page(self):
        pages = self.root / "docs/mechanisms"
        (pages / "made_up.md").write_text(PAGE, encoding="utf-8")
        last = next(line for line in (pages / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
                    if line.startswith("| [`w_event`]"))
        replaced(pages / "README.md", last, last + ROW)

    def unity(self, name, sources):
        folder = self.made / "unity" / name  # as deep as in the build, since paths in units are relative
        return output_of(sys.executable, "-B", self.root / "tools/unity.py", folder, "100000", *sources).split(";")

    def compiled(self, unit, like):
        """The object of a unit of this tree, by a command of the build."""
        made = unit + ".o"
        words = [re.sub(rf"^(-I|-D\w+=\"){re.escape(str(ROOT))}/", rf"\1{self.root}/", word) for word in like]
        words[words.index("-o") + 1] = made
        words[words.index("-c") + 1] = unit
        done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return made

    def library(self):
        """The module: the build's units, but for the one with the catalogue, and the source in a unit of its own."""
        folder = self.made / "again" / "mechanisms"  # as deep as in the build, since paths in units are relative
        folder.mkdir(parents=True)
        self.quick = [word for word in next(iter(self.units.values()))[0] if not re.fullmatch(r"-O\w", word)]
        self.alone = self.made / "alone.cc"
        self.alone.write_text('#include "chronoveil/mechanisms/series/made_up.cc"\n', encoding="utf-8")
        objects = [self.compiled(str(self.alone), self.quick)]
        for text, (_, made) in self.units.items():
            if "/catalogue.cc" in text:
                unit = folder / "catalogue.cc"
                unit.write_text(text, encoding="utf-8")
                made = self.compiled(str(unit), self.quick)
            objects.append(made)
        subprocess.run(["ar", "rcs", self.made / LIBRARY, *objects], check=True)
        return self.made / LIBRARY

    def suites(self):
        """The suites that go through the catalogue, and the test of the mechanism."""
        tests = self.root / "tests/mechanisms"
        sources = [tests / f"{name}_test.cc" for name in ("conformance", "live_conformance", "made_up")]
        return [self.compiled(unit, self.test_command) for unit in self.unity("tests", sources)]

    def linked(self, target, name, library, objects=None):
        """A program of the build with another module, and with these objects instead of its own if there are any."""
        command = output_of("ninja", "-C", BUILD, "-t", "commands", "-s", target).strip()
        words = shlex.split(command.removeprefix(": && ").removesuffix(" && :"))
        if objects:
            words = [word for word in words if not word.endswith(".o")]
            words[1:1] = objects
        words = [str(library) if word == LIBRARY else word for word in words]
        words[words.index("-o") + 1] = str(self.made / name)
        subprocess.run(words, cwd=BUILD, check=True)
        return self.made / name


class NewMechanism(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="chronoveil-recipe-")
        cls.addClassCleanup(folder.cleanup)
        cls.copy = Copy(Path(folder.name))
        cls.copy.add_header_and_source()
        cls.copy.add_row()
        cls.copy.add_test()
        cls.copy.add_page()
        library = cls.copy.library()
        suites = cls.copy.suites()
        cls.tests = cls.copy.linked("tests/mechanisms_tests", "mechanisms_tests", library, suites)
        cls.plan_tests = cls.copy.linked("tests/plan_tests", "plan_tests", library)
        cls.program = cls.copy.linked("chronoveil", "chronoveil", library)
        # Without a row: the same suites over the module as it was, and the source, which the test needs.
        suites.append(str(cls.copy.alone) + ".o")
        cls.tests_without_row = cls.copy.linked("tests/mechanisms_tests", "no_row", BUILD / LIBRARY, suites)

    def failed(self, program, tests):
        """The tests that failed of those that the filter names; there are some."""
        done = subprocess.run([program, f"--gtest_filter={tests}", "--gtest_brief=1"], capture_output=True, text=True)
        self.assertRegex(done.stdout, r"\n\[=+\] [1-9]\d* tests? from .* ran\.", done.stderr)
        failed = sorted(set(re.findall(r"\[  FAILED  \] (\w[\w/]*\.\w[\w/]*)", done.stdout)))
        self.assertEqual(done.returncode, 1 if failed else 0)
        return failed

    def without(self, path):
        """The copy without a file until the test ends."""
        text = path.read_text(encoding="utf-8")
        path.unlink()
        self.addCleanup(path.write_text, text, encoding="utf-8")

    def run_program(self, *arguments):
        return subprocess.run([self.program, *arguments], cwd=self.copy.made, capture_output=True, text=True)

    def test_every_suite_of_the_catalogue_takes_it_and_it_passes(self):
        listed = output_of(self.tests, "--gtest_list_tests", "--gtest_filter=*/made_up:MadeUp.*")
        self.assertEqual(set(re.findall(r"^(\S+)\.", listed, re.MULTILINE)),
                         {"Catalogue/Conformance", "Catalogue/ConformanceAtOnce", "Catalogue/LiveConformance", "MadeUp"})
        self.assertEqual(self.failed(self.tests, "*/made_up:MadeUp.*:Catalogue.*"), [])

    def test_layers_hold_and_units_have_each_source_once(self):
        output_of(sys.executable, "-B", self.copy.root / "tools/check_layers.py", self.copy.root)
        sources = sorted((self.copy.root / "src/chronoveil/mechanisms").rglob("*.cc"))
        made = [Path(unit) for unit in self.copy.unity("mechanisms", sources)]
        folder = made[0].parent
        units = "".join(unit.read_text(encoding="utf-8") for unit in made)
        for source in sources:
            self.assertEqual(units.count(f'#include "{os.path.relpath(source, folder)}"'), 1, source)

    def test_no_test_of_the_planner_minds_it(self):
        self.assertEqual(self.failed(self.plan_tests, "Comparison.*"), [])

    def test_the_plan_has_it_with_the_error_that_its_row_leads_to(self):
        (self.copy.made / "job.toml").write_text(JOB, encoding="utf-8")
        done = self.run_program("plan", "job.toml")
        self.assertRegex(done.stdout, r"(?m)^made_up +Laplace b = 2 +4\.51\d* ")  # 2 √(2 b²) √(2/π)
        self.assertRegex(done.stdout, r"(?m)^laplace +Laplace b = 2 +2 ")

    def test_it_is_released_by_its_name(self):
        (self.copy.made / "trips.csv").write_text("card,ts,stop\nc1,2026-03-28T08:30,north\n", encoding="utf-8")
        job = JOB + 'report = "out.html"\n[mechanism]\nname = "made_up"\n'
        (self.copy.made / "named.toml").write_text(job, encoding="utf-8")
        done = self.run_program("run", "named.toml", "--seed", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len((self.copy.made / "out.csv").read_text(encoding="utf-8").splitlines()), 25)
        self.assertIn("made_up", (self.copy.made / "out.html").read_text(encoding="utf-8"))

    def test_the_program_names_it_wherever_it_names_mechanisms(self):
        self.assertRegex(self.run_program("release", "--help").stdout, r"--mechanism TEXT:\{auto,.*\bmade_up\}")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("w_event made_up", self.run_program("completion", shell).stdout)
        (self.copy.made / "magic.toml").write_text(JOB + '[mechanism]\nname = "magic"\n', encoding="utf-8")
        self.assertIn("w_event, made_up", self.run_program("plan", "magic.toml").stderr)

    def test_without_its_page_its_row_is_not_complete(self):
        self.without(self.copy.root / "docs/mechanisms/made_up.md")
        self.assertEqual(self.failed(self.tests, "*/made_up:Catalogue.*"),
                         ["Catalogue/Conformance.TheRowIsComplete/made_up"])

    def test_without_a_row_in_the_table_of_pages_the_table_does_not_say_the_same(self):
        table = self.copy.root / "docs/mechanisms/README.md"
        replaced(table, ROW, "")
        self.addCleanup(self.copy.add_page)
        self.assertEqual(self.failed(self.tests, "*/made_up:Catalogue.*"),
                         ["Catalogue/Conformance.TheTableOfTheDocsSaysTheSame/made_up"])
        self.assertEqual(pages_test.mechanisms_without_link(self.copy.root), ["made_up"])

    def test_without_a_row_in_the_catalogue_it_is_a_page_of_nothing(self):
        self.assertEqual(self.failed(self.tests_without_row, "Catalogue.*:MadeUp.*"),
                         ["Catalogue.HasEveryMechanismThatHasAPage"])

    def test_without_its_test_it_is_a_mechanism_that_no_test_names(self):
        self.assertEqual(pages_test.mechanisms_without_test(self.copy.root), [])
        self.without(self.copy.root / "tests/mechanisms/made_up_test.cc")
        self.assertEqual(pages_test.mechanisms_without_test(self.copy.root), ["made_up"])

    def test_the_docs_are_rewritten_by_one_line_where_they_list_mechanisms(self):
        page = self.copy.root / "docs/planning.md"
        run_docs = [sys.executable, "-B", self.copy.root / "tools/run_docs.py", "--program", self.program, page]
        shown = page.read_text(encoding="utf-8").splitlines()
        self.assertNotEqual(subprocess.run(run_docs, capture_output=True).returncode, 0)
        output_of(*run_docs, "--update")
        now = page.read_text(encoding="utf-8").splitlines()
        self.assertEqual([line for line in now if not line.startswith("made_up ")], shown)
        self.assertEqual(len(now), len(shown) + 1)
        output_of(*run_docs)


if __name__ == "__main__":
    unittest.main()
