#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares call chains, sample by sample and frame by frame.

    perf script --no-inline -F comm,tid,time,event,ip,sym,dso -i FILE >perf.txt
    perfdata script --allow-local -F comm,tid,time,event,ip,sym,dso FILE >ours.txt
    compare.py perf.txt ours.txt [-n EXAMPLES] [--at-least PERCENT]

Samples are aligned by thread, time and event. Each falls into one class:

    same        all frames are equal: address, object and name
    names       addresses and objects are equal, a name is not
    signal      equal but for the address of a signal's trampoline, where one is less by one: see below
    beyond      ours has all of perf's frames and more, and perf's end inside of a program: it gave up or its copy of
                the stack was too short
    skipped     ours has all of perf's frames, in their order, and between them frames that perf leaves out where the
                dynamic loader called or was called: see below
    longer      ours has more frames, though perf's end where programs and threads begin
    shorter     perf has more frames
    differ      a frame differs
    only perf's, only ours: samples that the other does not have
    unjudged    perf has no frames at all, as of i386 programs on x86-64

The first five are right. Exit status: 0 if at least PERCENT of the samples that perf judges are right, 1 if not.

What perf 6.1 does (with libunwind 1.6), and what is done about it:

* A caller's address is its return address less one. So is that of the trampoline to which a signal handler returns,
  which makes it the byte before, without a name. (The address of what the signal interrupted is exact.) A perf with
  libdw has the trampoline's own address and name. Ours may be either.
* Where the copy of the stack ends too early perf adds a frame ffffffffffffffff. Where code lies about its frame perf
  adds what it took for an address. Such last frames, which are in no code, are dropped on both sides.
* At a `ret` behind `pop` the description says that a register is saved below the stack pointer, where nothing is
  copied. perf ends there; ours is "beyond" if it keeps the register.
* Objects that were mapped before exec, too, at a lower address, are not unwound, as perf keeps old mappings: it ends,
  is wrong or leaves out frames there. The dynamic loader is such an object where programs are started by others.
* Entries of procedure linkage tables are often "@plt" or the function before; ours may be NAME@plt.
* If the first event has no data addresses (only --call-graph dwarf has), data is not in the recorded mappings, and perf
  finds no .eh_frame_hdr: one frame.
