// SPDX-License-Identifier: MIT
#include "type_table.hpp"

#include <algorithm>
#include <utility>

namespace perfdata {
namespace {

constexpr std::string_view btf_where = "BTF";
constexpr std::size_t common_bytes = 12, between_looks = 65536;

// extra_bytes(kind, count) returns how many bytes of a type follow the common ones; nothing for an unknown kind.
std::optional<std::size_t> extra_bytes(BtfKind kind, std::size_t count) {
    switch (kind) {
        case BtfKind::integer:
        case BtfKind::variable:
        case BtfKind::declaration_tag: return 4;
        case BtfKind::array: return 12;
        case BtfKind::structure:
        case BtfKind::union_type:
        case BtfKind::section:
        case BtfKind::enumeration64: return 12 * count;
        case BtfKind::enumeration:
        case BtfKind::prototype: return 8 * count;
        case BtfKind::pointer:
        case BtfKind::forward:
        case BtfKind::alias:
        case BtfKind::is_volatile:
        case BtfKind::constant:
        case BtfKind::restricted:
        case BtfKind::function:
        case BtfKind::floating:
        case BtfKind::type_tag: return 0;
        case BtfKind::nothing: break;
    }
    return {};
}

std::unexpected<Error> btf_stopped() {
    return fail(ErrorCode::cancelled, Error::no_offset, std::string(btf_where), "asked to stop");
}

// The word behind the name: u16 count, u8 kind (five bits), and the flag in the highest bit.
BtfKind kind_in(std::uint32_t info) {
    return static_cast<BtfKind>(info >> 24 & 0x1f);
}

}  // namespace

// The header, struct btf_header in linux/btf.h:
//
//     0 u16 magic . 2 u8 version . 3 u8 flags . 4 u32 header size
//     8 u32 types offset . 12 u32 types size . 16 u32 strings offset . 20 u32 strings size   (from the header's end)
Result<TypeTable> TypeTable::parse(Bytes blob, std::string name, const StopToken& stop) {
    constexpr std::uint16_t number = 0xeb9f;
    const auto order = [&] {
        const AnyOrder own;
        return blob.size() >= 2 && own.load<std::uint16_t>(blob.data()) == byteswap(number)
                   ? AnyOrder(own.endian() == std::endian::little ? std::endian::big : std::endian::little)
                   : own;
    }();
    Cursor in(blob, order, {.where = btf_where});
    const auto magic = in.u16();
    in.skip(2);
    const auto header_size = in.u32();
    const auto types_offset = std::uint64_t{header_size} + in.u32();
    const auto types_size = in.u32();
    const auto strings_offset = std::uint64_t{header_size} + in.u32();
    const auto strings_size = in.u32();
    if (in.ok() && magic != number) {
        return fail(ErrorCode::malformed, 0, std::string(btf_where), name + ": no BTF magic at the start");
    }
    if (!in.ok()) return in.failure("the header of " + name);
    const auto part = [&](std::uint64_t offset, std::uint64_t size) {
        Cursor at(blob, order, {.where = btf_where});
        at.skip(offset);
        return at.bytes(size);
    };
    const auto types = part(types_offset, types_size), strings = part(strings_offset, strings_size);
    if (types.size() != types_size) return in.failure(name + ": its types");
    if (strings.size() != strings_size) return in.failure(name + ": its strings");
    TypeTable table(types, strings, order);
    if (auto done = table.index(types_offset, name, stop); !done) return fail(std::move(done.error()));
    if (auto done = table.resolve(stop); !done) return fail(std::move(done.error()));
    return table;
}

Result<void> TypeTable::index(std::uint64_t offset, const std::string& name, const StopToken& stop) {
    Cursor in(types_, order_, {.where = btf_where, .offset = offset});
    while (in.ok() && in.remaining() != 0) {
        const auto id = places_.size() + 1;
        if (id > most_types) {
            problem_ = Error{ErrorCode::limit, in.file_offset(), std::string(btf_where),
                             name + ": types behind the first " + std::to_string(most_types) + " are not read"};
            return {};
        }
        if (id % between_looks == 0 && stop.stop_requested()) return btf_stopped();
        const auto place = in.position();
        in.skip(4);
        const auto info = in.u32();
        in.skip(4);
        const auto extra = extra_bytes(kind_in(info), info & 0xffff);
        if (in.ok() && !extra) {
            problem_ = in.contradiction(name + ": type " + std::to_string(id) +
                                        " is of an unknown kind: it and those " + "behind it are not read")
                           .error();
            return {};
        }
        in.skip(extra.value_or(0));
        if (in.ok()) places_.push_back(static_cast<std::uint32_t>(place));
    }
    if (!in.ok()) problem_ = in.failure(name + ": type " + std::to_string(places_.size() + 1)).error();
    return {};
}

// resolve() follows each typedef once, so that values of it need not.
Result<void> TypeTable::resolve(const StopToken& stop) {
    constexpr std::uint32_t unknown = ~std::uint32_t{0}, on_the_way = unknown - 1;
    static_assert(most_types < on_the_way);
    const auto is = [&](std::uint32_t id, std::uint32_t state) {
        return id != 0 && id <= last() && solids_[id - 1] == state;
    };
    const auto next = [&](std::uint32_t id) { return word(types_.subspan(places_[id - 1]), 8); };
    solids_.assign(places_.size(), unknown);
    for (std::uint32_t first = 1; first <= last(); ++first) {
        if (first % between_looks == 0 && stop.stop_requested()) return btf_stopped();
        auto id = first;
        while (is(id, unknown)) {
            const bool goes_on = TypeEntry::is_transparent(kind_in(word(types_.subspan(places_[id - 1]), 4)));
            solids_[id - 1] = goes_on ? on_the_way : id;
            if (goes_on) id = next(id);
        }
        // Typedefs that lead to each other end nowhere, nor do those of an id that no type has.
        const auto end = id == 0 || id > last() || is(id, on_the_way) ? 0 : solids_[id - 1];
        for (id = first; is(id, on_the_way); id = next(id)) solids_[id - 1] = end;
    }
    return {};
}

std::string_view TypeTable::text(std::uint32_t offset) const {
    if (offset >= strings_.size()) return {};
    const auto rest = strings_.subspan(offset);
    return until_nul(rest.first(std::min(rest.size(), longest_name)));
}

std::optional<TypeEntry> TypeTable::entry(std::uint32_t id) const {
    if (id == 0 || id > places_.size()) return {};
    const auto at = types_.subspan(places_[id - 1]);
    const auto info = word(at, 4);
    TypeEntry entry{.kind = kind_in(info), .flag = info >> 31 != 0, .count = static_cast<std::uint16_t>(info)};
    entry.name = text(word(at, 0));
    entry.word = word(at, 8);
    entry.rest = at.subspan(common_bytes, *extra_bytes(entry.kind, entry.count));
    return entry;
}

TypeMember TypeTable::member(const TypeEntry& record, std::size_t index) const {
    const auto at = record.rest.subspan(12 * index, 12);
    const auto place = word(at, 8);
    TypeMember member{.name = text(word(at, 0)), .type = word(at, 4), .bit_offset = place};
    if (record.flag) {
        member.bit_offset = place & 0xffffff;
        member.bits = place >> 24;
        return member;
    }
    // Older compilers gave a bit-field an integer type of its own.
    const auto type = solid(member.type);
    if (!type || type->kind != BtfKind::integer) return member;
    const auto whole = integer(*type);
    if (whole.bit_offset != 0 || std::uint64_t{whole.bits} != std::uint64_t{type->word} * 8) {
        member.bits = whole.bits;
        member.bit_offset += whole.bit_offset;
    }
    return member;
}

// u32 type . u32 type of the index . u32 count
TypeElements TypeTable::elements(const TypeEntry& array) const {
    return {word(array.rest, 0), word(array.rest, 8)};
}

TypeInteger TypeTable::integer(const TypeEntry& integer) const {
    const auto info = word(integer.rest, 0);
    const auto encoding = info >> 24 & 0xf;
    // clang writes a char as a signed integer of that name.
    return {.is_signed = (encoding & 1) != 0,
            .is_char = (encoding & 2) != 0 || (integer.name == "char" && integer.word == 1),
            .is_bool = (encoding & 4) != 0,
            .bit_offset = info >> 16 & 0xff,
            .bits = info & 0xff};
}

// u32 name . u32 value, or its lower half . u32 upper half (of 64 bits only)
std::uint64_t TypeTable::enumerator_value(const TypeEntry& enumeration, std::size_t index) const {
    const bool wide = enumeration.kind == BtfKind::enumeration64;
    const auto at = enumeration.rest.subspan((wide ? 12 : 8) * index);
    auto value = std::uint64_t{word(at, 4)};
    if (wide) {
        value |= std::uint64_t{word(at, 8)} << 32;
    } else if (enumeration.flag) {
        value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
    }
    return value;
}
TypeEnumerator TypeTable::enumerator_at(const TypeEntry& enumeration, std::size_t index) const {
    const std::size_t bytes = enumeration.kind == BtfKind::enumeration64 ? 12 : 8;
    return {text(word(enumeration.rest.subspan(bytes * index), 0)), enumerator_value(enumeration, index)};
}

std::string_view TypeTable::enumerator(const TypeEntry& enumeration, std::uint64_t value) const {
    const auto bytes = enumeration.word;
    const auto mask = bytes >= 8 || bytes == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes * 8) - 1;
    for (std::size_t index = 0; index < enumeration.count; ++index) {
        if ((enumerator_value(enumeration, index) & mask) != (value & mask)) continue;
        return enumerator_at(enumeration, index).name;
    }
    return {};
}

