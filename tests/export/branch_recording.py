# SPDX-License-Identifier: MIT
"""Makes a program and a recording of all branches that it takes, as hardware with branch stacks would.

The program runs step by step (ptrace), so the branches are real ones, on any machine. The recording has a sample for
each 32 branches, none of which is in two samples: sums are known exactly.
"""
import ctypes
import os
import signal
import struct
import subprocess
from collections import Counter

SOURCE = r"""
#include <cstdio>
#include <cstdlib>

struct Shape {
    virtual ~Shape() = default;
    virtual long area(long side) const = 0;
};
struct Square : Shape {
    __attribute__((noinline)) long area(long side) const override { return side * side; }
};
struct Cross : Shape {
    __attribute__((noinline)) long area(long side) const override {
        long sum = 0;
        for (long part = 0; part < side % 5; ++part) {
            if ((part ^ side) & 1) sum += 5 * part;
            else sum -= part / 3;
        }
        return sum;
    }
};

namespace counting {

static inline long mixed(long value) {
    if (value % 3 == 0) return value * 7 + 1;
    return (value ^ (value >> 3)) + 11;
}

__attribute__((noinline)) static long rare(long value) {
    return value * 31 % 1000003;
}

__attribute__((noinline)) static long chosen(long value) {
    switch (value % 6) {
        case 0: return value + 1;
        case 1: return mixed(value);
        case 2: return mixed(value + 3) * 2;
        case 3: return value > 900 ? rare(value) : 4;
        case 4: return value << 2;
        default: return -value;
    }
}

__attribute__((noinline)) long recursion(long depth) {
    return depth < 2 ? 1 : recursion(depth - 1) + mixed(depth);
}

}  // namespace counting

int main(int argc, char** argv) {
    const Square square;
    const Cross cross;
    const Shape* shapes[] = {&square, &cross};
    long sum = 0;
    const long turns = argc > 1 ? atol(argv[1]) : 1500;
    for (long turn = 0; turn < turns; ++turn) {
        sum += counting::chosen(turn);
        sum ^= shapes[turn % 3 == 0]->area(turn);
        if (turn % 50 == 0) sum += counting::recursion(turn % 17);
    }
    std::printf("%ld\n", sum);
}
"""

TURNS = 700
STACK = 32


def build(scratch, name="prog", options=()):
    """Returns the path of the program."""
    source = os.path.join(scratch, "prog.cpp")
    with open(source, "w") as out:
        out.write(SOURCE)
    program = os.path.join(scratch, name)
    subprocess.run(["clang++-19", "-O2", "-g", "-fdebug-info-for-profiling", "-Wl,-q", "-Wl,--build-id=sha1",
                    *options, source, "-o", program], check=True)
    return program


def instructions(program):
    """Returns the address behind each instruction, by its address, which of them never go on there, and returns."""
    text = subprocess.run(["llvm-objdump-19", "-d", "--no-show-raw-insn", program], check=True, capture_output=True,
                          text=True).stdout
    starts, always, returns = [], set(), set()
    for line in text.splitlines():
        head, _, rest = line.partition(":")
        head = head.strip()
        if line.startswith(" ") and head and all(c in "0123456789abcdef" for c in head):
            starts.append(int(head, 16))
            if rest.strip().startswith(("jmp", "call", "ret")):
                always.add(starts[-1])
            if rest.strip().startswith("ret"):
                returns.add(starts[-1])
    return dict(zip(starts, starts[1:])), always, returns


