"""What the pages of the experiments have in common: rows of their tables, marks in a page, parts of a drawing."""

import sys

STYLE = """<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .axis { stroke: #999 } .small { font-size: 11px }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .axis { stroke: #777 } }
</style>"""


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
