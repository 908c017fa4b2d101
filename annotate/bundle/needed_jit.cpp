// SPDX-License-Identifier: MIT
// Jitdumps and perf maps of the processes, also of those in containers.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "perfdata/recording/named_file.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/timeline/jit_codes.hpp"
#include "perfdata/timeline/jit_dump.hpp"
#include "perfdata/timeline/jit_files.hpp"
#include "perfdata/timeline/mapping.hpp"

#include "needed_parts.hpp"
#include "perf_map_lines.hpp"
#include "process_files.hpp"

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

    // Opens a file below the root of a process, alive or not.
    Result<std::shared_ptr<const Source>> open_for(const FileName& there, Content content) const {
        const auto living = process_of_root(there.root);
        if (living) return open_of_process(*living, there, from_, content, options_.watch);
        // What the user says is the root of one that has ended.
        const auto& limits = from_.recording.limits();
        auto opened = from_.files.beneath().open_watched(there, limits, content, options_.watch);
        if (!opened) return opened;
        const MayHandOn how{there, content, nullptr, from_.options.jit.handed_on};
        return fit_to_hand_on(std::move(*opened), how, limits, options_.watch);
    }

    void add_missing(std::string kind, std::string path, const Error& error, std::uint32_t pid) {
        std::string remedy = kind == "jitdump" ? "give it with --jitdump" : "give it with --perf-map";
        // By its name a map is of the process of that number: in a container that is another one.
        const auto usual = std::filesystem::path(perf_map_path(pid)).filename().native();
        if (kind == "perf_map" && std::filesystem::path(path).filename() != usual) {
            remedy = "copy it to a file named " + usual + " and give that with --perf-map";
        }
        needed_.missing.push_back({std::move(kind),
                                   std::move(path),
                                   {},
                                   std::string(is_private(error) ? MissingFile::is_private : to_string(error.code)),
                                   error.detail,
                                   std::move(remedy),
                                   users_.by({CodeOf::Kind::memory, pid}),
                                   is_private(error)});
    }

    // Opens a file that a process with another root has there. Returns null if it has none, or if that cannot be read,
    // which is then among what is missing.
    Result<std::shared_ptr<const Source>> open_in_root(std::uint32_t pid, const FileName& there, const char* kind,
                                                       Content content) {
        auto opened = open_for(there, content);
        if (!opened && opened.error().code == ErrorCode::cancelled) return opened;
        if (!opened) {
            if (opened.error().code != ErrorCode::missing) add_missing(kind, there.shown(), opened.error(), pid);
            return nullptr;
        }
        return opened;
    }

    // Adds the dump that a process with another root has there. Each process has its own: pids in containers, and so
    // the names of their dumps, are the same in many of them. Returns false if it has none.
    Result<bool> add_dump_from_root(const JitDumpFile& dump) {
        const auto root = from_.roots.find(dump.pid.value);
        if (root == from_.roots.end()) return false;
        const FileName there{root->second, dump.recorded_path};
        auto content = open_in_root(dump.pid.value, there, "jitdump", Content::jitdump);
        if (!content) return fail(std::move(content.error()));
        if (!*content) return false;
        const auto header = JitDump::open(*content, there.shown(), from_.recording.limits());
        const auto right = header ? check_jit_dump(dump, header->header()) : fail(header.error());
        if (!right) {
            add_missing("jitdump", there.shown(), right.error(), dump.pid.value);
            return false;
        }
        NeededFile needed;
        needed.root = process_root(dump.pid.value);
        needed.member = {below_root(needed.root + dump.recorded_path), "jitdump", dump.recorded_path, {}};
        needed.content = std::move(*content);
        needed.from = there.shown();
        needed.by = users_.by({CodeOf::Kind::memory, dump.pid.value});
        needed.recorded = dump.recorded_path;
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

    // Returns the file that code was read from; opens it if it has none.
    Result<std::shared_ptr<const Source>> content_of(const JitDumpFile& dump) const {
        for (const auto& code : from_.symbolizer.jit().codes()) {
            if (code->dump().name() != dump.path) continue;
            auto used = std::make_shared<const JitDump>(code->dump());
            const auto* source = &used->source();
            return std::shared_ptr<const Source>(std::move(used), source);
        }
        if (dump.opened) return *dump.opened;
        const bool given = dump.from == JitDumpFile::From::given;
        auto opened = open(dump.name(), given, dump.path, Content::jitdump);
        if (!opened || given) return opened;
        return dump.to_hand_on(std::move(*opened), from_.options.jit.handed_on, from_.recording.limits(),
                               options_.watch);
    }

    Result<void> add_dumps() {
        std::vector<JitMapping> marks;
        const auto& tasks = from_.symbolizer.timeline().tasks();
        for (const auto& mapping : tasks.mappings()) {
            const auto& path = tasks.object(mapping).path;
            if (jitdump_pid(path)) with_dumps_.insert(mapping.pid.value);
            if (jitdump_pid(path)) {
                marks.push_back({mapping.pid, path, mapping.from, tasks.object(mapping).inode});
            }
        }
        for (const auto& dump : find_jit_dumps(marks, search_)) {
            if (dump.from != JitDumpFile::From::given) {
                const auto known = needed_.missing.size();
                const auto inside = add_dump_from_root(dump);
                if (!inside) return fail(inside.error());
                if (*inside || needed_.missing.size() != known) continue;
            }
            if (!dump.found()) {
                add_missing("jitdump", dump.recorded_path,
                            {ErrorCode::missing, Error::no_offset, {}, "no file of this name is here"}, dump.pid.value);
                continue;
            }
            if (!dump.marked) {
                needed_.leave_out("jitdumps of no process in the recording", 1, dump.path);
                continue;
            }
            auto content = content_of(dump);
            if (!content) {
                if (content.error().code == ErrorCode::cancelled) return fail(std::move(content.error()));
                if (content.error().code == ErrorCode::mismatch) {
                    add_missing("jitdump", dump.path, content.error(), dump.pid.value);
                }
                continue;  // of others it was said when their code was read
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
            if (auto added = add_map(pid); !added) return added;
        }
        return {};
    }

    Result<void> add_map(std::uint32_t pid) {
        const auto found = find_perf_map(pid, search_);
        auto from = found.path;
        std::shared_ptr<const Source> content;
        if (from.empty()) {
            const auto root = from_.roots.find(pid);
            if (root == from_.roots.end()) {
                no_map(pid);
                return {};
            }
            const auto there = map_below(root->second, pid);
            const auto known = needed_.missing.size();
            auto opened = open_in_root(pid, there, "perf_map", Content::perf_map);
            if (!opened) return fail(std::move(opened.error()));
            if (!*opened) {
                if (needed_.missing.size() == known) no_map(pid);
                return {};
            }
            content = std::move(*opened);
            from = there.shown();
        } else {
            const bool given = found.from == JitDumpFile::From::given;
            auto opened = open(found.name(), given, found.path, Content::perf_map);
            if (opened && !given) {
                opened = found.to_hand_on(std::move(*opened), Content::perf_map, from_.options.jit.handed_on,
                                          from_.recording.limits(), options_.watch);
            }
            if (!opened) return map_is_missing(from, opened.error(), pid);
            content = std::move(*opened);
        }
        auto lines = perf_map_lines(*content, from, from_.recording.limits(), options_.watch);
        if (!lines) return map_is_missing(from, lines.error(), pid);
        NeededFile needed;
        needed.member = {
            below_root(perf_map_path(pid)), "perf_map", found.path.empty() ? perf_map_path(pid) : from, {}};
        needed.content = std::move(*lines);
        needed.from = std::move(from);
        needed.by = users_.by({CodeOf::Kind::memory, pid});
        needed_.add(std::move(needed));
        return {};
    }

    // Returns where the map of a process is below its root. What number it had there is not known of one that has
    // ended: if there is one map alone, that is it.
    FileName map_below(const std::string& root, std::uint32_t pid) const {
        const auto map_of = [&](std::string_view number) {
            return FileName{root, "/tmp/perf-" + std::string(number) + ".map"};
        };
        auto usual = map_of(std::to_string(pid_inside(pid)));
        if (process_of_root(root) || from_.files.beneath().has(usual)) return usual;
        std::vector<std::string> numbers;
        std::error_code problem;
        for (auto entry = std::filesystem::directory_iterator(root + "/tmp", problem);
             !problem && numbers.size() < 2 && entry != std::filesystem::directory_iterator();
             entry.increment(problem)) {
            std::string_view name = entry->path().native();
            name.remove_prefix(name.rfind('/') + 1);
            constexpr std::string_view begin = "perf-", end = ".map";
            if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) continue;
            const auto number = name.substr(begin.size(), name.size() - begin.size() - end.size());
            if (number.find_first_not_of("0123456789") == std::string_view::npos) numbers.emplace_back(number);
        }
        return numbers.size() == 1 ? map_of(numbers.front()) : usual;
    }

    // Code in memory that no file names: it is missing, unless a jitdump is there for it, or is itself missing.
    void no_map(std::uint32_t pid) {
        auto by = users_.by({CodeOf::Kind::memory, pid});
        if (by.samples == 0 || with_dumps_.contains(pid)) return;
        const auto path = perf_map_path(pid);
        needed_.missing.push_back({"perf_map",
                                   path,
                                   {},
                                   std::string(to_string(ErrorCode::missing)),
                                   "no file of this name is here",
                                   "for a process in a container, collect while it runs, or say with --root PID=DIR "
                                   "where its root was; or copy its map to a file of this name and give that with "
                                   "--perf-map",
                                   std::move(by)});
    }

    Result<void> map_is_missing(const std::string& path, const Error& error, std::uint32_t pid) {
        if (error.code == ErrorCode::cancelled) return fail(error);
        add_missing("perf_map", path, error, pid);
        return {};
    }

    const NeededFrom& from_;
    const NeededOptions& options_;
    const NeededUsers& users_;
    Needed& needed_;
    JitSearch search_;
    std::set<std::uint32_t> with_dumps_;  // processes that marked one, found or not
};

}  // namespace

Result<void> add_jit(const NeededFrom& from, const NeededOptions& options, const NeededUsers& users, Needed& needed) {
    return JitAdder(from, options, users, needed).add();
}

}  // namespace perfdata
