// SPDX-License-Identifier: MIT
// perfdata collect --check: what would be in a bundle, and what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/annotate/format/sink.hpp"

#include "bundle/needed.hpp"

namespace perfdata::tool {

// CollectPage is what there is to say. What it refers to must outlive it.
struct CollectPage {
    std::string_view recording;               // its path
    const std::vector<BundleContent>& files;  // of the recording
    const Needed& needed;
};

void write_collect_text(const CollectPage& page, bool color, const Sink& sink);
void write_collect_json(const CollectPage& page, const Sink& sink);

// Returns what is left out, with a few examples: "2 debug files that are not here: /usr/bin/a, /usr/bin/b".
std::string left_out_text(const NeededLeftOut& left_out);

// Returns what a file that is missing is, who needs it and what would supply it, as one message.
std::string missing_text(const NeededMissing& missing);

}  // namespace perfdata::tool
