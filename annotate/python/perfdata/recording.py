# SPDX-License-Identifier: MIT
"""Recordings: where their bytes come from, and their events."""
from __future__ import annotations

import ctypes
import itertools
import os
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _structs
from ._calls import (Cancel, Error, Handle, Pointer, Problem, ProgressFunction, Watch, call, encoded, made, problems,
                     text, whole)

if TYPE_CHECKING:
    import pandas

    from .code import Code
    from .filters import Filter
    from .samples import Samples

ReadAt = Callable[[int, int], bytes]
Path = Union[str, "os.PathLike[str]"]


class Info(NamedTuple):
    """Facts of a recording. Texts are empty where it does not have them."""

    bytes: int
    byte_order: str
    interrupted: bool
    path: str
    arch: str
    hostname: str
    os_release: str
    perf_version: str
    cpu: str


class Event(NamedTuple):
    """A counted event. `name` is unique in the recording, `perf_name` is as given to perf record. `period` is how often
    it is sampled: each so many events, or with is_frequency so often per second."""

    name: str
    perf_name: str
    type: int
    config: int
    period: int
    is_frequency: bool
    sample_type: int


class _Reader:
    """A function that reads, and what it raised first."""

    def __init__(self, read_at: ReadAt) -> None:
        self.read_at = read_at
        self.problem: Optional[BaseException] = None


# One callback of each kind for all sources: a callback that is freed while it runs would be none to return to.
_readers: Dict[int, _Reader] = {}
_numbers = itertools.count(1)
_lock = threading.Lock()


@_structs.ReadAt
def _read_at(user: int, offset: int, out: int, size: int) -> int:
    reader = _readers[user]
    try:
        got = memoryview(reader.read_at(offset, size)).cast("B")
        if len(got) <= size:  # the library says so if not
            ctypes.memmove(out, bytes(got), len(got))
        return len(got)
    except BaseException as problem:  # pylint: disable=broad-except
        reader.problem = reader.problem or problem
        return -1


@_structs.Release
def _release(user: int) -> None:
    with _lock:
        _readers.pop(user, None)


class Recording(Handle):
    """An open recording. It never changes, and may be used by many threads."""

    _free_function = "perfdata_recording_free"

    @property
    def info(self) -> Info:
        pointer = self.pointer
        info = self._info(pointer)
        return Info(info.bytes, "big" if info.big_endian else "little", bool(info.interrupted), text(info.path),
                    text(info.arch), text(info.hostname), text(info.os_release), text(info.perf_version),
                    text(info.cpu))

    @staticmethod
    def _info(pointer: Pointer) -> Any:
        info = _structs.sized(_structs.RecordingInfo)
        call("perfdata_recording_get_info", pointer, ctypes.byref(info))
        return info

    @property
    def events(self) -> Tuple[Event, ...]:
        found = []
        pointer = self.pointer
        for index in range(self._info(pointer).event_count):
            event = _structs.sized(_structs.Event)
            call("perfdata_recording_event", pointer, ctypes.c_uint64(index), ctypes.byref(event))
            found.append(Event(text(event.name), text(event.perf_name), event.type, event.config, event.period,
                               bool(event.is_frequency), event.sample_type))
        return tuple(found)

    @property
    def problems(self) -> List[Problem]:
        """What opening lost."""
        return problems("perfdata_recording_problem", self, self._info(self.pointer).problem_count)

    def refresh(self, *, cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> "Recording":
        """Opens the same file again, as it is now: a recording that still grows has more samples then."""
        watch = Watch(cancel, progress)
        return Recording(made("perfdata_recording_refresh_watched", self.pointer, watch.pointer, watch=watch))

    def samples(self, *, filter: Optional["Filter"] = None, order: str = "file", code: Optional["Code"] = None,
                cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> "Samples":
        """Returns an iterator of the samples, in `order` "file" or "time". With `code` they have functions."""
        from .samples import Samples
        return Samples(self, filter, order, code, cancel, progress)

    def to_pandas(self, *, filter: Optional["Filter"] = None, order: str = "file", code: Optional["Code"] = None,
                  cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> "pandas.DataFrame":
        """Returns all samples as a DataFrame. Needs pandas. With `code` it has the columns symbol and object."""
        with self.samples(filter=filter, order=order, code=code, cancel=cancel, progress=progress) as samples:
            return samples.to_pandas()

    def code(self, **options: Any) -> "Code":
        """Reads what ran when, and opens what has names: see Code.open()."""
        from .code import Code
        return Code.open(self, **options)


def _open_options(limits: Optional[Mapping[str, int]], memory: Optional[int], watch: Watch) -> Any:
    given = _structs.sized(_structs.Limits)
    if memory is not None:
        call("perfdata_limits_within", ctypes.c_uint64(whole(memory, "memory")), ctypes.byref(given))
    for name, value in (limits or {}).items():
        if name not in {field[0] for field in _structs.Limits._fields_[1:]}:
            raise ValueError(f"there is no limit {name}")
        setattr(given, name, whole(value, name))
    options = _structs.sized(_structs.OpenOptions)
    options.limits = ctypes.pointer(given)
    options.control = watch.pointer
    return options


def open(path: Union[Path, bytes, bytearray, memoryview], *, limits: Optional[Mapping[str, int]] = None,
         memory: Optional[int] = None, cancel: Optional[Cancel] = None,
         progress: Optional[ProgressFunction] = None) -> Recording:
    """Opens a file, a directory of perf record, or bytes in memory. `memory` lowers the limits so that the library holds
    about so many bytes at most; `limits` sets some by their names in perfdata/perfdata.h. Only input that is packed as a
    whole, and a pipe, takes long: `progress` is told how many bytes of it were read. Raises Error."""
    watch = Watch(cancel, progress)
    options = _open_options(limits, memory, watch)
    if isinstance(path, (bytes, bytearray, memoryview)):
        content = bytes(path)
        return Recording(made("perfdata_recording_open_memory", content, ctypes.c_size_t(len(content)),
                              ctypes.byref(options), watch=watch))
    return Recording(made("perfdata_recording_open", encoded(os.fspath(path)), ctypes.byref(options), watch=watch))


def open_source(read_at: ReadAt, size: int, *, name: str = "source", limits: Optional[Mapping[str, int]] = None,
                memory: Optional[int] = None, cancel: Optional[Cancel] = None,
                progress: Optional[ProgressFunction] = None) -> Recording:
    """Opens a recording of `size` bytes that read_at(offset, count) reads: it returns at most `count` bytes, none only
    at the end. It is called on whichever threads read. What it raises while the header is read is raised again; later,
    a read that raises is damage."""
    if not callable(read_at):
        raise TypeError(f"read_at is {read_at!r}, which cannot be called")
    watch = Watch(cancel, progress)
    options = _open_options(limits, memory, watch)
    source = _structs.sized(_structs.Source)
    source.bytes, source.name = whole(size, "size"), encoded(name)
    source.read_at, source.release = _read_at, _release
    reader = _Reader(read_at)
    with _lock:
        source.user = number = next(_numbers)
        _readers[number] = reader
    try:
        return Recording(made("perfdata_recording_open_source", ctypes.byref(source), ctypes.byref(options),
                              watch=watch))
    except Error:
        if reader.problem is not None:
            raise reader.problem from None
        raise
