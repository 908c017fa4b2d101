# SPDX-License-Identifier: MIT
"""Samples: one by one, in batches, or as a DataFrame."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Optional

from . import _structs
from ._calls import Cancel, Handle, Problem, ProgressFunction, Watch, call, choice, END, made, problems, whole
from .filters import MODES, Filter, filter_pointer

if TYPE_CHECKING:
    import pandas

    from .code import Code, Place
    from .recording import Recording

NO_NUMBER = 2**32 - 1
HAS_TIME, HAS_ADDRESS, HAS_TASK, HAS_CPU, HAS_DATA_ADDRESS, HAS_CHAIN, EXACT = (1 << bit for bit in range(7))


class Sample(NamedTuple):
    """One sample. What was not recorded is None; `time` is then that of the latest record before it. `event` is an
    index in Recording.events, `function` a number for Samples.place(), None without code. `chain` is the number of
    addresses in its call chain."""

    time: int
    address: Optional[int]
    period: int
    data_address: Optional[int]
    pid: Optional[int]
    tid: Optional[int]
    cpu: Optional[int]
    event: int
    mode: str
    function: Optional[int]
    chain: int
    exact: bool
    offset: int


class Frame(NamedTuple):
    """One address of a call chain; of a caller, where the call returns to."""

    address: int
    mode: str


class State(NamedTuple):
    """How many samples were handed out, left out by the filter, and damaged so far."""

    read: int
    filtered: int
    damaged: int
    functions: int
    problems: int


def _sample(raw: Any) -> Sample:
    fields = raw.fields

    def known(bit: int, value: int) -> Optional[int]:
        return value if fields & bit else None

    return Sample(raw.time, known(HAS_ADDRESS, raw.address), raw.period, known(HAS_DATA_ADDRESS, raw.data_address),
                  known(HAS_TASK, raw.pid), known(HAS_TASK, raw.tid), known(HAS_CPU, raw.cpu), raw.event,
                  MODES[raw.mode], None if raw.function == NO_NUMBER else raw.function, raw.chain,
                  bool(fields & EXACT), raw.offset)


class Samples(Handle):
    """An iterator over the samples of a recording. One thread at a time may read it."""

    _free_function = "perfdata_samples_free"
    _batch = 4096

    def __init__(self, recording: "Recording", filter: Optional[Filter], order: str, code: Optional["Code"],
                 cancel: Optional[Cancel], progress: Optional[ProgressFunction]) -> None:
        self._watch = Watch(cancel, progress)  # the library keeps what it refers to
        options = _structs.sized(_structs.SamplesOptions)
        options.control = self._watch.pointer
        options.filter = filter_pointer(filter)
        options.order = choice(order, ("file", "time"), "order")
        options.code = None if code is None else code.pointer
        self._has_code = code is not None
        self._ahead = False  # the library is ahead of what was handed out
        super().__init__(made("perfdata_samples_open", recording.pointer, ctypes.byref(options), watch=self._watch))

    def read_into(self, items: Any, item_size: int, capacity: int) -> int:
        """Fills memory with up to `capacity` structs perfdata_sample. Returns how many; 0: there are no more."""
        count = ctypes.c_size_t()
        status = call("perfdata_samples_read", self.pointer, items, ctypes.c_size_t(item_size),
                      ctypes.c_size_t(capacity), ctypes.byref(count), watch=self._watch)
        return 0 if status == END else count.value

    def __iter__(self) -> Iterator[Sample]:
        """Reads many samples at a time, so that there is no chain(): for chains use next_sample()."""
        batch = (_structs.Sample * self._batch)()
        self._ahead = True
        while count := self.read_into(batch, ctypes.sizeof(_structs.Sample), self._batch):
            for index in range(count):
                yield _sample(batch[index])

    def next_sample(self) -> Optional[Sample]:
        """Reads one sample; None: there are no more."""
        raw = _structs.Sample()
        self._ahead = False
        return _sample(raw) if self.read_into(ctypes.byref(raw), ctypes.sizeof(raw), 1) else None

    def chain(self) -> List[Frame]:
        """Returns the call chain of the last sample of next_sample() or read_into(), innermost first."""
        if self._ahead:
            raise ValueError("samples are read many at a time when they are iterated: for chains use next_sample()")
        frames = ctypes.POINTER(_structs.Frame)()
        count = ctypes.c_size_t()
        pointer = self.pointer
        call("perfdata_samples_chain", pointer, ctypes.byref(frames), ctypes.byref(count))
        return [Frame(frames[at].address, MODES[frames[at].mode]) for at in range(count.value)]

    def place(self, function: int) -> "Place":
        """Says which function a number stands for."""
        from .code import place_of
        place = _structs.sized(_structs.Place)
        pointer = self.pointer
        call("perfdata_samples_place", pointer, ctypes.c_uint32(whole(function, "function", 32)), ctypes.byref(place))
        return place_of(place)

    @property
    def state(self) -> State:
        state = _structs.sized(_structs.SamplesState)
        call("perfdata_samples_get_state", self.pointer, ctypes.byref(state))
        return State(state.read, state.filtered, state.damaged, state.function_count, state.problem_count)

    @property
    def problems(self) -> List[Problem]:
        """The first losses of reading so far; State.problems counts all of them."""
        found: List[Problem] = []
        for index in range(self.state.problems):
            try:
                problem = _structs.sized(_structs.Error)
                call("perfdata_samples_problem", self.pointer, ctypes.c_uint64(index), ctypes.byref(problem))
            except Exception:  # pylint: disable=broad-except
                break  # counted, but not kept
            from ._calls import problem_of
            found.append(problem_of(problem))
        return found

    def to_pandas(self) -> "pandas.DataFrame":
        """Returns the samples that are left as a DataFrame. Needs pandas. Integers as the library has them: what was not
        recorded is 0, and pid, tid and cpu are 4294967295; `fields` has the bits of perfdata_sample."""
        import numpy
        import pandas
        kinds = {ctypes.c_uint64: "<u8", ctypes.c_uint32: "<u4"}
        layout = numpy.dtype([(name, kinds[kind]) for name, kind in _structs.Sample._fields_])
        pieces = []
        capacity = 1 << 16
        while True:
            piece = numpy.empty(capacity, layout)
            count = self.read_into(ctypes.c_void_p(piece.ctypes.data), layout.itemsize, capacity)
            if count == 0:
                break
            pieces.append(piece[:count])
        whole = numpy.concatenate(pieces) if pieces else numpy.empty(0, layout)
        columns = {name: numpy.ascontiguousarray(whole[name]) for name in layout.names or ()
                   if name not in ("mode", "function")}
        columns["mode"] = pandas.Categorical.from_codes(whole["mode"].astype("i1"), list(MODES))
        if self._has_code:
            places = [self.place(number) for number in range(self.state.functions)]
            for column, names in (("symbol", [place.name for place in places]),
                                  ("object", [place.object for place in places])):
                known = sorted(set(names))
                code_of = {name: code for code, name in enumerate(known)}
                codes = numpy.array([code_of[name] for name in names] or [0], "i4")
                columns[column] = pandas.Categorical.from_codes(codes[whole["function"]], known)
        return pandas.DataFrame(columns)
