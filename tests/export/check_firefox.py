#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# check_firefox.py TOOL FIXTURES SCHEMA: checks `export --format firefox`. SCHEMA is docs/schema/firefox.schema.json.
#   - The files are valid for it; columns of a table are as long as it says, and indices are in range.
#   - Callers come first, of each process one thread at most is main, inlined frames have the address and the symbol of
#     the code that contains them.
#   - The sum of each event is that of `report`, in hits and in periods.
#   - The stacks of all threads, with their counts, are those of the folded export.
#   - BPF programs are libs with their tag, in a category of their own.
import collections
import decimal
import json
import pathlib
import sys

from exported import Failed, as_folded, differences, export, folded, recordings, totals

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is not installed")

# Which table an index is in.
INDICES = {
    ("stackTable", "frame"): "frameTable",
    ("stackTable", "prefix"): "stackTable",
    ("frameTable", "func"): "funcTable",
    ("frameTable", "nativeSymbol"): "nativeSymbols",
    ("funcTable", "name"): "stringArray",
    ("funcTable", "resource"): "resourceTable",
    ("funcTable", "source"): "sources",
    ("resourceTable", "lib"): "libs",
    ("resourceTable", "name"): "stringArray",
    ("nativeSymbols", "libIndex"): "libs",
    ("nativeSymbols", "name"): "stringArray",
    ("sources", "filename"): "stringArray",
}


def table_problems(document):
    shared = document["shared"]
    sizes = {name: table["length"] for name, table in shared.items() if name != "stringArray"}
    sizes |= {"stringArray": len(shared["stringArray"]), "libs": len(document["libs"])}
    for name, table in shared.items():
        for column, values in table.items() if name != "stringArray" else ():
            if column == "length":
                continue
            if len(values) != table["length"]:
                yield f"{name}.{column} has {len(values)} rows, not {table['length']}"
            limit = sizes[INDICES[name, column]] if (name, column) in INDICES else None
            if limit is not None and any(value is not None and value >= limit for value in values):
                yield f"{name}.{column} has an index outside of its table"
    main = collections.Counter()
    for number, thread in enumerate(document["threads"]):
        samples = thread["samples"]
        main[thread["pid"]] += thread["isMainThread"]
        for column in ("stack", "timeDeltas", "weight"):
            if samples[column] is not None and len(samples[column]) != samples["length"]:
                yield f"threads[{number}].samples.{column} has {len(samples[column])} rows"
        if any(stack >= sizes["stackTable"] for stack in samples["stack"]):
            yield f"threads[{number}].samples.stack has an index outside of its table"
    if main and max(main.values()) > 1:
        yield f"several main threads of one process: {main}"


def stack_problems(shared):
    stacks, frames = shared["stackTable"], shared["frameTable"]
    for stack, prefix in enumerate(stacks["prefix"]):
        if prefix is not None and prefix >= stack:
            yield f"stack {stack} has the caller {prefix}"
            return
        frame = stacks["frame"][stack]
        depth = frames["inlineDepth"][frame]
        if depth == 0:
            continue
        outer = stacks["frame"][prefix]
        if frames["inlineDepth"][outer] != depth - 1:
            yield f"stack {stack}: inlined {depth} deep into a frame of {frames['inlineDepth'][outer]}"
        for column in ("address", "nativeSymbol"):
            if frames[column][outer] != frames[column][frame]:
                yield f"stack {stack}: what was inlined has another {column}"


def stacks_of(document, thread, event):
    shared = document["shared"]
    strings, names = shared["stringArray"], shared["funcTable"]["name"]
    frame, prefix, func = shared["stackTable"]["frame"], shared["stackTable"]["prefix"], shared["frameTable"]["func"]
    comm = thread["name"]
    if event is not None:
        comm = comm.removesuffix(f" ({event})")
    samples = thread["samples"]
    stacks = collections.Counter()
    weights = samples["weight"] or [1] * samples["length"]
    scale = 1000000 if samples["weightType"] == "tracing-ms" else 1
    for stack, weight in zip(samples["stack"], weights):
        names_of = []
        while stack is not None:
            names_of.append(as_folded(strings[names[func[frame[stack]]]]))
            stack = prefix[stack]
        stacks[";".join([as_folded(comm), *reversed(names_of)])] += int(weight * scale)
    return stacks


def event_of(thread, events):
    if len(events) == 1:
        return events[0]
    found = [event for event in events if thread["name"].endswith(f" ({event})")]
    if not found:
        raise Failed(f"thread {thread['name']}: of which event?")
    return max(found, key=len)


def check_bpf(document, where):
    shared = document["shared"]
    names = [one["name"] for one in document["meta"]["categories"]]
    categories = collections.Counter()
    for category, func in zip(shared["frameTable"]["category"], shared["frameTable"]["func"]):
        lib = document["libs"][shared["resourceTable"]["lib"][shared["funcTable"]["resource"][func]]]
        bpf = lib["name"].startswith("[bpf:")
        categories[names[category]] += 1
        if bpf != (names[category] == "BPF"):
            yield f"{where}: code of {lib['name']} is {names[category]}"
        if bpf and (lib["codeId"] is None or len(lib["codeId"]) != 16):
            yield f"{where}: {lib['name']} has the codeId {lib['codeId']}"
    if where.startswith("bpf_") and not categories["BPF"]:
        yield f"{where}: no BPF code: {categories}"


def check(tool, file, validator):
    problems = []
    expected = totals(tool, file)
    events = list(expected)
    for options in ((), ("--periods",)):
        where = " ".join([file.name, *options])
        text = export(tool, file, "firefox", *options)
        document = json.loads(text, parse_float=decimal.Decimal)
        plain = json.loads(text)
        problems += [f"{where}: {error.message[:200]}" for error in list(validator.iter_errors(plain))[:3]]
        problems += [f"{where}: {text}" for text in table_problems(document)]
        problems += [f"{where}: {text}" for text in stack_problems(document["shared"])][:5]
        problems += list(check_bpf(document, where))[:5]
        sums, found = collections.Counter(), collections.Counter()
        for thread in document["threads"] if expected else ():
            event = event_of(thread, events)
            for stack, count in stacks_of(document, thread, event if len(events) > 1 else None).items():
                sums[event] += count
                found[as_folded(event), stack] += count
        problems += differences(sums, {name: both[len(options)] for name, both in expected.items()}, f"{where}: sums")
        if expected:
            problems += differences(found, folded(tool, file, events, "--plain", *options), f"{where}: stacks")
    return problems


def main():
    tool, fixtures, schema = sys.argv[1:]
    validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(schema).read_text()))
    problems, counted = [], 0
    for file in recordings(fixtures):
        try:
            problems += check(tool, file, validator)
            counted += 1
        except Failed as failure:
            problems.append(f"{file.name}: {failure}")
    print("\n".join(problems) if problems else f"{counted} recordings")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
