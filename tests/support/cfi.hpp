// SPDX-License-Identifier: MIT
// Writes call frame information. Shares no code with the decoder.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

// Instructions writes what a CIE or an FDE does: opcodes, and numbers of variable length.
class Instructions {
  public:
    Instructions() : Instructions(std::endian::little) {}
    explicit Instructions(std::endian order) : out_(order) {}

    Instructions& op(unsigned code) {
        out_.u8(static_cast<std::uint8_t>(code));
        return *this;
    }
    Instructions& uleb(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out_.u8(static_cast<std::uint8_t>(value | 0x80));
        return op(static_cast<unsigned>(value));
    }
    Instructions& sleb(std::int64_t value) {
        for (;; value >>= 7) {
            const auto low = static_cast<unsigned>(value & 0x7f);
            if (value >= -64 && value < 64) return op(low);
            op(low | 0x80);
        }
    }
    Instructions& u16(std::uint16_t value) {
        out_.u16(value);
        return *this;
    }
    Instructions& u32(std::uint32_t value) {
        out_.u32(value);
        return *this;
    }
    Instructions& u64(std::uint64_t value) {
        out_.u64(value);
        return *this;
    }
    // block(operations) writes an expression: its length first.
    Instructions& block(const Instructions& operations) {
        uleb(operations.blob().size());
        out_.bytes(operations.blob());
        return *this;
    }
    // The most usual ones.
    Instructions& advance(unsigned units) { return op(0x40 | units); }
    Instructions& offset(unsigned dwarf, std::uint64_t factor) { return op(0x80 | dwarf).uleb(factor); }
    Instructions& def_cfa(std::uint64_t dwarf, std::uint64_t offset) { return op(0x0c).uleb(dwarf).uleb(offset); }
    Instructions& def_cfa_offset(std::uint64_t offset) { return op(0x0e).uleb(offset); }

    const Blob& blob() const { return out_.blob(); }

  private:
    Writer out_;
};

// CfiBuilder writes a section and its table.
class CfiBuilder {
  public:
    struct Options {
        std::endian order = std::endian::little;
        bool wide_addresses = true;
        bool debug_frame = false;
        bool dwarf64 = false;
        std::uint64_t address = 0x10000;       // of the section
        std::uint64_t table_address = 0x8000;  // of .eh_frame_hdr
        std::uint64_t text_address = 0x1000, data_address = 0x20000;
    };
    struct Common {
        unsigned version = 1;
        std::string augmentation = "zR";
        std::uint64_t code_alignment = 1;
        std::int64_t data_alignment = -8;
        unsigned return_register = 16;
        unsigned encoding = 0x1b;  // relative to its place, 4 bytes with sign
        Instructions instructions = Instructions().def_cfa(7, 8).offset(16, 1);
        unsigned personality = 0x9b;  // encoding, if the augmentation has a P
        unsigned address_bytes = 8;   // in version 4
        Blob more_data{};             // of the augmentation
    };

    CfiBuilder() : CfiBuilder(Options()) {}
    explicit CfiBuilder(Options options) : options_(options), out_(options.order) {}

    // cie(common) returns its offset.
    std::size_t cie(const Common& common) {
        const auto at = out_.size();
        Writer body(options_.order);
        body.u8(static_cast<std::uint8_t>(common.version)).text(common.augmentation).u8(0);
        if (common.version == 4) body.u8(static_cast<std::uint8_t>(common.address_bytes)).u8(0);
        if (common.augmentation.starts_with("eh")) body.zeros(address_bytes());
        put(body, Instructions().uleb(common.code_alignment).sleb(common.data_alignment));
        if (common.version == 1) {
            body.u8(static_cast<std::uint8_t>(common.return_register));
        } else {
            put(body, Instructions().uleb(common.return_register));
        }
        if (common.augmentation.starts_with('z')) {
            Writer data(options_.order);
            for (const char letter : common.augmentation) {
                if (letter == 'L') data.u8(0x1b);
                if (letter == 'R') data.u8(static_cast<std::uint8_t>(common.encoding));
                if (letter == 'P') {
                    data.u8(static_cast<std::uint8_t>(common.personality));
                    data.zeros(size_of(common.personality));
                }
            }
            data.bytes(common.more_data);
            put(body, Instructions().uleb(data.size()));
            body.bytes(data.blob());
        }
        body.bytes(common.instructions.blob());
        entry(body, [&](std::size_t) { return options_.debug_frame ? UINT64_MAX : 0; });
        commons_.emplace_back(at, common);
        return at;
    }
    std::size_t cie() { return cie(Common()); }

