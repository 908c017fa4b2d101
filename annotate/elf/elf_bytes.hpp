// SPDX-License-Identifier: MIT
// Encodes numbers and strings for ELF and DWARF.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "format/words.hpp"

namespace perfdata {

class ElfBytes {
  public:
    ElfBytes(std::endian order, bool wide) : order_(order), wide_(wide) {}

    void u8(std::uint64_t value) { number(value, 1); }
    void u16(std::uint64_t value) { number(value, 2); }
    void u32(std::uint64_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    // word(value) appends an address, offset or size of the class.
    void word(std::uint64_t value) { number(value, wide_ ? 8 : 4); }
    void uleb(std::uint64_t value) {
        do {
            const auto low = static_cast<unsigned char>(value & 0x7f);
            value >>= 7;
            bytes_ += static_cast<char>(value != 0 ? low | 0x80 : low);
        } while (value != 0);
    }
    void sleb(std::int64_t value) {
        while (true) {
            const auto low = static_cast<unsigned char>(value & 0x7f);
            value >>= 7;
            const bool last = (value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0);
            bytes_ += static_cast<char>(last ? low : low | 0x80);
            if (last) return;
        }
    }
    // text(value) appends the text up to its first NUL, and a NUL.
    void text(std::string_view value) { bytes_.append(value.substr(0, value.find('\0'))).push_back('\0'); }
    void raw(std::string_view value) { bytes_.append(value); }
    void align(std::size_t to) {
        while (bytes_.size() % to != 0) bytes_ += '\0';
    }
    // set_u32(at, value) fills in a value that was not known before.
    void set_u32(std::size_t at, std::uint64_t value) {
        ElfBytes other(order_, wide_);
        other.u32(value);
        bytes_.replace(at, 4, other.bytes_);
    }

    std::size_t size() const { return bytes_.size(); }
    const std::string& bytes() const { return bytes_; }

  private:
    void number(std::uint64_t value, unsigned size) {
        for (unsigned at = 0; at < size; ++at) {
            const auto shift = 8 * (order_ == std::endian::little ? at : size - 1 - at);
            bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
        }
    }

    std::endian order_;
    bool wide_;
    std::string bytes_;
};

// ElfTexts is a table of unique texts: any number of functions may share a name.
class ElfTexts {
  public:
    // offset_of(text) returns its offset in the table, up to its first NUL. The text must outlive the table.
    std::uint64_t offset_of(std::string_view text) {
        text = text.substr(0, text.find('\0'));
        const auto [place, added] = offsets_.try_emplace(text, bytes_.size());
        if (added) bytes_.append(text).push_back('\0');
        return place->second;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
    std::map<std::string_view, std::uint64_t, BeforeText> offsets_;
};

}  // namespace perfdata
