"""What the scripts that measure other libraries share."""

import json
import sys
import time


def best(number, repetitions, work, counts=False):
    """The fastest of several repetitions, per second. `counts`: the work returns how many it did, which must be all."""
    taken = []
    for _ in range(repetitions):
        start = time.perf_counter()
        done = work()
        taken.append(time.perf_counter() - start)
        if counts and done != number:
            sys.exit(f"{sys.argv[0]}: {done} of {number} were counted")
    return number / min(taken)


def report(peer, per_second, **more):
    print(json.dumps({"peer": peer, "per_second": per_second, **more}), flush=True)


def each_installed(libraries, *arguments):
    """Calls those peers that can be imported; a line on stderr names the others."""
    for library in libraries:
        try:
            library(*arguments)
        except ImportError as missing:
            print(f"{library.__name__} is left out: {missing}", file=sys.stderr)
