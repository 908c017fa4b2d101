# SPDX-License-Identifier: MIT
"""Which profiles count. Decided once, from all journals, in the order of the list: not by who comes first.

- The same recording twice in the list (also as a copy, or packed) counts once: the first one.
- What perfdata merge does not add up goes to groups of their own: other architectures, and other events of one name.
"""
import csv
import hashlib
import io
import json
import os

from . import files
from .journal import Verdict, read

MOST = 2**64 - 1


def add_events(sums, events):
    """Adds samples and periods of events by name. Periods stay at 2^64-1, as in profiles."""
    for event in events:
        of = sums.setdefault(event["name"], [0, 0])
        of[0] = min(of[0] + event["samples"], MOST)
        of[1] = min(of[1] + event["periods"], MOST)


class Groups:
    """Recordings that add up: the first group of the architecture that knows no other event of these names."""

    def __init__(self):
        self.known = {}  # (arch, byte order): for each group the kinds of events by name

    def of(self, end):
        kinds = {event["name"]: event["kind"] for event in end["events"]}
        groups = self.known.setdefault((end["arch"], end["byte_order"]), [])
        for number, known in enumerate(groups):
            if all(known.get(name, kind) == kind for name, kind in kinds.items()):
                known.update(kinds)
                break
        else:
            number = len(groups)
            groups.append(kinds)
        name = "".join(c if c.isalnum() or c in "_-" else "_" for c in end["arch"])
        return name + ("" if end["byte_order"] == "little" else "-big") + (f"-{number + 1}" if number else "")


def decide(night):
    """Yields of each page the entries, as number, path, class, verdict, state, group; and how many lines are torn.

    State is counted, duplicate, failed or pending (no attempt came to an end).
    """
    seen, groups = set(), Groups()
    for page in range(night.pages):
        verdicts, torn = read(os.path.join(night.page(page), "status.jsonl"))
        rows = []
        for number, path, kind in night.entries(page):
            verdict = verdicts.get(number) or Verdict()
            end, group = verdict.end, None
            if end is None:
                state = "pending"
            elif end["state"] == "failed":
                state = "failed"
            elif end["content"] in seen:
                state = "duplicate"
            else:
                seen.add(end["content"])
                state, group = "counted", groups.of(end)
            rows.append((number, path, kind, verdict, state, group))
        yield page, rows, torn


COLUMNS = ("entry", "path", "host_class", "state", "error", "attempts", "arch_group", "hostname", "kernel", "recorded",
           "samples", "profile_bytes", "seconds", "partial", "content")


def row(number, path, kind, verdict, state, group):
    """Returns a row of the table of recordings."""
    end = verdict.end or {}
    error = end.get("error", {}).get("code")
    samples = sum(event["samples"] for event in end.get("events", ()))
    return (number, path, kind, state, error, verdict.attempts, group, end.get("hostname"), end.get("os_release"),
            end.get("clock"), samples, end.get("bytes"), end.get("seconds"), bool(end.get("partial")),
            end.get("content"))


class Summary:
    """What became of the recordings of the list, in numbers that add up."""

    def __init__(self, night):
        self.counts = dict.fromkeys(("recordings", "counted", "whole", "partial", "duplicates", "failed", "pending",
                                     "repeated", "interrupted_attempts", "attempts", "torn_lines"), 0)
        self.counts["recordings"] = night.recordings
        self.failed, self.pending, self.duplicates, self.damaged = [], [], [], []
        self.limits = {}
        self.groups = {}
        self.seconds = 0.0
        self.bytes = 0

    def add(self, rows, torn):
        counts = self.counts
        counts["torn_lines"] += torn
        for number, path, kind, verdict, state, group in rows:
            counts["attempts"] += verdict.attempts
            counts["repeated"] += verdict.attempts > 1
            counts["interrupted_attempts"] += verdict.interrupted + verdict.running
            if state == "counted":
                end = verdict.end
                counts["counted"] += 1
                counts["partial" if end["partial"] else "whole"] += 1
                for limit in end["partial"]:
                    text = limit["detail"] or limit["code"]
                    self.limits[text] = self.limits.get(text, 0) + 1
                of = self.groups.setdefault(group, {"recordings": 0, "lost_samples": 0, "with_losses": 0, "events": {}})
                of["recordings"] += 1
                of["lost_samples"] += end["lost_samples"]
                if end["losses"]:
                    of["with_losses"] += 1
                    self.damaged.append({"entry": number, "path": path, "losses": end["losses"]})
                add_events(of["events"], end["events"])
                self.seconds += end["seconds"]
                self.bytes += end["bytes"]
            elif state == "failed":
                counts["failed"] += 1
                self.failed.append({"entry": number, "path": path, **verdict.end["error"]})
            elif state == "duplicate":
                counts["duplicates"] += 1
                self.duplicates.append({"entry": number, "path": path, "content": verdict.end["content"]})
            else:
                counts["pending"] += 1
                self.pending.append({"entry": number, "path": path})

    def adds_up(self):
        of = self.counts
        return (of["recordings"] == of["counted"] + of["duplicates"] + of["failed"] + of["pending"]
                and of["counted"] == of["whole"] + of["partial"]
                and of["counted"] == sum(group["recordings"] for group in self.groups.values()))


def seal(night):
    """Writes down which profiles count: the inputs of each page, the table of recordings, and at last the plan."""
    summary, whole = Summary(night), hashlib.sha256()
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    with files.locked(night.at("plan", "lock")):
        for page, rows, torn in decide(night):
            summary.add(rows, torn)
            writer.writerows(row(*entry) for entry in rows)
            inputs = [{"group": group, "class": kind, "profile": verdict.end["profile"], "path": path,
                       "kernel": verdict.end["os_release"], "clock": verdict.end["clock"]}
                      for _, path, kind, verdict, state, group in rows if state == "counted"]
            text = json.dumps(inputs, separators=(",", ":")).encode()
            whole.update(hashlib.sha256(text).digest())
            files.write(night.at("plan", "inputs", f"{page:05d}.json"), text + b"\n")
        files.write(night.at("tables", "recordings.csv"), table.getvalue().encode("utf-8", "backslashreplace"))
        plan = {"id": whole.hexdigest(), "groups": {name: of["recordings"] for name, of in summary.groups.items()}}
        files.write(night.at("plan", "plan.json"), json.dumps(plan, sort_keys=True).encode() + b"\n")
    return plan, summary
