"""make install puts the program, its completions and its manual page under a prefix, and they work there; and the library
for devices."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

INSTALLED = {
    "bin/chronoveil": ["--version"],
    "share/man/man1/chronoveil.1": ["man"],
    "share/bash-completion/completions/chronoveil": ["completion", "bash"],
    "share/zsh/site-functions/_chronoveil": ["completion", "zsh"],
    "share/fish/vendor_completions.d/chronoveil.fish": ["completion", "fish"],
}


class Install(unittest.TestCase):
    def test_everything_lies_under_destdir_and_prefix(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", os.environ["CHRONOVEIL_BUILD"], "--prefix", "/opt/cv"],
                           env={**os.environ, "DESTDIR": folder}, stdout=subprocess.DEVNULL, check=True)
            top = Path(folder) / "opt/cv"
            program = top / "bin/chronoveil"
            for name, arguments in INSTALLED.items():
                printed = subprocess.run([program, *arguments], capture_output=True, check=True).stdout
                if arguments[0] == "--version":
                    self.assertTrue(printed.startswith(b"chronoveil "))
                else:
                    self.assertEqual((top / name).read_bytes(), printed, name)
            for name in ("share/doc/chronoveil/LICENSE", "share/doc/chronoveil/examples/meter.c",
                         "lib/libchronoveil_device.a", "include/chronoveil/temporal/device.h"):
                self.assertTrue((top / name).is_file(), name)
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["opt"])


if __name__ == "__main__":
    unittest.main()
