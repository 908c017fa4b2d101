// SPDX-License-Identifier: MIT
// The types of a BTF blob. btf_types.cpp is the only file that includes libbpf.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "perfdata/core/types.hpp"

struct btf;

namespace perfdata {

// BtfType is one type, as include/uapi/linux/btf.h encodes it.
struct BtfType {
    enum class Kind : std::uint8_t {
        named,  // an integer, a float, a typedef, or a kind that this file does not know
        pointer,
        constant,
        is_volatile,
        restricted,
        tag,
        array,
        prototype,
        structure,
        union_type,
        forward,
        enumeration,
        function
    };
    enum class Linkage : std::uint8_t { internal, global, external };

    Kind kind = Kind::named;
    std::uint32_t name = 0;             // offset of its name
    std::uint32_t type = 0;             // id of the type it refers to; a prototype's: of the result
    std::uint32_t count = 0;            // parameters of a prototype
    bool is_union = false;              // a forward declaration's
    Linkage linkage = Linkage::global;  // a function's

    // Qualifiers and tags leave it open whether the type is a pointer.
    bool is_qualifier() const {
        return kind == Kind::constant || kind == Kind::is_volatile || kind == Kind::restricted || kind == Kind::tag;
    }
};

struct BtfParameter {
    std::uint32_t name = 0, type = 0;  // both 0: "..."
};

struct BtfArray {
    std::uint32_t type = 0, count = 0;  // of its elements
};

// BtfTypes holds the types that libbpf found to be valid: each lies within the blob, of which it keeps a copy. An id
// in a type may still lead anywhere. Const use from many threads is safe.
class BtfTypes {
  public:
    // parse(blob). Error: the errno of libbpf. It prints nothing.
    static std::expected<BtfTypes, int> parse(Bytes blob);

    // type(id) returns nothing if there is no such type, as for 0, which is void.
    std::optional<BtfType> type(std::uint32_t id) const;
    // parameter(id, index): the type is a prototype with more parameters than `index`.
    BtfParameter parameter(std::uint32_t id, std::uint32_t index) const;
    // array(id): the type is an array.
    BtfArray array(std::uint32_t id) const;
    // section(name, most) returns the offsets of the names of variables in a section (DATASEC), at most so many.
    std::vector<std::uint32_t> section(const char* name, std::size_t most) const;
    // text(offset, most) returns at most so many bytes of a string; empty if there is none.
    std::string_view text(std::uint32_t offset, std::size_t most) const;

  private:
    struct Free {
        void operator()(btf* types) const;
    };
    explicit BtfTypes(btf* types) : types_(types) {}

    std::unique_ptr<btf, Free> types_;
};

}  // namespace perfdata
