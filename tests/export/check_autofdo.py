#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_autofdo.py TOOL FIXTURES SCRATCH: LLVM reads what `export --format autofdo` writes.

The counts are those that llvm-profgen makes of the same branches; llvm-profdata reads the file and writes the same; clang
uses it: entry counts of functions, and no complaint of a profile that does not fit.
"""
import os
import re
import subprocess
import sys

import branch_recording

faults = 0


def complain(text):
    global faults
    faults += 1
    print(text)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def parse(path):
    """Returns {place: numbers}: a place is the path of functions and call sites, then a line."""
    found = {}
    stack = []
    with open(path) as lines:
        for line in lines:
            line = line.rstrip("\n")
            depth = len(line) - len(line.lstrip(" "))
            text = line.strip()
            if not text or text.startswith("!"):
                continue
            if depth == 0:
                name, total, head = text.rsplit(":", 2)
                stack = [name]
                found[(name,)] = ("function", int(total), int(head))
                continue
            at, rest = text.split(": ", 1)
            stack = stack[:depth]
            if rest[0].isdigit():
                words = rest.split()
                found[(*stack, at)] = ("line", int(words[0]), *sorted(words[1:]))
            else:
                name, total = rest.rsplit(":", 1)
                stack.append(f"{at}: {name}")
                found[tuple(stack)] = ("inlined", int(total))
    return found


def compare(ours, theirs, who):
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            complain(f"{' > '.join(key)}: {ours.get(key)}, {who} says {theirs.get(key)}")


def compile_with(source, profile, output, *options):
    return run("clang++-19", "-O2", "-g", "-fdebug-info-for-profiling", f"-fprofile-sample-use={profile}", "-S",
               "-emit-llvm", "-Wall", source, "-o", output, *options)


def check_use(scratch, profile, functions):
    """clang takes the profile."""
    source, output = os.path.join(scratch, "prog.cpp"), os.path.join(scratch, "used.ll")
    done = compile_with(source, profile, output)
    if done.returncode != 0 or "profile" in done.stderr:
        complain(f"clang: {done.stderr}")
        return
    with open(output) as text:
        text = text.read()
    if "SampleProfile" not in text:
        complain("there is no profile summary in what clang writes")
    entries = set()
    for name, number in re.findall(r"define [^\n]*@(\w+)\([^\n]*!prof !(\d+)", text):
        if re.search(rf'^!{number} = !{{!"function_entry_count"', text, re.MULTILINE):
            entries.add(name)
    for name in functions:
        if name not in entries:
            complain(f"clang has no entry count of {name}: {sorted(entries)}")
    if "branch_weights" not in text:
        complain("clang has no branch weights")


def check_merge(scratch, profile):
    """llvm-profdata reads all that the file has. Returns its text."""
    merged = os.path.join(scratch, "merged.afdo")
    done = run("llvm-profdata-19", "merge", "--sample", "--text", profile, "-o", merged)
    if done.returncode != 0 or done.stderr:
        complain(f"llvm-profdata merge: {done.stderr}")
        return {}
    done = run("llvm-profdata-19", "show", "--sample", profile)
    if done.returncode != 0 or "Function: " not in done.stdout:
        complain(f"llvm-profdata show: {done.stdout}{done.stderr}")
    return parse(merged)


def check_branches(tool, scratch):
    program = branch_recording.build(scratch)
    trace = branch_recording.Trace(program, [str(branch_recording.TURNS)])
    recording, profile = os.path.join(scratch, "autofdo.data"), os.path.join(scratch, "branches.afdo")
    trace.write(recording)
    branch_recording.export(tool, "autofdo", recording, profile, "--dso", "prog")
    ours = parse(profile)
    script, theirs = os.path.join(scratch, "script.txt"), os.path.join(scratch, "profgen.afdo")
    trace.write_script(script)
    done = run("llvm-profgen-19", f"--perfscript={script}", f"--binary={program}", "--format=text", "-o", theirs)
    if done.returncode != 0:
        complain(f"llvm-profgen: {done.stdout}{done.stderr}")
        return
    compare(ours, parse(theirs), "llvm-profgen")
    compare(ours, check_merge(scratch, profile), "llvm-profdata")
    if sum(1 for place in ours if len(place) > 2) < 5:
        complain("nothing was inlined")
    check_use(scratch, profile, ["main", "_ZN8countingL6chosenEl", "_ZN8counting9recursionEl"])


def check_samples(tool, scratch):
    program = branch_recording.build(scratch)
    recording, profile = os.path.join(scratch, "plain.data"), os.path.join(scratch, "samples.afdo")
    done = run("perf", "record", "-e", "cpu-clock:u", "-F", "5000", "-B", "-N", "-o", recording, "--", program,
               "20000000")
    if done.returncode != 0:
        complain(f"perf record: {done.stderr}")
        return
    said = branch_recording.export(tool, "autofdo", recording, profile, "--dso", "prog")
    if "no branch stacks" not in said:
        complain(f"the tool does not say that there are no branch stacks: {said!r}")
    ours = parse(profile)
    compare(ours, check_merge(scratch, profile), "llvm-profdata")
    script = run("perf", "script", "-i", recording, "-F", "dso,ip").stdout
    wanted = sum(1 for line in script.splitlines() if line.endswith("/prog)"))
    got = sum(numbers[1] for numbers in ours.values() if numbers[0] == "line")
    lost = sum(int(number) for number in re.findall(r"autofdo: (\d+) samples have no lines", said))
    if got + lost != wanted or got == 0:
        complain(f"{got} samples and {lost} lost ones, perf has {wanted}")
    check_use(scratch, profile, ["main", "_ZN8countingL6chosenEl"])


if __name__ == "__main__":
    TOOL, SCRATCH = sys.argv[1], sys.argv[3]
    os.makedirs(SCRATCH, exist_ok=True)
    check_branches(TOOL, SCRATCH)
    check_samples(TOOL, SCRATCH)
    sys.exit(1 if faults else 0)
