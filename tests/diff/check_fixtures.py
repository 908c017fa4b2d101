#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check_fixtures.py TOOL FIXTURES: a recording does not differ from itself; what is planted in a copy of a fixture is
# named, and nothing else is.
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

from differ import Differ, row_of

tool, fixtures = sys.argv[1], pathlib.Path(sys.argv[2])
differ = Differ(tool)


def report(file, *arguments):
    words = [tool, "report", "--json", "--offline", "--no-children", "--sort", "dso,symbol", *arguments, str(file)]
    return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)


def itself(file):
    for normalize in ("periods", "samples", "none", "time"):
        diff = differ.compare("--offline", "--normalize", normalize, file, file)
        assert diff["rows"] or not sum(diff["old"][0]["samples"]), file
        for row in diff["rows"]:
            assert row["delta"] == 0 and row["wdiff"] == 0 and row["old"] == row["new"], (file, row)
            assert row["ratio"] in (1, None) and row["p"] == 1 and row["noise"] == "within", (file, row)
            assert row["code"] in ("same", "unknown"), (file, row)
        assert not diff["notes"] and not diff["rebuilt"] and not diff["reloaded"], (file, diff["notes"])
    several = differ.compare("--offline", "--old", *[file] * 4, "--new", *[file] * 4)
    for row in several["rows"]:
        assert abs(row["delta"]) < 1e-9 and row["noise"] == "within", (file, row)


# Sums by object are those of report, for objects that are called the same there.
def sums(file):
    diff = differ.compare("--offline", file, file)
    for event in diff["events"]:
        expected, found = collections.Counter(), collections.Counter()
        page = report(file)
        column = [one["name"] for one in page["events"]].index(event["name"])
        for row in page["rows"]:
            if row["kind"] != "bpf" and row["kind"] != "jit":
                expected[row["object"]] += row["hits"][column]
        for row in diff["rows"]:
            if diff["events"][row["event"]] is event and row["kind"] not in ("bpf", "jit"):
                found[row["object"]] += row["old_samples"]
        assert +expected == +found, (file, expected, found)
        whole = sum(row["old"] for row in diff["rows"] if diff["events"][row["event"]] is event)
        assert math.isclose(whole, 100, abs_tol=1e-6), (file, event, whole)


# Another body: the tag of one function of a program is replaced wherever it is, by text and by bytes.
def another_body(folder):
    file = fixtures / "bpf/bpf_many.data"
    content = file.read_bytes()
    tag = "0794138612f6e7ea"
    other = "0123456789abcdef"
    assert content.count(tag.encode()) and content.count(bytes.fromhex(tag)), "bump has another tag"
    content = content.replace(tag.encode(), other.encode()).replace(bytes.fromhex(tag), bytes.fromhex(other))
    changed = folder / "body.data"
    changed.write_bytes(content)
    diff = differ.compare("--offline", file, changed)
    for row in diff["rows"]:
        if row["kind"] == "bpf":
            assert row["code"] == ("changed" if row["symbol"] == "many_main/bump" else "same"), row
        assert row["delta"] == 0, row
    assert diff["reloaded"] == ["many_main/bump"], diff["reloaded"]
    assert diff["rows"][0]["symbol"] == "many_main/bump", diff["rows"][0]
    bump = row_of(diff, "many_main/bump")
    assert [one["id"] for one in bump["old_versions"]] == [tag], bump
    assert [one["id"] for one in bump["new_versions"]] == [other], bump
    text = differ.run("--offline", file, changed).stdout.decode()
    assert "many_main/bump  (other code)" in text, text
    assert "# Note: other code of BPF functions, by their tags: many_main/bump\n" in text, text
    differ.run("--offline", file, changed, "--fail-if", "code = changed", status=4)
    differ.run("--offline", file, file, "--fail-if", "code = changed", status=0)


# The same programs at other addresses, with other ids, in another recording.
def paired():
    diff = differ.compare("--offline", fixtures / "bpf/bpf_many.data", fixtures / "bpf/bpf_events.data")
    ours = [row for row in diff["rows"] if (row["symbol"] or "").startswith("many_main")]
    assert len(ours) == 9, ours
    for row in ours:
        assert row["change"] == "both" and row["code"] == "same" and row["object"] == "[bpf]", row


# A part of a recording without one program's time: what is missing is named first, as removed.
def removed():
    file = fixtures / "bpf/bpf_turns.data"
    diff = differ.compare("--offline", "--kind", "bpf", "--percentage", "relative", file, file)
    spins = [row["symbol"] for row in diff["rows"] if row["symbol"].endswith("_spin")]
    assert len(spins) == 4, spins
    twins = differ.compare("--offline", file, fixtures / "bpf/bpf_twins.data", "-c", "delta-abs")
    removed = [row for row in twins["rows"] if row["change"] == "removed" and row["noise"] == "changed"]
    assert {row["symbol"] for row in removed} >= set(spins), removed
    # Beyond noise comes first, and then what moved most.
    marks = [row["noise"] == "changed" for row in twins["rows"]]
    assert marks == sorted(marks, reverse=True), marks
    for mark in (True, False):
        # Below that it is rounding.
        sizes = [round(abs(row["delta"]) * 1e9) for row in twins["rows"] if (row["noise"] == "changed") == mark]
        assert sizes == sorted(sizes, reverse=True), sizes


def main():
    for file in sorted((fixtures / "bpf").glob("*.data")):
        itself(file)
        sums(file)
    with tempfile.TemporaryDirectory() as folder:
        another_body(pathlib.Path(folder))
    paired()
    removed()


main()
