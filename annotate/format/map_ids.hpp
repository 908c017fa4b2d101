// SPDX-License-Identifier: MIT
// The maps of a BPF program, for outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "json_writer.hpp"

namespace perfdata {

// Bounds the output: any number of loads may share one program. The kernel allows 64 maps (MAX_USED_MAPS of
// linux/bpf.h).
inline constexpr std::size_t most_map_ids = 256;

// write_map_ids(json, info) writes the member "map_ids" and, beyond the limit, "map_ids_left_out". It is null where the
// recording does not have the ids: few versions of perf ask for them. info may be null.
inline void write_map_ids(JsonWriter& json, const BpfProgramInfo* info) {
    const auto count = info == nullptr ? std::size_t{0} : info->map_ids().size();
    json.key("map_ids");
    if (count == 0 && (info == nullptr || info->map_count != 0)) return json.null();
    json.begin_array();
    for (std::size_t index = 0; index < std::min(count, most_map_ids); ++index) json.value(info->map_ids()[index]);
    json.end_array();
    if (count > most_map_ids) json.member("map_ids_left_out", std::uint64_t{count - most_map_ids});
}

// map_ids_text(info, one, many) returns "maps 1 2 3", "map 1", or nothing without maps: `one` or `many` is in front.
inline std::string map_ids_text(const BpfProgramInfo& info, std::string_view one, std::string_view many) {
    const auto ids = info.map_ids();
    if (ids.size() == 0) return {};
    std::string text(ids.size() == 1 ? one : many);
    for (std::size_t index = 0; index < std::min(ids.size(), most_map_ids); ++index) {
        text += fmt::format(" {}", ids[index]);
    }
    if (ids.size() > most_map_ids) text += fmt::format(" and {} more", ids.size() - most_map_ids);
    return text;
}

}  // namespace perfdata
