#!/usr/bin/env python3
"""Includes point one way: this table says which module may include which, and the check enforces it.

  tools/check_layers.py [ROOT]                      check the sources and CMakeLists.txt under ROOT
  tools/check_layers.py [ROOT] --include-roots M D  make, in folder D, include roots with just what module M may see

Every module may include itself and base. Whatever else it uses, its row must name.
"""

import argparse
import re
import sys
from pathlib import Path

LAYERS = {
    "base": set(),
    # Strict readers of JSON objects, SQLite with checked errors, and libpq: several modules read and store with them.
    "json": set(),
    "sqlite": set(),
    "postgres": set(),
    "data": {"sqlite", "postgres"},
    "bound": {"data", "sqlite"},
    "noise": set(),
    "accounting": {"json"},
    "ledger": {"accounting", "json", "sqlite", "postgres"},
    "temporal": {"noise"},
    "post": set(),
    "mechanisms": {"bound", "noise", "accounting", "ledger", "temporal", "post"},
    # Windows, sampling and baselines do not use libtorch, so that every program can plan; models do.
    "forecasting": {"noise"},
    "neural": {"forecasting", "noise"},
    # A plan is made from public facts only: neither data nor what was bounded from data.
    "plan": {"mechanisms", "accounting"},
    "report": {"json", "post", "plan", "mechanisms", "accounting", "ledger"},
    "simulate": set(),
    # Trains, forecasts and backtests; what networks need of libtorch is behind an interface.
    "training": {"json", "data", "noise", "accounting", "ledger", "mechanisms", "forecasting", "report", "engine"},
    # That interface by libtorch, for chronoveil-forecast, the only program that has it.
    "networks": {"data", "noise", "accounting", "ledger", "mechanisms", "forecasting", "neural", "report", "engine", "training"},
    "engine": {"json", "data", "bound", "noise", "accounting", "ledger", "temporal", "mechanisms", "forecasting", "plan", "post",
               "report"},
    # What others link: the front header, for jobs of any kind.
    "library": {"data", "noise", "accounting", "ledger", "report", "engine", "training", "simulate"},
    # The program parses, calls and prints, with what is public.
    "cli": {"noise", "accounting", "ledger", "mechanisms", "plan", "report", "engine", "simulate", "library"},
    # The bindings translate what is public.
    "python": {"noise", "accounting", "data", "ledger", "mechanisms", "plan", "report", "engine", "training", "library"},
    # Those of the programs' commands that train and forecast; networks are brought by one program alone.
    "forecast": {"forecasting", "ledger", "report", "engine", "training", "library", "networks"},
}

# Modules that may include public headers only: what they do, any program linked to the library can do.
PUBLIC_ONLY = {"cli", "python", "forecast"}
# But for what no library has: the program with libtorch says here that it can do what networks need.
BROUGHT = {"apps/forecast/main.cc": {"chronoveil/networks/networks.h"}}

# Headers from outside that a module must not include.
FOREIGN = {"base": (r"nlohmann/", r"fmt/", r"CLI/")}

FRONT = "chronoveil/chronoveil.h"
SOURCES = {".h", ".cc"}
# Strings are matched too, so that a /* inside a string starts no comment.
STRING_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(.*?)[ \t]*$", re.MULTILINE)
MODULE_LINE = re.compile(r"^chronoveil_module\((\w+)([^)]*)\)", re.MULTILINE)


def visible(module):
    return LAYERS[module] | {module, "base"}


def find_cycle(layers):
    """A list of modules that include each other in a ring, or nothing."""
    done = set()

    def walk(module, path):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        for below in sorted(layers.get(module, ())):
            if ring := walk(below, path + [module]):
                return ring
        done.add(module)
        return None

    for module in layers:
        if ring := walk(module, []):
            return ring
    return None


def sources_of_modules(root):
    """(module, file) for every file of the table. Files directly in include/chronoveil belong to the library."""
    for top in (root / "src" / "chronoveil", root / "include" / "chronoveil", root / "apps", root / "bindings"):
        for path in sorted(top.rglob("*")):
            parts = path.relative_to(top).parts
            if path.suffix in SOURCES:
                yield ("library" if len(parts) == 1 else parts[0]), path


