# SPDX-License-Identifier: MIT
"""The folder of a night, and what was chosen when it began.

    night.json     the choices, and the SHA-256 of the list
    list           the recordings, one a line: PATH, or PATH, a tab and the class of its host
    pages/00012/   a page of the list: status.jsonl (what became of each recording), lock
    store/ab/      profiles, each named by the SHA-256 of its bytes: of recordings, and sums
    plan/          which profiles count: plan.json, and inputs of each page
    tree/ARCH/     sums: LEVEL/NODE.json says which profiles are in it, and which one it is
    result/        ARCH.profile.pb.gz, the sum of all, and its summary
    tables/        what questions are asked of
"""
import itertools
import json
import os
import re

from . import files

ENDING = ".profile.pb.gz"


class Problem(Exception):
    """What a user can do something about."""


class Night:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        try:
            with open(self.at("night.json"), encoding="utf-8") as file:
                choices = json.load(file)
        except FileNotFoundError:
            raise Problem(f"{folder}: no night began here: run start") from None
        self.recordings = choices["recordings"]
        self.page_size = choices["page_size"]
        self.fan_in = choices["fan_in"]
        self.seconds = choices["seconds"]
        self.memory = choices["memory"]
        self.options = choices["options"]  # of perfdata profile

    def at(self, *names):
        return os.path.join(self.folder, *names)

    @property
    def pages(self):
        return -(-self.recordings // self.page_size)

    @property
    def levels(self):
        """Returns how many nodes each level of the tree has. Level 0 has a node for each page."""
        counts = [self.pages]
        while counts[-1] > 1:
            counts.append(-(-counts[-1] // self.fan_in))
        return counts

    def page(self, number):
        return self.at("pages", f"{number:05d}")

    def entries(self, page):
        """Returns number, path and class of the recordings of a page."""
        first = page * self.page_size
        with open(self.at("list"), "rb") as file:
            lines = list(itertools.islice(file, first, first + self.page_size))
        result = []
        for number, line in enumerate(lines, first):
            path, _, kind = line.rstrip(b"\n").partition(b"\t")
            result.append((number, os.fsdecode(path), os.fsdecode(kind)))
        return result

    def profile(self, content):
        """Returns the path of the profile with this SHA-256."""
        if not re.fullmatch("[0-9a-f]{64}", content):
            raise Problem(f"{content}: no name of a profile")
        return self.at("store", content[:2], content + ENDING)

    def keep(self, fresh):
        """Puts a complete profile into the store, and returns its SHA-256. If it is there already, that is the same."""
        content = files.digest(fresh)
        files.publish(fresh, self.profile(content))
        return content


def begin(folder, list_path, choices):
    """Begins a night. Does nothing if the same one began before, so that all can be given again."""
    with open(list_path, "rb") as file:
        text = file.read()
    if text and not text.endswith(b"\n"):
        text += b"\n"
    if b"\0" in text or b"\n\n" in text or text.startswith((b"\n", b"\t")) or b"\n\t" in text:
        raise Problem(f"{list_path}: a line without a path")
    lines = [line.split(b"\t")[0] for line in text.splitlines()]
    if any(not line.startswith(b"/") for line in lines):
        raise Problem(f"{list_path}: paths must be absolute: tasks run elsewhere")
    os.makedirs(folder, exist_ok=True)
    choices = {"version": 1, "recordings": len(lines), **choices}
    fresh = json.dumps(choices, indent=1, sort_keys=True).encode() + b"\n"
    place = os.path.join(folder, "night.json")
    with files.locked(os.path.join(folder, "lock")):
        kept = os.path.join(folder, "list")
        if os.path.exists(place):
            with open(place, "rb") as file, open(kept, "rb") as known:
                if file.read() != fresh or known.read() != text:
                    raise Problem(f"{folder}: another night began here, with another list or other choices")
            return Night(folder)
        for name in ("pages", "plan/inputs", "tree", "result", "tables/counts"):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        for number in range(256):
            os.makedirs(os.path.join(folder, "store", f"{number:02x}"), exist_ok=True)
        for page in range(-(-len(lines) // choices["page_size"])):
            os.makedirs(os.path.join(folder, "pages", f"{page:05d}"), exist_ok=True)
        files.write(kept, text)
        files.write(place, fresh)  # last: with it the night is there
    return Night(folder)
