#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py TOOL SOURCE: what `annotate --format lines` writes of the fixtures in SOURCE, against its own sums and against
the listings of `annotate --json`, which count per instruction."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
FIXTURES = SOURCE / "fixtures"
MANY = FIXTURES / "bpf/bpf_many.data"
failures = 0


def expect(truth, what):
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {what}")


def run(*words, status=0, environment=None, program=None):
    done = subprocess.run([str(word) for word in (program or [TOOL]) + list(words)], stdin=subprocess.DEVNULL,
                          capture_output=True, env=environment)
    what = " ".join(map(str, words))
    expect(done.returncode == status, f"{what}: status {done.returncode}, not {status}: {done.stderr.decode()}")
    return done


def lines_of(file, *options, status=0):
    return json.loads(run("annotate", "--format", "lines", *options, file, status=status).stdout)


def added(cells):
    return [sum(column) for column in zip(*cells)]


def check_sums(document, what):
    """Files and reasons add up to the samples, lines to files, and functions to lines; callees only add."""
    kept = [event["kept"] for event in document["events"]]
    parts = [one["hits"] for one in (*document["files"], *document["without_line"].values())]
    expect(added(parts) == kept, f"{what}: {added(parts)} of {kept}")
    for file in document["files"]:
        where = f"{what}: {file['path']}"
        if "hidden_lines" not in document:
            for counts in ("hits", "periods"):
                expect(added(line[counts] for line in file["lines"]) == file[counts], f"{where}: {counts} of lines")
        numbers = [line["line"] for line in file["lines"]]
        expect(numbers == sorted(set(numbers)), f"{where}: order of lines")
        for line in file["lines"]:
            expect(added(one["hits"] for one in line["functions"]) == line["hits"], f"{where}:{line['line']}: functions")
            expect(all(own <= both for own, both in zip(line["hits"], line["with_callees"])), f"{where}: callees")
            for own, whole, share in zip(line["periods"], document["events"], line["percent"]):
                expect(abs(share - 100 * own / max(whole["periods"], 1)) < 1e-5, f"{where}:{line['line']}: percent")
    order = [(-sum(file["hits"]), -sum(file["with_callees"]), file["path"]) for file in document["files"]]
    expect(order == sorted(order), f"{what}: order of files")


def check_listings(document, file, options):
    """Each line has the samples that the listings say of it, column by column and function by function."""
    listed = collections.Counter()
    for function in json.loads(run("annotate", "--json", *options, file).stdout)["functions"]:
        for line in function["lines"]:
            if line["line"] != 0:
                listed[line["file"], line["line"]] += sum(line["hits"])
    ours = {(one["path"], line["line"]): sum(line["hits"]) for one in document["files"] for line in one["lines"]}
    ours = {place: count for place, count in ours.items() if count}
    expect(ours == {place: count for place, count in listed.items() if count}, f"{file.name}: not the listings' lines")
    return len(ours)


