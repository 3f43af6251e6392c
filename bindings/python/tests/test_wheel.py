"""What is in the wheel, and what it asks of a machine."""

import re
import subprocess
from importlib import metadata
from pathlib import Path

import chronoveil

PACKAGE = Path(chronoveil.__file__).parent
LIBRARIES = sorted((PACKAGE.parent / "chronoveil.libs").iterdir())


def told(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", told("readelf", "-d", str(path))))


def test_it_needs_no_glibc_beyond_2_34():
    assert LIBRARIES
    for path in (Path(chronoveil._native.__file__), *LIBRARIES):
        versions = re.findall(r"GLIBC_([0-9.]+)", told("readelf", "-V", str(path)))
        asked = {tuple(map(int, version.split("."))) for version in versions}
        assert asked and max(asked) <= (2, 34), path


def test_it_shares_the_runtime_of_cpp_and_leaves_libpq_to_the_system():
    assert "libstdc++.so.6" in needed(chronoveil._native.__file__)
    brought = {path.name for path in LIBRARIES}
    for path in (chronoveil._native.__file__, *LIBRARIES):
        assert not {name for name in needed(path) if "libpq" in name}
        others = {name for name in needed(path) if name not in brought}
        assert others <= {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "libz.so.1",
                          "ld-linux-x86-64.so.2"}, others


def test_it_carries_the_licences_of_what_is_in_it():
    held = {path.name: path.locate().read_text(encoding="utf-8") for path in metadata.files("chronoveil")
            if "licenses" in path.parts}
    assert "Apache License" in held.pop("chronoveil")
    for library in LIBRARIES:
        assert any(library.name.startswith(one) for one in held), library.name
    assert all(len(text) > 500 for text in held.values())
