"""Prices are the engine's, whoever asks."""

import json
import math

import pytest

import chronoveil as cv
from chronoveil import _native, events


def test_there_is_a_class_for_every_event_of_the_engine():
    kinds = {kind["name"]: kind for kind in _native.event_kinds()}
    assert len(kinds) == len(events._KINDS) >= 20
    for name, kind in kinds.items():
        made = getattr(cv, "".join(word.capitalize() for word in name.split("_")))
        assert {field["name"] for field in kind["fields"]} | {"count"} == set(made.__signature__.parameters)


@pytest.mark.parametrize("event", [
    cv.Gaussian(noise_multiplier=3, count=10), cv.DpSgd(rate=0.01, noise_multiplier=1, count=1000),
    cv.PoissonSampled(rate=0.1, inner=cv.Laplace(noise_multiplier=2), count=3),
    cv.Compose(events=[cv.Pure(epsilon=0.1), cv.Gaussian(noise_multiplier=5)]),
    cv.Mixture(p={"means": [0.0, 1.0], "weights": [0.5, 0.5]}, q={"means": [0.0], "weights": [1.0]}, noise_multiplier=2),
], ids=lambda event: event.kind)
def test_a_price_is_the_program_s(event, program):
    told = json.loads(program("account", event.to_json(), "--delta", "1e-6", "--json"))
    price = cv.epsilon(event, delta=1e-6)
    assert (price.epsilon, price.epsilon_lower, price.certificate) == (
        told["epsilon"], told["epsilon_lower"], told["certificate"])
    assert price.epsilon_lower <= price.epsilon
    assert cv.Event.from_json(event.to_json()) == event


def test_calibration_stays_within_the_price():
    found = cv.calibrate(cv.DpSgd(rate=0.01, count=10_000), epsilon=2, delta=1e-5)
    assert found.price.epsilon <= 2
    assert cv.epsilon(found.event, delta=1e-5).epsilon <= 2
    assert cv.delta(found.event, epsilon=2).delta <= 1e-5


def test_an_accountant_composes():
    accountant = cv.Accountant().compose(cv.Gaussian(noise_multiplier=10), 4).compose(cv.Gaussian(noise_multiplier=10), 5)
    assert accountant.get_epsilon(1e-6) == pytest.approx(cv.epsilon(cv.Gaussian(noise_multiplier=10, count=9), 1e-6).epsilon)
    assert accountant.get_delta(1.0) < 1 and accountant.price(1e-6).certificate


def test_events_of_dp_accounting_are_taken():
    dp = pytest.importorskip("dp_accounting")
    theirs = dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(0.01, dp.GaussianDpEvent(1.0)), 1000)
    ours = cv.PoissonSampled(rate=0.01, inner=cv.Gaussian(noise_multiplier=1.0), count=1000)
    assert cv.epsilon(theirs, 1e-5) == cv.epsilon(ours, 1e-5)
    from dp_accounting.pld import PLDAccountant
    theirs_says = PLDAccountant().compose(theirs).get_epsilon(1e-5)
    assert cv.Accountant().compose(theirs).get_epsilon(1e-5) == pytest.approx(theirs_says, rel=0.01)
    both = dp.ComposedDpEvent([dp.LaplaceDpEvent(2.0), dp.GaussianDpEvent(3.0)])
    assert cv.epsilon(both, 1e-5) == cv.epsilon(
        cv.Compose(events=[cv.Laplace(noise_multiplier=2.0), cv.Gaussian(noise_multiplier=3.0)]), 1e-5)
    response = dp.RandomizedResponseDpEvent(0.5, 4)  # the truth with 5/8, each other value with 1/8
    assert cv.epsilon(response, 0).epsilon == pytest.approx(math.log(5))
    from dp_accounting.dp_event import DiscreteLaplaceDpEvent
    assert cv.epsilon(DiscreteLaplaceDpEvent(0.25, 3), 0).epsilon == pytest.approx(0.75)
    assert cv.epsilon(dp.NoOpDpEvent(), 1e-5).epsilon == 0
    beside = dp.ComposedDpEvent([dp.NoOpDpEvent(), dp.GaussianDpEvent(3.0)])
    assert cv.epsilon(beside, 1e-5).epsilon == pytest.approx(cv.epsilon(cv.Gaussian(noise_multiplier=3.0), 1e-5).epsilon,
                                                               rel=1e-3)
    with pytest.raises(TypeError, match="NonPrivateDpEvent"):
        cv.epsilon(dp.NonPrivateDpEvent(), 1e-5)


def test_a_sample_of_a_fixed_size_is_for_a_unit_replaced():
    """Their noise is for a unit added or removed; one replaced changes twice as much. Where all are drawn it shows."""
    dp = pytest.importorskip("dp_accounting")
    replaced = cv.epsilon(cv.Gaussian(noise_multiplier=2.0), 1e-5).epsilon
    everybody = dp.SampledWithoutReplacementDpEvent(10, 10, dp.GaussianDpEvent(4.0))
    assert cv.epsilon(everybody, 1e-5).epsilon == pytest.approx(replaced, rel=1e-6)
    beside = dp.ComposedDpEvent([everybody, dp.SelfComposedDpEvent(dp.GaussianDpEvent(4.0), 2)])
    twice = cv.Accountant().compose(everybody).compose(dp.GaussianDpEvent(4.0), 2)
    for composed in (cv.epsilon(beside, 1e-5).epsilon, twice.get_epsilon(1e-5)):
        assert composed == pytest.approx(cv.epsilon(cv.Gaussian(noise_multiplier=2.0, count=3), 1e-5).epsilon, rel=2e-3)
    with pytest.raises(TypeError, match="RandomizedResponseDpEvent beside a sample of a fixed size, or in one"):
        cv.epsilon(dp.SampledWithReplacementDpEvent(10, 2, dp.RandomizedResponseDpEvent(0.5, 4)), 1e-5)


def test_unknown_fields_and_events_are_refused():
    with pytest.raises(TypeError):
        cv.Gaussian(noise=1)
    with pytest.raises(cv.UsageError):
        cv.Event.from_json('{"event": "magic"}')
    with pytest.raises(cv.ChronoveilError):
        cv.epsilon(cv.Gaussian(), delta=1e-6)  # its noise is left out


def test_an_infinite_price_says_why():
    price = cv.epsilon(cv.Approximate(epsilon=1, delta=0.1), delta=1e-6)
    assert math.isinf(price.epsilon) and price.reason
