// SPDX-License-Identifier: MIT
#include "perf_map_lines.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "perfdata/symbols/jit/perf_map.hpp"

#include "owned_source.hpp"

namespace perfdata {

Result<std::shared_ptr<const Source>> perf_map_lines(const Source& map, const std::string& where, const Limits& limits,
                                                     const Watch& watch) {
    const auto text = read_whole(map, limits.perf_map_bytes, watch);
    if (!text) return fail(text.error());
    const std::string_view all = *text;
    std::string kept;
    kept.reserve(all.size());
    bool any = all.empty();
    constexpr std::size_t lines_between_looks = 4096;
    std::size_t lines = 0;
    for (std::size_t at = 0; at < all.size(); ++lines) {
        if (lines % lines_between_looks == 0 && watch.stop.stop_requested()) {
            return fail(ErrorCode::cancelled, Error::no_offset, where, "asked to stop");
        }
        const auto end = std::min(all.find('\n', at), all.size());
        const auto line = all.substr(at, end - at);
        if (const auto symbol = PerfMap::parse_line(line)) {
            // What follows a NUL is no part of the name.
            kept.append(line.data(), symbol->name.data() + symbol->name.size());
            any = true;
        }
        if (end != all.size()) kept += '\n';
        at = end + 1;
    }
    if (!any) {
        return fail(ErrorCode::malformed, Error::no_offset, where, "no line of it is one of a perf map");
    }
    return std::make_shared<const OwnedSource>(std::move(kept));
}

}  // namespace perfdata
