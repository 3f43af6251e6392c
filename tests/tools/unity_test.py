"""What is compiled as one means what it means when each file is compiled alone."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import unity  # noqa: E402

COMPILER = os.environ.get("CHRONOVEIL_COMPILER", "g++")


def source(unnamed, rest=""):
    return f"namespace cv {{\nnamespace {{\n{unnamed}\n}}  // namespace\n{rest}\n}}  // namespace cv\n"


class Unity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sources(self, *texts):
        paths = [self.folder / f"{number}.cc" for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="utf-8")
        return [unity.Source(path) for path in paths]

    def units(self, *texts, limit=10_000):
        return unity.grouped(self.sources(*texts), limit)

    def apart(self, *texts):
        self.assertEqual([len(unit) for unit in self.units(*texts)], [1] * len(texts))

    def run_as_one(self, *texts):
        """What the program says that is made of these sources, as one unit."""
        unit, = self.units(*texts)
        (self.folder / "unit.cc").write_text(unity.text_of(unit, self.folder), encoding="utf-8")
        subprocess.run([COMPILER, "-std=c++20", "-Wall", "-Werror", "unit.cc", "-o", "program"], cwd=self.folder, check=True)
        return subprocess.run(["./program"], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def test_a_unit_is_no_larger_than_the_limit_unless_one_source_is(self):
        texts = [source(f"int f{i}(int x) {{ return x; }}", f"int g{i}() {{ return f{i}(1); }}") for i in range(5)]
        self.assertEqual([len(unit) for unit in self.units(*texts, limit=2 * len(texts[0]))], [2, 2, 1])
        self.assertEqual(len(self.units(*texts, limit=1)), 5)

    def test_names_that_several_sources_have_mean_in_each_what_they_meant(self):
        main = ("#include <cstdio>\n" + source("int f(int x) { return x; }\nconstexpr int kSize = 1;\nstruct Part {\n  int x = 7;\n};",
                "int second();\nint third();\nint first() { return f(kSize) + Part().x; }\n") +
                'int main() { std::printf("%d %d %d", cv::first(), cv::second(), cv::third()); }\n')
        second = source("long f(long x) { return 2 * x; }\nconstexpr int kSize = 2;\nclass Part {\n public:\n  int y = 70;\n};",
                        "int second() { return static_cast<int>(f(kSize)) + Part().y; }")
        outer = "namespace cv {\ninline int f(char) { return 700; }\n}\n"  # what the third means, and no other
        (self.folder / "outer.h").write_text("#pragma once\n" + outer, encoding="utf-8")
        third = '#include "outer.h"\n' + source("", "int third() { return f('a'); }")
        self.assertEqual(self.run_as_one(main, second, third), "8 74 700")

    def test_a_name_that_cannot_be_renamed_keeps_sources_apart_in_either_order(self):
        for own in ["int f(int x) { return x; }\nint g(Plan p) { return p.f + f(1); }",  # a member of somebody else's type
                    "int f(int x) { return x; }\nint g() { return other::f(1); }",
                    "class f : public Test {\n};\nTEST_F(f, Works) {}"]:
            self.apart(source(own), source("", "int h() { return f('a'); }"))
            self.apart(source("", "int h() { return f('a'); }"), source(own))

    def test_using_declarations_aliases_and_macros_are_never_renamed(self):
        for own, name in [("using nlohmann::json;", "json"), ("using Table = int;", "Table"),
                          ("namespace fs = std::filesystem;", "fs"), ("#define LOUD 1", "LOUD")]:
            self.apart(own + "\n" + source(""), source("", f"void g(int {name});"))
        self.assertEqual(len(self.units(*["using nlohmann::json;\n" + source("", "void g(json);")] * 2)), 1)

    def test_a_namespace_that_is_used_is_no_name_of_its_own(self):
        used, = self.sources(source("using namespace other;\nint f() { return 1; }"))
        self.assertEqual(set(used.own), {"f"})

    def test_two_tests_of_one_name_are_kept_apart(self):
        self.apart(source("TEST(Suite, Works) {}"), source("TEST(Suite, Works) {}"))

    def test_what_others_may_call_and_what_comments_say_keep_nothing_apart(self):
        public, caller = source("", "int f() { return 1; }"), source("", "// LOUD\nint g() { return f(); }")
        self.assertEqual(len(self.units(public + "#define LOUD 1\n", caller)), 1)

    def test_a_unit_that_did_not_change_is_not_written_again(self):
        self.sources(source("int f() { return 1; }"))
        command = [sys.executable, "-B", str(ROOT / "tools/unity.py"), "units", "100", str(self.folder / "0.cc")]
        for _ in range(2):
            printed = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout
            self.assertEqual(printed, "units/0.cc")
            before = (self.folder / "units/0.cc").stat().st_mtime_ns
            os.utime(self.folder / "units/0.cc", ns=(1, 1))
        self.assertEqual(before, 1)


if __name__ == "__main__":
    unittest.main()
