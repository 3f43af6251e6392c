#!/usr/bin/env python3
"""Draws the layer table of check_layers.py as docs/architecture.svg: who may use whom, from the ground up.

  tools/draw_layers.py [--check]     --check writes nothing and fails when the drawing is not that of the table
"""

import sys
from pathlib import Path

from check_layers import LAYERS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "architecture.svg"
BOX, GAP, ROW, EDGE = (118, 30), 22, 84, 24
NAMES = {"cli": "apps/cli", "forecast": "apps/forecast", "python": "bindings/python"}


def uses(module):
    """What a module uses, without what it reaches through another module. Everything may use base."""
    below = {name: LAYERS[name] | ({"base"} if name != "base" else set()) for name in LAYERS}

    def reached(name):
        return set().union(*({other} | reached(other) for other in below[name])) if below[name] else set()

    return sorted(one for one in below[module] if not any(one in reached(other) for other in below[module] - {one}))


def level(module):
    return 1 + max((level(other) for other in uses(module)), default=-1)


def placed():
    """The upper left corner of each module's box, the ground at the bottom."""
    rows = {}
    for module in LAYERS:
        rows.setdefault(level(module), []).append(module)
    width = max(len(row) for row in rows.values()) * (BOX[0] + GAP) - GAP
    corners = {}
    for height, row in rows.items():
        left = EDGE + (width - (len(row) * (BOX[0] + GAP) - GAP)) / 2
        for i, module in enumerate(row):
            corners[module] = (left + i * (BOX[0] + GAP), EDGE + (max(rows) - height) * ROW)
    return corners, width + 2 * EDGE, max(rows) * ROW + BOX[1] + 2 * EDGE


def drawing():
    corners, width, height = placed()
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" '
           'font-size="14" role="img" aria-label="Modules, each above those that it uses">')
    yield f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>'
    for module, (x, y) in corners.items():
        for other in uses(module):
            to_x, to_y = corners[other]
            yield (f'<path d="M{x + BOX[0] / 2:g} {y + BOX[1]:g}L{to_x + BOX[0] / 2:g} {to_y:g}" stroke="#9ab" '
                   'fill="none"/>')
    for module, (x, y) in corners.items():
        yield (f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5" fill="#eef3f8" stroke="#468"/>'
               f'<text x="{x + BOX[0] / 2:g}" y="{y + 20:g}" text-anchor="middle">{NAMES.get(module, module)}</text>')
    yield "</svg>"


def main():
    text = "\n".join(drawing()) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
            sys.exit("docs/architecture.svg is not the drawing of the layer table; run tools/draw_layers.py")
        return
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
