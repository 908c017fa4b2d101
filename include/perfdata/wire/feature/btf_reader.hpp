// SPDX-License-Identifier: MIT
// Reads BPF_BTF, blob by blob.
#pragma once

#include <optional>
#include <string>

#include "perfdata/core/cursor.hpp"
#include "perfdata/wire/feature/bpf_btf.hpp"

namespace perfdata {

//     u32 count . count x { u32 id . u32 size . data[size] }, packed
class BtfReader {
  public:
    explicit BtfReader(Cursor in) : in_(in), left_(in_.u32()) {}  // `in` is the section

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
