# SPDX-License-Identifier: MIT
"""What the check.py of tests/bundle and tests/profile share: `check.py WHAT TOOL FIXTURES COMPILER`.

They run the tool as a process, below one scratch directory, and record programs that they compile. Exit status 77: what
it takes is not here. With PERFDATA_KEEP in the environment the scratch directory stays.
"""
import os
import shutil
import subprocess
import sys
import tempfile

WHAT, TOOL, FIXTURES, COMPILER = sys.argv[1:5]
WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bundle", "work.cpp")
SCRATCH = tempfile.mkdtemp(prefix=f"perfdata-{os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0])))}-")
os.chmod(SCRATCH, 0o755)  # what everybody may read in it is everybody's
HOME = os.path.join(SCRATCH, "home")
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": HOME, "LC_ALL": "C.UTF-8", "TERM": "dumb"}
faults = []


def complain(text):
    faults.append(text)
    print(text, flush=True)


def run(*command, cwd=None, check=True, text=True, **more):
    done = subprocess.run([str(word) for word in command], cwd=cwd or SCRATCH, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=text, check=False, **more)
    if check and done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def skip(why):
    print(why)
    raise SystemExit(77)


def folder(name):
    path = os.path.join(SCRATCH, name)
    os.makedirs(path, exist_ok=True)
    return path


def fixture(name):
    return os.path.join(FIXTURES, name + ".data")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def written(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def mode_of(path):
    return os.stat(path).st_mode & 0o777


def needs_perf():
    if shutil.which("perf") is None:
        skip("perf is not installed")
    probe = run("perf", "record", "-q", "-N", "-B", "-e", "cpu-clock:u", "-o", "probe.data", "true", check=False)
    if probe.returncode != 0:
        skip("perf may not record here")


def build(name, *options, where="programs"):
    program = os.path.join(folder(where), name)
    run(COMPILER, "-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", *options, WORK, "-o", program)
    return program


def record(where, *arguments, options=("-g", "-e", "cpu-clock:u")):
    run("perf", "record", "-q", "-N", "--buildid-all", "-F", "999", *options, "-o", os.path.join(where, "perf.data"), "--",
        *arguments)
    return os.path.join(where, "perf.data")


def main(tests):
    """Runs the function test_WHAT of a module, and exits."""
    try:
        tests["test_" + WHAT]()
    finally:
        if not os.environ.get("PERFDATA_KEEP"):
            shutil.rmtree(SCRATCH, ignore_errors=True)
    raise SystemExit(1 if faults else 0)
