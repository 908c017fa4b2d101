# SPDX-License-Identifier: MIT
"""Code: who owned an address, when, what it is called, and what was made of its samples."""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Optional, Sequence

from . import _structs
from ._calls import (Cancel, Handle, Problem, ProgressFunction, Watch, call, choice, encoded, made, problems, text,
                     texts, whole)
from .filters import KINDS, MODES, Filter

if TYPE_CHECKING:
    from .annotation import Annotation
    from .heat import Heat
    from .recording import Path, Recording
    from .report import Report

OFFLINE, ALLOW_LOCAL, RAW_NAMES, LOCAL_SOURCES = 1, 2, 4, 8


class Place(NamedTuple):
    """Code at an address and a time. `name` is as in the source, `symbol` as in the file or the kernel; both are empty
    where `why` says why. Times are nanoseconds; 0 and 2**64 - 1: before and after the recording. `program` is the id of
    the BPF program, 0: none."""

    symbol: str
    name: str
    object: str
    why: str
    kind: str
    offset: int
    function_size: int
    begin: int
    until: int
    program: int


class Life(NamedTuple):
    """Code of the kernel that came and went: a function of a BPF program, or out-of-line code."""

    symbol: str
    name: str
    object: str
    kind: str
    address: int
    bytes: int
    begin: int
    until: int
    program: int
    subprogram: int


def place_of(raw: Any) -> Place:
    return Place(text(raw.symbol), text(raw.name), text(raw.object), text(raw.why), KINDS[raw.kind], raw.offset,
                 raw.function_size, getattr(raw, "from"), raw.until, raw.program)


class SymbolCache(Handle):
    """What was read of files with code, so that opening several recordings of the same programs reads each file once:
    give it to each Recording.code(). It keeps about so many bytes, and so many files open; 0 is the default, 512 MiB and
    256. May be used by many threads."""

    _free_function = "perfdata_symbol_cache_free"

    def __init__(self, bytes: int = 0, files: int = 0) -> None:
        options = _structs.sized(_structs.SymbolCacheOptions)
        options.bytes, options.files = whole(bytes, "bytes"), whole(files, "files")
        super().__init__(made("perfdata_symbol_cache_new", ctypes.byref(options)))

    def _info(self) -> Any:
        info = _structs.sized(_structs.SymbolCacheInfo)
        call("perfdata_symbol_cache_get_info", self.pointer, ctypes.byref(info))
        return info

    @property
    def bytes(self) -> int:
        """How many bytes of memory what it keeps takes, about."""
        return int(self._info().bytes)

    @property
    def files(self) -> int:
        """How many files it keeps."""
        return int(self._info().files)

    def clear(self) -> None:
        """Drops all that no Code uses."""
        call("perfdata_symbol_cache_clear", self.pointer)


