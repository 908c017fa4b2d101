// SPDX-License-Identifier: MIT
// Writes a row as a message of protobuf: its members are fields 1, 2, 3... What is 0, empty or nothing is left out.
#pragma once

#include <protozero/pbf_writer.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "row_refs.hpp"

namespace perfdata::stored {

template <class Row>
std::string encoded(const Row& row);

template <class Member>
void put_member(protozero::pbf_writer& message, protozero::pbf_tag_type field, const Member& member) {
    if constexpr (std::is_same_v<Member, bool>) {
        if (member) message.add_bool(field, true);
    } else if constexpr (std::is_integral_v<Member>) {
        if (member != 0) message.add_uint64(field, member);
    } else if constexpr (IsRef<Member>::value) {
        if (member) message.add_uint32(field, member.code());
    } else if constexpr (IsChoice<Member>::value) {
        if (member.value != 0) message.add_uint32(field, member.value);
    } else if constexpr (std::is_same_v<Member, std::string>) {
        if (!member.empty()) message.add_bytes(field, member);
    } else if constexpr (IsList<Member>::value) {
        using Item = typename Member::value_type;
        if constexpr (Nested<Item>) {
            for (const auto& item : member) message.add_message(field, encoded(item));
        } else if constexpr (IsRef<Item>::value) {
            std::vector<std::uint32_t> codes;
            for (const auto& item : member) codes.push_back(item.code());
            message.add_packed_uint32(field, codes.begin(), codes.end());
        } else {
            message.add_packed_uint64(field, member.begin(), member.end());
        }
    } else {
        static_assert(Nested<Member>);
        const auto part = encoded(member);
        if (!part.empty()) message.add_message(field, part);
    }
}

// encoded(row) returns the message.
template <class Row>
std::string encoded(const Row& row) {
    std::string bytes;
    protozero::pbf_writer message(bytes);
    protozero::pbf_tag_type field = 0;
    Row::visit(row, [&](const auto&... members) { (put_member(message, ++field, members), ...); });
    return bytes;
}

}  // namespace perfdata::stored
