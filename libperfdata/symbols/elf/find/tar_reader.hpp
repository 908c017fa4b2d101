// SPDX-License-Identifier: MIT
// Reads tar-balls, and what bzip2 packed, with libarchive.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/core/catch_bad_alloc.hpp"
#include "perfdata/core/cursor.hpp"
#include "perfdata/recording/source.hpp"

#include "libarchive.hpp"

namespace perfdata {

// ArchiveReader reads one source. It allows no other formats than the one asked for, no filters for which libarchive
// starts programs, and no packing in another one.
class ArchiveReader {
  public:
    // A plain tar-ball; only the headers of one, without reading the contents; what bzip2 packed, as one entry.
    enum class Kind : std::uint8_t { tar, heads, bzip2 };

    ArchiveReader(const Libarchive& library, const Source& source, Kind kind)
        : library_(library), source_(source), kind_(kind), archive_(library_.read_new()) {
        if (archive_ == nullptr) throw std::bad_alloc();
        // Without memory for one, archive_read_next_header() goes on with none.
        entry_ = library_.entry_new2(archive_);
        if (entry_ == nullptr) {
            library_.read_free(archive_);
            throw std::bad_alloc();
        }
        if (kind == Kind::bzip2) {
            library_.read_support_format_raw(archive_);
        } else {
            library_.read_support_format_tar(archive_);
        }
        const auto filter = kind == Kind::bzip2 ? ARCHIVE_FILTER_BZIP2 : ARCHIVE_FILTER_NONE;
        has_filter_ = library_.read_append_filter(archive_, filter) == ARCHIVE_OK;  // else: it would start a program
    }
    ArchiveReader(const ArchiveReader&) = delete;
    ArchiveReader& operator=(const ArchiveReader&) = delete;
    ~ArchiveReader() {
        library_.entry_free(entry_);
        library_.read_free(archive_);
    }

    bool open() {
        library_.read_set_read_callback(archive_, &ArchiveReader::read);
        if (kind_ == Kind::heads) library_.read_set_skip_callback(archive_, &ArchiveReader::skip_over);
        // archive_read_open() does not look whether this has failed.
        if (library_.read_set_callback_data(archive_, this) != ARCHIVE_OK) throw std::bad_alloc();
        return has_filter_ && library_.read_open1(archive_) == ARCHIVE_OK;
    }

    // Returns the next entry, which lives until the next call; null at the end or if it failed().
    archive_entry* next() {
        held_ = {};
        ended_ = false;
        if (any_ && library_.read_data_skip(archive_) < ARCHIVE_WARN) {
            failed_ = true;
            return nullptr;
        }
        any_ = true;
        next_at_ = offset();
        header_left_ = kind_ == Kind::bzip2 ? no_limit : most_header;
        int status = library_.read_next_header2(archive_, entry_);
        if (status == ARCHIVE_RETRY) {
            ++damaged_headers_;
            status = library_.read_next_header2(archive_, entry_);
        }
        if (status == ARCHIVE_WARN && !warns_of_locale()) ++damaged_headers_;
        header_left_ = no_limit;
        if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return entry_;
        failed_ = status != ARCHIVE_EOF;
        return nullptr;
    }

    // Reads more of the entry's content, without holes. Returns false at its end or if it failed().
    bool block(Bytes& bytes, std::uint64_t& offset) {
        gathered_.clear();
        while (gathered_.size() < block_bytes && (held_.data != nullptr || read_block())) {
            if (gathered_.empty()) offset = held_.offset;
            if (held_.offset != offset + gathered_.size()) break;  // behind a hole
            gathered_.insert(gathered_.end(), held_.data, held_.data + held_.size);
            held_ = {};
        }
        bytes = gathered_;
        return !gathered_.empty();
    }

    // Reads what is left of the entry, and calls look() after each part of it, which may throw.
    template <class Look>
    void skip(Look&& look) {
        if (!any_) return;
        Bytes bytes;
        std::uint64_t offset = 0;
        while (!failed_ && block(bytes, offset)) look();
    }

    bool failed() const { return failed_; }
    std::uint64_t offset() const { return offset_ - (filled_ - used_); }  // end of what was read from the source
    std::string why() const {
        if (error_) return error_->message();
        if (long_header_) return "a file has headers of more than " + std::to_string(most_header) + " bytes";
        const char* text = library_.error_string(archive_);
        return text != nullptr ? text : "cannot be read";
    }

