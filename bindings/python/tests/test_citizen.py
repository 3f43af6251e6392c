"""A good citizen: interrupts, threads, memory, progress."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import chronoveil as cv
from rows import TRIPS


def child(code, **options):
    # Where the tests themselves run in the background, they ignore SIGINT, and so would whatever they start.
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **options)


def test_ctrl_c_ends_long_work_and_says_what_was_spent():
    process = child("""
        import chronoveil as cv
        city = cv.Ledger("ledger.db").create("city", epsilon=8, delta=1e-5)
        def frames():
            import itertools
            for _ in itertools.count():
                yield Frame()
        class Frame:
            def __arrow_c_stream__(self, requested_schema=None):
                from chronoveil.frames import stream_of
                return stream_of({"card": ["a"] * 1000, "ts": ["2026-03-28T00:30"] * 1000})
        class Endless:
            def collect_schema(self): return self
            def names(self): return ["card", "ts"]
            def select(self, names): return self
            def head(self, rows): return self
            def collect(self): return Frame()
            def collect_batches(self, maintain_order): return frames()
        job = cv.Counts(cv.Records(Endless(), user="card", time="ts"),
                        cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h"), max_steps=2, epsilon=1.0)
        print("ready", flush=True)
        try:
            job.run(city)
        except KeyboardInterrupt as error:
            print(type(error).__name__, error)
        print(city.history()[0].state)
        """)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert out.startswith("Interrupted ") and "city:1" in out and out.endswith("reserved\n")


def test_an_interrupt_is_no_exception_that_a_loop_swallows():
    assert issubclass(cv.Interrupted, KeyboardInterrupt) and not issubclass(cv.Interrupted, Exception)
    error = cv.errors.of_kind(130, "the debit city:1 stays reserved", "", "", "")
    assert isinstance(error, cv.Interrupted) and error.exit_code == 130 and error.parameter is None


def test_what_was_read_once_is_not_kept_for_good():
    from chronoveil import frames
    slots = cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h")
    held = map(str, range(3))
    for again in range(50):
        rows = map(str, range(3)) if again else held
        cv.Counts(cv.Records({"card": rows, "ts": ["2026-03-28T00:30"] * 3}, user="card", time="ts"), slots, max_steps=2,
                  epsilon=1.0).run(seed=1, allow_uninformative=True)
    assert len(frames._kept) <= 3 and any(one is held for one in frames._kept.values())


def test_other_threads_go_on_while_one_works():
    turns = [0]
    stop = threading.Event()

    def turn():
        while not stop.is_set():
            turns[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=turn)
    thread.start()
    before = turns[0]
    cv.epsilon(cv.Compose(events=[cv.DpSgd(rate=0.001 * number, noise_multiplier=1, count=100) for number in range(1, 12)]),
               delta=1e-6)
    stop.set()
    thread.join()
    assert turns[0] > before


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="it needs /proc")
def test_releases_do_not_grow():
    process = child("""
        import resource
        import chronoveil as cv
        rows = {"card": ["a", "b"] * 20, "ts": ["2026-03-28T00:30"] * 40}
        def release():
            job = cv.Counts(cv.Records(rows, user="card", time="ts"),
                            cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h"), max_steps=2, epsilon=1.0)
            made = job.run(seed=1, allow_uninformative=True)
            made.to_csv(), made._repr_html_(), cv.epsilon(cv.Gaussian(noise_multiplier=2), 1e-6)
            try:
                cv.epsilon(cv.Gaussian(noise_multiplier=-2), 1e-6)
            except cv.UsageError:
                pass
        def resident():
            return int(open("/proc/self/statm").read().split()[1]) * 4
        for _ in range(200):
            release()
        before = resident()
        for _ in range(COUNT):
            release()
        print(resident() - before)
        """.replace("COUNT", os.environ.get("CHRONOVEIL_RELEASES", "400")))
    out, said = process.communicate(timeout=550)
    assert process.returncode == 0, said
    assert int(out) < 4096, f"grew by {out.strip()} KiB"


def peak_of(rows, folder, how):
    """KiB that a release of that many rows of a Parquet file takes at most, in a process of its own."""
    import polars
    path = folder / f"{rows}.parquet"
    number = polars.int_range(rows, eager=True)
    polars.DataFrame({"card": polars.select(polars.format("card{}", number % 50_000)).to_series(),
                      "ts": polars.select(polars.format("2026-03-28T{}:30", (number % 14 + 10))).to_series()}).write_parquet(
                          path, row_group_size=50_000)
    out, said = child(f"""
        import chronoveil as cv
        {BATCHES[how][0]}
        rows = {BATCHES[how][1]}
        job = cv.Counts(cv.Records(rows, user="card", time="ts"),
                        cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h"), max_steps=2, epsilon=1.0)
        assert len(job.run(seed=1)) == 24
        with open("/proc/self/status") as status:  # what getrusage tells begins with the parent's
            print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
        """.replace("PATH", repr(str(path)))).communicate(timeout=300)
    assert out, said
    return int(out)


BATCHES = {"polars": ("import polars", "polars.scan_parquet(PATH)"),
           "pyarrow": ("import pyarrow.parquet; file = pyarrow.parquet.ParquetFile(PATH)",
                       "pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches(50_000))")}


@pytest.mark.parametrize("how", BATCHES)
def test_memory_does_not_grow_with_the_file(folder, how):
    few, many = (peak_of(rows, folder, how) for rows in (1_000_000, 6_000_000))
    text = 5_000_000 * len("card12345" "2026-03-28T12:30") / 1024  # of the rows that one file has more
    assert many - few < text / 8, f"{few} and {many} KiB"


def test_progress_is_for_terminals(city, capsys):
    job = cv.Counts(cv.Records(TRIPS, user="card", time="ts"), cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"),
                    max_steps=2, epsilon=1.0)
    job.run(seed=1, allow_uninformative=True)
    assert capsys.readouterr().err == ""
    job.run(seed=1, allow_uninformative=True, progress=True)
    told = capsys.readouterr().err
    assert "..." in told and told.endswith("\r")


def test_a_watcher_that_raises_stops_nothing(city, monkeypatch):
    from chronoveil import jobs, progress
    monkeypatch.setattr(progress.Teller, "_tell", lambda *told: 1 / 0)
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    job = jobs.Counts(cv.Records(TRIPS, user="card", time="ts"), cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"),
                      max_steps=2, epsilon=1.0)
    assert job.run(seed=1, allow_uninformative=True).mark and seen[0].exc_type is ZeroDivisionError
