#!/usr/bin/env python3
"""Makes the tables and figures of this folder; `run.py --help` says how."""

import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from command import command  # noqa: E402
from drawing import BLUE, DASHED, GREEN, GREY, ORANGE, PINK, RED, SKY  # noqa: E402
from drawing import Panel, as_good, finished, in_order, one, rounded, tick  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
NEEDED = ["flu/ilinet_national.csv", "unemployment/LNU03000018.csv", "i94/Metro_Interstate_Traffic_Volume.csv.xz"]
TITLES = {"flu": "Flu", "unemployment": "Unemployment", "traffic": "Traffic", "toy": "made-up years"}
OFFLINE = ("dft", "shrink", "shrink, season")
# Lines of the first figure: mechanism, settings, whether δ > 0, colour, dashes.
SHOWN = [("laplace", "", False, GREY, ""), ("dft", "", False, ORANGE, DASHED), ("fast", "published", False, SKY, DASHED),
         ("fast", "ours", False, SKY, ""), ("fixed_rate, every 4", "ours", False, GREEN, ""), ("gaussian", "", True, BLUE, ""),
         ("kalman", "", True, RED, ""), ("shrink", "", True, PINK, DASHED)]


def read(path):
    numbers = {"epsilon": float, "delta": float, "scale": float, "asked": float, "last": float, "error": float, "spread": float,
               "absolute": float, "coverage": float, "value": float, "steps": int, "start": int, "trials": int}
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: numbers.get(key, str)(value) for key, value in row.items()} for row in csv.DictReader(file)]


def name_of(row):
    return row["mechanism"] + (f" ({row['settings']})" if row["settings"] else "")


def comparison_table(rows):
    """One row per mechanism, one column per ε: relative error, and how much the intervals hold. Of what can be released
    live, the least error and all that cannot be told from it are bold, for δ = 0 and δ > 0 apart."""
    lines = []
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset]
        budgets = in_order(part, "epsilon")
        lines += [f"**{TITLES[dataset]}**, T = {part[0]['steps']}, {part[0]['trials']} runs:", "",
                  "| mechanism | δ | " + " | ".join(f"ε = {epsilon:g}" for epsilon in budgets) + " | intervals hold |",
                  "|---|---|" + "---|" * (len(budgets) + 1)]
        least = {(row["epsilon"], row["delta"]): row for row in sorted(part, key=lambda row: -row["error"])
                 if row["mechanism"] not in OFFLINE}
        for mechanism, settings, delta in dict.fromkeys((row["mechanism"], row["settings"], row["delta"]) for row in part):
            found = [one(part, mechanism=mechanism, settings=settings, delta=delta, epsilon=epsilon) for epsilon in budgets]
            cells = []
            for row in found:
                cell = f"{rounded(row['error'])} ± {rounded(row['spread'])}"
                best = mechanism not in OFFLINE and as_good(row, least[row["epsilon"], delta])
                cells.append(f"**{cell}**" if best else cell)
            offline = " (offline)" if mechanism in OFFLINE else ""
            held = " / ".join(f"{100 * row['coverage']:.0f}" for row in found)
            lines.append(f"| {name_of(found[0])}{offline} | {'0' if delta == 0 else '10⁻⁶'} | " + " | ".join(cells) + f" | {held} % |")
        lines.append("")
    return "\n".join(lines).rstrip()


def comparison_figure(rows):
    """Error over ε, one panel per series."""
    panels, datasets = [], in_order(rows, "dataset")
    for number, dataset in enumerate(datasets):
        part = [row for row in rows if row["dataset"] == dataset]
        lines = [([row for row in part if (row["mechanism"], row["settings"], row["delta"] > 0) == shown[:3]], shown) for shown in SHOWN]
        panel = Panel(50 + 310 * number, 30, 250, 300, in_order(part, "epsilon"),
                      [row["error"] for found, _ in lines for row in found], TITLES[dataset], "ε")
        for found, (_, _, _, colour, extra) in lines:
            panel.draw([(row["epsilon"], row["error"]) for row in found], colour, extra)
        panels.append(panel)
    entries = [(name_of({"mechanism": name, "settings": settings}) + (", δ > 0" if delta else ""), colour, extra)
               for name, settings, delta, colour, extra in SHOWN]
    return finished(panels, entries, "average relative error; dft and shrink see the whole series first",
                    "Average relative error of each mechanism by ε", max(700, 50 + 310 * len(datasets)), 390)


