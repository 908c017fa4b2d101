# SPDX-License-Identifier: MIT
"""Decodes perf.data recordings, and annotates code with samples.

    import perfdata

    with perfdata.open("perf.data") as recording:
        frame = recording.to_pandas()                 # every sample
        code = recording.code()                       # who owned which address, when; names
        for listing in code.annotate(most=10):        # hottest first
            print(listing.name, listing.counts[0].hits)

It is made of libperfdata-c, which is found by PERFDATA_LIBRARY in the environment, beside this package, or where the
system has it. docs/python.md says more.
"""
from __future__ import annotations

from ._calls import Cancel, Cancelled, Count, Error, Problem, text as _text
from ._library import library as _library
from .annotation import Annotation, Instruction, Line, Listing
from .code import Code, Life, Place, SymbolCache
from .filters import KINDS, MODES, Filter
from .heat import Heat, HeatFile, HeatLine, LineFunction
from .recording import Event, Info, Recording, open, open_source
from .report import Report, Row
from .samples import Frame, Sample, Samples, State

__version__: str = _text(_library.perfdata_version())

__all__ = [
    "Annotation", "Cancel", "Cancelled", "Code", "Count", "Error", "Event", "Filter", "Frame", "Heat", "HeatFile",
    "HeatLine", "Info", "Instruction", "KINDS", "Life", "Line", "LineFunction", "Listing", "MODES", "Place", "Problem",
    "Recording", "Report", "Row", "Sample", "Samples", "State", "SymbolCache", "open", "open_source",
]
