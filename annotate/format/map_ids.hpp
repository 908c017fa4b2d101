// SPDX-License-Identifier: MIT
// The maps of a BPF program, as outputs have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "perfdata/wire/feature/bpf_prog_info.hpp"

#include "json_writer.hpp"

namespace perfdata {

// Any number of loads may have one program, and be shown. The kernel takes 64 maps (MAX_USED_MAPS of linux/bpf.h).
inline constexpr std::size_t most_map_ids = 256;

// write_map_ids(json, info) writes the members "map_ids" and, of more, "map_ids_left_out". info: null if there is none.
inline void write_map_ids(JsonWriter& json, const BpfProgramInfo* info) {
    const auto count = info == nullptr ? std::size_t{0} : info->map_ids().size();
    json.key("map_ids");
    json.begin_array();
    for (std::size_t index = 0; index < std::min(count, most_map_ids); ++index) json.value(info->map_ids()[index]);
    json.end_array();
    if (count > most_map_ids) json.member("map_ids_left_out", std::uint64_t{count - most_map_ids});
}

// map_ids_text(info) is ", maps 1 2 3"; empty if it has none.
inline std::string map_ids_text(const BpfProgramInfo& info) {
    const auto ids = info.map_ids();
    std::string text;
    for (std::size_t index = 0; index < std::min(ids.size(), most_map_ids); ++index) {
        text += fmt::format("{}{}", index == 0 ? ", maps " : " ", ids[index]);
    }
    if (ids.size() > most_map_ids) text += fmt::format(" and {} more", ids.size() - most_map_ids);
    return text;
}

}  // namespace perfdata
