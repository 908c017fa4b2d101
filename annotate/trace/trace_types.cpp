// SPDX-License-Identifier: MIT
#include "trace_types.hpp"

#include <algorithm>
#include <iterator>

namespace perfdata {
namespace {

constexpr std::uint8_t as_long = 0xff;  // the size of the recorded kernel's long
struct TypeName {
    std::string_view name;
    std::uint8_t bytes;
    bool is_signed;
};
constexpr TypeName type_names[] = {
    {"char", 1, true},          {"short", 2, true},
    {"int", 4, true},           {"long", as_long, true},
    {"unsigned", 4, false},     {"signed", 4, true},
    {"bool", 1, false},         {"_Bool", 1, false},
    {"void", 1, false},         {"u8", 1, false},
    {"u16", 2, false},          {"u32", 4, false},
    {"u64", 8, false},          {"s8", 1, true},
    {"s16", 2, true},           {"s32", 4, true},
    {"s64", 8, true},           {"__u8", 1, false},
    {"__u16", 2, false},        {"__u32", 4, false},
    {"__u64", 8, false},        {"__s8", 1, true},
    {"__s16", 2, true},         {"__s32", 4, true},
    {"__s64", 8, true},         {"__be16", 2, false},
    {"__be32", 4, false},       {"__be64", 8, false},
    {"__le16", 2, false},       {"__le32", 4, false},
    {"__le64", 8, false},       {"size_t", as_long, false},
    {"ssize_t", as_long, true}, {"loff_t", 8, true},
    {"sector_t", 8, false},     {"pid_t", 4, true},
    {"gfp_t", 4, false},        {"dev_t", 4, false},
    {"umode_t", 2, false},      {"uint", 4, false},
    {"ulong", as_long, false},  {"uint8_t", 1, false},
    {"uint16_t", 2, false},     {"uint32_t", 4, false},
    {"uint64_t", 8, false},     {"int8_t", 1, true},
    {"int16_t", 2, true},       {"int32_t", 4, true},
    {"int64_t", 8, true},       {"uintptr_t", as_long, false},
    {"blk_opf_t", 4, false},    {"const", 0, false},
    {"volatile", 0, false},     {"dma_addr_t", 8, false},
    {"phys_addr_t", 8, false},  {"ino_t", as_long, false},
};

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::optional<TraceType> trace_type(std::string_view text, std::uint8_t long_size) {
    TraceType type;
    bool any = false, is_unsigned = false, is_tag = false;
    for (std::size_t at = 0; at < text.size();) {
        if (is_blank(text[at])) {
            ++at;
            continue;
        }
        if (text[at] == '*') {
            if (!any) return {};
            const auto pointed = type.is_pointer ? TraceType{long_size, false, false, 0, false} : type;
            type = {long_size, false, true, pointed.bytes, pointed.is_signed && !is_unsigned};
            is_unsigned = false;
            ++at;
            continue;
        }
        auto end = at;
        while (end < text.size() && !is_blank(text[end]) && text[end] != '*') ++end;
        const auto word = text.substr(at, end - at);
        at = end;
        if (is_tag) {
            is_tag = false;
            continue;
        }
        if (word == "struct" || word == "union" || word == "enum") {
            is_tag = any = true;
            type.bytes = word == "enum" ? 4 : 0;
            type.is_signed = word == "enum";
            continue;
        }
        if (type.is_pointer && word != "const" && word != "volatile") return {};
        const auto* found = std::ranges::find(type_names, word, &TypeName::name);
        if (found == std::end(type_names)) return {};
        any = true;
        if (found->bytes == 0) continue;
        is_unsigned = is_unsigned || word == "unsigned";
        const auto bytes = found->bytes == as_long ? long_size : found->bytes;
        // "long long" has eight bytes on every machine; "int" adds nothing to "short" or "long".
        if (word == "long" && type.bytes == long_size && type.is_signed) {
            type.bytes = 8;
        } else if (word != "int" || type.bytes == 0) {
            type.bytes = bytes;
            type.is_signed = found->is_signed;
        }
    }
    if (!any || is_tag) return {};
    if (is_unsigned) type.is_signed = false;
    return type;
}

}  // namespace perfdata
