// SPDX-License-Identifier: MIT
#include "trace_raw_fields.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace perfdata {
namespace {

bool is_shown_as_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r'); });
}

}  // namespace

void append_raw_field(TraceWriter& writer, const TraceField& field, const TraceRecord& record) {
    if (field.count != 0) {
        const auto bytes = field_bytes(field, record);
        if (field.is_bytes && is_shown_as_text(until_nul(bytes))) {
            writer.plain(until_nul(bytes));
        } else {
            writer.plain("ARRAY[");
            writer.bytes(bytes, ", ");
            writer.plain("]");
        }
        return;
    }
    const auto value = field_number(field, record, 0);
    if (field.is_pointer || (field.is_long && (!field.is_signed || field.size == 4))) {
        writer.hex(field.size == 4 ? value & 0xffffffff : value);
    } else if (field.is_signed) {
        writer.plain(fmt::format("{:{}}", static_cast<std::int64_t>(value), field.size == 2 ? 2 : 1));
    } else {
        writer.plain(fmt::format("{}", value));
    }
}

}  // namespace perfdata
