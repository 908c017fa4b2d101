// SPDX-License-Identifier: MIT
// The kernel and its modules as a source of code.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "kernel_code.hpp"
#include "symbols/code_source.hpp"
#include "symbols/elf/debug_lines.hpp"
#include "symbols/elf/mapped_files.hpp"
#include "symbols/source_context.hpp"

namespace perfdata {

// Names come from a kallsyms file or a vmlinux, those of modules also from their files. Bytes come from a copy of the
// kernel's memory, else from vmlinux and the modules' files. KernelSource also answers for kernel addresses in no
// recorded mapping: its names may cover them.
class KernelSource final : public CodeSource {
  public:
    KernelSource(const SourceContext& context, const MappedFiles& files, DebugLines& lines);

    void load(const Frame& frame, CodeDetail detail, LookOut& look) const override;

    FrameName name(const Frame& frame) const override { return find(frame).name; }
    FunctionExtent extent(const Frame& frame) const override { return find(frame).extent; }
    Result<CodeImage> image(const CodeVersion& version, std::uint64_t size) const override;
    Result<std::vector<LineStart>> lines(const Frame& function, std::uint64_t size) const override;
    const void* lines_shared(const Frame& function, LookOut& look) const override;
    std::string built(const Frame& function) const override;
    InlinedFunctions inlined(const Frame& frame) const override;
    Unnamed why_unnamed(const Frame& frame) const override;
    bool wants_a_name(const Frame& frame) const override;
    LinesOrigin lines_origin(const Frame& function) const override;
    CodePlace place(const CodeVersion& version) const override;
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const override;

    const RecordedKernel& recorded() const { return recorded_; }
    // Returns the kernel's names; null if there are none.
    const KernelNames* names() const { return names_ ? &*names_ : nullptr; }
    const KernelCode& code() const { return *code_; }
    // Returns the index of the problem that matters only if kernel code has no name: the user gave no file with names,
    // and none was found.
    std::optional<std::size_t> problem() const { return problem_; }
    // Returns what is wrong with the copy of memory that the user gave.
    const std::vector<Error>& code_problems() const { return code_problems_; }

  private:
    struct Found {
        FrameName name;
        FunctionExtent extent;
    };
    Found find(const Frame& frame) const;
    void find_by_address(Address address, const Frame& frame, Found& found) const;
    bool is_module(const Frame& frame) const;
    // Returns vmlinux with the place of its debug information.
    CodeFile& located_text(const LookOut& look) const;
    // Returns it with its debug information.
    const CodeFile& text() const {
        LookOut nobody;
        return text(nobody);
    }
    const CodeFile& text(LookOut& look) const;
    // Returns the file that the lines of a function are read from; null: nobody asked for any yet.
    const CodeFile* known(const Frame& function) const;

    const SourceContext& context_;
    const Timeline& timeline_;
    const MappedFiles& files_;
    DebugLines& lines_;
    RecordedKernel recorded_;
    std::optional<KernelNames> names_;
    std::optional<std::size_t> problem_;
    const Unnamed* unnamed_ = nullptr;  // why no frame has a name; null with names
    std::vector<Error> code_problems_;
    std::optional<KernelCode> code_;
    // Debug information of vmlinux, opened when lines are first asked for.
    mutable CodeFile text_;
    mutable std::uint64_t text_relocation_ = 0;  // recorded address less address in the file
};

}  // namespace perfdata
