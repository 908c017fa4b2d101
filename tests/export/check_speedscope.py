#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check_speedscope.py TOOL FIXTURES SCHEMA: checks `export --format speedscope`. SCHEMA is file-format-schema.json of the
# npm package speedscope, from its dist/release.
#   - The files are valid for speedscope's schema.
#   - Each sample has a weight, and the weights add up to the profile's end.
#   - The sum of each event is that of `report`, in hits and in periods.
#   - The stacks that speedscope makes of the events, with their counts, are those of the folded export.
import collections
import json
import pathlib
import sys

from exported import Failed, as_folded, differences, export, folded, recordings, totals

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is not installed")

UNITS = {"nanoseconds": 1, "none": 1}


def stacks_of(profile, frames):
    """Returns {stack: width}, as speedscope takes them."""
    widths = collections.Counter()
    if len(profile["samples"]) != len(profile["weights"]):
        raise Failed(f"{profile['name']}: {len(profile['samples'])} samples, {len(profile['weights'])} weights")
    for stack, weight in zip(profile["samples"], profile["weights"]):
        widths[tuple(stack)] += weight
    if sum(widths.values()) != profile["endValue"] - profile["startValue"]:
        raise Failed(f"{profile['name']}: weights add up to {sum(widths.values())}")
    if () in widths:
        raise Failed(f"{profile['name']}: a sample without frames")
    stacks = collections.Counter()
    for stack, width in widths.items():
        # The outermost frame is "comm tid".
        comm, _, tid = frames[stack[0]]["name"].rpartition(" ")
        int(tid)
        stacks[";".join(map(as_folded, [comm, *(frames[frame]["name"] for frame in stack[1:])]))] += width
    return stacks


def check(tool, file, validator):
    problems = []
    expected = totals(tool, file)
    for options in ((), ("--periods",)):
        where = " ".join([file.name, *options])
        document = json.loads(export(tool, file, "speedscope", *options))
        problems += [f"{where}: {error.message[:200]}" for error in list(validator.iter_errors(document))[:3]]
        profiles, frames = document["profiles"], document["shared"]["frames"]
        if not expected:
            if [profile["samples"] for profile in profiles] != [[]]:
                problems.append(f"{where}: samples that report does not have")
            continue
        events = [profile["name"] for profile in profiles]
        if document["activeProfileIndex"] != max(range(len(events)), key=lambda n: (expected[events[n]][0], -n)):
            problems.append(f"{where}: activeProfileIndex is not the event with most samples")
        sums = {profile["name"]: profile["endValue"] for profile in profiles}
        problems += differences(sums, {name: both[len(options)] for name, both in expected.items()}, f"{where}: sums")
        found = collections.Counter()
        for profile in profiles:
            if profile["unit"] not in UNITS or profile["startValue"] != 0:
                problems.append(f"{where}: unit {profile['unit']} from {profile['startValue']}")
            for stack, width in stacks_of(profile, frames).items():
                found[as_folded(profile["name"]), stack] += width
        problems += differences(found, folded(tool, file, events, *options), f"{where}: stacks")
    return problems


def main():
    tool, fixtures, schema = sys.argv[1:]
    validator = jsonschema.validators.validator_for(json.loads(pathlib.Path(schema).read_text()))(
        json.loads(pathlib.Path(schema).read_text())
    )
    problems, counted = [], 0
    for file in recordings(fixtures):
        try:
            problems += check(tool, file, validator)
            counted += 1
        except Failed as failure:
            problems.append(f"{file.name}: {failure}")
    print("\n".join(problems) if problems else f"{counted} recordings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
