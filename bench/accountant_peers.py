#!/usr/bin/env python3
"""Answers of other accountants to the questions of accountant_bench, on one core, warm.

  accountant_peers.py REFERENCES

REFERENCES is a JSON object from the name of a question to what real neighbours attain there in one direction, which is
what these peers compute. A peer is measured at the coarsest setting whose answer lies within 0.2 percent of that, or
else at the finest. A question that a peer cannot answer is left out. Prints lines of JSON: the question, the peer, its
setting, its answer, its bounds if it has both, and answers per second. Installs nothing.
"""

import json
import sys
import time
from importlib import metadata

# The step of structured subsampling in accountant_bench: MoG([0, 2], [1 - q, q], 4) against N(0, 4).
TRAINING_RATE = (256 / 862) * (96 + 24) / (17256 - 24 + 1)

# A question: (delta, [(what, count)]), what being ("gaussian", noise multiplier, sampling rate) or ("laplace", scale).
QUESTIONS = {
    "dp_sgd, noise 1, rate 0.01, 10^4 steps": (1e-5, [(("gaussian", 1.0, 0.01), 10_000)]),
    "dp_sgd, noise 0.8, rate 0.004, 3000 steps": (1e-6, [(("gaussian", 0.8, 0.004), 3000)]),
    "50 + 50 mixed: dp_sgd and laplace": (1e-7, [(("gaussian", 1.0, 0.01), 50), (("laplace", 50.0), 50)]),
    "structured subsampling, 10^5 steps": (1e-7, [(("gaussian", 2.0, TRAINING_RATE), 100_000)]),
    "structured subsampling, 10^3 steps": (1e-7, [(("gaussian", 2.0, TRAINING_RATE), 1000)]),
}


def best(repetitions, work):
    taken = []
    while len(taken) < repetitions and sum(taken) < 10:  # a slow one is not run again
        start = time.perf_counter()
        answer = work()
        taken.append(time.perf_counter() - start)
    return 1 / min(taken), answer


class DpAccounting:
    """One bound: it rounds losses up."""
    settings = (1e-3, 3e-4, 1e-4, 5e-5, 2e-5, 1e-5)

    def __init__(self):
        from dp_accounting.pld import privacy_loss_distribution  # pylint: disable=import-outside-toplevel
        self.pld = privacy_loss_distribution
        self.name = "dp_accounting " + metadata.version("dp-accounting")

    def ask(self, question, interval):
        delta, events = question
        whole = None
        for (kind, *parameters), count in events:
            if kind == "gaussian":
                step = self.pld.from_gaussian_mechanism(parameters[0], value_discretization_interval=interval,
                                                        sampling_prob=parameters[1])
            else:
                step = self.pld.from_laplace_mechanism(parameters[0], value_discretization_interval=interval)
            part = step.self_compose(count)
            whole = part if whole is None else whole.compose(part)
        epsilon = whole.get_epsilon_for_delta(delta)
        return None, epsilon, epsilon


class PrvAccountant:
    """Both bounds, for Poisson sampling by removal of one unit."""
    settings = (0.1, 0.01, 3e-3, 1e-3)

    def __init__(self):
        import numpy  # pylint: disable=import-outside-toplevel
        if not hasattr(numpy, "trapz"):  # its newest version still calls what numpy 2 renamed
            numpy.trapz = numpy.trapezoid
        import prv_accountant  # pylint: disable=import-outside-toplevel
        self.prv = prv_accountant
        self.name = "prv_accountant " + metadata.version("prv-accountant")

    def ask(self, question, error):
        delta, events = question
        steps = []
        for (kind, *parameters), _ in events:
            if kind == "gaussian":
                steps.append(self.prv.PoissonSubsampledGaussianMechanism(noise_multiplier=parameters[0],
                                                                         sampling_probability=parameters[1]))
            else:
                steps.append(self.prv.LaplaceMechanism(mu=1 / parameters[0]))
        counts = [count for _, count in events]
        accountant = self.prv.PRVAccountant(prvs=steps, max_self_compositions=counts, eps_error=error,
                                            delta_error=delta / 1000)
        return accountant.compute_epsilon(delta=delta, num_self_compositions=counts)


class Opacus:
    """Its accountant for training with Poisson sampling, and no other event."""
    settings = PrvAccountant.settings

    def __init__(self):
        import numpy  # pylint: disable=import-outside-toplevel
        if not hasattr(numpy, "trapz"):
            numpy.trapz = numpy.trapezoid
        from opacus.accountants import PRVAccountant  # pylint: disable=import-outside-toplevel
        self.prv = PRVAccountant
        self.name = "opacus " + metadata.version("opacus")

    def ask(self, question, error):
        delta, events = question
        if any(kind != "gaussian" for (kind, *_), _ in events):
            return None
        accountant = self.prv()
        accountant.history = [(noise, rate, count) for (_, noise, rate), count in events]
        epsilon = accountant.get_epsilon(delta, eps_error=error, delta_error=delta / 1000)
        return None, epsilon, epsilon


def measure(peer, name, question, reference):
    for setting in peer.settings:
        rate, answer = best(3, lambda s=setting: peer.ask(question, s))
        if answer is None:
            return
        lower, estimate, upper = answer
        near = abs(estimate - reference) <= 0.002 * reference
        if near or setting == peer.settings[-1]:
            break
    print(json.dumps({"name": name, "peer": peer.name, "setting": setting, "per_second": rate, "epsilon": estimate,
                      "epsilon_lower": lower, "epsilon_upper": upper}), flush=True)


def main():
    references = json.loads(sys.argv[1])
    for make in (DpAccounting, PrvAccountant, Opacus):
        try:
            peer = make()
        except ImportError as missing:
            print(f"{make.__name__}: left out, {missing}", file=sys.stderr)
            continue
        for name, reference in references.items():
            if name in QUESTIONS:
                measure(peer, name, QUESTIONS[name], reference)


if __name__ == "__main__":
    main()
