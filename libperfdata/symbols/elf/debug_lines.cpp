// SPDX-License-Identifier: MIT
#include "debug_lines.hpp"

#include <utility>

#include "symbols/elf/dwarf/debug_image.hpp"

namespace perfdata {

std::optional<Error> CodeFile::problem(std::span<const LineStart> given) const {
    if (!lines) return {};
    if (!*lines) return no_debug;
    auto problem = (*lines)->problem(given);
    if (problem) problem->where = path + ": " + problem->where;
    return problem;
}

LinesPlace DebugLines::locate(const RecordedObject& recorded, const FoundObject& found, const LookOut& look) const {
    const auto& finder = files_.finder();
    LinesPlace place{{found.file, {}, {}, files_.demangles(), &finder.store().alternates()}, found.name()};
    auto& [files, name] = place;
    if (has_lines(*found.file)) {
        files.debug = found.file;
    } else if (found.debug && has_lines(*found.debug)) {
        files.debug = found.debug;
        name = found.debug_name();
    } else {
        auto debug = finder.find_debug(recorded, found, has_lines, look);
        files.debug = std::move(debug.file);
        name = std::move(debug.name);
    }
    if (files.debug) files.alternate = finder.find_alternate(*files.debug, name, look);
    return place;
}

Result<std::shared_ptr<DwarfLines>> DebugLines::open(const LinesPlace& place, LookOut& look) {
    const auto& [files, name] = place;
    if (!files.debug) return nullptr;
    const auto& finder = files_.finder();
    const auto one = opened_from(files);
    if (!one) return fail(ErrorCode::limit, Error::no_offset, name.shown(), "too many relocatable files have it");
    const auto read = [&] {
        auto lines = DwarfLines::open(files, finder.options().limits, look);
        if (lines) {
            one->lines = std::make_shared<DwarfLines>(std::move(*lines));
        } else {
            one->lines = fail(std::move(lines.error()));
        }
    };
    one->once(read, look);
    finder.store().trim();
    if (one->lines) return one->lines;
    // Report the name that was asked for: several names may lead to the file, and threads may open it in any order.
    auto error = one->lines.error();
    error.where = name.shown() + ": " + error.where;
    return fail(std::move(error));
}

std::shared_ptr<OpenedLines> DebugLines::opened_from(const DwarfFiles& files) {
    // Any number of files may have one large debug file. It says all about linked files, which are copies of each
    // other, but not where sections lie in relocatable ones.
    constexpr std::size_t most = 16;
    const bool relocatable = files.debug->type() == ElfFile::Type::relocatable;
    const std::scoped_lock lock(mutex_);
    const FileStore::Files key{relocatable ? files.file : nullptr, files.debug, files.alternate};
    auto& one = opened_[key];
    if (!one && (!relocatable || ++relocatable_[files.debug.get()] <= most)) {
        one = files_.finder().store().content<OpenedLines>(key);
    }
    return one;
}

CodeFile& DebugLines::object(FileIndex index) {
    const std::scoped_lock lock(mutex_);
    auto& object = objects_[index.value];
    if (!object) object = std::make_unique<CodeFile>();
    return *object;
}

const CodeFile* DebugLines::known(ObjectIndex index) {
    const auto& one = object(files_.index(index));
    return one.once.done() ? &one : nullptr;
}

std::array<std::shared_ptr<const ElfFile>, 2> DebugLines::files_found(ObjectIndex index) {
    const auto& one = object(files_.index(index));
    if (!one.located.done()) return {};
    return {one.place.files.debug, one.place.files.alternate};
}

Result<std::vector<LineStart>> DebugLines::in_object(const CodeFile& object, std::uint64_t vaddr, std::uint64_t size) {
    if (!object.lines) return fail(object.lines.error());
    if (!*object.lines) return std::vector<LineStart>{};
    auto lines = (*object.lines)->lines(vaddr, size);
    if (!lines) {
        auto error = std::move(lines.error());
        error.where = object.path + ": " + error.where;
        return fail(std::move(error));
    }
    return lines;
}

InlinedFunctions DebugLines::inlined_in_object(const CodeFile& object, std::uint64_t vaddr) {
    InlinedFunctions found;
    if (!object.lines) {
        found.problem = object.lines.error();
        return found;
    }
    if (!*object.lines) {
        // Most systems have no debug files at all: only what the user could take for the right one is worth a note.
        if (object.stale_debug) found.problem = object.no_debug;
        return found;
    }
    if (auto functions = (*object.lines)->inlined_at(vaddr)) {
        found = std::move(*functions);
    } else {
        found.problem = std::move(functions.error());
    }
    found.has_debug = true;
    if (found.problem) found.problem->where = object.path + ": " + found.problem->where;
    return found;
}

CodeFile& DebugLines::located(FileIndex index, const LookOut& look) {
    auto& one = object(index);
    const auto find = [&] {
        const auto found = files_.symbols().found(index, look);
        if (!found) return;
        one.place = locate(files_.symbols().recorded(index), **found, look);
        one.path = files_.finder().files().shown((*found)->path);
        one.file = (*found)->file;
    };
    one.located(find, look);
    return one;
}

const CodeFile& DebugLines::opened(FileIndex index, LookOut& look) {
    auto& one = located(index, look);
    const auto read = [&] {
        const auto found = files_.symbols().found(index, look);
        if (!found) return;
        const auto& recorded = files_.symbols().recorded(index);
        one.lines = open(one.place, look);
        if (!one.lines || *one.lines) return;
        if (const auto missing = files_.finder().missing_debug(recorded, **found, look)) {
            one.stale_debug = missing->why == SymbolMiss::build_id_differs;
            one.no_debug = Error{ErrorCode::missing, Error::no_offset, one.path, missing->text()};
        }
    };
    one.once(read, look);
    return one;
}

void DebugLines::load(ObjectIndex object, bool lines, LookOut& look) {
    const auto& one = opened(files_.index(object), look);
    if (lines && one.lines && *one.lines) (*one.lines)->unpack_lines(look);
}

std::optional<std::uint64_t> DebugLines::vaddr_of(const CodeFile& object, std::uint64_t offset) {
    if (!object.file) return {};
    if (object.file->type() == ElfFile::Type::relocatable) {
        if (const auto* text = object.file->section(".text")) offset += text->offset;
    }
    return object.file->vaddr(offset);
}

Result<std::vector<LineStart>> DebugLines::in_file(const Frame& function, std::uint64_t size) {
    const auto& one = opened(files_.index(function.index));
    const auto vaddr = vaddr_of(one, function.offset);
    return vaddr ? in_object(one, *vaddr, size) : std::vector<LineStart>{};
}

Result<std::vector<CompiledLine>> DebugLines::compiled_in_file(const Frame& function, std::uint64_t size) {
    const auto& one = opened(files_.index(function.index));
    const auto vaddr = vaddr_of(one, function.offset);
    if (!one.lines) return fail(one.lines.error());
    if (!vaddr || !*one.lines) return std::vector<CompiledLine>{};
    auto lines = (*one.lines)->compiled(*vaddr, size);
    if (!lines) lines.error().where = one.path + ": " + lines.error().where;
    return lines;
}

InlinedFunctions DebugLines::inlined_in_file(const Frame& frame) {
    const auto& one = opened(files_.index(frame.index));
    const auto vaddr = vaddr_of(one, frame.offset);
    if (vaddr) return inlined_in_object(one, *vaddr);
    return {{}, {}, one.file != nullptr};
}

}  // namespace perfdata
