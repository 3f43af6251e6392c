#!/usr/bin/env python3
"""Writes the tables of docs/tables, and the table of keys in docs/jobs.md, from the program's own answers.

  tools/make_tables.py --program build/chronoveil [--check]

--check writes nothing and fails when a page is not what the program says today: the words, and every number to within
0.2 percent (the program promises 0.1 percent; how it uses that may differ between processors).
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "tables"
STEPS = [1, 10, 100, 1_000, 10_000, 100_000]

FORECASTING = {
    "traffic": {"series": 862, "length": 17256, "context_length": 96, "forecast_length": 24, "batch_size": 256,
                "noise_multiplier": 4},
    "electricity": {"series": 321, "length": 26016, "context_length": 24, "forecast_length": 24, "batch_size": 128,
                    "noise_multiplier": 2},
    "solar": {"series": 137, "length": 52200, "context_length": 240, "forecast_length": 60, "batch_size": 128,
              "noise_multiplier": 4},
}
DELTA = "1e-7"

TIME = [("PeMS lane", 180, 1800), ("Gowalla venue", 73, 725), ("Foursquare venue", 213, 2126)]


class Program:
    def __init__(self, path):
        self.path = path

    def ask(self, *arguments):
        done = subprocess.run([self.path, *arguments, "--json"], stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout)

    def account(self, event, *arguments):
        return self.ask("account", json.dumps(event), *arguments)


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def forecasting(program):
    yield "# What training a forecaster costs"
    yield ""
    yield "One window of each of Λ series, drawn without replacement from N series at every step (λ = 1), gradients"
    yield "clipped to norm 1, noise σ, one event protected [Schuchardt25]. ε at δ = 1e-7 after so many steps:"
    yield "*certified* is the guarantee, *lower* bounds the same analysis from below, *attained* is what real neighbours"
    yield "reach when all steps point one way, *published* is the paper's coarse grid (connect the dots at 1e-3, tails"
    yield "cut at 1e-15): a valid bound too, only looser."
    yield ""
    yield "Made by `tools/make_tables.py` from answers of the program such as"
    yield ""
    yield "```console"
    yield ("$ chronoveil account structured_subsampling --series 862 --length 17256 --context-length 96 "
           "--forecast-length 24 --batch-size 256 --noise-multiplier 4 --count 1000 --delta 1e-7 --compare")
    yield "..."
    yield "```"
    for name, parameters in FORECASTING.items():
        p = parameters
        yield ""
        yield (f"## {name.capitalize()}: N = {p['series']}, L = {p['length']}, L_C = {p['context_length']}, "
               f"L_F = {p['forecast_length']}, Λ = {p['batch_size']}, σ = {p['noise_multiplier']}")
        yield ""
        yield row("steps", "certified", "lower", "attained", "published grid")
        yield row(*["---:"] * 5)
        for steps in STEPS:
            event = {"event": "structured_subsampling", "count": steps, **parameters}
            price = program.account(event, "--delta", DELTA)
            published = program.account(event, "--delta", DELTA, "--analysis", "published")
            yield row(steps, *(f"{value:.5g}" for value in (price["epsilon"], price["epsilon_lower"],
                                                            price["epsilon_attained"], published["epsilon"])))


def calibrated(program, participation, length, width, analysis):
    event = {"event": "time_subsampling", "participation": participation, "rate": 0.1}
    if width:
        event |= {"length": length, "filter": "gaussian", "filter_width": width}
    answer = program.ask("calibrate", json.dumps(event), "--epsilon", "0.5", "--delta", "1e-4", "--analysis", analysis)
    return answer["noise_multiplier"]


def time_subsampling(program):
    yield "# How much noise time subsampling needs"
    yield ""
    yield "A person takes part in at most I of T steps; each step is kept with probability p = 0.1, with and without the"
    yield "circular Gaussian filter of width 10 before [Koga22]. The noise σ for (ε, δ) = (0.5, 1e-4): *certified* by the"
    yield "exact profile, *published* by the paper's Theorems 2 and 4 with the misprints put right."
    yield ""
    yield "Made by `tools/make_tables.py` from answers of the program such as"
    yield ""
    yield "```console"
    yield "$ chronoveil calibrate time_subsampling --participation 180 --rate 0.1 --epsilon 0.5 --delta 1e-4"
    yield "..."
    yield "```"
    yield ""
    yield row("series", "I", "T", "filter", "certified σ", "published σ", "ratio")
    yield row("---", "---:", "---:", "---", "---:", "---:", "---:")
    for name, participation, length in TIME:
        for width in (None, 10):
            certified, published = (calibrated(program, participation, length, width, analysis)
                                    for analysis in ("certified", "published"))
            yield row(name, participation, length, f"width {width}" if width else "none", f"{certified:.4g}",
                      f"{published:.4g}", f"{certified / published:.2f}")
    yield ""
    yield "Without a filter the certified noise is about half of the published one, with the filter under a third: the"
    yield "filter costs nothing in the certified analysis, while the published theorem pays for the whole matrix."


PAGES = {"forecasting.md": forecasting, "time_subsampling.md": time_subsampling}


def with_keys(program, page):
    """docs/jobs.md with its table of keys as the program knows them."""
    table = subprocess.run([program.path, "man", "--job-keys"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.sub(r"(?m)^\| key \|.*\n(?:\|.*\n)+", lambda _: table, page, count=1)


def same(shown, today):
    number = re.compile(r"(?<![\w.-])\d+\.\d+")
    if number.sub("#", shown) != number.sub("#", today):
        return False
    return all(abs(float(a) - float(b)) <= 0.002 * float(b) + 0.0051 * ("." in a and len(a.split(".")[1]) <= 2)
               for a, b in zip(number.findall(shown), number.findall(today)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "chronoveil"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    program, stale = Program(arguments.program), []
    FOLDER.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        text, path = "\n".join(page(program)) + "\n", FOLDER / name
        if arguments.check:
            if not path.exists() or not same(path.read_text(encoding="utf-8"), text):
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/tables/{name}")
    jobs = ROOT / "docs" / "jobs.md"
    shown, today = jobs.read_text(encoding="utf-8"), with_keys(program, jobs.read_text(encoding="utf-8"))
    if arguments.check and shown != today:
        stale.append("../jobs.md")
    elif shown != today:
        jobs.write_text(today, encoding="utf-8")
        print("wrote the table of keys in docs/jobs.md")
    if stale:
        sys.exit(f"docs/tables: {', '.join(stale)} differ from what the program says; run tools/make_tables.py")


if __name__ == "__main__":
    main()
