// SPDX-License-Identifier: MIT
// Mapped files as a source of code: programs, libraries, the vDSO.
#pragma once

#include <string>

#include "debug_lines.hpp"
#include "mapped_files.hpp"
#include "symbols/code_source.hpp"
#include "symbols/source_context.hpp"
#include "symbols/unwind/mapped_cfi.hpp"

namespace perfdata {

class ElfSource final : public CodeSource {
  public:
    ElfSource(const SourceContext& context, const MappedFiles& files, DebugLines& lines, MappedCfi& cfi)
        : timeline_(context.timeline), files_(files), lines_(lines), cfi_(cfi) {}

    void load(const Frame& frame, CodeDetail detail, LookOut& look) const override {
        const bool lines = detail == CodeDetail::lines;
        if (lines || detail == CodeDetail::inlined) return lines_.load(frame.index, lines, look);
        (void)files_.symbols().found(files_.index(frame.index), look);
    }

    FrameName name(const Frame& frame) const override { return find(frame).name; }
    FunctionExtent extent(const Frame& frame) const override { return find(frame).extent; }
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const override {
        return lines_.in_file(function, size);
    }

    const void* lines_shared(const Frame& function, LookOut& look) const override {
        return lines_.shared(function.index, look);
    }
    std::string built(const Frame& function) const override {
        const auto* file = lines_.known(function.index);
        return file != nullptr ? file->path : std::string();
    }

    // See Symbolizer::compiled_lines().
    Result<std::vector<CompiledLine>> compiled_lines(const Frame& function, std::uint64_t size) const {
        return lines_.compiled_in_file(function, size);
    }

    InlinedFunctions inlined(const Frame& frame) const override { return lines_.inlined_in_file(frame); }

    Frame function(const Frame& frame) const override {
        auto begin = frame;
        begin.offset -= files_.symbols().distance(files_.index(frame.index), frame.offset).value_or(0);
        return begin;
    }
    // One file may have any number of names.
    CodePlace place(const CodeVersion& version) const override {
        const auto* read = files_.read(version.function.index);
        return {{CodeOrigin::Kind::file, reinterpret_cast<std::uintptr_t>(read)}, version.function.offset};
    }
    LinesOrigin lines_origin(const Frame& function) const override {
        return {LinesOrigin::Kind::file, files_.read(function.index), 0};
    }
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const override {
        const auto* file = lines_.known(function.index);
        return file != nullptr ? file->problem(lines) : std::nullopt;
    }

    UnwindPlace unwind_place(const Frame& frame) const override { return cfi_.place(frame); }

  private:
    struct Found {
        FrameName name;
        FunctionExtent extent;
    };
    Found find(const Frame& frame) const {
        Found found{{{}, frame.offset, files_.object_name(frame.index), CodeClass::user, SymbolMiss::between_symbols},
                    {frame, 0, {}}};
        files_.find(frame, found.name, found.extent);
        return found;
    }

    const Timeline& timeline_;
    const MappedFiles& files_;
    DebugLines& lines_;
    MappedCfi& cfi_;
};

}  // namespace perfdata
