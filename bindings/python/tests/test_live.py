"""A live release: steps are durable before anybody sees them."""

import subprocess
import sys
import textwrap

import pytest

import chronoveil as cv

JOB = """
import chronoveil as cv
job = cv.Live(cv.Records(user="card", time="at"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), max_steps=2,
              epsilon=2.0, name="bus", csv="published.csv")
city = cv.Ledger("ledger.db")["city"]
"""
ROWS = {"card": [17, 4, 17], "at": ["2026-03-01T00:10", "2026-03-01T00:20", "2026-03-01T01:10"]}


def session(scope=None):
    scope = {} if scope is None else scope
    exec(JOB, scope)
    return scope["job"].open(scope["city"])


def test_people_are_published_by_a_clock_alone(city):
    with session() as live:
        assert live.push(ROWS) == []
        steps = live.publish_until("2026-03-01T03:00")
        assert [step.time for step in steps] == [f"2026-03-01T0{hour}:00:00+00:00" for hour in range(3)]
        assert all(step.lower <= step.value <= step.upper for step in steps)
    assert live.standing.published == 3 and live.standing.debit == "city:1"
    with session() as live:  # the same release goes on
        assert live.publish_until("2026-03-01T03:00") == []
        assert len(live.publish_until("2026-03-01T05:00")) == 2
    assert len(city.history()) == 1


def test_a_rehearsal_says_at_every_step_that_it_is_not_private():
    job = cv.Live(cv.Records(user="card", time="at"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), max_steps=2,
                  epsilon=2.0, name="bus", csv="rehearsal.csv")
    with job.open("city", seed=3) as live:
        assert ["not private" in step.mark for step in live.publish_until("2026-03-01T02:00")] == [True, True]


def test_a_refused_row_is_a_warning(city):
    with session() as live, pytest.warns(UserWarning, match="row 1"):
        live.push({"card": [1, 2], "at": ["?", "2026-03-01T00:20"]})


def test_an_ended_session_takes_nothing(city):
    live = session()
    live.end()
    with pytest.raises(cv.UsageError, match="ended"):
        live.push(ROWS)


def test_a_killed_session_goes_on(city, folder):
    killed = subprocess.run([sys.executable, "-c", JOB + textwrap.dedent("""
        import os
        with job.open(city) as live:
            live.push({"card": [17], "at": ["2026-03-01T00:10"]})
            live.publish_until("2026-03-01T02:00")
            os._exit(9)
        """)], check=False, capture_output=True, text=True)
    assert killed.returncode == 9, killed.stderr
    before = (folder / "published.csv").read_text(encoding="utf-8")
    with session() as live:
        live.publish_until("2026-03-01T04:00")
    after = (folder / "published.csv").read_text(encoding="utf-8")
    assert after.startswith(before) and after.count("\n") == before.count("\n") + 2
    assert len(city.history()) == 1


def test_status_and_end(city):
    scope = {}
    with session(scope) as live:
        live.publish_until("2026-03-01T02:00")
    assert scope["job"].status(city).stage == "open"
    assert scope["job"].close(city).stage == "closed"
