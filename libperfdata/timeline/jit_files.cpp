// SPDX-License-Identifier: MIT
#include "perfdata/timeline/jit_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <utility>

#include "perfdata/recording/process_file.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/timeline/mapping.hpp"

namespace perfdata {
namespace {

std::string_view file_name_of(std::string_view path) {
    return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Returns the number in the last part of a path, between these words.
std::optional<std::uint32_t> number_between(std::string_view path, std::string_view before, std::string_view behind) {
    auto name = file_name_of(path);
    if (!name.starts_with(before) || !name.ends_with(behind)) return {};
    if (name.size() <= before.size() + behind.size()) return {};
    name.remove_prefix(before.size());
    name.remove_suffix(behind.size());
    std::uint32_t number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem != std::errc{} || end != name.data() + name.size()) return {};
    return number;
}

// namespace_pid_in(source) returns the pid in the header, empty if the file is not a dump.
std::optional<std::uint32_t> namespace_pid_in(std::shared_ptr<const Source> source) {
    const auto dump = JitDump::open(std::move(source), {});
    if (!dump) return {};
    return dump->header().namespace_pid;
}

void use(JitDumpFile& file, std::string path, Result<std::shared_ptr<const Source>> opened) {
    file.path = std::move(path);
    file.root.clear();
    file.from = JitDumpFile::From::given;
    file.looked_at.clear();
    file.opened = std::move(opened);
}

}  // namespace

std::string process_root(std::uint32_t pid) {
    return "/proc/" + std::to_string(pid) + "/root";
}

std::optional<std::uint32_t> jitdump_pid(std::string_view path) {
    return number_between(path, "jit-", ".dump");
}

// look_for(path, search, given, process) does the work of find_recorded_file(). `process`: its root, in a bundle;
// empty: files of all processes alone.
static FoundFile look_for(const std::string& path, const JitSearch& search, std::span<const std::string> given,
                          const std::string& process) {
    const std::string name(file_name_of(path));
    for (const auto& file : given) {
        if (file_name_of(file) == name) return {file, JitDumpFile::From::given, {}};
    }
    std::vector<std::pair<FileName, JitDumpFile::From>> places;
    // ".." does not lead out of symfs.
    const auto below = std::filesystem::path("/" + path).lexically_normal().string();
    if (!search.symfs.empty()) places.push_back({{search.symfs, below}, JitDumpFile::From::symfs});
    for (const auto& directory : search.beside) {
        places.push_back({{directory.empty() ? "." : directory, "/" + name}, JitDumpFile::From::beside});
    }
    if (!search.bundle.empty() && !process.empty()) {
        places.push_back({{search.bundle, process + below}, JitDumpFile::From::symfs});
    }
    if (!search.bundle.empty()) places.push_back({{search.bundle, below}, JitDumpFile::From::symfs});
    if (search.as_recorded && search.symfs.empty()) places.push_back({{"", path}, JitDumpFile::From::recorded});
    FoundFile found;
    for (const auto& [place, from] : places) {
        if (search.has ? search.has(place) : is_named_file(place)) return {place.shown(), from, {}, place.root};
        // The recorded path is told of the bundle, and no further place in it.
        if (process.empty() || place.path != process + below) found.looked_at.push_back(place.shown());
    }
    return found;
}

FoundFile find_recorded_file(const std::string& path, const JitSearch& search, std::span<const std::string> given) {
    return look_for(path, search, given, {});
}

std::vector<JitDumpFile> find_jit_dumps(std::span<const JitMapping> mappings, const JitSearch& search) {
    std::vector<JitDumpFile> files;
    std::map<std::pair<Pid, std::string_view>, std::size_t> known;
    for (const auto& mapping : mappings) {
        const auto path = without_deleted(mapping.path);
        const auto namespace_pid = jitdump_pid(path);
        if (!namespace_pid) continue;
        const auto [at, is_new] = known.emplace(std::pair(mapping.pid, path), files.size());
        if (is_new) files.emplace_back();
        auto& file = files[at->second];
        constexpr std::size_t most_files = 16;
        if (mapping.inode && file.mapped.size() < most_files) file.mapped.push_back(*mapping.inode);
        if (!is_new) {
            file.mapped_at = std::min(file.mapped_at, mapping.at);
            continue;
        }
        file.pid = mapping.pid;
        file.namespace_pid = *namespace_pid;
        file.mapped_at = mapping.at;
        file.recorded_path = path;
        auto found = look_for(file.recorded_path, search, search.given, process_root(file.pid.value));
        file.path = std::move(found.path);
        file.from = found.from;
        file.looked_at = std::move(found.looked_at);
        file.root = std::move(found.root);
    }
    const auto marked = files.size();
    for (const auto& given : search.given) {
        const auto used = [&](const JitDumpFile& file) { return file.path == given; };
        if (std::ranges::any_of(files, used)) continue;
        const auto opened = open_source(given, search.limits, Content::jitdump, search.watch);
        const auto namespace_pid = opened ? namespace_pid_in(*opened) : std::nullopt;
        bool taken = false;
        for (std::size_t index = 0; index < marked; ++index) {
            auto& file = files[index];
            if (file.from == JitDumpFile::From::given || namespace_pid != file.namespace_pid) continue;
            use(file, given, opened);
            taken = true;
        }
        if (taken) continue;
        JitDumpFile alone;
        alone.marked = false;
        alone.namespace_pid = namespace_pid.value_or(jitdump_pid(given).value_or(0));
        alone.pid = {alone.namespace_pid};
        use(alone, given, opened);
        files.push_back(std::move(alone));
    }
    return files;
}

Result<std::shared_ptr<const Source>> JitDumpFile::to_hand_on(std::shared_ptr<const Source> source, HandedOn handed_on,
                                                              const Limits& limits, const Watch& watch) const {
    // What is beside the recording is a copy of what was mapped.
    const auto how = from == From::beside ? MayHandOn{{{}, path}, Content::jitdump, nullptr, handed_on}
                                          : MayHandOn{name(), Content::jitdump, &mapped, handed_on};
    return fit_to_hand_on(std::move(source), how, limits, watch);
}

Result<std::shared_ptr<const Source>> FoundFile::to_hand_on(std::shared_ptr<const Source> source, Content content,
                                                            HandedOn handed_on, const Limits& limits,
                                                            const Watch& watch) const {
    const bool beside = from == JitDumpFile::From::beside;
    if (content == Content::perf_map && from == JitDumpFile::From::recorded && !everybody_may_read(*source)) {
        const auto pid = number_between(path, "perf-", ".map");
        if (pid && !may_be_map_of(*pid, *source)) {
            return fail(ErrorCode::mismatch, Error::no_offset, path,
                        "not everybody may read it, and the process of that number is another user's, or younger");
        }
    }
    const MayHandOn how{beside ? FileName{{}, path} : name(), content, nullptr, handed_on};
    return fit_to_hand_on(std::move(source), how, limits, watch);
}

Error JitDumpFile::missing() const {
    std::string places;
    for (const auto& place : looked_at) places += (places.empty() ? " (looked at " : ", ") + place;
    if (!places.empty()) places += ")";
    return {ErrorCode::missing, Error::no_offset, recorded_path,
            "process " + std::to_string(pid.value) + " announced its JIT code in this file, which is not here" +
                places + ": put it next to the recording, or give it with --jitdump"};
}

Result<void> check_jit_dump(const JitDumpFile& file, const JitDumpHeader& header) {
    if (header.namespace_pid == file.namespace_pid) return {};
    return fail(ErrorCode::mismatch, 20, file.path,
                "written by process " + std::to_string(header.namespace_pid) + ", not by process " +
                    std::to_string(file.namespace_pid) + " as its name says");
}

}  // namespace perfdata
