// SPDX-License-Identifier: MIT
#include "process_files.hpp"

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "perfdata/timeline/jit_files.hpp"

#include "needed.hpp"

namespace perfdata {
namespace {

// Returns the user as whom a living process opens files; no_user for others. /proc/PID is no proof of it: a process
// can make it root's.
std::uint32_t user_of(std::uint32_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string line;
    while (std::getline(status, line)) {
        constexpr std::string_view key = "Uid:";
        if (!line.starts_with(key)) continue;
        std::istringstream numbers(line.substr(key.size()));
        std::uint32_t real = 0, effective = 0, saved = 0, of_files = no_user;
        return numbers >> real >> effective >> saved >> of_files ? of_files : no_user;
    }
    return no_user;
}

}  // namespace

std::optional<std::uint32_t> process_of_root(const std::string& root) {
    constexpr std::string_view begin = "/proc/";
    if (!root.starts_with(begin)) return {};
    std::uint32_t pid = 0;
    const auto [end, problem] = std::from_chars(root.data() + begin.size(), root.data() + root.size(), pid);
    if (problem != std::errc{} || root != process_root(pid)) return {};
    return pid;
}

Result<std::shared_ptr<const Source>> open_of_process(std::uint32_t pid, const FileName& there, const Limits& limits,
                                                      NamedFileOptions how) {
    const auto user = user_of(pid);
    how.trusted_links = true;
    how.inside_process = true;
    how.on_behalf_of = user;
    auto opened = open_named_file(there, limits, how);
    // Its number may be another process's by now.
    if (opened && user_of(pid) != user) {
        return fail(ErrorCode::mismatch, Error::no_offset, there.shown(), "its process has ended meanwhile");
    }
    return opened;
}

}  // namespace perfdata
