#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# schema.py TOOL SOURCE: checks the JSON Schema files in SOURCE/docs/schema that describe documents of our own.
#   - The kept documents in tests/golden/expected are valid, and so is what TOOL writes of the fixtures.
#   - The files allow keys that they do not know, as keys may be added. Here they do not: each object is closed first.
#   - Each key of a schema is seen in some document, or listed below with the reason.
#   - A renamed key, or one that is missing, is found, wherever it is.
#   - Definitions of one name are the same in all files, and docs/json.md names each key.
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)

Validator = jsonschema.Draft202012Validator

# Keys that no document here has, and why. Unit tests have them.
UNSEEN = {
    "annotation/without_build_id/callers(/.*)?": "annotate counts samples alone",
    "annotation/call/(branches|into_kernel)": "files of the recorded machine, which are not shipped",
    "annotation/instruction/target/relocation": "the same",
    "script/inlined": "the same",
    "info/bundle(/.*)?": "bundles: tests/bundle has them",
    "(info/profile|profile)/left_out/.*": "source files of others: tests/profile has them",
    "report/line_problems": "damaged debug information",
    "report/inlined_problems": "the same",
    "lines/problems": "the same",
    "lines/cut_places": "limits",
    "[^/]*/.*map_ids_left_out": "more maps than a kernel allows",
    "stat/bpf_programs_left_out": "limits",
    "bpf/.*(metadata|metadata_of_others|trampolines|programs)_left_out": "limits",
    "bpf/.*instructions_cut": "limits",
    "bpf/metadata_of_others": "BPF_METADATA of a program that no other record knows",
    "report/row/more_programs": "more than 1000 loads",
    "bpf/.*/(trampolines|programs)_not_searched": "more than 1024 that overlap in time",
    "diff/compared_row/more_(old|new)_versions": "more than 20 bodies of one function",
    "report/cut_names": "names of more than 4096 bytes",
    "script/bpf_output/(candidates_left_out|bytes_behind_nul|values_(outside|untyped|too_deep)|cut)": "BTF of hostile files",
    "report/(rows_without_tree|chains_without_inlined|cut_chains)": "limits",
}

# Keys that are data: the fields of features, registers, types of records, options.
FREE = re.compile(
    "/features/[^/]*(/(?!(number|offset|size)$).*)?$|/regs_(user|intr)\\[\\]/.*$|/records/[^/]*$|/(dropped|ends)/[^/]*$"
    "|/bpf_output/value(/|\\[).*$"
)


# Of formats that are not ours, which tests/export checks, and of the index of bundles, which no command writes to
# standard output.
FOREIGN = {"firefox.schema.json", "bundle.schema.json"}


def load(folder):
    files = sorted(file for file in folder.glob("*.schema.json") if file.name not in FOREIGN)
    assert files, f"no schemas in {folder}"
    return {file.name.removesuffix(".schema.json"): json.loads(file.read_text()) for file in files}


def closed(schema):
    """Returns a copy in which no object may have keys that the schema does not name."""
    schema = copy.deepcopy(schema)
    parts = set()  # of objects that several schemas describe together

    def close(node, part=False):
        if isinstance(node, list):
            for one in node:
                close(one)
        if not isinstance(node, dict):
            return
        if "then" in node:
            node["unevaluatedProperties"] = False
            for rule in node["then"].get("allOf", []):
                parts.add(rule["then"].get("$ref"))
        elif "properties" in node and not part:
            node.setdefault("additionalProperties", False)
        for key, value in node.items():
            if key in ("properties", "$defs", "patternProperties"):
                for name, one in value.items():
                    close(one, part=f"#/$defs/{name}" in parts and key == "$defs")
            elif key not in ("if", "then"):
                close(value)

    close(schema)
    return schema


