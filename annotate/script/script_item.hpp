// SPDX-License-Identifier: MIT
// One sample as a line of a script.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/frame_at.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"
#include "perfdata/wire/sample.hpp"

namespace perfdata {

// is_bpf_output(attr) returns true for payloads of bpf_perf_event_output.
inline bool is_bpf_output(const Attr& attr) {
    constexpr std::uint64_t bpf_output = 10;  // PERF_COUNT_SW_BPF_OUTPUT
    return attr.type == attr_type::software && attr.config == bpf_output;
}

// ScriptItem refers to data that live as long as one call.
struct ScriptItem {
    // Members start as they are below, one by one: as an aggregate it would be filled with zeros first, which takes 4 %
    // of a script of tracepoints.
    ScriptItem(const RecordView& of, const SampleLayout& its_layout, const Event& its_event)
        : record(of), layout(its_layout), event(its_event) {}

    const RecordView& record;
    const SampleLayout& layout;  // of the event that wrote the record
    const Event& event;          // the event it counts for: a sample of a group's leader counts for each member
    Moment moment{};
    CpuMode mode = CpuMode::unknown;
    std::optional<Pid> pid{};
    std::optional<Tid> tid{};
    std::optional<std::uint32_t> cpu{};
    std::optional<Time> time{};
    std::uint64_t period = 0;
    std::string_view comm{};  // printable
    std::optional<Address> ip{};
    std::uint32_t place = 0;   // of the ip: number in ScriptPlaces; of JSON, and where code is filtered
    bool narrow_comm = false;  // the event records chains, and they are requested
    bool has_chain = false;    // the same, and some frames of them
    std::span<const std::uint32_t>
        chain{};  // of JSON: numbers in ScriptPlaces, or ScriptPlaces::left_out(); innermost first
    // Of text: the lines of the chain, or else what follows the ip.
    std::span<const std::string_view> lines{};
    std::string_view place_text{};
    bool whole_chain = true;              // its deferred part is present
    std::optional<StackEnd> stack_end{};  // how a copy of the user stack was unwound; nothing: there is none

    std::optional<Bytes> raw{};  // of text that shows it: the fields of a tracepoint

    std::optional<std::uint32_t> btf{};  // of the BPF program that wrote its payload: see PayloadTypes::of()

    bool is_bpf_output() const { return perfdata::is_bpf_output(event.attr); }
    Sample sample() const { return {record.bytes.data(), layout, record.order}; }
};

}  // namespace perfdata
