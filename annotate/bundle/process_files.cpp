// SPDX-License-Identifier: MIT
#include "process_files.hpp"

#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "perfdata/recording/process_file.hpp"
#include "perfdata/timeline/jit_files.hpp"
#include "perfdata/timeline/mapping.hpp"

namespace perfdata {

std::optional<std::uint32_t> process_of_root(const std::string& root) {
    constexpr std::string_view begin = "/proc/";
    if (!root.starts_with(begin)) return {};
    std::uint32_t pid = 0;
    const auto [end, problem] = std::from_chars(root.data() + begin.size(), root.data() + root.size(), pid);
    if (problem != std::errc{} || root != process_root(pid)) return {};
    return pid;
}

Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid, const FileName& there, const NeededFrom& from,
                                                      Content content, const Watch& watch) {
    if (from.options.jit.handed_on == HandedOn::of_others) {
        return fail(
            ErrorCode::mismatch, Error::no_offset, there.shown(),
            "others may have written the recording, which says that it is a file of process " + std::to_string(pid));
    }
    std::vector<MappedProgram> mapped;
    const auto& tasks = from.symbolizer.timeline().tasks();
    for (const auto& mapping : tasks.mappings()) {
        const auto& object = tasks.object(mapping);
        if (mapping.pid.value != pid || object.kind != ObjectKind::file) continue;
        mapped.push_back({std::string(without_deleted(object.path)), object.inode});
    }
    NamedFileOptions how;
    how.content = content;
    how.watch = watch;
    if (from.options.jit.handed_on == HandedOn::if_everybodys) how.on_behalf_of = no_user;
    return open_of_process(pid, mapped, there, from.recording.limits(), how);
}

}  // namespace perfdata
