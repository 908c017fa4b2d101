# SPDX-License-Identifier: MIT
"""What became of each recording of a page: a file of JSON lines that only grows.

A line says that an attempt began, or how it ended. The last end of a recording counts. A kill or a full disk may leave
a part of a line: what follows begins a new one, and the part is counted as torn.
"""
import json
import os

ENDS = ("done", "failed")


class Verdict:
    """The history of one recording."""

    def __init__(self):
        self.attempts = 0
        self.interrupted = 0
        self.end = None  # the line that counts, or None
        self.running = False

    def take(self, line):
        if line["state"] == "begun":
            self.attempts += 1
            self.interrupted += self.running
            self.running = True
        else:
            self.running = False
            self.end = line


def read(path):
    """Returns the verdicts of recordings by number, and how many lines are torn."""
    verdicts, torn = {}, 0
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return verdicts, 0
    for text in lines:
        if not text:
            continue
        try:
            line = json.loads(text)
            verdicts.setdefault(line["entry"], Verdict()).take(line)
        except (ValueError, KeyError, TypeError):
            torn += 1
    return verdicts, torn


class Journal:
    """Appends lines. A line that does not fit on the disk is taken back."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        size = os.fstat(self.file).st_size
        # Behind a torn line begins a new one.
        self.begin = b"\n" if size and os.pread(self.file, 1, size - 1) != b"\n" else b""

    def add(self, line, last=True):
        """Appends a line. With last it is on the disk before this returns."""
        text = self.begin + json.dumps(line, separators=(",", ":")).encode() + b"\n"
        size = os.fstat(self.file).st_size
        try:
            if os.write(self.file, text) != len(text):
                raise OSError(28, "No space left on device", "status.jsonl")
            if last:
                os.fsync(self.file)
        except OSError:
            os.ftruncate(self.file, size)
            raise
        self.begin = b""

    def close(self):
        os.close(self.file)
