"""The command that every experiment is: run the program on the data, draw what it wrote, fill in the page."""

import argparse
import subprocess

from drawing import fill

USAGE = """Makes the tables and figures of this folder: runs the program, then draws what it wrote.

  run.py [--trials N] [--program PATH]       real data from ../shared/data beside the checkout, into results/ and README.md
  run.py [--toy] --out FOLDER                into FOLDER, the tables to standard output; --toy: made-up data
  run.py --draw                              figures and README.md again, from the results that are there
"""


def command(here, data, needed, draw, trials, toy_trials):
    """`draw` makes figures in a folder of results and gives back the tables by name."""
    root = here.parent.parent
    parser = argparse.ArgumentParser(description=USAGE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--out", type=type(here), default=here / "results")
    parser.add_argument("--program", type=type(here), default=root / "build" / "experiments" / here.name)
    options = parser.parse_args()
    if not options.toy and not options.draw:
        missing = [name for name in needed if not (data / name).is_file()]
        if missing:
            print(f"skipped: {data} does not hold {', '.join(missing)}")
            return
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.draw:
        number = options.trials or (toy_trials if options.toy else trials)
        subprocess.run([options.program, "--toy" if options.toy else str(data), options.out, str(number)], check=True)
    tables = draw(options.out)
    if options.toy or options.out != here / "results":
        print("\n\n".join(tables.values()))
        return
    page = here / "README.md"
    page.write_text(fill(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    print(f"wrote {page.relative_to(root)} and {options.out}")
