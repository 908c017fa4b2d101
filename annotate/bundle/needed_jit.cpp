// SPDX-License-Identifier: MIT
// Jitdumps and perf maps of the processes, also of those in containers.
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/timeline/jit_files.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "needed_parts.hpp"

namespace perfdata {
namespace {

class JitAdder {
  public:
    JitAdder(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed)
        : from_(from), options_(options), users_(users), needed_(needed), search_(from.options.jit) {
        search_.limits = from.recording.limits();
        search_.watch = options.watch;
    }

    Result<void> add() {
        if (auto added = add_dumps(); !added) return added;
        return from_.options.perf_maps ? add_maps() : Result<void>();
    }

  private:
    Result<std::shared_ptr<const Source>> open(const FileName& name, bool given, const std::string& path,
                                               Content content) const {
        const auto& limits = from_.recording.limits();
        return given ? from_.files.open_given_watched(path, limits, content, options_.watch)
                     : from_.files.open_watched(name, limits, content, options_.watch);
    }

    // Returns the number that a living process has in its own namespace; the same number for others.
    static std::uint32_t pid_inside(std::uint32_t pid) {
        std::ifstream status("/proc/" + std::to_string(pid) + "/status");
        std::string line;
        while (std::getline(status, line)) {
            constexpr std::string_view key = "NSpid:";
            if (!line.starts_with(key)) continue;
            std::istringstream numbers(line.substr(key.size()));
            auto innermost = pid;
            for (std::uint32_t number = 0; numbers >> number;) innermost = number;
            return innermost;
        }
        return pid;
    }

    // Adds a file that a process with another root has there. Returns false if it has none.
    Result<bool> add_from_root(std::uint32_t pid, const std::string& path, std::string name, const char* kind,
                               Content kind_of_content) {
        const auto root = from_.roots.find(pid);
        if (root == from_.roots.end()) return false;
        const FileName there{root->second, path};
        auto content =
            from_.files.beneath().open_watched(there, from_.recording.limits(), kind_of_content, options_.watch);
        if (!content) {
            if (content.error().code == ErrorCode::cancelled) return fail(std::move(content.error()));
            return false;
        }
        NeededFile needed;
        needed.member = {std::move(name), kind, path, {}};
        needed.content = std::move(*content);
        needed.from = there.shown();
        needed.by = users_.by({CodeOf::Kind::memory, pid});
        if (kind_of_content == Content::jitdump) needed.recorded = path;
        needed_.add(std::move(needed));
        return true;
    }

    NeededBy by_dump(const std::string& name) const {
        NeededBy by;
        std::uint32_t number = 0;
        for (const auto& code : from_.symbolizer.jit().codes()) {
            if (code->dump().name() == name) by.add(users_.by({CodeOf::Kind::jitdump, number}));
            ++number;
        }
        return by;
    }

    Result<void> add_dumps() {
        std::vector<JitMapping> marks;
        const auto& tasks = from_.symbolizer.timeline().tasks();
        for (const auto& mapping : tasks.mappings()) {
            const auto& path = tasks.object(mapping).path;
            if (jitdump_pid(path)) marks.push_back({mapping.pid, path, mapping.from});
        }
        for (const auto& dump : find_jit_dumps(marks, search_)) {
            if (!dump.found()) {
                if (auto inside = add_from_root(dump.pid.value, dump.recorded_path, below_root(dump.recorded_path),
                                                "jitdump", Content::jitdump);
                    !inside || *inside) {
                    if (!inside) return fail(std::move(inside.error()));
                    continue;
                }
                const auto by = users_.by({CodeOf::Kind::memory, dump.pid.value});
                needed_.missing.push_back({"jitdump",
                                           dump.recorded_path,
                                           {},
                                           "missing",
                                           "no file of this name is here",
                                           "give it with --jitdump",
                                           by});
                continue;
            }
            if (!dump.marked) {
                needed_.leave_out("jitdumps of no process in the recording");
                continue;
            }
            auto content = dump.opened
                               ? *dump.opened
                               : open(dump.name(), dump.from == JitDumpFile::From::given, dump.path, Content::jitdump);
            if (!content) {
                if (content.error().code == ErrorCode::cancelled) return fail(std::move(content.error()));
                continue;  // it said so when its code was read
            }
            const auto header = JitDump::open(*content, dump.path, from_.recording.limits());
            if (!header || !check_jit_dump(dump, header->header())) continue;
            NeededFile needed;
            needed.member = {below_root(dump.recorded_path), "jitdump", dump.path, {}};
            needed.content = std::move(*content);
            needed.from = dump.path;
            needed.by = by_dump(dump.path);
            needed.recorded = dump.recorded_path;
            needed_.add(std::move(needed));
        }
        return {};
    }

    Result<void> add_maps() {
        const auto& tasks = from_.symbolizer.timeline().tasks();
        std::set<std::uint32_t> with_memory;
        for (const auto& mapping : tasks.mappings()) {
            if (tasks.object(mapping).kind == ObjectKind::anonymous) with_memory.insert(mapping.pid.value);
        }
        for (const auto pid : with_memory) {
            if (options_.watch.stop.stop_requested()) {
                return fail(ErrorCode::cancelled, Error::no_offset, "perf maps", "asked to stop");
            }
            const auto found = find_perf_map(pid, search_);
            if (found.path.empty()) {
                const auto inside = "/tmp/perf-" + std::to_string(pid_inside(pid)) + ".map";
                auto added = add_from_root(pid, inside, below_root(perf_map_path(pid)), "perf_map", Content::perf_map);
                if (!added) return fail(std::move(added.error()));
                continue;
            }
            auto content = open(found.name(), found.from == JitDumpFile::From::given, found.path, Content::perf_map);
            if (!content) {
                if (content.error().code == ErrorCode::cancelled) return fail(std::move(content.error()));
                needed_.missing.push_back({"perf_map",
                                           found.path,
                                           {},
                                           std::string(to_string(content.error().code)),
                                           content.error().detail,
                                           "give it with --perf-map",
                                           users_.by({CodeOf::Kind::memory, pid})});
                continue;
            }
            NeededFile needed;
            needed.member = {below_root(perf_map_path(pid)), "perf_map", found.path, {}};
            needed.content = std::move(*content);
            needed.from = found.path;
            needed.by = users_.by({CodeOf::Kind::memory, pid});
            needed_.add(std::move(needed));
        }
        return {};
    }

    const NeededFrom& from_;
    const NeededOptions& options_;
    const NeededUsers& users_;
    Needed& needed_;
    JitSearch search_;
};

}  // namespace

Result<void> add_jit(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed) {
    return JitAdder(from, options, users, needed).add();
}

}  // namespace perfdata
