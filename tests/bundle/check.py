#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py WHAT TOOL FIXTURES COMPILER: bundles end to end. Exit status 77: what it takes is not here.

  elsewhere  a bundle in an empty root says what the recording says here, and what the bundle says here
  fixtures   the same for every fixture
  kernel     the same for code of the kernel
  unwound    the same for stacks that are unwound
  missing    an object that is gone, or was built again, is named, with who needs it
  sources    source files that stay out, and those that are not shown, are told
  stripped   the debug file of a program without names is missing; that of others is left out
  reduced    a bundle without debug files, or without user stacks, says so
  roots      a process in another root, alive and with --root
  jit        perf maps and jitdumps
  modes      which permissions a bundle gets
  secrets    what only the collecting user may read stays out, whatever programs and links of others name
  perf       perf reads what a bundle unpacks to
  anonymized names of the kernel of a directory recording, hashed
  losses     what could not be read of a recording is told of its anonymized copy
  outputs    equal bytes twice, full disks, pipes
  damaged    a bundle with a damaged member, packed again
  changed    recordings that are written to, cut or replaced while they are packed
  check      --check and its JSON
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import (COMPILER, ENVIRONMENT, FIXTURES, SCRATCH, TOOL, WORK, build, complain, content, fixture, folder, main, mode_of,
                    needs_perf, record, run, skip, written)
from secret_sources import NOBODY, attack


PYTHON = shutil.which("python3", path="/usr/bin") or sys.executable  # that other users may run


def needs_roots():
    if run("unshare", "-r", "true", check=False).returncode != 0:
        skip("no user namespaces here")


def collect(recording, bundle, *options, check=True):
    return run(TOOL, "collect", *options, "-o", bundle, os.path.basename(recording), cwd=os.path.dirname(recording), check=check)


def libraries(path):
    found = set()
    for line in run("ldd", path, check=False).stdout.splitlines():
        for word in line.split():
            if word.startswith("/"):
                found.add(word)
    return found


def empty_root(name):
    """Returns a directory with the tool, the libraries that it loads, and nothing else."""
    root = folder(name)
    wanted = libraries(TOOL)
    # It loads these when it needs them.
    for line in run("/sbin/ldconfig", "-p").stdout.splitlines():
        if re.match(r"\s*lib(archive|capstone|dw|elf|bpf|sodium)\.so\.[0-9]+ ", line):
            loaded = line.split()[-1]
            wanted |= {loaded} | libraries(loaded)
    for library in sorted(wanted):
        target = root + library
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(library, target)
    shutil.copy(TOOL, os.path.join(root, "perfdata"))
    os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
    return root


COMMANDS = [
    ("report",),
    ("report", "--json"),
    ("report", "--no-children", "--sort", "symbol,srcline"),
    ("annotate",),
    ("annotate", "--json"),
    ("annotate", "--format", "html", "-o", "-"),
    ("export", "--format", "folded"),
    ("export", "--format", "callgrind"),
]


def said(command, cwd):
    """Returns what a command says of the perf.data there."""
    done = run(TOOL, *command, "perf.data", cwd=cwd, check=False, text=False)
    return done.returncode, done.stdout


def said_in_root(command, root):
    done = run("unshare", "-r", "chroot", root, "/perfdata", *command, "perf.data", check=False, text=False)
    return done.returncode, done.stdout, done.stderr


def different(name, one, other):
    if one == other:
        return
    with open(os.path.join(SCRATCH, "one"), "wb") as file:
        file.write(one[1])
    with open(os.path.join(SCRATCH, "other"), "wb") as file:
        file.write(other[1])
    difference = run("diff", "-a", "one", "other", check=False, text=False).stdout[:3000].decode(errors="replace")
    complain(f"{name}: status {one[0]} and {other[0]}\n{difference}")


def compare(name, recording, root, options=("--with-sources",), commands=None, names=()):
    """Packs a recording, and compares what it says here, packed here, and packed in an empty root."""
    packed = folder(name + ".packed")
    bundle = os.path.join(packed, "perf.data")
    done = collect(recording, bundle, *options, *names, check=False)
    if done.returncode != 0:
        return complain(f"{name}: collect: {done.returncode} {done.stderr}")
    shutil.copy(bundle, os.path.join(root, "perf.data"))
    for command in commands or COMMANDS:
        what = f"{name}: {' '.join(command)}"
        here = said((*command, *names), os.path.dirname(recording))
        of_bundle = said(command, packed)
        *in_root, messages = said_in_root(command, root)
        different(what + ": of the recording, of the bundle", here, of_bundle)
        different(what + ": of the bundle, in an empty root", of_bundle, tuple(in_root))
        if in_root[0] not in (0, here[0]):
            complain(f"{what}: {messages.decode(errors='replace')}")
    return bundle


def test_elsewhere():
    needs_perf()
    needs_roots()
    program = build("work")
    recording = record(folder("plain"), program, "3000")
    root = empty_root("root")
    compare("plain", recording, root)
    text = said_in_root(("annotate",), root)[1].decode()
    if "turn" not in text or "mix" not in text or "value ^= value << 13" not in text:
        complain(f"plain: no names, inlined calls or source text in an empty root:\n{text[:1000]}")
    # Debug information apart, and compressed.
    apart = build("apart", "-gz")
    run("objcopy", "--only-keep-debug", apart, apart + ".debug")
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={apart}.debug", apart)
    compare("apart", record(folder("apart"), apart, "3000"), root)
    if "mix" not in said_in_root(("annotate", "--json"), root)[1].decode():
        complain("apart: no inlined calls of a debug file")
    # Full debug information says the same.
    compare("full", recording, root, options=("--with-sources", "--with-debug", "full"))
    sizes = {}
    for detail in ("none", "lines", "full"):
        bundle = os.path.join(SCRATCH, f"detail.{detail}")
        collect(recording, bundle, "--with-debug", detail)
        sizes[detail] = os.path.getsize(bundle)
    if not sizes["none"] < sizes["lines"] < sizes["full"]:
        complain(f"sizes by debug information: {sizes}")


def test_fixtures():
    needs_roots()
    root = empty_root("root")
    for path, _, names in sorted(os.walk(FIXTURES)):
        for name in sorted(names):
            if not name.endswith(".data"):
                continue
            here = folder("fixture." + name)
            recording = os.path.join(here, "perf.data")
            shutil.copy(os.path.join(path, name), recording)
            if "no samples" in run(TOOL, "report", recording, check=False).stderr:
                continue  # statistics of the scheduler: no command that shows code takes it
            for beside in names:
                if beside.endswith((".dump", ".map", ".so")):
                    shutil.copy(os.path.join(path, beside), here)
            compare("fixture." + name, recording, root, commands=[("report",), ("annotate", "--json")])
    for name in ("records/threads.dir", "records/v72_threads.dir"):
        here = folder("fixture." + os.path.basename(name))
        shutil.copytree(os.path.join(FIXTURES, name), os.path.join(here, "perf.data"), dirs_exist_ok=True)
        compare(name, os.path.join(here, "perf.data"), root, commands=[("report",), ("annotate", "--json")])


def test_kernel():
    needs_perf()
    needs_roots()
    if os.geteuid() != 0:
        skip("the kernel's names are root's")
    # Of this process alone: files of others, of other tests for example, may go while this looks at them.
    recording = record(folder("kernel"), "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=40000",
                       options=("-g", "-e", "cpu-clock"))
    root = empty_root("root")
    compare("kernel", recording, root)


