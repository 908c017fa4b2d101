# SPDX-License-Identifier: MIT
"""Listings: functions with their instructions and lines, and the samples on them."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Iterator, List, NamedTuple, Optional, Tuple

from . import _structs
from ._calls import (Cancel, Count, Handle, Problem, ProgressFunction, Watch, call, counts, encoded, made, problem_of,
                     text, whole)
from .filters import KINDS, Filter, filter_pointer
from .report import document

if TYPE_CHECKING:
    from .code import Code

INTEL, OUTLINES = 1, 2
NO_LINE = 2**32 - 1


class Instruction(NamedTuple):
    """One instruction. `line` is an index in Listing.lines; None: unknown. `target` is the function that it jumps to,
    calls or loads the address of."""

    offset: int
    address: int
    bytes: bytes
    text: str
    target: str
    target_offset: int
    line: Optional[int]
    decoded: bool
    counts: Tuple[Count, ...]


class Line(NamedTuple):
    """One line of source. 0 is an unknown line or column."""

    file: str
    line: int
    column: int
    text: str
    counts: Tuple[Count, ...]


class Listing:
    """One version of a function. `on_start` is the share of samples on the start of an instruction, about 1 if these
    are the bytes that ran; None: unknown."""

    def __init__(self, annotation: "Annotation", index: int) -> None:
        self._annotation, self.index = annotation, index
        raw = _structs.sized(_structs.Function)
        pointer = annotation.pointer
        call("perfdata_annotation_function", pointer, ctypes.c_uint64(index), ctypes.byref(raw))
        self._raw = raw
        self.name, self.symbol, self.object = text(raw.name), text(raw.symbol), text(raw.object)
        self.kind = KINDS[raw.kind]
        self.address: int = raw.address
        self.bytes: int = raw.bytes
        self.version: int = raw.version
        self.begin: int = getattr(raw, "from")
        self.until: int = raw.until
        self.on_start: Optional[float] = None if raw.on_start < 0 else raw.on_start
        self.counts = counts(raw.counts, len(annotation.events))

    def __repr__(self) -> str:
        return f"Listing({self.name!r})"

    @property
    def instructions(self) -> Iterator[Instruction]:
        """Yields its instructions, which cover all of its bytes."""
        for index in range(self._raw.instruction_count):
            yield self._instruction(index)

    def _instruction(self, index: int) -> Instruction:
        pointer = self._annotation.pointer
        raw = _structs.sized(_structs.Instruction)
        call("perfdata_annotation_instruction", pointer, ctypes.c_uint64(self.index), ctypes.c_uint64(index),
             ctypes.byref(raw))
        return Instruction(raw.offset, raw.address, bytes(raw.bytes[:raw.byte_count]), text(raw.text),
                           text(raw.target), raw.target_offset, None if raw.line == NO_LINE else raw.line,
                           bool(raw.decoded), counts(raw.counts, len(self._annotation.events)))

    @property
    def lines(self) -> List[Line]:
        """Its lines, by first appearance."""
        of, found = self._annotation, []
        pointer = of.pointer
        for index in range(self._raw.line_count):
            raw = _structs.sized(_structs.Line)
            call("perfdata_annotation_line", pointer, ctypes.c_uint64(self.index), ctypes.c_uint64(index),
                 ctypes.byref(raw))
            found.append(Line(text(raw.file), raw.line, raw.column, text(raw.text),
                              counts(raw.counts, len(of.events))))
        return found

    @property
    def problems(self) -> List[Problem]:
        """Why instructions or lines are missing or doubtful."""
        found = []
        for index in range(self._raw.problem_count):
            problem = _structs.sized(_structs.Error)
            call("perfdata_annotation_problem", self._annotation.pointer, ctypes.c_uint64(self.index),
                 ctypes.c_uint64(index), ctypes.byref(problem))
            found.append(problem_of(problem))
        return found


class Annotation(Handle):
    """The listings of functions, hottest first."""

    _free_function = "perfdata_annotation_free"

    def __init__(self, code: "Code", symbol: Optional[str], pattern: Optional[str], file: Optional[str], line: int,
                 most: int, intel: bool, outlines: bool, jobs: int, filter: Optional[Filter],
                 cancel: Optional[Cancel], progress: Optional[ProgressFunction]) -> None:
        watch = Watch(cancel, progress)
        options = _structs.sized(_structs.AnnotationOptions)
        options.control = watch.pointer
        options.filter = filter_pointer(filter)
        options.flags = (INTEL if intel else 0) | (OUTLINES if outlines else 0)
        options.jobs, options.most, options.line = whole(jobs, "jobs"), whole(most, "most"), whole(line, "line")
        options.symbol, options.pattern, options.file = encoded(symbol), encoded(pattern), encoded(file)
        super().__init__(made("perfdata_annotation_make", code.pointer, ctypes.byref(options), watch=watch))
        info = _structs.sized(_structs.AnnotationInfo)
        call("perfdata_annotation_get_info", self.pointer, ctypes.byref(info))
        self._functions: int = info.function_count
        self.events = tuple(info.events[at] for at in range(info.event_count))
        self.totals = counts(info.totals, info.event_count)
        self.whole = counts(info.whole, info.event_count)

    def __len__(self) -> int:
        return self._functions

    def __getitem__(self, index: int) -> Listing:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return Listing(self, index)

    def __iter__(self) -> Iterator[Listing]:
        for index in range(len(self)):
            yield self[index]

    def json(self, *, cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> str:
        """Returns the listings as the tool writes them with --json."""
        return document("perfdata_annotation_json_watched", self, cancel, progress)
