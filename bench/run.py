#!/usr/bin/env python3
"""Runs the benchmarks and prints one table: ours, the best peer, the machine's limit, and the ratios.

  bench/run.py [--build FOLDER] [--toy] [--section NAME]...

FOLDER is a build with -DCHRONOVEIL_BENCH=ON (default: build-release). Peers are installed, in the versions pinned
here, into .venv; --toy installs nothing and runs tiny sizes, to see that everything still runs.

A section is a function below: it takes a Run and yields Rows. To add one, write it and put it into SECTIONS.
"""

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ["opendp==0.16.0", "python-dp==1.1.5", "dp-accounting==0.6.0", "prv-accountant==0.2.0",
         "duckdb==2.0.0", "polars==2.1.0", "numpy==2.4.6"]
# With all that torch brings these are gigabytes: installed when a section asks for them.
TRAINING_PEERS = ["opacus==1.6.0", "torch==2.15.0"]
# It asks for another polars than the one that it is compared with: apart from the others.
OPENDP_ON_FRAMES = ["opendp[polars]==0.16.0"]


@dataclass
class Row:
    """Rates are in items per second; a rate that is not known is None."""
    name: str
    ours: float
    peer: float = None
    peer_name: str = ""
    limit: float = None
    note: str = ""


class Run:
    def __init__(self, build, toy):
        self.bin = build / "bench"
        self.toy = toy
        self._installed = set()

    def lines(self, *command):
        """What a program of ours or a script prints, read as lines of JSON."""
        if self.toy:
            command = (*command, "--toy")
        print("running " + " ".join(Path(word).name for word in command), file=sys.stderr)
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def program(self, name, *arguments):
        return self.lines(self.bin / name, *arguments)

    def script(self, name, *arguments, peers=(), apart=()):
        """A script beside this one that measures peers: `peers` beyond PEERS, or those of `apart` alone. Nothing with
        --toy."""
        return [] if self.toy else self.lines(self.python(peers, apart), ROOT / "bench" / name, *arguments)

    def python(self, peers=(), apart=()):
        """The interpreter of .venv with the peers installed, or of an environment inside it with those of `apart`."""
        folder = ROOT / ".venv" / "apart" if apart else ROOT / ".venv"
        python = folder / "bin" / "python"
        if not python.exists():
            venv.create(folder, with_pip=True)
        wanted = [peer for peer in apart or (*PEERS, *peers) if peer not in self._installed]
        if wanted:
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
            self._installed.update(wanted)
        return python


def noise(run):
    """Samples of noise on one core. The limit is what the generator gives at 16 bytes per sample."""
    ours = {line["name"]: line["per_second"] for line in run.program("noise_bench")}
    limit = ours.pop("chacha20 bytes") / 16
    peers = {}
    for line in run.script("noise_peers.py"):
        if line["per_second"] > peers.get(line["name"], {"per_second": 0})["per_second"]:
            peers[line["name"]] = line
    for name, rate in ours.items():
        peer = peers.get(name, {"per_second": None, "peer": ""})
        yield Row(name, rate, peer["per_second"], peer["peer"], limit)


def accountant(run):
    """Questions per second, in process and warm, and the answers: a table of ε, certified gap and time for ours and
    for the peers that can answer the question, each at the accuracy that ours promises."""
    ours = run.program("accountant_bench")
    asked = {line["name"]: line["attained"] for line in ours if "attained" in line}
    peers = run.script("accountant_peers.py", json.dumps(asked), peers=TRAINING_PEERS)
    print_answers(ours, peers)
    for line in ours:
        answered = [peer for peer in peers if peer["name"] == line["name"]] or [{"per_second": None, "peer": ""}]
        for peer in answered:
            yield Row(line["name"], line["per_second"], peer["per_second"], peer["peer"])


def print_answers(ours, peers):
    def cells(line, lower, upper):
        gap = "-" if lower is None else f"{(upper - lower) / upper:.1e}"
        return f"{upper:.5g}", gap, f"{1e3 / line['per_second']:.3g} ms"

    names = sorted({peer["peer"] for peer in peers})
    table = [("question", "ε", "gap", "time", *(cell for name in names for cell in (name + " ε", "gap", "time")))]
    for line in ours:
        if "attained" not in line:
            continue
        row = [line["name"], *cells(line, line["epsilon_lower"], line["epsilon"])]
        for name in names:
            found = [peer for peer in peers if (peer["peer"], peer["name"]) == (name, line["name"])]
            row += cells(found[0], found[0]["epsilon_lower"], found[0]["epsilon_upper"]) if found else ("-", "-", "-")
        table.append(tuple(row))
    print_columns(table, last_left=False)
    print()