def public_headers(root):
    """The headers that the front header reaches."""
    reached, left = set(), [FRONT]
    while left:
        name = left.pop()
        file = next((root / top / name for top in ("include", "src") if (root / top / name).is_file()), None)
        if name not in reached and file:
            reached.add(name)
            left += re.findall(r'^#include "(chronoveil/[^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
    return reached


def check_public(root):
    """Users of the library have only include/: it must hold what the front header reaches, and nothing else."""
    public = public_headers(root)
    for name in sorted(public):
        if not (root / "include" / name).is_file():
            yield f"src/{name}: {FRONT} reaches it; it belongs in include/"
    for path in sorted((root / "include").rglob("*.h")):
        if path.relative_to(root / "include").as_posix() not in public:
            yield f"{path.relative_to(root)}: {FRONT} does not reach it; it belongs in src/"


def without_comments(text):
    """The same text, each comment replaced by blanks, so that lines and columns stay."""
    return STRING_OR_COMMENT.sub(
        lambda match: match.group() if match.group().startswith('"') else re.sub(r"[^\n]", " ", match.group()), text)


def check_file(path, module, root):
    text = without_comments(path.read_text(encoding="utf-8"))
    for match in INCLUDE.finditer(text.replace("\\\n", "  ")):
        where = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
        target = match.group(1)
        if len(target) < 2 or (target[0], target[-1]) not in {("<", ">"), ('"', '"')}:
            yield f"{where}: include {target} names no file"
            continue
        name = target[1:-1]
        for pattern in FOREIGN.get(module, ()):
            if re.match(pattern, name):
                yield f"{where}: {module} must not include {name}"
        if name.startswith("chronoveil/"):
            parts = name.split("/")
            if name == FRONT:
                parts = ["chronoveil", "library", "chronoveil.h"]
            if ".." in parts or len(parts) < 3:
                yield f"{where}: {name} must be written as chronoveil/MODULE/FILE"
            elif parts[1] not in LAYERS:
                yield f"{where}: {parts[1]} is not a module of the table"
            elif parts[1] not in visible(module):
                yield f"{where}: {module} must not include {parts[1]} ({name})"
            elif (module in PUBLIC_ONLY and not (root / "include" / name).is_file()
                  and name not in BROUGHT.get(path.relative_to(root).as_posix(), ())):
                yield f"{where}: {module} must not include {name}; it is not public, in include/"
        elif ".." in name.split("/"):
            yield f"{where}: {name} leaves its folder; write chronoveil/MODULE/FILE"


def check_cmake(root):
    path = root / "CMakeLists.txt"
    if not path.is_file():
        return
    for module, links in MODULE_LINE.findall(path.read_text(encoding="utf-8")):
        if module not in LAYERS:
            yield f"CMakeLists.txt: {module} is not a module of the table"
            continue
        for linked in re.findall(r"chronoveil::(\w+)", links):
            if linked not in visible(module):
                yield f"CMakeLists.txt: {module} must not link {linked}"


def check_tree(root, layers=None):
    ring = find_cycle(LAYERS if layers is None else layers)
    if ring:
        yield "the table has a ring: " + " -> ".join(ring)
    files = 0
    unknown = set()
    for module, path in sources_of_modules(root):
        files += 1
        if module in LAYERS:
            yield from check_file(path, module, root)
        elif module not in unknown:
            unknown.add(module)
            yield f"{path.relative_to(root)}: {module} is not a module of the table"
    if files == 0:
        yield f"{root}: no sources found"
    yield from check_public(root)
    yield from check_cmake(root)


def make_include_roots(root, module, folder):
    """A folder whose chronoveil/ holds links to just the headers of modules that `module` may include."""
    (folder / "chronoveil").mkdir(parents=True, exist_ok=True)
    for name, header in sources_of_modules(root):
        if name in visible(module) and header.suffix == ".h" and header.relative_to(root).parts[0] in ("src", "include"):
            link = folder.joinpath(*header.relative_to(root).parts[1:])
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(header.resolve())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--include-roots", nargs=2, metavar=("MODULE", "FOLDER"))
    arguments = parser.parse_args()
    if arguments.include_roots:
        module, folder = arguments.include_roots
        if module not in LAYERS:
            sys.exit(f"check_layers: {module} is not a module of the table")
        make_include_roots(arguments.root, module, Path(folder))
        return
    problems = list(check_tree(arguments.root))
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit(1)
    print("layers: every include is in the table")


if __name__ == "__main__":
    main()
