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
from drawing import Panel, as_good, finished, in_order, one, rounded  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
NEEDED = ["buses_surat/surat_itms_dedup_pseudonymised.csv.xz"]
TITLES = {"surat": "Surat, all records as one cell", "surat_cell_hours": "Surat, by hexagon and hour",
          "itms_like": "Counts as in the paper", "more_samples": "10 times the samples", "more_users": "10 times the users"}
MAPS = {"surat": "Surat, hexagons of 3 km, hours", "city_day": "Simulated city of 1000 buses, a day, hexagons of 3 km, hours",
        "city_toy": "Small simulated city"}
WRAP_AROUND = "array_averaging, wrap_around"
# What a published variant promises and what it keeps.
PUBLISHED = {WRAP_AROUND: "as published: 2U/K", "fixed_quantile": "as published, not certified: costs 1.5 ε",
             "epsilon_quantile": "as published, not certified: costs 1.5 ε"}
# Lines of the figures: mechanism, analysis, colour, dashes.
CERTIFIED_LINES = [("baseline", "certified", GREY, ""), ("clip_mean", "certified", ORANGE, ""),
                   ("array_averaging", "certified", BLUE, ""), ("array_averaging, median", "certified", BLUE, DASHED),
                   (WRAP_AROUND, "certified", SKY, DASHED), ("levy", "certified", RED, ""),
                   ("fixed_quantile", "certified", GREEN, ""), ("epsilon_quantile", "certified", PINK, "")]
PUBLISHED_LINES = [(name, analysis, colour, dashes)
                   for name, colour in ((WRAP_AROUND, SKY), ("fixed_quantile", GREEN), ("epsilon_quantile", PINK))
                   for analysis, dashes in (("certified", ""), ("published", DASHED))]


