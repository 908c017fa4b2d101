# SPDX-License-Identifier: MIT
"""Runs perfdata, with a limit of time, and ends it with its caller."""
import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess

from .night import Problem

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def find(given=None):
    """Returns the path of the tool: as given, of PERFDATA, as built here, or of PATH."""
    built = pathlib.Path(__file__).resolve().parents[3] / "build/release/perfdata"
    for path in (given, os.environ.get("PERFDATA"), built, shutil.which("perfdata")):
        if not path:
            continue
        if os.access(path, os.X_OK):
            return os.path.abspath(path)
        if path != built:
            raise Problem(f"{path}: no program: give --perfdata")
    raise Problem("no perfdata: give --perfdata, or build it: cmake --workflow --preset release")


def die_with_caller():
    # If the worker is killed, nothing goes on without it.
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Done:
    def __init__(self, code, output, messages, timed_out):
        self.code = code  # negative: ended by that signal
        self.output = output
        self.messages = messages
        self.timed_out = timed_out

    @property
    def error(self):
        """Returns a code and a text of what went wrong."""
        text = self.messages.strip()[-2000:].removeprefix("perfdata: ")
        if self.timed_out:
            return "timeout", f"took more than {self.timed_out} s"
        if self.code < 0:
            return "killed", f"{signal.Signals(-self.code).name} ended perfdata"
        if "No space left on device" in text or "Disk quota exceeded" in text:
            return "disk_full", text
        return "failed", text or f"exit status {self.code}"


def run(tool, *arguments, seconds=None):
    """Runs perfdata to its end, or to that of its time."""
    child = subprocess.Popen([tool, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=die_with_caller)
    try:
        output, messages = child.communicate(timeout=seconds)
        timed_out = None
    except subprocess.TimeoutExpired:
        child.kill()
        output, messages = child.communicate()
        timed_out = seconds
    except BaseException:  # the worker ends: a signal
        with contextlib.suppress(OSError):
            child.kill()
        child.wait()
        raise
    return Done(child.returncode, output, messages.decode(errors="replace"), timed_out)