def ledger(run):
    """Durable debits and uses of a run on the disk of the working folder. The limit is bare SQLite commits of rows of
    the same size."""
    rates = {line["name"]: line["per_second"] for line in run.program("ledger_bench")}
    yield Row("durable debits", rates["durable debits"], limit=rates["bare commits"], note="limit: bare SQLite commits")
    yield Row("durable uses of a run", rates["durable uses of a run"], limit=rates["bare commits of uses"],
              note="limit: bare SQLite commits")
    yield Row("rows checked on opening", rates["rows checked on opening"])
    views = rates["views of 1,000 different debits"]
    yield Row("budget shows, 1,000 different debits", views, note=f"{1e3 / views:.3g} ms each")


def csv(run):
    """Bytes of CSV per second, read and decoded on one core. The limit is finding the newlines of the same bytes."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        path = Path(folder) / "trips.csv"
        rates = {line["name"]: line["per_second"] for line in run.program("csv_bench", "--keep", path)}
        peers = run.script("csv_peers.py", path)
    limit = rates.pop("newlines")
    for name, rate in rates.items():
        peer = max((line for line in peers if line["name"] == name), key=lambda line: line["per_second"], default={})
        yield Row(name, rate, peer.get("per_second"), peer.get("peer", ""), limit)


def bounding(run):
    """Rows per second from a CSV file to counts, beside a plain group-by of the same file in other engines, which caps
    nobody. The limit is reading the file alone."""
    with tempfile.TemporaryDirectory() as folder:
        for rows in (10_000,) if run.toy else (1_000_000, 10_000_000):
            file = Path(folder) / f"{rows}.csv"
            run.program("bound_bench", "--make", file, str(rows))
            ours, peer = {}, {"per_second": None, "peer": ""}
            for _ in range(1 if run.toy else 2):  # in turns, so that other work of the machine slows all alike
                for line in run.program("bound_bench", file):
                    ours[line["name"]] = max(line["per_second"], ours.get(line["name"], 0))
                for line in run.script("bound_peers.py", file):
                    peer = max(peer, line, key=lambda found: found["per_second"] or 0)
            limit = ours.pop("read alone")
            for name, rate in ours.items():
                yield Row(f"{rows:,} rows {name}", rate, peer["per_second"], peer["peer"], limit)
            file.unlink()


@contextlib.contextmanager
def cores(count):
    """What runs inside has so many cores, ours as well as the peers, however many the machine has."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_of_them)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def means(run):
    """Rows per second from a CSV file to private means of 20,016 cells, beside plain means of the same cells in other
    engines, all on two cores. The limit is finding the newlines of the file. With the cap of 20 all records stay; with
    2, a tenth of them, and the memory follows."""
    rows = 10_000 if run.toy else 10_000_000
    releases = [(name, 20) for name in ("clip_mean", "array_averaging", "levy", "fixed_quantile")]
    releases.append(("array_averaging", 2))
    with tempfile.TemporaryDirectory() as folder, cores(2):
        file = Path(folder) / "means.csv"
        run.program("means_bench", "--make", file, str(rows))
        ours, limit, peer = {}, 0, {"per_second": None, "peer": ""}
        for _ in range(1 if run.toy else 2):  # in turns, so that other work of the machine slows all alike
            for line in run.program("means_bench", "--newlines", file, str(rows)):
                limit = max(limit, line["per_second"])
            for release in releases:
                for line in run.program("means_bench", file, release[0], str(release[1])):
                    ours[release] = max(line, ours.get(release, line), key=lambda found: found["per_second"])
            for line in run.script("means_peers.py", file, str(rows)):
                peer = max(peer, line, key=lambda found: found["per_second"] or 0)
    of_peer = f" (the peer {peer['peak_bytes'] / 2**20:.0f})" if peer["peer"] else ""
    for (name, max_cells), line in ours.items():
        yield Row(f"{rows:,} rows to means, {name}, max_cells {max_cells}", line["per_second"], peer["per_second"],
                  peer["peer"], limit,
                  f"peak {line['peak_bytes'] / 2**20:.0f} MiB{of_peer}, {line['stayed']:,} records stay")


