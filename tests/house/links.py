#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""links.py ROOT: what the project's documents refer to is there.

Checks each relative link and each #anchor of the documents below ROOT, that the source files that documents for
programmers name are there, and that the traps that tests cite by number are those of docs/format-traps.md. Prints what
is wrong, one a line, and exits with 1.
"""
import pathlib
import re
import sys
import tempfile

DOCUMENTS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/format-traps.md", "tests/README.md"]
MORE_DOCUMENTS = ["docs/*.md", "fixtures/*.md", "tests/*/README.md"]
TRAPS = "docs/format-traps.md"
SOURCES = [".github", "annotate", "docs", "fixtures", "include", "libperfdata", "scripts", "tests"]
NAMING_FILES = ["CONTRIBUTING.md", "docs/architecture.md", "docs/changing.md", "docs/glossary.md", "docs/library.md",
                "tests/README.md"]

LINK = re.compile(r"\]\(\s*<?([^)<>\s]+)>?[^)]*\)|^ {0,3}\[[^\]]+\]:\s*(\S+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # https:, mailto:
HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*$")
FENCE = re.compile(r" {0,3}(```|~~~)")
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:hpp|cpp|h|c|sh|py|txt|md))`(, new\b)?")
CITED = re.compile(r"\btraps?\s+(\d+(?:(?:\s*,\s*|\s+and\s+|\s+to\s+)\d+)*)")


def prose(text):
    """Yields number and text of each line outside of fenced code, without what is quoted as code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        elif not fence:
            yield number, line


def without_code(line):
    return re.sub(r"(`+).*?\1", "", line)


def anchors_of(text):
    """Returns the anchors that GitHub gives the headings of a document."""
    anchors = set()
    for _, line in prose(text):
        heading = HEADING.match(line)
        if not heading:
            continue
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = slug
        count = 0
        while again in anchors:
            count += 1
            again = f"{slug}-{count}"
        anchors.add(again)
    return anchors


def problem_of(root, document, target):
    """Returns what is wrong with a link of a document; empty if nothing is."""
    path, _, anchor = target.partition("#")
    if path.startswith("/"):
        return "is no relative link"
    file = (document.parent / path).resolve() if path else document
    if root not in file.parents:
        return "leads out of the project"
    if not file.exists():
        return "is not there"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
        return "has no such anchor"
    return ""


def broken_links(root):
    names = {root / name for name in DOCUMENTS}
    for pattern in MORE_DOCUMENTS:
        names.update(root.glob(pattern))
    for document in sorted(names):
        shown = document.relative_to(root)
        if not document.exists():
            yield f"{shown}: is not there"
            continue
        for number, line in prose(document.read_text()):
            for link in LINK.finditer(without_code(line)):
                target = link[1] or link[2]
                problem = "" if ELSEWHERE.match(target) else problem_of(root, document, target)
                if problem:
                    yield f"{shown}:{number}: {target} {problem}"


def missing_files(root):
    """Names may lack their beginning. A recipe may name files that are to be made: `this/one.cpp`, new."""
    there = {"/" + str(file.relative_to(root)) for room in SOURCES for file in (root / room).rglob("*.*")}
    for name in NAMING_FILES:
        document = root / name
        text = document.read_text() if document.exists() else ""
        made = {file for file, new in FILE.findall(text) if new}
        for number, line in enumerate(text.splitlines(), 1):
            for file, _ in FILE.findall(line):
                if "ROOM" not in file and file not in made and not any(known.endswith("/" + file) for known in there):
                    yield f"{name}:{number}: {file} is not there"


def numbers_in(words):
    """Returns the numbers of "3", "3, 5 and 7" or "3 to 5"."""
    first, _, last = words.partition(" to ")
    if last:
        return range(int(first), int(last) + 1)
    return [int(number) for number in re.findall(r"\d+", words)]


def wrong_traps(root):
    document = root / TRAPS
    if not document.exists():
        return
    explained = []
    for _, line in prose(document.read_text()):
        numbered = re.match(r"### (\d+)\. ", line)
        if numbered:
            explained.append(int(numbered[1]))
    if explained != list(range(1, len(explained) + 1)):
        yield f"{TRAPS}: the traps are not numbered from 1 on, in order"
    tested = set()
    for file in sorted((root / "tests").rglob("*.[ch]pp")):
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            for words in CITED.findall(line):
                for trap in numbers_in(words):
                    if trap not in explained:
                        yield f"{file.relative_to(root)}:{number}: trap {trap} is not in {TRAPS}"
                    elif "TEST_CASE" in line:
                        tested.add(trap)
    for trap in sorted(set(explained) - tested):
        yield f"{TRAPS}: trap {trap} has no test case"


def check_itself():
    """Each kind of mistake is found, and nothing else is."""
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory).resolve()
        for name in DOCUMENTS[1:]:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text("# A `title`: of it\n```\n# no title, [no link](nowhere)\n```\n")
        (root / "README.md").write_text(
            "[a](docs/format-traps.md#a-title-of-it) [b](docs) [c](https://example.org/#x) `[d](nowhere)`\n"
            "[e](nowhere.md) [f](SECURITY.md#no-title) [g](../x) [h](/etc)\n[i]: tests/nowhere\n")
        (root / "docs/changing.md").write_text(
            "`tests/a.cpp` `x/none.cpp`\n`x/b.cpp`, new: copy\n`a/x/b.cpp` `tests/`\n")
        (root / TRAPS).write_text("# A title of it\n### 1. One\n### 2. Two\n")
        (root / "tests/a.cpp").write_text('TEST_CASE("trap 1: one") {}\n// traps 2 and 3\n')
        found = [*broken_links(root), *missing_files(root), *wrong_traps(root)]
        expected = ["README.md:2: nowhere.md is not there", "README.md:2: SECURITY.md#no-title has no such anchor",
                    "README.md:2: ../x leads out of the project", "README.md:2: /etc is no relative link",
                    "README.md:3: tests/nowhere is not there", "docs/changing.md:1: x/none.cpp is not there",
                    "docs/changing.md:3: a/x/b.cpp is not there", f"tests/a.cpp:2: trap 3 is not in {TRAPS}",
                    f"{TRAPS}: trap 2 has no test case"]
        if found != expected:
            sys.exit("links.py does not find what it should:\n" + "\n".join(found))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: links.py ROOT")
    check_itself()
    root = pathlib.Path(sys.argv[1]).resolve()
    problems = [*broken_links(root), *missing_files(root), *wrong_traps(root)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
