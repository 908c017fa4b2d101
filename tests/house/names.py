#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py SOURCE: sources that are compiled a few at a time share their anonymous namespaces.

Which ones share a batch depends on the preset, so that two files with one name may compile here and not there. This
compares the names of all files of a program. Functions may share a name if their parameters differ, and aliases if they
are the same. It reads the text, which clang-format has laid out: what begins in the first column is a declaration.
"""
import collections
import pathlib
import re
import sys

# What is compiled together, as patterns of files.
PROGRAMS = {
    "the library": ["libperfdata/**/*.cpp"],
    "annotate": ["annotate/[!ct]*/**/*.cpp", "annotate/trace/*.cpp"],
    "the tool": ["annotate/tool/**/*.cpp"],
    "the unit tests": ["tests/unit/**/*.cpp", "tests/traps/*.cpp"],
    "the oracles": ["tests/oracle/*.cpp"],
    "the tests of damage": [f"tests/damage/{name}.cpp" for name in (
        "allocations", "bytes", "cuts", "examine", "fields", "frames", "memory", "salvage", "sizes")],
    "the tests of the C API": ["tests/c/*.cpp"],
}
TYPE = re.compile(r"(?:struct|class|enum class|enum) (\w+)(?: final)?(?: : [^;]*)?(?: \{|;|$)")
ALIAS = re.compile(r"using (\w+) = ")
OTHER = re.compile(r"(?:using|return|TEST_CASE|SCENARIO|#|//|\}|\)|\s|extern|namespace|static_assert)")
VARIABLE = re.compile(r"[\w:<>,&*\s\[\]]*?[\s*&](\w+)(?:\[[^\]]*\])*\s*(?: = |\{|;)")
FUNCTION = re.compile(r"[\w:<>,&*\s]*?[\s*&](\w+)\((.*)")


def declared(path):
    """Yields kind, name, and what may tell two of one name apart."""
    depth = 0
    template = ""
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("namespace {"):
            depth += 1
        elif line.startswith("}  // namespace") and line == "}  // namespace":
            depth -= 1
        elif depth and line.startswith("template"):
            template = line
        elif depth and line:
            if found := TYPE.match(line):
                yield "type", found[1], ""
            elif found := ALIAS.match(line):
                yield "alias", found[1], line
            elif not OTHER.match(line):
                if found := FUNCTION.match(line):
                    parameters = re.sub(r"\s\w+(?= =|,|\)|$)", "", found[2])
                    yield "function", found[1], template + parameters
                elif found := VARIABLE.match(line):
                    yield "variable", found[1], ""
            template = ""


def main():
    root = pathlib.Path(sys.argv[1])
    bad = files = 0
    for program, patterns in PROGRAMS.items():
        by_name = collections.defaultdict(set)
        for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
            files += 1
            for kind, name, apart in declared(path):
                by_name[name].add((kind, apart, str(path.relative_to(root))))
        for name, places in sorted(by_name.items()):
            paths = sorted({path for _, _, path in places})
            kinds = {kind for kind, _, _ in places}
            ways = {apart for _, apart, _ in places}
            differ = kinds == {"function"} and len(ways) == len(places)
            same = kinds == {"alias"} and len(ways) == 1
            if len(paths) > 1 and not differ and not same:
                bad += 1
                print(f"{program}: {name} is in {', '.join(paths)}")
    print(f"{files} files, {bad} names twice")
    return 1 if bad or files < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
