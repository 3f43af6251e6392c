#!/usr/bin/env python3
"""Names comments of C++ sources that are wider than 120 columns, as they are shown: clang-format leaves comments as they
are. comment_width.py FILE... prints each such line and fails if there is one."""

import re
import sys
import unicodedata
from pathlib import Path

LIMIT = 120
# Strings and characters, so that "//" in them begins no comment; then a comment up to the end of the line.
CODE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'|(?P<comment>//[^\n]*)', re.DOTALL)


def width(text):
    """Columns of a terminal: a combining mark takes none, a wide letter two."""
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
               for letter in text)


def wide_comments(text):
    """The numbers and widths of lines that end in a comment and are too wide."""
    for found in CODE.finditer(text):
        if found["comment"] is None:
            continue
        begin = text.rfind("\n", 0, found.start()) + 1
        if (columns := width(text[begin:found.end()])) > LIMIT:
            yield text.count("\n", 0, begin) + 1, columns


def main(paths):
    status = 0
    for path in paths:
        for line, columns in wide_comments(Path(path).read_text(encoding="utf-8")):
            print(f"{path}:{line}: a comment of {columns} columns; at most {LIMIT}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
