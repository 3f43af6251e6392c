"""perturb into a pipe that does not block: a reader that is slow does not end what was paid for."""

import fcntl
import os
import struct
import subprocess
import termios
import time
import unittest

from perturb_jobs import PerturbTest, meter, rows_of, text_of
from program import PROGRAM, without_spent

ROWS = 4000  # more than the pipe holds, many times over


class Pipes(PerturbTest):
    def setUp(self):
        super().setUp()
        self.rows = meter(ROWS)
        self.write("in.csv", text_of(self.rows))
        self.create()

    def read_late(self, *words):
        """What came out, with the exit code and the errors: nothing is read before the pipe is full or the run over."""
        out, into = os.pipe()
        room = fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(into, False)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        with open(self.folder / "in.csv", "rb") as source, open(out, "rb") as reader:
            with subprocess.Popen([PROGRAM, *words], stdin=source, stdout=into, stderr=subprocess.PIPE,
                                  env=environment) as process:
                os.close(into)
                while process.poll() is None and self.waiting(reader) < room:
                    time.sleep(0.01)
                time.sleep(0.2)  # whoever does not wait for room has given up by then
                text = reader.read().decode()
                problem = process.stderr.read().decode()
                return text, process.wait(60), problem

    @staticmethod
    def waiting(reader):
        return struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, b"\0" * 4))[0]

    def assert_whole(self, *words):
        text, code, problem = self.read_late(*words)
        self.assertEqual((code, without_spent(problem)), (0, ""))
        _, rows = rows_of(text)
        self.assertEqual([row[0] for row in rows], [row[0] for row in self.rows])
        self.assertEqual(sorted(row[2] for row in rows), sorted(row[1] for row in self.rows))
        self.assertEqual(self.debits(), [("meter:1", "released")])

    def test_a_stream_waits_for_its_reader(self):
        self.assert_whole(*self.perturb(source="-", dataset="meter", delta=0.6))

    def test_a_file_waits_for_its_reader(self):
        self.assert_whole(*self.perturb(dataset="meter", delta=0.6))


if __name__ == "__main__":
    unittest.main()
