# SPDX-License-Identifier: MIT
"""Which samples count."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Sequence, Tuple

from . import _structs
from ._calls import choice, texts, whole

KINDS = ("unknown", "kernel", "module", "bpf", "out_of_line", "user", "jit")
MODES = ("unknown", "kernel", "user", "hypervisor", "guest_kernel", "guest_user")


@dataclasses.dataclass(frozen=True)
class Filter:
    """Passes the samples that pass each of its lists; an empty list passes all. `events` are indices in
    Recording.events, `times` pairs of nanoseconds, both included, `kinds` words of KINDS. `comms`, `objects`,
    `symbols` and `kinds` need code."""

    events: Sequence[int] = ()
    times: Sequence[Tuple[int, int]] = ()
    pids: Sequence[int] = ()
    tids: Sequence[int] = ()
    cpus: Sequence[int] = ()
    comms: Sequence[str] = ()
    objects: Sequence[str] = ()
    symbols: Sequence[str] = ()
    kinds: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            values = getattr(self, field.name)
            if isinstance(values, (str, bytes)):
                raise TypeError(f"{field.name} is {values!r}, one string where a list of strings is needed")
            object.__setattr__(self, field.name, tuple(values))

    def struct(self) -> Any:
        """Returns the perfdata_filter, which refers to its arrays."""
        made = _structs.sized(_structs.Filter)
        for name in ("event", "pid", "tid", "cpu"):
            values = [whole(value, name, 32) for value in getattr(self, name + "s")]
            setattr(made, name + "s", (ctypes.c_uint32 * len(values))(*values))
            setattr(made, name + "_count", len(values))
        times = [(whole(begin, "time"), whole(until, "time")) for begin, until in self.times]
        made.times = (_structs.TimeRange * len(times))(*times)
        made.time_count = len(times)
        for name in ("comm", "object", "symbol"):
            array, count = texts(getattr(self, name + "s"))
            setattr(made, name + "s", array)
            setattr(made, name + "_count", count)
        for kind in self.kinds:
            made.kinds |= 1 << choice(kind, KINDS, "kind")
        return made


def filter_pointer(given: "Filter | None") -> Any:
    return None if given is None else ctypes.pointer(given.struct())
