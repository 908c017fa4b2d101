#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lines.py [--color] FILE SOURCE: shows a source file with the samples that fell on each of its lines.

Needs nothing but what `perfdata annotate --format lines` writes: an editor's plug-in does the same with its own buffer.
FILE is a recording. The environment variable PERFDATA may name the tool."""

import json
import os
import pathlib
import subprocess
import sys


def common_end(one, other):
    """Returns how many parts at the ends of two paths are the same."""
    count = 0
    for a, b in zip(reversed(pathlib.PurePath(one).parts), reversed(pathlib.PurePath(other).parts)):
        if a != b:
            break
        count += 1
    return count


def file_like(document, source):
    """Returns the recorded file that is the most like this one: machines keep the same sources in different places."""
    best = max(document["files"], key=lambda file: common_end(file["path"], source), default=None)
    return best if best and common_end(best["path"], source) > 0 else None


def background(share):
    """Returns the colour of a share of 0 to 100 %, and what ends it."""
    if share <= 0:
        return "", ""
    shades = (22, 58, 94, 130, 166, 160)  # green to red, of a terminal's 256
    return f"\x1b[48;5;{shades[min(int(share ** 0.5 / 10 * len(shades)), len(shades) - 1)]}m", "\x1b[0m"


def paint(document, source, color):
    file = file_like(document, source)
    if file is None:
        sys.exit(f"lines.py: no file like {source} has samples")
    heat = {line["line"]: line for line in file["lines"]}
    print(f"{'self':>7} {'total':>7}   line  {file['path']}, by {document['events'][0]['name']}")
    with open(source, encoding="utf-8", errors="replace") as text:
        for number, content in enumerate(text, 1):
            line = heat.get(number)
            own, both = (line["percent"][0], line["percent_with_callees"][0]) if line else (0, 0)
            begin, end = background(both) if color else ("", "")
            shares = f"{own:6.2f}% {both:6.2f}%" if line else " " * 15
            print(f"{begin}{shares}{end} {number:6}  {content.rstrip()}")


def main():
    words = sys.argv[1:]
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    if words[:1] == ["--color"]:
        color, words = True, words[1:]
    if len(words) != 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    recording, source = words
    tool = os.environ.get("PERFDATA", "perfdata")
    done = subprocess.run([tool, "annotate", "--quiet", "--format", "lines", recording], stdout=subprocess.PIPE)
    if done.returncode != 0:
        return done.returncode
    paint(json.loads(done.stdout), os.path.abspath(source), color)
    return 0


if __name__ == "__main__":
    sys.exit(main())
