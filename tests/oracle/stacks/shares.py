#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares unwinding with frame pointers, of one run that two events sampled at the same time.

    shares.py perf.txt ours.txt

Of the first, by perf, only the samples of the event with call-graph=fp are taken, of the second those of the event with
call-graph=dwarf. A function's share is the part of the samples in which it or what it called ran. Both must agree.
"""
import argparse
import collections
import math
import sys

import compare

FUNCTIONS = ("leaf", "detour", "nested", "pick", "rounds", "main")  # of calls/main.cpp


def shares_of(path, event):
    """Returns (samples, {function: samples in which it is})."""
    counts, total = collections.Counter(), 0
    for (_, _, name, _), (_, frames) in compare.samples_of(path).items():
        functions = {frame.name for frame in frames} & set(FUNCTIONS)
        # Samples in the dynamic linker and the C library have no frame pointers.
        if event not in name or frames[0].name not in FUNCTIONS:
            continue
        total += 1
        counts.update(functions)
    return total, counts


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("perf")
    options.add_argument("ours")
    chosen = options.parse_args()
    pointers_total, pointers = shares_of(chosen.perf, "call-graph=fp")
    total, ours = shares_of(chosen.ours, "call-graph=dwarf")
    if min(total, pointers_total) < 200:
        print(f"too few samples: {pointers_total} and {total}")
        return 1
    wrong = 0
    for name in FUNCTIONS:
        one, other = pointers[name] / pointers_total, ours[name] / total
        # Frame pointers lose a caller where its callee has not yet set up its frame: up to a percent.
        noise = 4 * math.sqrt(max(one * (1 - one), 0.0025) / min(total, pointers_total)) + 0.01
        wrong += abs(one - other) > noise
        print(f"  {name:8} {100 * one:6.2f} % by frame pointers, {100 * other:6.2f} % unwound"
              f"{'' if abs(one - other) <= noise else ': more than noise'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