class Seen:
    """Notes which keys of a schema occur in documents."""

    def __init__(self, schema):
        self.schema = schema
        self.keys = set()

    def find(self, node):
        while "$ref" in node:
            node = self.schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
        return node

    def note(self, node, value):
        node = self.find(node)
        for rule in node.get("then", {}).get("allOf", []):
            if rule["if"]["properties"]["type"].get("const") == value["type"] and "damaged" not in value:
                self.note(rule["then"], value)
        for one in node.get("anyOf", []):
            if value is not None:
                self.note(one, value)
        if isinstance(value, dict):
            for key, content in value.items():
                known = node.get("properties", {}).get(key)
                if known is not None:
                    self.keys.add((id(node), key))
                    self.note(known, content)
                elif isinstance(node.get("additionalProperties"), dict):
                    self.note(node["additionalProperties"], content)
        elif isinstance(value, list) and "items" in node:
            for one in value:
                self.note(node["items"], one)

    def unseen(self):
        missing = []

        def look(node, path):
            if isinstance(node, list):
                for one in node:
                    look(one, path)
            elif isinstance(node, dict):
                for key in node.get("properties", {}):
                    if (id(node), key) not in self.keys:
                        missing.append((path, key))
                for key, value in node.items():
                    if key == "if":
                        continue
                    if key in ("properties", "$defs"):
                        for name, one in value.items():
                            look(one, f"{path}/{name}")
                    else:
                        look(value, path)

        look(self.schema, "")
        return missing


def key_paths(value, path=(), shape=""):
    """Yields the way to one example of each key, by the keys above it."""
    if isinstance(value, dict):
        for key, content in value.items():
            yield path + (key,), f"{shape}/{key}"
            yield from key_paths(content, path + (key,), f"{shape}/{key}")
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from key_paths(one, path + (at,), shape + "[]")


def thin(value, known=None, shape=""):
    """Returns the value with at most three elements of each kind in a list, and what kind it is. `known` counts what was
    kept in other values: of each kind at one place twelve are enough."""
    if isinstance(value, dict):
        parts = {key: thin(content, known, f"{shape}/{key}") for key, content in value.items()}
        return {key: part[0] for key, part in parts.items()}, tuple((key, part[1]) for key, part in parts.items())
    if isinstance(value, list):
        kept, kinds = [], {}
        for one in value:
            small, kind = thin(one, known, shape + "[]")
            kinds[kind] = kinds.get(kind, 0) + 1
            if kinds[kind] > 3:
                continue
            if known is not None and kept:
                count = known[shape, kind] = known.get((shape, kind), 0) + 1
                if count > 12:
                    continue
            kept.append(small)
        return kept, ("list", *sorted(kinds, key=repr))
    return value, type(value).__name__


def along(value, path):
    """Returns a copy with one element of each list: the one that the path goes through, else the first."""
    if isinstance(value, dict):
        return {key: along(one, path[1:] if path and path[0] == key else ()) for key, one in value.items()}
    if isinstance(value, list):
        return [along(value[path[0] if path else 0], path[1:])] if value else []
    return value


