"""The library as others get it: installed under a prefix of its own, found by CMake and by pkg-config, linked shared and
static, by the examples, which see nothing else of us."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

COMPILER = os.environ.get("CHRONOVEIL_COMPILER", "g++")
PROGRAMS = ("release_series", "price_events", "push_live")
STATIC = """
foreach(program {programs})
  add_executable(${{program}}_static $<TARGET_OBJECTS:${{program}}>)
  set_target_properties(${{program}}_static PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${{program}}_static PRIVATE Chronoveil::chronoveil_static)
endforeach()
"""


def version(text):
    return [int(part) for part in text.split(".")]


def run(command, folder, **environment):
    return subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=300, env={**os.environ, "HOME": str(folder), "LC_ALL": "C", **environment})


class InstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = Path(folder.name)
        cls.prefix = cls.top / "prefix"
        cls.succeed(["cmake", "--install", os.environ["CHRONOVEIL_BUILD"], "--prefix", cls.prefix], cls.top)
        cls.examples = cls.top / "examples"
        shutil.copytree(cls.prefix / "share/doc/chronoveil/examples/cpp", cls.examples)
        cls.ways = {**cls.by_cmake(), **cls.by_pkg_config()}

    @classmethod
    def succeed(cls, command, folder, **environment):
        done = run(command, folder, **environment)
        if done.returncode != 0:
            raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def by_cmake(cls):
        """The programs by way of linking; the project of the examples, and its twin for the static library."""
        project = cls.examples / "CMakeLists.txt"
        project.write_text(project.read_text(encoding="utf-8") + STATIC.format(programs=" ".join(PROGRAMS)),
                           encoding="utf-8")
        cls.succeed(["cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={cls.prefix}",
                     f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror "
                     "-Wno-missing-field-initializers"], cls.examples)
        cls.succeed(["cmake", "--build", "build"], cls.examples)
        return {"cmake, shared": {name: cls.examples / "build" / name for name in PROGRAMS},
                "cmake, static": {name: cls.examples / "build" / f"{name}_static" for name in PROGRAMS}}

    @classmethod
    def by_pkg_config(cls):
        ways = {}
        for way, package in (("shared", "chronoveil"), ("static", "chronoveil-static")):
            def ask(what, package=package):
                return cls.succeed(["pkg-config", what, package], cls.top,
                                   PKG_CONFIG_PATH=str(cls.prefix / "lib/pkgconfig")).split()
            programs = ways[f"pkg-config, {way}"] = {}
            for name in PROGRAMS:
                compiled, program = cls.top / f"{name}.o", cls.top / f"{name}_{way}"
                if not compiled.exists():
                    cls.succeed([COMPILER, "-std=c++20", *ask("--cflags"), "-c", cls.examples / f"{name}.cc", "-o",
                                 compiled], cls.top)
                cls.succeed([COMPILER, compiled, *ask("--libs"), f"-Wl,-rpath,{cls.prefix / 'lib'}", "-o", program],
                            cls.top)
                programs[name] = program
        return ways

    def each_way(self, name):
        """The program linked in each way, with a folder of its own."""
        for way, programs in self.ways.items():
            with self.subTest(way), tempfile.TemporaryDirectory() as folder:
                yield programs[name], Path(folder)

    def test_the_static_ones_do_not_need_the_shared_library(self):
        for way, programs in self.ways.items():
            for program in programs.values():
                needed = self.succeed(["ldd", program], self.top)
                self.assertEqual("libchronoveil.so" in needed, way.endswith("shared"), f"{way}: {program}")

    def test_the_headers_are_those_that_the_front_header_reaches(self):
        folder = self.prefix / "include"
        installed = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        self.assertEqual(installed, check_layers.public_headers(ROOT) | {"chronoveil/temporal/device.h"})

    def test_nothing_but_ours_is_seen_in_the_shared_library(self):
        listed = self.succeed(["nm", "-D", "--defined-only", self.prefix / "lib/libchronoveil.so"], self.top)
        names = [line.split()[-1] for line in listed.splitlines()]
        self.assertTrue(any("chronoveil3run" in name for name in names))
        self.assertEqual([name for name in names if not re.match(r"_Z.*10chronoveil", name)], [])

    def test_the_shared_library_needs_nothing_newer_than_manylinux_2_34_has(self):
        """A wheel of that name holds it; Debian 12 has newer symbols. libpq is loaded when needed, never linked."""
        listed = self.succeed(["objdump", "-p", self.prefix / "lib/libchronoveil.so"], self.top)
        for family, newest in (("GLIBC", "2.34"), ("GLIBCXX", "3.4.29"), ("CXXABI", "1.3.13")):
            found = re.findall(rf"\b{family}_([0-9.]+)\b", listed)
            self.assertTrue(found, family)
            self.assertEqual([one for one in found if version(one) > version(newest)], [], family)
        self.assertNotRegex(listed, r"NEEDED\s+libpq")

    def test_the_package_has_the_version_of_the_program(self):
        ours = self.succeed([self.prefix / "bin/chronoveil", "--version"], self.top).split()[1]
        found = self.succeed(["pkg-config", "--modversion", "chronoveil"], self.top,
                             PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig")).strip()
        self.assertEqual(found, ours)

    def test_the_examples_are_short(self):
        for name in PROGRAMS:
            lines = (ROOT / "examples/cpp" / f"{name}.cc").read_text(encoding="utf-8").splitlines()
            self.assertLessEqual(len(lines), 30, name)

    def test_a_series_is_released_once(self):
        for program, folder in self.each_way("release_series"):
            rows = self.succeed([program], folder).splitlines()
            self.assertEqual(rows[0], "time,value,lower,upper,sampled")
            self.assertEqual([row.split(",")[0] for row in rows[1:]], [f"2026-03-01T{hour:02}:00:00+01:00" for hour in range(6, 18)])
            again = run([program], folder)
            self.assertEqual((again.returncode, len(again.stdout.splitlines())), (2, 1), again.stdout)
            verified = self.succeed([self.prefix / "bin/chronoveil", "budget", "verify", "--ledger", "budget.db"], folder)
            self.assertTrue(verified.startswith("holds"), verified)

    def test_events_are_priced_and_calibrated(self):
        for program, folder in self.each_way("price_events"):
            lower, upper, noise, cost = (float(text) for text in re.match(
                r"at noise 50: epsilon is between (\S+) and (\S+)\nfor epsilon 1: noise_multiplier (\S+), "
                r"which costs (\S+)\n\{", self.succeed([program], folder)).groups())
            self.assertLessEqual(lower, upper)
            self.assertLess(upper - lower, 2e-3 * upper)
            self.assertGreater(noise, 50)
            self.assertLessEqual(cost, 1)

    def check_published(self, folder):
        rows = (folder / "published.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual([row.split(",")[0] for row in rows],
                         ["time", *(f"2026-03-01T{hour:02}:00:00+00:00" for hour in range(3))])
        history = self.succeed([self.prefix / "bin/chronoveil", "budget", "history", "bus", "--ledger", "budget.db",
                                "--json"], folder)
        self.assertEqual(history.count('"mechanism"'), 1, history)

    def test_a_live_session_goes_on(self):
        for program, folder in self.each_way("push_live"):
            self.assertEqual(len(self.succeed([program], folder).splitlines()), 3)
            self.assertEqual(self.succeed([program], folder), "")
            self.check_published(folder)

    def test_a_live_session_goes_on_wherever_it_was_killed(self):
        program = self.ways["cmake, shared"]["push_live"]
        shim = os.environ["CHRONOVEIL_KILL_SHIM"]
        kills = 0
        for call in range(1, 10_000, 9):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                killed = run([program], folder, LD_PRELOAD=shim, KILL_AT=str(call)).returncode == -signal.SIGKILL
                self.succeed([program], folder)
                self.check_published(folder)
            if not killed:
                break
            kills += 1
        self.assertGreater(kills, 5)


if __name__ == "__main__":
    unittest.main()
