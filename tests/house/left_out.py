#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""left_out.py SOURCE: the words that sources give to leave_out() are among those of left_out_text(), which knows how to say
one of them."""
import os
import re
import sys

root = sys.argv[1]
known = set(re.findall(r'\{"([^"]+)",\s*"[^"]+"\}', open(os.path.join(root, "libperfdata/recording/left_out.cpp"), encoding="utf-8").read()))
used = {}
for place, _, names in os.walk(os.path.join(root, "annotate")):
    for name in names:
        if not name.endswith((".cpp", ".hpp")):
            continue
        path = os.path.join(place, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for call in re.findall(r'needed_?\.leave_out\(([^;]*)\);', text):
            for word in re.findall(r'"([^"]{4,})"', call.split(", 1")[0]):
                used[word] = path
        for word in re.findall(r'string_view (?:unreadable|untrusted|newer|not_here) =\s*"([^"]+)";', text):
            used[word] = path
bad = [f"{path}: \"{word}\" is not in left_out.cpp" for word, path in sorted(used.items()) if word not in known and word not in ("source", "debug")]  # those are kinds
if len(used) < 10:
    bad.append(f"only {len(used)} words were found: {sorted(used)}")
bad += [f"left_out.cpp: nothing is left out as \"{word}\"" for word in sorted(known - set(used))
        if not word.startswith(("kinds of", "files whose names"))]
print("\n".join(bad) or f"{len(used)} words are known")
sys.exit(bool(bad))
