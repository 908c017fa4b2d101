// SPDX-License-Identifier: MIT
// What a profile file says of its recordings as a whole: where it is from, its events, what was lost.
//
// Each row has visit(row, take), which calls take(members...) with all of them. Reading, writing, checking and
// renumbering come from that alone. In the file a member's number is its place in this list: 1, 2, 3... So new members
// go to the end, and old ones stay.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"

#include "ref.hpp"

namespace perfdata::stored {

// Text is one of all texts, each once. Any bytes.
struct Text {
    std::string bytes;

    auto operator<=>(const Text&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.bytes);
    }
};

// Problem is an Error. `loss`: is_line_loss() and the like said so when the profile was made.
struct Problem {
    ErrorCodeChoice code = ErrorCode::missing;
    std::uint64_t offset = Error::no_offset;
    Ref<Text> where, detail;
    bool loss = false;
    bool kernel = false;  // of Symbolizer::problems(): the one that kernel_problem() returns

    auto operator<=>(const Problem&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.code, row.offset, row.where, row.detail, row.loss, row.kernel);
    }
};

// Source is one recording that is in the profile. Facts of all recordings together are those that all of them share:
// see shared_fact().
struct Source {
    std::string content;      // SHA-256 of what was recorded, 32 bytes: see docs/profile-format.md
    std::uint64_t times = 1;  // how often it was merged (--allow-duplicates)
    Ref<Text> hostname, os_release, perf_version, cpu_description;
    std::vector<Ref<Text>> command_line;
    std::uint64_t wall_time = 0;  // of its first sample, in nanoseconds since 1970; 0: unknown

    auto operator<=>(const Source&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.content, row.times, row.hostname, row.os_release, row.perf_version, row.cpu_description,
             row.command_line, row.wall_time);
    }
};

// Event is an event by its name, which is unique. Columns are in the order of the table: by position, then by name.
struct Event {
    std::uint32_t position = 0;  // its index in recording.events(); of several recordings the least
    Ref<Text> name;              // Event::name
    Ref<Text> perf_name;         // Event::perf_name
    std::string attr;            // Attr, as encode_attr() writes it
    // The name of the leader of its group, which is an event; nothing: it is in no group, or not in the same one in all
    // recordings. An event that leads names itself.
    Ref<Text> group_leader;
    Ref<Text> group_name;                               // EventGroups::Group::name
    std::uint64_t first_time = 0;                       // of its samples; 0: both not known, as after merging
    std::uint64_t last_time = 0;                        // likewise
    std::uint64_t counted = 0, lost = 0, filtered = 0;  // EventLosses: samples, lost, by_filter
    bool has_losses = false;                            // Completeness::losses has it
    bool from_zero = false;                             // its first sample was taken at time 0: that is known

    auto operator<=>(const Event&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.position, row.name, row.perf_name, row.attr, row.group_leader, row.group_name, row.first_time,
             row.last_time, row.counted, row.lost, row.filtered, row.has_losses, row.from_zero);
    }
};

// RecordSum is RecordCounts of one type of record.
struct RecordSum {
    std::uint32_t type = 0;
    std::uint64_t decoded = 0, skipped = 0, damaged = 0;

    auto operator<=>(const RecordSum&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.type, row.decoded, row.skipped, row.damaged);
    }
};

// Log is a DiagnosticLog: the first ones, in their order; merged: the least ones, sorted.
struct Log {
    std::uint64_t count = 0;
    std::vector<Problem> kept;

    auto operator<=>(const Log&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.count, row.kept);
    }
};

struct Object;

// SizeSum and ObjectSum are entries of the maps of UnwoundStacks.
struct SizeSum {
    std::uint64_t size = 0, stacks = 0, wanted = 0;  // of short_copies() and wanted_copies()

    auto operator<=>(const SizeSum&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.size, row.stacks, row.wanted);
    }
};
struct ObjectSum {
    Ref<Object> object;
    std::uint64_t stacks = 0;

    auto operator<=>(const ObjectSum&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.object, row.stacks);
    }
};

// PartialKind is why a profile has only a part of its recordings.
enum class PartialKind : std::uint8_t {
    limit,   // a limit was reached: a part of the samples lacks detail, which is a loss
    filter,  // the user wanted a part of the samples
};

