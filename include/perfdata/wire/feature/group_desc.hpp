// SPDX-License-Identifier: MIT
// GROUP_DESC (17): which events were scheduled together. write_group_desc in tools/perf/util/header.c.
#pragma once

#include "perfdata/wire/feature/list.hpp"

namespace perfdata {

//     string name . u32 leader . u32 members
struct EventGroup {
    static constexpr std::size_t min_bytes = 12;                   // size on disk with an empty name
    static constexpr std::string_view what = "an event group";     // in errors
    static constexpr std::string_view anonymous = "{anon_group}";  // the name of groups without one

    std::string_view name;      // `anonymous` if the user specified none; lives as long as the section
    std::uint32_t leader = 0;   // index of the leader in the attr section; the members follow it. Not checked
    std::uint32_t members = 0;  // including the leader

    // read(in) reads one; the caller checks in.ok().
    static EventGroup read(Cursor& in) {
        EventGroup group;
        group.name = read_feature_string(in);
        group.leader = in.u32();
        group.members = in.u32();
        return group;
    }
};

//     u32 count . count x EventGroup, packed
using EventGroupReader = FeatureList<EventGroup>;

}  // namespace perfdata
