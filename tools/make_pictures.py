#!/usr/bin/env python3
"""Makes the pictures of README.md and docs/ anew, from simulated data: docs/pictures/.

  tools/make_pictures.py [--program FILE] [--forecast FILE] [--python FILE] [--to FOLDER] [NAME...]

Pages are looked at with chromium and made small with pngquant. The simulated people are the same every time. Pictures of
real releases differ in their noise, which has no seed; pictures of rehearsals do not differ at all. Without --forecast,
the picture of a forecast stays as it is; without --python, the one that Python draws.
"""

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
INK, SOFT, GRID, TEAL, AMBER = "#1a2630", "#4a5a68", "#dde3e3", "#0a6a73", "#b8641a"


class Studio:
    """A folder with a ledger of its own, in which the program runs."""

    def __init__(self, folder, given):
        self.folder, self.program, self.forecast, self.pictures = Path(folder), given.program, given.forecast, given.to
        self.python = given.python

    def run(self, *words, program=None):
        environment = {**os.environ, "HOME": str(self.folder), "CHRONOVEIL_LEDGER": str(self.folder / "ledger.db")}
        return subprocess.run([program or self.program, *map(str, words)], cwd=self.folder, env=environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def change(self, name, *pairs):
        """Replaces whole lines of a job by pattern."""
        text = (self.folder / name).read_text(encoding="utf-8")
        for pattern, line in pairs:
            text, count = re.subn(rf"(?m)^{pattern}.*$", line, text)
            assert count == 1, pattern
        (self.folder / name).write_text(text, encoding="utf-8")

    def photograph(self, page, picture, width, height):
        """The top of a page, in light colours."""
        raw = self.folder / "raw.png"
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--blink-settings=preferredColorScheme=1", "--force-device-scale-factor=1.5",
                        f"--user-data-dir={self.folder / 'browser'}", f"--window-size={width},{height}",
                        f"--screenshot={raw}", (self.folder / page).as_uri()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.reduce(raw, picture)

    def reduce(self, raw, picture):
        subprocess.run(["pngquant", "--force", "--speed", "1", "--output", str(self.pictures / picture), "32", str(raw)],
                       check=True)

    def rows(self, name):
        with (self.folder / name).open(encoding="utf-8") as file:
            return list(csv.DictReader(file))


def counts(studio):
    """The page of a release of counts: README.md and docs/publishing_counts.md."""
    studio.run("simulate", "traffic", "--people", 20000, "--sensors", 4, "--days", 7, "--output", "trips.csv",
               "--keys", "stations.txt")
    studio.run("init", "trips.csv", "--user", "card", "--series", "sensor", "--series-list", "stations.txt",
               "--zone", "Europe/Berlin", "--start", "2026-03-02", "--end", "2026-03-09", "--max-steps", 28,
               "--dataset", "cards", "--report", "report.html", "--title", "Cards per station and hour")
    studio.run("budget", "create", "cards", "--epsilon", 4, "--delta", 1e-5, "--unit", "user")
    studio.run("run", "trips.toml")
    studio.photograph("report.html", "report_counts.png", 1120, 865)


def plotted(studio):
    """What Python draws of the release in README.md, by the very lines that stand there."""
    if not studio.python:
        print("plotted: left as it is; --python FILE names an interpreter with the package, polars, pandas and matplotlib",
              file=sys.stderr)
        return
    studio.run("simulate", "traffic", "--people", 20000, "--sensors", 4, "--days", 7, "--output", "trips.csv",
               "--keys", "stations.txt")
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    lines = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    assert 'release.plot(["S1"])' in lines[-1], "README.md must end its example with the plot"
    (studio.folder / "plot.py").write_text("\n".join([
        "import matplotlib", "matplotlib.use('agg')", "import matplotlib.pyplot as pyplot",
        "pyplot.rcParams['figure.figsize'] = (10, 3.4)", *lines,
        "pyplot.gca().figure.savefig('raw.png', dpi=110, bbox_inches='tight')"]), encoding="utf-8")
    studio.run("plot.py", program=studio.python)
    studio.reduce(studio.folder / "raw.png", "plot_counts.png")


def means(studio):
    """The page of a release of means: docs/publishing_means.md."""
    studio.run("simulate", "buses", "--vehicles", 3000, "--days", 1, "--output", "buses.csv", "--job", "buses.toml")
    studio.change("buses.toml", ("size = ", "size = 5000"), ("max_cells = ", "max_cells = 6"),
                  ("sparse_below = ", "sparse_below = 100"), ("report = ", 'report = "means.html"\ntitle = "Bus speeds"'))
    studio.run("budget", "create", "buses", "--epsilon", 2, "--unit", "user", "--relation", "replace_values")
    studio.run("run", "buses.toml")
    studio.photograph("means.html", "map_means.png", 1000, 875)


def line(points, colour, width=2, dash=""):
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"/>'


def text(x, y, words, colour=SOFT, anchor="start", size=13, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}">{words}</text>')


def write_svg(path, width, height, parts, alt):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="DejaVu Sans, Verdana, sans-serif" role="img"><title>{alt}</title>'
            f'<rect width="{width}" height="{height}" fill="white"/>')
    path.write_text("\n".join([head, *parts, "</svg>"]) + "\n", encoding="utf-8")


