"""What is compiled as one means what it means when each file is compiled alone."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]
import join  # noqa: E402
import unity_groups  # noqa: E402


def source(unnamed, rest=""):
    return f"namespace cv {{\nnamespace {{\n{unnamed}\n}}  // namespace\n{rest}\n}}  // namespace cv\n"


class Groups(unittest.TestCase):
    def apart(self, *texts):
        self.assertEqual(unity_groups.grouped(8, texts), list(range(len(texts))))

    def test_sources_without_names_in_common_are_compiled_as_one_up_to_the_size(self):
        texts = [source(f"int f{i}(int x) {{ return x; }}", f"int g{i}() {{ return f{i}(1); }}") for i in range(5)]
        self.assertEqual(unity_groups.grouped(2, texts), [0, 0, 1, 1, 2])

    def test_a_name_that_both_define_keeps_them_apart_whatever_it_takes(self):
        self.apart(source("double f(double x) { return x; }"), source("int f(int x) { return x; }"))
        self.apart(source("constexpr int kSize = 1;"), source("constexpr int kSize = 2;"))
        self.apart(source("struct Part {\n  int x;\n};"), source("class Part;"))
        self.apart(source("template <class T>\nT f(T x) {\n  return x;\n}"), source("int f(int x) { return x; }"))

    def test_a_name_that_the_other_only_mentions_keeps_them_apart_in_either_order(self):
        own, caller = source("int f(int x) { return x; }"), source("", "int g() { return f('a'); }")
        self.apart(own, caller)
        self.apart(caller, own)

    def test_using_declarations_aliases_and_macros_are_names_of_their_own(self):
        for own, name in [("using nlohmann::json;", "json"), ("using Table = int;", "Table"),
                          ("namespace fs = std::filesystem;", "fs"), ("#define LOUD 1", "LOUD")]:
            self.apart(own + "\n" + source(""), source("", f"void g(int {name});"))

    def test_what_others_may_call_and_what_comments_say_keep_nothing_apart(self):
        public, caller = source("", "int f() { return 1; }"), source("", "// LOUD\nint g() { return f(); }")
        self.assertEqual(unity_groups.grouped(8, [public + "#define LOUD 1\n", caller]), [0, 0])


class Join(unittest.TestCase):
    def test_unnamed_namespaces_stay_apart_and_lines_keep_their_numbers(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [f"{folder}/{name}_test.cc" for name in "ab"]
            for path in paths:
                Path(path).write_text(source("int f() { return 1; }"))
            text = join.joined(paths)
        for number, path in enumerate(paths):
            self.assertIn(f'#line 1 "{path}"\nnamespace cv {{\nnamespace file_{number} {{ namespace {{\nint f()', text)
        self.assertEqual(text.count("{"), text.count("}"))

    def test_a_file_without_an_unnamed_namespace_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a_test.cc"
            path.write_text("int f();\n")
            with self.assertRaisesRegex(SystemExit, "one unnamed namespace"):
                join.joined([str(path)])


if __name__ == "__main__":
    unittest.main()
