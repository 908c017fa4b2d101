// SPDX-License-Identifier: MIT
// Writes entries of BPF_PROG_INFO like perf.
#pragma once

#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "support/writer.hpp"

namespace perfdata::test {

// Offsets in struct bpf_prog_info (uapi bpf.h) of fields that tests set directly.
namespace info_field {
inline constexpr std::size_t type = 0, id = 4, tag = 8, jited_prog_len = 16, xlated_prog_len = 20, load_time = 40,
                             created_by_uid = 48, nr_map_ids = 52, name = 64, btf_id = 128, func_info_rec_size = 132,
                             line_info_rec_size = 172, jited_line_info_rec_size = 176, run_time_ns = 192, run_cnt = 200,
                             recursion_misses = 208, verified_insns = 216, attach_btf_obj_id = 220, attach_btf_id = 224;
}

// ProgramInfo builds one entry.
class ProgramInfo {
  public:
    static constexpr std::size_t known_info_len = 232;

    // Sets the record sizes of func_info, line_info and jited_line_info to 8, 16 and 8.
    ProgramInfo(std::endian order, std::uint32_t id);

    ProgramInfo& u32(std::size_t field, std::uint32_t value);
    ProgramInfo& u64(std::size_t field, std::uint64_t value);
    ProgramInfo& bytes(std::size_t field, Bytes content);

    // array(which, count, content) appends `content` to the data, padded to 8, and sets bit, offset and count.
    ProgramInfo& array(BpfArray which, std::uint32_t count, const Blob& content);
    // place(which, offset, count) sets bit, offset and count, regardless of the data.
    ProgramInfo& place(BpfArray which, std::uint64_t offset, std::uint32_t count);
    // clear_bit(which) keeps offset and count.
    ProgramInfo& clear_bit(BpfArray which);

    // encode(info_len) truncates the info, or extends it with 0xee bytes, like an older or a newer kernel.
    Blob encode(std::uint32_t info_len = known_info_len) const;

  private:
    Writer info_;
    Writer data_;
    std::uint64_t arrays_ = 0;
};

Blob prog_info_feature(std::endian order, const std::vector<Blob>& programs);

Blob array_u32(std::endian order, const std::vector<std::uint32_t>& values);
Blob array_u64(std::endian order, const std::vector<std::uint64_t>& values);

}  // namespace perfdata::test
