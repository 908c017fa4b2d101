// SPDX-License-Identifier: MIT
// All records of a recording in file order, framed but not decoded, in constant memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "perfdata/recording/source.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// RecordStream reads the data section through one block of 256 KiB (measured: read(2) into such a block is twice as
// fast as a fresh mapping). Input that lies in memory is not copied.
class RecordStream {
  public:
    RecordStream(std::shared_ptr<const Source> source, AnyOrder order, std::uint64_t begin, std::uint64_t end);

    // next(record) is false at the end, and where no further record can be framed: then error() says why. The view
    // lives until the next call.
    bool next(RecordView& record) {
        const auto left = static_cast<std::size_t>(block_end_ - at_);
        if (left >= RecordHeader::bytes) {
            const auto size = order_.load<std::uint16_t>(at_ + 6);
            if (size >= RecordHeader::bytes && size <= left) [[likely]] {
                record.bytes = Bytes(at_, size);
                record.order = order_;
                record.offset = block_offset_ + static_cast<std::uint64_t>(at_ - block_begin_);
                at_ += size;
                if (order_.load<std::uint32_t>(record.bytes.data()) == auxtrace) [[unlikely]]
                    skip_payload(record);
                return true;
            }
        }
        return refill() && next(record);
    }

    const std::optional<Error>& error() const { return error_; }
    // payload_bytes() is the size of AUX data seen so far: it lies behind its record, outside the record's size.
    std::uint64_t payload_bytes() const { return payload_bytes_; }
    // offset() is the file offset up to which records have been framed.
    std::uint64_t offset() const { return block_offset_ + static_cast<std::uint64_t>(at_ - block_begin_); }

  private:
    static constexpr std::size_t block_bytes = std::size_t{256} << 10;
    static constexpr auto auxtrace = static_cast<std::uint32_t>(RecordType::auxtrace);

    bool refill();
    void skip_payload(const RecordView& record);
    bool stop(ErrorCode code, std::string detail);

    std::shared_ptr<const Source> source_;
    AnyOrder order_;
    std::uint64_t end_;           // file offset of the end of the data section
    std::uint64_t block_offset_;  // file offset of block_begin_
    std::vector<std::byte> block_;
    const std::byte* block_begin_ = nullptr;
    const std::byte* block_end_ = nullptr;
    const std::byte* at_ = nullptr;
    std::uint64_t payload_bytes_ = 0;
    std::optional<Error> error_;
};

}  // namespace perfdata
