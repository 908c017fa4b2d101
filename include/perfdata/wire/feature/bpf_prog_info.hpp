// SPDX-License-Identifier: MIT
// BPF_PROG_INFO (25): the kernel's information about each BPF program: native code, addresses, lines.
// write_bpf_prog_info in tools/perf/util/header.c, bpf-utils.c; struct bpf_prog_info in include/uapi/linux/bpf.h.
#pragma once

#include <array>
#include <optional>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/record/bpf_event.hpp"

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
inline constexpr std::size_t bpf_array_count = 9;

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

struct BpfArrayData {
    BpfArrayState state = BpfArrayState::absent;
    std::uint64_t offset = 0;  // in `data`, as written
    std::uint32_t count = 0;   // as written
    std::size_t stride = 0;    // bytes per element, as written
    Bytes bytes;               // count * stride bytes if present
};

// BpfFunctionInfo, BpfLineInfo: elements of func_info and line_info.
struct BpfFunctionInfo {
    std::uint32_t instruction = 0;  // BPF instruction (8-byte unit) where the function begins
    std::uint32_t type_id = 0;      // BTF type of kind FUNC
};
struct BpfLineInfo {
    std::uint32_t instruction = 0;  // BPF instruction to which the line belongs
    std::uint32_t file_name = 0;    // offset in the BTF strings
    std::uint32_t text = 0;         // offset in the BTF strings: the source text of the line
    std::uint32_t line = 0;         // 0: no source
    std::uint32_t column = 0;
};

// BpfProgramInfo is a view of one program; it lives as long as the section's bytes.
struct BpfProgramInfo {
    std::uint64_t offset = 0;  // of the entry, in the file
    std::uint32_t type = 0;    // bpf_prog_type; see bpf_program_type_name
    ProgramId id;
    BpfTag tag{};
    std::uint32_t jited_size = 0;   // bytes of native code
    std::uint32_t xlated_size = 0;  // bytes of BPF instructions
    std::uint64_t load_time = 0;    // ns since boot
    std::uint32_t created_by_uid = 0;
    std::string_view name;  // at most 15 bytes: often truncated
    std::uint32_t btf_id = 0;
    std::uint64_t run_time_ns = 0;  // counted only while kernel.bpf_stats_enabled is set
    std::uint64_t run_count = 0;
    std::uint64_t recursion_misses = 0;
    std::uint32_t verified_instructions = 0;
    std::uint32_t attach_btf_object_id = 0;
    std::uint32_t attach_btf_id = 0;
    std::array<BpfArrayData, bpf_array_count> arrays{};
    AnyOrder order;

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

//     u32 count . count x { u32 info_len . u32 data_len . u64 arrays . info[info_len] . data[data_len] }, packed
//
// An array field of `info` is an offset into `data` if its bit in `arrays` is set; else it is meaningless.
class BpfProgramReader {
  public:
    explicit BpfProgramReader(Cursor in) : in_(in), left_(in_.u32()) {}

    // next() returns the next program, empty at the end; an error if data follow the last one. After an error the rest
    // of the section cannot be framed.
    Result<std::optional<BpfProgramInfo>> next();

  private:
    static constexpr std::size_t known_info_bytes = 232;

    static BpfProgramInfo decode(Bytes info, Bytes data, std::uint64_t arrays, AnyOrder order);
    static BpfArrayData place(Bytes data, std::uint64_t offset, std::uint32_t count, std::size_t stride,
                              std::size_t least_stride);
    static void mark_withheld(BpfProgramInfo& program);

