#!/usr/bin/env python3
"""Trains every run of a plan, several at a time, and gathers the rows: what results/training.csv is.

  train_all.py --program PATH --panels FOLDER --out FILE [--plan FILE] [--device cpu|cuda] [--jobs N] [--seeds 1,2,3,4,5]
               [--dataset NAME] [--model NAME] [--labels none|all] [--minutes M] [--no-baselines] [--steps-cap N]

Each job is one dataset, model, variant and seed in a process of its own. Those that take longest start first. With --minutes, jobs that
have not started by then are left out, and what is missing is named; run it again with the same FILE to go on.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEAD = "dataset,model,variant,label_noise,width,budget,epsilon,seed,steps,crps,seconds"
SLOWEST_FIRST = ("auto_ets", "deepar", "itransformer", "dlinear", "simple_feed_forward")


def jobs_of(options):
    """(dataset, model, variant, seed); a job without a model scores the baselines."""
    with open(options.plan, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (not options.dataset or row["dataset"] == options.dataset)
                and (not options.model or row["model"] == options.model)]
    jobs = list(dict.fromkeys((row["dataset"], row["model"], row["variant"], seed) for row in rows for seed in options.seeds.split(",")))
    jobs.sort(key=lambda job: SLOWEST_FIRST.index(job[1]))
    if not options.no_baselines:
        jobs = [(dataset, None, None, None) for dataset in dict.fromkeys(row["dataset"] for row in rows)] + jobs
    return jobs


def done_before(path):
    if not path.is_file():
        return set()
    with open(path, newline="", encoding="utf-8") as file:
        return {(row["dataset"], row["model"], row["variant"], row["seed"]) for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--panels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plan", type=Path, default=HERE / "results" / "plan.csv")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--dataset")
    parser.add_argument("--model")
    parser.add_argument("--labels", default="all")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--steps-cap", type=int)
    parser.add_argument("--no-baselines", action="store_true")
    options = parser.parse_args()
    begin, before, missing = time.monotonic(), done_before(options.out), []
    gathered = options.out.read_text(encoding="utf-8").splitlines() if options.out.is_file() else [HEAD]

    def work(job):
        dataset, model, variant, seed = job
        name = (dataset, model or "seasonal_naive", variant or "", seed or "0")
        if name in before:
            return
        if options.minutes and time.monotonic() - begin > 60 * options.minutes:
            missing.append(name)
            return
        part = options.out.with_name(f"{options.out.stem}.{'.'.join(name)}.part")
        part.unlink(missing_ok=True)
        command = [options.program, "--plan", options.plan, "--panels", options.panels, "--out", part, "--dataset", dataset]
        if model:
            command += ["--model", model, "--variant", variant, "--seeds", seed, "--device", options.device, "--labels", options.labels]
            command += ["--steps-cap", str(options.steps_cap)] if options.steps_cap else []
        else:
            command.append("--baselines-only")
        ended = subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode != 0:
            print(f"{' '.join(name)}: {ended.stderr.splitlines()[-1] if ended.stderr else ended.returncode}", file=sys.stderr)
            missing.append(name)
            return
        gathered.extend(part.read_text(encoding="utf-8").splitlines())
        part.unlink()
        options.out.write_text("\n".join(gathered) + "\n", encoding="utf-8")
        print(f"{time.monotonic() - begin:6.0f} s  {' '.join(name)}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, jobs_of(options)))
    if missing:
        sys.exit("missing: " + ", ".join(" ".join(name) for name in missing))


if __name__ == "__main__":
    main()
