#!/usr/bin/env python3
"""Answers a second of other accountants to the questions of accountant_bench, on one core, warm.

  accountant_peers.py REFERENCE [--toy]

REFERENCE is what real neighbours attain at the 10^5-step question in one direction, which is what these peers compute:
a peer is measured at the coarsest setting whose answer lies within 0.2 percent of it, as near as ours is known. Prints lines of JSON as noise_peers.py does, with
the setting and the answer. Installs nothing.
"""

import json
import sys
import time
from importlib import metadata

# The step of accountant_bench: MoG([0, 2], [1 − q, q], 4) against N(0, 4), that is noise multiplier 2 and rate q.
RATE = (256 / 862) * (96 + 24) / (17256 - 24 + 1)
NOISE = 2.0
STEPS = 100_000
DELTA = 1e-7
NAME = "subsampled gaussian, 10^5 steps"


def best(repetitions, work):
    taken = []
    while len(taken) < repetitions and sum(taken) < 10:  # a slow one is not run again
        start = time.perf_counter()
        answer = work()
        taken.append(time.perf_counter() - start)
    return 1 / min(taken), answer


def report(peer, setting, rate, epsilon, near):
    print(json.dumps({"name": NAME, "peer": f"{peer}, {setting}, epsilon {epsilon:.5g}", "per_second": rate,
                      "accurate": near}), flush=True)


def dp_accounting(near):
    from dp_accounting.pld import privacy_loss_distribution as pld  # pylint: disable=import-outside-toplevel
    version = "dp_accounting " + metadata.version("dp-accounting")

    def ask(interval):
        step = pld.from_gaussian_mechanism(NOISE, value_discretization_interval=interval, sampling_prob=RATE)
        return step.self_compose(STEPS).get_epsilon_for_delta(DELTA)

    for interval in (1e-3, 3e-4, 1e-4, 5e-5, 2e-5, 1e-5):
        rate, epsilon = best(3, lambda h=interval: ask(h))
        report(version, f"grid {interval:g}", rate, epsilon, near(epsilon))
        if near(epsilon):
            return


def prv_accountant(near):
    import numpy  # pylint: disable=import-outside-toplevel
    if not hasattr(numpy, "trapz"):  # its newest release still calls what numpy 2 renamed
        numpy.trapz = numpy.trapezoid
    from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism  # pylint: disable=import-outside-toplevel
    version = "prv_accountant " + metadata.version("prv-accountant")

    def ask(error):
        step = PoissonSubsampledGaussianMechanism(sampling_probability=RATE, noise_multiplier=NOISE)
        accountant = PRVAccountant(prvs=[step], max_self_compositions=[STEPS], eps_error=error, delta_error=DELTA / 1000)
        return accountant.compute_epsilon(delta=DELTA, num_self_compositions=[STEPS])[2]

    for error in (0.1, 0.01, 3e-3, 1e-3):
        rate, epsilon = best(3, lambda e=error: ask(e))
        report(version, f"error {error:g}", rate, epsilon, near(epsilon))
        if near(epsilon):
            return


def main():
    reference = float(sys.argv[1])

    def near(epsilon):
        return abs(epsilon - reference) <= 0.002 * reference

    for peer in (dp_accounting, prv_accountant):
        try:
            peer(near)
        except ImportError as missing:
            print(f"{peer.__name__}: left out, {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