"""
import argparse
import collections
import re
import sys

# Functions in which the first frame of a process or of a thread lies.
OUTERMOST = {"_start", "_dl_start_user", "clone", "clone3", "__clone", "__clone3", "_dl_start", "__libc_start_main",
             "thread_start", "__thread_start", "ret_from_fork", "ret_from_fork_asm"}
TRAMPOLINES = {"__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn", "__vdso_rt_sigreturn",
               "__default_rt_sa_restorer", "__default_sa_restorer", "__kernel_sigtramp_rt64", "back_from_signal"}
NO_CODE = {"", "[unknown]", "[stack]", "[heap]", "//anon"}
LOADER = re.compile(r"/ld-linux[^/]*\.so[^/]*$|/ld-[0-9.]+\.so$|/ld\.so\.1$|/ld64\.so\.[12]$")
RIGHT = ("same", "names", "signal", "beyond", "skipped")
CLASSES = (*RIGHT, "longer", "shorter", "differ", "only perf's", "only ours", "unjudged")

Frame = collections.namedtuple("Frame", "address name object")
HEADER = re.compile(r"^(?P<comm>.*?)\s+(?P<tid>\d+(?:/\d+)?)\s+(?:\[\d+\]\s+)?(?P<time>\d+\.\d+):\s*(?:\d+\s+)?"
                    r"(?P<event>\S.*?):?\s*$")


def frame_of(line):
    """Parses "\t  163b nested (/bin/prog)"."""
    address, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if not rest.endswith(")"):
        return Frame(int(address, 16), rest, "")
    # Objects may end in " (deleted)", names may hold " (".
    start = rest.rfind(" (", 0, len(rest) - len(" (deleted))") if rest.endswith(" (deleted))") else len(rest))
    name = rest[:start] if start >= 0 else ""
    return Frame(int(address, 16), re.sub(r"\+0x[0-9a-f]+$", "", name), rest[start + 2:-1])


def samples_of(path):
    """Returns {(tid, time, event, number): (comm, [Frame])}, in the order of the file."""
    samples, seen, frames = {}, collections.Counter(), None
    with open(path, encoding="utf-8", errors="surrogateescape") as text:
        for line in text:
            line = line.rstrip("\n")
            if line.startswith((" ABI:", "#")) or not line.strip():
                continue
            if line.startswith("\t"):
                if frames is None:
                    raise SystemExit(f"{path}: a frame before the first sample: {line}")
                frames.append(frame_of(line))
                continue
            found = HEADER.match(line)
            if not found:
                raise SystemExit(f"{path}: neither a sample nor a frame: {line}")
            # perf aligns names of events to the right.
            base = (found["tid"], found["time"], found["event"].strip())
            seen[base] += 1
            frames = []
            samples[(*base, seen[base])] = (found["comm"].strip(), frames)
    return samples


def without_end(frames):
    """Drops last frames that are in no code."""
    end = len(frames)
    while end > 1 and (frames[end - 1].object in NO_CODE or frames[end - 1].address in (0, 0xffffffffffffffff)):
        end -= 1
    return frames[:end]


def same_place(perf, ours):
    return perf.address == ours.address and perf.object == ours.object


def at_signal(perf, ours):
    """Whether the frame is a signal's trampoline, and one's address is the byte before."""
    low, high = sorted((perf, ours), key=lambda frame: frame.address)
    return low.object == high.object and low.address + 1 == high.address and high.name in TRAMPOLINES


def same_name(perf, ours):
    """perf does not name all entries of a procedure linkage table: "@plt", or the function before."""
    return perf.name == ours.name or (ours.name.endswith("@plt") and perf.name in ("@plt", "_init", "[unknown]"))


def skips_in_loader(perfs, ours):
    """Whether ours has all of perf's frames, in their order and from the same first one on, and each frame that perf
    lacks is in the dynamic loader or called it."""
    at = 0
    for number, frame in enumerate(ours):
        if at < len(perfs) and same_place(perfs[at], frame):
            at += 1
        elif number == 0 or not (LOADER.search(frame.object) or LOADER.search(ours[number - 1].object)):
            return False
    return at == len(perfs)


def class_of(perfs, ours, limit):
    """Returns the class and the number of the first frame that is not the same."""
    perfs, ours = without_end(perfs), without_end(ours)
    if not perfs:
        return "unjudged", 0
    signal = named = None
    for at in range(min(len(perfs), len(ours))):
        if same_place(perfs[at], ours[at]):
            if not same_name(perfs[at], ours[at]) and named is None:
                named = at
        elif at > 0 and at_signal(perfs[at], ours[at]):
            signal = at if signal is None else signal
        else:
            return ("skipped" if skips_in_loader(perfs, ours) else "differ"), at
    if len(ours) > len(perfs):
        complete = perfs[-1].name in OUTERMOST
        return ("longer" if complete or len(perfs) >= limit else "beyond"), len(perfs)
    if len(ours) < len(perfs):
        return "shorter", len(ours)
    if signal is not None:
        return "signal", signal
    return ("same", 0) if named is None else ("names", named)


def show(key, comm, perfs, ours, at):
    tid, time, event, _ = key
    print(f"  {comm} {tid} {time} {event}: frame {at}; perf has {len(perfs)}, ours {len(ours)}")
    for number in range(max(0, at - 2), min(max(len(perfs), len(ours)), at + 3)):
        for who, frames in (("perf", perfs), ("ours", ours)):
            text = "-"
            if number < len(frames):
                text = f"{frames[number].address:x} {frames[number].name[:90]} ({frames[number].object})"
            print(f"    {'>' if number == at else ' '} {number:3} {who}  {text}")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("perf")
    options.add_argument("ours")
    options.add_argument("-n", "--examples", type=int, default=3, help="of each class that is not right (default 3)")
    options.add_argument("--all", action="store_true", help="examples of the right ones, too")
    options.add_argument("--at-least", type=float, default=100, metavar="PERCENT", help="default 100")
    options.add_argument("--strict-names", action="store_true", help="other names are wrong")
    options.add_argument("--max-stack", type=int, default=127, help="perf's limit of frames (default 127)")
    chosen = options.parse_args()
    perfs, ours = samples_of(chosen.perf), samples_of(chosen.ours)
    if not perfs:
        raise SystemExit(f"{chosen.perf}: no samples")

    counts, wrong_names, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    examples = collections.defaultdict(list)
    frames = 0
    for key, (comm, theirs) in perfs.items():
        if key not in ours:
            counts["only perf's"] += 1
            examples["only perf's"].append((key, comm, theirs, [], 0))
            continue
        own = ours[key][1]
        frames += len(theirs)
        kind, at = class_of(theirs, own, chosen.max_stack)
        counts[kind] += 1
        examples[kind].append((key, comm, theirs, own, at))
        for perf_frame, own_frame in zip(theirs, own):
            if same_place(perf_frame, own_frame) and not same_name(perf_frame, own_frame):
                wrong_names[(perf_frame.name, own_frame.name)] += 1
        if kind in ("longer", "shorter", "differ", "beyond"):
            callee = theirs[at - 1] if 0 < at <= len(theirs) else None
            reasons[(kind, callee.name if callee else "(none)", callee.object if callee else "")] += 1
    for key, (comm, own) in ours.items():
        if key not in perfs:
            counts["only ours"] += 1
            examples["only ours"].append((key, comm, [], own, 0))

    total = sum(counts.values()) - counts["unjudged"]
    right = sum(counts[kind] for kind in RIGHT) - (counts["names"] if chosen.strict_names else 0)
    share = 100 * right / total if total else 0
    print(f"{total} samples, {frames} frames of perf's; right: {right}, {share:.2f} %")
    for kind in CLASSES:
        if counts[kind]:
            percent = f" {100 * counts[kind] / total:7.2f} %" if kind != "unjudged" else ""
            print(f"  {kind:12} {counts[kind]:8}{percent}")
    if reasons:
        print("callers of these are not perf's (class, function, object):")
        for (kind, name, where), count in reasons.most_common(12):
            print(f"  {count:6} {kind:8} {name[:80]} ({where})")
    if wrong_names:
        print(f"names that differ: {sum(wrong_names.values())} frames (perf's, ours)")
        for (theirs, own), count in wrong_names.most_common(10):
            print(f"  {count:6} {theirs[:80]} | {own[:80]}")
    for kind in CLASSES:
        fine = kind in (*RIGHT, "unjudged") and not (kind == "names" and chosen.strict_names)
        if fine and not chosen.all:
            continue
        for number, example in enumerate(examples[kind][:chosen.examples]):
            if number == 0:
                print(f"{kind}:")
            show(*example)
    return 0 if total and share >= chosen.at_least else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        sys.exit(1)
