#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the programs of this folder, records them with copies of their stacks, and compares what perfdata unwinds.

    run.py PERFDATA [CASE...] [--keep DIR] [--list]

Each case is judged by perf (compare.py), by itself (truth.py), by what calls what in it (chains.py), or by frame
pointers of the same run (shares.py).
Exit status: 0 if all cases are right, 1 if not, 77 if perf cannot record here.
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = "comm,tid,time,event,ip,sym,dso"
DWARF = ["-e", "cpu-clock:u", "--call-graph", "dwarf,8192", "-F", "3999"]
# Ways are longer than that.
DWARF_LONG = ["-e", "cpu-clock:u", "--call-graph", "dwarf,24576", "-F", "1999"]
LIBRARY = ["-shared", "-fPIC", "-O2"]
M32 = ["-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]
NO_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-exceptions", "-fno-rtti"]
TRUTH = ["-fno-optimize-sibling-calls"]


class Case:
    """A program, how it is built and recorded, and who judges.

    after(folder, program) changes the program. libraries: (file, source, flags). names: False where perf has no names,
    and ours may. least: percent that must be right. optional: skipped, with a word, where it cannot be built. ends_at:
    see truth.py."""

    def __init__(self, name, source, flags, arguments, judge="perf", *, record=None, compiler="g++", libraries=(),
                 after=None, environment=None, names=True, least=99.5, optional=False, ends_at=None, chains=()):
        self.name, self.source, self.flags, self.arguments, self.judge = name, source, flags, arguments, judge
        self.record = record or (DWARF_LONG if judge == "truth" else DWARF)
        self.chains = chains
        self.compiler, self.libraries, self.after, self.names, self.least = compiler, libraries, after, names, least
        self.environment, self.optional, self.ends_at = environment or {}, optional, ends_at


def run(command, log, **more):
    """Runs, and fails with the output if the command does."""
    with open(log, "ab") as out:
        done = subprocess.run([str(word) for word in command], stdout=out, stderr=out, check=False, **more)
    if done.returncode != 0:
        text = pathlib.Path(log).read_text(errors="replace")[-3000:]
        raise RuntimeError(f"{shlex.join(str(word) for word in command)}: status {done.returncode}\n{text}")


def mini_debug_info(folder, program):
    """Strips a program, with the symbols of its functions in .gnu_debugdata, as Fedora does."""
    log = folder / "log"
    names = {}
    for option in ("-D", "-a"):
        listed = subprocess.run(["nm", option, "--format=posix", "--defined-only", program], capture_output=True,
                                text=True, check=True).stdout
        names[option] = {line.split()[0] for line in listed.splitlines() if line.split()[1] in "TtD"}
    (folder / "keep").write_text("\n".join(sorted(names["-a"] - names["-D"])))
    run(["objcopy", "-S", "--remove-section=.comment", f"--keep-symbols={folder / 'keep'}", "--only-keep-debug",
         program, folder / "mini"], log)
    run(["objcopy", "-S", f"--keep-symbols={folder / 'keep'}", folder / "mini", folder / "mini2"], log)
    run(["xz", "-f", folder / "mini2"], log)
    run(["strip", "--strip-all", program], log)
    run(["objcopy", "--add-section", f".gnu_debugdata={folder / 'mini2.xz'}", program], log)


def separate_debug_file(folder, program):
    """Moves all that is not loaded, .debug_frame as well, into PROGRAM.debug."""
    debug = f"{program}.debug"
    run(["objcopy", "--only-keep-debug", program, debug], folder / "log")
    run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", program], folder / "log")


def stripped(folder, program):
    run(["strip", program], folder / "log")


PLUGINS = (("libalpha.so", "plugin.cpp", ["-DNAME=alpha", "-DBEFORE=1"]),
           ("libbeta.so", "plugin.cpp", ["-DNAME=beta", "-DBEFORE=5"]))
TRUTH_LIBRARY = (("libtruth.so", "truth_library.cpp", []),)
HERE_LIBRARIES = ["-Wl,-rpath,$ORIGIN", "-L{folder}"]
CASES = (
    Case("calls_O0", "calls.cpp", ["-O0"], ["3000"]),
    Case("calls_O2", "calls.cpp", ["-O2"], ["6000"]),
    Case("calls_static", "calls.cpp", ["-O3", "-static-pie", "-fcf-protection=full"], ["6000"]),
    Case("calls_mini", "calls.cpp", ["-Os", "-fno-omit-frame-pointer"], ["4000"], after=mini_debug_info, names=False),
    Case("throws", "throws.cpp", ["-O2"], ["30000"]),
    Case("signals", "signals.cpp", ["-O2"], ["3000"]),
    Case("tasks", "tasks.cpp", ["-O1"], ["10000"]),
    Case("clocks", "clocks.cpp", ["-O2"], ["150000"]),
    Case("loads", "loads.cpp", ["-O2"], ["60", "{folder}/libalpha.so", "{folder}/libbeta.so"], libraries=PLUGINS),
    Case("binding", "binding.cpp", ["-O2", *HERE_LIBRARIES, "-lalpha", "-Wl,-z,lazy"], ["60000"], libraries=PLUGINS,
         environment={"LD_BIND_NOT": "1"}),
    Case("truth_O0", "truth.cpp", ["-O0", *TRUTH, "-DTRUTH_LIBRARY", *HERE_LIBRARIES, "-ltruth"], ["8000"], "truth",
         libraries=TRUTH_LIBRARY),
    Case("truth_O2", "truth.cpp", ["-O2", *TRUTH, "-DTRUTH_LIBRARY", *HERE_LIBRARIES, "-ltruth"], ["8000"], "truth",
         libraries=TRUTH_LIBRARY),
    Case("truth_mini", "truth.cpp", ["-Os", *TRUTH], ["8000"], "truth", after=mini_debug_info),
    Case("truth_debug_frame", "truth.cpp", ["-O2", "-g", *TRUTH, *NO_TABLES], ["8000"], "truth",
         after=separate_debug_file),
    Case("truth_clang", "truth.cpp", ["-O2", *TRUTH], ["8000"], "truth", compiler="clang++-19", optional=True),
    # Handlers return into the vdso of 32 bits, which only a process of 32 bits could show.
    Case("truth_i386", "truth.cpp", ["-O2", *TRUTH, *M32], ["8000"], "truth", optional=True, ends_at="on_signal"),
    # Code without descriptions: frame pointers lead on where there are some, else the stack ends.
    Case("bare", "bare.cpp", ["-O2"], ["40000"], "chains",
         chains=("back bare_frames calls main", "bare_frames calls main", "calls main", "back bare_frameless",
                 "bare_frameless")),
    Case("shares", "../../calls/main.cpp", ["-O0"], ["20000"], "shares",
         record=["-e", "task-clock/freq=3999,call-graph=dwarf,stack-size=8192/u",
                 "-e", "cpu-clock/freq=3999,call-graph=fp/u"]),
)


def build(case, folder):
    """Returns the program, or None if it is optional and cannot be built."""
    log = folder / "log"
    flags = [flag.format(folder=folder) for flag in case.flags]
    libraries = [word for word in flags if word.startswith("-l")]
    flags = [word for word in flags if not word.startswith("-l")]
    command = [case.compiler, "-std=c++20", "-pthread", f"-ffile-prefix-map={HERE}=."]
    program = folder / case.name
    try:
        for name, source, more in case.libraries:
            if not (folder / name).exists():
                run([*command, *LIBRARY, *more, HERE / "programs" / source, "-o", folder / name], log)
        run([*command, *flags, HERE / "programs" / case.source, "-o", program, *libraries], log)
    except (RuntimeError, FileNotFoundError) as problem:
        if not case.optional:
            raise
        print(f"{case.name}: skipped, cannot be built here: {str(problem).splitlines()[0][:200]}")
        return None
    if case.after:
        case.after(folder, program)
    return program


def script(tool, arguments, output, folder):
    with open(output, "wb") as out, open(folder / "log", "ab") as log:
        subprocess.run([*tool, *arguments], stdout=out, stderr=log, check=True)


def judge(case, tool, folder):
    """Builds, records and compares; returns whether all is right, None if skipped."""
    program = build(case, folder)
    if program is None:
        return None
    data = folder / f"{case.name}.data"
    arguments = [word.format(folder=folder) for word in case.arguments]
    run(["perf", "record", "-q", "-B", "-N", *case.record, "-o", data, program, *arguments], folder / "log",
        env={**os.environ, **case.environment})
    perf, ours = folder / f"{case.name}.perf.txt", folder / f"{case.name}.ours.txt"
    fields = FIELDS + (",uregs" if case.judge == "truth" else "")
    script(["perf"], ["script", "--no-inline", "-F", fields, "-i", data], perf, folder)
    script(tool, ["script", "-q", "--no-inline", "--allow-local", "-F", FIELDS, data], ours, folder)
    command = {"perf": ["compare.py", "--at-least", str(case.least), *(["--strict-names"] if case.names else [])],
               "truth": ["truth.py", *(["--ends-at", case.ends_at] if case.ends_at else [])],
               "chains": ["chains.py", *case.chains],
               "shares": ["shares.py"]}[case.judge]
    sys.stdout.flush()
    return subprocess.run([sys.executable, HERE / command[0], perf, ours, *command[1:]], check=False).returncode == 0


def can_record(folder):
    done = subprocess.run(["perf", "record", "-q", "-B", "-N", *DWARF, "-o", folder / "try.data", "true"], check=False,
                          capture_output=True, text=True)
    if done.returncode != 0:
        print("skipped: perf cannot record here:", done.stderr.strip()[-300:])
    return done.returncode == 0


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("perfdata", help="the tool")
    options.add_argument("cases", nargs="*", help="default: all")
    options.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="leave programs, recordings and texts here")
    options.add_argument("--list", action="store_true", help="say which cases there are")
    chosen = options.parse_args()
    if chosen.list:
        print(*(f"{case.name:20} {case.source} {' '.join(case.flags)}" for case in CASES), sep="\n")
        return 0
    unknown = set(chosen.cases) - {case.name for case in CASES}
    if unknown:
        raise SystemExit(f"no such case: {' '.join(sorted(unknown))}")
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        folder = folder.resolve()
        if not can_record(folder):
            return 77
        for case in CASES:
            if chosen.cases and case.name not in chosen.cases:
                continue
            print(f"== {case.name}")
            if judge(case, [chosen.perfdata], folder) is False:
                wrong.append(case.name)
    if wrong:
        print("wrong:", *wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
