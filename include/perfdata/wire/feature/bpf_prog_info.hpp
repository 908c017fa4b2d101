// SPDX-License-Identifier: MIT
// BPF_PROG_INFO (25): the kernel's information about each BPF program: native code, addresses, lines.
// write_bpf_prog_info in tools/perf/util/header.c, bpf-utils.c; struct bpf_prog_info in include/uapi/linux/bpf.h.
#pragma once

#include <array>
#include <optional>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/identities.hpp"

namespace perfdata {

// The arrays of a program info, numbered as in the `arrays` bitmap.
enum class BpfArray : std::uint8_t {
    jited_insns,
    xlated_insns,
    map_ids,
    jited_ksyms,
    jited_func_lens,
    func_info,
    line_info,
    jited_line_info,
    prog_tags,
};
inline constexpr std::size_t bpf_array_count = 9;  // how many kinds of array there are

// to_string(array) returns the name of its field in struct bpf_prog_info.
constexpr std::string_view to_string(BpfArray array) {
    constexpr std::string_view names[] = {"jited_prog_insns", "xlated_prog_insns", "map_ids",
                                          "jited_ksyms",      "jited_func_lens",   "func_info",
                                          "line_info",        "jited_line_info",   "prog_tags"};
    return names[static_cast<std::size_t>(array)];
}

// BpfArrayState is whether an array of a program info can be read, and if not, why.
enum class BpfArrayState : std::uint8_t {
    absent,    // not requested by the recorder, or empty
    present,   // its bytes are inside the program's data
    withheld,  // hidden from the recorder by the kernel (kptr_restrict, no CAP_BPF): its address was zero
    damaged,   // its offset or count points outside the program's data, or its elements are too small
};

// BpfArrayData is the place of one array.
struct BpfArrayData {
    BpfArrayState state = BpfArrayState::absent;  // present, or why it cannot be read
    std::uint64_t offset = 0;                     // in `data`, as written
    std::uint32_t count = 0;                      // as written
    std::size_t stride = 0;                       // bytes per element, as written
    Bytes bytes;                                  // count * stride bytes if present
};

// BpfFunctionInfo, BpfLineInfo: elements of func_info and line_info.
struct BpfFunctionInfo {
    std::uint32_t instruction = 0;  // BPF instruction (8-byte unit) where the function begins
    std::uint32_t type_id = 0;      // BTF type of kind FUNC
};
// BpfLineInfo is the source line of the instructions from `instruction` up to the next one's.
struct BpfLineInfo {
    std::uint32_t instruction = 0;  // BPF instruction to which the line belongs
    std::uint32_t file_name = 0;    // offset in the BTF strings
    std::uint32_t text = 0;         // offset in the BTF strings: the source text of the line
    std::uint32_t line = 0;         // 0: no source
    std::uint32_t column = 0;       // from 1; 0: unknown
};

// BpfProgramInfo is a view of one program; it lives as long as the section's bytes.
struct BpfProgramInfo {
    std::uint64_t offset = 0;                 // of the entry, in the file
    std::uint32_t type = 0;                   // bpf_prog_type; see bpf_program_type_name
    ProgramId id;                             // as in BPF_EVENT
    BpfTag tag{};                             // of the whole program
    std::uint32_t jited_size = 0;             // bytes of native code
    std::uint32_t xlated_size = 0;            // bytes of BPF instructions
    std::uint64_t load_time = 0;              // ns since boot
    std::uint32_t created_by_uid = 0;         // of the user who loaded it
    std::string_view name;                    // at most 15 bytes: often truncated
    std::uint32_t btf_id = 0;                 // BtfBlob::id of its types; 0: none
    std::uint64_t run_time_ns = 0;            // counted only while kernel.bpf_stats_enabled is set
    std::uint64_t run_count = 0;              // calls, counted like run_time_ns
    std::uint64_t recursion_misses = 0;       // calls that were skipped because the program was running already
    std::uint32_t verified_instructions = 0;  // instructions that the verifier looked at
    std::uint32_t attach_btf_object_id = 0;  // id of the BTF of what it is attached to: the kernel, a module, a program
    std::uint32_t attach_btf_id = 0;         // BTF type of what it is attached to; 0: nothing with one
    std::uint32_t map_count = 0;             // how many maps it uses, also where map_ids() are absent
    std::array<BpfArrayData, bpf_array_count> arrays{};  // by BpfArray
    AnyOrder order;                                      // of the integers in the arrays