def live(run):
    """Steps of a live release with durable state. One at a time, the limit is the bare synchronisation of a small file
    on the same disk; all at once, it is reading the rows alone."""
    rates = {line["name"]: line["per_second"] for line in run.program("live_bench")}
    bare, read = rates.pop("bare synchronisations"), rates.pop("rows read alone")
    for name, rate in rates.items():
        if "one at a time" in name:
            yield Row(name, rate, limit=bare, note="limit: bare fdatasync")
        else:
            yield Row(name, rate, limit=read, note="limit: reading the rows")


def totals(run):
    """Steps of running totals per second, by their number, on one core: planned, and from counts to totals with
    intervals. The limit is drawing the noise."""
    with cores(1):
        lines = run.program("totals_bench")
    for line in lines:
        if line["name"] == "released":
            def rate(what):
                return next(other["per_second"] for other in lines if other["name"] == what and other["steps"] == line["steps"])
            yield Row(f"{line['steps']:,} steps", line["per_second"], limit=rate("noise alone"),
                      note=f"{line['steps'] / rate('planned') * 1000:.2g} ms to plan; limit: the noise alone")


def denoising(run):
    """Cells of many series denoised per second, jointly and with totals, on one core; then a large city on two. The
    limit is denoising every series by itself."""
    def note(line):
        seconds = line["series"] * line["steps"] / line["per_second"]
        return f"{seconds:.2g} s, {line['cpu_seconds']:.2g} s of CPU time, peak {line['peak_bytes'] / 2**20:.0f} MiB"

    with cores(1):
        lines = run.program("post_bench")
    for line in lines:
        if line["name"] == "jointly":
            size = {key: line[key] for key in ("series", "steps")}
            alone = next(other for other in lines if other["name"] == "alone" and size.items() <= other.items())
            yield Row(f"{line['series']:,} series of {line['steps']} steps, jointly", line["per_second"],
                      limit=alone["per_second"], note=f"{note(line)}; limit: each by itself")
    if run.toy:
        return
    with cores(2):
        lines = run.program("post_bench", "--city")
    for line in lines:
        yield Row(f"{line['series']:,} series of {line['steps']} steps, jointly, two cores", line["per_second"],
                  note=note(line))


