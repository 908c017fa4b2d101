# SPDX-License-Identifier: MIT
"""One recording: how it looks, and the attempt to make its profile."""
import datetime
import errno
import json
import os
import time

from . import tool as program


class DiskFull(Exception):
    """Nothing more can be kept. That is no fault of a recording."""


def full(error):
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def look(path):
    """Returns what changes if somebody writes to a recording, of a directory that of each file. None: not there."""
    def of(place):
        found = os.stat(place)
        return [found.st_size, found.st_mtime_ns, found.st_ino]

    try:
        if not os.path.isdir(path):
            return of(path)
        return [of(os.path.join(folder, name)) for folder, _, names in sorted(os.walk(path)) for name in sorted(names)]
    except OSError:
        return None


def kind_of_event(attr):
    """Returns what two events of one name must have in common to be added up: see perfdata merge."""
    if attr["type"] > 5:
        return f"kernel {attr['config']}"
    if attr["type"] == 5:
        return f"breakpoint {attr['bp_type']}"
    return "tracepoint" if attr["type"] == 2 else f"{attr['type']} {attr['config']}"


def facts(summary, info):
    """Returns of the documents of a profile what the status line says of it."""
    source = summary["sources"][0]
    kinds = [kind_of_event(event["attr"]) for event in info["events"]]
    return {
        "content": source["content"], "hostname": source["hostname"], "os_release": source["os_release"],
        "arch": summary["arch"] or "unknown", "byte_order": info["recording"]["byte_order"],
        "clock": info["profile"]["sources"][0]["wall_clock"],
        "events": [{**event, "kind": kind} for event, kind in zip(summary["events"], kinds)],
        "partial": summary["partial"], "lost_samples": summary["lost_samples"],
        "losses": summary["diagnostics_total"],
    }


def attempt(night, tool, path, fresh):
    """Makes the profile of a recording in the file fresh, and keeps it. Returns the end of the attempt."""
    began = time.monotonic()

    def failed(code, text):
        return {"state": "failed", "error": {"code": code, "text": text}, "look": before}

    before = look(path)
    if before is None:
        return failed("missing", "it is not there, or may not be read")
    if not os.path.isfile(path) and not os.path.isdir(path):
        return failed("failed", "it is neither a file nor a directory")  # a pipe would have to be waited for
    done = program.run(tool, "profile", "--offline", "--quiet", "--json", "-j", "1", "--max-memory", night.memory,
                       *night.options, "-o", fresh, path, seconds=night.seconds)
    if done.timed_out is None and done.code == 0:
        info = program.run(tool, "info", "--json", fresh, seconds=night.seconds)
        done = done if info.code == 0 else info
    after = look(path)
    if after is None:
        # What was read is a whole recording only if it was there to the end.
        return failed("missing", "it went away while it was read")
    if after != before:
        return failed("changed", "it was written to while it was read")
    if done.timed_out or done.code:
        code, text = done.error
        if code == "disk_full":
            raise DiskFull(text)
        return failed(code, text)
    line = {"state": "done", "look": before, **facts(json.loads(done.output), json.loads(info.output))}
    if line["clock"] is None and isinstance(before[0], int):
        line["clock"] = datetime.datetime.fromtimestamp(before[1] // 10**9, datetime.timezone.utc).isoformat()
    line["bytes"] = os.path.getsize(fresh)
    line["profile"] = night.keep(fresh)
    line["seconds"] = round(time.monotonic() - began, 3)
    return line
