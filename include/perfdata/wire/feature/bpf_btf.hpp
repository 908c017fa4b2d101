// SPDX-License-Identifier: MIT
// BPF_BTF (26): the type information of the BPF programs, one raw BTF blob per id. write_bpf_btf in
// tools/perf/util/header.c.
#pragma once

#include <optional>

#include "perfdata/core/cursor.hpp"

namespace perfdata {

struct BtfBlob {
    std::uint32_t id = 0;      // BpfProgramInfo::btf_id
    std::uint64_t offset = 0;  // of the data in the file
    Bytes data;                // lives as long as the section; not checked
};

//     u32 count . count x { u32 id . u32 size . data[size] }, packed
class BtfReader {
  public:
    explicit BtfReader(Cursor in) : in_(in), left_(in_.u32()) {}

    // next() returns the next blob, empty at the end; an error if data follow the last one. After an error the rest of
    // the section cannot be framed.
    Result<std::optional<BtfBlob>> next() {
        if (!in_.ok()) return in_.failure("the count");
        if (left_ == 0) {
            if (auto end = in_.nothing_left("BTF blob"); !end) return fail(std::move(end.error()));
            return std::nullopt;
        }
        if (!in_.fits(left_, 8)) return in_.failure("a table of " + std::to_string(left_) + " BTF blobs");
        --left_;
        BtfBlob blob;
        blob.id = in_.u32();
        const auto size = in_.u32();
        blob.offset = in_.file_offset();
        blob.data = in_.bytes(size);
        if (!in_.ok()) return in_.failure("BTF " + std::to_string(blob.id) + " of " + std::to_string(size) + " bytes");
        return blob;
    }

  private:
    Cursor in_;
    std::uint32_t left_;
};

}  // namespace perfdata
