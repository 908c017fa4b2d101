#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_csv.py TOOL FIXTURES SCRATCH [DOCUMENT]: exports tables, reads them with DuckDB (npm, through Node: see
scripts/duckdb/install), and compares rows, keys and sums with `report --json`. Runs scripts/to-parquet, compares its files with the
tables, and runs the queries of the document (docs/exports.md). Exit status 1: something differs or is missing."""
import collections
import csv
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys

# With the folders of their files.
RECORDINGS = {"bpf/bpf_turns": None, "bpf/bpf_types": None, "bpf/bpf_reuse": None, "jit/tinyjit": None,
              "records/dwarf": None, "records/groups": None, "records/group_chains": None, "records/multi": None,
              "stacks/x86_plain": "stacks/x86"}
JOINS = [("samples", "stack_id", "stacks"), ("stacks", "frame_id", "frames"), ("frames", "function_id", "functions"),
         ("frames", "object_id", "objects"), ("functions", "object_id", "objects"), ("objects", "load_id", "loads")]
KEYS = {"samples": "sample_id", "stacks": "(stack_id, depth)", "frames": "frame_id", "functions": "function_id",
        "objects": "object_id", "loads": "load_id"}

root = pathlib.Path(__file__).resolve().parent.parent.parent
problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


def run(command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more).stdout


def ask(folder, directory, statements):
    script = root / "tests" / "export" / "query.js"
    answers = json.loads(run(["node", script, folder, directory], input=json.dumps(statements).encode()))
    for statement, answer in zip(statements, answers):
        if isinstance(answer, dict):
            complain(directory, f"DuckDB: {answer['error']} in {statement}")
    return [[] if isinstance(answer, dict) else answer for answer in answers]


def document_queries(document):
    queries = re.findall(r"^```sql\n(.*?)^```", pathlib.Path(document).read_text(), re.S | re.M)
    if len(queries) != 3:
        complain(document, f"{len(queries)} queries, and not 3")
    return [query.strip().rstrip(";") for query in queries]


def column_names():
    return json.loads(run(["node", "-e", "const {tables} = require(process.argv[1]);"
                           "console.log(JSON.stringify(Object.fromEntries(Object.entries(tables)"
                           ".map(([name, columns]) => [name, Object.keys(columns)]))))",
                           root / "scripts" / "duckdb" / "tables.js"]))


def report(tool, recording, *options):
    return json.loads(run([tool, "report", "--json", "-g", "none", *options, recording]))


def row_name(row):
    """The symbol, or the object of code without one."""
    return row["symbol"] if row["symbol"] is not None else f"[{row['path'] or '[unknown]'}]"


def sums(rows, member):
    found = collections.Counter()
    for row in rows:
        found[row_name(row)] += sum(row[member])
    return {name: hits for name, hits in found.items() if hits}


def compare(where, what, one, other):
    for name in sorted(set(one) | set(other), key=str):
        if one.get(name) != other.get(name):
            complain(where, f"{what} of {name}: {one.get(name)}, and not {other.get(name)}")


SELF = """SELECT coalesce(f.symbol, '[' || o.path || ']'), sum(s.hits) FROM samples s
          JOIN stacks k ON k.stack_id = s.stack_id AND k.depth = 0 JOIN frames r USING (frame_id)
          JOIN functions f USING (function_id) JOIN objects o ON o.object_id = f.object_id GROUP BY ALL"""
INCLUSIVE = """SELECT f.symbol, sum(s.hits) FROM samples s
               JOIN (SELECT DISTINCT stack_id, function_id FROM stacks JOIN frames USING (frame_id)) USING (stack_id)
               JOIN functions f USING (function_id) WHERE f.symbol IS NOT NULL GROUP BY ALL"""


def count_by_function(rows):
    """Hits by name and object: of samples in the function, and of those with it in their stack."""
    paths = {row[0]: row[1] for row in rows["objects"][1:]}
    functions = {row[0]: (row[1], paths[row[4]]) for row in rows["functions"][1:]}
    function_of_frame = {row[0]: row[1] for row in rows["frames"][1:]}
    stacks = collections.defaultdict(list)
    for stack, _, frame in rows["stacks"][1:]:
        stacks[stack].append(function_of_frame[frame])
    own, inclusive = collections.Counter(), collections.Counter()
    for row in rows["samples"][1:]:
        stack = stacks[row[7]]
        own[functions[stack[0]]] += int(row[8])
        for function in {functions[function] for function in stack}:
            inclusive[function] += int(row[8])
    return own, inclusive


def check(tool, recording, names, inline, directory, folder, columns, queries):
    names = [*names, inline]
    where = os.path.basename(directory)
    shutil.rmtree(directory, ignore_errors=True)
    run([tool, "export", *names, "--format", "csv", "-o", directory, recording])
    if sorted(os.listdir(directory)) != sorted(f"{table}.csv" for table in columns):
        complain(where, f"files {sorted(os.listdir(directory))}")
        return
    rows = {}
    for table, header in columns.items():
        path = os.path.join(directory, f"{table}.csv")
        with open(path, "rb") as file:
            text = file.read()
        if text != run([tool, "export", *names, "--format", "csv", "--table", table, recording]):
            complain(where, f"--table {table} differs from the file")
        lines = text.decode("utf-8").split("\n")
        rows[table] = list(csv.reader(lines[:-1], strict=True))
        if lines[-1] or rows[table][0] != header or len(rows[table]) != len(lines) - 1:
            complain(where, f"{table}: a header, or a row that is no line")
        if any(len(row) != len(header) for row in rows[table]):
            complain(where, f"{table}: rows of different lengths")
    run([root / "scripts" / "to-parquet", directory], env={**os.environ, "PERFDATA_DUCKDB": folder})

    statements = [f"SELECT count(*), count(DISTINCT {KEYS[table]}) FROM {table}" for table in columns]
    statements += [f"SELECT count(*) FROM {table} one WHERE one.{key} IS NOT NULL AND one.{key} NOT IN "
                   f"(SELECT {key} FROM {other})" for table, key, other in JOINS]
    statements += [f"SELECT (SELECT count(*) FROM '{table}.parquet'), "
                   f"(SELECT count(*) FROM (FROM {table} EXCEPT ALL FROM '{table}.parquet')), "
                   f"(SELECT count(*) FROM (FROM '{table}.parquet' EXCEPT ALL FROM {table}))" for table in columns]
    answers = ask(folder, directory, statements + [
        "SELECT event_id, sum(hits), sum(periods) FROM samples GROUP BY 1", SELF, INCLUSIVE,
        "SELECT count(*) FROM samples WHERE stack_id NOT IN (SELECT stack_id FROM stacks WHERE depth = 0)",
        "SELECT l.program_id, sum(s.hits) FROM samples s JOIN stacks k ON k.stack_id = s.stack_id AND k.depth = 0 "
        "JOIN frames r USING (frame_id) JOIN objects o ON o.object_id = r.object_id JOIN loads l USING (load_id) "
        "GROUP BY ALL",
        "SELECT command, sum(hits) FROM samples GROUP BY ALL"] + queries)
    for table in columns:
        count = str(len(rows[table]) - 1)
        if answers.pop(0) != [[count, count]]:
            complain(where, f"{table}: DuckDB reads other rows, or keys are not unique")
    for table, key, other in JOINS:
        if answers.pop(0) != [["0"]]:
            complain(where, f"{table}.{key}: some are not in {other}")
    for table in columns:
        if answers.pop(0) != [[str(len(rows[table]) - 1), "0", "0"]]:
            complain(where, f"{table}.parquet: not the rows of {table}.csv")
    totals, own, inclusive, unstacked, programs, commands, *answered = answers

    flat = report(tool, recording, *names, "--no-children", "--sort", "dso,symbol")
    listed = [event for event in flat["events"] if event["samples"]]
    compare(where, "samples and periods", collections.Counter((row[1], row[2]) for row in totals),
            collections.Counter((str(event["samples"]), str(event["periods"])) for event in listed))
    # Rows of report do not count what is inlined as functions.
    counts_inlined = inline == "--inline"
    if not counts_inlined:
        expected = sums(flat["rows"], "hits")
        compare(where, "self hits", {name: int(hits) for name, hits in own}, expected)
    deep = report(tool, recording, *names, "--children", "--sort", "dso,symbol")
    named = [row for row in deep["rows"] if row["symbol"] is not None and "with_callers" in row]
    if named and not counts_inlined:
        compare(where, "inclusive hits", {name: int(hits) for name, hits in inclusive}, sums(named, "with_callers"))
    if unstacked != [["0"]]:
        complain(where, "samples without a stack")
    by_program = collections.Counter()
    for row in report(tool, recording, *names, "--no-children", "--sort", "program")["rows"]:
        for program in row.get("programs", [])[:1]:
            by_program[str(program["id"])] += sum(row["hits"])
    compare(where, "hits of BPF program", {name: int(hits) for name, hits in programs},
            {name: hits for name, hits in by_program.items() if hits})
    by_command = collections.Counter()
    for row in report(tool, recording, *names, "--no-children", "--sort", "comm")["rows"]:
        by_command[row["comm"]] += sum(row["hits"])
    compare(where, "hits of command", {name: int(hits) for name, hits in commands},
            {name: hits for name, hits in by_command.items() if hits})

    # The queries of the document: the hottest functions, hits of BPF programs over time, inclusive hits. Functions of
    # equal name and object are one there.
    hottest, over_time, inclusively = (answered + [[], [], []])[:3]
    by_function, with_callers = count_by_function(rows)
    compare(where, "the document's self hits", {(row[0], row[1]): int(row[2]) for row in hottest},
            {key: by_function[key] for key in ((row[0], row[1]) for row in hottest)})
    compare(where, "the document's inclusive hits", {(row[0], row[1]): int(row[2]) for row in inclusively},
            {key: with_callers[key] for key in ((row[0], row[1]) for row in inclusively)})
    for answer, counted in ((hottest, by_function), (inclusively, with_callers)):
        if [int(row[2]) for row in answer] != sorted(counted.values(), reverse=True)[:20]:
            complain(where, "a query of the document has not the 20 functions with most hits")
    in_time = collections.Counter()
    for row in over_time:
        in_time[row[0]] += int(row[3])
    compare(where, "the document's hits of BPF program", dict(in_time), {name: int(hits) for name, hits in programs})


def check_refusals(tool, recording, directory):
    """What is there already and is no regular file stays; nothing is half written; inputs are not overwritten."""
    def refuses(what, status, recording=recording, output=directory):
        done = subprocess.run([tool, "export", "--format", "csv", "-o", output, recording], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        if done.returncode != status:
            complain(what, f"exit status {done.returncode}, and not {status}: {done.stderr.decode()}")

    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    path = os.path.join(directory, "loads.csv")
    elsewhere = os.path.join(directory, "elsewhere")
    pathlib.Path(elsewhere).write_text("kept")
    os.symlink(elsewhere, path)
    refuses("a link", 1)
    if not os.path.islink(path) or pathlib.Path(elsewhere).read_text() != "kept":
        complain("a link", "was followed or replaced")
    os.remove(path)
    os.mkfifo(path)
    refuses("a FIFO", 1)
    if not stat.S_ISFIFO(os.lstat(path).st_mode):
        complain("a FIFO", "was replaced")
    os.remove(path)
    if sorted(os.listdir(directory)) != ["elsewhere"]:
        complain("refused", f"something is left: {os.listdir(directory)}")
    shutil.copy(recording, path)
    refuses("the recording", 2, recording=path)
    if pathlib.Path(path).read_bytes() != pathlib.Path(recording).read_bytes():
        complain("the recording", "was overwritten")
    os.remove(path)
    refuses("a file as directory", 1, output=elsewhere)
    refuses("a directory in none", 1, output=os.path.join(directory, "none", "here"))
    fresh = os.path.join(directory, "fresh")
    refuses("no recording", 1, recording=os.path.join(directory, "elsewhere"), output=fresh)
    if os.path.exists(fresh):
        complain("no recording", "its directory is left")
    pathlib.Path(os.path.join(directory, "samples.csv")).write_text("old")
    refuses("old tables", 0)
    if pathlib.Path(os.path.join(directory, "samples.csv")).read_text() == "old":
        complain("old tables", "were not replaced")


def main():
    tool, fixtures, scratch = (os.path.abspath(path) for path in sys.argv[1:4])
    document = sys.argv[4] if len(sys.argv) > 4 else root / "docs" / "exports.md"
    os.makedirs(scratch, exist_ok=True)
    folder = os.environ.get("PERFDATA_DUCKDB", os.path.join(scratch, "duckdb"))
    installed = subprocess.run([root / "scripts" / "duckdb" / "install"], env={**os.environ, "PERFDATA_DUCKDB": folder},
                               stdout=subprocess.PIPE)
    if installed.returncode != 0:
        print("FAILED: DuckDB is missing, which npm installs")
        return 1
    queries = document_queries(document)
    columns = column_names()
    for name, files in RECORDINGS.items():
        recording = os.path.join(fixtures, name + ".data")
        names = ["--symfs", os.path.join(fixtures, files)] if files else []
        for inline in ("--inline", "--no-inline"):
            directory = os.path.join(scratch, f"csv_{os.path.basename(name)}{inline}")
            check(tool, recording, names, inline, directory, folder, columns, queries)
    check_refusals(tool, os.path.join(fixtures, "bpf/bpf_turns.data"), os.path.join(scratch, "csv_refusals"))
    for problem in problems[:100]:
        print(problem)
    if problems:
        print(f"FAILED: {len(problems)} differences")
    return 1 if problems else 0


sys.exit(main())
