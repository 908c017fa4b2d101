#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says whether all call chains are among those that a program can have.

    chains.py perf.txt ours.txt CHAIN...

A CHAIN is "INNERMOST CALLER ...", names with spaces between; other functions than those of all chains do not count.
Each chain must be there, and all but one percent of ours must be one of them. perf.txt is not looked at.
"""
import argparse
import collections
import sys

import compare


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("perf")
    options.add_argument("ours")
    options.add_argument("chains", nargs="+")
    chosen = options.parse_args()
    functions = {name for chain in chosen.chains for name in chain.split()}
    counts = collections.Counter()
    for _, frames in compare.samples_of(chosen.ours).values():
        names = [frame.name.replace("(anonymous namespace)::", "") for frame in frames]
        own = " ".join(name for name in names if name in functions)
        if names[0] in functions:
            counts[own] += 1
    total = sum(counts.values())
    wrong = {chain: count for chain, count in counts.items() if chain not in chosen.chains}
    missing = [chain for chain in chosen.chains if chain not in counts]
    for chain, count in counts.most_common():
        print(f"  {count:6} {chain}{'' if chain not in wrong else ': cannot be'}")
    for chain in missing:
        print(f"       0 {chain}: is not there")
    return 1 if missing or total < 100 or sum(wrong.values()) > total / 100 else 0


if __name__ == "__main__":
    sys.exit(main())
