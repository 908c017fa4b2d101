# SPDX-License-Identifier: MIT
"""The report: samples by command, object, function and more."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Optional, Sequence, Tuple

from . import _structs
from ._calls import Cancel, Count, Handle, ProgressFunction, Watch, call, counts, encoded, made, text, whole
from .filters import KINDS, Filter, filter_pointer

if TYPE_CHECKING:
    import pandas

    from .code import Code

CHILDREN, NO_INLINES, RELATIVE = 1, 2, 4


class Row(NamedTuple):
    """One row. What the report is not sorted by is empty or 0. `own` counts samples in it, `total` with what it called
    as well, each by event."""

    comm: str
    object: str
    path: str
    symbol: str
    line: str
    parent: str
    kind: str
    address: int
    pid: int
    tid: int
    cpu: int
    inlined: bool
    own: Tuple[Count, ...]
    total: Tuple[Count, ...]


class Report(Handle):
    """The rows of a report, most samples first."""

    _free_function = "perfdata_report_free"

    def __init__(self, code: "Code", sort: Sequence[str], children: bool, inlines: bool, relative: bool,
                 percent_limit: float, max_stack: int, filter: Optional[Filter], cancel: Optional[Cancel],
                 progress: Optional[ProgressFunction]) -> None:
        watch = Watch(cancel, progress)
        options = _structs.sized(_structs.ReportOptions)
        options.control = watch.pointer
        options.filter = filter_pointer(filter)
        options.sort = encoded(sort if isinstance(sort, str) else ",".join(sort))
        options.flags = (CHILDREN if children else 0) | (0 if inlines else NO_INLINES) | (RELATIVE if relative else 0)
        options.max_stack, options.percent_limit = whole(max_stack, "max_stack"), percent_limit
        super().__init__(made("perfdata_report_make", code.pointer, ctypes.byref(options), watch=watch))
        info = _structs.sized(_structs.ReportInfo)
        call("perfdata_report_get_info", self.pointer, ctypes.byref(info))
        self._rows = info.row_count
        self.events = tuple(info.events[at] for at in range(info.event_count))
        self.whole = counts(info.whole, info.event_count)
        self.kept = counts(info.kept, info.event_count)
        self.hidden_rows: int = info.hidden_rows

    def __len__(self) -> int:
        return int(self._rows)

    def __getitem__(self, index: int) -> Row:
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        raw = _structs.sized(_structs.Row)
        pointer = self.pointer
        call("perfdata_report_row", pointer, ctypes.c_uint64(index), ctypes.byref(raw))
        events = len(self.events)
        return Row(text(raw.comm), text(raw.object), text(raw.path), text(raw.symbol), text(raw.line),
                   text(raw.parent), KINDS[raw.kind], raw.address, raw.pid, raw.tid, raw.cpu, bool(raw.inlined),
                   counts(getattr(raw, "self"), events), counts(raw.total, events))

    def __iter__(self) -> Iterator[Row]:
        for index in range(len(self)):
            yield self[index]

    def json(self, *, cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> str:
        """Returns the report as the tool writes it with --json."""
        return document("perfdata_report_json_watched", self, cancel, progress)

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns the rows as a DataFrame, with columns such as "own hits 0" of the first of `events`."""
        import pandas
        rows = []
        for row in self:
            flat: dict[str, Any] = {name: getattr(row, name) for name in row._fields if name not in ("own", "total")}
            for which in ("own", "total"):
                for event, cell in zip(self.events, getattr(row, which)):
                    flat[f"{which} hits {event}"] = cell.hits
                    flat[f"{which} periods {event}"] = cell.periods
            rows.append(flat)
        return pandas.DataFrame(rows)


def document(function: str, handle: Handle, cancel: Optional[Cancel], progress: Optional[ProgressFunction]) -> str:
    """Returns the text that a function hands out."""
    told, length = ctypes.c_void_p(), ctypes.c_size_t()
    pointer, watch = handle.pointer, Watch(cancel, progress)
    call(function, pointer, watch.pointer, ctypes.byref(told), ctypes.byref(length), watch=watch)
    return ctypes.string_at(told.value or 0, length.value).decode("utf-8")