def python(run):
    """Rows per second of CPU time from a Parquet file to a release, by way of a lazy frame of polars, on two cores. The
    limit is the program, from a CSV of the same rows. OpenDP does the nearest thing it can, polars the same without
    privacy, and polars that only reads says what no reader of its frames can avoid. Then prices per second, and how many there would be if the engine had nothing to work out."""
    wheels = ROOT / "out" / "wheels"
    if run.toy or not list(wheels.glob("*.whl")):
        print("skipped: the Python package is measured at full size, and needs the wheel of `make wheel`", file=sys.stderr)
        return
    script, rows = ROOT / "bench" / "python_bench.py", 10_000_000
    interpreter = run.python(["pyarrow==26.0.1"])
    subprocess.run([str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
                    "--force-reinstall", "--find-links", str(wheels), "chronoveil"], check=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), cores(2):
        run.program("bound_bench", "--make", "rows.csv", str(rows))
        run.lines(interpreter, script, "make", "rows.csv", "rows.parquet")
        run.lines(interpreter, script, "job", "rows.csv", "job.toml")
        ways = {"lazy": "by polars, to a frame", "csv": "by polars, to a CSV", "batches": "by pyarrow, to a frame"}
        ours, program = {}, float("inf")
        for _ in range(3):  # in turns, so that other work of the machine slows all alike
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([str(run.bin.parent / "chronoveil"), "run", "job.toml", "--seed", "1"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            program = min(program, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
            for how in ways:
                line = run.lines(interpreter, script, "release", "rows.parquet", how)[0]
                ours[how] = min(line, ours.get(how, line), key=lambda found: found["cpu_seconds"])
        peers = [run.script("python_peers.py", "rows.parquet", "opendp", apart=OPENDP_ON_FRAMES)[0],
                 *(run.script("python_peers.py", "rows.parquet", peer)[0] for peer in ("polars", "reading"))]
        for how, said in ways.items():
            line = ours[how]
            for other in peers:
                yield Row(f"{rows:,} rows of Parquet {said}", rows / line["cpu_seconds"], rows / other["cpu_seconds"],
                          other["peer"], rows / program, f"per CPU second; peak {line['peak_bytes'] / 2**20:.0f} MiB, of the "
                          f"peer {other['peak_bytes'] / 2**20:.0f}; limit: the program from CSV")
    prices = {line["name"]: line["per_second"] for line in run.lines(interpreter, script, "price")}
    yield Row("prices of 100,000 subsampled steps", prices["100,000 subsampled steps"], limit=prices["nothing to work out"],
              note=f"limit: what calling costs, {1e3 / prices['nothing to work out']:.2g} ms")


def temporal(run):
    """Values moved in time per second, 10^7 of 8 bytes with a window of 80, on one core. The limit is a plain copy
    of the same values. The switches have no public implementation: their peer is the same steps in a loop in Python."""
    ours = {line["name"]: line["per_second"] for line in run.program("temporal_bench")}
    limit = ours.pop("copy")
    peers = run.script("temporal_peers.py")
    for name, rate in ours.items():
        peer = max((line for line in peers if line["name"] == name), key=lambda line: line["per_second"], default={})
        yield Row(name, rate, peer.get("per_second"), peer.get("peer", ""), limit)


def forecasting(run):
    """Windows per second of private training on one thread, Λ = 256. The limit is the same without privacy."""
    if not (run.bin / "forecasting_bench").exists():
        print("skipped: forecasting_bench is not built, it needs libtorch", file=sys.stderr)
        return
    ours, peers = {}, []
    with one_thread():
        for _ in range(1 if run.toy else 2):  # in turns, so that other work of the machine slows all alike
            for line in run.program("forecasting_bench"):
                ours[line["name"]] = max(line["per_second"], ours.get(line["name"], 0))
            peers += run.script("forecasting_peers.py", peers=TRAINING_PEERS)
    for name in dict.fromkeys(name.split(",")[0] for name in ours):
        peer = max((line for line in peers if line["name"] == name), key=lambda line: line["per_second"], default={})
        yield Row(f"{name}, private training", ours[f"{name}, private"], peer.get("per_second"), peer.get("peer", ""),
                  ours[f"{name}, not private"], "limit: ours without privacy")


def sign_lags(run):
    """Values per second on one core, from series to a private model and forecasts of all of them; and those of a year of
    hours in a stream of series, of which only sums are kept."""
    with cores(1):
        lines = {line["name"]: line for line in run.program("sign_lags_bench")}
    panel, stream = lines["panel"], lines["stream"]
    yield Row("values to model and forecasts, 321 series", panel["per_second"],
              note=f"{321 * 26304 / panel['per_second']:.2g} s for 26,304 hours each, peak {panel['peak_bytes'] / 2**20:.0f} MiB")
    yield Row("values of a stream of series", stream["per_second"],
              note=f"{100_000 * 8760 / stream['per_second']:.0f} s for 100,000 years of hours, peak {stream['peak_bytes'] / 2**20:.0f} MiB")


@contextlib.contextmanager
def one_thread():
    """Libraries of linear algebra that start inside use one thread, ours as well as the peers'."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before


SECTIONS = {"csv": csv, "noise": noise, "accountant": accountant, "ledger": ledger, "bounding": bounding,
            "means": means, "denoising": denoising, "totals": totals, "python": python, "live": live, "sign_lags": sign_lags, "temporal": temporal,
            "forecasting": forecasting}


def rate_text(rate):
    if rate is None:
        return "-"
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.1f} {unit}/s"
    return f"{rate:.1f} /s"


def ratio_text(ours, other):
    return "-" if not other else f"{ours / other:.3g}"


def print_table(rows):
    table = [("what", "ours", "peer", "limit", "ours/peer", "ours/limit", "the peer")]
    for row in rows:
        table.append((row.name, rate_text(row.ours), rate_text(row.peer), rate_text(row.limit),
                      ratio_text(row.ours, row.peer), ratio_text(row.ours, row.limit),
                      "; ".join(text for text in (row.peer_name, row.note) if text)))
    print_columns(table, last_left=True)


def print_columns(table, last_left):
    """Aligns the first column left, and the last if it is text; the others right."""
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        cells = [cell.rjust(width) for cell, width in zip(line, widths)]
        cells[0] = line[0].ljust(widths[0])
        if last_left:
            cells[-1] = line[-1]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build-release", help="the build folder")
    parser.add_argument("--toy", action="store_true", help="tiny sizes, no peers")
    parser.add_argument("--section", action="append", choices=sorted(SECTIONS), help="only this one; may be repeated")
    arguments = parser.parse_args()
    run = Run(arguments.build.resolve(), arguments.toy)
    rows = [row for name in arguments.section or SECTIONS for row in SECTIONS[name](run)]
    print_table(rows)


if __name__ == "__main__":
    main()
