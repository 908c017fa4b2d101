// SPDX-License-Identifier: MIT
// Follows print_arg_pointer of libtraceevent, and lib/vsprintf.c of the kernel where that has more.
#include "trace_pointer.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "trace_masks.hpp"

namespace perfdata {
namespace {

bool has_letter(std::string_view letters, std::string_view text, std::size_t at) {
    return at < text.size() && letters.find(text[at]) != std::string_view::npos;
}

unsigned value_of(std::byte byte) {
    return std::to_integer<unsigned>(byte);
}

std::string ip4_text(Bytes bytes, bool zeros, bool reverse) {
    std::string text;
    for (std::size_t index = 0; index < 4; ++index) {
        const auto part = value_of(bytes[reverse ? 3 - index : index]);
        if (index != 0) text += '.';
        text += zeros ? fmt::format("{:03}", part) : fmt::format("{}", part);
    }
    return text;
}

std::string ip6_text(Bytes bytes, bool colons) {
    std::string text;
    for (std::size_t index = 0; index < 16; ++index) {
        if (colons && index != 0 && index % 2 == 0) text += ':';
        text += fmt::format("{:02x}", value_of(bytes[index]));
    }
    return text;
}

// The short form of RFC 5952, where the last four bytes of some kinds of addresses are written as IPv4.
std::string short_ip6_text(Bytes bytes) {
    std::array<unsigned, 8> words{};
    for (std::size_t index = 0; index < 8; ++index) {
        words[index] = value_of(bytes[2 * index]) << 8 | value_of(bytes[2 * index + 1]);
    }
    const bool mapped =
        std::all_of(words.begin(), words.begin() + 5, [](unsigned word) { return word == 0; }) && words[5] == 0xffff;
    const bool isatap = (words[4] | 0x0200) == 0x0200 && words[5] == 0x5efe;
    const std::size_t range = mapped || isatap ? 6 : 8;
    std::size_t longest = 1, gap = range;
    for (std::size_t first = 0; first < range; ++first) {
        auto end = first;
        while (end < range && words[end] == 0) ++end;
        if (end - first > longest) {
            longest = end - first;
            gap = first;
        }
    }
    std::string text;
    bool colon = false;
    for (std::size_t index = 0; index < range; ++index) {
        if (index == gap) {
            text += colon || index == 0 ? "::" : ":";
            colon = false;
            index += longest - 1;
            continue;
        }
        if (colon) text += ':';
        text += fmt::format("{:x}", words[index]);
        colon = true;
    }
    if (range == 6) {
        if (colon) text += ':';
        text += ip4_text(bytes.subspan(12), false, false);
    }
    return text;
}

// is_reversed("h", order): the lowest byte of the address comes first.
bool is_reversed(std::string_view text, std::size_t at, AnyOrder order) {
    return has_letter("l", text, at) || (has_letter("h", text, at) && order.endian() == std::endian::little);
}

std::string socket_text(std::string_view letters, Bytes bytes, const TracePlace& place, AnyOrder order) {
    constexpr std::uint16_t ip4 = 2, ip6 = 10;
    constexpr std::size_t ip4_bytes = 16, ip6_bytes = 28;
    if (bytes.size() < sizeof(std::uint16_t)) return {};
    std::size_t at = 2;
    bool port = false, is_short = false;
    for (; has_letter("pfsc", letters, at); ++at) {
        port = port || letters[at] == 'p';
        is_short = is_short || letters[at] == 'c';
    }
    const auto family = order.load<std::uint16_t>(bytes.data());
    const auto port_text = [&] { return fmt::format(":{}", value_of(bytes[2]) << 8 | value_of(bytes[3])); };
    if (family == ip4) {
        if (bytes.size() < ip4_bytes) return place.is_dynamic ? "" : "INVALIDIPv4";
        const auto text = ip4_text(bytes.subspan(4, 4), letters[0] == 'i', is_reversed(letters, at, order));
        return port ? text + port_text() : text;
    }
    if (family != ip6) return {};
    if (bytes.size() < ip6_bytes) return place.is_dynamic ? "" : "INVALIDIPv6";
    const auto address = bytes.subspan(8, 16);
    const auto text = is_short ? short_ip6_text(address) : ip6_text(address, letters[0] == 'I');
    return port ? '[' + text + ']' + port_text() : text;
}

std::string ip_text(std::string_view letters, const std::optional<TracePlace>& place, AnyOrder order) {
    const auto bytes = place ? place->bytes : Bytes();
    const bool capital = letters[0] == 'I';
    switch (letters[1]) {
        case '4':
            if (bytes.size() != 4) return "INVALIDIPv4";
            return ip4_text(bytes, !capital, is_reversed(letters, 2, order));
        case '6':
            if (bytes.size() != 16) return "INVALIDIPv6";
            return capital && has_letter("c", letters, 2) ? short_ip6_text(bytes) : ip6_text(bytes, capital);
        default: return place ? socket_text(letters, bytes, *place, order) : "";
    }
}

std::string mac_text(std::string_view letters, const std::optional<TracePlace>& place) {
    if (!place || place->bytes.size() != 6) return "INVALIDMAC";
    const std::string_view separator = letters[0] == 'm' ? "" : has_letter("F", letters, 1) ? "-" : ":";
    const bool reverse = has_letter("R", letters, 1);
    std::string text;
    for (std::size_t index = 0; index < 6; ++index) {
        if (index != 0) text += separator;
        text += fmt::format("{:02x}", value_of(place->bytes[reverse ? 5 - index : index]));
    }
    return text;
}

std::string uuid_text(std::string_view letters, const std::optional<TracePlace>& place) {
    constexpr std::array<std::size_t, 16> little{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    if (!place || place->bytes.size() != 16) return "INVALIDUUID";
    const bool is_little = has_letter("lL", letters, 1), capital = has_letter("BL", letters, 1);
    std::string text;
    for (std::size_t index = 0; index < 16; ++index) {
        const auto byte = value_of(place->bytes[is_little ? little[index] : index]);
        text += capital ? fmt::format("{:02X}", byte) : fmt::format("{:02x}", byte);
        if (index == 3 || index == 5 || index == 7 || index == 9) text += '-';
    }
    return text;
}

std::size_t internet_letters(std::string_view text) {
    std::size_t at = 2;
    if (has_letter("S", text, 1)) {
        while (has_letter("pfsc", text, at)) ++at;
        return has_letter("hnlb", text, at) ? at + 1 : at;
    }
    if (has_letter("4", text, 1)) return has_letter("hnlb", text, at) ? at + 1 : at;
    if (has_letter("6", text, 1)) return has_letter("c", text, at) ? at + 1 : at;
    return 1;
}

}  // namespace

std::size_t pointer_letters(std::string_view text) {
    if (text.empty()) return 0;
    switch (text[0]) {
        case 'F':
        case 'f':
        case 'S':
        case 's':
        case 'x':
        case 'K': return 1;
        case 'B':
            // "%pBb"; or the whole word of "%*pb", whose letter is small.
            return has_letter("b", text, 1) ? 2 : 1;
        case 'b': return has_letter("l", text, 1) ? 2 : 1;
        case 'M':
        case 'm': return has_letter("RF", text, 1) ? 2 : 1;
        case 'U': return has_letter("bBlL", text, 1) ? 2 : 1;
        case 'h': return has_letter("CDN", text, 1) ? 2 : 1;
        case 'I':
        case 'i': return internet_letters(text);
        default: return 0;
    }
}

void append_pointer(TraceWriter& writer, std::string_view letters, const TraceDirective& directive,
                    const TraceExpression& argument, const std::vector<TraceField>& fields, const TraceRecord& record) {
    const auto number = [&] { return argument.number(fields, record).bits; };
    const auto place = [&] { return argument.place(fields, record); };
    if (has_letter(code_letters, letters, 0)) {
        const bool with_offset = letters[0] != 'f' && letters[0] != 's';
        const auto address = number();
        std::string name;
        if (record.names != nullptr && record.names->append_symbol(name, address, with_offset)) {
            writer.plain(name);
        } else {
            writer.hex(address);
        }
        return;
    }
    switch (letters.empty() ? '\0' : letters[0]) {
        case 'M':
        case 'm': writer.plain(mac_text(letters, place())); break;
        case 'I':
        case 'i':
            if (letters.size() > 1) {
                writer.plain(ip_text(letters, place(), record.order));
            } else {
                writer.pointer(number());
            }
            break;
        case 'U': writer.plain(uuid_text(letters, place())); break;
        case 'h': {
            const auto found = place();
            const auto most = directive.width.value_or(1);
            if (!found) break;
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(most, found->bytes.size()));
            writer.bytes(found->bytes.first(size), has_letter("C", letters, 1)   ? ":"
                                                   : has_letter("D", letters, 1) ? "-"
                                                   : has_letter("N", letters, 1) ? ""
                                                                                 : " ");
            break;
        }
        case 'b': {
            const auto found = place();
            if (!found) break;
            writer.looked_at(found->bytes.size());
            const auto bits = directive.width.value_or(found->bytes.size() * 8);
            writer.plain(letters.size() > 1 ? mask_ranges(found->bytes, bits, record.order, record.long_size)
                                            : mask_digits(found->bytes, record.order, record.long_size));
            break;
        }
        default: writer.pointer(number());
    }
}

}  // namespace perfdata
