#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_callgrind.py TOOL FIXTURES SCRATCH: exports recordings in callgrind's format and compares the sums of
callgrind_annotate (Debian: valgrind) with the file, and the file with `report --json` and `export --format folded`.
Exit status 1: something differs, or callgrind_annotate is missing."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

# With the folders of their files.
RECORDINGS = {"bpf/bpf_turns": None, "bpf/bpf_types": None, "bpf/bpf_reuse": None, "jit/tinyjit": None,
              "records/dwarf": None, "records/groups": None, "records/group_chains": None, "records/multi": None,
              "stacks/x86_plain": "stacks/x86", "stacks/x86_signals": "stacks/x86"}

problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


def run(command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more).stdout


class Callgrind:
    """The file: self costs and calls of functions, which are tuples of object, file and name."""

    def __init__(self, text):
        text.encode("ascii")
        self.events, self.own, self.own_at = [], {}, collections.defaultdict(lambda: [])
        self.incoming, self.outgoing = {}, {}
        names = {"ob": {}, "fl": {}, "fn": {}}
        self.totals = []
        at = {}
        for line in text.splitlines():
            key, _, value = line.partition("=")
            kind = {"ob": "ob", "cob": "ob", "fl": "fl", "fi": "fl", "fe": "fl", "cfi": "fl", "fn": "fn",
                    "cfn": "fn"}.get(key)
            if kind:
                number, name = re.fullmatch(r"\((\d+)\)(?: (.*))?", value).groups()
                if name is None:
                    name = names[kind][number]  # defined before
                elif names[kind].setdefault(number, name) != name:
                    raise ValueError(f"name defined twice: {line}")
                at[key] = name
                if key == "fl":
                    at["fi"] = name
                if key == "fn":
                    function = (at["ob"], at["fl"], name)
            elif line.startswith("events:"):
                self.events = line.split()[1:]
            elif line.startswith(("summary:", "totals:")):
                self.totals.append([int(number) for number in line.split()[1:]])
            elif line.startswith("calls="):
                at["calls"] = int(line.split()[0][6:])
            elif line.startswith("0x"):
                _, number, *costs = line.split()
                costs = [int(cost) for cost in costs] + [0] * (len(self.events) - len(costs))
                if "calls" in at:
                    if at.pop("calls") == 0:
                        raise ValueError(f"no calls: {line}")
                    callee = (at["cob"], at["cfi"], at["cfn"])
                    self.add(self.incoming, callee, costs)
                    self.add(self.outgoing, function, costs)
                else:
                    self.add(self.own, function, costs)
                    self.own_at[(at["fi"], at["fn"])] = [a + b for a, b in
                                                         zip(self.own_at[(at["fi"], at["fn"])] or [0] * len(costs),
                                                             costs)]
        self.columns = [column for column, name in enumerate(self.events) if name.endswith("_samples")]

    @staticmethod
    def add(table, key, costs):
        table[key] = [a + b for a, b in zip(table.get(key, [0] * len(costs)), costs)]

    def functions(self):
        return sorted(set(self.own) | set(self.incoming) | set(self.outgoing))


def annotated(path, scratch, columns, *options):
    """What callgrind_annotate prints: costs by "file:function"."""
    text = run(["callgrind_annotate", "--auto=no", "--threshold=100", "--show-percs=no", *options, path],
               cwd=scratch).decode()
    found, totals = {}, None
    for line in text.splitlines():
        parts = re.match(r"\s*((?:(?:[\d,]+|\.)\s+){%d})\s*(\S.*)$" % columns, line)
        if not parts:
            continue
        costs = [0 if part == "." else int(part.replace(",", "")) for part in parts[1].split()]
        what = parts[2]
        if what == "PROGRAM TOTALS":
            totals = costs
        else:
            if what.endswith("]") and " [" in what:
                what = what[:what.rindex(" [")]
            found[what] = costs
    return found, totals


def row_name(row):
    path = row["path"] or "[unknown]"
    if row["symbol"] is None:
        return path if path.startswith("[") else f"[{path.rsplit('/', 1)[-1]}]"
    if row["kind"] == "bpf" and "function" in row:
        return row["function"]
    return row["symbol"]


def function_name(object_, name):
    """The name as in report: several programs may have the same function, which is one row there."""
    return name.rsplit("/", 1)[-1] if object_.startswith("[bpf:") else name


def report(tool, recording, *options):
    return json.loads(run([tool, "report", "--json", "-g", "none", "--sort", "dso,symbol", *options, recording]))


def sums(rows, member, columns):
    found = collections.defaultdict(lambda: [0] * columns)
    for row in rows:
        found[row_name(row)] = [a + b for a, b in zip(found[row_name(row)], row[member])]
    return {name: costs for name, costs in found.items() if any(costs)}


def compare(where, what, one, other):
    for name in sorted(set(one) | set(other)):
        if one.get(name) != other.get(name):
            complain(where, f"{what} of {name}: {one.get(name)}, and not {other.get(name)}")