class Check:
    def __init__(self, tool, source):
        self.tool = str(pathlib.Path(tool).resolve())
        self.source = pathlib.Path(source).resolve()
        self.schemas = load(self.source / "docs/schema")
        self.strict = {name: Validator(closed(schema)) for name, schema in self.schemas.items()}
        self.open = {name: Validator(schema) for name, schema in self.schemas.items()}
        self.seen = {name: Seen(schema) for name, schema in self.schemas.items()}
        self.examples = {name: {} for name in self.schemas}  # by the keys that a document has
        self.kinds = {name: {} for name in self.schemas}
        self.kept = {name: {} for name in self.schemas}
        self.documents = 0
        self.problems = []

    def complain(self, text):
        self.problems.append(text)
        if len(self.problems) <= 40:
            print(text)

    # Of lines of one kind some are enough.
    def known(self, name, value):
        kind = (value.get("type"), thin(value)[1])
        count = self.kinds[name].get(kind, 0) + 1
        self.kinds[name][kind] = count
        return count > 3

    def document(self, name, value, where):
        self.documents += 1
        value, _ = thin(value, self.kept[name])
        for error in sorted(self.strict[name].iter_errors(value), key=str)[:3]:
            deep = jsonschema.exceptions.best_match([error])
            place = "/".join(map(str, deep.absolute_path))
            self.complain(f"{where}: {name}: /{place}: {deep.message[:300]}")
        self.seen[name].note(self.schemas[name], value)
        size = len(json.dumps(value))
        examples = self.examples[name]
        for path, shape in key_paths(value):
            if shape not in examples or size < examples[shape][2]:
                examples[shape] = (value, path, size)

    def text(self, text, command, where):
        if command == "batch":
            for number, line in enumerate(text.splitlines(), 1):
                value = json.loads(line)
                where_in_it = f"{where}, line {number}"
                if value["document"] is not None:
                    self.text(json.dumps(value["document"]), value["document"]["schema"].removeprefix("perfdata.").rsplit("/", 1)[0], where_in_it)
                    value["document"] = {}
                self.document("batch", value, where_in_it)
            return
        if command in ("script", "dump"):
            for number, line in enumerate(text.splitlines(), 1):
                value = json.loads(line)
                if not self.known(command, value):
                    self.document(command, value, f"{where}, line {number}")
            return
        value = json.loads(text)
        name = value["schema"].removeprefix("perfdata.").rsplit("/", 1)[0]
        if name not in {"annotate": ("annotation", "lines"), "merge": ("profile",)}.get(command, (command,)):
            self.complain(f"{where}: schema {name}")
        self.document(name, value, where)

    def run(self, *arguments, status=(0,)):
        done = subprocess.run([self.tool, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True)
        where = " ".join(map(str, arguments))
        if done.returncode not in status:
            self.complain(f"{where}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
            return
        if done.stdout:
            self.text(done.stdout.decode(), arguments[0], where)

    def goldens(self):
        for file in sorted((self.source / "tests/golden/expected").glob("*.json")):
            command = file.name.split(".")[-2].split("_")[0]
            self.text(file.read_text(), command, file.name)

    def live(self):
        fixtures = self.source / "fixtures"
        every = [*fixtures.glob("*/*.data"), *fixtures.glob("records/*.dir")]
        assert len(every) > 50
        for file in sorted(every):
            self.run("report", "--json", "--offline", file, status=(0, 1))
            self.run("annotate", "--json", "--offline", file, status=(0, 1))
            self.run("annotate", "--format", "lines", "--offline", file, status=(0, 1))
            self.run("script", "--json", "--offline", file, status=(0, 1))
            self.run("info", "--json", "--verbose", file)
            self.run("dump", "--json", file)
            self.run("stat", "--json", file)
        # With the names of this machine, where the recording proves them.
        for name in ("brk", "cgns", "dwarf", "group_chains", "switch", "zstd"):
            file = fixtures / f"records/{name}.data"
            self.run("report", "--json", "--sort", "comm,dso,symbol,srcline", file)
            self.run("annotate", "--json", "--calls", file)
            self.run("script", "--json", file)
            self.run("collect", "--check", "--json", file)
        self.run("collect", "--check", "--json", fixtures / "jit/tinyjit.data")
        with tempfile.TemporaryDirectory() as folder:
            self.profiles(fixtures, pathlib.Path(folder))
        for name in ("lost", "bpf_filter"):
            self.run("info", "--json", "--completeness", fixtures / f"records/{name}.data")
            self.run("bpf", "--json", fixtures / f"records/{name}.data", status=(0, 1))
        for mode in ("--no-aggr", "--per-socket", "--per-die", "--per-core", "--per-node", "--per-cache"):
            self.run("stat", "--json", mode, fixtures / "records/stat_cpus.data")
        self.counted_programs(fixtures / "records/stat_cpus.data")
        group = fixtures / "records/group_chains.data"
        for options in (("report", "--json", "--group"), ("annotate", "--json"), ("annotate", "--format", "lines")):
            self.run(*options, "--ratio", "page-faults/cpu-clock", group)
        self.bpf(fixtures / "bpf")
        self.compared(fixtures)
        self.filtered(fixtures / "bpf/bpf_events.data")
        typed = fixtures / "typed/bpf_output.data"
        self.run("script", "--json", "--offline", "--bpf-output-type", "all", typed)
        self.stacks(fixtures / "stacks")
        self.jit(fixtures)
        with tempfile.TemporaryDirectory() as folder:
            self.damaged(fixtures, pathlib.Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            self.batch(fixtures, pathlib.Path(folder))

    # Lines of each status, with a text or number in each key.
    def batch(self, fixtures, folder):
        whole = (fixtures / "bpf/bpf_many.data").read_bytes()
        (folder / "cut.data").write_bytes(whole[:60000])
        (folder / "short.data").write_bytes(whole[:100])
        entries = [*sorted(fixtures.glob("records/*.data")), folder / "cut.data", folder / "short.data", folder / "gone.data"]
        (folder / "list").write_text("".join(f"{entry}\n" for entry in entries))
        for action in ("info", "report"):
            self.run("batch", "--do", action, folder / "list", status=(1,))
            for more in ((), ("--resume",)):
                self.run("batch", "--do", action, "--out", folder / "documents", *more, folder / "list", status=(1,))
        self.run("batch", "--do", "profile", "--out", folder / "documents", folder / "list", status=(1,))

    def profiles(self, fixtures, folder):
        files = []
        for name in ("bpf/bpf_many", "records/multi", "bpf/bpf_events"):
            files.append(folder / (name.replace("/", "_") + ".profile.pb.gz"))
            options = ("--comm", "load") if name == "bpf/bpf_events" else ()
            self.run("profile", "--json", "--offline", *options, "-o", files[-1], fixtures / f"{name}.data")
        self.run("merge", "--json", "-o", folder / "both.profile.pb.gz", *files[:2])
        self.run("merge", "--json", "--keep", "comm,symbol", "-o", folder / "small.profile.pb.gz", files[0])
        # What shows recordings shows profiles.
        for command in (("report",), ("annotate", "--calls"), ("info",)):
            self.run(command[0], "--json", *command[1:], files[0])
        self.run("info", "--json", "--completeness", files[2])
        self.run("annotate", "--format", "lines", files[1])

    # Of a recording by `perf stat record -a -A` one by `perf stat record -b 42`: words of the command line have room.
    def counted_programs(self, file):
        content = file.read_bytes()
        for word, other in ((b"-a", b"-b"), (b"-A", b"42")):
            assert content.count(b"\0" + word + b"\0") == 1
            content = content.replace(b"\0" + word + b"\0", b"\0" + other + b"\0")
        with tempfile.TemporaryDirectory() as folder:
            changed = pathlib.Path(folder) / "programs.data"
            changed.write_bytes(content)
            self.run("stat", "--json", changed)

    def bpf(self, folder):
        for file in sorted(folder.glob("*.data")):
            self.run("bpf", "--json", file)
            self.run("info", "--json", "--completeness", file)
            self.run("annotate", "--json", "--offline", "--calls", "--asm-raw", file)
        twins, many = folder / "bpf_twins.data", folder / "bpf_many.data"
        self.run("symbols", "--json", "--at", "15.9", twins)
        self.run("symbols", "--json", "--at", "15.9", "--pid", "1", "--kind", "bpf,user", twins)
        self.run("symbols", "--json", "--history", "ffffffffc038b9e0", many)
        self.run("symbols", "--json", "--at", "6.5", "--address", "ffffffffc038b9e0", many)
        self.run("symbols", "--json", "--at", "6.5", "--address", "10", many)
        self.run("bpf", "--json", "--kind", "bpf", "-S", "step", many)
        self.run("bpf", "--json", "--dso", "[bpf:5]", many)
        for file in ("bpf_facts", "bpf_types", "bpf_reuse"):
            self.run("bpf", "--json", "--timeline", folder / f"{file}.data")
        self.run("bpf", "--json", "--timeline", "--time", ",10.7", folder / "bpf_reuse.data")
        self.run("bpf", "--json", "--code", "jited", "--linum", folder / "bpf_facts.data")
        self.run("bpf", "--json", self.source / "fixtures/records/v72_meta.data")
        self.run("bpf", "--json", "-S", "bpf_prog_66c7ef07292a5ced_beta_spin", folder / "bpf_turns.data")

    def compared(self, fixtures):
        many, events = fixtures / "bpf/bpf_many.data", fixtures / "bpf/bpf_events.data"
        turns, twins = fixtures / "bpf/bpf_turns.data", fixtures / "bpf/bpf_twins.data"
        diff = ("diff", "--json", "--offline")
        for file in sorted(fixtures.glob("*/*.data")):
            self.run(*diff, file, file, status=(0, 1))
        self.run(*diff, many, twins, "--fail-if", "delta > 5%", "--kind", "bpf", "-c", "wdiff:1,2", status=(4,))
        self.run(*diff, many, turns, "--normalize", "time", "-c", "ratio", "--percent-limit", "5")
        self.run(*diff, events, events, "-c", "delta", "--normalize", "cpu-clock/freq=999,call-graph=no/")
        self.run(*diff, "--old", many, twins, "--new", turns, many, "--normalize", "none")
        self.run(*diff, "--old", many, twins, many, many, "--new", turns, many, twins, twins, "--normalize", "samples")
        # Too many splits to try them all.
        self.run(*diff, "--old", *[many, twins] * 6, "--new", *[turns, many] * 6)

    def filtered(self, file):
        report = ("report", "--json", "--offline", file)
        self.run(*report, "--percent-limit", "5", "--kind", "bpf", "--comm", "load", "--time", "20.3,20.5", "-C", "0")
        self.run(*report, "--pid", "1", "--tid", "1", "--dso", "nothing", "-S", "nothing")
        self.run("report", "--json", "--offline", "--cgroup", "/", self.source / "fixtures/records/cgns.data")
        self.run(*report, "--sort", "comm,pid,tid,cpu,cgroup,dso,symbol,kind,srcline,program,parent", "-p", "step")
        self.run(*report, "-x", "-p", "step", "--sort", "parent,symbol")
        traced = ("report", "--json", "--offline", self.source / "fixtures/records/tp.data")
        self.run(*traced, "--sort", "trace", "--sparse")
        self.run(*report, "--sparse", "-g", "caller")
        self.run(*traced, "--sort", "comm,trace", "--histogram", "id,args[5],prev_state", "--filter", "id > 9")
        self.run("annotate", "--json", "--offline", traced[-1], "--histogram", "id,args[5],prev_state")
        for graph in ("graph,caller,address", "fractal,callee,srcline", "flat,count", "folded,period,2,1"):
            self.run(*report, "-g", graph, "--max-stack", "3")
        self.run(*report, "--no-children", "-g", "none")
        annotate = ("annotate", "--json", "--offline", file)
        self.run(*annotate, "--percent-limit", "5", "--kind", "bpf")
        self.run("annotate", "--format", "lines", "--offline", "--percent-limit", "5", "--kind", "bpf", file)
        ratio = "cpu-clock/freq=999,call-graph=no//task-clock/freq=499,call-graph=fp,max-stack=8/"
        self.run("annotate", "--format", "lines", "--offline", "--ratio", ratio, file)
        self.run(*annotate, "--ratio", ratio)
        self.run(*annotate, "-s", "step", "--calls", "--time", "20.3,20.5")
        self.run("annotate", "--json", "--offline", "--versions", self.source / "fixtures/pokes/text_pokes.data")
        self.run("script", "--json", "--offline", "--kind", "bpf", "-F", "comm,ip", file)
        self.run("dump", "--json", "--order", "time", "--type", "SAMPLE", file)

    # With the files of the recorded machines.
    def stacks(self, folder):
        machines = {"arm": "arm", "a64": "a64", "ppc": "ppc", "riscv": "riscv", "s390": "s390", "x86": "x86"}
        for file in sorted(folder.glob("*.data")):
            files = folder / machines[file.name.split("_")[0]]
            for command in ("report", "script"):
                self.run(command, "--json", "--offline", "--symfs", files, file)
            self.run("annotate", "--json", "--offline", "--calls", "--symfs", files, file)
            self.run("annotate", "--format", "lines", "--offline", "--symfs", files, file)
            self.run("report", "--json", "--offline", "--symfs", files, "-g", "caller,srcline", file)
            self.run("report", "--json", "--offline", "--symfs", files, "--max-stack", "2", file)

    def jit(self, fixtures):
        for file in ("tinyjit.data", "tinyjit_injected.data"):
            for command in ("report", "script", "annotate"):
                self.run(command, "--json", "--offline", fixtures / "jit" / file)
        self.run("annotate", "--json", "--offline", fixtures / "pokes/text_pokes.data")

    def damaged(self, fixtures, folder):
        whole = (fixtures / "bpf/bpf_many.data").read_bytes()
        (folder / "cut.data").write_bytes(whole[:60000])
        (folder / "damaged.data").write_bytes(whole[:60000] + bytes(200) + whole[60200:])
        for name in ("zstd.data", "pipe.data", "lost.data", "v72_defer.data", "stat_cores.data"):
            part = (fixtures / "records" / name).read_bytes()
            (folder / name).write_bytes(part[: len(part) * 7 // 10])
        # Each byte of one record's header in turn.
        for at in range(8):
            spoiled = bytearray(whole)
            spoiled[4096 + at] ^= 0xff
            (folder / f"spoiled{at}.data").write_bytes(spoiled)
        for file in sorted(folder.glob("*.data")):
            for command in ("report", "script", "annotate", "bpf", "dump", "stat"):
                offline = ["--offline"] if command in ("report", "script", "annotate") else []
                self.run(command, "--json", "--strict", *offline, file, status=(0, 1, 3))
            self.run("info", "--json", "--strict", file, status=(0, 1, 3))
        # AUX data.
        for file in sorted(fixtures.glob("records/*.data")):
            self.run("dump", "--json", "--aux", folder / "aux", file, status=(0, 1))

    # A renamed key is found, in the smallest document that has it.
    def renamed(self):
        renames = 0
        for name, examples in self.examples.items():
            for shape, (value, path, _) in examples.items():
                if FREE.search(shape):
                    continue
                changed = along(value, path)
                path = [0 if isinstance(step, int) else step for step in path]
                if not self.strict[name].is_valid(changed):
                    self.complain(f"{name}: {shape}: not valid when lists are shorter")
                inside = changed
                for step in path[:-1]:
                    inside = inside[step]
                inside["x_" + path[-1]] = inside.pop(path[-1])
                renames += 1
                if self.strict[name].is_valid(changed):
                    self.complain(f"{name}: {shape}: not missed under another name")
        return renames

    def definitions(self):
        first = {}
        for name, schema in self.schemas.items():
            Validator.check_schema(schema)
            for definition, content in schema.get("$defs", {}).items():
                other = first.setdefault(definition, (name, content))
                if other[1] != content:
                    self.complain(f"{definition} is not the same in {other[0]} and {name}")
        names = re.findall('"([A-Z][A-Z0-9_]+)"', (self.source / "include/perfdata/wire/record.hpp").read_text())
        assert len(names) > 40
        rules = self.schemas["dump"]["then"]["allOf"]
        known = {rule["if"]["properties"]["type"].get("const") for rule in rules}
        for name in names:
            if name not in known:
                self.complain(f"dump: no rule for records of type {name}")

    def documented(self):
        text = (self.source / "docs/json.md").read_text()
        words = set(re.findall(r"[A-Za-z_0-9]+", " ".join(re.findall(r"`([^`]*)`", text))))
        for name, schema in self.schemas.items():
            if name == "dump":  # by the names of the kernel's headers
                continue
            for path, key in Seen(schema).unseen():
                if key not in words and "attr" not in path:
                    self.complain(f"docs/json.md does not name {key} of {name}{path}")

    def finish(self):
        for name, seen in self.seen.items():
            for path, key in seen.unseen():
                place = f"{name}{path}/{key}"
                if name != "dump" and not any(re.fullmatch(known, place) for known in UNSEEN):
                    self.complain(f"no document has {place}")
        renames = self.renamed()
        print(f"{self.documents} documents, {renames} keys renamed, {len(self.problems)} problems")
        return 1 if self.problems else 0


def main():
    check = Check(sys.argv[1], sys.argv[2])
    check.definitions()
    check.documented()
    check.goldens()
    check.live()
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
