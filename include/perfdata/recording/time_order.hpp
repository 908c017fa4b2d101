// SPDX-License-Identifier: MIT
// What a first pass over a recording notes, so that a second one can return the records in order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/core/types.hpp"
#include "perfdata/recording/completeness.hpp"
#include "perfdata/recording/record_mark.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

class Recording;

// TimeOrder belongs to one recording: OrderedStream has the drawing. It holds 16 bytes for 4,096 records, at most
// 4 MiB of synthesized records and some thousand marks. It is const after its pass and may be read from many threads.
class PERFDATA_EXPORT TimeOrder {
  public:
    // A chunk is up to chunk_records consecutive records in one block of the stream.
    static constexpr std::size_t chunk_records = 4096;

    // read(recording) walks all records once. If `stop` ends the pass, the result is stopped() and worth nothing.
    static TimeOrder read(const Recording& recording, const StopToken& stop = {});

    bool stopped() const { return stopped_; }  // the pass was ended early
    // Later is how early records behind the first ones may be.
    struct Later {
        std::uint64_t records = 0;  // in this chunk and all before it
        Time least;                 // no record behind them is earlier, but those of time 0
    };
    // later() returns an entry for each chunk, in order of the file.
    std::span<const Later> later() const { return later_; }
    // synthesized() returns how many records have time 0, kept() how many of them, the first ones, are kept.
    std::uint64_t synthesized() const { return synthesized_; }
    std::size_t kept() const { return kept_.size(); }
    // kept(number, order) returns one of them; number < kept(). It lives as long as this.
    RecordView kept(std::size_t number, AnyOrder order) const {
        const auto& kept = kept_[number];
        return {Bytes(kept_bytes_).subspan(kept.begin, kept.size), order, kept.offset, kept.unpacked};
    }

    // problems() returns what RecordStream could not frame in the pass, payload_bytes() its count of data outside of
    // records.
    const DiagnosticLog& problems() const { return problems_; }
    std::uint64_t payload_bytes() const { return payload_bytes_; }

    // marks() returns places in order of the file at which passes in that order may begin: one every few hundred KiB,
    // or farther apart in large recordings. None if anything was damaged.
    std::span<const RecordMark> marks() const { return marks_; }

  private:
    friend class TimeOrderBuilder;
    static constexpr std::size_t most_marks = 2048;
    static constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;

    struct Kept {
        std::size_t begin, size;  // in kept_bytes_
        std::uint64_t offset;
        bool unpacked;
    };

    TimeOrder() = default;
    template <class Order>
    static TimeOrder read(const Recording& recording, const StopToken& stop, Order order);

    std::vector<Later> later_;
    std::vector<std::byte> kept_bytes_;
    std::vector<Kept> kept_;
    std::uint64_t synthesized_ = 0, payload_bytes_ = 0;
    std::vector<RecordMark> marks_;
    DiagnosticLog problems_;
    bool stopped_ = false;
};

}  // namespace perfdata