    // fde(...) returns its offset. The CIE is one of this builder.
    std::size_t fde(std::size_t cie, std::uint64_t begin, std::uint64_t size, const Instructions& instructions = {}) {
        const auto at = out_.size();
        const auto& common = common_at(cie);
        Writer body(options_.order);
        if (options_.debug_frame) {
            address(body, begin);
            address(body, size);
        } else {
            const auto place = options_.address + at + header_bytes();
            number(body, common.encoding, begin - base(common.encoding, place));
            number(body, common.encoding & 0xf, size);
        }
        if (common.augmentation.starts_with('z')) {
            put(body, Instructions().uleb(common.augmentation.find('L') == std::string::npos ? 0 : 4));
            if (common.augmentation.find('L') != std::string::npos) body.zeros(4);
        }
        body.bytes(instructions.blob());
        entry(body, [&](std::size_t id_at) { return options_.debug_frame ? cie : id_at - cie; });
        table_.emplace_back(begin, at);
        return at;
    }
    CfiBuilder& terminator() {
        out_.u32(0);
        return *this;
    }
    CfiBuilder& bytes(const Blob& blob) {
        out_.bytes(blob);
        return *this;
    }

    const Options& options() const { return options_; }
    const Blob& section() const { return out_.blob(); }
    // table() returns .eh_frame_hdr, with the functions in the order in which they were added.
    Blob table() const {
        Writer out(options_.order);
        out.u8(1).u8(0x1b).u8(3).u8(0x3b);
        out.u32(static_cast<std::uint32_t>(options_.address - (options_.table_address + 4)));
        out.u32(static_cast<std::uint32_t>(table_.size()));
        for (const auto& [begin, at] : table_) {
            out.u32(static_cast<std::uint32_t>(begin - options_.table_address));
            out.u32(static_cast<std::uint32_t>(options_.address + at - options_.table_address));
        }
        return out.take();
    }

  private:
    std::size_t address_bytes() const { return options_.wide_addresses ? 8 : 4; }
    // Bytes from the begin of an entry to what follows its id.
    std::size_t header_bytes() const { return (options_.dwarf64 ? 12u : 4u) + id_bytes(); }
    std::size_t id_bytes() const { return options_.dwarf64 && options_.debug_frame ? 8 : 4; }
    const Common& common_at(std::size_t at) const {
        for (const auto& [offset, common] : commons_) {
            if (offset == at) return common;
        }
        return commons_.at(0).second;
    }
    static void put(Writer& out, const Instructions& numbers) { out.bytes(numbers.blob()); }
    std::size_t size_of(unsigned encoding) const {
        switch (encoding & 0xf) {
            case 2:
            case 0xa: return 2;
            case 3:
            case 0xb: return 4;
            case 4:
            case 0xc: return 8;
            default: return address_bytes();
        }
    }
    void address(Writer& out, std::uint64_t value) const {
        if (options_.wide_addresses) {
            out.u64(value);
        } else {
            out.u32(static_cast<std::uint32_t>(value));
        }
    }
    void number(Writer& out, unsigned encoding, std::uint64_t value) const {
        if ((encoding & 0xf) == 1) return put(out, Instructions().uleb(value));
        if ((encoding & 0xf) == 9) return put(out, Instructions().sleb(static_cast<std::int64_t>(value)));
        switch (size_of(encoding)) {
            case 2: out.u16(static_cast<std::uint16_t>(value)); break;
            case 4: out.u32(static_cast<std::uint32_t>(value)); break;
            default: out.u64(value);
        }
    }
    std::uint64_t base(unsigned encoding, std::uint64_t place) const {
        switch (encoding & 0x70) {
            case 0x10: return place;
            case 0x20: return options_.text_address;
            case 0x30: return options_.data_address;
            default: return 0;
        }
    }
    template <class Id>
    void entry(Writer& body, Id&& id) {
        while ((body.size() + id_bytes()) % 4 != 0) body.u8(0);  // DW_CFA_nop
        const auto length = body.size() + id_bytes();
        if (options_.dwarf64) {
            out_.u32(0xffffffff).u64(length);
        } else {
            out_.u32(static_cast<std::uint32_t>(length));
        }
        const auto value = id(out_.size());
        if (id_bytes() == 8) {
            out_.u64(value);
        } else {
            out_.u32(static_cast<std::uint32_t>(value));
        }
        out_.bytes(body.blob());
    }

    Options options_;
    Writer out_;
    std::vector<std::pair<std::size_t, Common>> commons_;
    std::vector<std::pair<std::uint64_t, std::size_t>> table_;
};

}  // namespace perfdata::test
