#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documented.py ROOT FOLDER [update]: each public member has a comment. undocumented.txt has how many of each header had
none when that was first asked: they may become fewer, and headers that are not in it have none. All of the C API is
documented. `update` writes the file anew, if no number in it grows.

What says itself needs no comment: copying, moving and destroying, comparisons, and the types of an iterator."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys

root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
SAYS_ITSELF = re.compile(r"operator(==|<=>|=)\(|^Member ~|^Member (\w+)\((const )?\2( ?< ?T ?>)? ?&&?|^Member (\w+)\((const )?\5 ?&&?"
                         r"|^Member (difference_type|value_type|reference|pointer|iterator_category) |=delete")
known_file = root / "tests/house/undocumented.txt"


def found():
    """Returns what doxygen calls undocumented, by header."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    headers = folder / "include"
    subprocess.run([root / "scripts/doxygen-filter", root / "include", headers], check=True)
    settings = (root / "docs/Doxyfile").read_text() + f"""
INPUT = {headers}
STRIP_FROM_PATH = {headers}
OUTPUT_DIRECTORY = {folder}
EXTRACT_ALL = NO
WARN_IF_UNDOCUMENTED = YES
WARN_AS_ERROR = NO
GENERATE_HTML = NO
GENERATE_XML = YES
"""
    (folder / "Doxyfile").write_text(settings)
    told = subprocess.run(["doxygen", folder / "Doxyfile"], capture_output=True, text=True, check=True, cwd=folder)
    members = collections.defaultdict(list)
    for line in told.stderr.splitlines():
        warning = re.match(re.escape(str(headers)) + r"/(.*?):(\d+): warning: (.*) is not documented\.$", line)
        if warning and not SAYS_ITSELF.search(warning.group(3)):
            members[warning.group(1)].append(f"{warning.group(1)}:{warning.group(2)}: {warning.group(3)}")
    return members


def main():
    known = {}
    for line in known_file.read_text().splitlines() if known_file.exists() else []:
        if not line.startswith("#"):
            count, header = line.split()
            known[header] = int(count)
    asked = known_file.exists()
    members = found()
    bad = False
    for header in sorted(members.keys() | known.keys()):
        count, most = len(members.get(header, [])), known.get(header, 0)
        if count > most and (asked or header.startswith("perfdata/c/")):
            print(f"{header}: {count} members without a comment, {most} are known:", *members[header], sep="\n  ")
            bad = True
        if count < most and sys.argv[3:] != ["update"]:
            print(f"{header}: {count} members without a comment, {most} are known: run {sys.argv[0]} ROOT FOLDER update")
            bad = True
    if not bad and sys.argv[3:] == ["update"]:
        text = ["# Public headers with members that have no comment, and how many. See documented.py. It must only shrink."]
        text += [f"{len(names)} {header}" for header, names in sorted(members.items())]
        known_file.write_text("\n".join(text) + "\n")
    print(sum(map(len, members.values())), "members without a comment")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
