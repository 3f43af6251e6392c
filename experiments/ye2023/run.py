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
from drawing import BLUE, DASHED, GREEN, GREY, ORANGE, PINK, RED, SKY  # noqa: E402
from drawing import Panel, finished, in_order, one, rounded, tick  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
NEEDED = ["stocks/ge.us.txt.xz"] + [f"cabs/new_{cab}.txt.xz" for cab in ("abboip", "aiwalb", "akgicjud", "ugthfu", "uvreoipy")]

# Table II of the paper: cost per value at k = 10.
PAPER = {"ranswitch": {7: 1.96, 8: 1.34, 9: 0.89, 10: 0.56, 11: 0.35, 12: 0.22, 13: 0.13, 14: 0.08},
         "staswitch": {7: 1.77, 8: 1.24, 9: 0.83, 10: 0.54, 11: 0.34, 12: 0.21, 13: 0.12, 14: 0.08}}
# Table III: NMI.
PAPER_GROUPS = {"piecewise": (0.003, 0.005, 0.006, 0.007, 0.008, 0.008, 0.007, 0.008),
                "threshold": (0.572, 0.590, 0.610, 0.616, 0.699, 0.705, 0.706, 0.768),
                "ranswitch": (0.593, 0.613, 0.609, 0.623, 0.703, 0.713, 0.726, 0.845),
                "staswitch": (0.624, 0.650, 0.703, 0.725, 0.756, 0.745, 0.858, 0.928)}

# Lines of the tables and figures: mechanism, analysis, unit, colour, dashes. What is as published is dashed.
LINES = [("ranswitch", "published", "swap", ORANGE, DASHED), ("staswitch", "published", "swap", GREEN, DASHED),
         ("threshold", "published", "swap", PINK, DASHED), ("ranswitch", "certified", "swap", ORANGE, ""),
         ("noisy_sort", "certified", "swap", BLUE, ""), ("noisy_sort, staircase", "certified", "swap", SKY, ""),
         ("piecewise", "certified", "event", RED, ""), ("piecewise", "certified", "user", GREY, ""),
         ("randomized_response", "certified", "event", RED, ""),
         ("randomized_response, unbiased", "certified", "event", GREY, "")]