std::optional<std::uint32_t> TypeTable::solid_id(std::uint32_t id) const {
    if (id == 0 || id > last() || solids_[id - 1] == 0) return {};
    return solids_[id - 1];
}

std::optional<TypeEntry> TypeTable::solid(std::uint32_t id) const {
    const auto found = solid_id(id);
    return found ? entry(*found) : std::nullopt;
}

std::optional<std::uint64_t> TypeTable::size(std::uint32_t id) const {
    std::uint64_t elements_so_far = 1;
    for (int depth = 0; depth < deepest; ++depth) {
        const auto type = solid(id);
        if (!type) return {};
        std::uint64_t bytes = 0;
        switch (type->kind) {
            case BtfKind::integer:
            case BtfKind::structure:
            case BtfKind::union_type:
            case BtfKind::enumeration:
            case BtfKind::enumeration64:
            case BtfKind::floating: bytes = type->word; break;
            case BtfKind::pointer: bytes = 8; break;  // BPF programs are of 64 bits, whatever their machine
            case BtfKind::array: {
                const auto array = elements(*type);
                if (__builtin_mul_overflow(elements_so_far, std::uint64_t{array.count}, &elements_so_far)) return {};
                id = array.type;
                continue;
            }
            default: return {};
        }
        if (__builtin_mul_overflow(elements_so_far, bytes, &bytes) || bytes > UINT32_MAX) return {};
        return bytes;
    }
    return {};
}

std::string TypeTable::spelled(std::uint32_t id) const {
    const auto type = entry(id);
    if (!type || type->name.empty()) return {};
    const auto name = std::string(type->name);
    switch (type->kind) {
        case BtfKind::structure: return "struct " + name;
        case BtfKind::union_type: return "union " + name;
        case BtfKind::enumeration:
        case BtfKind::enumeration64: return "enum " + name;
        default: return name;
    }
}

}  // namespace perfdata
