#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Proves the stacks of samples in programs/truth.cpp and fixtures/record/stacks.c, which keep the way to their
innermost loop in registers.

    perf script --no-inline -F comm,tid,time,event,ip,sym,dso,uregs -i FILE >registers.txt
    perfdata script --allow-local -F comm,tid,time,event,ip,sym,dso FILE >ours.txt
    truth.py registers.txt ours.txt [-n EXAMPLES]

Registers are taken from the first file, stacks from the second, which may be the same. Frames of other functions than
those of the program's ways (the C library's, thunks) may lie between. Exit status: 0 if there are samples with a way
and each has the stack that it ought to have.
"""
import argparse
import re
import sys

import compare

# (way, mark): perf's names of the registers of truth_spin.hpp.
REGISTERS = (("R12", "R13"), ("SI", "DI"), ("x20", "x21"), ("r8", "r9"), ("R10", "R11"), ("s2", "s3"), ("r20", "r21"))
MARKS = (0x7472757468, 0x72757468)
OWN = re.compile(r"^(f[0-9]|spin|walk|main|begin)$")


def registers_of(path):
    """Returns {key of sample: {name: value}}, with keys as compare.samples_of has them."""
    found, seen, key = {}, compare.collections.Counter(), None
    with open(path, encoding="utf-8", errors="surrogateescape") as text:
        for line in text:
            line = line.rstrip("\n")
            if line.startswith(" ABI:"):
                found[key] = {name: int(value, 16) for name, value in re.findall(r"(\w+):0x([0-9a-f]+)", line)}
            elif line.strip() and not line.startswith(("\t", "#")):
                header = compare.HEADER.match(line)
                base = (header["tid"], header["time"], header["event"].strip())
                seen[base] += 1
                key = (*base, seen[base])
    return found


def way_of(registers):
    """Returns the functions by the registers, innermost first; None outside of the loop."""
    for way, mark in REGISTERS:
        if registers.get(mark) in MARKS:
            digits, chain = registers[way], ["main", "walk"]
            while digits:
                chain.append(f"f{(digits & 15) - 1}")
                digits >>= 4
            return ["spin", *reversed(chain)]
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("registers")
    options.add_argument("stacks")
    options.add_argument("-n", "--examples", type=int, default=3)
    options.add_argument("--at-least", type=int, default=50, metavar="SAMPLES", help="with a way (default 50)")
    options.add_argument("--cut", type=int, default=0, metavar="STACKS",
                         help="that may end early, for their copies are too short (default 0)")
    options.add_argument("--ends-at", metavar="FUNCTION",
                         help="stacks may end in the frame behind this function, which is in code that is not there")
    chosen = options.parse_args()
    registers, stacks = registers_of(chosen.registers), compare.samples_of(chosen.stacks)
    proven = wrong = cut = elsewhere = 0
    for key, values in registers.items():
        truth = way_of(values)
        if truth is None:
            elsewhere += 1
            continue
        stack = [frame.name for frame in stacks[key][1]] if key in stacks else []
        own = ["main" if name == "begin" else name for name in stack if OWN.match(name)]
        if own == truth:
            proven += 1
            continue
        begins = own and own == truth[:len(own)]
        if begins and (chosen.ends_at in stack[-2:] or (len(own) > 1 and cut < chosen.cut)):
            cut += 1
            continue
        wrong += 1
        if wrong <= chosen.examples:
            print(f"{' '.join(key[:3])}:\n  truth {' '.join(truth)}\n  stack {' '.join(stack)}")
    print(f"{proven} stacks are the truth, {wrong} are not{f', {cut} end early' if cut else ''}; "
          f"{elsewhere} samples elsewhere")
    return 0 if wrong == 0 and proven >= chosen.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
