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
from drawing import fill, in_order, line, one, svg, text  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
NEEDED = ["pems_lane/train.csv.xz", "gowalla_nyc/gowalla_events.csv.gz", "foursquare_nyc/NYC_user_poi_minute.csv.xz"]
TITLES = {"pems_lane": "PeMS lane", "gowalla_12505": "Gowalla 12505", "foursquare_358": "Foursquare 358",
          "toy": "made-up days", "synth": "Synth", "synth_noisy": "Synth with observation noise"}
# Colours that stay apart for every kind of sight, on light and dark ground.
COLOURS = {"gaussian": "#888888", "dft": "#e69f00", "subsample": "#56b4e9", "filter_subsample": "#009e73",
           "shrink": "#d55e00", "shrink, season": "#cc79a7", "shrink, trend": "#cc79a7"}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in ("scale", "mean", "deviation"):
            row[key] = float(row[key])
        for key in ("one_over_f", "steps", "max_steps", "trials"):
            row[key] = int(row[key])
    return rows


def real_table(rows):
    """One row per mechanism: error under both analyses and how much smaller the certified noise is."""
    lines = []
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset]
        lines += [f"**{TITLES[dataset]}**, T = {part[0]['steps']}, I = {part[0]['max_steps']}, {part[0]['trials']} trials:", "",
                  "| mechanism | σ published | σ certified | ratio | error published | error certified |",
                  "|---|---|---|---|---|---|"]
        for mechanism in in_order(part, "mechanism"):
            old = one(part, mechanism=mechanism, analysis="published")
            new = one(part, mechanism=mechanism, analysis="certified")
            lines.append(f"| {mechanism} | {old['scale']:.1f} | {new['scale']:.1f} | {new['scale'] / old['scale']:.2f} "
                         f"| {old['mean']:.2f} ± {old['deviation']:.2f} | {new['mean']:.2f} ± {new['deviation']:.2f} |")
        lines.append("")
    return "\n".join(lines).rstrip()


def synth_table(rows):
    lines = []
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset]
        steps = in_order(part, "one_over_f")
        lines += [f"**{TITLES[dataset]}**, certified, {part[0]['trials']} trials:", "",
                  "| mechanism | " + " | ".join("f = 1" if n == 1 else f"1/{n}" for n in steps) + " |",
                  "|---|" + "---|" * len(steps)]
        for mechanism in in_order(part, "mechanism"):
            found = [one(part, mechanism=mechanism, analysis="certified", one_over_f=n) for n in steps]
            lines.append(f"| {mechanism} | " + " | ".join(f"{row['mean']:.1f} ± {row['deviation']:.1f}" for row in found) + " |")
        lines.append("")
    return "\n".join(lines).rstrip()


def real_figure(rows):
    """Bars: published pale, certified full, the error's deviation over the trials as a whisker."""
    datasets, body, left, width, bar = in_order(rows, "dataset"), [], 140, 520, 13
    y = 10
    for dataset in datasets:
        part = [row for row in rows if row["dataset"] == dataset]
        most = max(row["mean"] + row["deviation"] for row in part)
        y += 20
        body.append(text(left, y - 4, TITLES[dataset]))
        for mechanism in in_order(part, "mechanism"):
            for analysis in ("published", "certified"):
                row = one(part, mechanism=mechanism, analysis=analysis)
                length, spread = (width - 60) * row["mean"] / most, (width - 60) * row["deviation"] / most
                opacity = "0.35" if analysis == "published" else "1"
                body.append(f'<rect x="{left}" y="{y:.1f}" width="{length:.1f}" height="{bar - 1}" '
                            f'fill="{COLOURS[mechanism]}" fill-opacity="{opacity}"/>')
                body.append(line(left + length - spread, y + bar / 2, left + length + spread, y + bar / 2))
                body.append(text(left + length + spread + 4, y + bar - 3, f"{row['mean']:.1f}", extra=' class="small"'))
                if analysis == "published":
                    body.append(text(left - 6, y + bar + 4, mechanism, "end", ' class="small"'))
                y += bar
            y += 4
        y += 10
    body.append(text(left, y + 8, "mean absolute error; pale: published analysis, full: certified", extra=' class="small"'))
    return svg(left + width + 20, y + 20, body, "Mean absolute error of each mechanism on the real series")


def synth_figure(rows):
    """Lines over the sampling frequency, both axes logarithmic: dashed published, full certified."""
    body, panel, height, top, left = [], 330, 300, 30, 50
    datasets = in_order(rows, "dataset")
    lowest = math.log10(min(row["mean"] for row in rows))
    highest = math.log10(max(row["mean"] for row in rows))
    furthest = max(1.0, math.log2(max(row["one_over_f"] for row in rows)))
    for number, dataset in enumerate(datasets):
        part = [row for row in rows if row["dataset"] == dataset]
        x0 = left + number * (panel + left)

        def place(row):
            across = 1 - math.log2(row["one_over_f"]) / furthest
            up = (math.log10(row["mean"]) - lowest) / (highest - lowest)
            return x0 + across * panel, top + (1 - up) * height

        body += [text(x0, top - 10, TITLES[dataset]), line(x0, top + height, x0 + panel, top + height), line(x0, top, x0, top + height)]
        for n in in_order(part, "one_over_f"):
            x = x0 + (1 - math.log2(n) / furthest) * panel
            body.append(text(x, top + height + 16, "1" if n == 1 else f"1/{n}", "middle", ' class="small"'))
        for value in (2, 5, 10, 20, 50, 100, 200):
            if lowest <= math.log10(value) <= highest:
                y = top + (1 - (math.log10(value) - lowest) / (highest - lowest)) * height
                body += [text(x0 - 6, y + 4, value, "end", ' class="small"'), line(x0 - 3, y, x0, y)]
        for mechanism in in_order(part, "mechanism"):
            for analysis, dashes in (("published", ' stroke-dasharray="4 4"'), ("certified", "")):
                points = [place(row) for row in part if row["mechanism"] == mechanism and row["analysis"] == analysis]
                width = 4 if mechanism == "shrink" else 2  # seen below "shrink, trend" where both are the same
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
                body.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[mechanism]}" '
                            f'stroke-width="{width}"{dashes}/>')
    y = top + height + 42
    x = left
    for mechanism in in_order(rows, "mechanism"):
        body += [line(x, y - 4, x + 20, y - 4, f'stroke="{COLOURS[mechanism]}" stroke-width="2"'), text(x + 25, y, mechanism)]
        x += 50 + 7.5 * len(mechanism)
    body.append(text(left, y + 20, "mean absolute error over the sampling frequency f; dashed: published, full: certified",
                     extra=' class="small"'))
    return svg(left + len(datasets) * (panel + left), y + 30, body, "Mean absolute error on Synth by sampling frequency")


def draw(folder):
    real, synth = read(folder / "real.csv"), read(folder / "synth.csv")
    (folder / "real.svg").write_text(real_figure(real), encoding="utf-8")
    (folder / "synth.svg").write_text(synth_figure(synth), encoding="utf-8")
    return {"real": real_table(real), "synth": synth_table(synth)}


def main():
    command(HERE, DATA, NEEDED, draw, trials=1000, toy_trials=20)


if __name__ == "__main__":
    main()
