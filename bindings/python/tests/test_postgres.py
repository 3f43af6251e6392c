"""PostgreSQL by its URL: rows and ledgers, through a libpq that is loaded when somebody asks for it."""

import signal
import subprocess
import sys

import pytest

import chronoveil as cv
from conftest import ROOT
from rows import TRIPS, as_csv

sys.path.append(str(ROOT / "tests" / "cli"))
import postgres  # noqa: E402

pytestmark = pytest.mark.skipif(postgres.programs() is None, reason="no PostgreSQL here")
NAMES = {"user": "card", "time": "ts", "series": "stop", "zone": "Europe/Berlin"}


@pytest.fixture(scope="module")
def url():
    server = postgres.Server()
    yield postgres.url(server.folder)
    server.process.send_signal(signal.SIGINT)  # whoever is still connected is cut off
    server.stop()


def counts(source, **more):
    return cv.Counts(cv.Records(source, **NAMES, **more), cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"),
                     keys=["north", "south"], max_steps=2, epsilon=1.0, delta=1e-6)


def test_rows_and_ledger_may_both_be_there(url, folder):
    as_csv(TRIPS, folder / "rows.csv")
    subprocess.run([postgres.programs() / "psql", url, "-q", "-v", "ON_ERROR_STOP=1", "-c",
                    "create table trips (card text, ts text, stop text)", "-c",
                    f"\\copy trips from '{folder / 'rows.csv'}' csv header"], check=True)
    assert counts(url, table="trips").run(seed=7).to_csv() == counts("rows.csv").run(seed=7).to_csv()
    city = cv.Ledger(url).create("city", epsilon=4, delta=1e-5)
    release = counts(url, table="trips").run(city)
    assert release.debit == "city:1" and city.history()[0].state == "released" and city.ledger.verify()
    with pytest.raises(cv.UsageError, match="nowhere"):
        counts(url, table="nowhere").check(city)


def test_it_is_loaded_when_it_is_wanted(url):
    done = subprocess.run([sys.executable, "-c", f"""
import chronoveil as cv
loaded = lambda: "libpq.so" in open("/proc/self/maps").read()
before = loaded()
len(cv.Ledger({url!r}))
print(before, loaded())
"""], capture_output=True, text=True, check=False)
    assert done.stdout == "False True\n", done.stderr
