"""A live release: steps are durable before anybody sees them."""

import os
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta, timezone

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


def test_a_block_that_fails_can_be_run_again(city):
    """As a cell of a notebook: what failed is still held by its traceback."""
    with pytest.raises(ZeroDivisionError) as failed:
        with session() as live:
            live.push(ROWS)
            live.publish_until("2026-03-01T02:00")
            raise ZeroDivisionError
    with session() as again:
        assert len(again.publish_until("2026-03-01T03:00")) == 1
    with pytest.raises(cv.UsageError, match="has ended"):
        live.push(ROWS)
    assert failed.traceback and len(city.history()) == 1


COUNTS = """
import sys, warnings
import chronoveil as cv
warnings.simplefilter("ignore")
DAYS = [f"2026-03-{day:02}" for day in range(1, 29)]
CASES = [day * 7 % 40 for day in range(1, 29)]
job = cv.Live(cv.Records(time="time", value="cases"), cv.Slots("2026-03-01", "2026-03-29", "1d"), max_steps=7, epsilon=2.0,
              name="weekly", csv=sys.argv[1])
def push_from(live, done):
    for day in range(done, 28):
        live.push({"time": [DAYS[day]], "cases": [CASES[day]]})
    live.publish_until("2026-03-29T00:00")
"""


def test_a_rehearsal_that_was_killed_ends_as_one_that_was_not(folder):
    """Killed after it was told to publish, at several places; then pushed again from the first step nobody published."""
    def run(code, csv):
        return subprocess.run([sys.executable, "-c", COUNTS + textwrap.dedent(code), csv], check=False, capture_output=True,
                              text=True)

    whole = run("""
        with job.open("city", seed=5) as live:
            push_from(live, 0)
        """, "whole.csv")
    assert whole.returncode == 0, whole.stderr
    for killed_at in (1, 9, 27):
        killed = run(f"""
            import os
            live = job.open("city", seed=5)
            for day in range({killed_at}):
                live.push({{"time": [DAYS[day]], "cases": [CASES[day]]}})
            os._exit(9)
            """, f"killed{killed_at}.csv")
        assert killed.returncode == 9, killed.stderr
        again = run("""
            with job.open("city", seed=5) as live:
                assert all(step.time in DAYS for step in live.caught_up)
                push_from(live, sum(1 for _ in open(sys.argv[1])) - 1)
            """, f"killed{killed_at}.csv")
        assert again.returncode == 0, again.stderr
        assert (folder / f"killed{killed_at}.csv").read_bytes() == (folder / "whole.csv").read_bytes()


def people(source, **more):
    return cv.Live(cv.Records(source, user="card", time="at", series="stop"),
                   cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), keys=["north", "south"], max_steps=3, epsilon=2.0,
                   name="stops", csv="out.csv", max_gap=24, **more)


PEOPLE = {"card": [f"c{row % 40}" for row in range(300)],
          "at": [f"2026-03-01T{row * 24 // 300:02}:{row % 60:02}" for row in range(300)],
          "stop": ["north" if row % 3 else "south" for row in range(300)]}


def test_live_of_people_is_the_program_s(folder, program):
    from rows import FORMS, as_csv
    job = people(as_csv(PEOPLE, folder / "rows.csv"))
    (folder / "job.toml").write_text(job.to_toml("city"), encoding="utf-8")
    program("live", "job.toml", "--once", "--until", "2026-03-01T20:00", "--seed", 3)
    expected = (folder / "out.csv").read_bytes()
    (folder / "out.csv").unlink()
    standing = job.publish("city", until="2026-03-01T20:00", seed=3)
    assert (folder / "out.csv").read_bytes() == expected and standing.published == 20
    for form in FORMS:
        (folder / "out.csv").unlink()
        with people(None).open("city", seed=3) as live:
            live.push(form(PEOPLE))
            live.publish_until("2026-03-01T20:00")
        assert (folder / "out.csv").read_bytes() == expected, form.__name__


def test_publish_debits_once_and_goes_on(city, folder):
    from rows import as_csv
    job = people(as_csv(PEOPLE, folder / "rows.csv"))
    assert job.publish(city, until="2026-03-01T04:00").published == 4
    assert job.publish(city, until="2026-03-01T10:00").published == 10
    assert [debit.id for debit in city.history()] == ["city:1"]


def test_the_system_s_clock_says_what_is_due(city):
    now = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0)
    start, end = (f"{now + timedelta(hours=hours):%Y-%m-%dT%H:00}" for hours in (-5, 5))
    job = cv.Live(cv.Records(user="card", time="at"), cv.Slots(start, end, "1h"), max_steps=2, epsilon=2.0, name="now",
                  csv="now.csv", clock="system", wait="0s")
    with job.open(city) as live:
        live.push({"card": ["a"], "at": [start]})
        steps = live.publish_due()
        assert len(steps) in (5, 6) and live.publish_due() in ([], steps[:0])  # an hour may end meanwhile


def test_a_forked_process_must_open_its_own_session(city):
    with session() as live:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            told = b"no error"
            try:
                live.publish_until("2026-03-01T03:00")
            except cv.UsageError as error:
                told = str(error).encode()
            finally:
                os.write(write, told)
                os._exit(0)
        os.close(write)
        assert os.waitpid(child, 0)[1] == 0
        with os.fdopen(read) as pipe:
            assert "opened before this process was forked" in pipe.read()
        assert len(live.publish_until("2026-03-01T03:00")) == 3


def test_status_and_end(city):
    scope = {}
    with session(scope) as live:
        live.publish_until("2026-03-01T02:00")
    assert scope["job"].status(city).stage == "open"
    assert scope["job"].close(city).stage == "closed"
