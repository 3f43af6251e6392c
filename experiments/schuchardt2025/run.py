#!/usr/bin/env python3
"""Makes the tables and figures of this folder: runs the accountant, then draws what it and the training wrote.

  run.py [--program PATH]              figures, tables and plan.csv into results/, and README.md
  run.py --toy --out FOLDER            the same at toy size into FOLDER, the tables to standard output
  run.py --draw                        figures and README.md again, from the results that are there
  run.py --panels FOLDER               the data of ../shared/data beside the checkout as FOLDER/NAME.csv, for training
  run.py --lags FOLDER                 sign_lags on these panels into results/lags.csv: less than a minute

Training is train_all.py: it takes hours on a processor, minutes on a GPU.
"""

import argparse
import csv
import gzip
import lzma
import math
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from drawing import BLUE, DASHED, GREEN, GREY, ORANGE, PINK, RED, SKY  # noqa: E402
from drawing import Panel, fill, finished, in_order, one  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
FILES = {"m4_hourly": ["m4_hourly/Hourly-train.csv.xz", "m4_hourly/Hourly-test.csv.xz"],
         "electricity": ["lstnet/electricity_321x840_last35days.csv.xz"], "exchange_rate": ["lstnet/exchange_rate.txt.gz"],
         "etth1": ["ett/ETTh1.csv.xz"], "electricity_6": ["lstnet/electricity_6of321_hourly.csv.xz"],
         "traffic_6": ["lstnet/traffic_6of862_hourly.csv.xz"], "solar_12": ["lstnet/solar_AL_12of137_10min.csv.xz"]}
DATED = ("etth1", "electricity_6", "traffic_6")  # their first column is a date
TITLES = {"m4_hourly": "M4 hourly, 414 series", "electricity": "Electricity, 321 series of 35 days",
          "exchange_rate": "Exchange rates, 8 series", "etth1": "ETTh1, 7 series",
          "electricity_6": "Electricity, 6 series of three years", "traffic_6": "Traffic, 6 series of two years",
          "solar_12": "Solar power every 10 minutes, 12 series of a year"}
MODELS = ("simple_feed_forward", "deepar", "itransformer", "dlinear")
LAGS = "sign_lags"  # needs no training: rows of its own file, one seed where nothing is drawn
SHOWN = (LAGS, *MODELS)
BASELINES = ("seasonal_naive", "auto_ets")
USUAL = ("", "start")  # variants that go without saying: one alone, or from public weights
LEAST = 1e-8  # δ below this is not drawn
COLOURS = (BLUE, ORANGE, GREEN, RED, PINK, SKY)


def read(path):
    """Numbers as numbers, names as they are."""
    def value(key, text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: value(key, text) for key, text in row.items()} for row in csv.DictReader(file)]


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def whole(number):
    return f"{number:,.0f}"


def bounds(row):
    """0.7554 (0.7548): the certified upper bound and the lower one."""
    return f"{row['epsilon']:.4g} ({row['epsilon_lower']:.4g})"


def runs_table(rows):
    lines = [[row["dataset"], row["models"], whole(row["series"]), whole(row["length"]), f"{row['history']:g} + {row['forecast']:g}",
              f"{row['batch']:g}", f"{row['sigma']:g}", f"{row['share']:.3g}", whole(row["epochs"]), whole(row["steps"]), bounds(row)]
             for row in rows]
    return table(["data", "models", "N", "L", "L_C + L_F", "Λ", "σ", "ρ r", "epochs", "steps", "ε (lower bound)"], lines)


def budgets_table(rows, key, values, title):
    """One row per setting, one column per value of `key`."""
    lines = []
    for dataset in in_order(rows, "dataset"):
        for models in in_order(rows, "models"):
            found = [one(rows, dataset=dataset, models=models, **value) for value in values]
            if all(found):
                lines.append([dataset, models] + [whole(row["steps"]) for row in found])
    return table(["data", "models"] + [f"{title} = {value[key]:g}" for value in values], lines)


def budget_tables(rows):
    epsilons = [{"budget": epsilon, "width": 1, "label_noise": 0} for epsilon in in_order(
        [row for row in rows if row["width"] == 1 and row["label_noise"] == 0], "budget")]
    made = {"budgets": budgets_table(rows, "budget", epsilons, "ε")}
    widths = [{"budget": 4, "width": width, "label_noise": 0} for width in (1, 2, 4, 8)]
    labels = [{"budget": 0.5, "width": 1, "label_noise": noise} for noise in (0, 1, 2, 5)]
    if any(row["width"] > 1 for row in rows):
        made["widths"] = budgets_table(rows, "width", widths, "w")
        made["labels"] = budgets_table(rows, "label_noise", labels, "σ_F/v")
    return made