def read(path):
    """Numbers as numbers; a field that is empty as nothing."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = ("mechanism", "analysis", "unit", "certificate")
    return [{key: value if key in words else float(value) if value else None for key, value in row.items()} for row in rows]


def label(mechanism, analysis, unit):
    if analysis == "published":
        return f"{mechanism}, as published"
    if mechanism == "ranswitch":
        return "ranswitch at its best"
    return f"{mechanism} ({unit})" if unit != "swap" else mechanism


def digits(number):
    """Three significant digits of a probability or a cost, however small or large."""
    if number >= 1e5:
        power = math.floor(math.log10(number))
        return f"{number / 10 ** power:.2f} · {tick(10.0 ** power)}"
    return "0" if number == 0 else rounded(number) if number >= 0.01 else f"{number:.2g}"


def with_error(mean, error):
    if mean >= 1e5:
        return digits(mean)
    return f"{digits(mean)} ± {error:.0f}" if error >= 10 else f"{digits(mean)} ± {error:.1g}"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def shown(epsilons):
    """What fits a table: the whole curve is in the CSV."""
    few = [epsilon for epsilon in epsilons if epsilon in (1, 2, 4, 6, 8, 10, 14)]
    return few if len(epsilons) > 8 else epsilons


def paper_table(rows):
    """Published costs beside ours, with the deviation; nothing where k = 10 was not run."""
    lines = []
    for mechanism, published in PAPER.items():
        for epsilon, cost in published.items():
            row = one(rows, window=10, mechanism=mechanism, analysis="published", epsilon=epsilon)
            if row:
                lines.append([mechanism, f"{epsilon}", f"{row['parameter']:.4f}", f"{cost:.2f}",
                              f"{row['cost']:.4f} ± {row['cost_error']:.4f}", f"{100 * (row['cost'] / cost - 1):+.1f} %".replace("-", "−")])
    return table(["mechanism", "nominal ε", "p", "cost, paper", "cost, here", "difference"], lines)


def certified_delta(row):
    """δ over sets; where it is not known to a percent, both bounds."""
    lower, upper = row["set_delta_lower"], row["set_delta"]
    return f"{digits(lower)} to {digits(upper)}" if upper > 1.01 * lower else digits(upper)


def nominal_table(rows):
    """What a nominal ε is worth, one table per window."""
    parts = []
    for window in in_order(rows, "window"):
        part = [row for row in rows if row["window"] == window]
        epsilons = in_order(part, "epsilon")
        lines = []
        for epsilon in epsilons if window == 10 else shown(epsilons):
            for mechanism in ("ranswitch", "staswitch"):
                row = one(part, mechanism=mechanism, analysis="published", epsilon=epsilon)
                enough = "none" if math.isinf(row["set_epsilon"]) else digits(row["set_epsilon"])
                lines.append([mechanism, f"{epsilon:g}", digits(row["delta"]), f"{row['parameter']:.4f}", certified_delta(row), enough,
                              digits(row["least_delta"]), digits(row["cost"])])
        head = ["mechanism", "nominal ε", "nominal δ", "p", "certified δ at that ε", "ε certified at nominal δ", "smallest δ at any ε",
                "cost"]
        parts.append(f"**k = {window:g}**:\n\n" + table(head, lines))
    return "\n\n".join(parts)


def cost_table(rows):
    """Cost per value, one row per mechanism, one table per window."""
    parts = []
    for window in in_order(rows, "window"):
        part = [row for row in rows if row["window"] == window]
        epsilons = shown(in_order(part, "epsilon"))
        lines = []
        for mechanism, analysis, unit, _, _ in LINES[:6]:
            found = [one(part, mechanism=mechanism, analysis=analysis, epsilon=epsilon) for epsilon in epsilons]
            if any(found):
                lines.append([label(mechanism, analysis, unit)] + [digits(row["cost"]) if row else "–" for row in found])
            if mechanism == "ranswitch" and analysis == "certified":
                lines.append(["its δ, the smallest that it can have"] + [digits(row["delta"]) for row in found])
        parts.append(f"**k = {window:g}**:\n\n" + table(["mechanism"] + [f"ε = {epsilon:g}" for epsilon in epsilons], lines))
    return "\n\n".join(parts)


def task_table(part, epsilons, scale=1):
    """One row per line, mean ± standard error."""
    lines = []
    for mechanism, analysis, unit, _, _ in LINES:
        found = [one(part, mechanism=mechanism, analysis=analysis, unit=unit, epsilon=epsilon) for epsilon in epsilons]
        if any(found):
            lines.append([label(mechanism, analysis, unit)] + [
                with_error(scale * row["result"], scale * row["standard_error"]) if row else "–" for row in found])
    return table(["mechanism"] + [f"ε = {epsilon:g}" for epsilon in epsilons], lines)


def averages_table(rows):
    parts = []
    for window in [window for window in in_order(rows, "window") if window > 0]:
        for width in in_order(rows, "range"):
            part = [row for row in rows if row["window"] in (0, window) and row["range"] == width]
            parts.append(f"**k = {window:g}, r = {width:g}**, {part[0]['trials']:g} runs, in thousandths:\n\n"
                         + task_table(part, shown(in_order(part, "epsilon")), 1000))
    return "\n\n".join(parts)


def counts_table(rows):
    """One table per window: of the second and the last, where there are many."""
    parts, windows = [], [window for window in in_order(rows, "window") if window > 0]
    for window in (windows[1], windows[-1]):
        part = [row for row in rows if row["window"] in (0, window)]
        parts.append(f"**k = {window:g}**, {part[0]['trials']:g} runs, in thousandths:\n\n"
                     + task_table(part, shown(in_order(part, "epsilon")), 1000))
    return "\n\n".join(parts)


def groups_table(rows):
    epsilons = in_order(rows, "epsilon")
    made = task_table(rows, epsilons)
    if epsilons == list(range(1, 9)):
        made += "\n" + "\n".join(f"| *{mechanism}, in the paper* | " + " | ".join(f"*{number:.3f}*" for number in numbers) + " |"
                                 for mechanism, numbers in PAPER_GROUPS.items())
    return made


def of_line(row, line):
    return (row["mechanism"], row["analysis"], row.get("unit", line[2])) == tuple(line[:3])


def figure(parts, key, note, title):
    """One panel per part, three in a row, `key` over ε; parts are pairs of a title and rows."""
    panels = []
    lines = [line for line in LINES if any(of_line(row, line) for _, rows in parts for row in rows)]
    for number, (name, rows) in enumerate(parts):
        drawn = []
        for mechanism, analysis, unit, colour, dashes in lines:
            found = [row for row in rows if of_line(row, (mechanism, analysis, unit))]
            drawn.append(([(row["epsilon"], row[key]) for row in found if row[key]], colour, dashes))
        panel = Panel(60 + 310 * (number % 3), 30 + 290 * (number // 3), 240, 210, in_order(rows, "epsilon"),
                      [value for points, _, _ in drawn for _, value in points], name, "ε")
        for points, colour, dashes in drawn:
            panel.draw(points, colour, dashes)
        panels.append(panel)
    entries = [(label(mechanism, analysis, unit), colour, dashes) for mechanism, analysis, unit, colour, dashes in lines]
    return finished(panels, entries, note, title, max(700, 60 + 310 * min(3, len(parts))), 300 + 290 * ((len(parts) - 1) // 3))


def worth_figure(rows):
    """The nominal δ of the switches and the true one, over the nominal ε."""
    looks = [("ranswitch", "delta", ORANGE, DASHED), ("ranswitch", "set_delta", ORANGE, ""), ("staswitch", "delta", GREEN, DASHED),
             ("staswitch", "set_delta", GREEN, "")]
    panels = []
    for number, window in enumerate(in_order(rows, "window")):
        part = [row for row in rows if row["window"] == window and row["analysis"] == "published"]
        drawn = [([(row["epsilon"], row[key]) for row in part if row["mechanism"] == mechanism and row[key]], colour, dashes)
                 for mechanism, key, colour, dashes in looks]
        panel = Panel(60 + 310 * (number % 3), 30 + 290 * (number // 3), 240, 210, in_order(part, "epsilon"),
                      [value for points, _, _ in drawn for _, value in points], f"k = {window:g}", "nominal ε")
        for points, colour, dashes in drawn:
            panel.draw(points, colour, dashes)
        panels.append(panel)
    entries = [(f"{mechanism}, {'as published' if key == 'delta' else 'certified'}", colour, dashes)
               for mechanism, key, colour, dashes in looks]
    return finished(panels, entries, "δ at the nominal ε: dashed what the paper states, full what is certified for sets of outputs (beyond k = 10 an "
                    "upper bound for staswitch)",
                    "δ of the switches as published and certified", 990, 300 + 290 * ((len(panels) - 1) // 3))


def by_window(rows):
    return [(f"k = {window:g}", [row for row in rows if row["window"] in (0, window)]) for window in in_order(rows, "window") if window > 0]


def draw(folder):
    costs, averages, counts, groups = (read(folder / f"{name}.csv") for name in ("costs", "averages", "counts", "groups"))
    by_range = [(f"{name}, r = {width:g}", [row for row in rows if row["range"] == width and row["unit"] != "user"])
                for name, rows in by_window(averages) for width in in_order(rows, "range")]
    figures = {
        "worth": worth_figure(costs),
        "costs": figure(by_window(costs), "cost", "mean cost per value; dashed: ε is nominal, full: certified", "Cost per value by ε"),
        "averages": figure(by_range, "result", "error of moving averages; dashed: ε is nominal, full: certified; piecewise (user) lies "
                           "five powers of ten higher", "Error of moving averages by ε"),
        "counts": figure(by_window(counts), "result", "error of counts; dashed: ε is nominal, full: certified",
                         "Error of counts by ε"),
        "groups": figure(by_window(groups), "result", "agreement of groups (NMI); dashed: ε is nominal, full: certified",
                         "Agreement of groups by ε")}
    for name, drawing in figures.items():
        (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
    return {"paper": paper_table(costs), "nominal": nominal_table(costs), "costs": cost_table(costs),
            "averages": averages_table(averages), "counts": counts_table(counts), "groups": groups_table(groups)}


def main():
    command(HERE, DATA, NEEDED, draw, trials=50, toy_trials=5)


if __name__ == "__main__":
    main()
