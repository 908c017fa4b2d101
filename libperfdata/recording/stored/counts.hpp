// SPDX-License-Identifier: MIT
// What a profile file counts: places, chains of them, tasks, and how often they were sampled.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "code.hpp"

namespace perfdata::stored {

// Inlined is a function that the compiler inlined somewhere: what FrameKind::inlined stands for.
struct Inlined {
    Ref<Text> name;
    std::uint64_t entry = 0;       // Frame::offset
    Ref<Object> object;            // of a Frame the same as the frame's
    Ref<Text> object_name;         // FrameName::object
    CodeClassChoice kind_of_code;  // FrameName::kind

    auto operator<=>(const Inlined&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.name, row.entry, row.object, row.object_name, row.kind_of_code);
    }
};

// Frame is a place that was sampled or that called something. In a function it has `function`, and its offset counts
// from there; else `kind` and what goes with it say where it is:
//
//   object    `object`, `offset` in the file (of the kernel: behind base)
//   code      `code`, `offset` from its start       (code that has no name; there is none today)
//   memory    `number` is the pid, `offset` the address
//   nowhere   `number` is the Miss, `offset` the address
//
// What was not told apart (`--keep` without symbol) has the offset 0.
struct Frame {
    Ref<Function> function;
    FrameKindChoice kind =
        frame_kind::nowhere;   // of the function if there is one; never inlined, jit only in a function
    Ref<Object> object;        // without a function
    Ref<Code> code;            // likewise
    std::uint32_t number = 0;  // likewise
    std::uint64_t offset = 0;
    CpuModeChoice mode;
    std::uint16_t version = 0;  // perfdata::Frame::version
    Ref<Nameless> nameless;     // without a function
    // What FunctionIndex::add_inlined() adds, outermost first: for the address itself, and for one that a call returns
    // to.
    std::vector<Ref<Inlined>> inlined, inlined_at_return;
    // The line at this byte, without a function: else the function's lines say it.
    Ref<SourcePlace> place;
    Ref<Call> calls;
    // None or one, without a function: why there is no line. `lines_from`: LinesOrigin::from then, see Lines::from.
    std::vector<Problem> line_problem;
    Ref<Text> lines_from;

    auto operator<=>(const Frame&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.function, row.kind, row.object, row.code, row.number, row.offset, row.mode, row.version, row.nameless,
             row.inlined, row.inlined_at_return, row.place, row.calls, row.line_problem, row.lines_from);
    }
};

// Node is a frame and the chain of its callers. A caller is an earlier row; rows ascend by (caller, frame, returns),
// and each is there once.
struct Node {
    Ref<Node> caller;      // nothing: the frame is outermost
    Ref<Frame> frame;      // never nothing
    bool returns = false;  // the frame is the address behind a call: SampleCounter::returns_to()

    auto operator<=>(const Node&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.caller, row.frame, row.returns);
    }
};

// Cgroup is a cgroup that samples name. Merged: one of each path; without a path, of each id.
struct Cgroup {
    Ref<Text> path;        // Tasks::cgroup(); nothing: not recorded
    std::uint64_t id = 0;  // merged: the least

    auto operator<=>(const Cgroup&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.path, row.id);
    }
};

// Task is a SampledTask with all that tells tasks apart. What is not kept is 0, or nothing.
struct Task {
    Ref<Text> comm;         // nothing: not known; then there is a tid, even if it is not kept
    std::uint32_t pid = 0;  // all ones: not recorded
    std::uint32_t tid = 0;  // likewise
    std::uint32_t cpu = 0;  // likewise
    Ref<Cgroup> cgroup;     // nothing: not recorded
    bool further = false;   // SampledTask::further()

    auto operator<=>(const Task&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.comm, row.pid, row.tid, row.cpu, row.cgroup, row.further);
    }
};

// Cell counts the samples of one event in one task and chain.
struct Cell {
    Ref<Task> task;
    Ref<Node> node;
    Ref<Event> event;
    std::uint64_t hits = 0;     // never 0
    std::uint64_t periods = 0;  // 2^64-1 if it is more
    // Cells were first seen in this order: counts that restore it give the same answer to every tie. Merged: 0.
    std::uint32_t order = 0;

    auto operator<=>(const Cell&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.task, row.node, row.event, row.hits, row.periods, row.order);
    }
};

// Branch counts the branches between two places that CallEdges::add_branches() needs: to the first byte of a named
// function, and no jumps.
struct Branch {
    Ref<Task> task;
    Ref<Event> event;
    Ref<Frame> from, to;
    bool entry = false;   // from user space to the kernel
    bool proven = false;  // certainly a call
    std::uint64_t times = 0;

    auto operator<=>(const Branch&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.task, row.event, row.from, row.to, row.entry, row.proven, row.times);
    }
};

}  // namespace perfdata::stored
