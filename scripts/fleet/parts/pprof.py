# SPDX-License-Identifier: MIT
"""Reads what the tables need of a profile: counts by event, object, build id and function.

`perfdata export --format csv` does not write samples of profiles, as they have no times. Profiles are files of pprof,
whose format is small and public: github.com/google/pprof/blob/main/proto/profile.proto. perfdata wrote these files, so
they are trusted.
"""
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """Yields number and value of each field of a message: an int, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def numbers(value):
    """Returns the numbers of a field that is packed, or has one."""
    if isinstance(value, int):
        return [value]
    result, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        result.append(number)
    return result


def counts(path):
    """Returns hits and periods by (event, object, build id, function). Function and build id may be None."""
    with gzip.open(path) as file:
        data = memoryview(file.read())
    texts, kinds, samples, mappings, functions, locations = [], [], [], {}, {}, {}
    for number, value in fields(data):
        if number == 6:
            texts.append(bytes(value).decode())
        elif number == 1:
            kinds.append(dict(fields(value)).get(1, 0))
        elif number == 2:
            of = {1: [], 2: []}
            for member, inner in fields(value):
                if member in of:
                    of[member] += numbers(inner)
            samples.append((of[1], of[2]))
        elif number == 3:
            of = dict(fields(value))
            mappings[of[1]] = (of.get(5, 0), of.get(6, 0))
        elif number == 4:
            mapping = function = None
            for member, inner in fields(value):
                if member == 1:
                    name = inner
                elif member == 2:
                    mapping = inner
                elif member == 4 and function is None:  # the first line is the innermost
                    function = dict(fields(inner)).get(1)
            locations[name] = (mapping, function)
        elif number == 5:
            of = dict(fields(value))
            functions[of[1]] = of.get(2, 0)
    events = [texts[kind].removesuffix("_sample") for kind in kinds[::2]]
    sums = {}
    for places, values in samples:
        mapping, function = locations.get(places[0], (None, None)) if places else (None, None)
        path, build_id = mappings.get(mapping, (0, 0))
        for index, event in enumerate(events):
            hits, periods = values[2 * index], values[2 * index + 1]
            if hits or periods:
                key = (event, texts[path], texts[build_id] or None, texts[functions.get(function, 0)] or None)
                old = sums.get(key, (0, 0))
                sums[key] = (old[0] + hits, old[1] + periods)
    return sums