def read(path):
    """Names are text, and so is which analysis; everything else is a number."""
    names, whole = {"dataset", "counts", "mechanism", "analysis"}, {"cells", "trials", "in_paper", "draws", "best", "best_in_paper"}
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: value if key in names else int(value) if key in whole else float(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def signed(number):
    """+0.39, −0.43, 0.00"""
    digits = f"{number:+.2f}"
    return digits[1:] if float(digits) == 0 else digits.replace("-", "−")


def settings_table(rows):
    lines = ["| setting | cells | users | records | max m_l | m_ub median | m_ub optimised | K | K̄ | mean | deviation |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        digits = 0 if row["cells"] == 1 else 1
        numbers = [f"{row[key]:.{digits}f}" for key in ("users", "records", "most", "m_ub_median", "m_ub_optimised",
                                                        "arrays_wrap_around", "arrays_best_fit")]
        lines.append(f"| {TITLES[row['dataset']]} | {row['cells']} | " + " | ".join(numbers)
                     + f" | {row['mean']:.2f} | {row['deviation']:.2f} |")
    return "\n".join(lines)


def errors_table(part):
    """One row per mechanism, one column per ε; bold: the least certified error and all that cannot be told from it."""
    budgets = in_order(part, "epsilon")
    lines = ["| mechanism | " + " | ".join(f"ε = {epsilon:g}" for epsilon in budgets) + f" | bias at {budgets[-1]:g} |",
             "|---|" + "---|" * (len(budgets) + 1)]
    least = {row["epsilon"]: row for row in sorted(part, key=lambda row: -row["error"]) if row["analysis"] == "certified"}
    for mechanism, analysis in dict.fromkeys((row["mechanism"], row["analysis"]) for row in part):
        found = [one(part, mechanism=mechanism, analysis=analysis, epsilon=epsilon) for epsilon in budgets]
        cells = [rounded(row["error"]) for row in found]
        cells = [f"**{cell}**" if analysis == "certified" and as_good(row, least[row["epsilon"]]) else cell
                 for row, cell in zip(found, cells)]
        label = mechanism + (f" ({PUBLISHED[mechanism]})" if analysis == "published" else "")
        lines.append(f"| {label} | " + " | ".join(cells) + f" | {signed(found[-1]['bias'])} |")
        if mechanism == "baseline":
            lines.append("| baseline, exact E\\|noise\\| | " + " | ".join(rounded(row["scale"]) for row in found) + " | 0 |")
    return lines


def means_table(rows, counts):
    lines = []
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset and row["counts"] == counts]
        lines += [f"**{TITLES[dataset]}**, {part[0]['trials']} runs:", "", *errors_table(part), ""]
    return "\n".join(lines).rstrip()


def draws_table(rows):
    """One row per setting, one column per ε: which mechanisms had the least error, and in how many draws."""
    budgets, lines = in_order(rows, "epsilon"), []
    for among, key in (("the mechanisms that the paper shows", "best_in_paper"), ("all", "best")):
        lines += [f"| of {among} | " + " | ".join(f"ε = {epsilon:g}" for epsilon in budgets) + " |", "|---|" + "---|" * len(budgets)]
        for dataset in in_order(rows, "dataset"):
            cells = []
            for epsilon in budgets:
                found = [row for row in rows if row["dataset"] == dataset and row["epsilon"] == epsilon and row[key] > 0]
                cells.append("<br>".join(f"{row['mechanism']}: {row[key]}" for row in sorted(found, key=lambda row: -row[key])))
            lines.append(f"| {TITLES[dataset]} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip()


def percent(share):
    return f"{100 * share:.1f}".replace("-", "−")


def maps_table(rows):
    """One row per map, mechanism and ε: errors before and after, intervals, and the mean of all cells."""
    lines = []
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset]
        lines += [f"**{MAPS[dataset]}**, {part[0]['trials']} runs:", "",
                  "| mechanism | cells | ε | noise | error | smoothed | change | of the truth | smoothed | interval holds | smoothed "
                  "| width | smoothed | mean of all | smoothed |", "|" + "---|" * 15]
        for row in part:
            numbers = [rounded(row[key]) for key in ("deviation", "raw", "smooth")]
            numbers.append(percent(row["smooth"] / row["raw"] - 1) + " %")
            numbers += [rounded(row[key]) for key in ("raw_truth", "smooth_truth")]
            numbers += [percent(row[key]) + " %" for key in ("raw_cover", "smooth_cover")]
            numbers += [rounded(row[key]) for key in ("raw_width", "smooth_width", "raw_mean", "smooth_mean")]
            lines.append(f"| {row['mechanism']} | {row['cells']} | {row['epsilon']:g} | " + " | ".join(numbers) + " |")
        lines.append("")
    return "\n".join(lines).rstrip()


def label_of(mechanism, analysis):
    return mechanism + (" (as published)" if analysis == "published" else "")


def figure(rows, shown, title):
    """Error over ε, one panel per setting, three in a row."""
    panels, datasets = [], in_order(rows, "dataset")
    for number, dataset in enumerate(datasets):
        part = [row for row in rows if row["dataset"] == dataset and row["counts"] == "public"]
        lines = [([row for row in part if (row["mechanism"], row["analysis"]) == line[:2]], line) for line in shown]
        panel = Panel(50 + 310 * (number % 3), 30 + 300 * (number // 3), 250, 220, in_order(part, "epsilon"),
                      [row["error"] for found, _ in lines for row in found], TITLES[dataset], "ε")
        for found, (_, _, colour, dashes) in lines:
            panel.draw([(row["epsilon"], row["error"]) for row in found], colour, dashes)
        panels.append(panel)
    entries = [(label_of(mechanism, analysis), colour, dashes) for mechanism, analysis, colour, dashes in shown]
    return finished(panels, entries, "mean absolute error in km/h against the mean of all records, both axes logarithmic", title,
                    50 + 310 * min(3, len(datasets)), 310 + 300 * ((len(datasets) - 1) // 3))


def draw(folder):
    rows = read(folder / "means.csv")
    (folder / "means.svg").write_text(figure(rows, CERTIFIED_LINES, "Mean absolute error of each mechanism by ε"), encoding="utf-8")
    (folder / "published.svg").write_text(
        figure(rows, PUBLISHED_LINES, "Mean absolute error of published variants and certified ones"), encoding="utf-8")
    return {"settings": settings_table(read(folder / "settings.csv")), "means": means_table(rows, "public"),
            "private": means_table(rows, "private"), "draws": draws_table(read(folder / "draws.csv")), "maps": maps_table(read(folder / "maps.csv"))}


def main():
    command(HERE, DATA, NEEDED, draw, trials=10000, toy_trials=200)


if __name__ == "__main__":
    main()
