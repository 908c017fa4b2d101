# SPDX-License-Identifier: MIT
"""Calls into the library: errors as exceptions, handles that free themselves, callbacks."""
from __future__ import annotations

import ctypes
import operator
import threading
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, SupportsIndex, Tuple, Union

from . import _structs
from ._library import library

OK, END, CANCELLED = 0, -1, 9
NO_OFFSET = 2**64 - 1
FOREVER = 2**64 - 1

ProgressFunction = Callable[[str, int, int], Optional[bool]]


class Error(Exception):
    """What went wrong, and where. `code` is its name, such as "not_perf_data"; `offset` is in the unpacked file, None
    if there is none; `section` is the file, section or record."""

    def __init__(self, code: str, section: str, text: str, offset: Optional[int] = None) -> None:
        self.code, self.section, self.text, self.offset = code, section, text, offset
        where = f"{section}: " if section else ""
        at = "" if offset is None else f" (at byte {offset})"
        super().__init__(f"{where}{text}{at} [{code}]")

    def __reduce__(self) -> Any:  # exceptions of other processes are pickled
        return type(self), (self.code, self.section, self.text, self.offset)


class Cancelled(Error):
    """The caller asked to stop."""


class Problem(NamedTuple):
    """A loss that did not stop the reading."""

    code: str
    section: str
    text: str
    offset: Optional[int]


class Count(NamedTuple):
    """The samples of one event at one place."""

    hits: int
    periods: int


def text(raw: Optional[bytes]) -> str:
    return (raw or b"").decode("utf-8")


def _parts(error: _structs.Error) -> Tuple[str, str, str, Optional[int]]:
    name = text(library.perfdata_status_name(error.code))
    return name, text(error.section), text(error.text), None if error.offset == NO_OFFSET else error.offset


def problem_of(error: _structs.Error) -> Problem:
    return Problem(*_parts(error))


def call(name: str, *arguments: Any, watch: Optional["Watch"] = None) -> int:
    """Calls a function that returns a status and takes an error at its end. Raises Error, or what a callback raised."""
    error = _structs.sized(_structs.Error)
    function = getattr(library, name)
    function.restype = ctypes.c_int32
    status = function(*arguments, ctypes.byref(error))
    if watch is not None:
        watch.raise_problem()
    if status in (OK, END):
        return int(status)
    code, section, words, offset = _parts(error)
    raise (Cancelled if status == CANCELLED else Error)(code, section, words, offset)


def counts(pointer: Any, events: int) -> Tuple[Count, ...]:
    return tuple(Count(pointer[at].hits, pointer[at].periods) for at in range(events))


def problems(function: str, handle: "Handle", count: int) -> List[Problem]:
    found = []
    for index in range(count):
        problem = _structs.sized(_structs.Error)
        call(function, handle.pointer, ctypes.c_uint64(index), ctypes.byref(problem))
        found.append(problem_of(problem))
    return found


def _free(function: str, value: Optional[int]) -> None:
    free = getattr(library, function)
    free.restype = ctypes.c_int32
    free(ctypes.c_void_p(value))


class Pointer(ctypes.c_void_p):
    """A handle of the library, freed when nothing refers to it any more. Whoever reads strings and arrays that it was
    given keeps its own reference meanwhile: another thread may close the object."""


class Handle:
    """Something of the library, freed by close(), at the end of a `with`, or when nothing refers to it any more."""

    _free_function = ""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self._pointer: Optional[Pointer] = Pointer(pointer.value)
        weakref.finalize(self._pointer, _free, self._free_function, pointer.value)

    @property
    def pointer(self) -> Pointer:
        pointer = self._pointer
        if pointer is None:
            raise ValueError(f"this {type(self).__name__} is closed")
        return pointer

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        """Frees it, once calls with it on other threads have ended. What was made of it stays usable."""
        self._pointer = None

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it belongs to this process")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def made(function: str, *arguments: Any, watch: Optional["Watch"] = None) -> ctypes.c_void_p:
    """Calls a function that makes a handle, which is the argument before the error."""
    pointer = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(pointer), watch=watch)
    return pointer


class Cancel(Handle):
    """A flag by which any thread stops calls that were given it: they raise Cancelled."""

    _free_function = "perfdata_cancel_free"

    def __init__(self) -> None:
        super().__init__(made("perfdata_cancel_new"))

    def request(self) -> None:
        """Stops all calls with this flag, at once and from now on."""
        call("perfdata_cancel_request", self.pointer)


class Watch:
    """A perfdata_control: what stops a call, and who is told of its progress."""

    def __init__(self, cancel: Optional[Cancel], progress: Optional[ProgressFunction]) -> None:
        self._problem: Optional[BaseException] = None
        self._lock = threading.Lock()
        self._progress = progress
        self._cancel = cancel  # kept alive
        self.control = _structs.sized(_structs.Control)
        if cancel is not None:
            self.control.cancel = cancel.pointer
        if progress is not None:
            # A weak reference: the callback must not keep its own owner alive.
            mine = weakref.ref(self)

            def tell(_: Any, stage: bytes, done: int, whole: int) -> int:
                watch = mine()
                return 1 if watch is None else watch._tell(text(stage), done, whole)

            self.control.progress = _structs.Progress(tell)

    def _tell(self, stage: str, done: int, whole: int) -> int:
        try:
            assert self._progress is not None
            return 1 if self._progress(stage, done, whole) else 0
        except BaseException as problem:  # pylint: disable=broad-except
            with self._lock:
                self._problem = self._problem or problem
            return 1

    def raise_problem(self) -> None:
        with self._lock:
            problem, self._problem = self._problem, None
        if problem is not None:
            raise problem

    @property
    def pointer(self) -> Any:
        return ctypes.pointer(self.control)


def whole(value: SupportsIndex, name: str, bits: int = 64) -> int:
    """Returns an integer of so many bits without sign; those of ctypes wrap."""
    number = operator.index(value)
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{name} is {number}, which has no place in {bits} bits")
    return number


def choice(word: str, words: Sequence[str], name: str) -> int:
    """Returns the number of a word."""
    if word not in words:
        raise ValueError(f"{name} is {word!r}, none of {', '.join(words)}")
    return words.index(word)


def texts(values: Sequence[str]) -> Tuple[Any, int]:
    """Returns an array of strings, and their number."""
    return (ctypes.c_char_p * len(values))(*(encoded(value) for value in values)), len(values)


def encoded(value: Union[str, bytes, None]) -> Optional[bytes]:
    """Returns a string as the library takes it. Paths may hold any bytes, as os.fsdecode() gives them."""
    if value is None:
        return None
    raw = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise ValueError("a string with a NUL character")
    return raw
