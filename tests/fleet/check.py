#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py WHAT TOOL FIXTURES: scripts/fleet, without Slurm. Exit status 77: what it takes is not here.

  bad       recordings that are empty, cut, none, gone, and there twice
  changes   recordings that grow or go while they are read, and between two runs; limits of time; a tool that is killed
  kills     worker and reduce are killed at random moments; the sum is that of a single process
  together  two workers and two reducers at once, with locks and without
  shapes    pages and trees of any shape make the same bytes
  full      a disk that is full
  tables    the tables have the samples of the profiles
  forms     the form for GNU parallel runs, that for Kubernetes has what the scripts take
"""
import csv
import filecmp
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

WHAT, TOOL, FIXTURES = sys.argv[1], os.path.abspath(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
FLEET = pathlib.Path(__file__).resolve().parents[2] / "scripts/fleet"
faults = 0


def check(truth, text):
    global faults
    if not truth:
        faults += 1
        print(text, flush=True)
    return truth


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def environment(tool=TOOL, locks=True):
    kept = {name: text for name, text in os.environ.items()
            if not name.startswith(("SLURM_", "JOB_COMPLETION_INDEX", "PERFDATA"))}
    return {**kept, "PERFDATA": str(tool), "PERFDATA_FLEET_LOCKS": "1" if locks else "0"}


def command(script, *arguments):
    return [sys.executable, "-B", str(FLEET / script), *map(str, arguments)]


def fleet(script, *arguments, status=0, tool=TOOL, locks=True):
    done = subprocess.run(command(script, *arguments), capture_output=True, text=True, env=environment(tool, locks))
    check(done.returncode == status, f"{script} {arguments}: {done.returncode}, not {status}: {done.stderr[-400:]}")
    return done


def recordings(count):
    """Returns some recordings of one architecture."""
    every = [*FIXTURES.glob("bpf/*.data"), *FIXTURES.glob("records/*.data")]
    every = [file for file in sorted(every) if not file.name.startswith(("a64", "arm", "s390", "v72_sched"))]
    assert len(every) > count
    return every[:count]


def begin(folder, files, *options, name="night", classes=("web", "batch")):
    text = "".join(f"{file}\t{classes[number % 2]}\n" for number, file in enumerate(files))
    (folder / f"{name}.list").write_bytes(os.fsencode(text))
    fleet("start", folder / name, folder / f"{name}.list", *options)
    return folder / name


def summary(night, status=0):
    return json.loads(fleet("summary", "--json", night, status=status).stdout)


def counted(night):
    """Returns the profiles that count, by group."""
    result = {}
    for page in sorted((night / "plan/inputs").glob("*.json")):
        for entry in json.loads(page.read_text()):
            path = night / "store" / entry["profile"][:2] / (entry["profile"] + ".profile.pb.gz")
            result.setdefault(entry["group"], []).append(path)
    return result


def check_result(night, want):
    """The sum of each group is that of one process, and is of as many recordings as wanted."""
    told = summary(night)
    check(told["counted"] == want, f"{told['counted']} count, not {want}")
    groups = counted(night)
    check(sum(map(len, groups.values())) == want, "the plan has another number")
    for group, profiles in groups.items():
        with tempfile.TemporaryDirectory() as folder:
            single = f"{folder}/single.profile.pb.gz"
            subprocess.run([TOOL, "merge", "-q", "-o", single, *profiles], check=True)
            same = filecmp.cmp(single, night / "result" / (group + ".profile.pb.gz"), shallow=False)
            check(same, f"{group}: not the sum of a single process")
    left = [path for path in night.rglob(".*") if not path.name.startswith(".work.")]
    return told, left


def page_after_page(night, **how):
    for page in sorted((night / "pages").iterdir()):
        fleet("worker", night, int(page.name), **how)


def bad(folder):
    good = recordings(6)
    text = good[0].read_bytes()
    twin = folder / 'twin \udcff, "x".data'
    twin.write_bytes(good[1].read_bytes())
    odd = {"empty": b"", "text": b"no recording\n" * 20, "header": text[:104], "noise": text[:104] + b"\xff" * 5000}
    for name, data in odd.items():
        (folder / f"{name}.data").write_bytes(data)
    (folder / "folder.data").mkdir()
    os.mkfifo(folder / "pipe.data")
    wrong = [*(folder / f"{name}.data" for name in odd), folder / "folder.data", folder / "missing.data"]
    files = [wrong[0], *good[:3], *wrong[1:], *good[3:], twin, folder / "pipe.data"]
    night = begin(folder, files, "--page-size", "4", "--seconds", "20")
    page_after_page(night)
    check(fleet("pending", night).stdout == "", "a page is pending")
    fleet("seal", night)
    fleet("reduce", night, "--all")
    told, left = check_result(night, 7)
    check(not left, f"left over: {left}")
    damaged = [pathlib.Path(entry["path"]).stem for entry in told["damaged_recordings"]]
    check(damaged == ["noise"] and told["damaged_recordings"][0]["losses"] > 0, f"damaged: {damaged}")
    codes = {pathlib.Path(entry["path"]).stem: entry["code"] for entry in told["failed_recordings"]}
    want = {**dict.fromkeys(("empty", "text", "header", "folder", "pipe"), "failed"), "missing": "missing"}
    check(codes == want, f"failed: {codes}, not {want}")
    check(all(entry["text"] for entry in told["failed_recordings"]), "a failure without a text")
    check(told["duplicates"] == 1 and told["duplicate_recordings"][0]["path"] == str(twin), "the twin is not told")
    check(told["recordings"] == len(files) == 7 + len(want) + 1, "not all are told")
    check(told["repeated"] == 0 and told["attempts"] == len(files), "repeated for nothing")
    fleet("summary", "--strict", night, status=3)
    table = list(csv.reader(open(night / "tables/recordings.csv")))
    check({len(row) for row in table} == {15} and len(table) == len(files) + 1, "the table of recordings")
    # Again: what is done is not done again, and what failed is tried again.
    lines = [fleet("worker", night, page).stdout for page in range(4)]
    check(sum(": 0 done" in line for line in lines) == len(lines), f"done again: {lines}")
    again = summary(night)
    check(again["repeated"] == len(want) and again["attempts"] == len(files) + len(want), "other attempts")
    # Wrong usage.
    fleet("worker", night, status=2)
    fleet("worker", night, "first", status=2)
    fleet("worker", folder / "nowhere", "0", status=2)
    fleet("worker", night, "77")  # an index behind the last page
    (folder / "other.list").write_text(f"{good[0]}\n")
    fleet("start", night, folder / "other.list", status=2)
    (folder / "relative.list").write_text("a.data\n")
    fleet("start", folder / "n2", folder / "relative.list", status=2)


def wrapper(folder, name, before="", after="", instead='"$tool" "$@"'):
    """Returns a tool that does something to its recording, the last argument of profile."""
    path = folder / name
    path.write_text(f"""#!/bin/sh
