#!/usr/bin/env python3
"""Writes the units that compile several sources at once: unity.py FOLDER BYTES SOURCE... prints the paths of the units.

Reading headers takes most of the time of compiling a small source, so it is done once for about BYTES of them. Every
name must mean what it means when its source is compiled alone. A source's own names are those of its unnamed namespace,
its macros, aliases and using declarations. All headers are read first; then a macro renames what is in an unnamed
namespace while its source is read. A name that the macro would also change in other meanings (a member, a part of a
qualified name, the name of a test, a function that headers of the source declare as well) is kept, and so are macros,
aliases and using declarations: where one source of two mentions what the other keeps, they go into different units. What
googletest finds by the type that it prints needs no other name, and a source with an operator new of its own goes alone.
"""
import functools
import os
import pathlib
import re
import sys

NOT_CODE = re.compile(r'R"(\w*)\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])\'|//[^\n]*')
STANDARD = re.compile(r"\bstd::\w+")
CALL = re.compile(r"\b(\w+)\(")
NAME = re.compile(r"[A-Za-z_]\w*")
QUALIFIED = re.compile(r"(?:\.|->|::)\s*(\w+)|(\w+)(?=\s*::)|\bTEST\w*\((\w+), (\w+)|_P\((\w+), (\w+)|#\w+ (\w+)")
FOUND_BY_TYPE = {"PrintTo"}
OPERATOR_NEW = re.compile(r"\boperator (?:new|delete)\b")
KEYWORDS = {"requires", "decltype", "noexcept", "alignas", "operator"}  # with a parenthesis, yet no function
INCLUDE = re.compile(r'#include (?:<[^>]+>|"([^"]+)")')
KEPT = [re.compile(pattern) for pattern in (  # declared anywhere at the start of a line, and never renamed
    r"#define (\w+)", r"namespace (\w+) =", r"using (\w+) =", r"using (?:\w+::)+(\w+);")]
TEST = re.compile(r"(?:TEST(?:_[FP])?|TYPED_TEST|INSTANTIATE_TEST_SUITE_P)\((\w+), (\w+)")
UNNAMED = [re.compile(pattern) for pattern in (
    r"(?:template <[^=]*> )?(?:struct|class|enum class|enum|union|concept) (\w+)",
    r"[^#/=(]*?[ *&](\w+)\(",
    r"[^#/(=]*?[ *&](\w+)(?:\[\w*\])*(?: = |\{|;)")]


@functools.cache
def found(name, beside):
    """The header of the project that a source in a folder includes by this name, or None."""
    places = [beside / name, *(root / folder / name for root in beside.parents for folder in (".", "src", "include"))]
    return next((place.resolve() for place in places if place.is_file()), None)


@functools.cache
def headers_in(path):
    """The headers of the project that a file includes, and the names of functions in it."""
    text = path.read_text(encoding="utf-8")
    names = (include[1] for include in INCLUDE.finditer(text) if include[1])
    return [header for name in names if (header := found(name, path.parent))], set(CALL.findall(NOT_CODE.sub(" ", text)))


def functions_of_headers(path):
    """Names of functions in whatever headers of the project a source includes, itself or through others."""
    functions, seen, left = set(), set(), headers_in(path)[0][:]
    while left:
        header = left.pop()
        if header not in seen:
            seen.add(header)
            more, here = headers_in(header)
            functions |= here
            left += more
    return functions


class Source:
    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        text = self.path.read_text(encoding="utf-8")
        self.size = len(text)
        self.includes = self.first_includes(text)
        code = NOT_CODE.sub(" ", text)
        self.alone = bool(OPERATOR_NEW.search(code))
        self.own, self.kept = {}, set()  # a name with its declaration where that may stand twice; names not to rename
        unnamed = False
        for line in NOT_CODE.sub(lambda text: text[0] if text[0].startswith("//") else '""', text).split("\n"):
            if line in ("namespace {", "}  // namespace"):
                unnamed = line == "namespace {"
            elif line[:1].strip() and not line.startswith(("//", "}", "using namespace ")):
                self.declare(line, unnamed)
        code = STANDARD.sub(" ", code)
        self.kept.update(name for names in QUALIFIED.findall(code) for name in names if name)
        self.kept.update(functions_of_headers(self.path))
        # Members and qualified names are looked up in their own scope, not among what is declared here.
        self.mentioned = set(NAME.findall(re.sub(r"(?:\.|->|::)\s*\w+", " ", code)))

    def first_includes(self, text):
        first = []
        for line in text.split("\n"):
            include = INCLUDE.match(line)
            if include:
                beside = self.path.parent / include[1] if include[1] else None
                first.append(beside if beside and beside.exists() else include[0])
            elif line and not line.startswith("//"):
                return first
        return first

    def declare(self, line, unnamed):
        test = TEST.match(line)
        if test:
            self.own[f"{test[1]}_{test[2]}_Test"] = None
            self.kept.add(f"{test[1]}_{test[2]}_Test")
            return
        for pattern in KEPT:
            declared = pattern.match(line)
            if declared:
                self.own[declared[1]] = line if line.startswith(("using", "namespace")) else None
                self.kept.add(declared[1])
                return
        for pattern in UNNAMED if unnamed else []:
            declared = pattern.match(line)
            if declared and declared[1] not in KEYWORDS | FOUND_BY_TYPE:
                self.own[declared[1]] = None
                return

    def clashes(self, other):
        """Whether the other mentions a name that this source keeps, unless both declare the same."""
        return any(not self.own[name] or self.own[name] != other.own.get(name)
                   for name in self.own.keys() & self.kept & (other.mentioned | other.own.keys()))


def fits(source, unit, limit):
    if source.alone or any(member.alone for member in unit):
        return False
    if sum(member.size for member in unit) + source.size > limit:
        return False
    return not any(source.clashes(member) or member.clashes(source) for member in unit)


def grouped(sources, limit):
    """Units of sources: each source goes into the first unit that has room and no clashing name."""
    units = []
    for source in sources:
        for unit in units:
            if fits(source, unit, limit):
                unit.append(source)
                break
        else:
            units.append([source])
    return units


def text_of(unit, folder):
    """What a unit says. Paths are relative, so that it is the same in every copy of the project, for a compiler cache."""
    def included(path):
        return f'#include "{os.path.relpath(path, folder)}"'

    lines = [include if isinstance(include, str) else included(include)
             for include in dict.fromkeys(include for source in unit for include in source.includes)]
    for number, source in enumerate(unit):
        renamed = sorted(source.own.keys() - source.kept) if len(unit) > 1 else []
        lines += [f"#define {name} {name}_{number}" for name in renamed]
        lines.append(included(source.path))
        lines += [f"#undef {name}" for name in renamed]
    return "\n".join(lines) + "\n"


def main(folder, limit, paths):
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, unit in enumerate(grouped([Source(path) for path in paths], limit)):
        written.append(folder / f"{number}.cc")
        text = text_of(unit, folder.resolve())
        if not written[-1].exists() or written[-1].read_text(encoding="utf-8") != text:
            written[-1].write_text(text, encoding="utf-8")
    print(";".join(str(path) for path in written), end="")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