    // its place and state
    const BpfArrayData& array(BpfArray which) const { return arrays[static_cast<std::size_t>(which)]; }

    // jited_insns() returns the native code of all functions, concatenated in function order.
    Bytes jited_insns() const { return array(BpfArray::jited_insns).bytes; }
    ArrayView<std::uint64_t> jited_ksyms() const { return view<std::uint64_t>(BpfArray::jited_ksyms); }
    ArrayView<std::uint32_t> jited_func_lens() const { return view<std::uint32_t>(BpfArray::jited_func_lens); }
    ArrayView<std::uint32_t> map_ids() const { return view<std::uint32_t>(BpfArray::map_ids); }
    // jited_line_info()[k] is the address of the first native instruction of line_info(k).
    ArrayView<std::uint64_t> jited_line_info() const { return view<std::uint64_t>(BpfArray::jited_line_info); }
    std::size_t tags() const { return elements(BpfArray::prog_tags); }
    std::size_t functions() const { return elements(BpfArray::func_info); }
    std::size_t lines() const { return elements(BpfArray::line_info); }

    // The index must be below tags(), functions(), lines().
    BpfTag function_tag(std::size_t index) const;
    BpfFunctionInfo function_info(std::size_t index) const;
    BpfLineInfo line_info(std::size_t index) const;

  private:
    template <class T>
    ArrayView<T> view(BpfArray which) const {
        const auto& data = array(which);
        return {data.bytes, data.stride, order};
    }
    std::size_t elements(BpfArray which) const {
        const auto& data = array(which);
        return data.stride == 0 ? 0 : data.bytes.size() / data.stride;
    }
};

inline BpfTag BpfProgramInfo::function_tag(std::size_t index) const {
    BpfTag result{};
    const auto& data = array(BpfArray::prog_tags);
    copy_bytes(data.bytes.subspan(index * data.stride, result.size()), result.data());
    return result;
}

inline BpfFunctionInfo BpfProgramInfo::function_info(std::size_t index) const {
    const auto& data = array(BpfArray::func_info);
    const auto* at = data.bytes.data() + index * data.stride;
    return {order.load<std::uint32_t>(at), order.load<std::uint32_t>(at + 4)};
}

inline BpfLineInfo BpfProgramInfo::line_info(std::size_t index) const {
    const auto& data = array(BpfArray::line_info);
    const auto* at = data.bytes.data() + index * data.stride;
    const auto line_column = order.load<std::uint32_t>(at + 12);
    return {order.load<std::uint32_t>(at), order.load<std::uint32_t>(at + 4), order.load<std::uint32_t>(at + 8),
            line_column >> 10, line_column & 0x3ff};
}

// bpf_program_type_name(type) returns the name in enum bpf_prog_type, in lower case without BPF_PROG_TYPE_; empty if
// unknown.
constexpr std::string_view bpf_program_type_name(std::uint32_t type) {
    constexpr std::string_view names[] = {"unspec",
                                          "socket_filter",
                                          "kprobe",
                                          "sched_cls",
                                          "sched_act",
                                          "tracepoint",
                                          "xdp",
                                          "perf_event",
                                          "cgroup_skb",
                                          "cgroup_sock",
                                          "lwt_in",
                                          "lwt_out",
                                          "lwt_xmit",
                                          "sock_ops",
                                          "sk_skb",
                                          "cgroup_device",
                                          "sk_msg",
                                          "raw_tracepoint",
                                          "cgroup_sock_addr",
                                          "lwt_seg6local",
                                          "lirc_mode2",
                                          "sk_reuseport",
                                          "flow_dissector",
                                          "cgroup_sysctl",
                                          "raw_tracepoint_writable",
                                          "cgroup_sockopt",
                                          "tracing",
                                          "struct_ops",
                                          "ext",
                                          "lsm",
                                          "sk_lookup",
                                          "syscall",
                                          "netfilter"};
    return type < std::size(names) ? names[type] : std::string_view{};
}

}  // namespace perfdata
