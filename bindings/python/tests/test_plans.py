"""What the program's plan shows, a plan here shows, too."""

import json

import pytest

import chronoveil as cv
from rows import TRIPS, as_csv

SLOTS = cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h")


def counts(source, **more):
    return cv.Counts(cv.Records(source, user="card", time="ts", series="stop", zone="Europe/Berlin"), SLOTS,
                     **{"keys": ["north", "south"], "max_steps": 2, "epsilon": 1.0, "delta": 1e-6, **more})


@pytest.mark.parametrize("sampled", [False, True], ids=["from facts", "with a public sample"])
def test_a_plan_is_that_of_the_program(sampled, folder, program):
    if sampled:
        (folder / "last.csv").write_text("series,value\n" + "".join(
            f"{stop},{hour * 7 % 40}\n" for stop in ("north", "south") for hour in range(47)), encoding="utf-8")
    job = counts(as_csv(TRIPS, folder / "rows.csv"), csv="out.csv", **({"plan_sample": "last.csv"} if sampled else {}))
    (folder / "job.toml").write_text(job.to_toml("city"), encoding="utf-8")
    told = json.loads(program("plan", "job.toml", "--json"))
    plan = job.plan()
    assert (plan.mechanism, plan.reason, plan.parameters) == (told["mechanism"], told["reason"], told["plan"]["parameters"])
    assert plan.guarantee.epsilon == told["guarantee"]["epsilon"] and json.loads(plan.event.to_json()) == told["plan"]["event"]
    comparison, wanted = plan.compare(), told["plan"]["comparison"]
    assert comparison.recommended == wanted["recommended"]
    names = {"error": "noise_error", "information": "information", "error_on_sample": "expected_error",
             "error_of_all_series": "expected_total_error"}
    for ours, theirs in zip(comparison.candidates, wanted["candidates"], strict=True):
        assert (ours["mechanism"], ours["fits"]) == (theirs["mechanism"], "noise_error" in theirs)
        if ours["fits"]:
            assert {name: ours[name] for name in names} == {name: theirs.get(key) for name, key in names.items()}
    assert any(one.get("error_of_all_series") for one in comparison.candidates) == sampled
    caps = plan.caps()
    assert caps == {"max_steps": told["caps"]["max_steps"],
                    **{row["length"]: row["error"] for row in told["caps"]["by_length"]}}


def test_a_choice_that_is_not_the_best_is_advised_against():
    plan = counts(TRIPS, mechanism="gaussian").plan()
    assert plan.mechanism == "gaussian" and f"advised   {plan.compare().recommended}: " in repr(plan)
    assert "advised" not in repr(counts(TRIPS).plan())


def test_only_what_has_such_a_cap_has_a_table_of_caps():
    assert counts(TRIPS, unit="event", max_steps=None).plan().caps() is None
    assert cv.Perturb(cv.Records({"time": [], "kwh": []}), window=4, epsilon=2).plan().caps() is None
