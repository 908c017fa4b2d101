// SPDX-License-Identifier: MIT
#include "code_sources.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "perfdata/recording/architecture.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"
#include "perfdata/symbols/elf/find/archived_files.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/symbol_cache.hpp"
#include "perfdata/timeline/mapping.hpp"
#include "perfdata/wire/feature/build_id.hpp"

#include "elf/file_store.hpp"
#include "recording/look_out.hpp"
#include "unwind/unwinder.hpp"

namespace perfdata {
namespace {

// Returns true if the build-id cache is packed. It may be a pipe.
bool has_packed_cache(const FinderOptions& finder) {
    std::error_code none;
    const auto given = std::filesystem::status(finder.buildid_dir, none);
    return std::filesystem::exists(given) && !std::filesystem::is_directory(given);
}

// Returns this machine's files, together with those of a packed build-id cache.
Shared<const FileSystem> files_for(const SymbolizerOptions& options, std::vector<Error>& problems,
                                   DiagnosticLog& losses) {
    const auto& finder = options.finder;
    auto files = options.files;
    if (!files) files = std::make_shared<const LocalFiles>(finder.machine() ? Reach::machine : Reach::given);
    if (!has_packed_cache(finder)) return files;
    auto archived =
        ArchivedFiles::open(finder.buildid_dir, files, finder.limits, Watch{options.stop, options.progress});
    if (!archived) {
        problems.push_back(std::move(archived.error()));
        return files;
    }
    if (const auto& damage = (*archived)->damage()) losses.add(*damage);
    return std::move(*archived);
}

SymbolizerOptions complete(SymbolizerOptions options, const Recording& recording) {
    if (recording.bundle()) Bundle::apply(recording.bundle(), options);
    if (options.finder.architecture.empty()) options.finder.architecture = recording.arch();
    return options;
}

}  // namespace

// Files in a packed cache are unpacked for each recording anew: nothing says that they are the same.
ObjectFinder CodeSources::finder_for(const SymbolizerOptions& options, Shared<const FileSystem> files) {
    if (!options.cache || has_packed_cache(options.finder)) return ObjectFinder(options.finder, std::move(files));
    const auto& store = options.cache->store_;
    const auto realm = store->realm(options.files, options.finder.limits, options.demangle);
    return {options.finder, std::move(files), store, realm};
}

CodeSources::CodeSources(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options)
    : timeline_(timeline),
      limits_(recording.limits()),
      options_(complete(options, recording)),
      finder_(finder_for(options_, files_for(options_, problems_, losses_))),
      texts_(options_.sources, finder_),
      context_{recording, timeline, options_, finder_, texts_, [this]() -> const CodeVersions& { return versions(); },
               problems_, losses_},
      files_(timeline, finder_, options_.demangle),
      debug_lines_(files_),
      cfi_(files_, limits_),
      bpf_programs_(timeline),
      kernel_(context_, files_, debug_lines_),
      out_of_line_(context_, kernel_.code()),
      bpf_(context_, bpf_programs_),
      elf_(context_, files_, debug_lines_, cfi_),
      jit_(context_),
      perf_maps_(context_),
      inlined_(files_),
      without_debug_(timeline.tasks().objects().size()) {
    if (recording.bundle()) Bundle::tell_missing(*recording.bundle(), problems_);
}

// A damaged table is told by the timeline.
void CodeSources::read_ahead(const Recording& recording, const SymbolizerOptions& given) {
    constexpr std::size_t most = 128;  // files: less than a cache keeps
    constexpr std::string_view kernel_name = "[kernel.kallsyms]";
    const auto* feature = recording.feature(Feature::build_id);
    if (feature == nullptr || !feature->inside_file || has_packed_cache(given.finder)) return;
    const auto section = recording.read_feature(Feature::build_id);
    if (!section) return;
    const auto options = complete(given, recording);
    std::vector<Error> problems;
    DiagnosticLog losses;
    ObjectSymbols symbols(finder_for(options, files_for(options, problems, losses)), {.demangle = options.demangle});
    std::vector<FileIndex> files;
    BuildId kernel;
    BuildIdReader reader(Cursor(*section, recording.order(), {.where = "feature BUILD_ID"}));
    for (auto entry = reader.next(); entry && *entry && files.size() < most; entry = reader.next()) {
        const auto& [offset, type, misc, pid, build_id, size_known, name] = **entry;
        if (pid != BuildIdEntry::host) continue;
        BuildId id;
        id.size = static_cast<std::uint8_t>(std::min(build_id.size(), id.value.size()));
        std::ranges::copy(build_id.first(id.size), id.value.begin());
        const auto mode = (*entry)->mode();
        if (mode == CpuMode::kernel && name == kernel_name) kernel = id;
        if (mode == CpuMode::user) files.push_back(symbols.add({std::string(without_deleted(name)), id}));
    }
    // All of it, or nothing: who waits for this needs it at once.
    if (!options.stop.stop_requested()) KernelNames::read_ahead(kernel, symbols.finder());
    symbols.load_all(files, 1, options.stop, {});
}

const CodeSource& CodeSources::of(const Frame& frame) const {
    switch (frame.kind) {
        case FrameKind::code:
            if (timeline_.code()[frame.index].kind == CodeKind::bpf_program) return bpf_;
            return out_of_line_;
        case FrameKind::object: {
            const auto kind = timeline_.tasks().objects()[frame.index].kind;
            if (kind == ObjectKind::kernel || kind == ObjectKind::module) return kernel_;
            return elf_;
        }
        case FrameKind::jit: return jit_;
        case FrameKind::memory: return perf_maps_;
        case FrameKind::inlined: return inlined_;
        case FrameKind::nowhere: break;
    }
    if (frame.miss() == Miss::kernel) return kernel_;
    return nowhere_;
}

bool CodeSources::load(const Frame& frame, CodeDetail detail, const Watch& watch) const {
    try {
        LookOut look(watch);
        look.ask();
        of(frame).load(frame, detail, look);
    } catch (const Stopped&) {
        return false;
    }
    return true;
}

std::optional<NamelessCode> CodeSources::nameless(const Frame& frame) const {
    const auto& source = of(frame);
    if (!source.wants_a_name(frame)) return {};
    const auto name = source.name(frame);
    return NamelessCode{source.why_unnamed(frame), name.object, name.kind};
}

// Searches kallsyms and the loaded files. A file without a recorded build-id is used only if the user vouches for it.
std::optional<CodePlaces> CodeSources::places_of(std::span<const std::string> names) const {
    constexpr std::size_t most_ranges = 16;  // each kernel address is compared with all
    const auto* kernel = kernel_names();
    // The table of another boot does not cover modules, nor does a vmlinux: their files would have to be searched.
    const auto* table = kernel != nullptr ? kernel->kallsyms() : nullptr;
    if (table == nullptr || !jit().empty()) return {};
    CodePlaces places;
    for (const auto& symbol : table->named(names)) {
        // A module may have lain elsewhere before.
        places.all_kernel = places.all_kernel || !symbol.module.empty() || places.kernel.size() == most_ranges;
        if (!places.all_kernel) places.kernel.push_back({symbol.address, symbol.size});
    }
    const auto& tasks = timeline_.tasks();
    const auto& finder = finder_.options();
    const bool only_proven =
        !finder.allow_local && finder.symfs.empty() && finder.recording_dir.empty() && !context_.recording.bundle();
    std::vector<ObjectIndex> searched;
    std::vector<FileIndex> searched_files;
    for (ObjectIndex object = 0; object < tasks.objects().size(); ++object) {
        const auto kind = tasks.objects()[object].kind;
        const auto& recorded = recorded_object(object);
        if (kind == ObjectKind::kernel || kind == ObjectKind::module || !is_file_name(recorded.path)) continue;
        if (only_proven && kind != ObjectKind::vdso && recorded.build_id.size == 0) continue;
        searched.push_back(object);
        searched_files.push_back(files_.index(object));
    }
    const auto may_have = files_.symbols().may_have_function(searched_files, names);
    places.objects.resize(tasks.objects().size());
    for (std::size_t at = 0; at < searched.size(); ++at) places.objects[searched[at]] = may_have[at];
    for (const auto& mapping : tasks.mappings()) {
        const auto base = mapping.range.begin.value - mapping.file_offset;
        const bool module = tasks.object(mapping).kind == ObjectKind::module;
        if (module && base != files_.base(mapping.object)) places.all_kernel = true;
    }
    return places;
}

CodePart CodeSources::left_out(const Frame& frame, const CodeFilter& filter) const {
    if (filter.empty()) return CodePart::none;
    if (frame.is_code()) return bpf_programs_.left_out(frame.index, frame.offset, filter);
    const auto name = of(frame).name(frame);
    return filter.leaves_out(name.kind, name.object, name.symbol, frame.offset);
}

Shared<StackUnwinder> CodeSources::unwinder(const StopToken& stop) const {
    return std::make_unique<Unwinder>(*this, find_architecture(context_.recording, {stop, {}}).name, stop);
}

void CodeSources::add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const {
    // Only files have debug information of what was inlined.
    if (frame.kind != FrameKind::object || without_debug_[frame.index].load(std::memory_order_relaxed)) return;
    if (returns && frame.offset == 0) return;
    const auto& source = of(frame);
    auto call = frame;
    if (returns) --call.offset;
    auto found = source.inlined(call);
    if (!found.has_debug) without_debug_[frame.index].store(true, std::memory_order_relaxed);
    // At the beginning of a function the call ended the one before, whose name the frame does not have.
    if (returns && !found.functions.empty() && source.function(frame) == frame) return;
    inlined_.add(frame, std::move(found), calls);
}

const CodeVersions& CodeSources::versions() const {
    versions_once_([&] { versions_ = CodeVersions::build(*this); });
    return *versions_;
}

}  // namespace perfdata
