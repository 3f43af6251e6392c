#!/usr/bin/env python3
"""Samples per second of other libraries, on one core, by the calls that are fairest to them.

  noise_peers.py [--toy]

Installs nothing: a library that cannot be imported is left out, and a line on stderr says so. Prints lines of JSON:
{"name": "rounded_gaussian", "peer": "opendp 0.16.0, vector of integers", "per_second": ...}.
"""

import sys
from importlib import metadata

from peer_timing import best, each_installed, report


def opendp(size):
    import opendp.prelude as dp  # pylint: disable=import-outside-toplevel
    dp.enable_features("contrib")
    version = "opendp " + metadata.version("opendp")
    scale = float(2**20)
    for name, make, metric in (("laplace", dp.m.make_laplace, dp.l1_distance),
                               ("gaussian", dp.m.make_gaussian, dp.l2_distance)):
        integers = make(dp.vector_domain(dp.atom_domain(T="i64")), metric(T="i64"), scale=scale)
        zeros = [0] * size
        # On integers it is the discrete law; on floats, with k, the same law on a grid of 2^k.
        rate = best(size, 3, lambda m=integers, z=zeros: m(z))
        report(f"{version}, vector of integers", rate, name="discrete_" + name)
        domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False), size=size)
        floats = make(domain, metric(T="f64"), scale=1.0, k=-20)
        zeros = [0.0] * size
        rate = best(size, 3, lambda m=floats, z=zeros: m(z))
        report(f"{version}, vector of floats", rate, name="rounded_" + name)


def pydp(size):
    from pydp.algorithms.numerical_mechanisms import (  # pylint: disable=import-outside-toplevel
        GaussianMechanism, LaplaceMechanism)
    version = "python-dp " + metadata.version("python-dp")
    for name, mechanism in (("laplace", LaplaceMechanism(epsilon=1.0, sensitivity=1.0)),
                            ("gaussian", GaussianMechanism(epsilon=1.0, delta=1e-6, sensitivity=1.0))):
        def loop(add=mechanism.add_noise):
            for _ in range(size):
                add(0.0)
        report(f"{version}, one call a sample", best(size, 3, loop), name="rounded_" + name)


def main():
    size = 1000 if "--toy" in sys.argv[1:] else 200_000
    each_installed((opendp, pydp), size)


if __name__ == "__main__":
    main()