    // Returns what was wrong with the source; nothing if it was the tar-ball.
    const std::optional<Error>& error() const { return error_; }
    // Returns where the content of the entry that next() returned begins.
    std::uint64_t content_at() const { return offset(); }
    // Returns where the entry that next() returned begins, with its headers; behind the last entry, where that ends.
    std::uint64_t entry_at() const { return next_at_; }

    // Returns how many headers had a wrong checksum, or attributes that cannot be read, so far.
    std::uint64_t damaged_headers() const { return damaged_headers_; }

    // Returns how many bytes were unpacked so far.
    std::uint64_t unpacked() const {
        return static_cast<std::uint64_t>(std::max<la_int64_t>(library_.filter_bytes(archive_, 0), 0));
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 10, tar_block = 512, head_bytes = 4096;
    static constexpr std::uint64_t no_limit = ~std::uint64_t{0};
    // Two names of 4096 bytes, attributes and the headers themselves take less. libarchive reads any number of access
    // rights in a time that is quadratic.
    static constexpr std::uint64_t most_header = std::uint64_t{16} << 10;

    struct Held {
        const std::byte* data = nullptr;  // libarchive's, until the next call
        std::size_t size = 0;
        std::uint64_t offset = 0;
    };

    // Names need not be in the characters of this process: we take their bytes.
    bool warns_of_locale() const {
        const char* text = library_.error_string(archive_);
        return text != nullptr && std::string_view(text).contains("can't be converted");
    }

    bool read_block() {
        const void* data = nullptr;
        la_int64_t at = 0;
        while (!ended_ && held_.size == 0) {
            const int status = library_.read_data_block(archive_, &data, &held_.size, &at);
            failed_ = failed_ || status < ARCHIVE_WARN;
            ended_ = status < ARCHIVE_WARN || status == ARCHIVE_EOF;
        }
        if (ended_) held_ = {};
        if (!ended_) {
            held_.data = static_cast<const std::byte*>(data);
            held_.offset = static_cast<std::uint64_t>(at);
        }
        return !ended_;
    }

    // Gives libarchive the next bytes; of a tar-ball one block, so that it never has more of one than it asked for.
    // Called from C: it must not throw.
    static la_ssize_t read(archive*, void* of, const void** data) noexcept {
        auto& reader = *static_cast<ArchiveReader*>(of);
        if (reader.used_ == reader.filled_) {
            const auto room = std::span(reader.buffer_).first(reader.kind_ == Kind::heads ? head_bytes : block_bytes);
            auto got = catch_bad_alloc([&] { return reader.source_.read_at(reader.offset_, room); });
            if (!got) {
                reader.error_ = std::move(got.error());
                return ARCHIVE_FATAL;
            }
            reader.offset_ += *got;
            reader.used_ = 0;
            reader.filled_ = *got;
        }
        const auto left = reader.filled_ - reader.used_;
        const auto given = reader.kind_ == Kind::bzip2 ? left : std::min(left, tar_block);
        if (reader.header_left_ != no_limit) {
            if (given > reader.header_left_) {
                reader.long_header_ = true;
                return ARCHIVE_FATAL;
            }
            reader.header_left_ -= given;
        }
        *data = reader.buffer_.data() + reader.used_;
        reader.used_ += given;
        return static_cast<la_ssize_t>(given);
    }

    // Steps over bytes of the source, without reading them. Called from C: it must not throw.
    static la_int64_t skip_over(archive*, void* of, la_int64_t wanted) noexcept {
        auto& reader = *static_cast<ArchiveReader*>(of);
        const auto at = reader.offset(), end = std::max(reader.source_.size(), at);
        const auto step = std::min(static_cast<std::uint64_t>(std::max<la_int64_t>(wanted, 0)), end - at);
        if (step <= reader.filled_ - reader.used_) {
            reader.used_ += static_cast<std::size_t>(step);
        } else {
            reader.offset_ = at + step;
            reader.used_ = reader.filled_ = 0;
        }
        return static_cast<la_int64_t>(step);
    }

    const Libarchive& library_;
    const Source& source_;
    Kind kind_;
    archive* archive_;
    archive_entry* entry_ = nullptr;
    bool has_filter_ = false;
    std::uint64_t offset_ = 0, header_left_ = no_limit, next_at_ = 0, damaged_headers_ = 0;
    bool any_ = false, ended_ = false, failed_ = false, long_header_ = false;
    Held held_;
    std::vector<std::byte> gathered_;
    std::optional<Error> error_;  // from reading the source
    std::size_t used_ = 0, filled_ = 0;
    std::array<std::byte, block_bytes> buffer_;
};

}  // namespace perfdata
