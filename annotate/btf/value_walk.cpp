// SPDX-License-Identifier: MIT
#include "value_walk.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace perfdata {
namespace {

constexpr std::uint64_t bits_a_byte = 8;

// BitPlace is where a value lies in the payload. Nothing at or behind `end` belongs to the struct around it.
struct BitPlace {
    std::uint64_t begin = 0, end = 0;  // in bits
    bool last = false;                 // nothing but more elements of it can follow, up to the end
};

class ValueWalk {
  public:
    ValueWalk(const TypeTable& types, Bytes payload, AnyOrder order, ValueSink& sink)
        : types_(types), payload_(payload), order_(order), sink_(sink), room_(8192 + 64 * payload.size()) {}

    ValueNotes run(std::uint32_t type) {
        const auto size = types_.size(type);
        const auto whole = std::max<std::uint64_t>(size.value_or(0), payload_.size());
        value(type, {0, whole * bits_a_byte, false}, 0, false, 0);
        return notes_;
    }

  private:
    static constexpr std::size_t cost_of_value = 24;

    // spend(cost) returns false from when the room for output is used up.
    bool spend(std::size_t cost) {
        notes_.cut = notes_.cut || cost > room_;
        if (notes_.cut) return false;
        room_ -= cost;
        return true;
    }
    // goes_on(cost) does the same in front of a member or an element, and says where it ends.
    bool goes_on(std::size_t cost) {
        const bool enough = spend(cost);
        if (!enough) sink_.left_out();
        return enough;
    }
    // A struct without a name is not one value in the one around it: its members are.
    void missing(std::uint64_t& counter, bool unnamed = false) {
        ++counter;
        if (unnamed) return sink_.left_out();
        sink_.unknown();
    }

    // has(at, bits): all of the value lies in the struct around it and in the payload. If not, it shows that.
    bool has(const BitPlace& at, std::uint64_t bits) {
        if (at.begin > at.end || bits > at.end - at.begin) {
            missing(notes_.beyond_record);
            return false;
        }
        if (at.begin + bits > payload_.size() * bits_a_byte) {
            missing(notes_.beyond_payload);
            return false;
        }
        return true;
    }

    // value(...) shows one value; `bits` is the width of a bit-field, 0 if it is none. `unnamed`: it is a member
    // without a name.
    void value(std::uint32_t id, const BitPlace& at, std::uint32_t bits, bool unnamed, int depth) {
        if (depth > TypeTable::deepest) return missing(notes_.too_deep, unnamed);
        const auto type = types_.solid(id);
        if (!type) return missing(notes_.untyped);
        switch (type->kind) {
            case BtfKind::integer: return integer(*type, at, bits);
            case BtfKind::enumeration:
            case BtfKind::enumeration64: return enumeration(*type, at, bits);
            case BtfKind::pointer: {
                if (const auto address = number(at, 64)) sink_.pointer(address->low);
                return;
            }
            case BtfKind::floating: return real(*type, at);
            case BtfKind::array: return array(*type, at, depth);
            case BtfKind::structure:
            case BtfKind::union_type: return record(*type, at, unnamed, depth);
            default: return missing(notes_.untyped);
        }
    }

    // number(at, bits) loads up to 128 bits; nothing if they are not there, which is shown then.
    std::optional<WideNumber> number(const BitPlace& at, std::uint32_t bits) {
        constexpr std::uint32_t widest = 128;
        if (bits == 0 || bits > widest) {
            missing(notes_.untyped);
            return {};
        }
        if (!has(at, bits)) return {};
        WideNumber result;
        if (at.begin % bits_a_byte == 0 && bits == 64) {
            result.low = order_.load<std::uint64_t>(payload_.data() + at.begin / bits_a_byte);
            return result;
        }
        const bool little = order_.endian() == std::endian::little;
        // Bits count from the least significant one of the first byte, or in big-endian order from the most
        // significant one.
        for (std::uint32_t index = 0; index < bits; ++index) {
            const auto bit = little ? at.begin + (bits - 1 - index) : at.begin + index;
            const auto byte = std::to_integer<unsigned>(payload_[static_cast<std::size_t>(bit / bits_a_byte)]);
            const auto in_byte = static_cast<unsigned>(bit % bits_a_byte);
            result.high = result.high << 1 | result.low >> 63;
            result.low = result.low << 1 | (byte >> (little ? in_byte : 7 - in_byte) & 1);
        }
        return result;
    }
    static WideNumber extended(WideNumber value, std::uint32_t bits) {
        value.is_signed = true;
        if (bits <= 64) {
            const auto unused = 64 - bits;
            const auto low = static_cast<std::int64_t>(value.low << unused) >> unused;
            return {low < 0 ? ~std::uint64_t{0} : 0, static_cast<std::uint64_t>(low), true};
        }
        const auto unused = 128 - bits;
        value.high = static_cast<std::uint64_t>(static_cast<std::int64_t>(value.high << unused) >> unused);
        return value;
    }
    void show(const WideNumber& value) {
        const bool negative = value.is_signed && value.high >> 63 != 0;
        if (value.high == 0) return sink_.number(value.low);
        if (negative && value.high == ~std::uint64_t{0} && value.low >> 63 != 0) {
            return sink_.negative(static_cast<std::int64_t>(value.low));
        }
        sink_.wide(value);
    }

