#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_bolt.py TOOL FIXTURES SCRATCH: llvm-bolt reads what `export --format bolt` writes.

With branch stacks: the counts are those of the run, and those that perf2bolt makes of the same branches; llvm-bolt finds
none stale, and the program that it makes runs. Without: llvm-bolt takes the samples of a real recording.
"""
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

import branch_recording

faults = 0


def complain(text):
    global faults
    faults += 1
    print(text)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def edges(path):
    """Returns {(from name, offset, to name, offset): (mispredicted, taken)}."""
    found = {}
    with open(path) as lines:
        for line in lines:
            parts = line.split()
            if len(parts) != 8:
                complain(f"{path}: {line!r} has not 8 fields")
                continue
            key = (parts[1], int(parts[2], 16), parts[4], int(parts[5], 16))
            if key in found:
                complain(f"{path}: {key} twice")
            found[key] = (int(parts[6]), int(parts[7]))
    return found


def bolt(program, fdata, scratch, name):
    optimised = os.path.join(scratch, name)
    done = run("llvm-bolt-19", program, "-o", optimised, f"-data={fdata}", "-reorder-blocks=ext-tsp",
               "-reorder-functions=hfsort", "-split-functions", "-v=1")
    said = done.stdout + done.stderr
    if done.returncode != 0:
        complain(f"llvm-bolt: {said}")
        return said, 0
    profiled = re.search(r"(\d+) out of (\d+) functions in the binary.*have non-empty execution profile", said)
    if not profiled:
        complain(f"llvm-bolt does not say how many functions have a profile: {said}")
    for line in said.splitlines():
        if "invalid (possibly stale) profile" in line or "ossibly corrupted" in line:
            complain(f"llvm-bolt: {line}")
    before, after = run(program, "100").stdout, run(optimised, "100").stdout
    if not before or before != after:
        complain(f"the optimised program prints {after!r} instead of {before!r}")
    return said, int(profiled.group(1)) if profiled else 0


def check_branches(tool, scratch):
    program = branch_recording.build(scratch)
    trace = branch_recording.Trace(program, [str(branch_recording.TURNS)])
    recording, fdata = os.path.join(scratch, "branches.data"), os.path.join(scratch, "branches.fdata")
    trace.write(recording)
    said = branch_recording.export(tool, "bolt", recording, fdata, "--dso", "prog,nosuch")
    if "--dso: no samples in an object called nosuch in this recording" not in said or "called prog " in said:
        complain(f"the tool does not name what no sample has: {said!r}")
    ours = edges(fdata)
    taken, missed, ranges = trace.counts()
    # Every branch that was taken, by address of the file.
    names = {}
    for address, _, name in branch_recording.symbols(program):
        names[name] = address
    by_address = {}
    for (start, at, to, where), counts in ours.items():
        def place(name, offset):
            name = re.sub(r"/\d+$", "", name)
            return names[name] + offset if name in names else None
        by_address[place(start, at), place(to, where)] = counts
    returns = trace.returns

    def inside(address):
        return any(low <= address < low + size for low, size, _ in branch_recording.symbols(program))

    for (start, to), count in taken.items():
        if start is None or to is None:
            continue
        got = by_address.get((start, to))
        if got is None:
            # Returns are left out: llvm-bolt has no use for them.
            if start not in returns and inside(start) and inside(to):
                complain(f"{start:#x} to {to:#x}: {count} taken, but not in the file")
        elif got != (missed[start, to], count):
            complain(f"{start:#x} to {to:#x}: {missed[start, to]} of {count}, the file says {got}")
    # perf2bolt's own aggregate of the same branches.
    aggregate, theirs = os.path.join(scratch, "aggregate.txt"), os.path.join(scratch, "perf2bolt.fdata")
    with open(aggregate, "w") as out:
        for (start, to), count in taken.items():
            if start is not None or to is not None:
                out.write(f"B {start or 0:x} {to or 0:x} {count} {missed[start, to]}\n")
        for (before, begin, end), count in ranges.items():
            out.write(f"{'F' if before is not None else 'f'} {begin:x} {end:x} {count}\n")
    # It is llvm-bolt, which does as its name says: without a version.
    perf2bolt = os.path.join(scratch, "perf2bolt")
    if not os.path.lexists(perf2bolt):
        os.symlink(os.path.realpath(shutil.which("perf2bolt-19") or "/"), perf2bolt)
    done = run(perf2bolt, program, "-pa", "-p", aggregate, "-o", theirs)
    if done.returncode != 0:
        complain(f"perf2bolt: {done.stdout}{done.stderr}")
        return
    theirs = edges(theirs)
    # perf2bolt gives the stubs of the linker names of its own.
    for counts in ours, theirs:
        for key in [key for key in counts if "PLT" in key[0] + key[2] or "PSEUDO" in key[0] + key[2]]:
            del counts[key]
    both = ours.keys() & theirs.keys()
    for key in sorted(both):
        if ours[key] != theirs[key]:
            complain(f"{key}: {ours[key]}, perf2bolt says {theirs[key]}")
    for key in sorted(ours.keys() - both):
        complain(f"{key}: {ours[key]}, perf2bolt has no such branch")
    for key in sorted(theirs.keys() - both):
        complain(f"{key}: perf2bolt says {theirs[key]}, the file has no such branch")
    if len(both) < 30:
        complain(f"only {len(both)} branches")
    _, functions = bolt(program, fdata, scratch, "prog.bolt")
    if functions < 5:
        complain(f"only {functions} functions have a profile")


def check_samples(tool, scratch):
    program = branch_recording.build(scratch)
    recording, fdata = os.path.join(scratch, "samples.data"), os.path.join(scratch, "samples.fdata")
    done = run("perf", "record", "-e", "cpu-clock:u", "-F", "5000", "-B", "-N", "-o", recording, "--", program,
               "20000000")
    if done.returncode != 0:
        complain(f"perf record: {done.stderr}")
        return
    said = branch_recording.export(tool, "bolt", recording, fdata, "--dso", "prog")
    if "no branch stacks" not in said or "--dso: no samples" in said:
        complain(f"the tool does not say that there are no branch stacks: {said!r}")
    with open(fdata) as lines:
        rows = lines.read().splitlines()
    if not rows or not rows[0].startswith("no_lbr cpu-clock"):
        complain(f"the file begins with {rows[:1]}")
    script = run("perf", "script", "-i", recording, "-F", "dso,ip").stdout
    wanted = sum(1 for line in script.splitlines() if line.endswith("/prog)"))
    got = sum(int(row.split()[-1]) for row in rows[1:])
    lost = sum(int(number) for number in re.findall(r"bolt: (\d+) samples lie in no function", said))
    if got + lost != wanted or got == 0:
        complain(f"{got} samples and {lost} lost ones, perf has {wanted}")
    said, functions = bolt(program, fdata, scratch, "prog.samples")
    if "basic samples profiling data" not in said or functions < 3:
        complain(f"llvm-bolt does not use the samples ({functions} functions): {said}")
    check_stripped(tool, program, recording, rows)


def check_stripped(tool, program, recording, rows):
    """A stripped program with a debug file has the names of the program as it was linked, local ones with their numbers."""
    for command in (("objcopy", "--only-keep-debug", program, program + ".debug"), ("strip", program),
                    ("objcopy", f"--add-gnu-debuglink={program}.debug", program)):
        done = run(*command)
        if done.returncode != 0:
            return complain(f"{' '.join(command)}: {done.stderr}")
    fdata = program + ".stripped.fdata"
    branch_recording.export(tool, "bolt", recording, fdata, "--dso", "prog")
    with open(fdata) as lines:
        stripped = lines.read().splitlines()
    if not any(re.search(r"/\d+ ", row) for row in rows):
        complain("no local function was sampled")
    if stripped != rows:
        complain(f"of the stripped program: {stripped[:5]}, not {rows[:5]}")


if __name__ == "__main__":
    TOOL, SCRATCH = sys.argv[1], sys.argv[3]
    os.makedirs(SCRATCH, exist_ok=True)
    check_branches(TOOL, SCRATCH)
    check_samples(TOOL, SCRATCH)
    sys.exit(1 if faults else 0)