def rates_figure(rows):
    """Figure 11 of the report: fixed rates against the adaptive one, at the least ε."""
    panels, datasets, epsilon = [], in_order(rows, "dataset"), min(row["epsilon"] for row in rows)
    looks = {("published", False): (SKY, DASHED), ("ours", False): (SKY, ""), ("ours", True): (RED, "")}
    for number, dataset in enumerate(datasets):
        part = [row for row in rows if row["dataset"] == dataset and row["epsilon"] == epsilon]
        fixed = [row for row in part if row["mechanism"].startswith("fixed_rate")]
        others = [row for row in part if row["mechanism"] in ("fast", "kalman")]
        panel = Panel(50 + 310 * number, 30, 250, 260, [1, 2, 4, 8, 16], [row["error"] for row in fixed + others],
                      TITLES[dataset], "steps from question to question")
        for (settings, delta), (colour, extra) in looks.items():
            same = [row for row in fixed if row["settings"] == settings and (row["delta"] > 0) == delta]
            panel.draw([(int(row["mechanism"].rsplit(" ", 1)[1]), row["error"]) for row in same], colour, extra)
        panel.level(one(part, mechanism="fast", settings="published")["error"], GREEN, DASHED)
        panel.level(one(part, mechanism="fast", settings="ours", delta=0.0)["error"], GREEN)
        panel.level(one(part, mechanism="kalman")["error"], PINK)
        panels.append(panel)
    entries = [("fixed_rate (published)", SKY, DASHED), ("fixed_rate (ours)", SKY, ""), ("fast (published)", GREEN, DASHED),
               ("fast (ours)", GREEN, ""), ("fixed_rate (ours), δ > 0", RED, ""), ("kalman, δ > 0", PINK, "")]
    return finished(panels, entries, f"average relative error at ε = {epsilon:g}", "Fixed rates against the adaptive one",
                    max(700, 50 + 310 * len(datasets)), 350)


# Figures of the report by number, and what they vary.
FILTER = {"9": "Q", "10": "R"}
PUBLISHED_GAINS = "0.9, 0.1, 0"
CONTROL = {"12": "M/T", "13": "T_i", "14": "ξ", "15": "θ"}


def parameter_figure(rows, figures, title):
    """One panel per figure of the report and ε."""
    panels, budgets, palette = [], in_order(rows, "epsilon"), [SKY, RED, GREEN, ORANGE, BLUE]
    rows = [row for row in rows if row["figure"] in figures]
    gains = list(dict.fromkeys(name.split(": ")[1] for name in in_order(rows, "line") if ": " in name))
    others = [name for name in in_order(rows, "line") if ": " not in name and name not in ("published", "ours")]

    def look(name):
        """A colour for the gains, of which the published ones are everywhere but in figure 13; dashes for the filter."""
        settings, _, gain = name.partition(": ")
        if name in others:
            return palette[others.index(name)], ""
        return palette[gains.index(gain or PUBLISHED_GAINS)], DASHED if settings == "published" else ""

    for down, epsilon in enumerate(budgets):
        for number, (figure, parameter) in enumerate(figures.items()):
            part = [row for row in rows if row["figure"] == figure and row["epsilon"] == epsilon]
            across = sorted({row["value"] for row in part})
            panel = Panel(50 + 310 * number, 30 + 260 * down, 250, 180, across, [row["error"] for row in part],
                          f"{parameter}, ε = {epsilon:g} (figure {figure})", parameter)
            for name in in_order(part, "line"):
                colour, extra = look(name)
                panel.draw([(row["value"], row["error"]) for row in part if row["line"] == name], colour, extra)
            panels.append(panel)
    entries = [(name, *look(name)) for name in others] + [(f"gains {gain}", *look(f"ours: {gain}")) for gain in gains]
    note = "average relative error" + ("; dashed: published settings of the filter, full: ours" if gains else "")
    return finished(panels, entries, note, title, 50 + 310 * len(figures), 60 + 260 * len(budgets))


def parameter_table(rows):
    """One row per figure, ε and line (of figure 13: all gains together): where the error is least, where greatest."""
    lines = ["| figure | varied | ε | line | least error | greatest error |", "|---|---|---|---|---|---|"]

    def group(row):
        return row["figure"], row["epsilon"], row["line"].partition(": ")[0]

    for figure, epsilon, name in dict.fromkeys(map(group, rows)):
        part = [row for row in rows if group(row) == (figure, epsilon, name)]
        cells = []
        for row in (pick(part, key=lambda row: row["error"]) for pick in (min, max)):
            gain = row["line"].partition(": ")[2]
            cells.append(f"{rounded(row['error'])} at {tick(row['value'])}" + (f", gains {gain}" if gain else ""))
        lines.append(f"| {figure} | {part[0]['parameter']} | {epsilon:g} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def starts_table(rows):
    """One row per mechanism: the error over all starts."""
    lines = ["| mechanism | mean over the starts | least | greatest |", "|---|---|---|---|"]
    for mechanism in in_order(rows, "mechanism"):
        errors = [row["error"] for row in rows if row["mechanism"] == mechanism]
        lines.append(f"| {mechanism} | " + " | ".join(rounded(n) for n in (sum(errors) / len(errors), min(errors), max(errors))) + " |")
    return "\n".join(lines)


def draw(folder):
    compared, varied = read(folder / "comparison.csv"), read(folder / "parameters.csv")
    figures = {"comparison": comparison_figure(compared), "rates": rates_figure(compared),
               "filter": parameter_figure(varied, FILTER, "The effect of Q and R on a filter on every step"),
               "control": parameter_figure(varied, CONTROL, "The effect of the parameters of the controller")}
    for name, drawing in figures.items():
        (folder / f"{name}.svg").write_text(drawing, encoding="utf-8")
    tables = {"comparison": comparison_table(compared), "parameters": parameter_table(varied),
              "starts": starts_table(read(folder / "starts.csv"))}
    for name, table in tables.items():
        (folder / f"{name}.md").write_text(table + "\n", encoding="utf-8")
    return tables


def main():
    command(HERE, DATA, NEEDED, draw, trials=200, toy_trials=10)


if __name__ == "__main__":
    main()
