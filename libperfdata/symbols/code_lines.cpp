// SPDX-License-Identifier: MIT
#include "perfdata/symbols/code_lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "once.hpp"
#include "source_files.hpp"
#include "symbols/elf/dwarf/debug_image.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"

namespace perfdata {
namespace {

// OpenedLines is debug information that any number of names may lead to.
struct OpenedLines {
    Once once;
    Result<std::shared_ptr<DwarfLines>> lines = nullptr;  // its error has no name
};

// CodeFile is a file with code, and the lines of that; null if it has none, or is not here.
struct CodeFile {
    Once once;
    Result<std::shared_ptr<DwarfLines>> lines = nullptr;
    std::shared_ptr<const ElfFile> file;
    std::string path;
};

}  // namespace

struct CodeLines::Sources {
    const Timeline& timeline;
    const Names& names;
    const Symbols& symbols;
    SourceFiles sources;
    std::mutex mutex;
    std::map<std::uint32_t, std::unique_ptr<CodeFile>> objects;  // by FileIndex
    // By what they are read from, which they keep.
    std::map<std::array<std::shared_ptr<const ElfFile>, 3>, std::shared_ptr<OpenedLines>> opened;
    CodeFile kernel;
    std::uint64_t kernel_relocation = 0;       // what to add to the file's addresses
    std::set<std::string, std::less<>> texts;  // of JIT code

    const ObjectFinder& finder() const { return names.files().finder(); }

    std::string_view keep(std::string text) {
        const std::scoped_lock lock(mutex);
        return *texts.insert(std::move(text)).first;
    }

    // add_text(lines, built) looks up what the debug information does not have itself.
    std::vector<LineStart> add_text(std::vector<LineStart> lines, const std::string& built) {
        const auto add = [&](SourceLine& source) {
            if (source.text.empty()) source.text = sources.text(source.file, source.line, built);
        };
        // By what it was: lines share their chains of inlined calls, and go on doing so.
        std::map<const InlinedCall*, std::pair<InlinedCalls, InlinedCalls>> chains;
        for (auto& line : lines) {
            add(line.source);
            if (line.inlined.empty()) continue;
            auto& [bare, with_text] = chains[line.inlined.data()];
            if (bare.empty()) {
                bare = line.inlined;  // so that nothing else comes to lie there
                std::vector<InlinedCall> calls(bare.begin(), bare.end());
                for (auto& call : calls) add(call.call);
                with_text = InlinedCalls(std::move(calls));
            }
            line.inlined = with_text;
        }
        return lines;
    }

    // open(...) reads the debug information of a file, from wherever it is.
    Result<std::shared_ptr<DwarfLines>> open(const RecordedObject& recorded, const FoundObject& found) {
        DwarfFiles files{found.file, {}, {}};
        auto name = found.name();
        if (has_lines(*found.file)) {
            files.debug = found.file;
        } else if (found.debug && has_lines(*found.debug)) {
            files.debug = found.debug;
            name = found.debug_name();
        } else {
            auto debug = finder().find_debug(recorded, found, has_lines);
            files.debug = std::move(debug.file);
            name = std::move(debug.name);
        }
        if (!files.debug) return nullptr;
        files.alternate = finder().find_alternate(*files.debug, name);
        const auto one = opened_from(files);
        one->once([&] {
            auto lines = DwarfLines::open(files, finder().options().limits);
            if (lines) {
                one->lines = std::make_shared<DwarfLines>(std::move(*lines));
            } else {
                one->lines = fail(std::move(lines.error()));
            }
        });
        if (one->lines) return one->lines;
        // By the name asked for: others may lead there, too, and which of them came first is chance.
        auto error = one->lines.error();
        error.where = name.shown() + ": " + error.where;
        return fail(std::move(error));
    }

    std::shared_ptr<OpenedLines> opened_from(const DwarfFiles& files) {
        const std::scoped_lock lock(mutex);
        auto& one = opened[{files.file, files.debug, files.alternate}];
        if (!one) one = std::make_shared<OpenedLines>();
        return one;
    }

    CodeFile& object(FileIndex index) {
        const std::scoped_lock lock(mutex);
        auto& object = objects[index.value];
        if (!object) object = std::make_unique<CodeFile>();
        return *object;
    }

    // known(function) is the file with its lines, once they were asked for; null if it has none.
    const CodeFile* known(const Frame& function) {
        const bool missed = function.kind == FrameKind::nowhere && static_cast<Miss>(function.index) == Miss::kernel;
        if (function.kind != FrameKind::object && !missed) return nullptr;
        if (missed || timeline.tasks().objects()[function.index].kind == ObjectKind::kernel) {
            return kernel.once.done() ? &kernel : nullptr;
        }
        const auto& one = object(names.file_index(function.index));
        return one.once.done() ? &one : nullptr;
    }

    Result<std::vector<LineStart>> in_object(const CodeFile& object, std::uint64_t vaddr, std::uint64_t size) {
        if (!object.lines) return fail(object.lines.error());
        if (!*object.lines) return std::vector<LineStart>{};
        auto lines = (*object.lines)->lines(vaddr, size);
        if (!lines) {
            auto error = std::move(lines.error());
            error.where = object.path + ": " + error.where;
            return fail(std::move(error));
        }
        return add_text(std::move(*lines), object.path);
    }