tool={TOOL}
[ "$1" = profile ] || exec "$tool" "$@"
for file; do :; done
{before}
{instead}
status=$?
{after}
exit $status
""")
    path.chmod(0o755)
    return path


def changes(folder):
    files = []
    for number, source in enumerate(recordings(3)):
        files.append(folder / f"{number}.data")
        shutil.copy(source, files[-1])
    whole = files[0].read_bytes()

    def told_of(name, tool, seconds=30, **text):
        night = begin(folder, files, "--seconds", seconds, name=name)
        fleet("worker", night, 0, tool=wrapper(folder, f"{name}.sh", **text) if text else tool)
        return night, {pathlib.Path(entry["path"]).stem: entry["code"]
                       for entry in summary(night, status=1)["failed_recordings"]}

    grow = 'case "$file" in */0.data) printf x >>"$file" ;; esac'
    for name, text in (("grows", {"after": grow}), ("grew", {"before": f'( sleep 0.05; {grow} ) & wait'})):
        night, codes = told_of(name, None, **text)
        check(codes == {"0": "changed"}, f"{name}: {codes}")
        files[0].write_bytes(whole)
        fleet("worker", night, 0)
        fleet("seal", night)
        fleet("reduce", night, "--all")
        told, _ = check_result(night, 3)
        check(told["repeated"] == 1, f"{name}: {told['repeated']} repeated")
    # Written to after it was read, while the rest of the page is: what was read counts no more.
    late = f'case "$file" in */2.data) printf x >>{files[0]} ;; esac'
    night, codes = told_of("late", None, before=late)
    check(codes == {"0": "changed"}, f"late: {codes}")
    files[0].write_bytes(whole)
    # It grows between two runs: the new one counts, once.
    night, codes = told_of("later", TOOL)
    check(codes == {}, f"later: {codes}")
    before = (night / "pages/00000/status.jsonl").read_text()
    files[0].write_bytes(recordings(4)[3].read_bytes())
    check("1 done, 0 failed, 2 were there" in fleet("worker", night, 0).stdout, "what grew is not made again")
    files[1].unlink()  # it was done before it went: it counts
    check("0 done, 0 failed, 3 were there" in fleet("worker", night, 0).stdout, "what is gone is made again")
    check((night / "pages/00000/status.jsonl").read_text().startswith(before), "the journal was changed")
    fleet("seal", night)
    fleet("reduce", night, "--all")
    check_result(night, 3)
    shutil.copy(recordings(2)[1], files[1])
    night, codes = told_of("goes", None, after='case "$file" in */1.data) rm "$file" ;; esac')
    check(codes == {"1": "missing"}, f"goes: {codes}")
    shutil.copy(recordings(2)[1], files[1])
    night, codes = told_of("slow", None, seconds=1, before='case "$file" in */2.data) exec sleep 20 ;; esac')
    check(codes == {"2": "timeout"}, f"slow: {codes}")
    night, codes = told_of("killed", None, before='case "$file" in */2.data) kill -KILL $$ ;; esac')
    check(codes == {"2": "killed"}, f"killed: {codes}")


def killed(script, *arguments, within):
    """Runs a script and kills it within so many seconds. Says whether it ended before."""
    child = subprocess.Popen(command(script, *arguments), start_new_session=True, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, env=environment())
    try:
        _, messages = child.communicate(timeout=random.uniform(0, within))
        check(child.returncode == 0, f"{script}: {child.returncode}: {messages[-300:]}")
        return True
    except subprocess.TimeoutExpired:
        os.kill(child.pid, signal.SIGKILL)  # the tool ends with it
        child.communicate()
        return False


def kills(folder):
    seed = int(os.environ.get("PERFDATA_FLEET_SEED", time.time()))
    random.seed(seed)
    print(f"PERFDATA_FLEET_SEED={seed}")
    files = recordings(12)
    usual, times = begin(folder, files, "--page-size", "6", "--fan-in", "2", name="usual"), {}
    for name, *arguments in (("worker", 0), ("worker", 1), ("seal",), ("reduce", "--all")):
        began = time.monotonic()
        fleet(name, usual, *arguments)
        times[name] = time.monotonic() - began
    night = begin(folder, files, "--page-size", "6", "--fan-in", "2")
    kills_of = {}
    for name, jobs in (("worker", [("worker", night, page) for page in range(2)]),
                       ("reduce", [("reduce", night, "--all")])):
        if name == "reduce":
            fleet("seal", night)
        kills_of[name] = 0
        for job in jobs:
            for _ in range(10):
                if killed(*job, within=0.7 * times[name]):
                    break
                kills_of[name] += 1
            else:
                fleet(*job)
    print(f"killed: {kills_of}")
    check(sum(kills_of.values()) > 0, "nothing was killed")
    fleet("reduce", night, "--all")
    told, left = check_result(night, 12)
    for sum_of in (usual / "result").iterdir():
        same = sum_of.suffix == ".json" or filecmp.cmp(sum_of, night / "result" / sum_of.name, shallow=False)
        check(same, f"{sum_of.name}: another sum than without kills")
    check(told["failed"] == told["pending"] == 0, "something is not done")
    check(told["interrupted_attempts"] <= kills_of["worker"], "more interrupted than killed")
    check(told["attempts"] == 12 + told["interrupted_attempts"], "other attempts than recordings and interrupted ones")
    # A torn line of the journal costs that line.
    journal = night / "pages/00000/status.jsonl"
    text = journal.read_bytes()
    journal.write_bytes(text[:-30])
    fleet("worker", night, 0)
    check(summary(night, status=0)["torn_lines"] == 1, "the torn line is not told")
    fleet("seal", night)
    fleet("reduce", night, "--all")
    check_result(night, 12)
    # So does a profile of the store that is not what its name says: it is told, and made again once it is gone.
    profile = counted(night)["x86_64"][0]
    profile.write_bytes(profile.read_bytes()[:-5])
    shutil.rmtree(night / "tree")
    done = fleet("reduce", night, "--all", status=1)
    check("is damaged: remove it" in done.stderr, f"damage: {done.stderr}")
    profile.unlink()
    fleet("worker", night, 0)
    fleet("seal", night)
    fleet("reduce", night, "--all")
    check_result(night, 12)


def together(folder):
    files = recordings(8)
    single = None
    for locks in (True, False):
        night = begin(folder, files, "--page-size", "4", "--fan-in", "2", name=f"night{locks}")

        def two(script, *arguments):
            both = [subprocess.Popen(command(script, *arguments), env=environment(locks=locks), stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for _ in range(2)]
            outputs = [child.communicate() for child in both]
            for child, (_, messages) in zip(both, outputs):
                check(child.returncode == 0, f"{script} with locks={locks}: {child.returncode}: {messages[-300:]}")
            return [output for output, _ in outputs]

        for page in range(2):
            outputs = two("worker", night, page)
            if locks:  # one of them waits, and finds all done
                check(sum("4 were there" in output for output in outputs) == 1, f"done twice: {outputs}")
        two("seal", night)
        outputs = two("reduce", night, "--all")
        told, left = check_result(night, 8)
        check(not left, f"left over: {left}")
        made = (night / "result/x86_64.profile.pb.gz").read_bytes()
        check(single in (None, made), "another sum without locks")
        single = made
    # A lock ends with its holder, however that ends.
    holder = subprocess.Popen([sys.executable, "-B", "-c", f"""