// Partial is a part of the samples that lacks detail, or is not there.
struct Partial {
    PartialKindChoice kind = PartialKind::limit;
    Ref<Text> where, detail;  // what it is about, and a clause

    auto operator<=>(const Partial&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.kind, row.where, row.detail);
    }
};

// LeftOut is what was here when the profile was made and may not be in it, or source files whose text was not there.
struct LeftOut {
    Ref<Text> what;  // in words, which are the same for many of them
    std::uint64_t number = 0;

    auto operator<=>(const LeftOut&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.what, row.number);
    }
};

// Dimension is what a profile may keep (`profile --keep`), as bits of Facts::keeps.
enum class Dimension : std::uint8_t { comm, pid, tid, cpu, cgroup, object, symbol, line, chains, code };
inline constexpr std::size_t dimension_count = 10;
inline constexpr std::uint32_t all_dimensions = (1u << dimension_count) - 1;
constexpr std::uint32_t bit(Dimension dimension) {
    return 1u << static_cast<unsigned>(dimension);
}

// Facts is what there is once. Sums are sums over all recordings.
struct Facts {
    std::uint32_t keeps = all_dimensions;  // bits of Dimension
    Ref<Text> arch;                        // Recording::arch()
    Ref<Text> code_arch, code_arch_from;   // Architecture that find_architecture() told: name, and from where
    bool big_endian = false;
    bool merged = false;           // more than one recording, or one more than once: there are no times
    std::uint32_t max_stack = 0;   // chains have no more frames, see SampleCountOptions::max_stack; merged: the most
    std::vector<Partial> partial;  // sorted, each once
    // Completeness of the timeline's pass:
    std::uint64_t bytes_total = 0, bytes_records = 0, bytes_outside = 0, bytes_unread = 0;
    std::vector<RecordSum> records;  // by type
    std::uint64_t lost_events = 0, lost_samples = 0, filtered_samples = 0;
    bool counts_losses = false;
    Log diagnostics;
    // Of the counting:
    std::uint64_t chains_cut = 0, chains_broken = 0, chains_deep = 0, chains_folded = 0;  // ChainLosses
    std::uint64_t stacks = 0, stacks_not_unwound = 0;                                     // UnwoundStacks
    std::vector<std::uint64_t> stacks_by_end;                                             // by StackEnd
    std::vector<SizeSum> short_copies;                                                    // by size
    std::vector<ObjectSum> without_file, without_information;                             // by object
    std::uint64_t counters_unknown = 0, counters_went_back = 0, counters_not_kept = 0;    // CounterLosses
    std::uint64_t in_further_tasks = 0;
    std::vector<Problem> group_problems;  // EventGroups::diagnostics()
    // Of the symbolizer:
    bool has_build_ids = false;
    bool has_kernel_names = false;  // Symbolizer::kernel() is not null
    std::vector<Problem> name_problems, image_problems, inlined_problems, text_problem;
    Log losses;                     // Symbolizer::losses()
    std::vector<LeftOut> left_out;  // source files whose text is not in it; by what

    auto operator<=>(const Facts&) const = default;
    template <class Row, class Take>
    static void visit(Row& row, Take&& take) {
        take(row.keeps, row.arch, row.code_arch, row.code_arch_from, row.big_endian, row.merged, row.max_stack,
             row.partial, row.bytes_total, row.bytes_records, row.bytes_outside, row.bytes_unread, row.records,
             row.lost_events, row.lost_samples, row.filtered_samples, row.counts_losses, row.diagnostics,
             row.chains_cut, row.chains_broken, row.chains_deep, row.chains_folded, row.stacks, row.stacks_not_unwound,
             row.stacks_by_end, row.short_copies, row.without_file, row.without_information, row.counters_unknown,
             row.counters_went_back, row.counters_not_kept, row.in_further_tasks, row.group_problems, row.has_build_ids,
             row.has_kernel_names, row.name_problems, row.image_problems, row.inlined_problems, row.text_problem,
             row.losses, row.left_out);
    }
};

}  // namespace perfdata::stored
