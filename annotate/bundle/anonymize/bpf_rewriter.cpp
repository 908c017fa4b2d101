// SPDX-License-Identifier: MIT
// The section BPF_PROG_INFO without names and sources.
#include <array>

#include "perfdata/wire/feature/bpf_prog_reader.hpp"

#include "bundle/anonymize/feature_rewriter.hpp"

namespace perfdata {
namespace {

constexpr std::size_t program_info_bytes = 232;

struct KeptArray {
    BpfArray array;
    std::size_t offset_at, count_at, element;  // in struct bpf_prog_info, and bytes
};
constexpr std::array kept_arrays = {
    KeptArray{BpfArray::jited_insns, 24, 16, 1},
    KeptArray{BpfArray::jited_ksyms, 112, 104, 8},
    KeptArray{BpfArray::jited_func_lens, 120, 108, 4},
    KeptArray{BpfArray::prog_tags, 184, 180, 8},
};

void write_program(const BpfProgramInfo& program, const Names& names, Tally& tally, ByteWriter& out) {
    ByteWriter data(out.order());
    std::array<std::pair<std::uint64_t, std::uint32_t>, kept_arrays.size()> places{};  // offset and count
    std::uint64_t bits = 0;
    for (std::size_t at = 0; at < kept_arrays.size(); ++at) {
        const auto& array = program.array(kept_arrays[at].array);
        if (array.state != BpfArrayState::present) continue;
        bits |= std::uint64_t{1} << static_cast<unsigned>(kept_arrays[at].array);
        places[at] = {data.size(), array.count};
        data.bytes(array.bytes);
        data.align(8);
    }
    if (const auto& lines = program.array(BpfArray::line_info); lines.state == BpfArrayState::present) {
        tally.add(Told::source_lines, lines.count);
    }
    const auto name = names.symbol(program.name);
    if (name != program.name) tally.add(Told::hashed_symbols);

    out.u32(program_info_bytes);
    out.u32(static_cast<std::uint32_t>(data.size()));
    out.u64(bits);
    const auto info = out.size();
    out.zeros(program_info_bytes);
    out.patch_u32(info, program.type);
    out.patch_u32(info + 4, program.id.value);
    out.patch_bytes(info + 8, program.tag);
    out.patch_u32(info + 16, program.jited_size);
    out.patch_u32(info + 20, program.xlated_size);
    out.patch_u64(info + 40, program.load_time);
    constexpr std::size_t longest = 15;
    out.patch_bytes(info + 64, as_bytes(std::string_view(name).substr(0, longest)));
    for (std::size_t at = 0; at < kept_arrays.size(); ++at) {
        if ((bits >> static_cast<unsigned>(kept_arrays[at].array) & 1) == 0) continue;
        out.patch_u64(info + kept_arrays[at].offset_at, places[at].first);
        out.patch_u32(info + kept_arrays[at].count_at, places[at].second);
    }
    out.patch_u64(info + 192, program.run_time_ns);
    out.patch_u64(info + 200, program.run_count);
    out.patch_u64(info + 208, program.recursion_misses);
    out.patch_u32(info + 216, program.verified_instructions);
    out.bytes(data.written());
}

}  // namespace

bool write_programs(Cursor in, std::size_t most, const Names& names, Tally& tally, ByteWriter& out) {
    const auto at_count = out.size();
    std::uint32_t count = 0;
    out.u32(0);
    BpfProgramReader reader(in);
    bool whole = true;
    for (;;) {
        const auto program = reader.next();
        whole = program.has_value();
        if (!whole || !*program) break;
        if (count == most) {
            whole = false;
            break;
        }
        write_program(**program, names, tally, out);
        ++count;
    }
    out.patch_u32(at_count, count);
    return whole;
}

}  // namespace perfdata