def check_options(folder):
    document = lines_of(MANY, "--offline")
    expect([file["path"].rsplit("/", 1)[-1] for file in document["files"]] == ["many.bpf.c", "many.h"],
           "files of bpf_many")
    expect(document["files"][0]["here"] is None, "a file that is not here")
    # Below a directory that has the end of the path alone.
    (folder / "record").mkdir()
    (folder / "record/many.bpf.c").write_text("one line\n")
    found = lines_of(MANY, "--offline", "--source-dir", folder)["files"][0]["here"]
    expect(found == f"{folder}/record/many.bpf.c", f"here: {found}")

    limited = lines_of(MANY, "--offline", "--percent-limit", "5")
    shown, all_lines = (sum(len(file["lines"]) for file in one["files"]) for one in (limited, document))
    expect(shown < all_lines and limited["hidden_lines"] == all_lines - shown, "--percent-limit")
    expect(all(max(line["percent_with_callees"]) >= 5 for file in limited["files"] for line in file["lines"]), "5 %")
    user = lines_of(MANY, "--offline", "--kind", "user")
    check_sums(user, "--kind user")
    expect(user["files"] == [] and user["dropped"]["kind"] > 0, "--kind user")
    timed = lines_of(MANY, "--offline", "--time", "6.4,6.5")
    check_sums(timed, "--time")
    expect(timed["events"][0]["samples"] < document["events"][0]["samples"], "--time")

    for words, text in ((("-s", "step"), "--symbols NAME"), (("--at", "6.5"), "--time"), (("--versions",), ""),
                        (("--no-inline",), "inlined functions"), (("--json",), "asks for another format")):
        done = run("annotate", "--format", "lines", *words, MANY, status=2)
        expect(text in done.stderr.decode() and not done.stdout, f"{words}: {done.stderr.decode()}")
    done = run("annotate", "--offline", "--format", "lines", "-o", folder / "lines.json", MANY)
    expect("whatever its ending" not in done.stderr.decode(), done.stderr.decode())
    expect(json.loads((folder / "lines.json").read_text()) == document, "-o")
    expect("fell on no source line" in done.stderr.decode(), f"no note: {done.stderr.decode()}")
    done = run("annotate", "-q", "--offline", "--format", "lines", MANY)
    expect(not done.stderr, f"--quiet: {done.stderr.decode()}")

    whole = MANY.read_bytes()
    (folder / "cut.data").write_bytes(whole[:60000])
    cut = lines_of(folder / "cut.data", "--offline", "--strict", status=3)
    check_sums(cut, "a cut file")
    expect(cut["completeness"]["diagnostics_total"] > 0, "a cut file: completeness")
    stat = lines_of(FIXTURES / "records/stat.data")
    expect(stat["files"] == [] and all(event["samples"] == 0 for event in stat["events"]), "perf stat")


def check_example(folder):
    painter = [sys.executable, SOURCE / "examples/lines.py"]
    source = SOURCE / "fixtures/record/many.bpf.c"
    environment = {**os.environ, "PERFDATA": str(TOOL), "NO_COLOR": "1"}
    painted = run(MANY, source, program=painter, environment=environment).stdout.decode().splitlines()
    text = source.read_text().splitlines()
    expect(len(painted) == len(text) + 1, f"{len(painted)} lines of {len(text)}")
    expect([line[24:] for line in painted[1:]] == text, "the text is not that of the file")
    hottest = max(lines_of(MANY)["files"][0]["lines"], key=lambda line: line["hits"][0])
    expect(f"{hottest['percent'][0]:.2f}%" in painted[hottest["line"]], f"line {hottest['line']}: {painted}")
    colored = run("--color", MANY, source, program=painter, environment=environment).stdout.decode()
    expect("\x1b[48;5;" in colored, "no colour")
    # A copy elsewhere is found by the end of its path.
    (folder / "record").mkdir(exist_ok=True)
    copy = folder / "record/many.bpf.c"
    copy.write_text(source.read_text())
    again = run(MANY, copy, program=painter, environment=environment).stdout.decode().splitlines()
    expect(again[1:] == painted[1:], "a copy elsewhere")
    other = folder / "other.c"
    other.write_text("int main() {}\n")
    done = run(MANY, other, program=painter, environment=environment, status=1)
    expect("no file like" in done.stderr.decode(), done.stderr.decode())
    done = run(folder / "missing.data", source, program=painter, environment=environment, status=1)
    expect("missing.data" in done.stderr.decode(), done.stderr.decode())


def file_has_events(file):
    return subprocess.run([TOOL, "report", "--quiet", file], capture_output=True).returncode == 0


def main():
    compared = 0
    for file in sorted(FIXTURES.glob("*/*.data")):
        if file.parent.name == "stacks":
            continue
        if not file_has_events(file):
            run("annotate", "--format", "lines", file, status=1)
            continue
        document = lines_of(file, "--offline")
        check_sums(document, file.name)
        compared += check_listings(document, file, ("--offline",))
    expect(compared > 100, f"{compared} lines compared")
    for machine in ("arm", "a64", "ppc", "riscv", "s390", "x86"):
        for file in sorted((FIXTURES / "stacks").glob(f"{machine}_*.data")):
            check_sums(lines_of(file, "--offline", "--symfs", FIXTURES / "stacks" / machine), file.name)
    with tempfile.TemporaryDirectory() as folder:
        check_options(pathlib.Path(folder).resolve())
    with tempfile.TemporaryDirectory() as folder:
        check_example(pathlib.Path(folder).resolve())
    print(f"{compared} lines as in the listings, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
