#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py WHAT TOOL FIXTURES: `perfdata batch` as a process. Exit status 77: what it takes is not here.

  equal    the documents, messages and statuses of the single commands, and equal bytes whatever the threads
  symbols  the same with files that several recordings need
  out      the same in files
  bad      entries of every kind that is no recording
  names    names of outputs, two for one path, long ones; what they must not replace
  lists    forms of the list
  options  what is wrong usage, and options of the command
  full     a disk that is full
  resume   a kill in the middle, and what --resume does then
  memory   a recording that needs too much memory, among others
  strict   exit statuses
  profile  profiles: the bytes of the single command, whatever the threads; a full disk, a kill, --resume
  streams  readers that go away
"""
import json
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

WHAT, TOOL, FIXTURES = sys.argv[1], os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
faults = 0


def check(truth, text):
    global faults
    if not truth:
        faults += 1
        print(text, flush=True)
    return truth


def run(*arguments, stdin=b"", status=None, cwd=None):
    done = subprocess.run([TOOL, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd)
    if status is not None:
        shown = " ".join(map(str, arguments))
        check(done.returncode == status, f"{shown}: {done.returncode}, not {status}: {done.stderr.decode()[:400]}")
    return done


def batch(action, entries, *options, after=(), status=None, cwd=None):
    text = b"".join(os.fsencode(entry) + b"\n" for entry in entries)
    done = run("batch", "--do", action, *options, "-", "--", *after, stdin=text, status=status, cwd=cwd)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def recordings():
    every = [*FIXTURES.glob("bpf/*.data"), *FIXTURES.glob("records/*.data"), *FIXTURES.glob("records/*.dir")]
    assert len(every) > 40
    return sorted(every)


def some():
    return [FIXTURES / f"{name}.data" for name in ("bpf/bpf_many", "records/zstd", "records/group", "bpf/bpf_turns")]


def words(text):
    """Returns the messages of standard error, without the prefix."""
    return [line.removeprefix("perfdata: ") for line in text.decode().splitlines()]


def equals_single(line, single, where):
    check(line["exit_code"] == single.returncode, f"{where}: exit code {line['exit_code']}, not {single.returncode}")
    failed = single.returncode in (1, 2)
    check((line["status"] == "failed") == failed, f"{where}: {line['status']}")
    said = words(single.stderr)
    if failed:
        told = line["messages"] + [": ".join(filter(None, (line["error"]["where"], line["error"]["detail"])))]
        if line["error"]["offset"] is not None:
            told[-1] += f" ({line['error']['code']}, at byte {line['error']['offset']})"
        check(told == said, f"{where}: says {told}, not {said}")
    else:
        check(line["messages"] == said, f"{where}: says {line['messages']}, not {said}")


def equal():
    every = recordings()
    for action, options in (("info", ()), ("info", ("--completeness",)), ("report", ("--offline",))):
        outputs = []
        for jobs in (1, 2, 7):
            done, lines = batch(action, every, "-j", jobs, after=options)
            outputs.append((done.returncode, done.stdout, done.stderr))
        check(outputs[0] == outputs[1] == outputs[2], f"{action}: not the same with other threads")
        check([line["file"] for line in lines] == list(map(str, every)), f"{action}: not in the order of the list")
        for file, line in zip(every, lines):
            single = run(action, "--json", *options, file)
            equals_single(line, single, f"{action} {file.name}")
            document = json.loads(single.stdout) if single.returncode == 0 else None
            check(line["document"] == document, f"{action} {file.name}: another document")
            check(line["output"] is None, f"{action} {file.name}: an output without --out")
            strict = run(action, "--json", "--strict", *options, file).returncode
            # info reads all records only with --strict or --completeness.
            if action == "report" or options:
                want = {0: "ok", 1: "failed", 3: "losses"}[strict]
                check(line["status"] == want, f"{action} {file.name}: {line['status']}, not {want}")
            if action == "report" and document:
                kept = sum(event["kept"] for event in document["events"])
                check(line["samples"] == kept, f"report {file.name}: {line['samples']} samples, not {kept}")
        check(any(line["status"] == "losses" for line in lines) or action == "info", f"{action}: none has losses")
        check(done.returncode == (1 if any(line["status"] == "failed" for line in lines) else 0), f"{action}: status")


def symbols():
    """With files that several recordings share, which are read once."""
    machine = FIXTURES / "stacks/x86"
    every = sorted(FIXTURES.glob("stacks/x86_*.data")) * 3
    assert len(every) >= 9
    options = ("--symfs", machine, "-g", "caller", "--sort", "sym,srcline")
    for jobs in (1, 4):
        done, lines = batch("report", every, "-j", jobs, after=options, status=0)
        check(len({line["file"] for line in lines}) * 3 == len(every), "a line is missing")
        for line in lines:
            single = run("report", "--json", *options, line["file"], status=0)
            equals_single(line, single, line["file"])
            check(line["document"] == json.loads(single.stdout), f"{line['file']}: another document with -j{jobs}")


def out(folder):
    every = recordings()
    for action in ("info", "report"):
        options = ("--offline",) if action == "report" else ()
        names = []
        for jobs in (1, 7):
            place = folder / f"{action}{jobs}"
            done, lines = batch(action, every, "-j", jobs, "--out", place, after=options)
            names.append(sorted(os.listdir(place)))
            for file, line in zip(every, lines):
                single = run(action, "--json", *options, file)
                equals_single(line, single, f"{action} {file.name}")
                check(line["document"] is None, f"{file.name}: a document in the line")
                if single.returncode == 0:
                    want = place / (str(file).replace("/", "+") + f".{action}.json")
                    check(line["output"] == str(want), f"{file.name}: {line['output']}, not {want}")
                    check(want.read_bytes() == single.stdout, f"{action} {file.name}: other bytes")
                else:
                    check(line["output"] is None, f"{file.name}: an output though it failed")
        check(names[0] == names[1], f"{action}: other files with other threads")
        check(len(names[0]) == sum(line["output"] is not None for line in lines), f"{action}: {names[0]}")
        check(not any(name.startswith(".") for name in names[0]), "temporary files are left")


def bad(folder):
    good = some()[0]
    (folder / "empty.data").write_bytes(b"")
    (folder / "noise.data").write_bytes(os.urandom(5000))
    (folder / "cut.data").write_bytes(good.read_bytes()[:50])
    (folder / "no").mkdir()
    os.mkfifo(folder / "fifo")
    os.symlink("gone", folder / "dangling")
    os.symlink("loop", folder / "loop")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    codes = {
        "empty.data": "not_perf_data", "noise.data": "not_perf_data", "cut.data": None, "no": None,
        "fifo": "unsupported",
        "dangling": "io", "loop": "io", "socket": "unsupported", "/dev/zero": "unsupported", "/dev/null": "unsupported",
        "-": "unsupported", "gone.data": "io", "x" * 5000: "io", "good.data/below": "io",
    }
    os.symlink(good, folder / "good.data")
    entries = []
    for entry in codes:
        entries += [entry, "good.data"]
    for action in ("info", "report"):
        for jobs in (1, 3):
            done, lines = batch(action, entries, "-j", jobs, status=1, cwd=folder)
            for at, line in enumerate(lines):
                if at % 2:
                    check(line["status"] == "ok", f"behind {entries[at - 1]}: {line['status']}")
                    continue
                entry = entries[at][:30]
                check(line["status"] == "failed" and line["exit_code"] == 1, f"{entry}: {line['status']}")
                check(line["document"] is None and line["error"]["detail"], f"{entry}: no error")
                if codes[entries[at]]:
                    check(line["error"]["code"] == codes[entries[at]], f"{entry}: {line['error']}")
                if codes[entries[at]] != "unsupported":
                    single = run(action, "--json", entries[at], cwd=folder)
                    equals_single(line, single, entry)
            said = done.stderr.decode()
            check(f"perfdata: {len(codes)} of {len(entries)} files failed" in said, said[-200:])
            check("perfdata: fifo: " in said, "no message with the name of the FIFO")
    # A file that grows: one half is there, then the rest.
    whole = good.read_bytes()
    growing = folder / "growing.data"
    growing.write_bytes(whole[:40000])
    done, lines = batch("report", [growing, "good.data"], status=0, cwd=folder)
    check(lines[0]["status"] == "losses" and lines[0]["losses"] > 0, f"growing: {lines[0]['status']}")
    check(lines[1]["status"] == "ok", "behind the one that grows")


def names(folder):
    good, other = some()[:2]
    place = folder / "out"
    (folder / "a").mkdir()
    long = "n" * 200 + ".data"
    deep = "/".join(["d" * 100] * 3)
    (folder / deep).mkdir(parents=True)
    files = ["x.data", "./x.data", ".//x.data", "a/b.data", "a+b.data", "%41.data", "A.data", "-dash.data", ".dot.data",
             "bl ank.data", "\u00e4.data", long, deep + "/x.data", deep + "/y.data", os.fsdecode(b"\xff.data")]
    for number, name in enumerate(files):
        if not (folder / name).exists():
            os.symlink(good if number % 2 else other, folder / name)
    done, lines = batch("info", files + ["x.data"], "--out", place, "-j3", status=0, cwd=folder)
    outputs = [line["output"] for line in lines]
    check(outputs[-1] == outputs[0], "the same entry twice: two names")
    check(len(set(outputs)) == len(files), f"names: {outputs}")
    shown = [os.path.basename(output) for output in outputs]
    check(shown[0] == "x.data.info.json", shown[0])
    check(shown[1] == "x.data-2.info.json" and shown[2] == "x.data-3.info.json", str(shown[1:3]))
    check(shown[3] == "a+b.data.info.json" and shown[4] == "a%2Bb.data.info.json", str(shown[3:5]))
    check(shown[7] == "%2Ddash.data.info.json" and shown[8] == "%2Edot.data.info.json", str(shown[7:9]))
    check(all(len(name) <= 255 for name in shown), "too long")
    for name, output in zip(files, outputs):
        single = run("info", "--json", f"./{name}" if name.startswith("-") else name, cwd=folder)
        have, want = pathlib.Path(output).read_text(), single.stdout.decode()
        check(have.replace('"./-', '"-') == want.replace('"./-', '"-'), f"{name!r}: another document")

    # No output replaces a recording of the list, a file that an option names, or what is no file.
    os.symlink(good, folder / "r.data")
    target = place / "r.data.info.json"
    target.write_bytes(good.read_bytes())
    done, lines = batch("info", ["r.data", target], "--out", place, status=1, cwd=folder)
    check([line["status"] for line in lines] == ["failed", "ok"], f"a recording is replaced: {lines[0]['status']}")
    check(target.read_bytes() == good.read_bytes(), "a recording was replaced")
    symbols = place / "x.data.report.json"
    symbols.write_text("0000000000000000 T nothing\n")
    done, lines = batch("report", ["x.data"], "--out", place, after=("--kallsyms", symbols), status=1, cwd=folder)
    check("--kallsyms" in lines[0]["error"]["detail"], str(lines[0]["error"]))
    check(symbols.read_text() == "0000000000000000 T nothing\n", "kallsyms were replaced")
    symbols.unlink()
    symbols.mkdir()
    done, lines = batch("report", ["x.data"], "--out", place, status=1, cwd=folder)
    check("there is something that is no file" in lines[0]["error"]["detail"], str(lines[0]["error"]))
    # A backup by hard links keeps what it has.
    old, backup = place / "x.data.info.json", folder / "backup"
    old.write_text("old")
    os.link(old, backup)
    batch("info", ["x.data"], "--out", place, status=0, cwd=folder)
    check(backup.read_text() == "old" and old.read_text() != "old", "a hard link was written through")
    threads = FIXTURES / "records/threads.dir"
    run("batch", "--do", "info", "--out", threads, "-", stdin=f"{threads}\n".encode(), status=1)
    check(not list(threads.glob("*.json")), "a recording's directory got a file")


def lists(folder):
    os.symlink(some()[0], folder / "a b.data")
    os.symlink(some()[1], folder / "line\nfeed.data")
    (folder / "list").write_bytes(b"\na b.data\n\na b.data")
    (folder / "nul").write_bytes(b"a b.data\0line\nfeed.data\0\0")
    (folder / "none").write_bytes(b"\n\n")

    def files(*arguments, stdin=b"", status=0):
        done = run("batch", "--do", "info", *arguments, stdin=stdin, status=status, cwd=folder)
        return [json.loads(line)["file"] for line in done.stdout.splitlines()]

    check(files("list") == ["a b.data", "a b.data"], "a list without a last line feed")
    check(files("-", stdin=b"a b.data\n") == ["a b.data"], "standard input")
    for option in ("-0", "--null"):
        check(files(option, "nul") == ["a b.data", "line\nfeed.data"], option)
    check(files("none") == [] and files("-") == [], "no entries")
    check(files("list", "--out", "made") and os.listdir(folder / "made") == ["a%20b.data.info.json"], "DIR is not made")
    wrong = {"gone": "cannot open", ".": "cannot read", "a b.data": "this is a recording", "nul": "--null"}
    for name, text in wrong.items():
        done = run("batch", "--do", "info", name, status=1, cwd=folder)
        check(not done.stdout and text in done.stderr.decode(), f"{name}: {done.stderr.decode()}")
    for place in ("list", "gone/below"):
        done = run("batch", "--do", "info", "--out", place, "list", cwd=folder)
        check(done.returncode == 1 and not done.stdout and b"--out" in done.stderr, f"--out {place}: {done.stderr}")


def options(folder):
    file = some()[0]
    (folder / "list").write_text(f"{file}\n")

    def refused(*arguments, text):
        done = run("batch", *arguments, status=2, cwd=folder)
        check(not done.stdout and text in done.stderr.decode(), f"{' '.join(arguments)}: {done.stderr.decode()}")

    refused("list", text="--do")
    refused("--do", "info", text="LIST")
    refused("--do", "nothing", "list", text="info")
    refused("--do", "info", "-j", "0", "list", text="a number from 1 to 256")
    refused("--do", "info", "--resume", "list", text="--out DIR")
    refused("--do", "info", "--max-memory", "1", "list", text="too little")
    refused("--do", "info", "--out", "", "list", text="the name of the directory is empty")
    refused("--do", "report", "--sort", "comm", "list", text="no option --sort")
    refused("--do", "report", "--", "--sort", "comm", text="LIST")
    for option in (["-i", "x"], ["x"], ["-o", "x"], ["--stdio"], ["-j2"], ["--max-memory", "1G"]):
        refused("--do", "report", "list", "--", *option, text=option[0] if option[0] == "--stdio" else "")
    refused("--do", "report", "list", "--", "--sotr", "comm", text="did you mean --sort?")
    refused("--do", "report", "list", "--", "--kind", "nothing", text="--kind")
    refused("--do", "report", "list", "--", "-g", "--sort", "comm,nothing", text="--sort")
    done = run("batch", "--do", "report", "list", "--", "--kallsyms", "gone", status=1, cwd=folder)
    check(not done.stdout and b"gone" in done.stderr, "a file of an option that is not there")
    chosen = ("--sort", "comm,sym", "--kind", "bpf", "--comm=load", "--percent-limit", "1", "--no-children")
    done = run("batch", "--do", "report", "list", "--", *chosen, status=0, cwd=folder)
    want = json.loads(run("report", "--json", *chosen, file, status=0).stdout)
    check(json.loads(done.stdout)["document"] == want, "options of report")
    verbose = run("batch", "--do", "info", "list", "--", "-v", status=0, cwd=folder)
    want = json.loads(run("info", "--json", "-v", file, status=0).stdout)
    check(json.loads(verbose.stdout)["document"] == want, "options of info")
    # What this recording cannot answer is its own fault.
    done, lines = batch("report", [FIXTURES / "records/brk.data", file], after=("--cgroup", "x"), status=1)
    check(lines[0]["exit_code"] == 2 and "--cgroup" in lines[0]["error"]["detail"], str(lines[0]["error"]))
    # Messages are in the lines, with --quiet too.
    done, lines = batch("report", [file], "-q", after=("--comm", "nobody"), status=0)
    check(not done.stderr, "-q: messages")
    check(any("no thread called nobody" in text for text in lines[0]["messages"]), str(lines[0]["messages"]))
    done, lines = batch("report", [file], after=("--comm", "nobody"), status=0)
    check(f"perfdata: {file}: note: --comm" in done.stderr.decode(), "no name before the message")


def full(folder):
    place = folder / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode != 0:
        print("no disk can be mounted here")
        raise SystemExit(77)
    try:
        large = FIXTURES / "records/zstd.data"
        small = FIXTURES / "records/read.data"
        done, lines = batch("info", [small], "--out", place, status=0)
        kept = pathlib.Path(lines[0]["output"])
        whole = kept.read_bytes()
        done, lines = batch("report", [large] * 3, "--out", place, "-j2", after=("--offline",), status=1)
        check(all("No space left" in line["error"]["detail"] for line in lines), str([line["error"] for line in lines]))
        check(os.listdir(place) == [kept.name] and kept.read_bytes() == whole, f"left: {os.listdir(place)}")
        done, lines = batch("info", [small], "--out", place, status=0)
        check(kept.read_bytes() == whole, "a small one behind")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def resume(folder):
    files = []
    for number in range(60):
        for file in some():
            copy = folder / f"{number}_{file.name}"
            os.symlink(file, copy)
            files.append(copy)
    want = folder / "want"
    _, lines = batch("report", files, "--out", want, after=("--offline",), status=0)
    check(all(line["status"] in ("ok", "losses") for line in lines), "not all done")
    (folder / "list").write_text("".join(f"{file}\n" for file in files))
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        place = folder / how.name
        command = [TOOL, "batch", "--do", "report", "-j2", "--out", str(place), str(folder / "list"), "--", "--offline"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not (place.is_dir() and len(os.listdir(place)) > 20):
                time.sleep(0.002)
            process.send_signal(how)
            process.wait()
        check(process.returncode == -how, f"{how.name}: {process.returncode}")
        there = [name for name in os.listdir(place) if not name.startswith(".")]
        check(10 <= len(there) < len(files), f"{how.name}: {len(there)} files are there")
        for name in there:
            check((place / name).read_bytes() == (want / name).read_bytes(), f"{how.name}: {name} is not whole")
        if how != signal.SIGKILL:
            check(len(os.listdir(place)) == len(there), f"{how.name}: temporary files are left")
        before = {name: (place / name).stat().st_mtime_ns for name in there}
        done, lines = batch("report", files, "--resume", "--out", place, "-j3", after=("--offline",), status=0)
        for line in lines:
            name = os.path.basename(line["output"])
            skipped = line["status"] == "skipped"
            check(skipped == (name in before), f"{how.name}: {name}: {line['status']}")
            check(not skipped or before[name] == (place / name).stat().st_mtime_ns, f"{how.name}: {name}: made again")
            check((place / name).read_bytes() == (want / name).read_bytes(), f"{how.name}: {name}: other bytes")
    # What failed is tried again.
    late = folder / "late.data"
    place = folder / "late"
    batch("info", [late], "--out", place, status=1)
    os.symlink(some()[0], late)
    _, lines = batch("info", [late], "--out", place, "--resume", status=0)
    check(lines[0]["status"] == "ok", "what failed before is not tried again")


def many_places(path):
    """Writes a recording whose samples all fell on other instructions of one mapping: each takes memory."""
    attr = bytearray(128)
    # Software event cpu-clock, period 1, IP | TID | TIME.
    struct.pack_into("<IIQQQ", attr, 0, 1, 128, 0, 1, 0x1 | 0x2 | 0x4)
    name = b"/nowhere/prog\0\0\0"
    body = struct.pack("<IIQQQ", 7, 7, 0x400000, 1 << 40, 0) + name
    records = [struct.pack("<IHH", 1, 2, 8 + len(body)) + body]
    for number in range(200_000):
        records.append(struct.pack("<IHHQIIQ", 9, 2, 32, 0x400000 + number * 64, 7, 7, 1000 + number))
    data = b"".join(records)
    # Header: size, attrs and where their ids are (nowhere), data, event types, features.
    begin, one = 104, 128 + 16
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", begin, one, begin, one, begin + one, len(data), 0, 0) + bytes(32)
    path.write_bytes(header + bytes(attr) + bytes(16) + data)


def take_memory():
    # Too little for the huge one even at 96 MiB; the others have room although the heap of two threads is in pieces.
    resource.setrlimit(resource.RLIMIT_DATA, (80 << 20, 80 << 20))


def memory(folder):
    huge = folder / "huge.data"
    many_places(huge)
    good = some()
    entries = [good[0], huge, *good[1:], huge, *good]
    _, alone = batch("report", good, after=("--offline",), status=0)
    want = {line["file"]: line["document"] for line in alone}
    outputs = []

    def others(lines, how):
        for line in lines:
            if line["file"] != str(huge):
                check(line["document"] == want[line["file"]], f"{how}: {line['file']}: {line['error']}")

    # Its limits cut what is too much for it, and nothing of the others.
    for jobs in (1, 4):
        done, lines = batch("report", entries, "--max-memory", "128M", "-j", jobs, after=("--offline",), status=0)
        check(len(lines) == len(entries), f"-j{jobs}: {len(lines)} lines: {done.stderr.decode()[-300:]}")
        others(lines, f"-j{jobs}")
        outputs.append(done.stdout)
    check(outputs[0] == outputs[1], "--max-memory: not the same with other threads")

    # Where no limit helps, memory runs out: of the one that needs too much, whoever works at the same time.
    for jobs in (1, 2):
        text = "".join(f"{entry}\n" for entry in entries).encode()
        command = [TOOL, "batch", "--do", "report", "-j", str(jobs), "-", "--", "--offline"]
        done = subprocess.run(command, input=text, capture_output=True, preexec_fn=take_memory)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        check(done.returncode == 1 and len(lines) == len(entries), f"-j{jobs}: {done.returncode}, {len(lines)} lines")
        others(lines, f"-j{jobs}, less memory")
        for line in lines:
            if line["file"] == str(huge):
                failed = line["status"] == "failed" and line["error"]["code"] == "out_of_memory"
                check(failed and line["document"] is None, f"-j{jobs}: huge: {line['status']} {line['error']}")

    # Memory that is short is no damage of a recording, however little is missing: libraries of C say it in many ways.
    packed = [entry for entry in good if entry.name == "zstd.data"]
    enough = 0
    for entry in packed:
        alone = subprocess.run([TOOL, "report", "--offline", "--json", entry], capture_output=True, check=True).stdout
        for limit in range(1 << 19, 10 << 20, 1 << 15):
            done = subprocess.run([TOOL, "report", "--offline", "--json", "--strict", entry], capture_output=True, check=False,
                                  preexec_fn=lambda most=limit: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
            enough += done.returncode == 0
            check(done.returncode == 1 or (done.returncode == 0 and done.stdout == alone),
                  f"{limit} bytes of memory: {done.returncode} {done.stderr.decode()[-300:]}")
    check(packed and enough > 50, f"{len(packed)} packed recordings, read with {enough} limits")


def strict(folder):
    good = some()[0]
    cut = folder / "cut.data"
    cut.write_bytes(good.read_bytes()[:40000])
    gone = folder / "gone.data"
    for options, entries, status in (
        ((), [good, cut], 0),
        (("--strict",), [good], 0),
        (("--strict",), [good, cut], 3),
        (("--strict",), [cut, gone, good], 1),
    ):
        done, lines = batch("report", entries, *options, after=("--offline",), status=status)
        for entry, line in zip(entries, lines):
            want = {good: "ok", cut: "losses", gone: "failed"}[entry]
            check(line["status"] == want, f"{entry.name}: {line['status']}")
            code = {good: 0, cut: 3 if options else 0, gone: 1}[entry]
            check(line["exit_code"] == code, f"{entry.name}: {line['exit_code']}")
    batch("report", [good, cut], after=("--offline", "--strict"), status=3)


def profile(folder):
    every = recordings()
    made = folder / "made.profile.pb.gz"
    outputs = []
    for jobs in (1, 2, 7):
        place = folder / f"jobs{jobs}"
        done, lines = batch("profile", every, "-j", jobs, "--out", place, after=("--offline",))
        bytes_of = {name: (place / name).read_bytes() for name in sorted(os.listdir(place))}
        outputs.append((done.returncode, done.stdout.replace(bytes(place), b""), done.stderr, bytes_of))
    check(outputs[0] == outputs[1] == outputs[2], "not the same with other threads")
    check([line["file"] for line in lines] == list(map(str, every)), "not in the order of the list")
    for file, line in zip(every, lines):
        made.unlink(missing_ok=True)
        single = run("profile", "--offline", "-o", made, file)
        equals_single(line, single, file.name)
        check(line["document"] is None, f"{file.name}: a document in the line")
        if single.returncode != 0:
            check(line["output"] is None, f"{file.name}: an output though it failed")
            continue
        want = place / (str(file).replace("/", "+") + ".profile.pb.gz")
        check(line["output"] == str(want), f"{file.name}: {line['output']}, not {want}")
        check(want.read_bytes() == made.read_bytes(), f"{file.name}: other bytes")
        check(want.stat().st_mode == made.stat().st_mode, f"{file.name}: another mode")
        page = json.loads(run("report", "--json", "--offline", file, status=0).stdout)
        check(line["samples"] == sum(event["kept"] for event in page["events"]), f"{file.name}: {line['samples']} samples")
        strict = run("profile", "--offline", "--strict", "-o", made, file).returncode
        check(line["status"] == {0: "ok", 3: "losses"}[strict], f"{file.name}: {line['status']}, not {strict}")
    check(sum(line["output"] is not None for line in lines) == len(bytes_of) > 30, f"{len(bytes_of)} profiles")

    # Options of the command; what is wrong usage.
    good, other = some()[:2]
    chosen = ("--keep", "comm,symbol", "--comm", "load")
    batch("profile", [good], "--out", folder / "kept", after=chosen, status=0)
    run("profile", *chosen, "-o", made, good, status=0)
    kept = next((folder / "kept").iterdir())
    check(kept.read_bytes() == made.read_bytes(), "--keep: other bytes")
    for options, after, text in ((("--out", folder / "no"), ("--json",), "--json"), ((), (), "--out DIR"),
                                 (("--out", folder / "no"), ("-o", "x"), "--output"),
                                 (("--out", folder / "no"), ("--keep", "code"), "--keep"),
                                 (("--out", folder / "no"), ("--keep", "nothing"), "--keep")):
        done, lines = batch("profile", [good], *options, after=after, status=2)
        check(not lines and text in done.stderr.decode(), f"{options} {after}: {done.stderr.decode()}")
    check(not (folder / "no").exists(), "wrong usage makes a directory")
    _, lines = batch("profile", [kept, good], "--out", folder / "again", status=1)
    check([line["exit_code"] for line in lines] == [2, 0], "a profile of a profile")
    check("a profile already" in lines[0]["error"]["detail"], str(lines[0]["error"]))

    # A kill in the middle leaves whole files, and --resume makes the others.
    files = []
    for number in range(40):
        for file in some():
            files.append(folder / f"{number}_{file.name}")
            os.symlink(file, files[-1])
    batch("profile", files, "--out", folder / "want", after=("--offline",), status=0)
    (folder / "list").write_text("".join(f"{file}\n" for file in files))
    place = folder / "killed"
    command = [TOOL, "batch", "--do", "profile", "-j2", "--out", str(place), str(folder / "list"), "--", "--offline"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (place.is_dir() and len(os.listdir(place)) > 10):
            time.sleep(0.002)
        process.kill()
        process.wait()
    there = [name for name in os.listdir(place) if not name.startswith(".")]
    check(5 <= len(there) < len(files), f"killed: {len(there)} files are there")
    _, lines = batch("profile", files, "--resume", "--out", place, after=("--offline",), status=0)
    check({os.path.basename(line["output"]) for line in lines if line["status"] == "skipped"} == set(there), "--resume")
    for file in (folder / "want").iterdir():
        check((place / file.name).read_bytes() == file.read_bytes(), f"killed: {file.name}: other bytes")

    # A disk that is full.
    place = folder / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(place)], capture_output=True).returncode != 0:
        print("no disk can be mounted here")
        return
    try:
        _, lines = batch("profile", [good] * 3, "--out", place, "-j2", after=("--offline",), status=1)
        check(all("No space left" in line["error"]["detail"] for line in lines), str([line["error"] for line in lines]))
        check(os.listdir(place) == [], f"left: {os.listdir(place)}")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def streams(folder):
    files = some() * 30
    (folder / "list").write_text("".join(f"{file}\n" for file in files))
    command = [TOOL, "batch", "--do", "info", str(folder / "list"), "-j2"]
    with open("/dev/full", "wb") as broken:
        done = subprocess.run(command, stdout=broken, stderr=subprocess.PIPE)
    check(done.returncode == 1 and b"standard output: cannot write" in done.stderr, f"/dev/full: {done}")
    for more, files_made in (([], 0), (["--out", str(folder / "out")], 4)):
        with subprocess.Popen(command + more, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            said = process.stderr.read()
            process.wait()
        check(process.returncode == 0 and not said, f"a reader that goes away: {process.returncode} {said}")
        made = os.listdir(folder / "out") if more else []
        check(len(made) == files_made, f"a reader that goes away: {len(made)} files")


def main():
    with tempfile.TemporaryDirectory(prefix="perfdata-batch-") as scratch:
        test = globals()[WHAT]
        if WHAT in ("equal", "symbols"):
            test()
        else:
            test(pathlib.Path(scratch))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
