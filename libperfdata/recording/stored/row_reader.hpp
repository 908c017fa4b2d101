// SPDX-License-Identifier: MIT
// Reads a row from a message of protobuf, as row_writer.hpp writes it, and nothing else: fields ascend, and are known.
#pragma once

#include <cstdint>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "row_refs.hpp"

namespace perfdata::stored {

// BadRow is thrown for what is no row.
struct BadRow {
    std::string_view why;  // static storage
};

template <class Row>
void decode(protozero::data_view bytes, Row& row);

inline void want(const protozero::pbf_reader& message, protozero::pbf_wire_type type) {
    if (message.wire_type() != type) throw BadRow{"a field is of another type"};
}

template <class Number>
Number narrowed(std::uint64_t value) {
    if (value > std::numeric_limits<Number>::max()) throw BadRow{"a number is too large"};
    return static_cast<Number>(value);
}

// cleared(member) makes it what absent fields stand for, which is not always what a new row has.
template <class Member>
void clear_member(Member& member) {
    if constexpr (Nested<Member>) {
        Member::visit(member, [](auto&... members) { (clear_member(members), ...); });
    } else if constexpr (std::is_integral_v<Member>) {
        member = 0;
    } else {
        member = Member();
    }
}
template <std::uint8_t Count>
void clear_member(Choice<Count>& member) {
    member.value = 0;
}

template <class Member>
void get_member(protozero::pbf_reader& message, Member& member, bool again) {
    using protozero::pbf_wire_type;
    const auto number = [&] {
        want(message, pbf_wire_type::varint);
        return message.get_uint64();
    };
    constexpr bool repeats = [] {
        if constexpr (IsList<Member>::value) return Nested<typename Member::value_type>;
        return false;
    }();
    if (again && !repeats) throw BadRow{"a field is there twice"};
    if constexpr (std::is_same_v<Member, bool>) {
        const auto value = number();
        if (value > 1) throw BadRow{"a flag is neither 0 nor 1"};
        member = value == 1;
    } else if constexpr (std::is_integral_v<Member>) {
        member = narrowed<Member>(number());
    } else if constexpr (IsRef<Member>::value) {
        member = Member::of_code(narrowed<std::uint32_t>(number()));
    } else if constexpr (IsChoice<Member>::value) {
        const auto value = number();
        if (value >= Member::count) throw BadRow{"a number stands for nothing"};
        member.value = static_cast<std::uint8_t>(value);
    } else {
        want(message, pbf_wire_type::length_delimited);
        if constexpr (std::is_same_v<Member, std::string>) {
            member = message.get_string();
        } else if constexpr (IsList<Member>::value) {
            using Item = typename Member::value_type;
            if constexpr (Nested<Item>) {
                decode(message.get_view(), member.emplace_back());
            } else {
                for (const auto value : message.get_packed_uint64()) {
                    if constexpr (IsRef<Item>::value) {
                        member.push_back(Item::of_code(narrowed<std::uint32_t>(value)));
                        if (!member.back()) throw BadRow{"a list refers to nothing"};
                    } else {
                        member.push_back(narrowed<Item>(value));
                    }
                }
            }
        } else {
            decode(message.get_view(), member);
        }
    }
}

// decode(bytes, row) throws BadRow, and what protozero throws.
template <class Row>
void decode(protozero::data_view bytes, Row& row) {
    clear_member(row);
    protozero::pbf_reader message(bytes);
    protozero::pbf_tag_type last = 0;
    while (message.next()) {
        const auto field = message.tag();
        if (field < last) throw BadRow{"fields are not in their order"};
        const bool again = field == last;
        last = field;
        bool known = false;
        protozero::pbf_tag_type number = 0;
        Row::visit(row, [&](auto&... members) {
            ((++number == field ? (known = true, get_member(message, members, again)) : void()), ...);
        });
        if (!known) throw BadRow{"it has a field that this version does not know"};
    }
}

}  // namespace perfdata::stored
