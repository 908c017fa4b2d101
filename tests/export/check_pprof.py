#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_pprof.py TOOL FIXTURES SCRATCH [NODE_MODULES]

Exports real recordings as pprof and reads them back with two readers: go tool pprof and npm's pprof-format, which is in
NODE_MODULES or in the folder that PERFDATA_NODE_MODULES names. Both must agree with perfdata report --json (sums of
each event and thread, BPF programs and their tags) and with the folded export (every stack, and what is inlined).
Exits with 1 if anything differs, or if a reader is missing.
"""
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys

# Recording, the tool's options, and what must be in it.
RECORDINGS = [
    ("bpf/bpf_many.data", [], {"bpf"}),
    ("bpf/bpf_twins.data", [], {"bpf"}),
    ("bpf/bpf_turns.data", [], {"bpf"}),
    ("bpf/bpf_reuse.data", [], {"bpf"}),
    ("bpf/bpf_nobtf.data", [], {"bpf"}),
    ("jit/tinyjit.data", [], {"jit", "wall"}),
    ("jit/tinyjit_injected.data", [], set()),
    ("stacks/x86_plain.data", ["--symfs", "stacks/x86"], {"inlined"}),
    ("stacks/x86_signals32.data", ["--symfs", "stacks/x86"], {"inlined"}),
    ("stacks/a64_plain.data", ["--symfs", "stacks/a64"], set()),
    ("records/multi.data", [], {"events"}),
    ("records/group_chains.data", [], set()),
    ("records/threads.dir", [], set()),
    ("records/tp.data", [], set()),
    ("records/s390_basic.data", [], set()),
    ("records/switch.data", [], set()),
]

DECODE = """
const fs = require("fs"), zlib = require("zlib");
const {Profile} = require(process.argv[1] + "/pprof-format");
const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
console.log(JSON.stringify(profile, (key, value) => typeof value === "bigint" ? value.toString() : value));
"""

failures = []


def fail(what):
    failures.append(what)
    print("FAIL", what)


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def decoded_by_node(modules, file):
    """Returns {"types", "samples": [(stack, values, labels)], "mappings", ...}, stacks innermost first."""
    profile = json.loads(run(["node", "-e", DECODE, str(modules), str(file)]))
    strings = profile["stringTable"]["strings"]
    functions = {one["id"]: one for one in profile["function"]}
    locations = {one["id"]: one for one in profile["location"]}
    mappings = {one["id"]: one for one in profile["mapping"]}

    def lines_of(location):
        names = []
        for line in location["line"]:
            function = functions[line["functionId"]]
            names.append((strings[function["name"]], strings[function["filename"]], line["line"]))
        return names

    for location in locations.values():
        mapping = mappings[location["mappingId"]]
        begin, address, end = (int(number) for number in (mapping["memoryStart"], location["address"], mapping["memoryLimit"]))
        if not begin <= address <= end:
            fail(f"{file}: address {address:x} is outside its mapping {begin:x}-{end:x}")
    samples = []
    for sample in profile["sample"]:
        labels = {}
        for label in sample["label"]:
            labels[strings[label["key"]]] = strings[label["str"]] if label["str"] else int(label["num"])
        stack = [lines_of(locations[number]) for number in sample["locationId"]]
        samples.append((stack, [int(value) for value in sample["value"]], labels))
    return {
        "types": [(strings[one["type"]], strings[one["unit"]]) for one in profile["sampleType"]],
        "samples": samples,
        "mappings": [(strings[one["filename"]], strings[one["buildId"]]) for one in profile["mapping"]],
        "default": strings[profile["defaultSampleType"]],
        "time": int(profile["timeNanos"]),
        "comments": [strings[number] for number in profile["comment"]],
        "described": all(one["hasFunctions"] and one["hasFilenames"] and one["hasLineNumbers"] and one["hasInlineFrames"]
                         for one in profile["mapping"]),
    }


def decoded_by_go(file):
    """Returns {"types", "samples": [(stack, values)], "mappings"} of `go tool pprof -raw`."""
    text = run(["go", "tool", "pprof", "-raw", "-symbolize=none", str(file)]).decode()
    head, rest = text.split("\nSamples:\n", 1)
    body, rest = rest.split("\nLocations\n", 1)
    places, tail = rest.split("\nMappings\n", 1)
    locations = {}
    last = None
    for line in places.splitlines():
        first = re.match(r" *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*)$", line)
        if first:
            last = locations.setdefault(int(first[1]), [])
        words = first[2] if first else line.strip()
        found = re.fullmatch(r"(.*?) ([^ ]*):(\d+) s=\d+\(.*\)", words)
        if not found:
            raise RuntimeError(f"{file}: go tool pprof says {line!r}")
        last.append((found[1], found[2], int(found[3])))
    types, *lines = body.splitlines()
    samples = []
    for line in lines:
        found = re.match(r"((?: *-?\d+)+): ((?:\d+ ?)+)$", line.rstrip() + " ")
        if found:
            samples.append(([locations[int(word)] for word in found[2].split()], [int(word) for word in found[1].split()]))
    mappings = [(found[1], found[2]) for found in re.finditer(r"^\d+: 0x\S+ (.*?) ([0-9a-f]*) \[FN\]\[FL\]\[LN\]\[IN\]$", tail, re.M)]
    return {"types": [tuple(word.replace("[dflt]", "").rsplit("/", 1)) for word in types.split()], "samples": samples,
            "mappings": mappings, "head": head}


def folded_name(text):
    return text.replace(";", ":").replace("\t", " ")


def folded_of(profile, events, inlined):
    """Returns the multiset of stacks as the folded export counts them; `inlined`: with its marks."""
    stacks = collections.Counter()
    for stack, values, labels in profile["samples"]:
        names = []
        for lines in reversed(stack):
            for depth, (name, _, _) in enumerate(reversed(lines)):
                names.append(folded_name(name) + ("_[i]" if inlined and depth != 0 else ""))
        for column, event in enumerate(events):
            if values[2 * column] == 0:
                continue
            begin = [folded_name(event)] if len(events) > 1 else []
            stacks[";".join(begin + [folded_name(labels["comm"])] + names)] += values[2 * column]
    return stacks


def exported_folded(tool, options, file, folder, plain):
    stacks = collections.Counter()
    command = [tool, "export", "--format", "folded", "-q"] + (["--plain"] if plain else []) + options + [file]
    for line in run(command, folder).decode().splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[re.sub(r"_\[[kbj]\](?=;|$)", "", stack) if not plain else stack] += int(count)
    return stacks


def compare(what, one, other):
    if one == other:
        return
    fail(f"{what} differ")
    if isinstance(one, collections.Counter):
        print("  only here:", list((one - other).items())[:5])
        print("  only there:", list((other - one).items())[:5])
    else:
        print("  here:", one)
        print("  there:", other)


def check(tool, folder, scratch, modules, name, options, musts):
    files = [scratch / (name.replace("/", "_") + end) for end in (".pb.gz", ".again.pb.gz")]
    for file in files:
        run([tool, "export", "--format", "pprof", "-q"] + options + ["-o", file, name], folder)
    content = files[0].read_bytes()
    if content != files[1].read_bytes():
        fail(f"{name}: a second export has other bytes")
    if content[:4] != b"\x1f\x8b\x08\0" or content[4:8] != b"\0\0\0\0":
        fail(f"{name}: the gzip header has a time stamp or a name")
    gzip.decompress(content)

    node, go = decoded_by_node(modules, files[0]), decoded_by_go(files[0])
    compare(f"{name}: sample types of go and node", go["types"], node["types"])
    # pprof sorts all but the first by use.
    for part in (slice(0, 1), slice(1, None)):
        compare(f"{name}: mappings of go and node", sorted(go["mappings"][part]), sorted(node["mappings"][part]))
    flat = lambda samples: collections.Counter((repr(sample[0]), repr(sample[1])) for sample in samples)
    compare(f"{name}: samples of go and node", flat(go["samples"]), flat(node["samples"]))
    if not node["described"]:
        fail(f"{name}: a mapping lets pprof name it")

    report = json.loads(run([tool, "report", "--json", "-q", "--sort", "comm,pid,tid", "--percent-limit", "0"] + options + [name], folder))
    events = [(number, one) for number, one in enumerate(report["events"]) if one["samples"] != 0]
    names = [one["name"] for _, one in events]
    types = []
    for event in names:
        clock = re.match(r"(cpu|task)-clock\b", event)
        types += [(event + "_sample", "count"), (event + "_event", "nanoseconds" if clock else "count")]
    compare(f"{name}: names of sample types", node["types"], types)
    sums = [sum(sample[1][number] for sample in node["samples"]) for number in range(len(types))]
    compare(f"{name}: sums of values", sums, [value for _, one in events for value in (one["samples"], one["periods"])])
    threads, of_report = collections.Counter(), collections.Counter()
    for _, values, labels in node["samples"]:
        threads[(labels["comm"], labels["pid"], labels["tid"])] += sum(values[0::2])
    for row in report["rows"]:
        of_report[(row["comm"], row["pid"], row["tid"])] += sum(row["hits"])
    compare(f"{name}: hits of threads", threads, of_report)

    compare(f"{name}: stacks and the folded ones", folded_of(node, names, False), exported_folded(tool, options, name, folder, True))
    compare(f"{name}: what is inlined", folded_of(node, names, True), exported_folded(tool, options, name, folder, False))

    top = run(["go", "tool", "pprof", "-top", str(files[0])]).decode()
    if names and f"\nType: {node['default']}\n" not in "\n" + top:
        fail(f"{name}: go tool pprof -top does not show {node['default']}:\n{top[:500]}")

    programs = set()
    report = json.loads(run([tool, "report", "--json", "-q", "--sort", "symbol", "--percent-limit", "0"] + options + [name], folder))
    for row in report["rows"]:
        for program in row.get("programs", []):
            programs.add((f"[bpf:{program['id']}:{program['name']}]", program["tag"]))
    compare(f"{name}: BPF programs", {one for one in node["mappings"] if one[0].startswith("[bpf:")}, programs)

    codes = {labels["code"] for _, _, labels in node["samples"]}
    found = {
        "bpf": bool(programs) and "bpf" in codes,
        "jit": "jit" in codes,
        "inlined": any(len(lines) > 1 and lines[0][2] != 0 for stack, _, _ in node["samples"] for lines in stack),
        "events": len(names) > 1,
        "wall": node["time"] > 10**18,
    }
    for must in sorted(musts):
        if not found[must]:
            fail(f"{name}: has no {must}")
    print(f"{name}: {len(node['samples'])} samples, {len(node['mappings'])} mappings, {', '.join(names)}")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    tool, folder, scratch = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    modules = sys.argv[4] if len(sys.argv) > 4 else os.environ.get("PERFDATA_NODE_MODULES", "")
    if not modules or not pathlib.Path(modules, "pprof-format").is_dir():
        sys.exit(f"check_pprof.py: no pprof-format in {modules or 'PERFDATA_NODE_MODULES'}: npm install it there")
    scratch.mkdir(parents=True, exist_ok=True)
    scratch = scratch.resolve()
    for name, options, musts in RECORDINGS:
        try:
            check(tool, folder, scratch, os.path.abspath(modules), name, options, musts)
        except (RuntimeError, OSError, KeyError, ValueError, subprocess.TimeoutExpired) as problem:
            fail(f"{name}: {type(problem).__name__}: {problem}")
    print(f"{len(RECORDINGS)} recordings, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
