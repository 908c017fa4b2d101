# SPDX-License-Identifier: MIT
"""The tree of sums. A node adds up profiles of the store, puts the sum there, and says in a file which ones those are.

All that makes a node anew makes the same bytes under the same name: so two may do it at once, and one that was killed
leaves nothing that counts. Merging is associative and commutative: the sum does not depend on the tree.
"""
import contextlib
import json
import os
import time

from . import files, tool as program
from .night import Problem


class Failed(Exception):
    """A sum could not be made."""


def plan_of(night):
    try:
        with open(night.at("plan", "plan.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise Problem("which profiles count is not decided: run seal") from None


def inputs_of_page(night, page):
    with open(night.at("plan", "inputs", f"{page:05d}.json"), encoding="utf-8") as file:
        return json.load(file)


def place(night, group, level, node):
    return night.at("tree", group, str(level), f"{node:05d}.json")


def node_of(night, group, level, node):
    """Returns what a node says, or None."""
    try:
        with open(place(night, group, level, node), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def wanted(night, plan, group, level, node):
    """Returns the profiles that belong in a node, by name."""
    if level == 0:
        return sorted(entry["profile"] for entry in inputs_of_page(night, node) if entry["group"] == group)
    result = []
    for below in range(node * night.fan_in, min((node + 1) * night.fan_in, night.levels[level - 1])):
        found = node_of(night, group, level - 1, below)
        if found is None or found["plan"] != plan["id"]:
            raise Problem(f"node {below} of level {level - 1} of {group} is not made: run reduce --level {level - 1}")
        if found["profile"]:
            result.append(found["profile"])
    return sorted(result)


def add_up(night, tool, names, folder):
    """Returns the profile that is the sum of these, and its summary."""
    for name in names:
        if files.digest(night.profile(name)) != name:
            raise Failed(f"{night.profile(name)} is damaged: remove it, then run worker, seal and reduce again")
    fresh = files.temporary(os.path.join(folder, "sum.profile.pb.gz"))
    try:
        done = program.run(tool, "merge", "--quiet", "--json", "-o", fresh, *map(night.profile, names))
        if done.code:
            raise Failed(done.error[1])
        summary = json.loads(done.output)
        return night.keep(fresh), summary
    finally:
        with contextlib.suppress(OSError):
            os.unlink(fresh)


def make(night, tool, plan, group, level, node):
    """Makes a node, if it is not there. Returns what it says, and whether it was there."""
    target = place(night, group, level, node)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with files.locked(target.removesuffix("json") + "lock"):  # saves work alone
        names = wanted(night, plan, group, level, node)
        known = node_of(night, group, level, node)
        if (known and known["inputs"] == names
                and (not known["profile"] or os.path.exists(night.profile(known["profile"])))):
            if known["plan"] != plan["id"]:
                known["plan"] = plan["id"]
                files.write(target, json.dumps(known).encode() + b"\n")
            return known, True
        began = time.monotonic()
        said = {"plan": plan["id"], "inputs": names, "profile": None, "bytes": 0, "recordings": 0, "events": [],
                "partial": []}
        if names:
            said["profile"], summary = add_up(night, tool, names, os.path.dirname(target))
            for key in ("bytes", "recordings", "events", "partial", "lost_samples", "rows", "differing_versions"):
                said[key] = summary[key]
        said["seconds"] = round(time.monotonic() - began, 3)
        files.write(target, json.dumps(said).encode() + b"\n")
        return said, False


def finish(night, group, said):
    """Gives the sum of all its name."""
    if not said["profile"]:
        return
    target = night.at("result", group + ".profile.pb.gz")
    fresh = files.temporary(target)
    try:
        with open(night.profile(said["profile"]), "rb") as source, open(fresh, "wb") as file:
            while block := source.read(1 << 20):
                file.write(block)
        files.publish(fresh, target)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
    files.write(night.at("result", group + ".json"), json.dumps(said).encode() + b"\n")
