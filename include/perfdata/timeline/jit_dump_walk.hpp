// SPDX-License-Identifier: MIT
// Visits the records of a jitdump file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/wire/jitdump.hpp"

namespace perfdata {

// JitRecordReader frames the records of a dump, which must outlive it.
class PERFDATA_EXPORT JitRecordReader {
  public:
    // What it skips is counted in `completeness`, which must outlive it, too.
    JitRecordReader(const JitDump& dump, Completeness& completeness);

    // next() returns the next record, or as much of its beginning as its type needs; empty at the end. The bytes live
    // until the next call.
    std::optional<JitRecordView> next();

  private:
    // held(offset, size) returns that part of the file, which must not be beyond its end; shorter if it cannot be read.
    Bytes held(std::uint64_t offset, std::size_t size);
    void end(ErrorCode code, std::string detail);

    const JitDump& dump_;
    Completeness& completeness_;
    std::uint64_t at_ = 0;
    std::uint64_t size_ = 0;  // of the file
    std::vector<std::byte> block_;
    std::uint64_t block_at_ = 0;
    std::size_t block_size_ = 0;
};

template <class Visit, class Look>
void JitDump::walk(Completeness& completeness, Visit&& visit, Look&& look) const {
    JitRecordReader reader(*this, completeness);
    while (const auto record = reader.next()) {
        look();
        auto& counts = completeness.records[record->header.type];
        const auto decode = [&]<class R>() {
            const auto decoded = R::decode(*record);
            if (!decoded) {
                ++counts.damaged;
                completeness.diagnostics.add(decoded.error());
                return;
            }
            ++counts.decoded;
            visit(*record, *decoded);
        };
        with_jit_record_type(record->header.type, decode, [&] { ++counts.skipped; });
    }
}

}  // namespace perfdata
