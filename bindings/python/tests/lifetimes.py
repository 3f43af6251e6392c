"""References and lifetimes, for a debug build of Python, which counts every reference and aborts where a count is wrong.

Everything is done over and over; afterwards there must be as many references as before. It needs no library.
"""

import contextlib
import gc
import os
import sys
import tempfile

import chronoveil as cv

TIMES, ROUNDS = 100, 5  # a leak adds at least a reference each time, in each round; what is kept once per thread does not
ROWS = {"card": ["a", "b"] * 20, "ts": ["2026-03-28T00:30"] * 40}
SLOTS = cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h")
NAMED = {"user": "card", "time": "ts"}


class Frame:
    """A frame that speaks Arrow by way of a release."""

    def __init__(self, release):
        self.release = release

    def __arrow_c_stream__(self, requested_schema=None):
        return self.release.__arrow_c_stream__()


class Lazy:
    """Frames that come one by one, the last of them perhaps an error."""

    def __init__(self, frame, fails):
        self.frame, self.fails = frame, fails

    def collect_schema(self):
        return self

    def names(self):
        return ["series", "time", "mark"]

    def select(self, names):
        return self

    def head(self, rows):
        return self

    def collect(self):
        return self.frame

    def collect_batches(self, maintain_order):
        yield self.frame
        if self.fails:
            raise ValueError("the third file is gone")


def counts(source=ROWS, **more):
    return cv.Counts(cv.Records(source, **{**NAMED, **more.pop("named", {})}), SLOTS,
                     **{"max_steps": 2, "epsilon": 1.0, **more})


def release(source=ROWS, **more):
    return counts(source, **more).run(seed=1, allow_uninformative=True, allow_empty=True)


def prices():
    accountant = cv.Accountant().compose(cv.Gaussian(noise_multiplier=3), 4).compose(cv.Pure(epsilon=0.1))
    assert accountant.get_epsilon(1e-6) > 0 and cv.Event.from_json(accountant.event.to_json()) == accountant.event
    assert cv.calibrate(cv.Gaussian(count=3), epsilon=1, delta=1e-6).noise > 0


def errors():
    for wrong in (lambda: cv.epsilon(cv.Gaussian(noise_multiplier=-2), 1e-6), lambda: counts(epsilon=-1).plan(),
                  lambda: release({"card": [object()], "ts": [1]}), lambda: cv.Event.from_json("{"),
                  lambda: cv.Ledger("nowhere.db")["city"]):
        try:
            wrong()
        except cv.ChronoveilError as error:
            assert str(error)
        else:
            raise AssertionError("it must be refused")


def releases():
    made = release()
    assert made.columns and made.to_json() and made.report() and made._repr_html_() and made.guarantee
    made.__arrow_c_stream__()  # a stream that nobody reads
    assert counts().plan().compare()._repr_html_()


def streams_outlive_their_frames():
    rows = Frame(release())  # its columns are series, time, value, ...
    named = {"user": "mark", "time": "time"}
    assert len(release(rows, named=named)) == 24
    assert len(release(Lazy(rows, False), named=named)) == 24
    with contextlib.suppress(cv.ChronoveilError):
        release(Lazy(rows, True), named=named)
        raise AssertionError("a frame that fails must fail the release")


def live():
    with tempfile.TemporaryDirectory() as folder:
        ledger = cv.Ledger(os.path.join(folder, "ledger.db"))
        city = ledger.create("city", epsilon=8, delta=1e-5)
        job = cv.Live(cv.Records(**NAMED), SLOTS, max_steps=2, epsilon=1.0, name="bus", csv=os.path.join(folder, "out.csv"))
        with job.open(city) as session:
            session.push(ROWS)
            assert len(session.publish_until("2026-03-28T03:00")) == 3
        job.open(city)  # never ended: it goes when nobody holds it
        assert job.status(city).published == 3
        city.debit(cv.Pure(epsilon=0.1))
        assert counts().check(city).room > 0 and city._repr_html_() and len(city.history()) == 2 and ledger.verify()


def training():
    """Of two channels, so that batches are kept and read more than once; so is a history."""
    hours = [f"2026-03-{1 + hour // 24:02}T{hour % 24:02}:00" for hour in range(72)]
    rows = {"at": hours, "a": [hour % 24 for hour in range(72)], "b": [float(hour % 24) for hour in range(72)]}
    with tempfile.TemporaryDirectory() as folder:
        job = cv.Train(cv.Records(rows, time="at"), cv.Slots("2026-03-01", "2026-03-04", "1h"), unit="event", epsilon=1.0,
                       delta=1e-6, model="sign_lags", forecast_length=2, channels=["a", "b"],
                       output=os.path.join(folder, "load.cvm"))
        model = job.run("meters", seed=1)
        assert len(model.forecast(rows, time="at")) == 4
        with contextlib.suppress(cv.ChronoveilError):
            model.forecast({**rows, "at": ["?", *hours[1:]]}, time="at")
            raise AssertionError("a history that cannot be read must fail the forecast")


def more_references(work):
    gc.collect()
    before = sys.gettotalrefcount()
    for _ in range(TIMES):
        work()
    gc.collect()
    return sys.gettotalrefcount() - before


def main():
    for work in (prices, errors, releases, streams_outlive_their_frames, live, training):
        work()
        for _ in range(ROUNDS):
            grown = more_references(work)
            if grown < TIMES // 2:
                break
        print(f"{work.__name__.replace('_', ' ')}: {TIMES} times, {grown} references more")
        if grown >= TIMES // 2:
            sys.exit("that is a leak")


if __name__ == "__main__":
    main()
