"""The units for systemd: they must be understood whole, keep the service in its place, and call the program rightly."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ["CHRONOVEIL_PROGRAM"]
PLACE = "/usr/local/bin/chronoveil"
SERVICE = (ROOT / "packaging" / "chronoveil-live@.service").read_text(encoding="utf-8")
TIMER = (ROOT / "packaging" / "chronoveil-live@.timer").read_text(encoding="utf-8")


class ServiceTest(unittest.TestCase):
    def analyze(self, *words, service=SERVICE):
        """systemd's own opinion of the instance flu, with the program where it is now."""
        with tempfile.TemporaryDirectory(prefix="chronoveil-units-") as folder:
            names = {"chronoveil-live@flu.service": service.replace(PLACE, os.path.abspath(PROGRAM)),
                     "chronoveil-live@flu.timer": TIMER}
            for name, text in names.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            paths = [str(Path(folder) / name) for name in names if words[0] == "verify" or name.endswith("service")]
            return subprocess.run(["systemd-analyze", *words, *paths], capture_output=True, text=True, timeout=60,
                                  check=False, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not here")
    def test_systemd_understands_every_line(self):
        done = self.analyze("verify", "--man=no")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for broken in (SERVICE.replace("ProtectHome=", "ProtectHme="), SERVICE.replace("Type=exec", "Type=once")):
            self.assertNotEqual(self.analyze("verify", "--man=no", service=broken).stderr, "")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not here")
    def test_the_service_can_do_little_else(self):
        words = ("security", "--offline=true", "--no-pager", "--threshold=10")  # tenths: at most 1.0 of 10
        self.assertEqual(self.analyze(*words).returncode, 0)
        bare = "\n".join(line for line in SERVICE.splitlines() if not line.startswith(("Protect", "Private", "System")))
        self.assertNotEqual(self.analyze(*words, service=bare).returncode, 0)

    def test_the_program_takes_the_command_as_it_stands(self):
        command = re.search(r"(?m)^ExecStart=(.*)$", SERVICE).group(1)
        self.assertEqual(shlex.split(command)[0], PLACE)
        with tempfile.TemporaryDirectory(prefix="chronoveil-units-") as folder:
            for written, meant in (("/etc/chronoveil", folder), ("%i", "flu"), ("$OPTIONS", "--once")):
                self.assertIn(written, command)
                command = command.replace(written, meant)
            words = shlex.split(command)
            done = subprocess.run([PROGRAM, *words[1:]], capture_output=True, text=True, timeout=60, check=False,
                                  env={"PATH": os.environ["PATH"], "HOME": folder})
            # It gets as far as the job, which is not there.
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("flu.toml", done.stderr)


if __name__ == "__main__":
    unittest.main()
