# SPDX-License-Identifier: MIT
"""The structs of perfdata/perfdata.h. tests/python compares them with the header."""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint8, c_uint32, c_uint64, c_void_p, sizeof)
from typing import TypeVar

S = TypeVar("S", bound=Structure)


def sized(kind: type[S]) -> S:
    """Returns a struct of zeros with its size set."""
    made = kind()
    made.size = sizeof(kind)
    return made


ReadAt = CFUNCTYPE(c_int64, c_void_p, c_uint64, c_void_p, c_size_t)
Release = CFUNCTYPE(None, c_void_p)
Progress = CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64, c_uint64)


class Error(Structure):
    _fields_ = [("size", c_size_t), ("code", c_int32), ("reserved", c_uint32), ("offset", c_uint64),
                ("section", c_char * 128), ("text", c_char * 896)]


class Count(Structure):
    _fields_ = [("hits", c_uint64), ("periods", c_uint64)]


Counts = POINTER(Count)


class Control(Structure):
    _fields_ = [("size", c_size_t), ("cancel", c_void_p), ("progress", Progress), ("user", c_void_p)]


class Limits(Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in (
        "section_bytes", "unpacked_bytes", "zstd_window_bytes", "kallsyms_bytes", "perf_map_bytes",
        "source_file_bytes", "archived_files", "events", "ids", "bpf_programs", "code_versions", "text_patches",
        "text_patch_bytes", "function_bytes", "listed_instructions", "task_records", "places", "chain_nodes", "cells",
        "cfi_entries", "cfi_row_instructions", "diagnostics")]


class OpenOptions(Structure):
    _fields_ = [("size", c_size_t), ("limits", POINTER(Limits)), ("control", POINTER(Control))]


class Source(Structure):
    _fields_ = [("size", c_size_t), ("bytes", c_uint64), ("read_at", ReadAt), ("user", c_void_p),
                ("release", Release), ("name", c_char_p)]


class RecordingInfo(Structure):
    _fields_ = [("size", c_size_t), ("bytes", c_uint64), ("event_count", c_uint64), ("problem_count", c_uint64),
                ("big_endian", c_uint64), ("interrupted", c_uint64), ("path", c_char_p), ("arch", c_char_p),
                ("hostname", c_char_p), ("os_release", c_char_p), ("perf_version", c_char_p), ("cpu", c_char_p)]


class Event(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("perf_name", c_char_p), ("type", c_uint64),
                ("config", c_uint64), ("period", c_uint64), ("is_frequency", c_uint64), ("sample_type", c_uint64)]


Texts = POINTER(c_char_p)


class CodeOptions(Structure):
    _fields_ = [("size", c_size_t), ("control", POINTER(Control)), ("flags", c_uint64), ("jobs", c_uint64),
                ("vmlinux", c_char_p), ("kallsyms", c_char_p), ("kcore", c_char_p), ("symfs", c_char_p),
                ("buildid_dir", c_char_p), ("local_buildid_dir", c_char_p), ("debug_dirs", Texts),
                ("debug_dir_count", c_size_t), ("jitdumps", Texts), ("jitdump_count", c_size_t), ("perf_maps", Texts),
                ("perf_map_count", c_size_t), ("source_dirs", Texts), ("source_dir_count", c_size_t),
                ("symbol_cache", c_void_p)]


class SymbolCacheOptions(Structure):
    _fields_ = [("size", c_size_t), ("bytes", c_uint64), ("files", c_uint64)]


class SymbolCacheInfo(Structure):
    _fields_ = [("size", c_size_t), ("bytes", c_uint64), ("files", c_uint64)]


class CodeInfo(Structure):
    _fields_ = [("size", c_size_t), ("problem_count", c_uint64), ("life_count", c_uint64),
                ("mapping_count", c_uint64), ("thread_count", c_uint64)]


class Place(Structure):
    _fields_ = [("size", c_size_t), ("symbol", c_char_p), ("name", c_char_p), ("object", c_char_p), ("why", c_char_p),
                ("kind", c_uint64), ("offset", c_uint64), ("function_size", c_uint64), ("from", c_uint64),
                ("until", c_uint64), ("program", c_uint64)]


class Life(Structure):
    _fields_ = [("size", c_size_t), ("symbol", c_char_p), ("name", c_char_p), ("object", c_char_p),
                ("kind", c_uint64), ("address", c_uint64), ("bytes", c_uint64), ("from", c_uint64),
                ("until", c_uint64), ("program", c_uint64), ("subprogram", c_uint64)]


class TimeRange(Structure):
    _fields_ = [("from", c_uint64), ("until", c_uint64)]