    Cursor in_;
    std::uint32_t left_;
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

inline Result<std::optional<BpfProgramInfo>> BpfProgramReader::next() {
    if (!in_.ok()) return in_.failure("the program count");
    if (left_ == 0) {
        if (auto end = in_.nothing_left("program"); !end) return fail(std::move(end.error()));
        return std::nullopt;
    }
    if (!in_.fits(left_, 16)) return in_.failure("a table of " + std::to_string(left_) + " programs");
    --left_;
    const auto offset = in_.file_offset();
    const auto info_len = in_.u32();
    const auto data_len = in_.u32();
    const auto arrays = in_.u64();
    const auto info = in_.bytes(info_len);
    const auto data = in_.bytes(data_len);
    if (!in_.ok()) {
        return in_.failure("a program info of " + std::to_string(info_len) + " and its data of " +
                           std::to_string(data_len) + " bytes");
    }
    auto program = decode(info, data, arrays, in_.order());
    program.offset = offset;
    return program;
}

inline BpfArrayData BpfProgramReader::place(Bytes data, std::uint64_t offset, std::uint32_t count, std::size_t stride,
                                            std::size_t least_stride) {
    BpfArrayData array{BpfArrayState::absent, offset, count, stride, {}};
    if (count == 0) return array;
    const auto size = std::uint64_t{count} * stride;
    if (stride >= least_stride && offset <= data.size() && size <= data.size() - offset) {
        array.state = BpfArrayState::present;
        array.bytes = data.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
    } else {
        array.state = BpfArrayState::damaged;
    }
    return array;
}

// Without the permission to see addresses, the kernel zeroes the pointers of these four arrays together; the recorder
// then subtracts its buffer's address from zero and writes a huge "offset". A single one is damage.
inline void BpfProgramReader::mark_withheld(BpfProgramInfo& program) {
    constexpr BpfArray hidden[] = {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens,
                                   BpfArray::jited_line_info};
    for (const auto which : hidden) {
        const auto& array = program.array(which);
        if (array.state == BpfArrayState::present) return;
        if (array.state == BpfArrayState::damaged && array.offset >> 47 == 0) return;
    }
    for (const auto which : hidden) {
        auto& array = program.arrays[static_cast<std::size_t>(which)];
        if (array.state == BpfArrayState::damaged) array.state = BpfArrayState::withheld;
    }
}

inline BpfProgramInfo BpfProgramReader::decode(Bytes info, Bytes data, std::uint64_t arrays, AnyOrder order) {
    // A shorter info comes from an older kernel: the fields that it lacks are zero.
    std::array<std::byte, known_info_bytes> padded{};
    copy_bytes(info.first(least(info.size(), padded.size())), padded.data());
    const auto u32 = [&](std::size_t at) { return order.load<std::uint32_t>(padded.data() + at); };
    const auto u64 = [&](std::size_t at) { return order.load<std::uint64_t>(padded.data() + at); };

    BpfProgramInfo program;
    program.order = order;
    program.type = u32(0);
    program.id = {u32(4)};
    copy_bytes(Bytes(padded).subspan(8, program.tag.size()), program.tag.data());
    program.jited_size = u32(16);
    program.xlated_size = u32(20);
    program.load_time = u64(40);
    program.created_by_uid = u32(48);
    if (info.size() >= 80) program.name = until_nul(info.subspan(64, 16));
    program.btf_id = u32(128);
    program.run_time_ns = u64(192);
    program.run_count = u64(200);
    program.recursion_misses = u64(208);
    program.verified_instructions = u32(216);
    program.attach_btf_object_id = u32(220);
    program.attach_btf_id = u32(224);

    struct Place {
        BpfArray array;
        std::size_t offset_at, count_at, stride, least_stride;
    };
    const Place places[] = {
        {BpfArray::jited_insns, 24, 16, 1, 1},
        {BpfArray::xlated_insns, 32, 20, 1, 1},
        {BpfArray::map_ids, 56, 52, 4, 4},
        {BpfArray::jited_ksyms, 112, 104, 8, 8},
        {BpfArray::jited_func_lens, 120, 108, 4, 4},
        {BpfArray::func_info, 136, 144, u32(132), 8},
        {BpfArray::line_info, 152, 148, u32(172), 16},
        {BpfArray::jited_line_info, 160, 168, u32(176), 8},
        {BpfArray::prog_tags, 184, 180, 8, 8},
    };
    for (const auto& [array, offset_at, count_at, stride, least_stride] : places) {
        const auto index = static_cast<std::size_t>(array);
        if ((arrays >> index & 1) == 0) continue;
        program.arrays[index] = place(data, u64(offset_at), u32(count_at), stride, least_stride);
    }
    mark_withheld(program);
    return program;
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
