// SPDX-License-Identifier: MIT
// What the Symbolizer asks. There are two who answer: all sources of code of a recording (CodeSources), and what a
// profile file has kept of their answers (stored/stored_answers).
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/symbolizer.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "recording/look_out.hpp"

namespace perfdata {

// CodeAnswers cannot move: its parts refer to each other. Const use from many threads is safe. What members say is said
// at those of the Symbolizer with the same name. They may throw Reentered.
class CodeAnswers {
  public:
    virtual ~CodeAnswers() = default;
    CodeAnswers(const CodeAnswers&) = delete;
    CodeAnswers& operator=(const CodeAnswers&) = delete;

    // Functions and extents, the timeline, JIT code, and loading.
    virtual const FunctionIndex& functions() const = 0;
    virtual const BpfPrograms& bpf() const = 0;
    virtual const CodeVersions& versions() const = 0;

    virtual FrameName name(const Frame& frame) const = 0;
    virtual Unnamed why_unnamed(const Frame& frame) const = 0;
    virtual Result<CodeImage> image(const CodeVersion& version) const = 0;
    virtual CodePlace place(const CodeVersion& version) const = 0;
    virtual std::optional<KnownTarget> target(const CodeVersion& version, Address address, TargetUse use) const = 0;
    // Returns true if target() answers, and what has the bytes is not here.
    virtual bool keeps_targets() const = 0;

    virtual Result<std::vector<LineStart>> lines_without_texts(const Frame& function, std::uint64_t size) const = 0;
    virtual std::vector<LineStart> with_texts(const Frame& function, std::vector<LineStart> lines) const = 0;
    virtual Result<std::vector<CompiledLine>> compiled_lines(const Frame& function, std::uint64_t size) const = 0;
    virtual LinesOrigin lines_origin(const Frame& function) const = 0;
    // Throws Stopped.
    virtual const void* lines_shared(const Frame& function, LookOut& look) const = 0;
    virtual std::uint64_t lines_size(const Frame& function) const = 0;
    virtual std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const = 0;
    virtual bool is_line_loss(const Frame& function, const Error& error) const = 0;
    virtual TextMiss text_miss(const Frame& function, std::string_view file) const = 0;
    virtual std::optional<Error> text_problem() const = 0;

    virtual std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const = 0;
    virtual std::optional<std::uint64_t> file_address(ObjectIndex object, std::uint64_t offset) const = 0;
    virtual std::vector<const ElfFile*> files_read(ObjectIndex object) const = 0;
    virtual const RecordedObject& recorded_object(ObjectIndex object) const = 0;
    virtual std::optional<MissingDebugFile> missing_debug(ObjectIndex object) const = 0;
    virtual bool has_build_ids() const = 0;
    virtual void prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const = 0;
    virtual std::vector<std::string> objects_with(std::string_view name, const StopToken& stop) const = 0;

    virtual const KernelNames* kernel_names() const = 0;
    virtual bool has_kernel_names() const = 0;
    virtual const RecordedKernel& recorded_kernel() const = 0;
    virtual Result<KernelText> kernel_text(const Watch& watch) const = 0;

    virtual const std::vector<Error>& problems() const = 0;
    virtual const Error* kernel_problem() const = 0;
    virtual const std::vector<Error>& image_problems() const = 0;
    virtual std::vector<Error> inlined_problems() const = 0;
    virtual DiagnosticLog losses() const = 0;

  protected:
    CodeAnswers() = default;

    // Returns FunctionIndex::shown_name().
    ShownName shown(const Frame& frame) const {
        const auto known = name(frame);
        ShownName shown{known.symbol, known.object, {}};
        if (frame.is_code()) shown.in_source = bpf().plain_name(frame.index).full();
        return shown;
    }
};

}  // namespace perfdata
