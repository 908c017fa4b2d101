// SPDX-License-Identifier: MIT
// What makes rows of several recordings the same, and what becomes of their other members.
//
// The order of merging must not matter. So each combine() takes sums, the least, the most, or all bits; and what it
// compares by content is texts, numbers, lines of source and inlined calls: the order of these rows never depends on
// what else is merged, while that of objects, for example, does.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "unify.hpp"

namespace perfdata::stored {

struct MergeRules : PlainRules {
    using PlainRules::combine;
    using PlainRules::key;
    using PlainRules::normalise;

    static auto key(const Source& row) { return std::tuple<const std::string&>(row.content); }
    static void combine(Source& into, const Source& other);

    static void normalise(Event& row);
    static auto key(const Event& row) { return std::tuple(row.name); }
    static void combine(Event& into, const Event& other);

    static void normalise(Object& row);
    // Offsets in a kernel mean something else if it is not known where it began.
    static auto key(const Object& row) {
        return std::tuple<ObjectKindChoice, const std::string&, Ref<Text>, bool>(
            row.kind, row.build_id, row.build_id.empty() ? row.path : Ref<Text>(), row.base != 0);
    }
    static void combine(Object& into, const Object& other);

    static void normalise(Load& row);
    static auto key(const Load& row) { return std::tuple(row.tag, row.program_name); }
    static void combine(Load& into, const Load& other);

    static void normalise(Code& row);
    static auto key(const Code& row) { return std::tuple(row.kind, row.symbol, row.load, row.subprogram); }
    static void combine(Code& into, const Code& other);

    // Of each kind of function other members count; those that do not are nothing.
    using FunctionKey = std::tuple<FrameKindChoice, Ref<Object>, Ref<Code>, std::uint64_t, Ref<Text>, Ref<Text>,
                                   const std::string&, std::uint32_t>;
    static FunctionKey key(const Function& row);
    static void combine(Function& into, const Function& other);

    static void normalise(Version& row);

    static auto key(const Inlined& row) { return std::tuple(row.name, row.entry, row.object); }
    static void combine(Inlined& into, const Inlined& other);

    static auto key(const Frame& row) {
        return std::tuple(row.function, row.kind, row.object, row.code, row.number, row.offset, row.mode, row.version);
    }
    static void combine(Frame& into, const Frame& other);

    static auto key(const Cgroup& row) { return std::tuple(row.path, row.path ? std::uint64_t{0} : row.id); }
    static void combine(Cgroup& into, const Cgroup& other);

    static void normalise(Cell& row) { row.order = 0; }
};

// add(sum, more) adds facts whose references are into the same tables.
void add(Facts& sum, const Facts& more);

// is_same_event(one, other) returns true if two attrs of one name count the same: numbers of tracepoints and of the
// kinds of PMUs are each kernel's own.
bool is_same_event(const Event& one, const Event& other);

}  // namespace perfdata::stored
