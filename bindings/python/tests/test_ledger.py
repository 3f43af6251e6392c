"""The ledger from Python is the program's ledger."""

import json
import os
import threading

import pytest

import chronoveil as cv

WEEKLY = cv.Gaussian(noise_multiplier=31, count=52)


def test_both_doors_write_one_ledger(city, program):
    assert city.debit(WEEKLY, "weekly counts") == "city:1"
    program("budget", "debit", "city", WEEKLY.to_json(), "--purpose", "by hand", "--ledger", "ledger.db")
    shown = json.loads(program("budget", "show", "city", "--ledger", "ledger.db", "--json"))
    assert city.left == shown["share_left"]
    assert [debit.purpose for debit in city.history()] == ["weekly counts", "by hand"]
    assert city.history()[0].event == WEEKLY
    assert city.ledger.verify()
    city.settle("city:1")
    assert city.history()[0].state == "released"


def test_a_dataset_shows_itself(city):
    assert "100.0 % left" in repr(city) and city.room is None
    city.debit(WEEKLY)
    assert f"room for {city.room} more" in repr(city)
    page = city.ledger._repr_html_()
    assert 'role="meter"' in page and "still admits" in page
    assert [dataset.name for dataset in city.ledger] == ["city"] and "city" in city.ledger and len(city.ledger) == 1
    assert (city.epsilon, city.delta, city.unit, city.relation) == (8, 1e-5, "user", "add_remove")


def test_a_budget_ends(city):
    with pytest.raises(cv.OverBudget, match="city"):
        city.debit(cv.Pure(epsilon=9))
    assert city.left == 1
    city.close("the study is over")
    with pytest.raises(cv.ChronoveilError, match="the study is over"):
        city.debit(WEEKLY)


def test_a_reader_creates_no_ledger(folder):
    with pytest.raises(cv.ChronoveilError):
        cv.Ledger("nowhere.db")["city"]
    assert not (folder / "nowhere.db").exists()


@pytest.mark.parametrize(("asked", "filter"), [({"relation": "swap", "window": 6}, "sum"), ({}, "union")])
def test_the_filter_is_the_program_s_choice(asked, filter, program):
    ours = cv.Ledger("ours.db").create("meter", epsilon=2, delta=0.1, **asked)
    words = ("--relation", "swap", "--window", "6") if asked else ()
    program("budget", "create", "meter", "--epsilon", 2, "--delta", 0.1, "--ledger", "theirs.db", *words)
    for place in ("ours.db", "theirs.db"):
        assert json.loads(program("budget", "show", "meter", "--ledger", place, "--json"))["dataset"]["filter"] == filter
    assert f"filter {filter}" in repr(ours)


REFUSED = {
    "straddle": {"straddle": 2}, "parts": {"parts": ["a", "b"], "parts_by": "day", "unit": "event"},
    "window": {"relation": "swap"}, "width": {"relation": "swap", "window": 6, "width": 3}, "renews": {"renews": "week"},
    "filter": {"filter": "pld"}, "unit": {"unit": "planet"}, "parts_by": {"parts_by": "hour", "unit": "event"},
}


@pytest.mark.parametrize("argument", REFUSED)
def test_what_the_program_refuses_of_a_dataset_is_refused(argument, program, folder):
    words = [word for name, value in REFUSED[argument].items()
             for word in (f"--{name.replace('_', '-')}", ",".join(value) if isinstance(value, list) else value)]
    said = program("budget", "create", "city", "--epsilon", 1, "--ledger", "ledger.db", *words, code=2)
    assert argument.replace("_", "-") in said
    with pytest.raises(cv.UsageError) as caught:
        cv.Ledger("ledger.db").create("city", epsilon=1, **REFUSED[argument])
    assert caught.value.parameter == argument and "--" not in str(caught.value)
    assert not any(folder.iterdir())  # no ledger, either


def test_threads_share_a_ledger(city):
    failed = []

    def debit():
        try:
            for _ in range(5):
                city.debit(cv.Pure(epsilon=0.01))
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=debit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and len(city.history()) == 20
    assert len({debit.id for debit in city.history()}) == 20 and city.ledger.verify()


def test_a_forked_process_must_open_its_own(city):
    city.debit(WEEKLY)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        told = b"no error"
        try:
            city.history()
        except cv.UsageError as error:
            told = str(error).encode()
        except BaseException as error:  # noqa: BLE001
            told = repr(error).encode()
        try:
            told += b"|" + str(len(cv.Ledger("ledger.db")["city"].history())).encode()
        finally:
            os.write(write, told)
            os._exit(0)
    os.close(write)
    assert os.waitpid(child, 0)[1] == 0
    with os.fdopen(read) as pipe:
        assert pipe.read() == "this ledger was opened before this process was forked; open it again in this process|1"


def test_a_backup_comes_back(city):
    city.debit(WEEKLY)
    city.ledger.back_up("backup.db")
    restored = cv.Ledger("restored.db")
    restored.restore("backup.db")
    assert [debit.id for debit in restored["city"].history()] == ["city:1"]


def test_what_is_shown_holds_no_password():
    url = "postgresql://ann:s3cret@db.example/city?sslmode=require&password=s3cret"
    job = cv.Counts(cv.Records(url, user="who", time="at", table="t"),
                    cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), max_steps=1, epsilon=1.0)
    for shown in (cv.Ledger(url), job.records, job):
        assert "s3cret" not in repr(shown) and "ann@db.example/city" in repr(shown)
    assert "s3cret" in job.to_toml("city")  # the file of the job is what runs


def test_noise_for_a_unit_added_costs_more_where_one_is_replaced(folder):
    replaced = cv.Ledger("ledger.db").create("replaced", epsilon=8, delta=1e-5, relation="replace")
    replaced.debit(cv.Gaussian(noise_multiplier=8))
    before = replaced.left
    replaced.debit(cv.Gaussian(noise_multiplier=8), relation="add_remove")
    assert before - replaced.left > 1.5 * (1 - before)
    dp = pytest.importorskip("dp_accounting")  # which states noise for a unit added or removed
    ours, theirs = (cv.Ledger("ledger.db").create(name, epsilon=8, delta=1e-5, relation="replace")
                    for name in ("ours", "theirs"))
    ours.debit(cv.Gaussian(noise_multiplier=8))
    theirs.debit(dp.GaussianDpEvent(16.0))
    assert theirs.left == pytest.approx(ours.left) and theirs.left < 1