import sys, time
sys.path.insert(0, {str(FLEET)!r})
from parts import files
with files.locked({str(night / "pages/00000/lock")!r}):
    print("held", flush=True)
    time.sleep(600)
"""], stdout=subprocess.PIPE, text=True, env=environment())
    holder.stdout.readline()
    waiter = subprocess.Popen(command("worker", night, 0), env=environment(), stdout=subprocess.DEVNULL)
    try:
        waiter.wait(timeout=1)
        check(False, "the worker did not wait for the lock")
    except subprocess.TimeoutExpired:
        pass
    holder.kill()
    holder.wait()
    check(waiter.wait(timeout=60) == 0, "the worker failed after the lock was free")


def shapes(folder):
    files = [*recordings(20), *sorted(FIXTURES.glob("stacks/*.data"))]
    sums = None
    first = None
    for page_size, fan_in, order in ((100, 2, 1), (1, 2, 1), (7, 5, -1)):
        night = begin(folder, files[::order], "--page-size", page_size, "--fan-in", fan_in, name=f"n{page_size}")
        if first:  # the profiles are the same whatever the page: take them
            for page in sorted((night / "pages").iterdir()):
                lines = []
                for number, path in enumerate(files[::order]):
                    if number // page_size == int(page.name):
                        lines.append(json.dumps({**first[str(path)], "entry": number}))
                (page / "status.jsonl").write_text("\n".join(lines) + "\n")
            shutil.rmtree(night / "store")
            shutil.copytree(store, night / "store")
        else:
            page_after_page(night)
            ends = map(json.loads, (night / "pages/00000/status.jsonl").read_text().splitlines())
            first = {end["path"]: end for end in ends if end["state"] != "begun"}
            store = folder / "store"
            shutil.copytree(night / "store", store)
        fleet("seal", night)
        fleet("reduce", night, "--all")
        check_result(night, len(files))
        made = {path.name: path.read_bytes() for path in (night / "result").glob("*.gz")}
        check(len(made) > 3, f"groups: {list(made)}")
        check(sums in (None, made), f"other sums with pages of {page_size}")
        sums = made


def full(folder):
    if os.geteuid() != 0:
        skip("a disk of its own needs root")
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], capture_output=True).returncode:
        skip("this root may not mount")
    try:
        files = recordings(8)
        (folder / "list").write_text("".join(f"{file}\n" for file in files))
        night = disk / "night"
        fleet("start", night, folder / "list")
        subprocess.run(["mount", "-o", f"remount,size={in_use(disk) + 24576}", disk], check=True)
        done = fleet("worker", night, 0, status=1)
        check("repeat it when there is room" in done.stderr, f"full: {done.stderr}")
        told = summary(night, status=1)
        check(told["failed"] == 0, f"a recording is blamed for the disk: {told['failed_recordings']}")
        counts = told["counted"], told["pending"]
        check(told["pending"] > 0 and sum(counts) == 8, f"full: {counts}")
        check(fleet("pending", night).stdout == "0\n", "the page is not pending")
        subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
        fleet("worker", night, 0)
        fleet("seal", night)
        subprocess.run(["mount", "-o", f"remount,size={in_use(disk) + 8192}", disk], check=True)
        fleet("reduce", night, "--all", status=1)
        check(not list((night / "result").glob("*.gz")), "a sum on a full disk")
        subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
        fleet("reduce", night, "--all")
        _, left = check_result(night, 8)
        check(not left, f"left over: {left}")
    finally:
        subprocess.run(["umount", disk], check=True)


def in_use(disk):
    found = os.statvfs(disk)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def tables(folder):
    files = recordings(10)
    night = begin(folder, files, "--page-size", "4")
    page_after_page(night)
    fleet("seal", night)
    fleet("tables", night, "--all")
    fleet("reduce", night, "--all")
    told, _ = check_result(night, 10)
    rows = [row for page in sorted((night / "tables/counts").glob("*.csv")) for row in csv.DictReader(open(page))]
    sums = {}
    for row in rows:
        of = sums.setdefault(row["event"], [0, 0])
        of[0] += int(row["hits"])
        of[1] += int(row["periods"])
    want = {event["name"]: [event["samples"], event["periods"]] for event in told["groups"][0]["events"]
            if event["samples"]}
    check(sums == want, f"the tables have {sums}, not {want}")
    check({row["host_class"] for row in rows} == {"web", "batch"}, "classes")
    check(all(row["kernel"] for row in rows if row["function"] == "[[kernel.kallsyms]]"), "a kernel without a version")
    # By function, all recordings together: what report says of the sum.
    done = subprocess.run([TOOL, "report", "--json", "--no-children", "-g", "none", "--sort", "symbol", "-e",
                           "cpu-clock", night / "result/x86_64.profile.pb.gz"], capture_output=True, check=True)
    by_report, by_tables = {}, {}
    for row in json.loads(done.stdout)["rows"]:
        if row["symbol"] and row["kind"] == "user":
            by_report[row["symbol"]] = by_report.get(row["symbol"], 0) + row["hits"][0]
    for row in rows:
        if row["event"] == "cpu-clock" and row["function"] in by_report:
            by_tables[row["function"]] = by_tables.get(row["function"], 0) + int(row["hits"])
    check(by_report == by_tables, f"functions: {by_tables}, not {by_report}")
    listed = list(csv.DictReader(open(night / "tables/recordings.csv")))
    check([row["path"] for row in listed] == list(map(str, files)), "the table of recordings")
    check(fleet("tables", night, "--all").stdout == "", "tables were made again")


def forms(folder):
    text = (FLEET / "kubernetes/night.yaml").read_text()
    try:
        import yaml
    except ImportError:
        yaml = None
        print("no yaml module: the manifest is not parsed")
    if yaml:
        for job in yaml.safe_load_all(text):
            words = job["spec"]["template"]["spec"]["containers"][0]["command"]
            script = pathlib.Path(words[0]).name
            check((FLEET / script).exists(), f"{script} is not there")
            fleet(script, *("/nonexistent" if word == "/fleet/night" else TOOL if word == "/usr/bin/perfdata" else word
                            for word in words[1:]), status=2)  # no night, but no other fault
            check(job["apiVersion"] == "batch/v1" and job["spec"].get("completionMode", "Indexed") == "Indexed", script)
    files = recordings(6)
    if shutil.which("parallel"):
        night = begin(folder, files, "--page-size", "2")
        done = subprocess.run([FLEET / "parallel/run", night, "2"], capture_output=True, text=True, env=environment())
        check(done.returncode == 0 and done.stdout.endswith("adds up\n"),
              f"parallel: {done.stdout[-300:]}{done.stderr[-300:]}")
        check_result(night, 6)
    else:
        print("no GNU parallel: its form is not run")
    # A task takes its number from the engine.
    for name, variable in (("slurm", "SLURM_ARRAY_TASK_ID"), ("kubernetes", "JOB_COMPLETION_INDEX")):
        night = begin(folder, files, "--page-size", "4", name=name)
        done = subprocess.run([FLEET / "slurm/task", *command("worker", night)], capture_output=True, text=True,
                              env={**environment(), variable: "1"})
        check("page 1: 2 done" in done.stdout, f"{variable}: {done.stdout}{done.stderr}")
    # What a signal ended is repeated, three times in all.
    done = subprocess.run([FLEET / "slurm/task", "sh", "-c", f"echo x >>{folder}/times; kill -9 $$"],
                          capture_output=True)
    check(done.returncode == 137 and (folder / "times").read_text() == "x\n" * 3, "not repeated")


def main():
    if sys.version_info < (3, 11):
        skip("scripts/fleet needs Python 3.11")
    with tempfile.TemporaryDirectory() as folder:
        globals()[WHAT](pathlib.Path(folder))
    if faults:
        sys.exit(f"{faults} faults")


main()
