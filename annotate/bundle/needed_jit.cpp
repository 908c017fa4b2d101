// SPDX-License-Identifier: MIT
// Jitdumps and perf maps of the processes.
#include <set>
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
                const auto by = users_.by({CodeOf::Kind::memory, dump.pid.value});
                needed_.missing.push_back({"jitdump", dump.recorded_path, {}, "missing",
                                           "no file of this name is here", "give it with --jitdump", by});
                continue;
            }
            if (!dump.marked) {
                needed_.leave_out("jitdumps of no process in the recording");
                continue;
            }
            auto content = dump.opened ? *dump.opened
                                       : open(dump.name(), dump.from == JitDumpFile::From::given, dump.path,
                                              Content::jitdump);
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
            if (found.path.empty()) continue;
            auto content =
                open(found.name(), found.from == JitDumpFile::From::given, found.path, Content::perf_map);
            if (!content) {
                if (content.error().code == ErrorCode::cancelled) return fail(std::move(content.error()));
                needed_.missing.push_back({"perf_map", found.path, {}, std::string(to_string(content.error().code)),
                                           content.error().detail, "give it with --perf-map",
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