class Code(Handle):
    """All code of a recording over time. It never changes, and may be used by many threads."""

    _free_function = "perfdata_code_free"

    @classmethod
    def open(cls, recording: "Recording", *, offline: bool = False, allow_local: bool = False, raw_names: bool = False,
             local_sources: bool = False, jobs: int = 1, vmlinux: Optional["Path"] = None,
             kallsyms: Optional["Path"] = None, kcore: Optional["Path"] = None, symfs: Optional["Path"] = None,
             buildid_dir: Optional["Path"] = None, debug_dirs: Sequence["Path"] = (), jitdumps: Sequence["Path"] = (),
             perf_maps: Sequence["Path"] = (), source_dirs: Sequence["Path"] = (),
             symbol_cache: Optional[SymbolCache] = None, cancel: Optional[Cancel] = None,
             progress: Optional[ProgressFunction] = None) -> "Code":
        """Reads what ran when, and opens what has names. The options are those of the tool: see docs/files.md; with a
        `symbol_cache` files are read once for several recordings."""
        watch = Watch(cancel, progress)
        options = _structs.sized(_structs.CodeOptions)
        options.control = watch.pointer
        options.flags = ((OFFLINE if offline else 0) | (ALLOW_LOCAL if allow_local else 0) |
                         (RAW_NAMES if raw_names else 0) | (LOCAL_SOURCES if local_sources else 0))
        options.jobs = whole(jobs, "jobs")
        cache = None if symbol_cache is None else symbol_cache.pointer  # kept alive
        options.symbol_cache = cache
        for name, path in (("vmlinux", vmlinux), ("kallsyms", kallsyms), ("kcore", kcore), ("symfs", symfs),
                           ("buildid_dir", buildid_dir)):
            setattr(options, name, None if path is None else encoded(os.fspath(path)))
        options.local_buildid_dir = encoded(os.path.join(os.path.expanduser("~"), ".debug"))
        for name, paths in (("debug_dir", debug_dirs), ("jitdump", jitdumps), ("perf_map", perf_maps),
                            ("source_dir", source_dirs)):
            if isinstance(paths, (str, bytes, os.PathLike)):
                raise TypeError(f"{paths!r} is one path where a list of paths is needed")
            array, count = texts([os.fspath(path) for path in paths])
            setattr(options, name + "s", array)
            setattr(options, name + "_count", count)
        return cls(made("perfdata_code_open", recording.pointer, ctypes.byref(options), watch=watch))

    def _info(self) -> Any:
        info = _structs.sized(_structs.CodeInfo)
        call("perfdata_code_get_info", self.pointer, ctypes.byref(info))
        return info

    @property
    def problems(self) -> List[Problem]:
        """Losses of reading, and files that could not be used and what would supply them."""
        return problems("perfdata_code_problem", self, self._info().problem_count)

    def at(self, pid: int, address: int, time: int, mode: str = "user", *, cancel: Optional[Cancel] = None,
           progress: Optional[ProgressFunction] = None) -> Place:
        """Says what lay at an address in a process at a time, for code that runs in that mode of the CPU.

        The first question about a file reads it, which may take long."""
        place = _structs.sized(_structs.Place)
        pointer = self.pointer
        watch = Watch(cancel, progress)
        call("perfdata_code_at_watched", pointer, ctypes.c_uint32(whole(pid, "pid", 32)),
             ctypes.c_uint64(whole(address, "address")), ctypes.c_uint64(whole(time, "time")),
             ctypes.c_uint32(choice(mode, MODES, "mode")), watch.pointer, ctypes.byref(place), watch=watch)
        return place_of(place)

    def comm(self, tid: int, time: int) -> str:
        """Says what a thread was called at a time; empty if that is not known."""
        comm = ctypes.c_char_p()
        pointer = self.pointer
        call("perfdata_code_comm", pointer, ctypes.c_uint32(whole(tid, "tid", 32)),
             ctypes.c_uint64(whole(time, "time")), ctypes.byref(comm))
        return text(comm.value)

    @property
    def lives(self) -> Iterator[Life]:
        """Yields the code that came and went, in order of registration."""
        for index in range(self._info().life_count):
            yield self._life(index)

    def _life(self, index: int) -> Life:
        pointer = self.pointer
        raw = _structs.sized(_structs.Life)
        call("perfdata_code_life", pointer, ctypes.c_uint64(index), ctypes.byref(raw))
        return Life(text(raw.symbol), text(raw.name), text(raw.object), KINDS[raw.kind], raw.address, raw.bytes,
                    getattr(raw, "from"), raw.until, raw.program, raw.subprogram)

    def report(self, sort: Sequence[str] = ("comm", "dso", "symbol"), *, children: bool = False, inlines: bool = True,
               relative: bool = False, percent_limit: float = 0, max_stack: int = 0, filter: Optional[Filter] = None,
               cancel: Optional[Cancel] = None, progress: Optional[ProgressFunction] = None) -> "Report":
        """Counts samples by the keys of `perfdata report --sort`."""
        from .report import Report
        return Report(self, sort, children, inlines, relative, percent_limit, max_stack, filter, cancel, progress)

    def heat(self, *, chains: bool = True, filter: Optional[Filter] = None, cancel: Optional[Cancel] = None,
             progress: Optional[ProgressFunction] = None) -> "Heat":
        """Says where the samples fell in the source."""
        from .heat import Heat
        return Heat(self, chains, filter, cancel, progress)

    def annotate(self, symbol: Optional[str] = None, *, pattern: Optional[str] = None, file: Optional[str] = None,
                 line: int = 0, most: int = 0, intel: bool = False, outlines: bool = False, jobs: int = 1,
                 filter: Optional[Filter] = None, cancel: Optional[Cancel] = None,
                 progress: Optional[ProgressFunction] = None) -> "Annotation":
        """Lists the functions with samples, hottest first: all, or those of a name, a regular expression, or a line."""
        from .annotation import Annotation
        return Annotation(self, symbol, pattern, file, line, most, intel, outlines, jobs, filter, cancel, progress)
