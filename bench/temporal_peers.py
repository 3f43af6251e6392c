#!/usr/bin/env python3
"""Values per second of the same work in Python and numpy, on one core: for noisy_sort, numpy's argsort of step + noise.

  temporal_peers.py [--toy]

There is no public implementation of the switches or of threshold to compare with; a plain loop in Python does their
steps. None of this is private: the noise is floating-point, the generator is not cryptographic, and equal keys keep
their order. Prints lines of JSON: {"name": "ranswitch", "peer": "a loop in Python", "per_second": ...}.
"""

import random
import sys

from peer_timing import best, each_installed, report

WINDOW, STAY, EPSILON = 80, 0.4, 4.0


def ranswitch(values):
    last = len(values) - 1
    for i in range(len(values)):
        if random.random() >= STAY:
            j = min(i + random.randrange(1, WINDOW), last)
            values[i], values[j] = values[j], values[i]


def staswitch(values):
    last = len(values) - 1
    delays = [0] * len(values)
    for i in range(len(values)):
        if random.random() >= STAY:
            offset = random.randrange(1, WINDOW)
            j = i + offset
            if j <= last and delays[i] + offset < WINDOW:
                values[i], values[j] = values[j], values[i]
                delays[j] = delays[i] + offset


def threshold(values):
    slots = [None] * (len(values) + WINDOW)
    for i, value in enumerate(values):
        empty = [j for j in range(i, i + WINDOW) if slots[j] is None]
        stays = len(empty) <= WINDOW // 2 and slots[i] is None
        slots[i if stays else random.choice(empty)] = value


def noisy_sort(size, repetitions):
    import numpy  # pylint: disable=import-outside-toplevel
    generator = numpy.random.default_rng()
    values = numpy.arange(size, dtype=numpy.int64)

    def laplace():
        return values + generator.laplace(0, 2 * (WINDOW - 1) / EPSILON, size)

    def staircase():
        # Levels are geometric, the place in a level uniform; the plateau is as wide as a level here.
        levels = generator.geometric(1 - numpy.exp(-EPSILON / 2), size) - 1
        sizes = levels * (WINDOW - 1) + generator.integers(0, WINDOW - 1, size)
        return values + numpy.where(generator.random(size) < 0.5, sizes, -sizes)

    for name, keys in (("laplace", laplace), ("staircase", staircase)):
        for kind in ("quicksort", "stable"):  # the second profits from values that are already in order
            rate = best(size, repetitions, lambda keys=keys, kind=kind: values[numpy.argsort(keys(), kind=kind)])
            report(f"numpy {numpy.__version__}, argsort ({kind})", rate, name=f"noisy_sort, {name}, whole file")


def main():
    toy = "--toy" in sys.argv[1:]
    size = 1000 if toy else 1_000_000
    for name, loop in (("ranswitch", ranswitch), ("staswitch", staswitch)):
        report("a loop in Python", best(size, 2, lambda loop=loop: loop(list(range(size)))), name=name)
    report("a loop in Python", best(size // 10, 2, lambda: threshold(list(range(size // 10)))), name="threshold")
    each_installed((noisy_sort,), 1000 if toy else 10_000_000, 3)


if __name__ == "__main__":
    main()
