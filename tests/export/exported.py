# SPDX-License-Identifier: MIT
# What checks of exported formats share: recordings, runs of the tool, and what its other outputs say.
import collections
import json
import pathlib
import subprocess


class Failed(Exception):
    pass


def recordings(fixtures):
    """Returns recordings with stacks, several events, threads, BPF, JIT and none of those."""
    names = (
        "bpf/bpf_events bpf/bpf_twins bpf/bpf_many bpf/bpf_nobtf jit/tinyjit jit/tinyjit_injected stacks/x86_plain "
        "stacks/a64_signals records/group_chains records/zstd records/switch records/v72_defer records/brk records/tp"
    )
    files = [pathlib.Path(fixtures) / f"{name}.data" for name in names.split()]
    for file in files:
        if not file.is_file():
            raise Failed(f"{file} is missing")
    return files


def run(tool, *arguments):
    done = subprocess.run([str(tool), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, arguments))}: {done.returncode}: {done.stderr.decode(errors='replace')[:500]}")
    return done.stdout.decode()


def export(tool, file, form, *options):
    return run(tool, "export", "--offline", "--format", form, *options, file)


def totals(tool, file):
    """Returns hits and periods by event, as `report` says them."""
    events = json.loads(run(tool, "report", "--json", "--offline", file))["events"]
    return {event["name"]: (event["samples"], event["periods"]) for event in events if event["samples"]}


def as_folded(name):
    return name.replace(";", ":").replace("\t", " ")


def folded(tool, file, events, *options):
    """Returns {(event, stack): count}: the folded export, whose stacks begin with the event if there are several."""
    counts = collections.Counter()
    for line in export(tool, file, "folded", *options).splitlines():
        stack, _, count = line.rpartition(" ")
        event, stack = stack.split(";", 1) if len(events) > 1 else (as_folded(events[0]), stack)
        counts[event, stack] += int(count)
    return counts


def differences(found, expected, what):
    """Returns lines on what differs between two counters."""
    lines = []
    for key in sorted(set(found) | set(expected), key=str):
        if found.get(key, 0) != expected.get(key, 0):
            lines.append(f"{what}: {key}: {found.get(key, 0)}, not {expected.get(key, 0)}")
    return lines[:5] + ([f"{what}: {len(lines) - 5} more"] if len(lines) > 5 else [])
