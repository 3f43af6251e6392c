"""A live release of people, killed before calls that leave a trace: whoever was counted is counted as in an undisturbed
life, and what remembers them never keeps it from going on. Every sixth call; each with CHRONOVEIL_TORTURE=1."""

import os
import signal
import subprocess
import unittest

from live_jobs import VISITS, WEEKS, LiveTest, visits
from program import PROGRAM

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
EVERY = 1 if os.environ.get("CHRONOVEIL_TORTURE") else 6
# A cap of one: everybody counts in the first week only.
ROWS = visits((0, "ann"), (0, "ben"), (1, "ann"), (1, "cid"), (2, "ben"), (2, "dan"), (2, "eve"), (3, "cid"), (3, "fay"))
COUNTS = ["2", "1", "2", "1"]


class PeopleCrash(LiveTest):
    def killed_at(self, call):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LD_PRELOAD": SHIM, "KILL_AT": str(call)}
        done = subprocess.run([PROGRAM, *self.words(str(self.job), "--until", WEEKS[4])], input=ROWS,
                              capture_output=True, text=True, env=environment, timeout=120, check=False)
        return done.returncode == -signal.SIGKILL

    def test_everybody_counts_as_in_an_undisturbed_life(self):
        call, kills, seen = 1, 0, set()
        while True:
            self.setUp()
            self.prepare(VISITS)
            self.live(ROWS, "--until", WEEKS[1])
            killed = self.killed_at(call)
            seen.add(self.standing()["caps"])
            self.live(ROWS, "--until", WEEKS[4])
            self.assertEqual([value for _, value, _ in self.values()], COUNTS, f"killed before call {call}")
            self.assertEqual(self.standing()["caps"], "verified")
            if not killed:
                break
            kills += 1
            call += EVERY
        self.assertGreater(kills, 10, "the shim counted nothing")
        self.assertEqual(seen, {"verified", "not verified"})


if __name__ == "__main__":
    unittest.main()
