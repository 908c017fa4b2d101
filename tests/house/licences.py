#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# licences.py SOURCE SPDX: each file of code says its licence, LICENSES/ has its text, and the build's SPDX document names
# it and has what SPDX 2.3 requires.
import json
import pathlib
import re
import subprocess
import sys

source, document = map(pathlib.Path, sys.argv[1:])
listed = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False)
if listed.returncode != 0:
    print("not a clone: the files are not known")
    sys.exit(77)
problems = []

CODE = re.compile(r"\.(cpp|hpp|h|c|cmake|py|sh|js|css|bpf\.c)$|(^|/)CMakeLists\.txt$")
# What is part of each page is as short as can be: REUSE.toml speaks for it.
NO_CODE = re.compile(r"^(fixtures/(?!record/)|tests/fuzz/corpus/|tests/golden/expected/|annotate/page/html/page\.)")
for name in listed.stdout.splitlines():
    file = source / name
    if NO_CODE.search(name) or not file.is_file():
        continue
    head = file.read_bytes()[:400]
    if not CODE.search(name) and not head.startswith(b"#!"):
        continue
    licence = re.search(rb"SPDX-License-Identifier: (\S+)", head)
    if licence is None:
        problems.append(f"{name}: no SPDX-License-Identifier")
    elif not (source / f"LICENSES/{licence[1].decode()}.txt").is_file():
        problems.append(f"{name}: LICENSES/ lacks the text of {licence[1].decode()}")
if (source / "LICENSE").read_bytes() != (source / "LICENSES/MIT.txt").read_bytes():
    problems.append("LICENSE and LICENSES/MIT.txt differ")

spdx = json.loads(document.read_text())
for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages"):
    if key not in spdx:
        problems.append(f"{document.name}: no {key}")
ids = {package["SPDXID"] for package in spdx["packages"]} | {spdx["SPDXID"]}
if len(ids) != len(spdx["packages"]) + 1:
    problems.append(f"{document.name}: an id is there twice")
for package in spdx["packages"]:
    if package["SPDXID"] != "SPDXRef-" + package["name"] or "licenseConcluded" not in package:
        problems.append(f"{document.name}: {package}")
for one in spdx["relationships"]:
    if not {one["spdxElementId"], one["relatedSpdxElement"]} <= ids:
        problems.append(f"{document.name}: {one}")

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
