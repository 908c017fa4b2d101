# SPDX-License-Identifier: MIT
# Runs `perfdata diff --json`.
import json
import subprocess


class Differ:
    def __init__(self, tool):
        self.tool = tool

    def run(self, *arguments, status=0):
        words = [self.tool, "diff", *map(str, arguments)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
        assert done.returncode == status, f"{words}: exit status {done.returncode}\n{done.stderr.decode()}"
        return done

    def compare(self, *arguments, status=0):
        return json.loads(self.run("--json", *arguments, status=status).stdout)

    # Those beyond noise, most changed first.
    @staticmethod
    def changed(diff):
        return [row for row in diff["rows"] if row["noise"] == "changed"]


def row_of(diff, symbol):
    rows = [row for row in diff["rows"] if row["symbol"] == symbol]
    assert len(rows) == 1, f"{len(rows)} rows of {symbol}"
    return rows[0]