def check(tool, recording, names, inline, scratch):
    names = [*names, inline]
    where = f"{os.path.basename(recording)} {inline}"
    path = os.path.join(scratch, os.path.basename(recording) + inline + ".callgrind")
    text = run([tool, "export", *names, "--format", "callgrind", recording])
    if text != run([tool, "export", *names, "--format", "callgrind", recording]):
        complain(where, "not the same a second time")
    with open(path, "wb") as file:
        file.write(text)
    try:
        profile = Callgrind(text.decode())
    except (ValueError, KeyError, AttributeError) as error:
        complain(where, f"not the format: {error!r}")
        return
    columns = len(profile.events)
    samples = lambda costs: [costs[column] for column in profile.columns]
    named = lambda table: {name: costs for name, costs in table.items() if any(costs)}

    # The file agrees with report, whose rows do not count what is inlined as functions.
    flat = report(tool, recording, *names, "--no-children")
    events = [event for event in flat["events"] if event["samples"]]
    if len(events) != len(flat["events"]):
        events = flat["events"]
    whole = [number for event in events if event["samples"] for number in (event["samples"], event["periods"])]
    if profile.totals != [whole, whole]:
        complain(where, f"totals {profile.totals}, and not {whole}")
    added = [sum(costs[column] for costs in profile.own.values()) for column in range(columns)]
    if added != whole:
        complain(where, f"self costs add up to {added}, and not {whole}")
    kept = [column for column, event in enumerate(flat["events"]) if event["samples"]]
    pick = lambda table: {name: [costs[column] for column in kept] for name, costs in table.items()}
    own = collections.defaultdict(lambda: [0] * columns)
    for (object_, _, name), costs in profile.own.items():
        Callgrind.add(own, function_name(object_, name), costs)
    counts_inlined = inline == "--inline"
    if not counts_inlined:
        compare(where, "self hits", named({name: samples(costs) for name, costs in own.items()}),
                pick(sums(flat["rows"], "hits", len(flat["events"]))))
    deep = report(tool, recording, *names, "--children")
    member = "with_callers" if any("with_callers" in row for row in deep["rows"]) else None
    incoming = collections.defaultdict(lambda: [0] * columns)
    deep_of = collections.defaultdict(lambda: [0] * columns)
    for (object_, _, name), costs in profile.incoming.items():
        Callgrind.add(incoming, name, costs)
        Callgrind.add(deep_of, function_name(object_, name), costs)
    inclusive = {name: samples(costs) for name, costs in deep_of.items() if not name.startswith("[")}
    if member and not counts_inlined:
        compare(where, "inclusive hits", named(inclusive),
                pick(sums([row for row in deep["rows"] if row["symbol"] is not None], member, len(flat["events"]))))

    # Commands and code without names agree with folded stacks. A name may be that of several functions.
    functions = collections.Counter(name for _, _, name in profile.functions())
    commands = collections.Counter()
    folded = collections.Counter()
    for line in run([tool, "export", *names, "--format", "folded", "--plain", recording]).decode().splitlines():
        stack, _, count = line.rpartition(" ")
        parts = stack.split(";")
        if len(events) > 1 and columns > 2:
            parts = parts[1:]
        commands["command " + parts[0]] += int(count)
        for name in set(parts[1:]):
            folded[name] += int(count)
    for name, number in functions.items():
        if number != 1 or name.startswith("command ") or "\\x" in name:
            continue
        if sum(samples(incoming[name])) != folded[name]:
            complain(where, f"inclusive hits of {name}: {sum(samples(incoming[name]))}, and not {folded[name]}")
    compare(where, "hits", {name: sum(samples(costs)) for (_, _, name), costs in profile.outgoing.items()
                            if name.startswith("command ")}, dict(commands))

    # callgrind_annotate agrees with the file. It knows functions by file and name.
    by_file = lambda table: {f"{file}:{name}": costs for (file, name), costs in table.items()}
    printed, totals = annotated(path, scratch, columns)
    if totals != whole:
        complain(where, f"callgrind_annotate's totals {totals}, and not {whole}")
    compare(where, "callgrind_annotate's costs", named(printed), named(by_file(profile.own_at)))
    printed, totals = annotated(path, scratch, columns, "--inclusive=yes")
    if totals != whole:
        complain(where, f"callgrind_annotate's totals {totals}, and not {whole}")
    called = {}
    for (_, file, name), costs in profile.incoming.items():
        Callgrind.add(called, f"{file}:{name}", costs)
    compare(where, "callgrind_annotate's inclusive costs",
            named({name: costs for name, costs in printed.items() if name in called}), named(called))
    run(["callgrind_annotate", "--auto=no", "--tree=both", path], cwd=scratch)


def main():
    tool, fixtures, scratch = (os.path.abspath(path) for path in sys.argv[1:])
    os.makedirs(scratch, exist_ok=True)
    if shutil.which("callgrind_annotate") is None:
        complain("callgrind_annotate", "missing: it is in Debian's package valgrind")
    else:
        for name, files in RECORDINGS.items():
            names = ["--symfs", os.path.join(fixtures, files)] if files else []
            for inline in ("--inline", "--no-inline"):
                check(tool, os.path.join(fixtures, name + ".data"), names, inline, scratch)
    for problem in problems[:100]:
        print(problem)
    if problems:
        print(f"FAILED: {len(problems)} differences")
    return 1 if problems else 0


sys.exit(main())
