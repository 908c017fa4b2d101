// SPDX-License-Identifier: MIT
#include "perfdata/timeline/second_pass.hpp"

#include <string>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

namespace perfdata {

std::uint64_t samples_seen(const Completeness& completeness) {
    const auto found = completeness.records.find(static_cast<std::uint32_t>(RecordType::sample));
    return found == completeness.records.end() ? 0 : found->second.total();
}

Result<void> check_second_pass(std::uint64_t seen, const Recording& recording, const Timeline& timeline) {
    const auto before = samples_seen(timeline.completeness());
    if (seen == before) return {};
    return fail(ErrorCode::io, Error::no_offset, recording.path(),
                "has changed while it was read: " + std::to_string(seen) + " samples, and " + std::to_string(before) +
                    " before; try again once nobody writes to it");
}

}  // namespace perfdata