    void integer(const TypeEntry& type, const BitPlace& at, std::uint32_t bits) {
        const auto how = types_.integer(type);
        const auto width = bits != 0 ? bits : static_cast<std::uint32_t>(std::min(type.word, 17u) * bits_a_byte);
        const auto value = number(at, width);
        if (!value) return;
        if (how.is_bool && value->high == 0 && value->low <= 1) return sink_.truth(value->low != 0);
        if (how.is_char && width == 8) return sink_.character(static_cast<char>(value->low), how.is_signed);
        show(how.is_signed ? extended(*value, width) : *value);
    }

    void enumeration(const TypeEntry& type, const BitPlace& at, std::uint32_t bits) {
        const auto width = bits != 0 ? bits : static_cast<std::uint32_t>(std::min(type.word, 9u) * bits_a_byte);
        if (width > 64) return missing(notes_.untyped);
        // Looking through the enumerators costs as well.
        if (!spend(type.count / 4u)) return sink_.unknown();
        const auto raw = number(at, width);
        if (!raw) return;
        const auto value = type.flag ? extended(*raw, width) : *raw;
        const auto name = types_.enumerator(type, value.low);
        if (name.empty()) return show(value);
        if (!spend(name.size())) return sink_.unknown();
        sink_.enumerator(name);
    }

    void real(const TypeEntry& type, const BitPlace& at) {
        const auto bytes = type.word;
        if (bytes == 4 || bytes == 8) {
            const auto bits = number(at, bytes * 8);
            if (!bits) return;
            if (bytes == 8) return sink_.real(std::bit_cast<double>(bits->low), false);
            return sink_.real(std::bit_cast<float>(static_cast<std::uint32_t>(bits->low)), true);
        }
        if (bytes == 0 || at.begin % bits_a_byte != 0) return missing(notes_.untyped);
        if (!has(at, std::uint64_t{bytes} * bits_a_byte)) return;
        if (!spend(2 * std::size_t{bytes})) return sink_.unknown();
        sink_.bytes(payload_.subspan(static_cast<std::size_t>(at.begin / bits_a_byte), bytes));
    }

    bool is_char(std::uint32_t id) const {
        const auto type = types_.solid(id);
        return type && type->kind == BtfKind::integer && type->word == 1 && types_.integer(*type).is_char;
    }

    void array(const TypeEntry& type, const BitPlace& at, int depth) {
        const auto elements = types_.elements(type);
        const auto size = types_.size(elements.type);
        if (!size) return missing(notes_.untyped);
        const auto stride = *size * bits_a_byte;
        std::uint64_t count = elements.count;
        // A flexible array has as many elements as there are bytes for: perhaps more than were written, as padding
        // follows a payload.
        if (count == 0 && stride != 0 && at.last && at.end > at.begin) {
            const auto end = std::min(at.end, payload_.size() * bits_a_byte);
            count = end > at.begin ? (end - at.begin) / stride : 0;
            notes_.flexible = true;
        }
        if (at.begin % bits_a_byte == 0 && is_char(elements.type)) return characters(at, count);
        sink_.begin_array();
        for (std::uint64_t index = 0; index < count; ++index) {
            if (!goes_on(cost_of_value)) break;
            const auto before = notes_.beyond_payload + notes_.beyond_record;
            const auto begin = at.begin + index * stride;
            value(elements.type, {begin, std::min(at.end, begin + stride), false}, 0, false, depth + 1);
            if (notes_.beyond_payload + notes_.beyond_record != before) break;  // nor is there anything behind it
        }
        sink_.end_array();
    }

