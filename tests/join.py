#!/usr/bin/env python3
"""Joins test sources into one translation unit: join.py OUT SOURCE...

Reading gtest and the standard headers takes most of the time of compiling a small test, and so it is done once for
several. Each file's unnamed namespace goes into a namespace of its own, so that files may use the same names for
different things, as they may when they are compiled one by one.
"""
import pathlib
import sys


def joined(sources):
    parts = []
    for number, source in enumerate(sources):
        text = pathlib.Path(source).read_text(encoding="utf-8")
        opened, closed = "\nnamespace {\n", "\n}  // namespace\n"
        if text.count(opened) != 1 or text.count(closed) != 1:
            sys.exit(f"{source}: a test file has one unnamed namespace, opened and closed in lines of their own")
        text = text.replace(opened, f"\nnamespace file_{number} {{ namespace {{\n")
        text = text.replace(closed, "\n}}  // namespace\n")
        parts.append(f'#line 1 "{source}"\n{text}')
    return "".join(parts)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(joined(sys.argv[2:]), encoding="utf-8")
