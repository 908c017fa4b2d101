// SPDX-License-Identifier: MIT
#include "perf_map_source.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "perfdata/timeline/jit_files.hpp"

#include "read_file.hpp"
#include "symbols/elf/file_store.hpp"

namespace perfdata {
namespace {

Result<PerfMap> open_perf_map(const FoundFile& found, const FileSystem& files, const Limits& limits, const Watch& watch,
                              HandedOn handed_on) {
    auto unpacking = limits;
    unpacking.unpacked_bytes = std::min(limits.unpacked_bytes, limits.perf_map_bytes);
    const bool given = found.from == JitDumpFile::From::given;
    auto source = given ? files.open_given_watched(found.path, unpacking, Content::perf_map, watch)
                        : files.open_watched(found.name(), unpacking, Content::perf_map, watch);
    if (source && !given && handed_on != HandedOn::no) {
        source = found.to_hand_on(std::move(*source), Content::perf_map, handed_on, unpacking, watch);
    }
    if (source) return PerfMap::open(**source, found.path, limits, watch);
    auto error = source.error();
    if (error.code == ErrorCode::mismatch) error.detail += "; if its names are right, give it with --perf-map";
    return fail(std::move(error));
}

// Returns false if the process has no map in any of the places. Of thousands of short processes hardly one has: looking
// at a name takes one call, opening the file with care takes ten.
bool may_have_map(const std::string& path, const JitSearch& search) {
    if (!search.symfs.empty() || !search.given_maps.empty() || !search.bundle.empty()) return true;
    const auto may_be_there = [](const std::filesystem::path& place) {
        std::error_code ignored;
        return std::filesystem::symlink_status(place, ignored).type() != std::filesystem::file_type::not_found;
    };
    const auto name = std::filesystem::path(path).filename();
    const bool beside = std::ranges::any_of(search.beside, [&](const std::string& directory) {
        return may_be_there(std::filesystem::path(directory.empty() ? "." : directory) / name);
    });
    return beside || (search.as_recorded && may_be_there(path));
}

}  // namespace

PerfMapSource::PerfMapSource(const SourceContext& context) {
    const auto& tasks = context.timeline.tasks();
    std::set<std::uint32_t> with_memory;
    for (const auto& mapping : tasks.mappings()) {
        if (tasks.object(mapping).kind == ObjectKind::anonymous) with_memory.insert(mapping.pid.value);
    }
    for (const auto pid : with_memory) names_.emplace(pid, perf_map_path(pid));
    if (!context.options.perf_maps) return;
    try {
        load_maps(context);
    } catch (const Stopped&) {  // who stopped it throws the rest away
    }
}

void PerfMapSource::load_maps(const SourceContext& context) {
    const auto& files = context.finder.files();
    std::set<std::string, std::less<>> unused(context.options.jit.given_maps.begin(),
                                              context.options.jit.given_maps.end());
    const auto& limits = context.recording.limits();
    auto& store = context.finder.store();
    const auto realm = store.is_shared() ? store.realm(context.options.files, limits, true) : 0;
    const LookOut look({context.options.stop, {}});
    std::map<ReadFile, std::shared_ptr<const PerfMap>> maps;  // null: unreadable
    for (const auto& [pid, path] : names_) {
        if (context.options.stop.stop_requested()) return;
        if (!may_have_map(path, context.options.jit)) continue;
        const auto found = find_perf_map(pid, context.options.jit);
        if (found.path.empty()) continue;
        const bool given = found.from == JitDumpFile::From::given;
        if (given) unused.erase(found.path);
        const auto [same, first] =
            maps.try_emplace(read_file(files, given ? std::nullopt : std::optional(found.name()), found.path));
        if (first) {
            const auto read = [&] {
                return open_perf_map(found, files, limits, look.watch(), context.options.jit.handed_on);
            };
            constexpr auto kind = FileContent::Kind::perf_map;
            // What was read for a recording that is believed is not for one that others may have written.
            FileStore unshared;
            const bool shares = context.options.jit.handed_on != HandedOn::of_others;
            auto map = (shares ? store : unshared).value<kind, PerfMap>(realm, files, found.name(), given, look, read);
            if (map) {
                if ((*map)->damage()) context.losses.add(*(*map)->damage());
                same->second = std::move(*map);
            } else {
                context.tell(std::move(map.error()));
            }
        }
        if (same->second) maps_.emplace(pid, same->second);
    }
    for (const auto& path : unused) {
        context.problems.push_back({ErrorCode::missing, Error::no_offset, path,
                                    "not used: no process with memory of its own has a map of this name; it is that of "
                                    "/tmp/perf-PID.map"});
    }
}

std::optional<PerfMap::Symbol> PerfMapSource::symbol(const Frame& frame) const {
    const auto map = maps_.find(frame.index);
    return map != maps_.end() ? map->second->find({frame.offset}) : std::nullopt;
}

FrameName PerfMapSource::name(const Frame& frame) const {
    FrameName name{{}, frame.offset, {}, CodeClass::user, SymbolMiss::not_a_file};
    if (const auto known = names_.find(frame.index); known != names_.end()) name.object = known->second;
    if (const auto found = symbol(frame)) {
        name.symbol = found->name;
        name.offset = found->offset;
        name.kind = CodeClass::jit;
    }
    return name;
}

FunctionExtent PerfMapSource::extent(const Frame& frame) const {
    FunctionExtent extent{frame, 0, {}};
    if (const auto found = symbol(frame)) {
        extent.begin.offset = frame.offset - found->offset;
        extent.size = found->range.size;
        extent.address = found->range.begin;
    }
    return extent;
}

Result<CodeImage> PerfMapSource::image(const CodeVersion& version, std::uint64_t) const {
    const auto name = name_of(version);
    return fail(ErrorCode::missing, Error::no_offset, name.empty() ? "memory of a process" : name,
                "memory without a file: a perf map has names, but no code; let the compiler write a jitdump");
}

}  // namespace perfdata
