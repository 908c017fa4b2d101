// SPDX-License-Identifier: MIT
// Loading of Names: what the recording says of its files, and where these are.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "perfdata/recording/walk.hpp"
#include "perfdata/symbols/elf/find/archived_files.hpp"
#include "perfdata/symbols/names.hpp"

namespace perfdata {
namespace {

// Files of JIT code of one process: each is searched for each of its samples.
constexpr std::size_t most_dumps = 64;

// files_for(names, ...) is this machine's files, and those in a packed build-id cache, which may be a pipe.
std::shared_ptr<const FileSystem> files_for(const NameOptions& names, std::vector<Error>& problems,
                                            DiagnosticLog& losses) {
    const auto& options = names.finder;
    auto files = names.files;
    if (!files) files = std::make_shared<const LocalFiles>(options.machine() ? Reach::machine : Reach::given);
    std::error_code none;
    const auto given = std::filesystem::status(options.buildid_dir, none);
    if (!std::filesystem::exists(given) || std::filesystem::is_directory(given)) return files;
    auto archived = ArchivedFiles::open(options.buildid_dir, files, options.limits, names.progress);
    if (!archived) {
        problems.push_back(std::move(archived.error()));
        return files;
    }
    if (const auto& damage = (*archived)->damage()) losses.add(*damage);
    return std::move(*archived);
}

// ReadFile is a file by what it is, so that no other name for it makes it another; by its path if that is not known.
using ReadFile = std::pair<std::optional<FileIdentity>, std::string>;

// read_file(files, name, path): no name for what the user gave, which may be a pipe.
ReadFile read_file(const FileSystem& files, const std::optional<FileName>& name, const std::string& path) {
    if (name) {
        if (const auto identity = files.identity(*name)) return {identity, {}};
    }
    return {{}, path};
}

Result<JitDump> open_jit_dump(const JitDumpFile& file, const FileSystem& files, const Limits& limits) {
    const bool given = file.from == JitDumpFile::From::given;
    auto source = file.opened ? *file.opened
                  : given     ? files.open_given(file.path, limits, Content::jitdump)
                              : files.open(file.name(), limits, Content::jitdump);
    if (!source) return fail(std::move(source.error()));
    return JitDump::open(std::move(*source), file.path, limits);
}

Result<PerfMap> open_perf_map(const FoundFile& found, const FileSystem& files, const Limits& limits) {
    auto unpacking = limits;
    unpacking.unpacked_bytes = std::min(limits.unpacked_bytes, limits.perf_map_bytes);
    const bool given = found.from == JitDumpFile::From::given;
    const auto source = given ? files.open_given(found.path, unpacking, Content::perf_map)
                              : files.open(found.name(), unpacking, Content::perf_map);
    if (source) return PerfMap::open(**source, found.path, limits);
    auto error = source.error();
    if (error.code == ErrorCode::mismatch) error.detail += "; if its names are right, give it with --perf-map";
    return fail(std::move(error));
}

}  // namespace

Names Names::load(const Recording& recording, const Timeline& timeline, const NameOptions& options) {
    Names names(timeline);
    auto finder = options.finder;
    if (finder.architecture.empty()) finder.architecture = recording.arch();
    names.finder_ =
        std::make_unique<const ObjectFinder>(std::move(finder), files_for(options, names.problems_, names.losses_));
    names.load_kernel(recording, *names.finder_);
    names.load_objects(*names.finder_);
    names.load_jit(recording, options);
    return names;
}

void Names::load_kernel(const Recording& recording, const ObjectFinder& finder) {
    auto& kernel = recorded_kernel_;
    kernel.os_release = recording.os_release();
    if (const auto& mapping = timeline_->kernel()) {
        kernel.reference_symbol = mapping->reference_symbol;
        kernel.reference_address = mapping->reference_address;
    }
    if (const auto id = timeline_->build_ids().find("[kernel.kallsyms]"); id != timeline_->build_ids().end())
        kernel.build_id = id->second;
    const auto& tasks = timeline_->tasks();
    for (const auto& mapping : tasks.mappings()) {
        const auto& object = tasks.object(mapping);
        if (object.kind == ObjectKind::module) kernel.modules.push_back({module_name(object.path), mapping.range});
    }
    auto loaded = KernelNames::load(kernel, finder);
    if (loaded) {
        kernel_ = std::move(*loaded);
        if (const auto& damage = kernel_->damage()) losses_.add(*damage);
    } else {
        const auto& given = finder.options();
        if (loaded.error().code == ErrorCode::missing && given.kallsyms.empty() && given.vmlinux.empty()) {
            kernel_problem_ = problems_.size();
        }
        problems_.push_back(std::move(loaded.error()));
    }
}

void Names::load_objects(const ObjectFinder& finder) {
    const auto& tasks = timeline_->tasks();
    files_ = std::make_unique<ObjectSymbols>(finder);
    module_base_.resize(tasks.objects().size());
    for (const auto& mapping : tasks.mappings()) {
        auto& base = module_base_[mapping.object];
        if (base == 0) base = mapping.range.begin.value - mapping.file_offset;
    }
    std::set<std::uint32_t> with_memory;
    for (const auto& mapping : tasks.mappings()) {
        if (tasks.object(mapping).kind == ObjectKind::anonymous) with_memory.insert(mapping.pid.value);
    }
    for (const auto pid : with_memory) memory_names_.emplace(pid, perf_map_path(pid));
    for (const auto& object : tasks.objects()) {
        const std::string path(without_deleted(object.path));
        RecordedObject recorded{path, object.build_id.value_or(BuildId{})};
        if (const auto id = timeline_->build_ids().find(object.path);
            id != timeline_->build_ids().end() && recorded.build_id.size == 0) {
            recorded.build_id = id->second;
        }
        file_of_.push_back(files_->add(recorded));
        has_build_ids_ = has_build_ids_ || (object.kind == ObjectKind::file && recorded.build_id.size != 0);
        switch (object.kind) {
            case ObjectKind::kernel: object_names_.emplace_back("[kernel.kallsyms]"); break;
            case ObjectKind::module: object_names_.push_back("[" + module_name(object.path) + "]"); break;
            default: object_names_.push_back(object.path);
        }
    }
}

void Names::load_jit(const Recording& recording, const NameOptions& options) {
    std::vector<JitMapping> marks;
    const auto& tasks = timeline_->tasks();
    for (const auto& mapping : tasks.mappings()) {
        const auto& path = tasks.object(mapping).path;
        if (jitdump_pid(path)) marks.push_back({mapping.pid, path, mapping.from});
    }
    const auto clock = EventClock::of(recording.events());
    const auto& files = finder_->files();
    auto search = options.jit;
    search.limits = recording.limits();
    // Names of files in the recording may lead to one file any number of times: it is read once.
    std::map<std::pair<ReadFile, std::uint32_t>, std::optional<std::size_t>> read;
    std::set<std::pair<std::uint32_t, std::size_t>> known;
    bool too_many = false;
    for (const auto& file : find_jit_dumps(marks, search)) {
        if (!file.found()) {
            problems_.push_back(file.missing());
            continue;
        }
        if (jit_.dumps_of(file.pid) == most_dumps) {
            if (!std::exchange(too_many, true)) {
                tell({ErrorCode::limit, Error::no_offset, file.path,
                      "process " + std::to_string(file.pid.value) + " announced more than " +
                          std::to_string(most_dumps) + " files of JIT code; later ones are ignored"});
            }
            continue;
        }
        const bool given = file.from == JitDumpFile::From::given;
        const auto [same, first] = read.try_emplace(
            {read_file(files, given ? std::nullopt : std::optional(file.name()), file.path), file.namespace_pid});
        if (!first) {
            if (same->second && known.emplace(file.pid.value, *same->second).second) jit_.add(file.pid, *same->second);
            continue;
        }
        auto dump = open_jit_dump(file, files, recording.limits());
        if (!dump) {
            tell(std::move(dump.error()));
            continue;
        }
        if (auto right = check_jit_dump(file, dump->header()); !right) {
            problems_.push_back(std::move(right.error()));
            continue;
        }
        auto matched = JitClock::match(dump->header(), clock);
        if (!matched) problems_.push_back(matched.error());
        same->second = jit_.add(file.pid, JitCode::build(*dump, matched ? *matched : JitClock::none()));
        known.emplace(file.pid.value, *same->second);
        tell(*jit_.codes()[*same->second]);
    }
    if (options.perf_maps) load_perf_maps(recording, options);
}

void Names::load_perf_maps(const Recording& recording, const NameOptions& options) {
    const auto& files = finder_->files();
    std::set<std::string, std::less<>> unused(options.jit.given_maps.begin(), options.jit.given_maps.end());
    std::map<ReadFile, std::shared_ptr<const PerfMap>> maps;  // null: it cannot be read
    for (const auto& [pid, path] : memory_names_) {
        const auto found = find_perf_map(pid, options.jit);
        if (found.path.empty()) continue;
        const bool given = found.from == JitDumpFile::From::given;
        if (given) unused.erase(found.path);
        const auto [same, first] =
            maps.try_emplace(read_file(files, given ? std::nullopt : std::optional(found.name()), found.path));
        if (first) {
            auto map = open_perf_map(found, files, recording.limits());
            if (map) {
                if (map->damage()) losses_.add(*map->damage());
                same->second = std::make_shared<const PerfMap>(std::move(*map));
            } else {
                tell(std::move(map.error()));
            }
        }
        if (same->second) perf_maps_.emplace(pid, same->second);
    }
    for (const auto& path : unused) {
        problems_.push_back({ErrorCode::missing, Error::no_offset, path,
                             "not used: no process with memory of its own has a map of this name; it is that of "
                             "/tmp/perf-PID.map"});
    }
}

// What is there and cannot be read is a loss; what is not here, or is of something else, is not.
void Names::tell(Error error) {
    if (error.code == ErrorCode::missing || error.code == ErrorCode::mismatch) {
        problems_.push_back(std::move(error));
    } else {
        losses_.add(std::move(error));
    }
}

void Names::tell(const JitCode& code) {
    const auto& log = code.completeness().diagnostics;
    const auto& name = code.dump().name();
    for (auto error : log.kept()) {
        if (!error.where.starts_with(name)) error.where = name + ": " + error.where;
        losses_.add(std::move(error));
    }
}

}  // namespace perfdata
