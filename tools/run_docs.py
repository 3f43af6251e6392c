#!/usr/bin/env python3
"""Runs every command of README.md and docs/ and compares what it prints with what the page shows.

  tools/run_docs.py [--update] [--program FILE] [PAGE...]

Commands stand in blocks marked `console`: a line `$ command` (continued by lines `> more`), then its output. A line
`...` stands for any lines, `...` inside a line for any text; --update leaves lines as they are that are still true.
Commands of one page run in one shell, in an empty folder with an empty home, and must succeed. Only blocks of `make`,
`git clone` and `sudo` may be marked `console norun`; the targets that they name must exist in the Makefile.
"""

import argparse
import os
import re
import secrets
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(\s*)```\s*(.*?)\s*$")
NORUN = re.compile(r"^(sudo )?(make|git clone|cd)\b")
SHELLS = {"sh", "bash", "shell", "zsh", "shell-session"}


class DocsError(Exception):
    pass


@dataclass
class Step:
    line: int  # of the command, from 1
    command: str
    expected: list = field(default_factory=list)
    output_at: slice = None  # the lines of the page that show the output
    actual: list = None
    status: int = 0


def parse_page(name, lines, targets):
    """The steps of a page, in order."""
    steps = []
    fence = None
    for number, line in enumerate(lines, 1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                info = match.group(2).split()
                fence = info[0] if info else ""
                norun = "norun" in info
                if fence in SHELLS:
                    raise DocsError(f"{name}:{number}: a block of commands must be marked console, so that it runs")
                step = None
            continue
        if match:
            fence = None
            continue
        if fence != "console":
            continue
        text = line.rstrip("\n")
        if text.startswith("$ "):
            step = Step(number, text[2:])
            if norun:
                check_norun(f"{name}:{number}", step.command, targets)
            else:
                step.output_at = slice(number, number)
                steps.append(step)
        elif step is None:
            raise DocsError(f"{name}:{number}: a console block must start with a line '$ command'")
        elif text.startswith("> ") and not step.expected:
            step.command += "\n" + text[2:]
            step.output_at = slice(number, number)
        elif not norun:
            step.expected.append(text)
            step.output_at = slice(step.output_at.start, number)
    if fence is not None:
        raise DocsError(f"{name}: a block is not closed")
    return steps


def check_norun(where, command, targets):
    if not NORUN.match(command):
        raise DocsError(f"{where}: only make, git clone and sudo may be marked norun: {command}")
    words = command.split("#")[0].removeprefix("sudo ").split()
    if words[0] == "make":
        for word in words[1:]:
            if "=" not in word and word not in targets:
                raise DocsError(f"{where}: the Makefile has no target {word}")


def make_targets(root):
    return set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def run_steps(steps, program):
    """Fills in what each step printed and its exit status."""
    marker = "step-" + secrets.token_hex(8)
    script = ""
    for step in steps:
        script += f"{{\n{step.command}\n}} </dev/null 2>&1\nprintf '\\n{marker} %d\\n' $?\n"
    with tempfile.TemporaryDirectory(prefix="chronoveil-docs-") as folder:
        home = Path(folder) / "home"
        work = Path(folder) / "work"
        home.mkdir()
        work.mkdir()
        environment = {
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "TZ": "CET-1CEST,M3.5.0,M10.5.0/3",  # not UTC, on purpose
            "TMPDIR": folder,
        }
        done = subprocess.run(["bash", "-c", script], cwd=work, env=environment, stdout=subprocess.PIPE, text=True,
                              encoding="utf-8", timeout=300, check=False)
    pieces = re.split(rf"\n{marker} (\d+)\n", done.stdout)
    for step, output, status in zip(steps, pieces[0::2], pieces[1::2]):
        step.actual = output.rstrip("\n").split("\n") if output.strip("\n") else []
        step.status = int(status)


def matches(expected, actual):
    """Whether the shown lines describe the printed ones."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    if not actual:
        return False
    return line_matches(expected[0], actual[0]) and matches(expected[1:], actual[1:])


def line_matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, actual.rstrip()) is not None


def rewritten(expected, actual):
    """Lines that describe the printed ones. Shown ones that are still true stay; a new one is dearer to put in place of
    another than beside it, and leaving one out is the dearest, so that `...` does not swallow a line that changed."""
    new, changed, gone = 2, 3, 4
    best = [[None] * (len(actual) + 1) for _ in range(len(expected) + 1)]  # from there to the end: cost and lines
    for i in range(len(expected), -1, -1):
        for j in range(len(actual), -1, -1):
            ways = []
            shown = expected[i] if i < len(expected) else None
            if shown == "...":
                ways.append((best[i + 1][j][0], ["...", *best[i + 1][j][1]]))
            elif shown is not None:
                ways.append((best[i + 1][j][0] + gone, best[i + 1][j][1]))
            if j < len(actual):
                if shown == "...":
                    ways.append(best[i][j + 1])
                elif shown is not None:
                    true = line_matches(shown, actual[j])
                    cost, after = best[i + 1][j + 1]
                    ways.append((cost + (0 if true else changed), [shown if true else actual[j], *after]))
                ways.append((best[i][j + 1][0] + new, [actual[j], *best[i][j + 1][1]]))
            best[i][j] = min(ways, key=lambda way: way[0], default=(0, []))
    return best[0][0][1]


def check_page(path, program, targets, update):
    """The problems of one page; with `update` its outputs are rewritten instead."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    steps = parse_page(path.name, lines, targets)
    run_steps(steps, program)
    problems = []
    for step in reversed(steps):  # from the end, so that line numbers stay true while lines are replaced
        where = f"{path.name}:{step.line}"
        if step.actual is None:
            problems.append(f"{where}: the shell ended before: {step.command}")
        elif step.status != 0:
            problems.append(f"{where}: exit {step.status}: {step.command}\n  " + "\n  ".join(step.actual))
        elif not matches(step.expected, step.actual):
            if update:
                lines[step.output_at] = [line + "\n" for line in rewritten(step.expected, step.actual)]
            else:
                shown = "\n  - ".join([""] + step.expected)
                printed = "\n  + ".join([""] + step.actual)
                problems.append(f"{where}: {step.command}{shown}{printed}")
    if update:
        path.write_text("".join(lines), encoding="utf-8")
    return len(steps), problems[::-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--update", action="store_true", help="rewrite the outputs from what was printed")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "chronoveil")
    arguments = parser.parse_args()
    pages = arguments.pages or [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
    program = arguments.program.resolve()
    if not program.is_file():
        sys.exit(f"run_docs: {program} is not there; run make build first")
    failed = False
    commands = 0
    targets = make_targets(ROOT)

    def checked(page):
        try:
            return check_page(page, program, targets, arguments.update)
        except DocsError as error:
            return 0, [str(error)]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(checked, pages))
    for count, problems in results:
        commands += count
        for problem in problems:
            print(problem, file=sys.stderr)
            failed = True
    if failed:
        sys.exit("docs: what the pages show is not what the program does; make docs rewrites the outputs")
    print(f"docs: {commands} commands of {len(pages)} pages did what the pages show")


if __name__ == "__main__":
    main()