def test_losses():
    """A copy of a damaged recording is whole: what was lost before is told of the bundle, and not forgotten."""
    whole = content(fixture("records/group"))
    cut = written(os.path.join(SCRATCH, "cut.data"), whole[:len(whole) * 2 // 3])
    for name, recording, lost in (("whole", fixture("records/group"), False), ("cut", cut, True)):
        first, second = (os.path.join(SCRATCH, f"{name}{number}") for number in (1, 2))
        collect(recording, first, "--anonymize", "--offline")
        collect(first, second, "--anonymize", "--offline")
        for bundle in (first, second):
            for command in (("report",), ("script",), ("info", "--completeness")):
                done = run(TOOL, *command, "--strict", bundle, check=False)
                if done.returncode != (3 if lost else 0) or ("could not be read when this" in done.stderr) != lost:
                    complain(f"losses: {command[0]} of {os.path.basename(bundle)}: {done.returncode} {done.stderr}")


def test_anonymized():
    needs_perf()
    needs_roots()
    if os.geteuid() != 0:
        skip("the kernel's names are root's")
    # As perf record --kcore leaves it, where there is a /proc/kcore.
    recording = folder("anonymized/perf.data")
    file = record(recording, "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=20000", options=("-g", "-e", "cpu-clock"))
    os.rename(file, os.path.join(recording, "data"))
    with open("/proc/kallsyms", encoding="utf-8") as names, open(folder("anonymized/perf.data/kcore_dir") + "/kallsyms", "w",
                                                                 encoding="utf-8") as copy:
        copy.write(names.read())
    root = empty_root("root")
    bundle, whole, again = (os.path.join(SCRATCH, name) for name in ("bundle", "whole", "again"))
    collect(recording, bundle, "--anonymize")
    index = json.loads(run("tar", "--zstd", "-xOf", bundle, "bundle.json").stdout)
    kinds = {one["kind"] for one in index["members"]}
    if "kallsyms" not in kinds or "kcore_dir" in json.dumps(index):
        complain(f"anonymized: {sorted(kinds)}: {index}")
    # Of a bundle nobody knows which pieces of the kernel's memory are needed.
    with open(recording + "/kcore_dir/kcore", "w", encoding="ascii") as copy:
        copy.write("code\n")
    collect(recording, whole)
    told = collect(whole, again, "--anonymize").stderr
    if "missing: /proc/kcore" not in told:
        complain(f"anonymized again: the copy of the kernel's memory is left out without a word: {told}")
    for one in (bundle, again):
        shutil.copy(one, os.path.join(root, "perf.data"))
        text = said_in_root(("report", "--no-children", "-g", "none"), root)[1].decode()
        if "n_" not in text:
            complain(f"anonymized: no names of the kernel in {one}:\n{text[:2000]}")


def test_unwound():
    needs_perf()
    needs_roots()
    program = build("work", "-fomit-frame-pointer")
    recording = record(folder("unwound"), program, "2000", options=("--call-graph", "dwarf,4096", "-e", "cpu-clock:u"))
    root = empty_root("root")
    compare("unwound", recording, root)
    text = said_in_root(("report", "--no-children", "-g", "folded,0,caller,count"), root)[1].decode()
    if "main;" not in text:
        complain(f"unwound: no callers in an empty root:\n{text[:1000]}")


def test_missing():
    needs_perf()
    program = build("work")
    recording = record(folder("gone"), program, "2000")
    kept = program + ".kept"
    os.rename(program, kept)
    bundle = os.path.join(SCRATCH, "bundle")
    for how, why in (("gone", "not_found"), ("built again", "build_id_differs")):
        done = collect(recording, bundle, "--strict", check=False)
        if done.returncode != 3 or program not in done.stderr or "command work" not in done.stderr:
            complain(f"{how}: status {done.returncode}: {done.stderr}")
        page = json.loads(run(TOOL, "collect", "--check", "--json", recording).stdout)
        missing = [one for one in page["missing"] if one["path"] == program]
        if len(missing) != 1 or missing[0]["why"] != why or missing[0]["samples"] == 0 or "work" not in missing[0]["commands"]:
            complain(f"{how}: {page['missing']}")
        text = run(TOOL, "report", bundle)
        if program not in text.stderr:
            complain(f"{how}: the bundle does not say what it lacks: {text.stderr}")
        build("work", "-O1")
    shutil.move(kept, program)
    if collect(recording, bundle, "--strict", check=False).returncode != 0:
        complain("found again, and still missing")


def copied_work(name):
    """Returns a program and its source, which nothing else uses: libraries may have debug files here, and no sources."""
    here = folder(name)
    source = shutil.copy(WORK, os.path.join(here, "main.cpp"))
    os.utime(source, (1, 1))
    program = os.path.join(here, "work")
    run(COMPILER, "-O2", "-g", "-static", "-fno-omit-frame-pointer", "-Wl,--build-id", source, "-o", program)
    return program, source


def left_out(page, words):
    return [one for one in page["left_out"] if words in one["what"]]


def test_sources():
    needs_perf()
    program, source = copied_work("sourced")
    recording = record(folder("sourced"), program, "3000")
    bundle = os.path.join(SCRATCH, "sources.zst")
    mine = ("--dso", os.path.basename(program))

    def told(why, state):
        words = re.compile(rf"\d source files? that (is|are) {why}.*: --source-dir DIR takes (it|them)")
        done = collect(recording, bundle, "--with-sources", "--strict", check=False)
        if done.returncode != 3 or len([line for line in done.stderr.splitlines() if words.search(line) and source in line]) != 1:
            complain(f"collect --with-sources, {state}: {done.returncode} {done.stderr}")
        page, _, text = checked(recording, "--with-sources")
        if [source in one["examples"] for one in left_out(page, "source files that are " + why)] != [True]:
            complain(f"collect --check --json, {state}: {page['left_out']}")
        if not words.search(text) or source not in text:
            complain(f"collect --check, {state}:\n{text}")
        info = run(TOOL, "info", bundle).stdout
        if not words.search(info) or "source files asked for, and none packed" not in info:
            complain(f"info of the bundle, {state}: {info[:2000]}")
        if left_out(checked(recording)[0], "source files"):
            complain(f"sources that nobody asked for, {state}")

    def shown(words, state, *options):
        plain = run(TOOL, "annotate", *mine, *options, recording)
        if len([line for line in plain.stderr.splitlines() if words in line and "main.cpp" in line]) != (1 if words else 0):
            complain(f"annotate {options}, {state}: {plain.stderr}")
        if run(TOOL, "annotate", "--quiet", *mine, recording).stderr:
            complain(f"annotate --quiet, {state}")
        return plain

    for arguments in ((), ("--json",)):
        done = run(TOOL, "annotate", *mine, *arguments, recording)
        if "main.cpp" in done.stderr:
            complain(f"annotate of sources that are here: {done.stderr}")
    os.utime(source)
    told("newer than the program", "newer")
    for options in ((), ("--json",), ("--format", "html", "-o", "page.html")):
        shown("the text of 1 source file is not shown: it is newer than the program", "newer", *options)
    if "value << 13" not in run(TOOL, "annotate", *mine, "--source-dir", os.path.dirname(source), recording).stdout:
        complain("--source-dir does not take a newer file")
    done = collect(recording, bundle, "--with-sources", "--source-dir", os.path.dirname(source))
    if source in done.stderr or "main.cpp" in run(TOOL, "annotate", *mine, bundle).stderr:
        complain(f"--source-dir takes it, and it is told: {done.stderr}")
    hidden = source + ".hidden"
    os.rename(source, hidden)
    told("not here", "gone")
    page = shown("the text of 1 source file is not here", "gone")
    if "is not here" in page.stdout:
        complain("what is not here is in the listing")
    os.rename(hidden, source)


def test_stripped():
    needs_perf()
    here = folder("stripped")
    for name, options in (("bare", ()), ("named", ("-rdynamic",))):
        program = build(name, *options, where="stripped")
        run("objcopy", "--only-keep-debug", program, program + ".debug")
        run("strip", program)
        run("objcopy", f"--add-gnu-debuglink={program}.debug", program)
        recording = record(folder("stripped/" + name + ".recorded"), program, "3000")
        if checked(recording)[0]["missing"]:
            complain(f"{name}: its debug file is here, and missing")
        hidden = folder("stripped/hidden") + f"/{name}.debug"
        os.rename(program + ".debug", hidden)
        page, files, text = checked(recording)
        missing = [one for one in page["missing"] if one["kind"] == "debug"]
        if name == "bare":
            debug = missing[0] if len(missing) == 1 else {"path": None}
            if debug["path"] != "bare.debug" or debug["why"] != "not_found" or debug["samples"] != files[program]["samples"]:
                complain(f"a program without names: {page['missing']}")
            elif program not in debug["reason"] or "--debug-dir" not in debug["remedy"]:
                complain(f"a program without names: {debug}")
            if "nothing is missing" in text or "bare.debug" not in text:
                complain(f"a program without names:\n{text}")
            bundle = os.path.join(here, "bundle")
            if collect(recording, bundle, "--strict", check=False).returncode != 3:
                complain("a program without names: --strict")
            if "bare.debug" not in run(TOOL, "report", bundle).stderr:
                complain("the bundle does not say that it lacks a debug file")
            if checked(recording, "--debug-dir", os.path.dirname(hidden))[0]["missing"]:
                complain("--debug-dir does not supply what is missing")
        elif missing or [program in one["examples"] for one in left_out(page, "debug files that are not here")] != [True]:
            complain(f"a program that names its functions itself: {missing} {page['left_out']}")


def test_reduced():
    needs_perf()
    program = build("reduced")
    run("objcopy", "--only-keep-debug", program, program + ".debug")
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={program}.debug", program)
    recording = record(folder("reduced"), program, "3000")
    for options, remedy in ((("--with-debug", "none"), "collect again with --with-debug lines"),
                            (("--anonymize",), "collect again without --anonymize"), ((), "")):
        bundle = os.path.join(SCRATCH, "reduced.zst")
        collect(recording, bundle, *options)
        for command in (("report",), ("annotate", "--json")):
            messages = run(TOOL, *command, bundle).stderr
            notes = [line for line in messages.splitlines() if " left out of the bundle" in line]
            if len(notes) != (1 if remedy else 0) or (remedy and remedy not in notes[0]):
                complain(f"{command} of a bundle {options}: {messages}")
        if " left out of the bundle" in run(TOOL, "report", "--quiet", bundle).stderr:
            complain("--quiet tells what was left out")
    stacks = record(folder("reduced.stacks"), program, "3000", options=("--call-graph", "dwarf,4096", "-e", "cpu-clock:u"))
    messages = collect(stacks, os.path.join(SCRATCH, "reduced.zst"), "--anonymize").stderr
    if not re.search(r"dropped_user_stacks: callers .* are gone; a recording with -g ", messages):
        complain(f"--anonymize drops callers without a word: {messages}")


def root_with(program):
    root = folder("other")
    for library in libraries(program):
        target = root + library
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(library, target)
    shutil.copy(program, os.path.join(root, "inside"))
    return root


def test_roots():
    needs_perf()
    needs_roots()
    program = build("work", "-static")
    root = root_with(program)
    os.remove(program)
    here = folder("rooted")
    recording = os.path.join(here, "perf.data")
    # The process lives on, waiting for its input.
    fifo = os.path.join(SCRATCH, "fifo")
    os.mkfifo(fifo)
    kept = os.open(fifo, os.O_RDWR)
    script = f"unshare -r chroot {root} /inside 20000 wait <{fifo} >{SCRATCH}/done 2>&1 & sleep 2; echo $!"
    pid = run("perf", "record", "-q", "-N", "--buildid-mmap", "-F", "999", "-g", "-e", "cpu-clock:u", "-o", recording,
              "--", "sh", "-c", script).stdout.split()[-1]
    bundle = os.path.join(SCRATCH, "bundle")
    try:
        alive = json.loads(run(TOOL, "collect", "--check", "--json", recording).stdout)
        if f"/proc/{pid}/root/inside" not in [one.get("from") for one in alive["files"]]:
            complain(f"alive: {alive['files']} {alive['missing']}")
        collect(recording, bundle)
        if "turn" not in run(TOOL, "report", bundle).stdout:
            complain(f"alive: no names\n{run(TOOL, 'report', bundle).stdout}")
    finally:
        os.write(kept, b"\n")
        run("sh", "-c", f"kill {pid}", check=False)
        os.close(kept)
    time.sleep(0.5)
    collect(recording, bundle, "--root", f"{pid}={root}")
    if "turn" not in run(TOOL, "report", bundle).stdout:
        complain(f"--root {pid}={root}: no names\n{run(TOOL, 'report', bundle).stdout}")
    without = collect(recording, bundle, "--strict", check=False)
    if without.returncode != 3 or "/inside" not in without.stderr:
        complain(f"without --root: {without.returncode} {without.stderr}")
    # A file that is not the recorded one is not taken.
    build("other")
    shutil.copy(os.path.join(SCRATCH, "programs", "other"), os.path.join(root, "inside"))
    wrong = collect(recording, bundle, "--strict", "--root", f"{pid}={root}", check=False)
    if wrong.returncode != 3 or "/inside" not in wrong.stderr:
        complain(f"another file in --root: {wrong.returncode} {wrong.stderr}")


    # Objects without a build id: the file of the process's root, not the one here.
    program = build("twin", "-static")
    inside = root + program
    os.makedirs(os.path.dirname(inside), exist_ok=True)
    shutil.copy(program, inside)
    build("twin", "-static", "-Dturn=host_turn")
    plain = os.path.join(folder("without_ids"), "perf.data")
    script = f"echo $$; exec unshare -r chroot {root} {program} 3000"
    pid = run("perf", "record", "-q", "-N", "-B", "-F", "999", "-g", "-e", "cpu-clock:u", "-o", plain, "--", "sh", "-c",
              script).stdout.split()[0]
    collect(plain, bundle, "--allow-local", "--root", f"{pid}={root}")
    text = run(TOOL, "report", bundle).stdout
    if "turn" not in text or "host_turn" in text:
        complain(f"without a build id: names of the file here:\n{text}")
    unsure = collect(plain, bundle, "--root", f"{pid}={root}")
    if "--allow-local" not in unsure.stderr:
        complain(f"without a build id: {unsure.stderr}")
    os.rename(program, program + ".gone")
    page = json.loads(run(TOOL, "collect", "--check", "--json", plain).stdout)
    remedies = [one["remedy"] for one in page["missing"] if one["path"] == program]
    if not remedies or "--root PID=DIR" not in remedies[0] or "--allow-local" not in remedies[0]:
        complain(f"without a build id and file here: {page['missing']}")
    os.rename(program + ".gone", program)
    os.remove(inside)
    gone = collect(plain, bundle, "--allow-local", "--strict", "--root", f"{pid}={root}", check=False)
    if gone.returncode != 3 or "host_turn" in run(TOOL, "report", bundle).stdout:
        complain(f"without a build id and file: {gone.returncode} {gone.stderr}")


def test_jit():
    needs_roots()
    root = empty_root("root")
    here = folder("tinyjit")
    for name in os.listdir(os.path.join(FIXTURES, "jit")):
        shutil.copy(os.path.join(FIXTURES, "jit", name), here)
    for name in ("tinyjit.data", "tinyjit_injected.data"):
        shutil.copy(os.path.join(here, name), os.path.join(here, "perf.data"))
        compare(name, os.path.join(here, "perf.data"), root)
    os.remove(os.path.join(here, "jit-32346.dump"))
    shutil.copy(os.path.join(here, "tinyjit.data"), os.path.join(here, "perf.data"))
    compare("perf map", os.path.join(here, "perf.data"), root)


    # That of a container, whose path may be that of another one.
    root_of = folder("container")
    page = json.loads(run(TOOL, "collect", "--check", "--json", os.path.join(here, "perf.data")).stdout)
    path = [one["path"] for one in page["missing"] if one["kind"] == "jitdump"][0]
    inside = os.path.join(root_of, path.lstrip("/"))
    os.makedirs(os.path.dirname(inside), exist_ok=True)
    shutil.copy(os.path.join(FIXTURES, "jit", "jit-32346.dump"), inside)
    bundle = os.path.join(SCRATCH, "container.tar.zst")
    collect(os.path.join(here, "perf.data"), bundle, "--root", f"32346={root_of}")
    names = run("tar", "--zstd", "-tf", bundle).stdout.split()
    if f"root/proc/32346/root{path}" not in names:
        complain(f"no jitdump of the container: {names}")
    recorded = os.path.join(folder("with_dump"), "perf.data")
    shutil.copy(os.path.join(here, "tinyjit.data"), recorded)
    shutil.copy(os.path.join(FIXTURES, "jit", "jit-32346.dump"), os.path.dirname(recorded))
    if run(TOOL, "annotate", bundle).stdout.count("jit-32346.dump") == 0:
        complain("the dump of the container is not used")
    # A perf map of a container that has ended, where it had another number; and none.
    bare = os.path.join(folder("bare"), "perf.data")
    with open(os.path.join(FIXTURES, "jit/tinyjit.data"), "rb") as file:
        content = file.read()
    with open(bare, "wb") as file:  # nothing announces the dump
        file.write(content.replace(b"jit-32346.dump", b"xxx-32346.dump"))
    shutil.copy(os.path.join(FIXTURES, "jit", "perf-32346.map"), os.path.join(folder("container/tmp"), "perf-1.map"))
    told = collect(bare, bundle, "--perf-map", os.path.join(root_of, "tmp/perf-1.map")).stderr
    if "/tmp/perf-32346.map" not in told or "--root PID=DIR" not in told or "perf-1.map is not used" not in told:
        complain(f"no perf map: {told}")
    told = collect(bare, bundle, "--root", f"32346={root_of}").stderr
    if "root/tmp/perf-32346.map" not in run("tar", "--zstd", "-tf", bundle).stdout or "perf-32346.map" in told:
        complain(f"the only perf map of a container: {told}")
    shutil.copy(os.path.join(root_of, "tmp/perf-1.map"), os.path.join(root_of, "tmp/perf-2.map"))
    told = collect(bare, bundle, "--root", f"32346={root_of}").stderr
    if "root/tmp/perf-32346.map" in run("tar", "--zstd", "-tf", bundle).stdout or "perf-32346.map" not in told:
        complain(f"one of two perf maps of a container: {told}")
    # One that another process wrote is no use, and said.
    with open(inside, "r+b") as dump:
        dump.seek(20)
        dump.write(b"\1\0\0\0")
    wrong = collect(os.path.join(here, "perf.data"), bundle, "--root", f"32346={root_of}")
    if "written by process 1" not in wrong.stderr:
        complain(f"a dump of another process: {wrong.stderr}")


def test_secrets():
    if os.geteuid() != 0:
        skip("not root")
    os.chmod(SCRATCH, 0o755)
    here = folder("linked")
    secret = os.path.join(here, "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("1000 10 SECRET\n" * 200)
    os.chmod(secret, 0o600)
    # A perf map that is a link. No link leads away from the recording in any case.
    for name in ("tinyjit.data", "perf-32346.map"):
        shutil.copy(os.path.join(FIXTURES, "jit", name), here)
    recording = os.path.join(here, "tinyjit.data")
    bundle = os.path.join(SCRATCH, "bundle")
    map_name = os.path.join(here, "perf-32346.map")

    def packs(name, *options):
        done = collect(recording, bundle, "--private", *options)
        unpacked = run("tar", "--zstd", "-xf", bundle, "-O", text=False).stdout
        return name in run("tar", "--zstd", "-tf", bundle).stdout, b"SECRET" in unpacked, done.stderr

    if not packs("perf-32346.map")[0]:
        complain("the perf map is not packed")
    os.remove(map_name)
    os.symlink("secret", map_name)
    if packs("perf-32346.map")[:2] != (True, True):
        complain("a link of one's own does not lead to a perf map")
    os.lchown(map_name, NOBODY, NOBODY)
    *packed, told = packs("perf-32346.map")
    if packed != [False, False] or "link of another user" not in told:
        complain(f"the link of another user: {packed} {told}")
    if "SECRET" in run(TOOL, "report", recording).stdout:
        complain("a report follows the link of another user")
    # A file that is no perf map.
    os.lchown(map_name, 0, 0)
    with open(secret, "w", encoding="ascii") as file:
        file.write("1000 10 name\nSECRET\n")
    if packs("perf-32346.map")[:2] != (True, False):
        complain("a line that names no code is packed")
    needs_perf()
    mounted_map(NOBODY)
    private_map()
    os.remove(map_name)
    attack(packed_secret)
    private_dump()
    private_object()


def living_jit(place, before, after, user):
    """Records a process with memory of its own, as JIT compilers have, whose /tmp is below `place` in mounts of its own. The
    command `before` makes it. At a line of input it becomes the program `after`. Returns it, its number, and the recording."""
    program = os.path.join(SCRATCH, "jit.py")
    with open(program, "w", encoding="ascii") as file:
        file.write("import mmap, os, sys, time\n"
                   "memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_EXEC)\n"
                   "print(os.getpid(), flush=True)\n"
                   "end = time.time() + 2\n"
                   "while time.time() < end: pass\n"
                   "sys.stdin.readline()\n"
                   "if len(sys.argv) > 1: os.execv(sys.argv[1], sys.argv[1:])\n"
                   "time.sleep(60)\n")
    script = (f"text=$(cat {program}) && mount -t tmpfs none {place} && mkdir {place}/tmp && touch {place}/tmp/perf-$$.map && "
              f"{{ {before}; }} && mount --rbind {place}/tmp /tmp && exec {PYTHON} -c \"$text\" {after}")
    # pylint: disable=consider-using-with
    living = subprocess.Popen(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "unshare", "-U", "-r", "-m", "bash",
                               "-c", script], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    pid = living.stdout.readline().strip()
    recording = os.path.join(folder("living_jit"), "perf.data")
    run("perf", "record", "-q", "-N", "-F", "999", "-e", "cpu-clock:u", "-p", pid, "-o", recording, "--", "sleep", "1")
    return living, pid, recording


def mounted_map(user):
    """Perf maps of a process of another user, in mounts of its own."""
    if run("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "unshare", "-U", "-r", "-m", "true",
           check=False).returncode != 0:
        return
    secret = os.path.join(folder("map_secret"), "secret")
    with open(secret, "w", encoding="ascii") as file:
        file.write("1000 10 SECRET\n" * 200)
    os.chmod(secret, 0o600)
    place = os.path.join(SCRATCH, "mounted")
    os.mkdir(place)
    os.chmod(place, 0o777)
    bundle = os.path.join(SCRATCH, "bundle")
    own = f"(umask 077; rm {place}/tmp/perf-$$.map; echo 1000 10 SECRET >{place}/tmp/perf-$$.map)"
    for what, how, after, of, wanted in (("a mounted file of root", f"mount --bind {secret} {place}/tmp/perf-$$.map", "", 0, False),
                                         ("its own", own, "", 0, True),
                                         ("of a recording of another user", own, "", NOBODY, False),
                                         ("which runs another program by now", own, "/bin/sleep 60", 0, False)):
        living, pid, recording = living_jit(place, how, after, user)
        os.chown(recording, of, of)
        living.stdin.write("\n")
        living.stdin.flush()
        while after and content(f"/proc/{pid}/comm") != b"sleep\n":
            time.sleep(0.05)
        told = collect(recording, bundle, "--private", check=False).stderr
        if not collect(recording, bundle + ".without").stderr.count("left out (first: /proc/") and wanted:
            complain(f"a private perf map in a namespace, {what}, without --private: not told")
        if "perf-" in run("tar", "--zstd", "-tf", bundle + ".without").stdout:
            complain(f"a private perf map in a namespace, {what}, is packed without --private")
        living.kill()
        living.wait()
        packed = f"/perf-{pid}.map" in run("tar", "--zstd", "-tf", bundle).stdout
        if packed != wanted or (f"/proc/{pid}/root/tmp/perf-" in told) == wanted:
            complain(f"a perf map in a namespace, {what}: {packed}, {told}")


def private_map():
    """A perf map that only its owner may read, directly in a directory where everybody may put files: as CPython makes them."""
    recording = os.path.join(folder("private_map"), "perf.data")
    program = ("import mmap, os, time\n"
               "memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_EXEC)\n"
               "path = f'/tmp/perf-{os.getpid()}.map'\n"
               "os.write(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), b'1000 10 SECRET\\n')\n"
               "print(path)\n"
               "end = time.time() + 0.5\n"
               "while time.time() < end: pass\n")
    path = run("perf", "record", "-q", "-N", "-F", "999", "-e", "cpu-clock:u", "-o", recording, "--", sys.executable, "-c",
               program).stdout.strip()
    try:
        def is_packed(what, wanted, why=""):
            names, told = members(recording)
            if ("root" + path in names) != wanted or (not wanted and (why not in told or told.count("give it with --perf-map") != 1)):
                complain(f"a private perf map in /tmp, {what}: {names} {told}")

        is_packed("as it was written", True)
        names, told = members(recording, "--allow-local")
        if "root" + path in names or f"(first: {path}): add --private" not in told:
            complain(f"root packs a private perf map without --private: {names} {told}")
        with open(recording, "rb") as stdin:
            os.chown(recording, NOBODY, NOBODY)
            bundle = os.path.join(SCRATCH, "from_stdin")
            done = subprocess.run([TOOL, "collect", "--private", "-o", bundle, "-"], env=ENVIRONMENT, stdin=stdin, capture_output=True,
                                  check=False)
            if done.returncode != 0 or "root" + path in run("tar", "--zstd", "-tf", bundle).stdout:
                complain(f"a recording of another user on standard input is believed: {done}")
            os.chown(recording, 0, 0)
        os.link(path, path + ".link")
        is_packed("with another name", False, "everybody may put files")
        os.remove(path + ".link")
        os.rename(path, path + ".moved")
        os.rename(path + ".moved", path)
        is_packed("that was moved there", False, "everybody may put files")
        os.chown(recording, NOBODY, NOBODY)
        is_packed("of a recording of another user", False, "others may have written the recording")
    finally:
        os.remove(path)


def packed_secret(recording, *options, by=()):
    """Returns whether the bundle has a secret, and what was told."""
    bundle = os.path.join(folder("made"), "bundle")
    os.chmod(folder("made"), 0o777)
    if os.path.exists(bundle):
        os.remove(bundle)
    told = run(*by, TOOL, "collect", "--with-sources", "--private", *options, "-o", bundle, recording).stderr
    return b"SECRET" in run("tar", "--zstd", "-xOf", bundle, text=False).stdout, told


def members(recording, *options):
    """Returns the names in a bundle, and what was told."""
    bundle = os.path.join(SCRATCH, "bundle")
    told = collect(recording, bundle, *(options or ("--private",))).stderr
    return run("tar", "--zstd", "-tf", bundle).stdout.split(), told


def private_dump():
    """A jitdump that only root may read: of a process that mapped it, and of one that only had a file of its name."""
    place = folder("dumps")
    secret = os.path.join(folder("dumps/roots"), "jit-32346.dump")
    shutil.copy(os.path.join(FIXTURES, "jit", "jit-32346.dump"), secret)
    os.chmod(os.path.dirname(secret), 0o700)
    os.chmod(secret, 0o600)
    mapper = os.path.join(place, "mapper.py")
    with open(mapper, "w", encoding="ascii") as file:
        file.write("import mmap, sys, time\n"
                   "file = open(sys.argv[1], 'rb')\n"
                   "mapped = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)\n"
                   "end = time.time() + 0.5\n"
                   "while time.time() < end: pass\n")
    theirs = os.path.join(folder("dumps/theirs"), "jit-32346.dump")
    shutil.copy(secret, theirs)

    def is_packed(what, wanted, recording):
        names, told = members(recording)
        if any("jit-32346.dump" in name for name in names) != wanted or ("give it with --jitdump" in told) == wanted:
            complain(f"a private jitdump, {what}: {names} {told}")

    own = record(folder("dumps/own_recording"), sys.executable, mapper, secret)
    other = record(folder("dumps/other_recording"), sys.executable, mapper, theirs)
    is_packed("that root's process mapped", True, own)
    names, told = members(own, "--allow-local")
    if any("jit-32346.dump" in name for name in names) or "add --private" not in told:
        complain(f"root packs a private jitdump without --private: {names} {told}")
    copied = shutil.copy(secret, os.path.join(os.path.dirname(own), "jit-32346.dump"))
    os.chmod(copied, 0o600)
    if any("jit-32346.dump" in name for name in members(own, "--allow-local")[0]):
        complain("root packs a private jitdump beside the recording without --private")
    os.remove(copied)
    os.chown(own, NOBODY, NOBODY)
    is_packed("that a recording of another user names", False, own)
    os.chown(own, 0, 0)
    os.chmod(os.path.dirname(secret), 0o1777)
    is_packed("directly in a sticky directory", True, own)
    os.link(secret, secret + ".link")
    is_packed("directly in a sticky directory, with two names", False, own)
    os.remove(secret + ".link")
    os.chmod(os.path.dirname(secret), 0o700)
    os.rename(os.path.dirname(theirs), os.path.dirname(theirs) + ".kept")
    os.symlink("roots", os.path.dirname(theirs))
    # A process that only had a file of that name, in a namespace of its own for example.
    is_packed("that is not the one which was mapped", False, other)
    os.lchown(os.path.dirname(theirs), NOBODY, NOBODY)
    is_packed("that a link of another user leads to", False, other)
    made = os.path.join(SCRATCH, "dump.profile.pb.gz")
    told = run(TOOL, "profile", "-o", made, other).stderr
    if "give it with --jitdump" not in told:
        complain(f"a profile takes the jitdump that a link of another user leads to: {told}")
    os.chmod(os.path.dirname(secret), 0o777)
    is_packed("in a directory that everybody may write", False, own)
    os.chmod(secret, 0o644)
    is_packed("that everybody may read by now", True, own)


def private_object():
    """A program without a build id, where a file that only root may read is by now."""
    place = folder("objects")
    program = build("unproven", "-Wl,--build-id=none")
    recording = os.path.join(folder("unproven"), "perf.data")
    run("perf", "record", "-q", "-N", "-B", "-F", "999", "-g", "-e", "cpu-clock:u", "-o", recording, "--", program, "3000")
    secret = shutil.copy(program, os.path.join(place, "secret"))

    def is_packed(what, wanted, why="does not say that a process mapped this very file"):
        names, told = members(recording, "--allow-local", "--private")
        if any(name.endswith("/unproven") for name in names) != wanted or (why in told) == wanted:
            complain(f"an object without a build id, {what}: {names} {told}")

    is_packed("as it was", True)
    os.chmod(program, 0o700)
    is_packed("that only root may read", True)
    os.remove(program)
    os.symlink(secret, program)
    is_packed("whose name leads to one that everybody may read", True)
    os.chmod(secret, 0o600)
    is_packed("whose name leads to another one that only root may read", False)
    page = json.loads(run(TOOL, "report", "--json", "--allow-local", recording).stdout)
    if "turn" not in json.dumps(page):
        complain("a report of one's own does not read it")
    made = os.path.join(SCRATCH, "object.profile.pb.gz")
    run(TOOL, "profile", "--allow-local", "-o", made, recording)
    if "turn" in run(TOOL, "report", made).stdout:
        complain("a profile has names of a file that only root may read")
    # Memory of a process is no program, whoever may read it.
    os.chmod(secret, 0o644)
    with open(secret, "r+b") as file:
        file.seek(16)
        file.write(b"\4\0")
    is_packed("whose name leads to a core file", False, "is damaged or no ELF file")


def test_modes():
    """A bundle with what not everybody may read is its owner's alone."""
    needs_perf()
    os.umask(0o022)
    os.chmod(SCRATCH, 0o755)
    private = folder("private")
    os.chmod(private, 0o700)
    program = shutil.copy(build("open"), private)
    os.chmod(program, 0o755)
    recording = record(folder("mode_recording"), program, "3000")
    os.chmod(recording, 0o644)

    def expect_mode(what, wanted, *options):
        bundle = os.path.join(SCRATCH, "mode.tar.zst")
        if os.path.exists(bundle):
            os.remove(bundle)
        collect(recording, bundle, *options)
        if mode_of(bundle) != wanted:
            complain(f"a bundle with {what}: {mode_of(bundle):o}")

    expect_mode("a program in a directory that others may not pass", 0o600)
    foreign_output(recording)
    os.chmod(private, 0o755)
    expect_mode("a program that everybody may run", 0o644)
    os.chmod(program, 0o750)
    expect_mode("a program that not everybody may read", 0o600)
    os.chmod(program, 0o755)
    # A bundle on standard input, and one that another file has the name of by now: nobody knows who may read it.
    bundle = os.path.join(SCRATCH, "mode.tar.zst")
    place = folder("dash")
    with open(os.path.join(place, "-"), "w", encoding="ascii") as file:
        file.write("everybody may read this")
    for command, made in (("profile", "of.pb.gz"), ("collect", "of.tar.zst")):
        with open(bundle, "rb") as packed:
            subprocess.run([TOOL, command, "-i", "-", "-o", made], cwd=place, stdin=packed, check=True, stderr=subprocess.DEVNULL)
        if mode_of(os.path.join(place, made)) != 0o600:
            complain(f"{command} of a private bundle on standard input: {mode_of(os.path.join(place, made)):o}")
    # Unpacked from an archive, about whose members the system says nothing.
    cache = folder("mode_cache")
    run("perf", "--buildid-dir", cache, "buildid-cache", "-a", program)
    archive = os.path.join(SCRATCH, "cache.tar.zst")
    run("tar", "-C", cache, "-caf", archive, ".")
    os.chmod(archive, 0o600)
    os.remove(program)
    expect_mode("a program of a packed cache", 0o600, "--buildid-dir", archive)


def foreign_output(recording):
    """A bundle that not everybody may read is not written where another user would get it."""
    place = folder("sticky")
    os.chmod(place, 0o1777)
    theirs, link, kept = (os.path.join(place, name) for name in ("theirs.tar.zst", "link.tar.zst", "kept"))
    for path in (theirs, kept):
        with open(path, "w", encoding="ascii") as file:
            file.write("old")
    os.symlink("kept", link)
    if os.geteuid() != 0:
        return
    os.chown(theirs, NOBODY, NOBODY)
    os.lchown(link, NOBODY, NOBODY)
    for path, why in ((theirs, "belongs to another user"), (link, "a link of another user")):
        done = run(TOOL, "collect", "-o", path, recording, check=False)
        if done.returncode == 0 or why not in done.stderr or content(theirs) != b"old" or content(kept) != b"old":
            complain(f"a bundle is written to {path}: {done.stderr}")


def test_perf():
    needs_perf()
    program = build("work")
    recording = record(folder("plain"), program, "3000")
    bundle = os.path.join(SCRATCH, "bundle")
    collect(recording, bundle)
    unpacked = folder("unpacked")
    run("tar", "--zstd", "-xf", bundle, cwd=unpacked)
    for path, directories, names in os.walk(unpacked):
        if any(os.path.islink(os.path.join(path, name)) for name in directories + names):
            complain(f"links in {path}")
    os.rename(program, program + ".gone")
    for buildid_dir, found in ((unpacked, True), (folder("nothing"), False)):
        done = run("perf", "--buildid-dir", buildid_dir, "report", "--stdio", "-i", os.path.join(unpacked, "perf.data"),
                   "--no-children", "-g", "none")
        if ("turn" in done.stdout) != found:
            complain(f"perf with {buildid_dir}:\n{done.stdout}{done.stderr}")


def test_outputs():
    recording = os.path.join(folder("here"), "perf.data")
    shutil.copy(os.path.join(FIXTURES, "bpf/bpf_many.data"), recording)
    one, other = os.path.join(SCRATCH, "one.tar.zst"), os.path.join(SCRATCH, "other.tar.zst")
    collect(recording, one)
    time.sleep(1.1)
    collect(recording, other, "-j", "3")
    with open(one, "rb") as first, open(other, "rb") as second:
        if first.read() != second.read():
            complain("two bundles of one recording differ")
    if run("tar", "--zstd", "-tf", one).stdout.splitlines()[:2] != ["perf.data", "bundle.json"]:
        complain("the recording and the index are not the first")
    # A full disk leaves nothing, and an old file as it was.
    for old in (None, "old text"):
        target = os.path.join(folder("full"), "bundle")
        if old is not None:
            with open(target, "w") as file:
                file.write(old)
        done = run("bash", "-c", f"ulimit -f 4; exec {TOOL} collect -o {target} {recording}", check=False)
        left = open(target).read() if os.path.exists(target) else None
        if done.returncode != 1 or left != old or len(os.listdir(folder("full"))) != (0 if old is None else 1):
            complain(f"a full disk: status {done.returncode}, {os.listdir(folder('full'))}: {done.stderr}")
    with open(recording, "rb") as file:
        piped = subprocess.run([TOOL, "collect", "-"], stdin=file, capture_output=True, env=ENVIRONMENT, check=False)
    with open(one, "rb") as file:
        if piped.returncode != 0 or piped.stdout != file.read():
            complain(f"through a pipe: {piped.returncode} {piped.stderr.decode()} {len(piped.stdout)} bytes")
    # A new bundle is for everybody if the recording is, else for its owner; an old one keeps its permissions.
    for mode, options in ((0o640, ()), (0o600, ("--anonymize",)), (0o644, ())):
        os.chmod(recording, mode)
        fresh = os.path.join(SCRATCH, f"mode.{mode:o}.zst")
        collect(recording, fresh, *options)
        wanted = mode if mode == 0o644 else 0o600
        if mode_of(fresh) != wanted & ~os.umask(os.umask(0)):
            complain(f"a bundle of a recording of mode {mode:o}: {mode_of(fresh):o}")
        os.chmod(fresh, 0o604)
        collect(recording, fresh)
        if mode_of(fresh) != 0o604:
            complain(f"a bundle that was of mode 604: {mode_of(fresh):o}")
    mapped = os.path.join(folder("mapped"), "perf.data")
    for name, to in (("tinyjit.data", mapped), ("perf-32346.map", folder("mapped"))):
        shutil.copy(os.path.join(FIXTURES, "jit", name), to)
    os.chmod(mapped, 0o644)
    fresh = os.path.join(SCRATCH, "mapped.zst")
    collect(mapped, fresh)
    if mode_of(fresh) != 0o600:
        complain(f"a bundle with a perf map: {mode_of(fresh):o}")
    # A bundle can be packed again. Its index goes on saying what is in it.
    again = os.path.join(SCRATCH, "again.zst")
    collect(one, again)
    if open(again, "rb").read(4) != b"\x28\xb5\x2f\xfd":
        complain("a name that ends in .zst gets no bundle")
    bare = os.path.join(SCRATCH, "bare.tar.zst")
    collect(recording, bare, "--with-debug", "none")
    told = collect(bare, again, "--with-debug", "full", "--with-sources", "--root", f"1={SCRATCH}", "--buildid-dir", SCRATCH).stderr
    told += collect(bare, again, "--allow-local", "--kcore", one, "--kallsyms", one, "--vmlinux", one, "--debug-dir", SCRATCH,
                    "--source-dir", SCRATCH, "--jitdump", one, "--perf-map", one, check=False).stderr
    for option in ("--with-debug full", "--with-sources", "--root", "--buildid-dir", "--allow-local", "--kcore", "--kallsyms",
                   "--vmlinux", "--debug-dir", "--source-dir", "--jitdump", "--perf-map"):
        if f"{option} is not used" not in told:
            complain(f"packed again with {option}: {told}")
    was, now = (json.loads(run("tar", "--zstd", "-xf", which, "-O", "bundle.json").stdout) for which in (bare, again))
    if (now["debug"], now["sources"], now["left_out"]) != ("none", False, was["left_out"]):
        complain(f"packed again: {now['debug']} {now['sources']} {now['left_out']}, not {was['left_out']}")
    other = collect(recording, again, "--root", f"4000000={SCRATCH}").stderr
    if "no such process" not in other:
        complain(f"--root of a process that is not in the recording: {other}")
    for options, status in ((["--json"], 2), (["--anonymize-key", "/dev/null"], 2), (["--with-debug", "some"], 2),
                            (["--root", "x"], 2), (["--check", "--anonymize"], 2),
                            (["--root", f"1={SCRATCH}", "--root", f"1={SCRATCH}"], 2), (["--anonymize", "--with-sources"], 2)):
        done = run(TOOL, "collect", *options, "-o", again, recording, check=False)
        if done.returncode != status:
            complain(f"{options}: {done.returncode} {done.stderr}")


def test_damaged():
    """A bundle with one damaged member is packed again without it."""
    here = folder("damaged")
    for name in ("tinyjit.data", "jit-32346.dump", "perf-32346.map"):
        shutil.copy(os.path.join(FIXTURES, "jit", name), here)
    bundle, damaged, again = (os.path.join(here, name) for name in ("bundle", "damaged", "again"))
    collect(os.path.join(here, "tinyjit.data"), bundle)
    names = run("tar", "--zstd", "-tf", bundle).stdout.split()
    dump = [name for name in names if name.endswith(".dump")][0]
    unpacked = folder("damaged/unpacked")
    run("tar", "--zstd", "-xf", bundle, "-C", unpacked)
    with open(os.path.join(unpacked, dump), "r+b") as file:
        file.seek(100)
        file.write(b"other")
    run("tar", "--zstd", "-cf", damaged, "-C", unpacked, *names)
    for option in ((), ("--anonymize",)):
        done = collect(damaged, again, *option, check=False)
        if done.returncode != 0 or "damaged" not in done.stderr or dump.removeprefix("root") not in done.stderr:
            complain(f"packed again {option}: {done.returncode} {done.stderr}")
        left = run("tar", "--zstd", "-tf", again).stdout.split()
        # Debug files stay out of an anonymized bundle anyway.
        whole = [name for name in names if name != dump and not (option and name.endswith("/debug"))]
        if sorted(left) != sorted(whole):
            complain(f"packed again {option}: {left}, not {whole}")
        index = json.loads(run("tar", "--zstd", "-xOf", again, "bundle.json").stdout)
        if "mismatch" not in [one["why"] for one in index["missing"]]:
            complain(f"packed again {option}: {index['missing']}")
    if collect(damaged, again, "--strict", check=False).returncode != 3:
        complain("--strict takes a damaged member for nothing")
    # Without an index, the place of a member tells what it is, or the member is counted.
    shutil.rmtree(unpacked)
    run("tar", "--zstd", "-xf", bundle, "-C", folder("damaged/unpacked"))
    with open(os.path.join(unpacked, "root/unknown"), "w", encoding="ascii") as file:
        file.write("text")
    members = [name for name in names if name != "bundle.json"] + ["root/unknown"]
    run("tar", "--zstd", "-cf", damaged, "-C", unpacked, *members)
    told = collect(damaged, again).stderr
    left = run("tar", "--zstd", "-tf", again).stdout.split()
    if sorted(left) != sorted(names) or "1 member that the index does not list (root/unknown)" not in told:
        complain(f"without an index: {left}, not {names}: {told}")
    told = collect(damaged, again, "--anonymize").stderr
    if f"{len(members) - 1} members that the index does not list" not in told:
        complain(f"without an index, anonymized: {told}")


def test_changed():
    """What others do to a recording while it is packed. The key comes from a FIFO: collect waits for it."""
    here = folder("changed")
    recording, fifo, bundle = (os.path.join(here, name) for name in ("perf.data", "key", "bundle"))
    os.mkfifo(fifo)

    def packed(change):
        shutil.copy(os.path.join(FIXTURES, "stacks/x86_plain.data"), recording)
        os.utime(recording, (1, 1))
        if os.path.exists(bundle):
            os.remove(bundle)
        running = subprocess.Popen([TOOL, "collect", "--anonymize", "--anonymize-key", fifo, "-o", bundle, recording],
                                   env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        with open(fifo, "wb") as key:  # opens once the other side does
            change()
            key.write(bytes(32))
        told = running.communicate()[1]
        return running.returncode, told, open(bundle, "rb").read() if os.path.exists(bundle) else None

    def replace():
        shutil.copy(os.path.join(FIXTURES, "bpf/bpf_many.data"), recording + ".new")
        os.rename(recording + ".new", recording)

    def write(*, at, content):
        with open(recording, "r+b") as file:
            file.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
            file.write(content)

    status, told, usual = packed(lambda: None)
    if status != 0 or not usual or "grown" in told or "replaced" in told:
        complain(f"left alone: {status} {told}")
    for name, change, word in (("replaced", replace, "was replaced"),
                               ("grown", lambda: open(recording, "ab").write(bytes(5000)), "has grown")):
        status, told, content = packed(change)
        if status != 0 or content != usual or word not in told:
            complain(f"{name}: {status} {told} {'other bytes' if content != usual else ''}")
    def written_again():
        with open(os.path.join(FIXTURES, "stacks/x86_plain.data"), "rb") as file:
            content = bytearray(file.read())
        content[200:300] = bytes(100)  # of the same head
        with open(recording, "wb") as file:
            file.write(content + bytes(5000))

    def set_back():
        write(at=-100, content=bytes(100))
        os.utime(recording, (1, 1))

    for name, change in (("written again, and larger", written_again), ("written, and its time set back", set_back),
                         ("shrunk", lambda: os.truncate(recording, 5000)),
                         ("written", lambda: write(at=-100, content=bytes(100))),
                         ("completed", lambda: (write(at=48, content=bytes(8)), open(recording, "ab").write(bytes(5000))))):
        status, told, content = packed(change)
        if status != 1 or content is not None or recording not in told or "while it was packed" not in told:
            complain(f"{name}: {status} {told}")


    # A device has no end: it gives no key.
    plain = os.path.join(here, "plain.data")
    shutil.copy(os.path.join(FIXTURES, "stacks/x86_plain.data"), plain)
    for device in ("/dev/urandom", "/dev/null"):
        done = run(TOOL, "collect", "--anonymize", "--anonymize-key", device, "-o", bundle, plain, check=False, timeout=60)
        if done.returncode != 1 or "no key" not in done.stderr:
            complain(f"the key {device}: {done.returncode} {done.stderr}")


def test_check():
    recording = os.path.join(folder("here"), "perf.data")
    shutil.copy(os.path.join(FIXTURES, "stacks/x86_plain.data"), recording)
    text = run(TOOL, "collect", "--check", recording).stdout
    page = json.loads(run(TOOL, "collect", "--check", "--json", recording).stdout)
    if page["schema"] != "perfdata.collect/1" or page["files"][0]["name"] != "perf.data":
        complain(f"--check --json: {page}")
    for one in page["missing"]:
        if one["path"] not in text:
            complain(f"--check does not name {one['path']}:\n{text}")
    if os.listdir(os.path.dirname(recording)) != ["perf.data"]:
        complain("--check wrote something")
    needs_perf()
    program = build("work")
    recording = record(folder("checked"), program, "3000")
    check_needs(recording, program)
    check_again(recording, program)
    check_two_names()
    check_private()
    check_hostile(recording)
    if os.geteuid() == 0:
        check_kernel()


def checked(file, *options):
    page = json.loads(run(TOOL, "collect", "--check", "--json", *options, file).stdout)
    return page, {one.get("recorded", one.get("path", one["name"])): one for one in page["files"] if one["kind"] != "debug"}, run(TOOL, "collect", "--check", *options, file).stdout


def check_needs(recording, program):
    """Who needs a file: as many samples as have it in their stacks, as another reader of them counts."""
    page, files, text = checked(recording, "--with-sources")
    stacks = run(TOOL, "script", "-F", "comm,ip,sym,dso", recording).stdout.strip("\n").split("\n\n")
    for path, part in ((program, rf"\({re.escape(program)}\)"), (WORK, r"[ :](mix|twice|turn|spin|main)\b")):
        wanted = sum(re.search(part, stack) is not None for stack in stacks)
        one = files.get(path, {})
        if wanted == 0 or one.get("samples") != wanted or one.get("commands") != ["work"]:
            complain(f"{path}: {one}, not {wanted} samples of work")
        if not re.search(rf" {wanted} +{re.escape(path)}( \(from |\n)", text):
            complain(f"{path} with its {wanted} samples is not in\n{text}")
    # Debug files that are not here: of which program is told.
    without = [one for one in page["left_out"] if one["what"] == "debug files that are not here"]
    if without and not without[0]["examples"]:
        complain(f"whose debug files are not here: {page['left_out']}")


def check_again(recording, program):
    """Of a bundle the index has the numbers: they stay, also when it is packed again and again."""
    _, files, _ = checked(recording, "--with-sources")
    bundle, again = (os.path.join(SCRATCH, name) for name in ("checked.zst", "checked_again.zst"))
    collect(recording, bundle, "--with-sources")
    collect(bundle, again, "--with-sources")
    for file in (bundle, again):
        _, packed, _ = checked(file, "--with-sources")
        for path in (program, WORK):
            if packed[path].get("samples") != files[path]["samples"] or "commands" in packed[path]:
                complain(f"{file}: {packed[path]}, not {files[path]}")
    # Bytes and files are not added up.
    told = collect(bundle, again, "--with-debug", "none").stderr
    hashed = collect(again, bundle + ".anonymous", "--anonymize").stderr
    counts = set(re.findall(r"left out: (\d+ (?:bytes? of debug|source file|debug file))", told))
    if not counts or not counts <= set(re.findall(r"left out: (\d+ (?:bytes? of debug|source file|debug file))", hashed)):
        complain(f"packed again with other counts:\n{told}\n{hashed}")


def check_two_names():
    """A library under two names, and a header under two names: a sample that has both is one sample."""
    here = folder("two")
    with open(os.path.join(folder("two/inc"), "next.h"), "w", encoding="ascii") as file:
        file.write("static unsigned long spin_in_header(unsigned long n) {\n"
                   "    volatile unsigned long sum = 0;\n"
                   "    while (n--) sum = sum + n;\n"
                   "    return sum;\n"
                   "}\n")
    with open(os.path.join(here, "lib.c"), "w", encoding="ascii") as file:
        file.write("#include \"inc/next.h\"\n"
                   "typedef unsigned long run_next(void *, void *);\n"
                   "unsigned long run(void *next, void *after) {\n"
                   "    return next ? ((run_next *)next)(after, 0) + 1 : spin_in_header(100000) + 1;\n"
                   "}\n")
    with open(os.path.join(here, "main.c"), "w", encoding="ascii") as file:
        file.write("#include <dlfcn.h>\n#include \"inc/../inc/next.h\"\n"
                   "typedef unsigned long run_next(void *, void *);\n"
                   "int main(int count, char **names) {\n"
                   "    (void)count;\n"
                   "    run_next *one = (run_next *)dlsym(dlopen(names[1], RTLD_NOW), \"run\");\n"
                   "    void *other = dlsym(dlopen(names[2], RTLD_NOW), \"run\");\n"
                   "    unsigned long sum = spin_in_header(1);\n"
                   "    for (int round = 0; round < 2000; ++round) sum += one(other, 0);\n"
                   "    return sum == 0;\n"
                   "}\n")
    flags = ("-x", "c", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-Wl,--build-id")
    one, other, program = (os.path.join(here, name) for name in ("one.so", "other.so", "main"))
    run(COMPILER, *flags, "-shared", "-fPIC", "lib.c", "-o", one, cwd=here)
    shutil.copy(one, other)
    run(COMPILER, *flags, "main.c", "-o", program, "-ldl", cwd=here)
    page = checked(record(here, program, one, other), "--with-sources")[0]
    samples = sum(event["samples"] for event in json.loads(run(TOOL, "report", "--json", os.path.join(here, "perf.data")).stdout)["events"])
    libraries_of = [one["samples"] for one in page["files"] if one.get("recorded", one.get("path", "")).endswith((os.sep + "one.so",
                                                                                                                  os.sep + "other.so"))]
    headers = [one["samples"] for one in page["files"] if one["kind"] == "source" and one["name"].endswith("next.h")]
    if len(libraries_of) != 1 or len(headers) != 1 or not 0 < headers[0] <= libraries_of[0] <= samples:
        complain(f"one library and one header, under two names, of {samples} samples: {libraries_of} {headers} {page['files']}")
    if libraries_of[0] < samples * 3 // 4:
        complain(f"a library that nearly all of {samples} samples have: {libraries_of}")


def check_hostile(recording):
    """An index may say anything: nothing of it harms a terminal, and what is packed again is a bundle by its schema."""
    bundle, strange, again = (os.path.join(SCRATCH, name) for name in ("hostile.zst", "hostile.tar", "hostile_again.zst"))
    collect(recording, bundle, "--with-sources")
    unpacked = folder("hostile")
    run("tar", "--zstd", "-xf", bundle, "-C", unpacked)
    index = json.load(open(os.path.join(unpacked, "bundle.json"), encoding="utf-8"))
    escape = "\u001b[31mEVIL\u0007\n\rperfdata: line"
    for one in index["members"]:
        if one["kind"] == "source":
            one.update(kind=escape, path="/x" + escape, recorded="/y" + escape, build_id="zz" + escape, samples=2**64 - 1)
        if one["kind"] == "object":
            one.update(recorded="/z" + escape, build_id=escape)
    index["missing"] = [{"kind": escape, "path": "/m" + escape, "why": escape, "reason": "long " * 100000 + escape, "samples": 2**64 - 1},
                        {"path": "/proc/kcore", "why": "w" * 100000}, {"path": "[kernel.kallsyms]", "kind": 5, "why": "offline"}]
    index["left_out"] = {escape: 3, "source files": 2**64 - 1, "bytes of debug information": 2**64 - 1}
    with open(os.path.join(unpacked, "bundle.json"), "w", encoding="utf-8") as file:
        json.dump(index, file)
    run("tar", "-C", unpacked, "-cf", strange, "bundle.json", "perf.data", ".build-id", "root")
    outputs = [run(TOOL, "collect", "--check", strange), run(TOOL, "info", strange), run(TOOL, "report", strange),
               collect(strange, again, "--strict", check=False), run(TOOL, "collect", "--check", again)]
    for done in outputs:
        if any(character < " " and character not in "\n\t" for character in done.stdout + done.stderr):
            complain(f"control characters: {(done.stdout + done.stderr)[:2000]!r}")
        if len(done.stderr) > 20000:
            complain(f"{len(done.stderr)} bytes of messages")
    made = json.loads(run("tar", "--zstd", "-xOf", again, "bundle.json").stdout)
    kinds = {"recording", "object", "vdso", "debug", "kallsyms", "kcore", "vmlinux", "jitdump", "perf_map", "source"}
    for one in made["members"] + made["missing"]:
        if one["kind"] not in kinds or not re.fullmatch("([0-9a-f]{2})*", one.get("build_id", "")):
            complain(f"packed again: {one}")
    what = {one["path"]: one["kind"] for one in made["missing"]}
    if what.get("/proc/kcore") != "kcore" or what.get("[kernel.kallsyms]") != "kallsyms":
        complain(f"kinds of what is missing: {what}")
    if any(len(one.get("reason", "")) > 450 or len(one["why"]) > 30 for one in made["missing"]):
        complain("reasons of any length are packed again")
    if "files of unknown kinds" not in made["left_out"]:
        complain(f"a member of an unknown kind is lost without a word: {made['left_out']}")


def check_private():
    """Why a file is not in a bundle is told where the bundle is read."""
    here = folder("told")
    for name in ("tinyjit.data", "perf-32346.map"):
        shutil.copy(os.path.join(FIXTURES, "jit", name), here)
    recording, bundle, again = (os.path.join(here, name) for name in ("tinyjit.data", "bundle", "again"))
    names = os.path.join(here, "perf-32346.map")
    os.chmod(names, 0o600)
    if os.geteuid() != 0:
        return
    collect(recording, bundle)
    page, _, text = checked(recording)
    why = [one["why"] for one in page["missing"] if one["kind"] == "perf_map"]
    if why != ["private"]:
        complain(f"a private perf map: {page['missing']}")
    collect(bundle, again)
    for file in (bundle, again):
        for told in (run(TOOL, "report", file).stderr, run(TOOL, "info", file).stdout, checked(file)[2]):
            if "not everybody may read it" not in told or "mismatch" in told:
                complain(f"{file}: why a perf map is not there is not told: {told}")
        kinds = [one["kind"] for one in checked(file)[0]["missing"] if one["path"].endswith("/perf-32346.map")]
        if kinds != ["perf_map"]:
            complain(f"{file}: {checked(file)[0]['missing']}")


def check_kernel():
    """What would supply names and code of the kernel is what does."""
    recording = record(folder("packed_kernel"), "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=40000",
                       options=("-z", "-g", "-e", "cpu-clock"))
    page = checked(recording)[0]
    kernel = [one for one in page["missing"] if one["kind"] == "kallsyms"]
    if kernel and kernel[0]["why"] == "unproven":
        if "add --allow-local" not in kernel[0]["remedy"]:
            complain(f"names of a kernel without a build id: {kernel}")
        if [one for one in checked(recording, "--allow-local")[0]["missing"] if one["kind"] == "kallsyms"]:
            complain("--allow-local does not supply names of the kernel")
        # A report of the bundle says what that of the recording does. Who follows it is told what helps here.
        unnamed = os.path.join(SCRATCH, "unnamed.tar.zst")
        collect(recording, unnamed)
        for options in ((), ("--allow-local",)):
            told = run(TOOL, "report", *options, unnamed).stderr
            if "collect again with --allow-local" not in told or ("--allow-local has no effect" in told) != bool(options):
                complain(f"a bundle without names of its kernel, {options}: {told}")
    plain = record(folder("kernel_code"), "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=40000",
                   options=("-g", "-e", "cpu-clock"))
    code = [one for one in checked(plain)[0]["missing"] if one["kind"] == "kcore"]
    if not code:
        return
    wanted = "" if os.path.isfile("/proc/kcore") else "there is no /proc/kcore here"
    if wanted not in code[0]["remedy"] or "--with-vmlinux" not in code[0]["remedy"] or "as root" in code[0]["remedy"]:
        complain(f"code of the kernel, for root: {code}")
    offline = {one["kind"]: one for one in checked(plain, "--offline")[0]["missing"]}
    if offline["kallsyms"]["why"] != "offline" or "leave out --offline" not in offline["kallsyms"]["remedy"]:
        complain(f"names of the kernel, without files of this machine: {offline}")
    os.chown(recording, NOBODY, NOBODY)
    theirs = [one for one in checked(recording)[0]["missing"] if one["kind"] == "kallsyms"]
    if theirs and (theirs[0]["why"] != "untrusted" or "--allow-local" in theirs[0]["remedy"]):
        complain(f"names of the kernel, for a recording of another user: {theirs}")
    bundle = os.path.join(SCRATCH, "kernel_code.zst")
    collect(plain, bundle)
    if [one["kind"] for one in checked(bundle)[0]["missing"] if one["path"] == "/proc/kcore"] != ["kcore"]:
        complain(f"code of the kernel in a bundle: {checked(bundle)[0]['missing']}")


if __name__ == "__main__":
    main(globals())
