"""What the pages of the experiments have in common: rows of their tables, marks in a page, parts of a drawing."""

import math
import sys

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .axis { stroke: #999 } .small { font-size: 11px }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .axis { stroke: #777 } }
</style>"""

# Colours that stay apart for every kind of sight, on light and dark ground.
GREY, ORANGE, SKY, GREEN, BLUE, RED, PINK = "#888888", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"
DASHED = ' stroke-dasharray="5 4"'


def in_order(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def one(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return found[0] if found else None


def svg(width, height, body, title):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
            f"<title>{title}</title>{STYLE}{''.join(body)}</svg>\n")


def text(x, y, content, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{content}</text>'


def line(x1, y1, x2, y2, extra='class="axis"'):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {extra}/>'


def fill(page, tables):
    """Replaces what stands between the marks of each table."""
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        _, found, after = rest.partition(end)
        if not found:
            sys.exit(f"README.md: the marks {begin} and {end} are missing")
        page = f"{before}{begin}\n{table}\n{end}{after}"
    return page


def rounded(number):
    """Three significant digits, and no more than three decimals: 0.156, 1.22, 12.2."""
    return f"{number:.{max(0, min(3, 2 - math.floor(math.log10(max(number, 1e-9)))))}f}" if number >= 0.01 else f"{number:.4f}"


def as_good(row, best):
    """Within two standard errors of the difference of the two means."""
    return row["error"] - best["error"] <= 2 * math.hypot(row["spread"], best["spread"]) / math.sqrt(row["trials"])


def tick(value):
    """0.25, 16, 10⁵."""
    power = round(math.log10(value))
    if 0.01 <= value <= 1000 or value != 10.0**power:
        return f"{value:g}"
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


class Panel:
    """One frame with lines, both axes logarithmic; ticks across are given, and shown where there is room."""

    def __init__(self, x, y, width, height, across, errors, title, unit):
        self.x, self.y, self.width, self.height = x, y, width, height
        self.low, self.high = min(across), max(across)
        low, high = math.log10(min(errors)), math.log10(max(errors))
        room = max(0.05 * (high - low), 0.02)
        self.least, self.most = low - room, high + room
        self.body = [text(x, y - 10, title), line(x, y + height, x + width, y + height), line(x, y, x, y + height),
                     text(x + width, y + height + 30, unit, "end", ' class="small"')]
        free = x - width
        for value in across:
            label, here = tick(value), self.right(value)
            if here - 4 * len(label) >= free:
                self.body.append(text(here, y + height + 16, label, "middle", ' class="small"'))
                free = here + 4 * len(label)
        for value in self.ticks():
            self.body += [text(x - 6, self.up(value) + 4, f"{value:g}", "end", ' class="small"'),
                          line(x - 3, self.up(value), x, self.up(value))]

    def ticks(self):
        """1, 2 and 5 times powers of ten where two or more fit, else finer."""
        for steps in ((1, 10), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), tuple(n / 20 for n in range(20, 200))):
            found = sorted({step * 10.0 ** power for power in range(-6, 4) for step in steps})
            found = [value for value in found if self.least <= math.log10(value) <= self.most]
            if len(found) > 2:
                break
        return found[::max(1, len(found) // 5)]

    def right(self, value):
        return self.x + self.width * math.log(value / self.low) / math.log(self.high / self.low)

    def up(self, error):
        return self.y + self.height * (self.most - math.log10(error)) / (self.most - self.least)

    def draw(self, points, colour, extra=""):
        path = " ".join(f"{self.right(value):.1f},{self.up(error):.1f}" for value, error in points)
        self.body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{extra}/>')

    def level(self, error, colour, extra=""):
        self.draw([(self.low, error), (self.high, error)], colour, extra)


def legend(entries, x, y, width):
    """Lines with their names, in as many rows as they need; gives the drawing and where it ends."""
    body, here = [], x
    for name, colour, extra in entries:
        needed = 45 + 7 * len(name)
        if here > x and here + needed > x + width:
            here, y = x, y + 20
        body += [line(here, y - 4, here + 20, y - 4, f'stroke="{colour}" stroke-width="2"{extra}'), text(here + 25, y, name)]
        here += needed
    return body, y


def finished(panels, entries, note, title, width, y):
    body = [part for panel in panels for part in panel.body]
    names, y = legend(entries, 50, y, width - 60)
    return svg(width, y + 32, body + names + [text(50, y + 20, note, extra=' class="small"')], title)
