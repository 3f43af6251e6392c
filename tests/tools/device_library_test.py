"""The library for devices: its header is C, it links with and without libsodium, and its example permutes a series."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ["CHRONOVEIL_BUILD"])
EXAMPLE = BUILD / "device_example"
STRICT = ["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", str(ROOT / "src")]

WITH_LIBSODIUM = """
#include <stdio.h>
#include "chronoveil/temporal/device.h"
static void print(void* context, const void* value) { (void)context; putchar(*(const char*)value); }
int main(void) {
  cv_options options = {0};
  cv_stream* stream;
  const char* next;
  options.mechanism = CV_STASWITCH;
  options.value_size = 1;
  options.window = 3;
  options.stay = 0.5;
  options.random = cv_libsodium;
  if (cv_open(&options, &stream) != CV_OK) return 1;
  for (next = "abcdefghijklmnopqrstuvwxyz"; *next; ++next) {
    if (cv_push(stream, next, print, NULL) != CV_OK) return 1;
  }
  if (cv_finish(stream, print, NULL) != CV_OK) return 1;
  cv_close(stream);
  return 0;
}
"""


def blurred(lines):
    done = subprocess.run([EXAMPLE], input="".join(line + "\n" for line in lines), stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout.splitlines()


class DeviceLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiled(self, source, *arguments):
        (self.folder / "program.c").write_text(source, encoding="utf-8")
        return subprocess.run([*STRICT, "-o", self.folder / "program", self.folder / "program.c", *arguments],
                              stderr=subprocess.PIPE, text=True, check=False)

    def test_the_header_alone_is_strict_c99(self):
        self.assertEqual(self.compiled('#include "chronoveil/temporal/device.h"\n', "-fsyntax-only").stderr, "")

    def test_the_example_is_strict_c99(self):
        source = (ROOT / "examples/device/meter.c").read_text(encoding="utf-8")
        self.assertEqual(self.compiled(source, "-fsyntax-only").stderr, "")

    def test_the_example_permutes_series_of_any_length(self):
        for count in (0, 1, 2, 7, 8, 9, 240, 241, 1000):
            values = [f"reading {i}" for i in range(count)]
            released = blurred(values)
            self.assertEqual(sorted(released), sorted(values))
            # Noise of at most 120 steps moves no value further than 240.
            steps = [int(line.split()[1]) for line in released]
            self.assertTrue(all(abs(slot - step) <= 240 for slot, step in enumerate(steps)))
        # In pairs of one step and the next, 500 of them, each is exchanged with a probability of 0.2 or more: below 1e-48.
        self.assertNotEqual(released, values)

    def test_a_value_leaves_as_soon_as_it_may(self):
        with subprocess.Popen([EXAMPLE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as meter:
            meter.stdin.write("".join(f"{i}\n" for i in range(1000, 1300)))
            meter.stdin.flush()
            first = [meter.stdout.readline() for _ in range(60)]  # while the input is still open
            meter.stdin.close()
            rest = meter.stdout.read()
        self.assertEqual(sorted(("".join(first) + rest).split()), [str(i) for i in range(1000, 1300)])

    def test_a_line_that_does_not_fit_is_refused_and_not_shown(self):
        done = subprocess.run([EXAMPLE], input="secret " * 10, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("longer than 31 characters", done.stderr)
        self.assertNotIn("secret", done.stderr + done.stdout)

    def test_a_program_with_its_own_randomness_needs_no_libsodium(self):
        needed = subprocess.run(["ldd", EXAMPLE], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("libc.so", needed)
        self.assertNotIn("sodium", needed)

    def test_a_program_that_names_libsodium_works_with_it_and_does_not_link_without(self):
        library = BUILD / "libchronoveil_device.a"
        self.assertIn("sodium_init", self.compiled(WITH_LIBSODIUM, library, "-lstdc++", "-lm").stderr)
        self.assertEqual(self.compiled(WITH_LIBSODIUM, library, "-lsodium", "-lstdc++", "-lm").stderr, "")
        printed = subprocess.run([self.folder / "program"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual("".join(sorted(printed)), "abcdefghijklmnopqrstuvwxyz")


if __name__ == "__main__":
    unittest.main()
