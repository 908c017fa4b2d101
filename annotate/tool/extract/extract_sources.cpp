// SPDX-License-Identifier: MIT
#include "extract_sources.hpp"

#include <fmt/format.h>
#include <utility>

#include "tool/output/output_way.hpp"

namespace perfdata::tool {

Result<void> write_sources(const SourceTree& tree, const std::string& directory, const Common& common) {
    if (auto checked = check_output_way(directory); !checked) return checked;
    auto taken = common.taken;
    if (tree.left_out() != 0 && !common.quiet) {
        complain(
            fmt::format("note: {} texts of source lines are in no file: their lines are beyond 1,000,000, or have "
                        "another text as well",
                        tree.left_out()));
    }
    return tree.write(directory, [&](const std::string& path, std::string_view text) -> Result<void> {
        auto place = OutputPlace::find(path);
        if (!place) return fail(place.error());
        if (!place->is_file()) {
            return fail(ErrorCode::io, Error::no_offset, path, "cannot write: there is something that is no file");
        }
        if (const auto role = taken.claim(*place, "another source file")) refuse_taken("--sources", path, *role);
        auto file = OutputFile::open(std::move(*place), OutputFile::HardLinks::part);
        if (!file) return fail(file.error());
        file->write(text);
        auto done = file->commit();
        if (done && !file->in_place().empty() && !common.quiet) {
            complain(fmt::format("note: {} was written in place, and not replaced: {}", path, file->in_place()));
        }
        return done;
    });
}

}  // namespace perfdata::tool
