#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check_recorded.py TOOL FIXTURES: programs that perf records here. A function made twice as slow, and one that is gone,
# are named first; of ten runs of one program nothing stands out. Skipped (77) where perf may not record.
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

from differ import Differ, row_of

RUNS = 5  # on each side
SECONDS = 0.5  # of each run: about 1,000 samples, of which the planted change is 60
SOURCE = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static volatile uint64_t sink;
#define WORK(name, rounds) \
    __attribute__((noinline)) void name(void) { \
        uint64_t value = sink; /* each step waits for the one before, and for no memory: runs take alike */ \
        for (uint64_t at = 0; at < (rounds); ++at) value = value * 6364136223846793005u + at; \
        sink = value; \
    }
WORK(steady_one, 300000)
WORK(steady_two, 250000)
WORK(steady_three, 200000)
WORK(steady_four, 150000)
WORK(suspect, SLOW * 60000)
#ifndef REMOVED
WORK(doomed, 100000)
#endif
int main(int count, char** words) {
    for (int rounds = count > 1 ? atoi(words[1]) : 0; rounds > 0; --rounds) {
        steady_one(); steady_two(); steady_three(); steady_four(); suspect();
#ifndef REMOVED
        doomed();
#endif
    }
    return sink == 1;
}
"""

differ = Differ(sys.argv[1])


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def build(folder, name, *defines):
    # Each in a directory of its own: functions are paired by the name of the file.
    home = folder / name
    home.mkdir()
    (home / "work.c").write_text(SOURCE)
    command = ["cc", "-O1", "-g", "-Wl,--build-id", *defines, "-o", str(home / "work"), str(home / "work.c")]
    if subprocess.run(command).returncode != 0:
        skip("no C compiler")
    return home / "work"


def rounds_for(program, seconds):
    """How many rounds take so long here: the same loop takes one machine four times as long as another."""
    rounds = 50
    while True:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, str(rounds)], check=True)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if took > seconds / 10:
            return max(1, round(rounds * seconds / took))
        rounds *= 2


def record(program, rounds, file):
    command = ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "1997", "-o", str(file), "--", str(program), rounds]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0 or not file.exists():
        skip("perf may not record: " + done.stderr.decode(errors="replace")[:200])
    return file


def main():
    if shutil.which("perf") is None or shutil.which("cc") is None:
        skip("no perf or no cc")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        programs = {
            "old": build(folder, "old", "-DSLOW=1"),
            "slow": build(folder, "slow", "-DSLOW=2"),
            "gone": build(folder, "gone", "-DSLOW=1", "-DREMOVED"),
        }
        files = {"old": [], "again": [], "slow": [], "gone": []}
        rounds = str(rounds_for(programs["old"], SECONDS))
        # They take turns, so that what else runs hits all alike.
        for run in range(RUNS):
            for name in files:
                program = programs["old" if name == "again" else name]
                files[name].append(record(program, rounds, folder / f"{name}{run}.data"))
        names = ("--kind", "user", "--dso", "work")

        # Two recordings alone: what else runs may hide the change in one pair, not in most.
        firsts = []
        for first, second in zip(files["old"], files["slow"]):
            diff = differ.compare(first, second, *names)
            assert diff["rebuilt"] == ["work"], diff["rebuilt"]
            firsts.append(diff["rows"][0])
        named = [row for row in firsts
                 if row["symbol"] == "suspect" and row["noise"] == "changed" and row["delta"] > 2]
        assert 2 * len(named) > RUNS, firsts
        firsts = [differ.compare(first, second, *names)["rows"][0] for first, second in zip(files["old"], files["gone"])]
        named = [row for row in firsts if row["symbol"] == "doomed" and row["change"] == "removed"]
        assert 2 * len(named) > RUNS, firsts

        several = ("--old", *files["old"], "--new")
        slow = differ.compare(*several, *files["slow"], *names)
        assert slow["test"]["type"] == "permutation" and slow["test"]["splits"] == 252, slow["test"]
        assert slow["rows"][0]["symbol"] == "suspect" and slow["rows"][0]["noise"] == "changed", slow["rows"][:3]
        # Work that did not change keeps its time, if that is what is counted.
        same_work = differ.compare(*several, *files["slow"], *names, "--normalize", "none")
        suspect, steady = row_of(same_work, "suspect"), row_of(same_work, "steady_one")
        assert 1.5 < suspect["ratio"] < 2.7, suspect
        assert 0.6 < steady["ratio"] < 1.6, steady
        gone = differ.compare(*several, *files["gone"], *names)
        assert gone["rows"][0]["symbol"] == "doomed" and gone["rows"][0]["noise"] == "changed", gone["rows"][:3]

        # Ten runs of one program. By chance one comparison in twenty has a mark: a second one decides.
        again = differ.compare(*several, *files["again"], *names)
        if Differ.changed(again):
            mixed = files["old"] + files["again"]
            again = differ.compare("--old", *mixed[::2], "--new", *mixed[1::2], *names)
        assert not Differ.changed(again), Differ.changed(again)

        condition = ("--fail-if", "delta > 2% symbol = sus* noise = no")
        differ.run(*several, *files["slow"], *names, *condition, status=4)
        differ.run(*several, *files["again"], *names, *condition, status=0)
    print("a planted change is named, and nothing else is")


main()
