# SPDX-License-Identifier: MIT
"""The heat of source files: their lines with samples, and the functions of these."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import _structs
from ._calls import Cancel, Count, Handle, Problem, ProgressFunction, Watch, call, counts, encoded, made, problems, text
from .filters import Filter, filter_pointer

if TYPE_CHECKING:
    from .code import Code

NO_CHAINS = 1


class LineFunction(NamedTuple):
    """What a function has of a line."""

    name: str
    own: Tuple[Count, ...]
    inclusive: Tuple[Count, ...]


class HeatLine(NamedTuple):
    """A line with samples: `own` fell on it, `inclusive` on it or in what it called, each by event."""

    line: int
    own: Tuple[Count, ...]
    inclusive: Tuple[Count, ...]
    functions: Tuple[LineFunction, ...]


class HeatFile:
    """A source file with samples."""

    def __init__(self, heat: "Heat", index: int) -> None:
        self._heat, self.index = heat, index
        raw = _structs.sized(_structs.HeatFile)
        pointer = heat.pointer
        call("perfdata_heat_get_file", pointer, ctypes.c_uint64(index), ctypes.byref(raw))
        self.path = text(raw.path)
        self.own = counts(getattr(raw, "self"), len(heat.events))
        self.inclusive = counts(raw.inclusive, len(heat.events))
        self._lines: int = raw.line_count

    def __len__(self) -> int:
        return self._lines

    def __repr__(self) -> str:
        return f"HeatFile({self.path!r}, {self._lines} lines)"

    @property
    def lines(self) -> Iterator[HeatLine]:
        """Yields the lines with samples, by number."""
        for index in range(self._lines):
            yield self._line(index)

    def _line(self, index: int) -> HeatLine:
        events = len(self._heat.events)
        raw = _structs.sized(_structs.HeatLine)
        place = (self._heat.pointer, ctypes.c_uint64(self.index), ctypes.c_uint64(index))
        call("perfdata_heat_get_line", *place, ctypes.byref(raw))
        functions = []
        for number in range(raw.function_count):
            of = _structs.sized(_structs.HeatFunction)
            call("perfdata_heat_get_function", *place, ctypes.c_uint64(number), ctypes.byref(of))
            functions.append(LineFunction(text(of.name), counts(getattr(of, "self"), events),
                                          counts(of.inclusive, events)))
        return HeatLine(raw.line, counts(getattr(raw, "self"), events), counts(raw.inclusive, events),
                        tuple(functions))


class Heat(Handle):
    """Where the samples fell in the source. `own` of all files and the counts of without_line add up to totals."""

    _free_function = "perfdata_heat_free"

    def __init__(self, code: "Code", chains: bool, filter: Optional[Filter], cancel: Optional[Cancel],
                 progress: Optional[ProgressFunction]) -> None:
        watch = Watch(cancel, progress)
        options = _structs.sized(_structs.HeatOptions)
        options.control = watch.pointer
        options.filter = filter_pointer(filter)
        options.flags = 0 if chains else NO_CHAINS
        super().__init__(made("perfdata_heat_make", code.pointer, ctypes.byref(options), watch=watch))
        info = _structs.sized(_structs.HeatInfo)
        call("perfdata_heat_get_info", self.pointer, ctypes.byref(info))
        events = info.event_count
        self._files: int = info.file_count
        self._problems: int = info.problem_count
        self.events = tuple(info.events[at] for at in range(events))
        self.totals = counts(info.totals, events)
        self.without_line: Dict[str, Tuple[Count, ...]] = {
            reason: counts(getattr(info, reason), events)
            for reason in ("nowhere", "no_lines", "no_line", "damaged", "limit")}

    @property
    def files(self) -> Iterator[HeatFile]:
        """Yields the files with samples, hottest first."""
        for index in range(self._files):
            yield HeatFile(self, index)

    def find(self, path: str) -> List[HeatFile]:
        """Returns the files whose paths agree the most with this one, from the end on; none if no name agrees."""
        indices = (ctypes.c_uint64 * max(self._files, 1))()
        count = ctypes.c_size_t()
        try:
            call("perfdata_heat_find", self.pointer, encoded(path), indices, ctypes.c_size_t(len(indices)),
                 ctypes.byref(count))
        except Exception as problem:
            if getattr(problem, "code", None) == "missing":
                return []
            raise
        return [HeatFile(self, indices[at]) for at in range(count.value)]

    @property
    def problems(self) -> List[Problem]:
        """Why lines are not known."""
        return problems("perfdata_heat_problem", self, self._problems)
