# SPDX-License-Identifier: MIT
"""Finds and loads libperfdata-c."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib

NAME = "libperfdata-c.so.0"
LEAST_VERSION = 1


def _candidates() -> list[str]:
    """Returns what to load, in order: what the environment says, what lies beside the package, the system's."""
    named = os.environ.get("PERFDATA_LIBRARY")
    if named:
        return [named]
    beside = pathlib.Path(__file__).resolve().parent / NAME
    found = [str(beside)] if beside.exists() else []
    found.append(NAME)
    by_name = ctypes.util.find_library("perfdata-c")
    if by_name and by_name not in found:
        found.append(by_name)
    return found


def load() -> ctypes.CDLL:
    """Loads the library. Raises ImportError with every place that was tried."""
    problems = []
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
            library.perfdata_c_version.restype = ctypes.c_uint32
            version = library.perfdata_c_version()
        except (OSError, AttributeError) as problem:
            problems.append(f"{candidate}: {problem}")
            continue
        if version >= LEAST_VERSION:
            return library
        problems.append(f"{candidate}: version {version} of its interface, at least {LEAST_VERSION} is needed")
    raise ImportError("perfdata needs libperfdata-c; name its file in PERFDATA_LIBRARY. Tried: " + "; ".join(problems))


library = load()
library.perfdata_version.restype = ctypes.c_char_p
library.perfdata_status_name.restype = ctypes.c_char_p
library.perfdata_status_name.argtypes = [ctypes.c_int32]
