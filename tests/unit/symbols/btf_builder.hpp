// SPDX-License-Identifier: MIT
// Builds valid and invalid BTF blobs. Layout: include/uapi/linux/btf.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/writer.hpp"

namespace perfdata::test {

class BtfBuilder {
  public:
    enum Kind : std::uint32_t {
        kind_int = 1,
        kind_ptr,
        kind_array,
        kind_struct,
        kind_union,
        kind_enum,
        kind_fwd,
        kind_typedef,
        kind_volatile,
        kind_const,
        kind_restrict,
        kind_func,
        kind_func_proto,
        kind_var,
        kind_datasec,
        kind_float,
        kind_decl_tag,
        kind_type_tag,
        kind_enum64,
    };
    enum Linkage : std::uint32_t { is_static, is_global, is_extern };

    struct Parameter {
        std::string name;
        std::uint32_t type = 0;
    };

    explicit BtfBuilder(std::endian order = std::endian::little) : types_(order), strings_(order) { strings_.u8(0); }

    // text(characters) returns their offset in the strings; the empty text is at 0.
    std::uint32_t text(std::string_view characters) {
        if (characters.empty()) return 0;
        const auto offset = static_cast<std::uint32_t>(strings_.size());
        strings_.text(characters).u8(0);
        return offset;
    }

    // Each returns the id of the new type; the first is 1, 0 is void.
    std::uint32_t integer(std::string_view name, std::uint32_t size = 4) {
        const auto id = type(kind_int, name, size);
        types_.u32(size * 8);
        return id;
    }
    // encoded("char", 1, encoded_char): an integer of that many bits, by default all of its bytes, at a bit offset.
    static constexpr std::uint32_t encoded_signed = 1, encoded_char = 2, encoded_bool = 4;
    std::uint32_t encoded(std::string_view name, std::uint32_t size, std::uint32_t encoding, std::uint32_t bits = 0,
                          std::uint32_t bit_offset = 0) {
        const auto id = type(kind_int, name, size);
        types_.u32(encoding << 24 | bit_offset << 16 | (bits == 0 ? size * 8 : bits));
        return id;
    }
    // record(kind, name, size, members): a struct or union. A bit-field sets the kflag, as newer compilers do.
    struct Member {
        std::string name;
        std::uint32_t type = 0, bit_offset = 0, bits = 0;
    };
    std::uint32_t record(Kind kind, std::string_view name, std::uint32_t size, const std::vector<Member>& members) {
        bool fields = false;
        for (const auto& member : members) fields = fields || member.bits != 0;
        const auto id = type(kind, name, size, static_cast<std::uint32_t>(members.size()), fields);
        for (const auto& member : members) {
            types_.u32(text(member.name)).u32(member.type).u32(member.bits << 24 | member.bit_offset);
        }
        return id;
    }
    // values(kind, name, size, {{"ONE", 1}}): an enum or enum64; is_signed is its kflag.
    std::uint32_t values(Kind kind, std::string_view name, std::uint32_t size,
                         const std::vector<std::pair<std::string, std::uint64_t>>& all, bool is_signed = false) {
        const auto id = type(kind, name, size, static_cast<std::uint32_t>(all.size()), is_signed);
        for (const auto& [word, value] : all) {
            types_.u32(text(word)).u32(static_cast<std::uint32_t>(value));
            if (kind == kind_enum64) types_.u32(static_cast<std::uint32_t>(value >> 32));
        }
        return id;
    }
    std::uint32_t floating(std::string_view name, std::uint32_t size = 8) { return type(kind_float, name, size); }
    std::uint32_t pointer(std::uint32_t to) { return type(kind_ptr, {}, to); }
    std::uint32_t constant(std::uint32_t of) { return type(kind_const, {}, of); }
    // refer(kind, name, to): typedef, volatile, restrict, type tag and similar kinds.
    std::uint32_t refer(Kind kind, std::string_view name, std::uint32_t to) { return type(kind, name, to); }
    std::uint32_t array(std::uint32_t of, std::uint32_t elements) {
        const auto id = type(kind_array, {}, 0);
        types_.u32(of).u32(of).u32(elements);
        return id;
    }
    // composite(...): a struct, union or enum without members. The kflag of a FWD means union.
    std::uint32_t composite(Kind kind, std::string_view name, bool kflag = false) {
        return type(kind, name, kind == kind_fwd ? 0 : 4, 0, kflag);
    }
    std::uint32_t enumeration(std::string_view name, const std::vector<std::string>& values) {
        const auto id = type(kind_enum, name, 4, static_cast<std::uint32_t>(values.size()));
        std::uint32_t next = 0;
        for (const auto& value : values) types_.u32(text(value)).u32(next++);
        return id;
    }
    std::uint32_t prototype(std::uint32_t result, const std::vector<Parameter>& parameters = {}) {
        const auto id = type(kind_func_proto, {}, result, static_cast<std::uint32_t>(parameters.size()));
        for (const auto& parameter : parameters) types_.u32(text(parameter.name)).u32(parameter.type);
        return id;
    }
    std::uint32_t function(std::string_view name, std::uint32_t prototype, std::uint32_t linkage = is_global) {
        return type(kind_func, name, prototype, linkage);
    }
    // type(...) writes the 12 bytes that all kinds share.
    std::uint32_t type(std::uint32_t kind, std::string_view name, std::uint32_t size_or_type, std::uint32_t vlen = 0,
                       bool kflag = false) {
        types_.u32(text(name)).u32(vlen | kind << 24 | (kflag ? 1u << 31 : 0u)).u32(size_or_type);
        return ++last_;
    }
    std::uint32_t next_id() const { return last_ + 1; }

    // Offsets of the header's fields, for manual damage.
    static constexpr std::size_t magic = 0, header_size = 4, types_offset = 8, types_size = 12, strings_offset = 16,
                                 strings_size = 20;

    Blob blob(std::uint32_t header_bytes = 24) const {
        const auto types = static_cast<std::uint32_t>(types_.size());
        const auto strings = static_cast<std::uint32_t>(strings_.size());
        Writer out(types_.order());
        out.u16(0xeb9f).u8(1).u8(0).u32(header_bytes).u32(0).u32(types).u32(types).u32(strings);
        out.zeros(header_bytes - 24);
        return out.bytes(types_.blob()).bytes(strings_.blob()).take();
    }

  private:
    Writer types_, strings_;
    std::uint32_t last_ = 0;
};

}  // namespace perfdata::test