def symbols(program):
    """Returns (address, size, name) of each function, sorted."""
    text = subprocess.run(["nm", "-S", "--defined-only", program], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return sorted((int(r[0], 16), int(r[1], 16), r[3]) for r in rows if len(r) == 4 and r[2] in "tTwW")


class Trace:
    """All branches of a run, as (from, to) in addresses of the process; other code is outside."""

    def __init__(self, program, arguments):
        self.program = program
        self.behind, self.always, self.returns = instructions(program)
        main = next(address for address, _, name in symbols(program) if name == "main")
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        libc.ptrace.restype = ctypes.c_long
        trace_me, peek, poke, go, step, get, put = 0, 1, 4, 7, 9, 12, 13
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            libc.ptrace(trace_me, 0, None, None)
            os.execv(program, [program, *arguments])
        self.pid = child
        os.waitpid(child, 0)
        self.maps = []
        with open(f"/proc/{child}/maps") as maps:
            for line in maps:
                parts = line.split()
                if len(parts) > 5 and os.path.realpath(parts[5]) == os.path.realpath(program):
                    begin, end = (int(x, 16) for x in parts[0].split("-"))
                    self.maps.append((begin, end - begin, int(parts[2], 16), parts[1]))
        self.base = min(begin for begin, *_ in self.maps) if main < 0x100000 else 0
        where = self.base + main
        word = libc.ptrace(peek, child, where, None) & (2**64 - 1)
        libc.ptrace(poke, child, where, (word & ~0xff) | 0xcc)
        libc.ptrace(go, child, None, None)
        os.waitpid(child, 0)
        libc.ptrace(poke, child, where, word)
        registers = (ctypes.c_ulonglong * 27)()
        rip = 16
        libc.ptrace(get, child, None, ctypes.addressof(registers))
        registers[rip] = where
        libc.ptrace(put, child, None, ctypes.addressof(registers))
        self.branches = []
        low, high = self.base + min(self.behind), self.base + max(self.behind.values())
        at, steps = where, 0
        while True:
            libc.ptrace(step, child, None, None)
            _, status = os.waitpid(child, 0)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                break
            libc.ptrace(get, child, None, ctypes.addressof(registers))
            now = registers[rip]
            steps += 1
            inside = low <= at < high
            jumped = now != self.base + self.behind.get(at - self.base, -1) or at - self.base in self.always
            if inside and jumped or not inside and low <= now < high:
                self.branches.append((at, now))
            at = now
            if not inside and not low <= now < high and steps > 2_000_000:
                os.kill(child, signal.SIGKILL)

    def stacks(self):
        """Yields the branches of each sample, oldest first."""
        for at in range(0, len(self.branches), STACK):
            yield self.branches[at:at + STACK]

    def missed(self, number):
        return number % 7 == 0

    def counts(self):
        """Returns what should be counted, by addresses of the file; None: outside."""
        def place(address):
            address -= self.base
            return address if address in self.behind else None

        taken, missed, ranges = Counter(), Counter(), Counter()
        number = 0
        for stack in self.stacks():
            for index, (start, to) in enumerate(stack):
                key = place(start), place(to)
                taken[key] += 1
                missed[key] += self.missed(number)
                number += 1
                if index + 1 < len(stack) and key[1] is not None and place(stack[index + 1][0]) is not None:
                    ranges[key[0], key[1], place(stack[index + 1][0])] += 1
        return taken, missed, ranges

    def write(self, path):
        """Writes the recording, as perf 6.1 would."""
        ip, tid, time, period, branches = 1, 2, 4, 1 << 8, 1 << 11
        flags = 1 << 5 | 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23  # exclude_kernel, mmap, comm, sample_id_all, mmap2
        attr = struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", 0, 128, 0, 1000, ip | tid | time | period | branches, 0, flags,
                           0, 0, 0, 0, 1 | 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        data = b""
        clock = 1_000_000

        def record(kind, body, misc=2):
            return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

        def padded(text):
            text = text.encode() + b"\0"
            return text + bytes(-len(text) % 8)

        trailer = struct.pack("<IIQ", self.pid, self.pid, clock)
        data += record(3, struct.pack("<II", self.pid, self.pid) + padded(os.path.basename(self.program)) + trailer)
        for begin, size, offset, mode in self.maps:
            if "x" not in mode:
                continue
            data += record(10, struct.pack("<IIQQQIIQQII", self.pid, self.pid, begin, size, offset, 8, 1, 7, 0, 5, 2) +
                           padded(self.program) + trailer)
        parts, number = [], 0
        for stack in self.stacks():
            clock += 1000
            entries = []
            for start, to in stack:
                entries.append(struct.pack("<QQQ", start, to, 1 if self.missed(number) else 2))
                number += 1
            body = struct.pack("<QIIQQQ", stack[-1][1], self.pid, self.pid, clock, 1000, len(stack))
            parts.append(record(9, body + b"".join(reversed(entries))))
        data += b"".join(parts)
        header = 104
        attrs = header
        start = attrs + len(attr) + 16
        with open(path, "wb") as out:
            out.write(b"PERFILE2" + struct.pack("<QQQQQQQQ", header, len(attr) + 16, attrs, len(attr) + 16, start,
                                                len(data), 0, 0) + bytes(32))
            out.write(attr + struct.pack("<QQ", 0, 0) + data)

    def write_script(self, path):
        """Writes the same as the text of `perf script -F ip,brstack --show-mmap-events`, for llvm-profgen."""
        with open(path, "w") as out:
            for begin, size, offset, mode in self.maps:
                if "x" not in mode:
                    continue
                out.write(f"{os.path.basename(self.program)} {self.pid} 1.0: PERF_RECORD_MMAP2 {self.pid}/{self.pid}: "
                          f"[{begin:#x}({size:#x}) @ {offset:#x} 08:01 7 0]: {mode} {self.program}\n")
            for stack in self.stacks():
                text = "  ".join(f"{start:#x}/{to:#x}/P/-/-/0" for start, to in reversed(stack))
                out.write(f"          {stack[-1][1]:x}  {text}\n")


def export(tool, form, recording, output, *options):
    """Runs the tool; returns what it said."""
    with open(output, "wb") as out:
        done = subprocess.run([tool, "export", "--allow-local", "--format", form, *options, recording], stdout=out,
                              stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"export --format {form} exits with {done.returncode}: {done.stderr}")
    return done.stderr
