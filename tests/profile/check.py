#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py WHAT TOOL FIXTURES COMPILER: profile files end to end. Exit status 77: what it takes is not here.

  same        a profile of every fixture says what the recording says, byte by byte
  elsewhere   the same for a recording made here, once the program, its debug information and its source are gone
  missing     every command says which samples lack names, once the program is gone or was built again
  ties        functions and calls with equal counts in several objects come in one order, in sums of profiles too
  merge       order and nesting make no difference, sums are sums, many files are a few at a time
  duplicates  the same recording twice is refused, and added up with --allow-duplicates
  keep        --keep, of profile and of merge; what a profile lacks is named with status 2
  versions    a profile of a newer version is refused by name; input that is no profile
  partial     a profile with a part of the samples says so
  machines    one program on two machines, at other paths and addresses, is one in the sum
  bpf         BPF programs with other ids and addresses, by tag
  jit         JIT code of other processes, by name and code
  diff        perfdata diff takes profiles, and finds no change between a recording and its profile
  pprof       go tool pprof reads a profile; its sums are those of report
  outputs     equal bytes whatever the threads; JSON; full disks, inputs that would be overwritten
  sources     source files that are newer than the program, or not here: each lack of their text is told, and no loss
  secrets     text of sources that only the user who makes it may read stays out, and is counted
  modes       a new profile has no more permissions than what it was made of
  hostile     cut and changed profiles: refused or shown, never a crash
