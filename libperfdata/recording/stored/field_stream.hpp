// SPDX-License-Identifier: MIT
// The fields of a message of protobuf that is as long as a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/core/error.hpp"
#include "perfdata/recording/progress.hpp"
#include "perfdata/recording/source.hpp"

namespace perfdata::stored {

// ReadFailed is thrown with why a file cannot be read.
struct ReadFailed {
    Error error;
};

// FieldStream holds one block of the file. Its members throw ReadFailed.
class FieldStream {
  public:
    FieldStream(const perfdata::Source& source, std::string where, const Watch& watch)
        : source_(source), where_(std::move(where)), watch_(watch), size_(source.size()) {}

    // Field is the beginning of a field.
    struct Field {
        std::uint64_t number = 0;
        std::uint64_t bytes = 0;  // of its content; valid if has_bytes
        bool has_bytes = false;   // it is a message, or text
        std::uint64_t at = 0;     // offset of the field
    };

    bool at_end() const { return offset() == size_; }
    std::uint64_t size() const { return size_; }
    // next() reads the beginning of a field, and all of it if it has no bytes.
    Field next();
    // read(field, content) reads the bytes of the field, skip(field) steps over them.
    void read(const Field& field, std::string& content);
    void skip(const Field& field);

    [[noreturn]] void fail(ErrorCode code, std::uint64_t at, std::string detail) const {
        throw ReadFailed{{code, at, where_, std::move(detail)}};
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 10;

    std::uint64_t offset() const { return block_begin_ + at_; }
    std::uint8_t byte();
    std::uint64_t varint();
    void refill();
    void check_left(std::uint64_t bytes) const;

    const perfdata::Source& source_;
    std::string where_;
    const Watch& watch_;
    std::uint64_t size_;
    std::uint64_t block_begin_ = 0;  // offset of the block
    std::size_t at_ = 0;             // in the block
    std::vector<std::byte> block_;
};

}  // namespace perfdata::stored
