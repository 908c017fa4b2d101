// SPDX-License-Identifier: MIT
#include "jit_source.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "perfdata/symbols/jit/jit_lines.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_files.hpp"
#include "perfdata/wire/jitdump/record.hpp"

#include "read_file.hpp"

namespace perfdata {
namespace {

// Per process: each sample of it searches all of its dumps.
constexpr std::size_t most_dumps = 64;

Result<JitDump> open_jit_dump(const JitDumpFile& file, const FileSystem& files, const Limits& limits,
                              const Watch& watch, HandedOn handed_on) {
    const bool given = file.from == JitDumpFile::From::given;
    auto source = file.opened ? *file.opened
                  : given     ? files.open_given_watched(file.path, limits, Content::jitdump, watch)
                              : files.open_watched(file.name(), limits, Content::jitdump, watch);
    if (source && !given && handed_on != HandedOn::no) {
        source = file.to_hand_on(std::move(*source), handed_on, limits, watch);
        if (!source && source.error().code == ErrorCode::mismatch) {
            source.error().detail += "; if it is right, give it with --jitdump";
        }
    }
    if (!source) return fail(std::move(source.error()));
    return JitDump::open(std::move(*source), files.shown(file.path), limits);
}

}  // namespace

JitSource::JitSource(const SourceContext& context) : context_(context) {
    std::vector<JitMapping> marks;
    const auto& tasks = context.timeline.tasks();
    for (const auto& mapping : tasks.mappings()) {
        const auto& path = tasks.object(mapping).path;
        if (jitdump_pid(path)) marks.push_back({mapping.pid, path, mapping.from, tasks.object(mapping).inode});
    }
    const auto clock = EventClock::of(context.recording.events());
    const auto& files = context.finder.files();
    auto search = context.options.jit;
    search.limits = context.recording.limits();
    const Watch watch{context.options.stop, {}};
    search.watch = watch;
    // Any number of recorded names may lead to one file: read it once.
    struct Read {
        std::optional<std::size_t> code;  // in codes_
        unsigned refusals = 0;            // of processes that did not map it: another one may have
    };
    std::map<std::pair<ReadFile, std::uint32_t>, Read> read;
    std::set<std::pair<std::uint32_t, std::size_t>> known;
    bool too_many = false;
    for (const auto& file : find_jit_dumps(marks, search)) {
        if (context.options.stop.stop_requested()) return;
        if (!file.found()) {
            context.problems.push_back(file.missing());
            continue;
        }
        if (codes_.dumps_of(file.pid) == most_dumps) {
            if (!std::exchange(too_many, true)) {
                context.tell({ErrorCode::limit, Error::no_offset, file.path,
                              "process " + std::to_string(file.pid.value) + " announced more than " +
                                  std::to_string(most_dumps) + " files of JIT code; later ones are ignored"});
            }
            continue;
        }
        const bool given = file.from == JitDumpFile::From::given;
        const auto [same, first] = read.try_emplace(
            {read_file(files, given ? std::nullopt : std::optional(file.name()), file.path), file.namespace_pid});
        constexpr unsigned most_refusals = 16;  // any number of processes may name it, and each look costs some 30 us
        const bool again = same->second.refusals != 0 && same->second.refusals < most_refusals && !same->second.code;
        if (!first && !again) {
            if (same->second.code && known.emplace(file.pid.value, *same->second.code).second) {
                codes_.add(file.pid, *same->second.code);
            }
            continue;
        }
        auto dump = open_jit_dump(file, files, context.recording.limits(), watch, search.handed_on);
        if (!dump) {
            if (dump.error().code == ErrorCode::cancelled) return;
            if (is_private(dump.error())) ++same->second.refusals;
            if (!again) context.tell(std::move(dump.error()));
            continue;
        }
        if (auto right = check_jit_dump(file, dump->header()); !right) {
            context.problems.push_back(std::move(right.error()));
            continue;
        }
        auto matched = JitClock::match(dump->header(), clock);
        if (!matched) context.problems.push_back(matched.error());
        auto code = JitCode::build(*dump, matched ? *matched : JitClock::none(), {}, watch);
        if (!code) return;  // asked to stop
        same->second.code = codes_.add(file.pid, std::move(*code));
        known.emplace(file.pid.value, *same->second.code);
        tell(*codes_.codes()[*same->second.code]);
    }
}

void JitSource::tell(const JitCode& code) {
    const auto& log = code.completeness().diagnostics;
    const auto& name = code.dump().name();
    for (auto error : log.kept()) {
        if (!error.where.starts_with(name)) error.where = name + ": " + error.where;
        context_.losses.add(std::move(error));
    }
}

FrameName JitSource::name(const Frame& frame) const {
    return {codes_.function(frame.index).name, frame.offset, codes_.code(frame.index).dump().name(), CodeClass::jit,
            SymbolMiss::between_symbols};
}

FunctionExtent JitSource::extent(const Frame& frame) const {
    auto begin = frame;
    begin.offset = 0;
    const auto& range = codes_.function(frame.index).range;
    return {begin, range.size, range.begin};
}

Result<CodeImage> JitSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0) return no_extent(version);
    const auto index = version.function.index;
    const auto& dump = codes_.code(index);
    const auto& function = codes_.function(index);
    auto bytes = dump.dump().read(function.code_at, std::min(function.code_size, size));
    if (!bytes) return fail(bytes.error());
    CodeImage image;
    image.bytes = std::move(*bytes);
    image.address = function.range.begin;
    image.origin = dump.dump().name();
    return image;
}