def blurred(studio):
    """A day of a meter before and after: docs/hiding_when.md. A rehearsal, since a real one never shows both."""
    studio.run("simulate", "meters", "--meters", 1, "--days", 1, "--seed", 3, "--output", "readings.csv")
    rows = studio.rows("readings.csv")
    (studio.folder / "day.csv").write_text("time,wh\n" + "".join(f"{row['time']},{row['value']}\n" for row in rows))
    studio.run("perturb", "day.csv", "--seed", 1, "--mechanism", "noisy_sort", "--window", 6, "--epsilon", 2,
               "--csv", "blurred.csv")
    days = {"measured": [float(row["wh"]) for row in studio.rows("day.csv")],
            "released": [float(row["wh"]) for row in studio.rows("blurred.csv")]}
    most = max(days["measured"])
    width, height, left, gap = 860, 400, 60, 190
    parts = [text(left, 26, "One day of a meter: every value is there, and nobody knows quite when", INK, size=16,
                  weight="bold")]
    for at, (name, values) in enumerate(days.items()):
        top, base = 60 + at * gap, 60 + at * gap + 120
        colour = AMBER if name == "measured" else TEAL
        parts.append(text(left, top - 10, f"{name}, watt-hours per half-hour", colour, weight="bold"))
        step = (width - left - 20) / len(values)
        parts.append(line([(left, base), (width - 20, base)], GRID, 1))
        parts += [f'<rect x="{left + i * step + 1:.1f}" y="{base - 115 * value / most:.1f}" width="{step - 2:.1f}" '
                  f'height="{115 * value / most:.1f}" fill="{colour}"/>' for i, value in enumerate(values)]
        parts += [text(left + 2 * hour * step, base + 18, f"{hour:02}:00", anchor="middle", size=12)
                  for hour in range(0, 24, 4)]
        parts.append(text(left - 8, top + 10, f"{most:.0f}", anchor="end", size=12))
        parts.append(text(left - 8, base, "0", anchor="end", size=12))
    write_svg(studio.pictures / "blurred_meter.svg", width, height, parts,
              "The readings of a day as measured, and as released")


