#!/usr/bin/env python3
"""Makes the tables and figures of this folder; `run.py --help` says how."""

import csv
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from command import command  # noqa: E402
from drawing import BLUE, GREEN, ORANGE, RED, in_order, line, one, svg, text  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
NEEDED = ["pems04/PEMS04_flow_first694.csv.xz", "lstnet/electricity_321x840_last35days.csv.xz", "los_loop/los_speed.csv.xz",
          "foursquare_nyc/NYC_user_poi_minute.csv.xz", "gowalla_nyc/gowalla_events.csv.gz", "lstnet/exchange_rate.txt.gz"]
NAMES = {"pems04": "pems04", "city": "simulated city", "electricity": "electricity", "los_loop": "los_loop",
         "foursquare": "foursquare", "gowalla": "gowalla", "rotated": "pems04, rotated", "shuffled": "pems04, shuffled",
         "exchange": "exchange rates", "two": "two sensors", "one": "one sensor", "toy": "made-up days"}
COLOURS = {"shrink": ORANGE, "joint": RED, "local level": BLUE, "singular values": GREEN}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in row:
            if key in ("series", "steps", "season", "trials"):
                row[key] = int(row[key])
            elif key not in ("panel", "contender"):
                row[key] = float(row[key])
    return rows


def title(row):
    return f"{NAMES[row['panel']]}, {row['series']} × {row['steps']}"


def table(rows, cell):
    """A line per panel, a column per noise: what `cell` makes of the rows of all contenders by name."""
    multiples = in_order(rows, "multiple")
    lines = ["| panel | " + " | ".join(f"{m:g}" for m in multiples) + " |", "|---|" + "---|" * len(multiples)]
    for panel in in_order(rows, "panel"):
        part = [row for row in rows if row["panel"] == panel]
        cells = [cell({row["contender"]: row for row in part if row["multiple"] == m}) for m in multiples]
        lines.append(f"| {title(part[0])} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def change(of, against, key="cells"):
    return f"{100 * (of[key] / against[key] - 1):+.1f} %".replace("-", "−").replace("+0.0 %", "0").replace("−0.0 %", "0")


def over_noisy(row, noisy, key):
    return f"{row[key] / noisy[key]:.2f}" if noisy[key] > 0 else "–"


def tables(rows):
    several = [row for row in rows if row["series"] > 1]
    many = [row for row in rows if row["series"] > 10]
    return {
        "cells": table(rows, lambda by: change(by["joint"], by["shrink"])),
        "peers": table(rows, lambda by: " / ".join(over_noisy(by[name], by["noisy"], "cells") for name in COLOURS)),
        "totals": table(several, lambda by: " / ".join(over_noisy(by[name], by["noisy"], "total") for name in ("shrink", "joint"))),
        "seasons": table([row for row in several if row["season"] > 0], lambda by: " / ".join(
            over_noisy(by[name], by["noisy"], "season_total") for name in ("shrink", "joint"))),
        "own": table([row for row in rows if row["season"] > 0], lambda by: " / ".join(
            over_noisy(by[name], by["noisy"], "own_season") for name in ("shrink", "joint"))),
        "groups": table(many, lambda by: change(by["groups"], by["joint"])),
        "tens": table(many, lambda by: " / ".join(
            over_noisy(by[name], by["noisy"], "tens") for name in ("shrink", "joint", "groups"))),
        "ten_seasons": table([row for row in many if row["season"] > 0], lambda by: " / ".join(
            over_noisy(by[name], by["noisy"], "tens_season") for name in ("shrink", "joint", "groups"))),
        "coverage": table(several, lambda by: f"{100 * by['shrink']['held']:.1f} / {100 * by['joint']['held']:.1f} / "
                                              f"{100 * by['joint']['total_held']:.1f}"),
    }


def live_tables(rows):
    several = [row for row in rows if row["series"] > 1]
    return {
        "live": table(several, lambda by: change(by["joint"], by["kalman"])),
        "live_totals": table(several, lambda by: " / ".join(over_noisy(by[name], by["noisy"], "total")
                                                            for name in ("kalman", "joint"))),
        "live_coverage": table(rows, lambda by: f"{100 * by['kalman']['held']:.1f} / {100 * by['joint']['held']:.1f} / "
                                                f"{100 * by['joint']['total_held']:.1f}"),
    }


def figure(rows):
    """A panel of data each: the error of cells, over that of the noisy values, by how large the noise is."""
    body, width, height, left, top = [], 230, 150, 50, 30
    panels = in_order(rows, "panel")
    for number, panel in enumerate(panels):
        part = [row for row in rows if row["panel"] == panel]
        multiples = in_order(part, "multiple")
        x0, y0 = left + number % 3 * (width + left), top + number // 3 * (height + 60)
        body += [text(x0, y0 - 8, title(part[0])), line(x0, y0, x0, y0 + height), line(x0, y0 + height, x0 + width, y0 + height)]
        low = math.log10(0.03)

        def place(multiple, ratio, x0=x0, y0=y0, multiples=multiples):
            return (x0 + multiples.index(multiple) / (len(multiples) - 1) * width,
                    y0 + math.log10(min(2, max(0.03, ratio))) / low * height)

        for m in multiples:
            body.append(text(place(m, 1)[0], y0 + height + 15, f"{m:g}", "middle", ' class="small"'))
        for ratio in (1, 0.3, 0.1):
            body.append(text(x0 - 5, place(multiples[0], ratio)[1] + 4, f"{ratio:g}", "end", ' class="small"'))
        for contender, colour in COLOURS.items():
            points = []
            for m in multiples:
                row, noisy = (one(part, multiple=m, contender=name) for name in (contender, "noisy"))
                points.append(place(m, row["cells"] / noisy["cells"]))
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    y = top + (len(panels) + 2) // 3 * (height + 60)
    x = left
    for contender, colour in COLOURS.items():
        body += [line(x, y - 4, x + 20, y - 4, f'stroke="{colour}" stroke-width="2"'), text(x + 25, y, contender)]
        x += 60 + 7.5 * len(contender)
    body.append(text(left, y + 20, "mean absolute error of cells over that of the noisy values, by σ over the series' deviation",
                     extra=' class="small"'))
    return svg(left + 3 * (width + left), y + 30, body, "Error of cells after denoising, by panel and noise")


def draw(folder):
    rows = read(folder / "errors.csv")
    (folder / "cells.svg").write_text(figure(rows), encoding="utf-8")
    return tables(rows) | live_tables(read(folder / "live.csv"))


def main():
    command(HERE, DATA, NEEDED, draw, trials=2, toy_trials=4)


if __name__ == "__main__":
    main()
