"""Opacus on simple_feed_forward and deepar, with the shapes of forecasting_bench: windows per second on one thread.

The batch is ready: ours counts the drawing of windows, this does not. Clipping is flat, over all weights together; the
mean is over the expected batch. Opacus computes the same sum in two ways, with the gradients of all windows kept
("hooks") and by a second pass over the norms of the first ("ghost"); the faster one counts.
"""

import json
import time

import opacus
import torch
from opacus.grad_sample import GradSampleModule, GradSampleModuleFastGradientClipping
from opacus.layers import DPLSTM
from opacus.optimizers import DPOptimizer, DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

BATCH, CONTEXT, FORECAST, COVARIATES, CLIP, NOISE = 256, 24, 24, 4, 1e-4, 2.0
LAGS = 10


class StudentT(torch.nn.Module):
    def __init__(self, width, laws):
        super().__init__()
        self.raw = torch.nn.Linear(width, 3 * laws)

    def forward(self, x):
        location, scale, freedom = self.raw(x).chunk(3, -1)
        return torch.stack([location, torch.nn.functional.softplus(scale) + 1e-4, torch.nn.functional.softplus(freedom) + 2], -1)


class SimpleFeedForward(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(CONTEXT + COVARIATES, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64), torch.nn.ReLU(),
                                          StudentT(64, FORECAST))

    def forward(self, x):
        return self.layers(x)

    @staticmethod
    def batch():
        return torch.rand(BATCH, CONTEXT + COVARIATES), torch.rand(BATCH, FORECAST)


class DeepAr(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = DPLSTM(LAGS + COVARIATES + 1, 40, num_layers=2, batch_first=True)
        self.head = StudentT(40, 1)

    def forward(self, x):
        return self.head(self.lstm(x)[0]).squeeze(-2)

    @staticmethod
    def batch():
        steps = CONTEXT + FORECAST
        return torch.rand(BATCH, steps, LAGS + COVARIATES + 1), torch.rand(BATCH, steps)


class NegativeLogLikelihood(torch.nn.Module):
    """One number per window, or their mean with reduction "mean": Opacus asks the loss which one it is."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, law, target):
        location, scale, freedom = law.unbind(-1)
        each = -torch.distributions.StudentT(freedom, location, scale, validate_args=False).log_prob(target).mean(1)
        return each.mean() if self.reduction == "mean" else each


def hooks(kind):
    model = GradSampleModule(kind())
    optimizer = DPOptimizer(torch.optim.Adam(model.parameters(), 1e-3), noise_multiplier=NOISE, max_grad_norm=CLIP, expected_batch_size=BATCH)
    return model, optimizer, NegativeLogLikelihood()


def ghost(kind):
    model = GradSampleModuleFastGradientClipping(kind(), max_grad_norm=CLIP, use_ghost_clipping=True)
    optimizer = DPOptimizerFastGradientClipping(torch.optim.Adam(model.parameters(), 1e-3), noise_multiplier=NOISE, max_grad_norm=CLIP,
                                                expected_batch_size=BATCH)
    return model, optimizer, DPLossFastGradientClipping(model, optimizer, NegativeLogLikelihood(), "mean")


def rate(kind, way, steps):
    torch.manual_seed(1)
    model, optimizer, loss = way(kind)
    inputs, target = kind.batch()

    def step():
        optimizer.zero_grad()
        loss(model(inputs), target).backward()
        optimizer.step()

    step()
    best = 0
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(steps):
            step()
        best = max(best, steps * BATCH / (time.perf_counter() - start))
    return best


def main():
    torch.set_num_threads(1)
    for name, kind, steps in (("simple_feed_forward", SimpleFeedForward, 40), ("deepar", DeepAr, 4)):
        for way in (hooks, ghost):
            try:
                found = rate(kind, way, steps)
            except (NotImplementedError, RuntimeError, ValueError):  # a layer that Opacus cannot treat so
                continue
            print(json.dumps({"name": name, "per_second": found,
                              "peer": f"opacus {opacus.__version__} ({way.__name__}), torch {torch.__version__}, 1 thread"}), flush=True)


if __name__ == "__main__":
    main()