def compared(studio):
    """The errors of mechanisms on one series, as in docs/comparing_mechanisms.md: the same seeds, the same numbers."""
    studio.run("simulate", "flu", "--weeks", 208, "--output", "cases.csv")
    studio.run("init", "cases.csv", "--user=-", "--value", "value", "--zone", "Europe/Berlin", "--start", "2016-07-04",
               "--end", "2020-06-29", "--length", "1w", "--max-steps", 26, "--json-out", "out.json")
    job = (studio.folder / "cases.toml").read_text(encoding="utf-8")
    errors = {}
    for mechanism in ("shrink", "kalman", "gaussian", "laplace", "subsample", "fast"):
        for epsilon in ("0.1", "1.0"):
            found = []
            for seed in (1, 2, 3):
                name = f"{mechanism}-{epsilon}-{seed}"
                one = job.replace("epsilon = 1.0", f"epsilon = {epsilon}").replace("out.json", f"{name}.json").replace(
                    "cases_out.csv", f"{name}.csv") + f'\n[mechanism]\nname = "{mechanism}"\n'
                (studio.folder / "one.toml").write_text(one, encoding="utf-8")
                studio.run("run", "one.toml", "--seed", seed)
                told = json.loads(studio.run("evaluate", "one.toml", "--release", f"{name}.json", "--json"))
                found.append(told["errors"]["mean_absolute"])
            errors[mechanism, epsilon] = sum(found) / len(found)
    width, left, right = 860, 130, 30
    largest = 1000

    def across(value):  # from 1 to `largest`, by powers of ten
        return left + (width - left - right) * math.log10(value) / math.log10(largest)

    mechanisms = list(dict.fromkeys(name for name, _ in errors))
    base = 70 + 50 * len(mechanisms)
    parts = [text(20, 28, "Mean absolute error per week, cases; the same guarantee for every mechanism", INK, size=16,
                  weight="bold")]
    for mark, colour, word in ((left, AMBER, "ε = 0.1"), (left + 110, TEAL, "ε = 1")):
        parts += [f'<circle cx="{mark}" cy="48" r="6" fill="{colour}"/>', text(mark + 12, 53, word)]
    for tick in (1, 10, 100, 1000):
        parts += [line([(across(tick), 66), (across(tick), base)], GRID, 1),
                  text(across(tick), base + 20, f"{tick:,}", anchor="middle", size=12)]
    for at, name in enumerate(mechanisms):
        y = 92 + 50 * at
        parts.append(text(left - 14, y + 5, name, INK, anchor="end", size=14))
        parts.append(line([(across(errors[name, "1.0"]), y), (across(errors[name, "0.1"]), y)], GRID, 3))
        for epsilon, colour in (("0.1", AMBER), ("1.0", TEAL)):
            x = across(errors[name, epsilon])
            parts += [f'<circle cx="{x:.1f}" cy="{y}" r="7" fill="{colour}"/>',
                      text(x, y + (22 if epsilon == "0.1" else -12), f"{errors[name, epsilon]:.3g}", colour,
                           anchor="middle", size=12)]
    write_svg(studio.pictures / "compared_mechanisms.svg", width, base + 34, parts,
              "The errors of six mechanisms at two guarantees")


def forecast(studio):
    """A forecast by a model that was trained with a guarantee: docs/forecasting.md."""
    if not studio.forecast:
        print("forecast: left as it is; --forecast FILE names the program that makes it", file=sys.stderr)
        return
    studio.run("simulate", "meters", "--meters", 100, "--days", 28, "--output", "readings.csv")
    hourly = [row for row in studio.rows("readings.csv") if row["time"][14:16] == "00"]

    def keep(name, kept):
        (studio.folder / name).write_text("meter,time,value\n" + "".join(f"{row['meter']},{row['time']},{row['value']}\n"
                                                                         for row in kept), encoding="utf-8")

    keep("load.csv", hourly)
    keep("four.csv", [row for row in hourly if row["meter"] in ("m001", "m002", "m003", "m004")])
    (studio.folder / "households.txt").write_text("\n".join(sorted({row["meter"] for row in hourly})) + "\n")
    studio.run("init", "train", "load.csv", "--series", "meter", "--series-list", "households.txt", "--value", "value",
               "--zone", "Europe/London", "--start", "2026-01-12", "--end", "2026-02-09", "--length", "1h",
               "--dataset", "households")
    studio.change("load.toml", ("steps = ", "steps = 200\nbatch_size = 50"))
    studio.run("budget", "create", "households", "--epsilon", 4, "--delta", 1e-5, "--unit", "event",
               "--relation", "replace_values")
    studio.run("train", "load.toml", program=studio.forecast)
    studio.run("forecast", "load.cvm", "four.csv", "--series", "meter", "--output", "next.csv", "--report", "next.html",
               program=studio.forecast)
    studio.photograph("next.html", "forecast.png", 1000, 1290)


def main():
    makers = {maker.__name__: maker for maker in (counts, plotted, means, blurred, compared, forecast)}
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build/chronoveil"))
    parser.add_argument("--forecast", help="chronoveil-forecast, which needs libtorch")
    parser.add_argument("--python", help="an interpreter that has the Python package")
    parser.add_argument("--to", type=Path, default=PICTURES, help="the folder of the pictures, unless docs/pictures")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(makers))
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in makers]:
        parser.error(f"there is no picture {unknown[0]}; there are {', '.join(makers)}")
    given.to.mkdir(exist_ok=True)
    for name in given.names or makers:
        with tempfile.TemporaryDirectory(prefix="chronoveil-") as folder:
            makers[name](Studio(folder, given))
    for picture in sorted(given.to.iterdir()):
        size = picture.stat().st_size
        print(f"{picture.name}: {size // 1000} kB")
        if size > 120_000:
            sys.exit(f"{picture.name} is larger than 120 kB")


if __name__ == "__main__":
    main()
