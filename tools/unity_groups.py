#!/usr/bin/env python3
"""Says which sources may be compiled as one: unity_groups.py SIZE SOURCE... prints the number of a group for each.

Two sources share a group only if neither mentions a name that is the other's own: one of its unnamed namespace, a using
declaration, an alias of a namespace or a macro. So every name means what it does when each is compiled alone.
"""
import pathlib
import re
import sys

OPENED, CLOSED = "namespace {", "}  // namespace"
ANYWHERE = [
    re.compile(r"#define (\w+)"),
    re.compile(r"namespace (\w+) ="),
    re.compile(r"using (\w+) ="),
    re.compile(r"using (?:\w+::)+(\w+);"),
]
UNNAMED = [
    re.compile(r"(?:struct|class|enum|enum class|union) (\w+)"),
    re.compile(r"[^#/]*?\b(\w+)\("),
    re.compile(r"[^#/(]*?\b(\w+)(?:\[\w*\])?(?: =|\{|;)"),
]


def own_and_mentioned(text):
    own, mentioned, unnamed = set(), set(), False
    for line in text.split("\n"):
        if line.lstrip().startswith("//"):
            continue
        if line in (OPENED, CLOSED):
            unnamed = line == OPENED
            continue
        mentioned.update(re.findall(r"\w+", line))
        for pattern in ANYWHERE + (UNNAMED if unnamed else []):
            found = pattern.match(line) if line[:1].strip() else None
            if found:
                own.add(found[1])
    return own, mentioned


def grouped(size, texts):
    """The group of each text, first fit; the texts of a group are next to each other where names allow it."""
    groups, numbers = [], []
    for text in texts:
        own, mentioned = own_and_mentioned(text)
        for number, members in enumerate(groups):
            if len(members) < size and not any(own & m or o & mentioned for o, m in members):
                break
        else:
            number = len(groups)
            groups.append([])
        groups[number].append((own, mentioned))
        numbers.append(number)
    return numbers


if __name__ == "__main__":
    sources = [pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[2:]]
    print(";".join(str(number) for number in grouped(int(sys.argv[1]), sources)), end="")