Result<std::vector<LineStart>> JitSource::lines(const Frame& function, std::uint64_t) const {
    const auto found = codes_.code(function.index).lines(codes_.function(function.index));
    if (!found) return fail(found.error());
    std::vector<LineStart> lines;
    lines.reserve(found->size());
    // Entries share file names, which may be long.
    std::map<const char*, std::string_view> kept;
    for (const auto& line : *found) {
        auto [file, added] = kept.try_emplace(line.file.data());
        if (added) file->second = context_.texts.keep(line.file);
        // A line number is useless without its file.
        lines.push_back({line.offset, 0, {file->second, line.damaged ? 0 : line.line, 0, {}}});
    }
    return lines;
}

UnwindPlace JitSource::unwind_place(const Frame& frame) const {
    const auto& function = codes_.function(frame.index);
    if (function.unwind_size == 0) return {};
    const std::scoped_lock lock(mutex_);
    const auto& code = codes_.code(frame.index);
    const std::pair key(&code, function.unwind_at);
    auto entry = cfi_.find(key);
    if (entry == cfi_.end()) {
        std::unique_ptr<const FileCfi> readable;  // before its entry: memory may run out
        const auto& header = code.dump().header();
        const auto* arch = find_arch(header.elf_machine, header.order.endian());
        const auto target = arch == nullptr ? std::nullopt : UnwindTarget::of(arch->family, arch->address_bytes);
        auto bytes = code.unwind_information(function);
        if (target && bytes) {
            CfiInput input;
            input.order = header.order;
            input.address = JitCode::unwind_address(function);
            input.file_offset = function.unwind_at;
            auto cfi = std::make_unique<const FileCfi>(*target, input, std::move(*bytes), context_.recording.limits());
            if (cfi->has_any()) readable = std::move(cfi);
        }
        entry = cfi_.emplace(key, std::move(readable)).first;
    }
    // There is some, which may not be readable.
    return {entry->second.get(), frame.offset, entry->second ? StackEnd::no_unwind_info : StackEnd::damaged};
}

CodePlace JitSource::place(const CodeVersion& version) const {
    const auto index = version.function.index;
    const auto dump = reinterpret_cast<std::uintptr_t>(&codes_.code(index));
    return {{CodeOrigin::Kind::jit_dump, dump}, codes_.function(index).code_at};
}

LinesOrigin JitSource::lines_origin(const Frame& function) const {
    const auto at = codes_.function(function.index).debug_at;
    if (at == 0) return {};
    return {LinesOrigin::Kind::list, &codes_.code(function.index), at};
}

std::uint64_t JitSource::lines_size(const Frame& function) const {
    const auto at = codes_.function(function.index).debug_at;
    if (at == 0) return 0;
    const auto& dump = codes_.code(function.index).dump();
    const auto start = dump.read(at, JitRecordHeader::bytes);
    return start ? JitRecordHeader::load(start->data(), dump.header().order).size : 0;
}

std::optional<Error> JitSource::lines_problem(const Frame& function, std::span<const LineStart>) const {
    const auto& code = codes_.code(function.index);
    const auto lines = code.lines(codes_.function(function.index));
    return lines ? jit_lines_problem(code, *lines) : std::nullopt;
}

std::optional<Error> jit_lines_problem(const JitCode& code, const JitLines& lines) {
    if (std::ranges::none_of(lines, &JitLine::damaged)) return {};
    return Error{ErrorCode::malformed, Error::no_offset, code.dump().name(),
                 "names of source files in it are damaged, as compilers write them from memory that they have freed: "
                 "these lines are left out"};
}

}  // namespace perfdata