    void characters(const BitPlace& at, std::uint64_t count) {
        const auto begin = at.begin / bits_a_byte;
        const auto in_record = at.end > at.begin ? (at.end - at.begin) / bits_a_byte : 0;
        const auto in_payload = payload_.size() > begin ? payload_.size() - begin : 0;
        const auto there = std::min({count, in_record, in_payload});
        if (there == 0 && count != 0) {
            has(at, bits_a_byte);
            return;
        }
        const auto bytes =
            there == 0 ? Bytes() : payload_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(there));
        const auto text = until_nul(bytes);
        // Characters that are no text take four times the room.
        if (!spend(4 * text.size())) return sink_.unknown();
        sink_.characters(text);
        if (text.size() == bytes.size()) {
            if (there < std::min(count, in_record)) ++notes_.beyond_payload;
            if (in_record < count) ++notes_.beyond_record;
            return;
        }
        const auto rest = bytes.subspan(text.size());
        notes_.behind_nul +=
            static_cast<std::uint64_t>(std::ranges::count_if(rest, [](std::byte b) { return b != std::byte{0}; }));
    }

    void record(const TypeEntry& type, const BitPlace& at, bool unnamed, int depth) {
        const auto size = std::uint64_t{type.word} * bits_a_byte;
        if (size > at.end - std::min(at.begin, at.end)) return missing(notes_.beyond_record, unnamed);
        if (size != 0 && at.begin >= payload_.size() * bits_a_byte) return missing(notes_.beyond_payload, unnamed);
        sink_.begin_record(type.kind == BtfKind::union_type, unnamed);
        bool behind = false;
        for (std::size_t index = 0; index < type.count; ++index) {
            const auto member = types_.member(type, index);
            if (!goes_on(cost_of_value + member.name.size())) break;
            if (at.begin + member.bit_offset >= payload_.size() * bits_a_byte && !is_flexible(member.type)) {
                ++notes_.beyond_payload;
                behind = true;
                continue;
            }
            const bool nameless = member.name.empty();
            if (!nameless || !is_record(member.type)) sink_.member(member.name);
            // A flexible array goes on behind the outermost struct, to the end of the payload.
            const bool last = depth == 0 && type.kind == BtfKind::structure && index + 1 == type.count;
            const BitPlace inside{at.begin + member.bit_offset,
                                  last && is_flexible(member.type) ? at.end : at.begin + size, last};
            value(member.type, inside, member.bits, nameless && is_record(member.type), depth + 1);
        }
        // Count members behind the end of the payload; do not show them one by one.
        if (behind) sink_.left_out();
        sink_.end_record(unnamed);
    }
    bool is_record(std::uint32_t id) const {
        const auto type = types_.solid(id);
        return type && type->is_record();
    }
    bool is_flexible(std::uint32_t id) const {
        const auto type = types_.solid(id);
        return type && type->kind == BtfKind::array && types_.elements(*type).count == 0;
    }

    const TypeTable& types_;
    Bytes payload_;
    AnyOrder order_;
    ValueSink& sink_;
    std::uint64_t room_;  // bytes of output that are left
    ValueNotes notes_;
};

}  // namespace

ValueNotes walk_value(const TypeTable& types, std::uint32_t type, Bytes payload, AnyOrder order, ValueSink& sink) {
    return ValueWalk(types, payload, order, sink).run(type);
}

std::uint64_t tail_padding(const TypeTable& types, std::uint32_t type) {
    const auto record = types.solid(type);
    if (!record || !record->is_record()) return 0;
    std::uint64_t used = 0;
    for (std::size_t index = 0; index < record->count; ++index) {
        const auto member = types.member(*record, index);
        const auto bits = member.bits != 0 ? member.bits : types.size(member.type).value_or(0) * bits_a_byte;
        used = std::max(used, member.bit_offset + bits);
    }
    const auto bytes = (used + bits_a_byte - 1) / bits_a_byte;
    return record->word > bytes ? record->word - bytes : 0;
}

}  // namespace perfdata