def figure(rows, name, title, note, unit, look):
    """One panel per setting, three in a row; `look` gives the colour and dashes of a line by its name."""
    part = [row for row in rows if row["figure"] == name and row["delta"] >= LEAST]
    panels, lines = [], in_order(part, "line")
    for number, setting in enumerate(in_order(part, "panel")):
        mine = [row for row in part if row["panel"] == setting]
        panel = Panel(60 + 310 * (number % 3), 30 + 290 * (number // 3), 240, 210, sorted({row["x"] for row in mine} if unit != "ε" else
                      {1e-3, 1e-2, 0.1, 1, 10}), [row["delta"] for row in mine], setting, unit)
        for line in lines:
            panel.draw([(row["x"], row["delta"]) for row in mine if row["line"] == line], *look(line, lines))
        panels.append(panel)
    entries = [(line, *look(line, lines)) for line in lines]
    return finished(panels, entries, note, title, 60 + 310 * min(3, len(panels)), 300 + 290 * ((len(panels) - 1) // 3))


def in_turn(line, lines):
    """One colour per line; what is said of the same setting in another way is dashed."""
    names = [name for name in lines if ", " not in name or "iterate" in name or "without" in name]
    own = line if line in names else line.split(", ")[0]
    return (COLOURS + (GREY,))[names.index(own) % 7], "" if line in names else DASHED


FIGURES = {
    "windows": ("δ(ε) by windows per series", "δ over ε; full: certified for λ windows per series, dashed: what any analysis of λ must allow (Theorem F.7)",
                "ε"),
    "epochs": ("δ(ε) of iterating and of drawing series", "δ over ε for as many windows seen", "ε"),
    "labels": ("δ(ε) by label noise", "δ over ε; context alone: as if the forecast showed nothing", "ε"),
    "lengths": ("δ by steps when series are iterated", "δ after so many steps, Λ = N: λ windows per series make an epoch of λ steps", "steps"),
    "pooled": ("δ(ε) of structured and of pooled windows", "δ(ε) of one step; full: λ = 1 window per series; dashed: at best, windows of all series pooled",
               "ε")}


def mean_and_spread(values):
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.4f} ± {spread:.4f}"


def budget_name(budget):
    return "not private" if math.isinf(budget) else f"ε = {budget:g}"


def kinds(rows):
    """Models and how they start, or which history they read, in the order of SHOWN."""
    variants = in_order([row for row in rows if row["model"] in SHOWN], "variant")
    return [(model, variant) for model in SHOWN for variant in variants if one(rows, model=model, variant=variant)]


def label(model, variant):
    return model if variant in USUAL else f"{model}, {variant}"


def crps_table(rows, columns, name):
    """One row per model, one column per choice of rows; models that beat both baselines on average are bold."""
    least = min((row["crps"] for row in rows if row["model"] in BASELINES), default=None)
    lines = []
    for model, variant in kinds(rows):
        mine = [row for row in rows if (row["model"], row["variant"]) == (model, variant)]
        found = [[row["crps"] for row in mine if all(row[key] == value for key, value in column.items())] for column in columns]
        if any(found):
            texts = [mean_and_spread(each) if each else "–" for each in found]
            lines.append([label(model, variant)] + [f"**{text}**" if each and least is not None and statistics.mean(each) < least else text
                                                    for text, each in zip(texts, found)])
    for name_of, row in [(label(LAGS, "without data"), one(rows, model=LAGS, variant="", budget=0)),
                         *((baseline, one(rows, model=baseline)) for baseline in BASELINES)]:
        if row:
            lines.append([name_of] + [f"{row['crps']:.4f}"] * len(columns))
    return table(["model"] + [name(column) for column in columns], lines)


def training_tables(rows):
    made = {"training": [], "users": [], "noise": []}
    for dataset in in_order(rows, "dataset"):
        part = [row for row in rows if row["dataset"] == dataset]
        title = f"**{TITLES.get(dataset, dataset)}**:\n\n"
        events = [row for row in part if row["width"] == 1 and row["label_noise"] == 0 and row["model"] in SHOWN]
        budgets = [{"budget": budget, "width": 1, "label_noise": 0} for budget in sorted({row["budget"] for row in events})]
        made["training"].append(title + crps_table(part, budgets, lambda column: budget_name(column["budget"])))
        widths = [{"budget": 4, "width": width, "label_noise": 0} for width in (1, 2, 4, 8)]
        made["users"].append(title + crps_table(part, widths, lambda column: f"w = {column['width']:g}"))
        noises = [{"budget": 0.5, "width": 1, "label_noise": noise} for noise in sorted({row["label_noise"] for row in part})]
        if len(noises) > 1:
            made["noise"].append(title + crps_table(part, noises, lambda column: f"σ_F = {column['label_noise']:g} v"))
    return {name: "\n\n".join(parts) for name, parts in made.items() if parts}


def intervals_table(rows):
    """Of sign_lags: CRPS, and how many of 100 true values lie in 80 % and in 40 % intervals, on both parts."""
    lines = []
    for dataset in in_order(rows, "dataset"):
        line = [TITLES.get(dataset, dataset)]
        for part in ("before", "test"):
            for budget in (0, 1):
                found = [row for row in rows if (row["dataset"], row["part"], row["budget"], row["width"], row["variant"]) ==
                         (dataset, part, budget, 1, "")]
                crps, wide, narrow = (statistics.mean(row[key] for row in found) for key in ("crps", "inside", "inside_40"))
                line.append(f"{crps:.4f}, {100 * wide:.0f} %, {100 * narrow:.0f} %")
        lines.append(line)
    return table(["data", "before the test: without data", "ε = 1", "test: without data", "ε = 1"], lines)


def training_figure(rows):
    """CRPS over ε, one panel per dataset; variants other than the usual one are dashed."""
    colours = dict(zip(SHOWN, (PINK, BLUE, ORANGE, GREEN, RED)))
    looks = {(model, variant): (colours[model], "" if variant in USUAL else DASHED) for model, variant in kinds(rows)}
    level_looks = {"seasonal_naive": (GREY, ""), "auto_ets": (GREY, DASHED)}
    panels, datasets = [], in_order(rows, "dataset")
    for number, dataset in enumerate(datasets):
        part = [row for row in rows if row["dataset"] == dataset]
        events = [row for row in part if row["width"] == 1 and row["label_noise"] == 0 and 0 < row["budget"] < math.inf]
        lines = {kind: [(budget, statistics.mean(row["crps"] for row in events if (row["model"], row["variant"]) == kind and row["budget"] == budget))
                        for budget in sorted({row["budget"] for row in events if (row["model"], row["variant"]) == kind})] for kind in looks}
        levels = {model: one(part, model=model)["crps"] for model in BASELINES if one(part, model=model)}
        panel = Panel(60 + 310 * (number % 2), 30 + 290 * (number // 2), 240, 210, (0.25, 0.5, 1, 2, 4, 8),
                      [crps for line in lines.values() for _, crps in line] + list(levels.values()), TITLES.get(dataset, dataset), "ε")
        for kind, points in lines.items():
            panel.draw(points, *looks[kind])
        for model, crps in levels.items():
            panel.level(crps, *level_looks[model])
        panels.append(panel)
    entries = [(label(*kind), *look) for kind, look in looks.items()] + [(model, *look) for model, look in level_looks.items()]
    return finished(panels, entries, "CRPS over ε at δ = 1e-7, mean over seeds; the baselines are not private", "CRPS by ε",
                    60 + 310 * 2, 300 + 290 * ((len(datasets) - 1) // 2))


def draw(folder):
    profiles = read(folder / "figures.csv")
    for name, (title, note, unit) in FIGURES.items():
        (folder / f"{name}.svg").write_text(figure(profiles, name, title, note, unit, in_turn), encoding="utf-8")
    tables = {"runs": runs_table(read(folder / "published_runs.csv")), **budget_tables(read(folder / "published_budgets.csv"))}
    if (folder / "training.csv").is_file():
        rows = read(folder / "training.csv")
        if (folder / "lags.csv").is_file():
            lags = read(folder / "lags.csv")
            tables["intervals"] = intervals_table(lags)
            rows += [row for row in lags if row["part"] == "test"]
        tables.update(training_tables(rows))
        (folder / "training.svg").write_text(training_figure(rows), encoding="utf-8")
    return tables


def series_of(name):
    """Keys, first steps and values, as they stand in the files."""
    if name == "m4_hourly":
        halves = []
        for file in FILES[name]:
            with lzma.open(DATA / file, "rt", encoding="utf-8") as text:
                halves.append({row[0]: [value for value in row[1:] if value] for row in list(csv.reader(text))[1:]})
        return {key: values + halves[1][key] for key, values in halves[0].items()}
    path = DATA / FILES[name][0]
    with (gzip.open if path.suffix == ".gz" else lzma.open)(path, "rt", encoding="utf-8") as text:
        rows = list(csv.reader(text))
    if name == "exchange_rate":
        return {f"rate{i}": list(column) for i, column in enumerate(zip(*rows))}
    head, first = rows[0], 1 if name in DATED else 0
    return {head[i]: [row[i] for row in rows[1:]] for i in range(first, len(head))}


def write_panels(folder):
    missing = [file for files in FILES.values() for file in files if not (DATA / file).is_file()]
    if missing:
        print(f"skipped: {DATA} does not hold {', '.join(missing)}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        lines = [",".join([key, "0", *values]) for key, values in series_of(name).items()]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"wrote {folder / name}.csv, {len(lines)} series")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--panels", type=Path)
    parser.add_argument("--lags", type=Path)
    parser.add_argument("--out", type=Path, default=HERE / "results")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "experiments" / "schuchardt2025")
    options = parser.parse_args()
    if options.panels:
        write_panels(options.panels)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    if options.lags:
        subprocess.run([options.program, "lags", HERE / "lags_settings.csv", options.lags, options.out, "5"], check=True)
    elif not options.draw:
        subprocess.run([options.program, "figures", options.out, *(["--toy"] if options.toy else [])], check=True)
        if not options.toy:
            subprocess.run([options.program, "plan", HERE / "settings.csv", options.out], check=True)
    tables = draw(options.out)
    if options.toy or options.out != HERE / "results":
        print("\n\n".join(tables.values()))
        return
    page = HERE / "README.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"wrote {page.relative_to(ROOT)} and {options.out}")


if __name__ == "__main__":
    main()