"""
import collections
import gzip
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import (COMPILER, ENVIRONMENT, FIXTURES, SCRATCH, TOOL, WORK, build, complain, content, fixture, folder, main,
                    mode_of, needs_perf, record, run, skip, written)
from secret_sources import attack

DIMENSIONS = ["comm", "pid", "tid", "cpu", "cgroup", "object", "symbol", "line", "chains", "code"]
MAGIC = b"perfdata profile\x10"  # in front of the version


def profile(recording, name, *options):
    """Makes a profile of a recording, without files of this machine. Returns its path."""
    made = os.path.join(SCRATCH, name + ".profile.pb.gz")
    run(TOOL, "profile", "--offline", *options, "-o", made, recording)
    return made


def merge(name, *profiles, options=()):
    made = os.path.join(SCRATCH, name + ".profile.pb.gz")
    run(TOOL, "merge", *options, "-o", made, *profiles)
    return made


def report(path, *options):
    return json.loads(run(TOOL, "report", "--json", *options, path).stdout)


def totals(path):
    return {event["name"]: (event["samples"], event["periods"]) for event in report(path)["events"] if event["samples"]}


def test_missing():
    needs_perf()
    program = build("gone", where="programs.gone")
    recording = record(folder("gone"), program, "3000", options=("-g", "-e", "cpu-clock:u"))
    full = profile_here(recording, "full")
    shutil.move(program, program + ".away")
    away = {}
    away["not found"] = lacking(recording, "gone", "its file was not found")
    # Another program in its place.
    build("gone", "-DANOTHER_PROGRAM", "-O1", where="programs.gone")
    away["built anew"] = lacking(recording, "anew", "the file found has another build id")
    for how, made in away.items():
        # A profile has no names later, either.
        shutil.copy(program + ".away", program)
        page = report(made)
        if not any("gone" in entry["objects"] for entry in page["no_symbol"]):
            complain(f"{how}: the report of the profile does not say what lacks names: {page['no_symbol']}")
        if "make it again" not in run(TOOL, "report", made).stderr:
            complain(f"{how}: the report does not say that no file helps any more")
        summary = json.loads(run(TOOL, "merge", "--json", "-o", "merged.profile.pb.gz", made).stdout)
        if not any("gone" in entry["objects"] for entry in summary["no_symbol"]):
            complain(f"{how}: the sum does not say what lacks names: {summary['no_symbol']}")
    # Names that are missing on one side are no change.
    diff = json.loads(run(TOOL, "diff", "--json", away["not found"], full).stdout)
    ours = [row for row in diff["rows"] if row["object"] == "gone"]
    if not ours or any(row["noise"] != "no_names" for row in ours):
        complain(f"diff compares what has no names: {ours}")
    if not any(note.startswith("gone is not compared") for note in diff["notes"]):
        complain(f"diff does not say what it does not compare: {diff['notes']}")
    if not any("its file was not found" in note for side in ("old", "new") for one in diff[side] for note in one["notes"]):
        complain(f"diff does not say why names are missing: {diff['old']}")
    done = run(TOOL, "diff", "--fail-if", "delta > 1% noise = no object = gone", away["not found"], full)
    if "cannot be told from noise" not in done.stderr:
        complain(f"diff does not warn of conditions that cannot hold: {done.stderr}")


def profile_here(recording, name):
    """As profile(), with the files of this machine."""
    made = os.path.join(SCRATCH, name + ".profile.pb.gz")
    run(TOOL, "profile", "-o", made, recording)
    return made


def lacking(recording, name, why):
    """Checks what each command says of a recording whose program `gone` is of no use. Returns its profile."""
    made = os.path.join(SCRATCH, name + ".lacking.profile.pb.gz")
    commands = {
        "export folded": ("export", "--format", "folded"),
        "export pprof": ("export", "--format", "pprof", "-o", name + ".pb.gz"),
        "script": ("script",),
        "profile": ("profile", "--json", "-o", made),
    }
    for what, words in commands.items():
        done = run(TOOL, *words, recording)
        if why not in done.stderr or "(gone" not in done.stderr or "note: " not in done.stderr:
            complain(f"{what} does not say that {why}: {done.stderr}")
        if why in run(TOOL, *words, "--quiet", recording).stderr:
            complain(f"{what} --quiet says it, too")
        if what == "profile":
            found = json.loads(done.stdout)["no_symbol"]
            if not found or found[0]["objects"][0] != "gone" or why not in found[0]["reason"] or found[0]["samples"] == 0:
                complain(f"the summary says {found}")
    named = run(TOOL, "profile", "--keep", "comm,object", "-o", name + ".pb.gz", recording)
    if why in named.stderr:
        complain("profile names what is missing, and keeps no names")
    done = run(TOOL, "annotate", "-s", "spin_in_the_middle", recording, check=False)
    if why not in done.stderr:
        complain(f"annotate does not say that {why}: {done.stderr}")
    return made


def counts(path, *keys, options=()):
    """Returns hits and periods of each event by what the rows are sorted by."""
    page = report(path, "--no-children", "-g", "none", "--sort", ",".join(keys), *options)
    found = collections.Counter()
    names = [event["name"] for event in page["events"]]
    for row in page["rows"]:
        key = tuple(json.dumps(row.get({"dso": "object", "program": "programs"}.get(one, one)), sort_keys=True) for one in keys)
        for at, event in enumerate(names):
            if row["hits"][at] or row["periods"][at]:
                found[(*key, event, "hits")] += row["hits"][at]
                found[(*key, event, "periods")] += row["periods"][at]
    return found


def differing(name, found, expected):
    different = [f"{key}: {found.get(key)}, not {expected.get(key)}" for key in sorted(found.keys() | expected.keys())
                 if found.get(key) != expected.get(key)]
    if different:
        complain(f"{name}: {len(different)} differ: " + "; ".join(different[:5]))


def another(name, word=b"other"):
    """Returns a recording that differs from a fixture in the name of the machine alone."""
    data = content(fixture(name))
    changed = data.replace(b"guest\0\0\0", word + b"\0\0\0").replace(b"\0vm\0\0\0", b"\0" + word[:2] + b"\0\0\0")
    if changed == data:
        raise SystemExit(f"{name}: no name of a machine to change")
    return written(os.path.join(SCRATCH, os.path.basename(name) + "." + word.decode() + ".data"), changed)


# What a recording and its profile must say alike. Each command takes perf.data of its directory.
COMMANDS = [
    ("report",),
    ("report", "--json"),
    ("report", "--no-children", "-g", "none", "-n", "--show-total-period"),
    ("report", "--sort", "comm,pid,tid,dso,symbol", "-g", "none"),
    ("report", "--sort", "cpu,symbol", "-g", "none"),
    ("report", "--sort", "cgroup,symbol", "-g", "none"),
    ("report", "--sort", "kind,program,symbol", "-g", "none", "--no-children"),
    ("report", "--sort", "symbol,srcline", "-g", "caller"),
    ("report", "--sort", "symbol", "-g", "callee,0.5,srcline", "--no-children"),
    ("report", "--sort", "parent,symbol", "-p", "main", "-g", "none"),
    ("report", "-g", "folded,0,caller,count", "--no-children"),
    ("report", "--max-stack", "2"),
    ("report", "--no-inline"),
    ("report", "--group"),
    ("report", "--kind", "kernel,bpf", "--percentage", "relative"),
    ("report", "--percent-limit", "5", "--pid", "0"),
    ("annotate",),
    ("annotate", "--json"),
    ("annotate", "--json", "--calls"),
    ("annotate", "--versions"),
    ("annotate", "--kind", "bpf", "--asm-raw", "-M", "intel"),
    ("annotate", "--format", "html", "-o", "-"),
    ("annotate", "--format", "lines"),
    ("export", "--format", "folded"),
    ("export", "--format", "folded", "--periods", "--no-inline"),
    ("export", "--format", "callgrind"),
    ("export", "--format", "pprof"),
]


def said(command, cwd):
    done = run(TOOL, *command, "perf.data", cwd=cwd, check=False, text=False)
    return done.returncode, done.stdout, done.stderr


# What depends on the samples that are counted, or on this machine: a profile has how stacks ended for all of its samples,
# counts a sample of a group once for each event, and does not look for source files.
WHOLE = re.compile(rb'^(# .* user stacks .*|# .* call chains have more than .*| *"here": .*)\n', re.M)


def different(name, one, other):
    if one[:2] == other[:2]:
        return
    if any(part in name for part in ("--max-stack", "--pid", "--format lines")) and one[0] == other[0] and \
            WHOLE.sub(b"", one[1]) == WHOLE.sub(b"", other[1]):
        return
    written(os.path.join(SCRATCH, "one"), one[1])
    written(os.path.join(SCRATCH, "other"), other[1])
    if one[1].startswith(b"\x1f\x8b"):
        difference = f"{len(one[1])} and {len(other[1])} bytes that are packed\n"
    else:
        difference = run("diff", "-a", "one", "other", check=False, text=False).stdout[:2000].decode(errors="replace")
    complain(f"{name}: status {one[0]} and {other[0]}\n{difference}{other[2][:500].decode(errors='replace')}")


def compare(name, recording, names=(), commands=COMMANDS, gone=lambda: None):
    """Compares what a recording and its profile say. `gone` removes what the profile must not need."""
    here, there = os.path.dirname(recording), folder(name + ".profile")
    made = run(TOOL, "profile", *names, "-o", os.path.join(there, "made.profile.pb.gz"), "perf.data", cwd=here, check=False)
    if made.returncode != 0:
        # Recordings without samples have no profile, as they have no report.
        if run(TOOL, "report", "perf.data", cwd=here, check=False).returncode == 0:
            complain(f"{name}: profile: {made.returncode} {made.stderr}")
        return None
    os.rename(os.path.join(there, "made.profile.pb.gz"), os.path.join(there, "perf.data"))
    of_recording = [said((*command, *names), here) for command in commands]
    gone()
    for command, one in zip(commands, of_recording):
        # Options for names have no effect on a profile, which is noted.
        different(f"{name}: {' '.join(command)}", one, said(command, there))
    return os.path.join(there, "perf.data")


def fixtures():
    """Yields each fixture: name, files to put beside it, and options for names."""
    machines = ("arm", "a64", "ppc", "riscv", "s390", "x86")
    for path, directories, names in sorted(os.walk(FIXTURES)):
        for name in sorted(names):
            if not name.endswith(".data"):
                continue
            beside = [os.path.join(path, one) for one in names if one.endswith((".dump", ".map"))]
            options = []
            machine = name.split("_")[0]
            if os.path.basename(path) == "stacks" and machine in machines:
                options = ["--symfs", os.path.join(path, machine)]
            yield os.path.join(path, name), beside, options
        for name in sorted(directories):
            if name.endswith(".dir"):
                yield os.path.join(path, name), [], []


def test_same():
    made = 0
    for path, beside, options in fixtures():
        name = os.path.basename(path)
        here = folder("fixture." + name)
        recording = os.path.join(here, "perf.data")
        if os.path.isdir(path):
            shutil.copytree(path, recording)
        else:
            shutil.copy(path, recording)
        for file in beside:
            shutil.copy(file, here)
        made += compare("fixture." + name, recording, names=[*options, "--offline"] if not options else options) is not None
        shutil.rmtree(here)
        shutil.rmtree(folder("fixture." + name + ".profile"))
    # With names of the kernel.
    here = folder("kallsyms")
    shutil.copy(fixture("bpf/bpf_many"), os.path.join(here, "perf.data"))
    compare("kallsyms", os.path.join(here, "perf.data"), names=["--kallsyms", os.path.join(FIXTURES, "bpf/guest.kallsyms")])
    if made < 45:
        complain(f"only {made} fixtures have a profile")


def test_elsewhere():
    needs_perf()
    for name, flags, options in (("plain", ["-fno-omit-frame-pointer"], ("-g", "-e", "cpu-clock:u")),
                                 ("dwarf", ["-fomit-frame-pointer"], ("--call-graph", "dwarf,4096", "-e", "cpu-clock:u"))):
        sources = folder("sources." + name)
        source = os.path.join(sources, "work.cpp")
        shutil.copy(WORK, source)
        program = os.path.join(sources, "work")
        run(COMPILER, "-O2", "-g", *flags, "-Wl,--build-id", source, "-o", program)
        recording = record(folder(name), program, "3000", options=options)
        made = compare(name, recording, gone=lambda path=sources: shutil.rmtree(path))
        if made is None:
            continue
        text = said(("annotate",), os.path.dirname(made))[1].decode()
        if "turn" not in text or "value ^= value << 13" not in text:
            complain(f"{name}: no names or source text of a program that is gone:\n{text[:1000]}")
    # Debug information apart.
    apart = build("apart", "-gz")
    run("objcopy", "--only-keep-debug", apart, apart + ".debug")
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={apart}.debug", apart)
    recording = record(folder("apart"), apart, "3000")
    compare("apart", recording, gone=lambda: shutil.rmtree(os.path.dirname(apart)))
    # Callers without a name have lines all the same: that of the byte before the return address.
    nameless = build("nameless", where="programs.nameless")
    # What has no size in front of it would give it its name.
    run("objcopy", "--wildcard", *(f"--strip-symbol={name}" for name in ("main", "_start", "frame_dummy", "*_tm_clones", "*_aux")),
        nameless)
    made = compare("nameless", record(folder("nameless"), nameless, "3000"), gone=lambda: shutil.rmtree(os.path.dirname(nameless)))
    page = json.loads(run(TOOL, "annotate", "--format", "lines", made).stdout)
    calls = [line for file in page["files"] for line in file["lines"]
             if any(one["name"] == "(unknown)" and sum(one["with_callees"]) > sum(one["hits"]) for one in line["functions"])]
    if not calls:
        complain(f"nameless: no line calls from code without a name: {page['files']}")
    # Of a bundle the name is no part: it may be anonymized, and profiles are told apart by their bytes.
    program = build("bundled", where="programs.bundled")
    bundle = os.path.join(SCRATCH, "first_name.tar.zst")
    if run(TOOL, "collect", "-o", bundle, record(folder("bundled"), program, "3000"), check=False).returncode != 0:
        return
    other = shutil.copy(bundle, os.path.join(SCRATCH, "other_name.tar.zst"))
    one, two = (os.path.join(SCRATCH, name) for name in ("one.profile.pb.gz", "two.profile.pb.gz"))
    for made, of in ((one, bundle), (two, other)):
        run(TOOL, "profile", "-o", made, of)
    if content(one) != content(two) or b"_name.tar" in gzip.decompress(content(one)):
        complain("a profile of a bundle has the bundle's name")
    if program not in json.dumps(json.loads(run(TOOL, "annotate", "--json", one).stdout)):
        complain("a profile of a bundle does not name the program")


def out_of_order(path):
    """Returns neighbours of annotate with equal counts that are not in the order of their names and objects; and the number of
    neighbours with equal counts in different objects."""
    functions = json.loads(run(TOOL, "annotate", "--json", path).stdout)["functions"]
    keys = [(-sum(one["hits"]), one["name"].encode(), one["object"].encode()) for one in functions]
    pairs = list(zip(keys, keys[1:]))
    return [pair for pair in pairs if pair[0] > pair[1]], sum(one[0] == two[0] and one[2] != two[2] for one, two in pairs)


def test_ties():
    needs_perf()
    program = build("ties")
    # The first access to each page: nearly all functions of the loader and the libraries have one sample or two.
    profiles = []
    for name, options in (("event", ("-e", "page-faults:u")), ("events", ("-e", "page-faults:u,minor-faults:u"))):
        recording = os.path.join(folder(name), "perf.data")
        run("perf", "record", "-q", "-N", "--buildid-all", "-g", "-c", "1", *options, "-o", recording, "--", program, "10")
        events = [("annotate", "--json", "--calls", "-e", event) for event in options[1].split(",")]
        jobs = [("annotate", "--json", "--calls", "-j", number) for number in ("2", "7")]
        profiles.append(compare(name, recording, commands=[*COMMANDS, ("annotate", "--calls"), ("report", "--sort", "comm,symbol"),
                                                           *events, *jobs]))
        wrong, ties = out_of_order(recording)
        if wrong or ties < 3:
            complain(f"{name}: {ties} ties, {len(wrong)} out of order: {wrong[:3]}")
    wrong, ties = out_of_order(merge("sum", *profiles))
    if wrong or ties < 3:
        complain(f"sum: {ties} ties, {len(wrong)} out of order: {wrong[:3]}")


# Recordings of one architecture whose events of one name are the same.
MERGED = ["bpf/bpf_many", "bpf/bpf_twins", "records/multi", "bpf/bpf_turns", "records/group_chains"]


def test_merge():
    profiles = [profile(fixture(name), os.path.basename(name)) for name in MERGED]
    a, b, c = profiles[:3]
    first = content(merge("abc", a, b, c))
    for order in itertools.permutations((a, b, c)):
        if content(merge("order", *order)) != first:
            complain(f"order: {[os.path.basename(one) for one in order]}: other bytes")
    for pair, rest in (((a, b), c), ((a, c), b), ((b, c), a)):
        if content(merge("nested", merge("pair", *pair), rest)) != first:
            complain(f"nesting: {[os.path.basename(one) for one in pair]} first: other bytes")
    if content(merge("alone", a)) != content(a):
        complain("one profile alone is another file")
    whole = merge("whole", *profiles)
    if content(merge("halves", merge("one", *profiles[:2]), merge("other", *reversed(profiles[2:])))) != content(whole):
        complain("halves: other bytes")
    sums = collections.Counter()
    for one in profiles:
        for event, (hits, periods) in totals(one).items():
            sums[event, "hits"] += hits
            sums[event, "periods"] += periods
    found = {(event, what): number for event, numbers in totals(whole).items() for what, number in zip(("hits", "periods"), numbers)}
    differing("sums", found, dict(sums))
    for keys in (("comm", "symbol"), ("kind",), ("comm",)):
        sums = collections.Counter()
        for one in profiles:
            sums.update(counts(one, *keys))
        differing(f"sums by {','.join(keys)}", counts(whole, *keys), sums)
    # Chains: each stack, as the folded export has it.
    sums = collections.Counter()
    for one in (*profiles[:2], profiles[3]):
        for line in run(TOOL, "export", "--format", "folded", one).stdout.splitlines():
            stack, _, count = line.rpartition(" ")
            sums[stack] += int(count)
    found = collections.Counter()
    for line in run(TOOL, "export", "--format", "folded", merge("stacks", *profiles[:2], profiles[3])).stdout.splitlines():
        stack, _, count = line.rpartition(" ")
        found[stack] += int(count)
    differing("sums of stacks", found, sums)
    # Many: a few are in memory at once.
    few = merge("few", *[a] * 7, options=["--allow-duplicates"])
    many = merge("many", *[a] * 70, options=["--allow-duplicates"])
    if content(many) != content(merge("tens", *[few] * 10, options=["--allow-duplicates"])):
        complain("70 profiles at once, and ten times seven: other bytes")
    differing("70 times", {event: hits for event, (hits, _) in totals(many).items()},
              {event: 70 * hits for event, (hits, _) in totals(a).items()})
    # Other architectures and events do not go together: both are named.
    foreign = profile(fixture("records/a64_bpf_live"), "foreign")
    done = run(TOOL, "merge", "-o", "refused.profile.pb.gz", a, foreign, check=False)
    if done.returncode != 1 or a not in done.stderr or foreign not in done.stderr:
        complain(f"two architectures: {done.returncode} {done.stderr}")
    if os.path.exists(os.path.join(SCRATCH, "refused.profile.pb.gz")):
        complain("two architectures: there is a file")


def test_duplicates():
    a, b = (profile(fixture(name), os.path.basename(name)) for name in MERGED[:2])
    both = merge("both", a, b)
    copy = shutil.copy(a, os.path.join(SCRATCH, "copy.profile.pb.gz"))
    for names in ((a, a), (a, copy), (both, a), (a, both), (b, both)):
        done = run(TOOL, "merge", "-o", "twice.profile.pb.gz", *names, check=False)
        if done.returncode != 1 or any(name not in done.stderr for name in names) or "--allow-duplicates" not in done.stderr:
            complain(f"{[os.path.basename(name) for name in names]}: {done.returncode} {done.stderr}")
        if os.path.exists(os.path.join(SCRATCH, "twice.profile.pb.gz")):
            complain("a refused merge has written a file")
    # The same recording with other options is the same recording.
    smaller = profile(fixture(MERGED[0]), "smaller", "--keep", "comm,symbol")
    if run(TOOL, "merge", "-o", "twice.profile.pb.gz", a, smaller, check=False).returncode != 1:
        complain("a smaller profile of the same recording is taken for another one")
    twice = merge("twice", both, a, options=["--allow-duplicates"])
    page = json.loads(run(TOOL, "merge", "--allow-duplicates", "--json", "-o", "again.profile.pb.gz", both, a).stdout)
    if page["recordings"] != 3 or sorted(one["times"] for one in page["sources"]) != [1, 2]:
        complain(f"recordings: {page['recordings']} {page['sources']}")
    sums = counts(both, "comm", "symbol")
    sums.update(counts(a, "comm", "symbol"))
    differing("--allow-duplicates", counts(twice, "comm", "symbol"), sums)


# What a profile without this dimension refuses.
NEEDS = {
    "comm": [("report", "--sort", "comm"), ("report", "--sort", "symbol", "--comm", "x")],
    "pid": [("report", "--sort", "pid"), ("report", "--sort", "symbol", "--pid", "1")],
    "tid": [("report", "--sort", "tid"), ("report", "--sort", "symbol", "--tid", "1")],
    "cpu": [("report", "--sort", "cpu"), ("report", "--sort", "symbol", "--cpu", "0")],
    "cgroup": [("report", "--sort", "cgroup"), ("report", "--sort", "symbol", "--cgroup", "/")],
    "object": [("report", "--sort", "dso"), ("report", "--sort", "symbol", "--dso", "x")],
    "symbol": [("report", "--sort", "symbol"), ("report", "--sort", "comm", "-S", "x")],
    "line": [("report", "--sort", "srcline"), ("annotate", "--format", "lines")],
    "chains": [("report", "--sort", "symbol", "-g", "caller"), ("report", "--sort", "symbol", "--children")],
    "code": [("annotate",)],
}


# What messages call the dimensions.
THINGS = {"comm": "names of threads", "pid": "processes", "tid": "threads", "cpu": "CPUs", "cgroup": "cgroups", "object": "objects",
          "symbol": "functions", "line": "lines of source", "chains": "call chains", "code": "code"}


def pids(path):
    return {row["pid"] for row in report(path, "--sort", "pid", "-g", "none", "--no-children")["rows"]}


def test_keep():
    # This recording has all of them.
    recording = fixture("records/cgns")
    whole = profile(recording, "whole")
    everything = json.loads(run(TOOL, "merge", "--json", "-o", "everything.profile.pb.gz", whole).stdout)
    if everything["keeps"] != DIMENSIONS:
        complain(f"keeps: {everything['keeps']}")
    for dimension in DIMENSIONS:
        kept = [one for one in DIMENSIONS if one != dimension]
        if dimension == "symbol":
            kept = [one for one in kept if one not in ("line", "code")]
        without = profile(recording, "without." + dimension, "--keep", ",".join(kept))
        if content(merge("smaller", whole, options=["--keep", ",".join(kept)])) != content(without):
            complain(f"without {dimension}: profile --keep and merge --keep write other bytes")
        page = json.loads(run(TOOL, "merge", "--json", "-o", "again.profile.pb.gz", without).stdout)
        if page["keeps"] != kept:
            complain(f"without {dimension}: keeps {page['keeps']}")
        hits = {event["name"]: event["samples"] for event in page["events"]}
        differing(f"without {dimension}", hits, {event["name"]: event["samples"] for event in everything["events"]})
        for command in NEEDS[dimension]:
            done = run(TOOL, *command, without, check=False)
            if done.returncode != 2 or THINGS[dimension] not in done.stderr or "--keep" not in done.stderr or done.stdout:
                complain(f"without {dimension}: {' '.join(command)}: {done.returncode} {done.stderr}{done.stdout[:200]}")
    small = profile(recording, "small", "--keep", "comm,symbol")
    if os.path.getsize(small) >= os.path.getsize(whole):
        complain(f"--keep comm,symbol: {os.path.getsize(small)} bytes, all: {os.path.getsize(whole)}")
    differing("--keep comm,symbol", counts(small, "comm", "symbol"), counts(whole, "comm", "symbol"))
    # perf's words.
    if content(profile(recording, "words", "--keep", "dso,symbol,srcline")) != \
            content(profile(recording, "words2", "--keep", "object,symbol,line")):
        complain("--keep dso,srcline is not --keep object,line")
    # Without commands and numbers all tasks are one.
    for words, roots in (("object", {"[all tasks]"}), ("pid,object", {":" + str(pid) for pid in pids(whole)})):
        stacks = run(TOOL, "export", "--format", "folded", profile(recording, "tasks", "--keep", words)).stdout
        if {line.split(";")[0] for line in stacks.splitlines()} != roots:
            complain(f"--keep {words}: stacks below {sorted({line.split(';')[0] for line in stacks.splitlines()})}, not {roots}")
    # What one lacks all lack, and that is told.
    done = run(TOOL, "merge", "--json", "-o", "mixed.profile.pb.gz", small, profile(fixture("bpf/bpf_twins"), "twins"))
    if json.loads(done.stdout)["keeps"] != ["comm", "symbol"] or "chains" not in done.stderr:
        complain(f"merged with one that lacks something: {done.stdout} {done.stderr}")
    # But for symbols: without them code is known by its place alone.
    nameless = profile(recording, "nameless", "--keep", "comm,object")
    twins = os.path.join(SCRATCH, "twins.profile.pb.gz")
    done = run(TOOL, "merge", "-o", "refused.profile.pb.gz", nameless, twins, check=False)
    if done.returncode != 1 or nameless not in done.stderr or twins not in done.stderr:
        complain(f"merged with one without symbols: {done.returncode} {done.stderr}")
    done = run(TOOL, "merge", "--keep", "comm,object", "--json", "-o", "nameless2.profile.pb.gz", nameless, twins)
    if json.loads(done.stdout)["keeps"] != ["comm", "object"]:
        complain(f"merged without symbols: {done.stdout}")
    for words, status in (("line", 2), ("code,object", 2), ("nothing", 2), ("comm,,pid", 2), ("comm,pid", 0)):
        done = run(TOOL, "profile", "--offline", "--keep", words, "-o", "words.profile.pb.gz", recording, check=False)
        if done.returncode != status:
            complain(f"--keep {words}: {done.returncode} {done.stderr}")
    # What no profile has.
    for command in (("script",), ("dump",), ("extract", "-s", "x", "-o", "x.elf"), ("stat",), ("symbols", "--at", "1"), ("bpf",),
                    ("collect", "-o", "x.tar.zst"), ("profile", "-o", "x.profile.pb.gz"), ("report", "--time", "1,2"),
                    ("report", "--filter", "id == 1"), ("report", "--sort", "trace:id"), ("report", "--histogram", "id"),
                    ("annotate", "--time", "1,2"), ("export", "--format", "speedscope"), ("export", "--format", "firefox"),
                    ("export", "--format", "csv", "--table", "samples"), ("export", "--format", "autofdo"),
                    ("export", "--format", "bolt")):
        done = run(TOOL, *command, whole, check=False)
        if done.returncode != 2 or "profile" not in done.stderr or done.stdout:
            complain(f"{' '.join(command)} of a profile: {done.returncode} {done.stderr}")


def test_versions():
    made = profile(fixture("records/brk"), "made")
    plain = gzip.decompress(content(made))
    if MAGIC + b"\x01" not in plain[:32]:
        raise SystemExit(f"no version in {plain[:32]}")
    newer = written(os.path.join(SCRATCH, "newer.profile.pb"), plain.replace(MAGIC + b"\x01", MAGIC + b"\x02", 1))
    for command in (("report",), ("annotate",), ("export",), ("info",), ("merge", "-o", "x.profile.pb.gz")):
        done = run(TOOL, *command, newer, check=False)
        if done.returncode != 1 or newer not in done.stderr or "newer perfdata" not in done.stderr or "version 2" not in done.stderr:
            complain(f"{command[0]} of a newer version: {done.returncode} {done.stderr}")
    # Packed otherwise, or not at all, it is the same profile.
    text = run(TOOL, "report", made).stdout
    for name, data in (("plain", plain), ("gzip", gzip.compress(plain, 1))):
        if run(TOOL, "report", written(os.path.join(SCRATCH, name), data)).stdout != text:
            complain(f"{name}: another report")
        if content(merge("packed", os.path.join(SCRATCH, name))) != content(made):
            complain(f"{name}: merge writes other bytes")
    with open(made, "rb") as file:
        piped = subprocess.run([TOOL, "report", "-"], stdin=file, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if piped.returncode != 0 or piped.stdout != text:
        complain(f"from a pipe: {piped.returncode} {piped.stderr}")
    # What is no profile.
    exported = os.path.join(SCRATCH, "pprof.pb.gz")
    run(TOOL, "export", "--offline", "--format", "pprof", "-o", exported, fixture("records/brk"))
    for path in (fixture("records/brk"), exported, os.devnull, WORK):
        done = run(TOOL, "merge", "-o", "x.profile.pb.gz", made, path, check=False)
        if done.returncode != 1 or path not in done.stderr or "profile" not in done.stderr:
            complain(f"merge of {path}: {done.returncode} {done.stderr}")
    done = run(TOOL, "report", exported, check=False)
    if done.returncode != 1 or exported not in done.stderr:
        complain(f"report of an exported file: {done.returncode} {done.stderr}")


def test_partial():
    recording = fixture("bpf/bpf_events")
    filtered = os.path.join(SCRATCH, "filtered.profile.pb.gz")
    page = json.loads(run(TOOL, "profile", "--offline", "--json", "--comm", "load", "-o", filtered, recording).stdout)
    if [one["kind"] for one in page["partial"]] != ["filter"] or "--comm" not in page["partial"][0]["detail"]:
        complain(f"--comm: {page['partial']}")
    differing("--comm", counts(filtered, "comm", "symbol"), counts(recording, "comm", "symbol", options=["--comm", "load", "--offline"]))
    told = run(TOOL, "report", filtered).stderr
    if "--comm" not in told:
        complain(f"report of a part of the samples does not say so: {told}")
    whole = profile(recording, "whole")
    if json.loads(run(TOOL, "merge", "--json", "-o", "again.profile.pb.gz", whole).stdout)["partial"]:
        complain("a whole profile is partial")
    merged = run(TOOL, "merge", "--json", "-o", "merged.profile.pb.gz", filtered, profile(fixture("bpf/bpf_many"), "many"))
    if "--comm" not in json.dumps(json.loads(merged.stdout)["partial"]) or "partial" not in merged.stderr:
        complain(f"a sum with a partial profile is not partial: {merged.stdout} {merged.stderr}")
    told = run(TOOL, "info", filtered).stdout
    if "the profile is partial: it has only samples that --comm" not in merged.stderr:
        complain(f"merge says it otherwise: {merged.stderr}")
    if not re.search("^lacks +it has only samples that --comm", told, re.M):
        complain(f"info says it otherwise: {told}")
    # Limits. The stacks of this recording do not fit.
    limited = os.path.join(SCRATCH, "limited.profile.pb.gz")
    for memory in ("24M", "32M", "48M", "64M"):
        done = run(TOOL, "profile", "--offline", "--json", "--strict", "--max-memory", memory, "-o", limited, recording, check=False)
        if done.returncode not in (0, 1, 3):
            complain(f"--max-memory {memory}: {done.returncode} {done.stderr}")
        if done.returncode in (0, 3) and bool(json.loads(done.stdout)["partial"]) and done.returncode == 0:
            complain(f"--max-memory {memory}: a partial profile under --strict: {done.stdout}")
        if done.returncode == 3 and not done.stderr:
            complain(f"--max-memory {memory}: 3 without a word")
        if done.returncode in (0, 3) and {one["kind"] for one in json.loads(done.stdout)["partial"]} > {"limit"}:
            complain(f"--max-memory {memory}: {done.stdout}")
    # A filter is no loss. Each option that chooses samples is named, and no other.
    if run(TOOL, "profile", "--strict", "--offline", "--comm", "load", "-o", filtered, recording, check=False).returncode != 0:
        complain("--comm is a loss under --strict")
    values = {"--event": "cpu-clock", "--comm": "load", "--pid": "1", "--tid": "1", "--cpu": "0", "--cgroup": "/", "--filter": "x == 1",
              "--time": "0%-50%", "--kind": "user", "--dso": "load", "--symbols": "main"}
    offered = run(TOOL, "profile", "--help").stdout.split("Which samples:\n", 1)[1].split("\n\n", 1)[0]
    names = [re.findall(r"--[a-z]+", line)[0] for line in offered.splitlines() if re.match(r"  -", line)]
    if set(names) != values.keys():
        complain(f"options that choose samples: {names}")
    named = 0
    for name in names:
        done = run(TOOL, "profile", "--offline", "--json", name, values.get(name, "1"), "-o", filtered, recording, check=False)
        if done.returncode == 0:
            named += 1
            details = [one["detail"] for one in json.loads(done.stdout)["partial"]]
            if details != [f"it has only samples that {name} chose when it was made"]:
                complain(f"{name}: {details}")
    if named < 7:  # the recording has no cgroups, and perhaps no such event, CPUs or fields
        complain(f"only {named} options that choose samples work")


def test_machines():
    needs_perf()
    program = build("work")
    profiles = []
    for name in ("one", "other"):
        copy = shutil.copy(program, os.path.join(folder("machine." + name), "work"))
        recording = record(folder(name), copy, "2000")
        # As of another machine, too.
        made = os.path.join(SCRATCH, name + ".profile.pb.gz")
        run(TOOL, "profile", "-o", made, recording)
        profiles.append(made)
    os.remove(program)
    merged = merge("merged", *profiles)
    rows = [row for row in report(merged, "--no-children", "-g", "none", "--sort", "dso,symbol")["rows"] if "turn" in (row["symbol"] or "")]
    sums = collections.Counter()
    for one in profiles:
        sums.update(counts(one, "symbol"))
    differing("machines", counts(merged, "symbol"), sums)
    if len(rows) != 1:
        complain(f"one function of two machines is {len(rows)} rows: {rows}")
    page = json.loads(run(TOOL, "annotate", "--json", "-s", "(anonymous namespace)::turn", merged).stdout)
    if len(page["functions"]) != 1 or not page["functions"][0]["instructions"]:
        complain(f"no code of a merged function: {str(page)[:500]}")


def test_bpf():
    # Programs that are loaded again and again, at other addresses, under other ids.
    for name in ("bpf/bpf_turns", "bpf/bpf_reuse", "bpf/bpf_twins"):
        base = os.path.basename(name)
        one, other = profile(fixture(name), base), profile(another(name), base + ".other")
        merged = merge(base + ".merged", one, other)
        twice = merge(base + ".twice", one, one, options=["--allow-duplicates"])
        sums = counts(one, "symbol", options=["--kind", "bpf"])
        sums.update(counts(other, "symbol", options=["--kind", "bpf"]))
        differing(f"{name}: by symbol", counts(merged, "symbol", options=["--kind", "bpf"]), sums)
        differing(f"{name}: of another machine, twice", counts(merged, "symbol", "program"), counts(twice, "symbol", "program"))
        # One row of each program and symbol: it is the tag that counts, and not when, where and how often it was loaded.
        seen = collections.Counter()
        for row in report(merged, "--no-children", "-g", "none", "--kind", "bpf", "--sort", "program,symbol")["rows"]:
            seen[row["symbol"], json.dumps([program["tag"] for program in row["programs"]])] += 1
        if not seen or max(seen.values()) != 1:
            complain(f"{name}: programs by tag: {seen.most_common(3)}")
        summary = json.loads(run(TOOL, "merge", "--json", "-o", "again.profile.pb.gz", merged).stdout)
        if summary["recordings"] != 2 or {source["hostname"] for source in summary["sources"]} != {"guest", "other"}:
            complain(f"{name}: {summary}")


def test_jit():
    here = folder("jit")
    for file in ("jit-32346.dump", "perf-32346.map"):
        shutil.copy(os.path.join(FIXTURES, "jit", file), here)
    shutil.copy(fixture("jit/tinyjit"), here)
    other = shutil.move(another("jit/tinyjit"), here)
    profiles = [profile(path, name, "--jitdump", os.path.join(here, "jit-32346.dump"))
                for name, path in (("one", os.path.join(here, "tinyjit.data")), ("other", other))]
    merged = merge("merged", *profiles)
    sums = collections.Counter()
    for one in profiles:
        sums.update(counts(one, "kind", "symbol"))
    differing("jit", counts(merged, "kind", "symbol"), sums)
    page = report(merged, "--no-children", "-g", "none", "--kind", "jit", "--sort", "symbol")
    if not page["rows"]:
        complain("jit: no rows")
    # Code of one name that is other code stays apart: each has its own listing.
    once, both = (json.loads(run(TOOL, "annotate", "--json", "--kind", "jit", path).stdout)["functions"]
                  for path in (profiles[0], merged))
    codes = [{(one["symbol"], "".join(line["bytes"] for line in one.get("instructions", []))) for one in functions}
             for functions in (once, both)]
    if not codes[0] or codes[0] != codes[1] or len(both) != len(codes[1]):
        complain(f"jit: {len(once)} functions, merged {len(both)}, with {len(codes[1])} distinct codes")


def test_diff():
    for name in ("bpf/bpf_many", "bpf/bpf_twins", "records/group_chains", "records/multi"):
        made = profile(fixture(name), os.path.basename(name))
        merged = merge("twice", made, made, options=["--allow-duplicates"])
        # Of a sum twice as many: the shares are equal.
        for one, other in ((fixture(name), made), (made, fixture(name)), (made, made), (made, merged)):
            page = json.loads(run(TOOL, "diff", "--offline", "--json", one, other).stdout)
            if not page["rows"] or any(row["delta"] for row in page["rows"]):
                complain(f"{name}: {os.path.basename(one)} and {os.path.basename(other)}: {page['rows'][:2]}")
    done = run(TOOL, "diff", "--time", "1,2", made, made, check=False)
    if done.returncode != 2 or "--time" not in done.stderr or done.stdout:
        complain(f"diff --time: {done.returncode} {done.stderr}")
    small = profile(fixture("bpf/bpf_many"), "small", "--keep", "comm")
    done = run(TOOL, "diff", small, small, check=False)
    if done.returncode != 2 or "--keep comm" not in done.stderr:
        complain(f"diff of a small profile: {done.returncode} {done.stderr}")


def test_pprof():
    if shutil.which("go") is None:
        skip("go is not installed")
    # What export makes of a profile has the main program, the event as default, and labels with kinds of code.
    made, exported = profile(fixture("stacks/x86_plain"), "main"), os.path.join(SCRATCH, "main.pb.gz")
    run(TOOL, "export", "-o", exported, made)
    first = {path: run("go", "tool", "pprof", "-top", "-symbolize=none", path).stdout for path in (made, exported)}
    tags = {path: run("go", "tool", "pprof", "-tags", "-symbolize=none", path).stdout for path in (made, exported)}
    raw = run("go", "tool", "pprof", "-raw", "-symbolize=none", exported).stdout
    if "[dflt]" not in raw or not re.search(r"_event/\w+\[dflt\]", raw) or " code: Total" not in tags[exported] or \
            " code: Total" in tags[made] or "perf-command:" not in first[exported] or "perf-command:" in first[made]:
        complain(f"export of a profile: {first}\n{tags}\n{raw[:500]}")
    for name in ("bpf/bpf_many", "records/multi", "stacks/x86_plain", "records/s390_basic"):
        made = profile(fixture(name), os.path.basename(name))
        for path in (made, merge("merged", made, profile(another(name), "other"))):
            text = run("go", "tool", "pprof", "-raw", "-symbolize=none", path).stdout
            head, body = text.split("\nSamples:\n", 1)
            lines = body.split("\nLocations\n", 1)[0].splitlines()
            types = [word.split("/")[0] for word in lines[0].split()]
            found = [0] * len(types)
            for line in lines[1:]:
                numbers, colon, _ = line.partition(":")
                if colon and all(word.lstrip("-").isdigit() for word in numbers.split()):
                    for at, number in enumerate(numbers.split()):
                        found[at] += int(number)
            expected = totals(path)
            for event, (hits, _) in expected.items():
                column = [at for at, one in enumerate(types) if one == event + "_sample"]
                if len(column) != 1 or found[column[0]] != hits:
                    complain(f"{path}: {event}: {types} {found}, not {hits}")
        symbols = {row.get("function") or row["symbol"]
                   for row in report(made, "--no-children", "-g", "none", "--sort", "symbol")["rows"]}
        named = [symbol for symbol in symbols if symbol]
        missing = [symbol for symbol in named if symbol.split("(")[0] not in text]
        if missing:
            complain(f"{name}: go tool pprof does not name {missing[:5]}")


def test_outputs():
    recording = fixture("bpf/bpf_many")
    one = profile(recording, "one", "-j", "1")
    if content(one) != content(profile(recording, "other", "-j", "7")):
        complain("two runs with other numbers of threads write other bytes")
    with open(os.path.join(SCRATCH, "piped"), "wb") as file:
        done = subprocess.run([TOOL, "profile", "--offline", recording], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=file,
                              stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or content(os.path.join(SCRATCH, "piped")) != content(one):
        complain(f"to standard output: {done.returncode} {done.stderr}")
    page = json.loads(run(TOOL, "profile", "--offline", "--json", "-o", "json.profile.pb.gz", recording).stdout)
    if page["schema"] != "perfdata.profile/1" or page["bytes"] != os.path.getsize(one) or page["recordings"] != 1 or \
            page["profile"] != "json.profile.pb.gz" or page["arch"] != "x86_64" or \
            {event["name"]: (event["samples"], event["periods"]) for event in page["events"] if event["samples"]} != totals(one):
        complain(f"--json: {page}")
    before = content(one)
    for command, status in ((("profile", "--offline", "--json", recording), 2), (("profile", "-o", recording, recording), 2),
                            (("merge", "-o", one, one), 2), (("merge", "--json", one), 2), (("merge", "-o", "x.profile.pb.gz"), 2),
                            (("profile", "-o", "x.html", recording), 2), (("merge", "-o", "/dev/full", one), 1),
                            (("profile", "--offline", "-o", "/dev/full", recording), 1), (("merge", "-o", "x", one, "nowhere"), 1),
                            (("profile", "-o", "no/such/x.profile.pb.gz", recording), 1)):
        done = run(TOOL, *command, check=False, text=False)
        if done.returncode != status or not done.stderr:
            complain(f"{' '.join(command)}: {done.returncode} {done.stderr}")
    if content(one) != before:
        complain("an input was overwritten")
    # The ending of pprof's files will do, as it is one.
    run(TOOL, "merge", "-o", "ending.pb.gz", one)
    if content(os.path.join(SCRATCH, "ending.pb.gz")) != before:
        complain("-o ending.pb.gz: other bytes")


def packed_secret(recording, *options, by=()):
    """Returns whether the profile has a secret, and what was told."""
    made = os.path.join(folder("made"), "secret.profile.pb.gz")
    os.chmod(folder("made"), 0o777)
    if os.path.exists(made):
        os.remove(made)
    done = run(*by, TOOL, "profile", "--json", "--private", *options, "-o", made, recording)
    packed = b"SECRET" in gzip.decompress(content(made))
    if packed != ("SECRET" in run(TOOL, "annotate", made).stdout):
        complain(f"{recording} {options}: annotate of the profile says other than it has")
    # A program or a recording that others may not reach makes it private as well.
    if mode_of(made) not in ((0o600,) if packed else (0o600, mode_of(recording) & 0o644)):
        complain(f"{recording} {options}: mode {mode_of(made):o}")
    # What is left out is said in the summary, in info, and under --strict; a sum has it, too.
    left_out = json.loads(done.stdout)["left_out"]
    told = [line for line in done.stderr.splitlines() if "left out" in line]
    # One of it is told in the singular.
    if len(told) != len(left_out) or not all(f"note: left out: {one['number']} source file" in line and
                                             (one["number"] == 1 or one["what"] in line) for one, line in zip(left_out, told)):
        complain(f"{recording} {options}: {left_out}, but said {done.stderr}")
    if json.loads(run(TOOL, "info", "--json", made).stdout)["profile"]["left_out"] != left_out:
        complain(f"{recording} {options}: info says other than {left_out}")
    merged = os.path.join(SCRATCH, "merged.profile.pb.gz")
    page = json.loads(run(TOOL, "merge", "--json", "--allow-duplicates", "-o", merged, made, made).stdout)
    if page["left_out"] != [{**one, "number": 2 * one["number"]} for one in left_out]:
        complain(f"{recording} {options}: merged: {page['left_out']}, not twice {left_out}")
    held_back = [one for one in left_out if "not here" not in one["what"] and "newer" not in one["what"]]
    if (run(TOOL, "report", "--strict", made, check=False).returncode == 3) != bool(held_back):
        complain(f"{recording} {options}: report --strict does not tell of {left_out}")
    return packed, done.stderr


def test_sources():
    """Source files that are newer than the program, or not there: lines without text."""
    needs_perf()
    where = folder("sources")
    source, program = shutil.copy(WORK, os.path.join(where, "work.cpp")), os.path.join(where, "work")
    # With no library: its debug file, if one is here, names sources that are not here.
    run(COMPILER, "-O2", "-g", "-static", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o", program)
    recording = record(where, program, "3000")
    made = os.path.join(where, "made.profile.pb.gz")

    def about_ours(what, *options, wanted):
        done = run(TOOL, "profile", "--json", "--strict", *options, "-o", made, recording, check=False)
        if done.returncode != 0:
            complain(f"{what}: exit status {done.returncode}: {done.stderr}")
        kinds = [one["what"] for one in json.loads(done.stdout)["left_out"]]
        if len(kinds) != (1 if wanted else 0) or not all(wanted in kind for kind in kinds):
            complain(f"{what}: {kinds}")
        for where_told, text in (("profile", done.stderr), ("info", run(TOOL, "info", made).stdout)):
            told = [line for line in text.splitlines() if "left out" in line]
            if len(told) != len(kinds) or not all(wanted in line and (where_told == "info" or "(work.cpp)" in line) for line in told):
                complain(f"{what}: {where_told} says {told}")
        shown = run(TOOL, "annotate", "--strict", "-s", "(anonymous namespace)::turn", made)
        if bool(wanted) != ("the text of 1 source file is not in the profile (work.cpp)" in shown.stderr):
            complain(f"{what}: annotate of the profile says {shown.stderr}")
        if bool(wanted) == ("twice(value + round)" in shown.stdout):
            complain(f"{what}: the text of the line: {shown.stdout}")

    about_ours("an older source", wanted="")
    later = os.stat(program).st_mtime + 100
    os.utime(source, (later, later))
    about_ours("a newer source", wanted="newer than the program")
    # Of two programs it may be newer than one: the lines of that one have no text.
    other = os.path.join(where, "other")
    run(COMPILER, "-O1", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o", other)
    os.utime(other, (later + 1, later + 1))
    both = record(folder("sources_of_two"), "sh", "-c", f"{program} 1500; {other} 1500")
    summary = json.loads(run(TOOL, "profile", "--json", "-o", "two.profile.pb.gz", both).stdout)["left_out"]
    if not any("newer" in one["what"] and one["number"] == 1 for one in summary):
        complain(f"a source that is newer than one program of two: {summary}")
    about_ours("a newer source that was given", "--source-dir", where, wanted="")
    os.rename(source, os.path.join(folder("sources_elsewhere"), "work.cpp"))
    about_ours("a source that is not here", wanted="not here")
    about_ours("a source elsewhere", "--source-dir", folder("sources_elsewhere"), wanted="")


def test_secrets():
    if os.geteuid() != 0:
        skip("not root")
    needs_perf()
    os.chmod(SCRATCH, 0o755)
    attack(packed_secret)


def test_modes():
    os.umask(0o022)
    recording, bundle = shutil.copy(fixture("records/brk"), os.path.join(SCRATCH, "here.data")), os.path.join(SCRATCH, "x.tar.zst")
    made, profiles = os.path.join(SCRATCH, "made.profile.pb.gz"), {}

    def mode(*command, stdin=None):
        if os.path.exists(made):
            os.remove(made)
        done = subprocess.run([TOOL, *command, "-o", made], env=ENVIRONMENT, stdin=stdin, cwd=SCRATCH, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            complain(f"{' '.join(command)}: {done.returncode} {done.stderr}")
        return mode_of(made)

    for number, mode_before in enumerate((0o644, 0o640, 0o600, 0o604)):
        os.chmod(recording, mode_before)
        wanted = mode_before if mode_before == 0o644 else 0o600
        if (found := mode("profile", "--offline", recording)) != wanted:
            complain(f"a profile of a recording of mode {mode_before:o}: {found:o}")
        made_of = another("records/brk", f"{number}mode".encode())
        os.chmod(made_of, mode_before)
        profiles[mode_before] = profile(made_of, f"{mode_before:o}")
        if mode_of(profiles[mode_before]) != wanted:
            complain(f"{profiles[mode_before]}: {mode_of(profiles[mode_before]):o}")
        os.chmod(profiles[mode_before], mode_before)
    os.chmod(SCRATCH, 0o700)
    os.chmod(recording, 0o644)
    if (found := mode("profile", "--offline", recording)) != 0o600:
        complain(f"a profile of a recording in a directory that others may not pass: {found:o}")
    os.chmod(SCRATCH, 0o755)
    os.chmod(recording, 0o400)
    if (found := mode("profile", "--offline", recording)) != 0o600:
        complain(f"a profile of a recording of mode 400: {found:o}")
    os.chmod(recording, 0o644)
    with subprocess.Popen(["cat", recording], stdout=subprocess.PIPE) as cat:
        if (found := mode("profile", "--offline", "-", stdin=cat.stdout)) != 0o600:
            complain(f"a profile of a recording from a pipe: {found:o}")
    # The umask holds, and a file that is there keeps its mode.
    os.umask(0o077)
    if (found := mode("profile", "--offline", recording)) != 0o600:
        complain(f"with umask 077: {found:o}")
    os.umask(0o022)
    os.chmod(made, 0o604)
    run(TOOL, "profile", "--offline", "-o", made, recording)
    if mode_of(made) != 0o604:
        complain(f"a file that was of mode 604: {mode_of(made):o}")
    # Names of the kernel, and names that only the owner may read.
    names = shutil.copy(os.path.join(FIXTURES, "bpf/guest.kallsyms"), os.path.join(SCRATCH, "names"))
    kernel = shutil.copy(fixture("bpf/bpf_many"), os.path.join(SCRATCH, "kernel.data"))
    os.chmod(kernel, 0o644)
    if (found := mode("profile", "--kallsyms", names, kernel)) != 0o600:
        complain(f"a profile with names of the kernel: {found:o}")
    mapped = shutil.copy(fixture("jit/tinyjit"), os.path.join(folder("mapped"), "perf.data"))
    shutil.copy(os.path.join(FIXTURES, "jit/perf-32346.map"), folder("mapped"))
    os.chmod(mapped, 0o644)
    if (found := mode("profile", mapped)) != 0o600:
        complain(f"a profile with names of a perf map: {found:o}")
    debug_file_mode(mode)
    # A bundle, and sums.
    if run(TOOL, "collect", "-o", bundle, recording, check=False).returncode == 0:
        os.chmod(bundle, 0o640)
        if (found := mode("profile", bundle)) != 0o600:
            complain(f"a profile of a bundle of mode 640: {found:o}")
    for some, wanted in (((0o644, 0o604), 0o600), ((0o640, 0o604), 0o600), ((0o644, 0o640), 0o600), ((0o600, 0o644), 0o600)):
        if (found := mode("merge", *(profiles[one] for one in some))) != wanted:
            complain(f"a sum of profiles of modes {[f'{one:o}' for one in some]}: {found:o}")


def debug_file_mode(mode):
    """Lines and inlined calls of a debug file that not everybody may read."""
    if shutil.which("objcopy") is None or shutil.which("perf") is None:
        return
    os.chmod(SCRATCH, 0o755)
    program, source = os.path.join(folder("debug_mode"), "stripped"), os.path.join(folder("debug_mode"), "x.cpp")
    shutil.copy(WORK, source)
    run(COMPILER, "-O2", "-g", "-Wl,--build-id", source, "-o", program)
    os.remove(source)  # its text is for the owner in any case
    run("objcopy", "--only-keep-debug", program, program + ".debug")
    run("strip", "-g", program)
    run("objcopy", f"--add-gnu-debuglink={program}.debug", program)
    recording = record(folder("debug_mode_recording"), program, "3000")
    os.chmod(recording, 0o644)
    for wanted in (0o644, 0o600):
        os.chmod(program + ".debug", wanted)
        if (found := mode("profile", recording)) != wanted:
            complain(f"a profile with lines of a debug file of mode {wanted:o}: {found:o}")


def survived(what, command):
    """Runs the tool on damaged input: an exit status, and a message if it is not 0."""
    try:
        done = run(TOOL, *command, check=False, text=False, timeout=60)
    except subprocess.TimeoutExpired:
        return complain(f"{what}: {' '.join(command)}: more than a minute")
    if done.returncode not in (0, 1, 2) or (done.returncode != 0 and not done.stderr.startswith(b"perfdata: ")):
        complain(f"{what}: {' '.join(command)}: {done.returncode} {done.stderr[-500:]}")
    return done.returncode


def test_hostile():
    chance = random.Random(20)
    damaged = os.path.join(SCRATCH, "damaged")
    commands = [("report", damaged), ("merge", "-o", "/dev/null", damaged), ("annotate", "--json", "--calls", damaged),
                ("export", "--format", "callgrind", damaged), ("merge", "--keep", "comm,symbol", "-o", "/dev/null", damaged),
                ("info", damaged), ("merge", "--allow-duplicates", "-o", "/dev/null", damaged, damaged)]
    for name in ("records/brk", "bpf/bpf_types", "records/group_chains", "jit/tinyjit"):
        packed = content(profile(fixture(name), os.path.basename(name)))
        plain = gzip.decompress(packed)
        # Cut: never taken for a whole one.
        for at in sorted({0, 1, 2, 10, 18, 31, *(chance.randrange(len(plain)) for _ in range(25))}):
            written(damaged, plain[:at])
            # pprof's part at the end is skipped by its fields: between two of them nothing is amiss.
            status = survived(f"{name} cut at {at}", commands[at % 2])
            if status == 0 and at < len(plain) // 8:
                complain(f"{name} cut at {at} of {len(plain)} is taken for a whole one")
        for at in (5, len(packed) // 2, len(packed) - 9, len(packed) - 1):
            written(damaged, packed[:at])
            if survived(f"{name} packed, cut at {at}", commands[0]) == 0:
                complain(f"{name} packed, cut at {at} of {len(packed)} is taken for a whole one")
        # Changed.
        for turn in range(120):
            changed = bytearray(plain)
            for _ in range(chance.choice((1, 1, 1, 2, 8))):
                at = chance.randrange(len(changed))
                changed[at] = chance.choice((changed[at] ^ 1 << chance.randrange(8), 0, 255, 127, 128))
            written(damaged, bytes(changed))
            survived(f"{name} changed, turn {turn}", commands[turn % len(commands)])
        # A part twice, or elsewhere.
        for turn in range(20):
            at, size, to = chance.randrange(len(plain)), chance.randrange(1, 200), chance.randrange(len(plain))
            written(damaged, plain[:to] + plain[at : at + size] + plain[to:])
            survived(f"{name} with a part at another place, turn {turn}", commands[turn % len(commands)])


if __name__ == "__main__":
    main(globals())
