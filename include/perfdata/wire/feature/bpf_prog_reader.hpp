// SPDX-License-Identifier: MIT
// Reads BPF_PROG_INFO, program by program.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/feature/bpf_prog_info.hpp"

namespace perfdata {

//     u32 count . count x { u32 info_len . u32 data_len . u64 arrays . info[info_len] . data[data_len] }, packed
//
// An array field of `info` is an offset into `data` if its bit in `arrays` is set; else it is meaningless.
class BpfProgramReader {
  public:
    explicit BpfProgramReader(Cursor in) : in_(in), left_(in_.u32()) {}  // `in` is the section

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
    program.map_count = u32(52);
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

}  // namespace perfdata