    Result<std::vector<LineStart>> in_file(const Frame& function, std::uint64_t size) {
        const auto index = names.file_index(function.index);
        auto& one = object(index);
        one.once([&] {
            const auto found = names.files().found(index);
            if (!found) return;
            one.file = (*found)->file;
            one.path = (*found)->path;
            one.lines = open(names.files().recorded(index), **found);
        });
        if (!one.file) return std::vector<LineStart>{};
        auto offset = function.offset;
        if (one.file->type() == ElfFile::Type::relocatable) {
            if (const auto* text = one.file->section(".text")) offset += text->offset;
        }
        const auto vaddr = one.file->vaddr(offset);
        return vaddr ? in_object(one, *vaddr, size) : std::vector<LineStart>{};
    }

    Result<std::vector<LineStart>> in_kernel(Address address, std::uint64_t size) {
        kernel.once([&] {
            auto text = names.kernel_text();
            if (!text) return;
            kernel.path = text->path;
            kernel.file = text->file;
            kernel_relocation = text->relocation;
            kernel.lines = open({kernel.path, {}}, {kernel.path, {}, kernel.file, {}, true, text->root, {}});
        });
        return in_object(kernel, address.value - kernel_relocation, size);
    }

    Result<std::vector<LineStart>> in_jit(std::uint32_t function) {
        const auto& jit = names.jit();
        const auto found = jit.code(function).lines(jit.function(function));
        if (!found) return fail(found.error());
        std::vector<LineStart> lines;
        // The number of a line says nothing without its file.
        lines.reserve(found->size());
        // Entries share the text of a file, which may be long.
        std::map<const char*, std::string_view> kept;
        for (const auto& line : *found) {
            auto [file, added] = kept.try_emplace(line.file.data());
            if (added) file->second = keep(std::string(line.file));
            lines.push_back({line.offset, 0, {file->second, line.damaged ? 0 : line.line, 0, {}}});
        }
        return add_text(std::move(lines), {});
    }

    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) {
        switch (function.kind) {
            case FrameKind::code: {
                auto lines = symbols.lines(function.index);
                if (!lines) return lines;
                return add_text(std::move(*lines), {});
            }
            case FrameKind::object:
                if (timeline.tasks().objects()[function.index].kind == ObjectKind::kernel) {
                    return in_kernel({function.offset}, size);
                }
                return in_file(function, size);
            case FrameKind::jit: return in_jit(function.index);
            case FrameKind::nowhere:
                if (static_cast<Miss>(function.index) == Miss::kernel) return in_kernel({function.offset}, size);
                break;
            case FrameKind::memory: break;
        }
        return std::vector<LineStart>{};
    }
};

const void* CodeLines::file(const Frame& function) const {
    const auto& names = sources_->names;
    switch (function.kind) {
        case FrameKind::object: {
            if (sources_->timeline.tasks().objects()[function.index].kind == ObjectKind::kernel) {
                return &sources_->kernel;
            }
            const auto found = names.files().found(names.file_index(function.index));
            return found ? (*found)->file.get() : nullptr;
        }
        case FrameKind::nowhere: return static_cast<Miss>(function.index) == Miss::kernel ? &sources_->kernel : nullptr;
        case FrameKind::code:
        case FrameKind::jit:
        case FrameKind::memory: break;
    }
    return nullptr;
}

std::optional<Error> CodeLines::problem(const Frame& function, std::span<const LineStart> given) const {
    if (function.kind != FrameKind::jit) {
        const auto* file = sources_->known(function);
        if (file == nullptr || !file->lines || !*file->lines) return {};
        auto problem = (*file->lines)->problem(given);
        if (problem) problem->where = file->path + ": " + problem->where;
        return problem;
    }
    const auto& jit = sources_->names.jit();
    const auto& code = jit.code(function.index);
    const auto lines = code.lines(jit.function(function.index));
    return lines ? problem(code, *lines) : std::nullopt;
}

std::optional<Error> CodeLines::text_problem() const {
    return sources_->sources.problem();
}

std::optional<Error> CodeLines::problem(const JitCode& code, const JitLines& lines) {
    if (std::ranges::none_of(lines, &JitLine::damaged)) return {};
    return Error{ErrorCode::malformed, Error::no_offset, code.dump().name(),
                 "names of source files in it are damaged, as compilers write them from memory that they have freed: "
                 "these lines are left out"};
}

bool CodeLines::is_loss(const Frame& function, const Error& error) {
    if (error.code == ErrorCode::missing) return false;
    // Types of BTF that are not known hide those behind them.
    return error.code != ErrorCode::unsupported || function.kind == FrameKind::code;
}

CodeLines::CodeLines(const Timeline& timeline, const Names& names, const Symbols& symbols, CodeLineOptions options)
    : sources_(
          new Sources{timeline,
                      names,
                      symbols,
                      {std::move(options), names.files().finder().options(), names.files().finder().shared_files()},
                      {},
                      {},
                      {},
                      {},
                      0,
                      {}}) {}
CodeLines::~CodeLines() = default;
CodeLines::CodeLines(CodeLines&&) noexcept = default;
CodeLines& CodeLines::operator=(CodeLines&&) noexcept = default;

Result<std::vector<LineStart>> CodeLines::lines(const Frame& function, std::uint64_t size) const {
    return sources_->lines(function, size);
}

}  // namespace perfdata
