#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the stacks of fixtures/stacks with what perf said where they were recorded, and with what their programs
know.

    fixtures.py PERFDATA FIXTURES [NAME...]

Exit status: 0 if all are right, 1 if not. Needs neither perf nor its machine.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = "comm,tid,time,event,ip,sym,dso"

# Who judges. perf 6.1 cannot unwind i386 (on x86-64) and Thumb code, and ends where s390x saves registers in floating
# point registers; perf 7.2 (riscv) prints other addresses.
PERF_AND_TRUTH = ("x86_plain", "x86_signals", "a64_plain", "ppc_plain")
PERF = ("x86_short", "x86_turns", "a64_short", "s390_plain")
# perf subtracts 1 from the address that a signal interrupted on arm64, although it is exact.
TRUTH = ("x86_plain32", "x86_signals32", "a64_signals", "arm_plain", "riscv_plain")
# Not all stacks are right, and why.
NOT_ALL = {
    "s390_signals": "leaf functions keep r10 and r11 in f2 and f0; the kernel puts those into samples as they were when "
                    "it last saved them (arch/s390/kernel/perf_regs.c)",
    "arm_signals": "a signal interrupts between calls, where .ARM.exidx describes no frame",
}


def right(name, tool, fixtures, folder):
    if name in NOT_ALL:
        print(f"== {name}: not judged: {NOT_ALL[name]}", flush=True)
        return True
    expected, ours = fixtures / "expect" / f"{name}.stacks.txt", folder / f"{name}.txt"
    with open(ours, "wb") as out:
        files = fixtures / "stacks" / name.split("_", maxsplit=1)[0]
        subprocess.run([tool, "script", "-q", "--no-inline", "--offline", "--symfs", files, "-F", FIELDS,
                        fixtures / "stacks" / f"{name}.data"], stdout=out, check=True)
    judges = []
    if name not in TRUTH:
        judges.append(["compare.py", "--strict-names"])
    if name not in PERF:
        # One copy of ppc_plain is too short.
        judges.append(["truth.py", "--at-least", "5", "--cut", "1" if name == "ppc_plain" else "0"])
    print(f"== {name}", flush=True)
    done = [subprocess.run([sys.executable, HERE / script, expected, ours, *options], check=False)
            for script, *options in judges]
    return all(judge.returncode == 0 for judge in done)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("perfdata", type=pathlib.Path, help="the tool")
    options.add_argument("fixtures", type=pathlib.Path, help="the folder")
    options.add_argument("names", nargs="*", help="default: all")
    chosen = options.parse_args()
    known = {*PERF_AND_TRUTH, *PERF, *TRUTH, *NOT_ALL}
    there = {path.stem for path in (chosen.fixtures / "stacks").glob("*.data")}
    if known != there:
        raise SystemExit(f"nobody judges, or not there: {' '.join(sorted(known ^ there))}")
    with tempfile.TemporaryDirectory() as folder:
        wrong = [name for name in chosen.names or sorted(known)
                 if not right(name, chosen.perfdata, chosen.fixtures, pathlib.Path(folder))]
    if wrong:
        print("wrong:", *wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