class Filter(Structure):
    _fields_ = [("size", c_size_t), ("events", POINTER(c_uint32)), ("event_count", c_size_t),
                ("times", POINTER(TimeRange)), ("time_count", c_size_t), ("pids", POINTER(c_uint32)),
                ("pid_count", c_size_t), ("tids", POINTER(c_uint32)), ("tid_count", c_size_t),
                ("cpus", POINTER(c_uint32)), ("cpu_count", c_size_t), ("comms", Texts), ("comm_count", c_size_t),
                ("objects", Texts), ("object_count", c_size_t), ("symbols", Texts), ("symbol_count", c_size_t),
                ("kinds", c_uint64)]


class SamplesOptions(Structure):
    _fields_ = [("size", c_size_t), ("control", POINTER(Control)), ("filter", POINTER(Filter)), ("order", c_uint64),
                ("code", c_void_p)]


class Sample(Structure):
    _fields_ = [("offset", c_uint64), ("time", c_uint64), ("address", c_uint64), ("period", c_uint64),
                ("data_address", c_uint64), ("pid", c_uint32), ("tid", c_uint32), ("cpu", c_uint32),
                ("event", c_uint32), ("mode", c_uint32), ("fields", c_uint32), ("function", c_uint32),
                ("chain", c_uint32)]


class Frame(Structure):
    _fields_ = [("address", c_uint64), ("mode", c_uint32), ("reserved", c_uint32)]


class SamplesState(Structure):
    _fields_ = [("size", c_size_t), ("read", c_uint64), ("filtered", c_uint64), ("damaged", c_uint64),
                ("function_count", c_uint64), ("problem_count", c_uint64)]


class ReportOptions(Structure):
    _fields_ = [("size", c_size_t), ("control", POINTER(Control)), ("filter", POINTER(Filter)), ("sort", c_char_p),
                ("flags", c_uint64), ("max_stack", c_uint64), ("percent_limit", c_double)]


class ReportInfo(Structure):
    _fields_ = [("size", c_size_t), ("row_count", c_uint64), ("event_count", c_uint64), ("events", POINTER(c_uint32)),
                ("whole", Counts), ("kept", Counts), ("hidden_rows", c_uint64)]


class Row(Structure):
    _fields_ = [("size", c_size_t), ("comm", c_char_p), ("object", c_char_p), ("path", c_char_p),
                ("symbol", c_char_p), ("line", c_char_p), ("parent", c_char_p), ("kind", c_uint64),
                ("address", c_uint64), ("pid", c_uint32), ("tid", c_uint32), ("cpu", c_uint32), ("inlined", c_uint32),
                ("self", Counts), ("total", Counts)]


class HeatOptions(Structure):
    _fields_ = [("size", c_size_t), ("control", POINTER(Control)), ("filter", POINTER(Filter)), ("flags", c_uint64)]


class HeatInfo(Structure):
    _fields_ = [("size", c_size_t), ("file_count", c_uint64), ("event_count", c_uint64),
                ("events", POINTER(c_uint32)), ("totals", Counts), ("nowhere", Counts), ("no_lines", Counts),
                ("no_line", Counts), ("damaged", Counts), ("limit", Counts), ("problem_count", c_uint64)]


class HeatFile(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("line_count", c_uint64), ("self", Counts),
                ("inclusive", Counts)]


class HeatLine(Structure):
    _fields_ = [("size", c_size_t), ("line", c_uint64), ("function_count", c_uint64), ("self", Counts),
                ("inclusive", Counts)]


class HeatFunction(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("self", Counts), ("inclusive", Counts)]


class AnnotationOptions(Structure):
    _fields_ = [("size", c_size_t), ("control", POINTER(Control)), ("filter", POINTER(Filter)), ("flags", c_uint64),
                ("jobs", c_uint64), ("most", c_uint64), ("symbol", c_char_p), ("pattern", c_char_p),
                ("file", c_char_p), ("line", c_uint64)]


class AnnotationInfo(Structure):
    _fields_ = [("size", c_size_t), ("function_count", c_uint64), ("event_count", c_uint64),
                ("events", POINTER(c_uint32)), ("totals", Counts), ("whole", Counts)]


class Function(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("symbol", c_char_p), ("object", c_char_p),
                ("kind", c_uint64), ("address", c_uint64), ("bytes", c_uint64), ("version", c_uint64),
                ("from", c_uint64), ("until", c_uint64), ("instruction_count", c_uint64), ("line_count", c_uint64),
                ("problem_count", c_uint64), ("on_start", c_double), ("counts", Counts)]


class Instruction(Structure):
    _fields_ = [("size", c_size_t), ("offset", c_uint64), ("address", c_uint64), ("bytes", POINTER(c_uint8)),
                ("byte_count", c_uint64), ("text", c_char_p), ("target", c_char_p), ("target_offset", c_uint64),
                ("line", c_uint32), ("decoded", c_uint32), ("counts", Counts)]


class Line(Structure):
    _fields_ = [("size", c_size_t), ("file", c_char_p), ("text", c_char_p), ("line", c_uint64), ("column", c_uint64),
                ("counts", Counts)]
