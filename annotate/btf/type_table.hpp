// SPDX-License-Identifier: MIT
// The types in a BTF blob with all that values need: sizes, members, enumerators. include/uapi/linux/btf.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/core/error.hpp"
#include "perfdata/core/stop_token.hpp"

namespace perfdata {

// BtfKind is a kind of type; the numbers are those of the format.
enum class BtfKind : std::uint8_t {
    nothing,  // void
    integer,
    pointer,
    array,
    structure,
    union_type,
    enumeration,
    forward,
    alias,  // a typedef
    is_volatile,
    constant,
    restricted,
    function,
    prototype,
    variable,
    section,
    floating,
    declaration_tag,
    type_tag,
    enumeration64,
};

// TypeEntry is one type as the blob has it. Its views live as long as the blob.
struct TypeEntry {
    BtfKind kind = BtfKind::nothing;
    bool flag = false;           // a struct has bit-fields as newer compilers write them; an enum is signed
    std::uint16_t count = 0;     // members or enumerators
    std::string_view name = {};  // at most TypeTable::longest_name bytes; may be empty
    std::uint32_t word = 0;      // its size in bytes, or the id of the type it refers to
    Bytes rest = {};             // what follows the twelve bytes that all kinds have

    bool is_record() const { return kind == BtfKind::structure || kind == BtfKind::union_type; }
    bool is_enumeration() const { return kind == BtfKind::enumeration || kind == BtfKind::enumeration64; }
    // is_transparent() returns true for what only names or qualifies another type.
    bool is_transparent() const { return is_transparent(kind); }
    static bool is_transparent(BtfKind kind) {
        return kind == BtfKind::alias || kind == BtfKind::is_volatile || kind == BtfKind::constant ||
               kind == BtfKind::restricted || kind == BtfKind::type_tag;
    }
};

struct TypeMember {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t bit_offset = 0;
    std::uint32_t bits = 0;  // of a bit-field; 0: it is none
};

struct TypeElements {
    std::uint32_t type = 0, count = 0;
};

struct TypeInteger {
    bool is_signed = false, is_char = false, is_bool = false;
    std::uint32_t bit_offset = 0, bits = 0;
};

struct TypeEnumerator {
    std::string_view name;
    std::uint64_t value = 0;  // of a signed enum extended to all bits
};

// TypeTable indexes a blob, which must outlive it. It is read with the bounded cursor: an id, name or size in the blob
// may be anything. It costs eight bytes for each type.
class TypeTable {
  public:
    static constexpr std::size_t longest_name = 256;
    // More types than the kernel has by far. Those behind it are not known.
    static constexpr std::size_t most_types = std::size_t{1} << 22;

    // parse(blob, name): the byte order is that of the magic number, `name` is for errors. Errors: malformed,
    // truncated, cancelled.
    static Result<TypeTable> parse(Bytes blob, std::string name, const StopToken& stop = {});

    // problem() returns why types behind some id are not known; nothing if all are.
    const std::optional<Error>& problem() const { return problem_; }

    // Ids go from 1 to last(). Id 0 is void.
    std::uint32_t last() const { return static_cast<std::uint32_t>(places_.size()); }
    // entry(id) returns nothing for an id that no type has.
    std::optional<TypeEntry> entry(std::uint32_t id) const;

    // The entry is of that kind, and the index below its count.
    TypeMember member(const TypeEntry& record, std::size_t index) const;
    TypeElements elements(const TypeEntry& array) const;
    TypeInteger integer(const TypeEntry& integer) const;
    TypeEnumerator enumerator_at(const TypeEntry& enumeration, std::size_t index) const;
    std::uint64_t enumerator_value(const TypeEntry& enumeration, std::size_t index) const;
    // enumerator(enumeration, value) returns the name of the first one with that value, cut to the width of the enum;
    // empty if there is none.
    std::string_view enumerator(const TypeEntry& enumeration, std::uint64_t value) const;

    // solid(id) returns the type behind typedefs, qualifiers and tags, however many; nothing if they end nowhere.
    // solid_id(id) returns the id of it.
    std::optional<TypeEntry> solid(std::uint32_t id) const;
    std::optional<std::uint32_t> solid_id(std::uint32_t id) const;
    // size(id) returns the bytes of a value; nothing for types that have none, or too many.
    std::optional<std::uint64_t> size(std::uint32_t id) const;
    // spelled(id) returns "struct event", "event_t", "unsigned int"; empty if it has no name.
    std::string spelled(std::uint32_t id) const;

    // Types nest no deeper than this.
    static constexpr int deepest = 32;

  private:
    TypeTable(Bytes types, Bytes strings, AnyOrder order) : types_(types), strings_(strings), order_(order) {}

    Result<void> index(std::uint64_t offset, const std::string& name, const StopToken& stop);
    Result<void> resolve(const StopToken& stop);
    std::string_view text(std::uint32_t offset) const;
    std::uint32_t word(Bytes bytes, std::size_t at) const { return order_.load<std::uint32_t>(bytes.data() + at); }

    Bytes types_, strings_;
    AnyOrder order_;
    std::vector<std::uint32_t> places_;  // of each type in types_, by id - 1
    std::vector<std::uint32_t> solids_;  // the solid type of each, by id - 1; 0: it has none
    std::optional<Error> problem_;
};

}  // namespace perfdata
