// SPDX-License-Identifier: MIT
// All sources of code of one recording. Only this class knows to which of them a frame belongs.
//
//     Frame -> of(frame) -+- code     BPF program ............ bpf/bpf_source
//                         |           trampoline, kprobe slot  kernel/out_of_line_source
//                         +- object   kernel, module ......... kernel/kernel_source
//                         |           mapped file, vDSO ...... elf/elf_source
//                         +- jit      function of a jitdump .. jit/jit_source
//                         +- memory   without a file ......... jit/perf_map_source
//                         +- inlined  into one of the above .. elf/inlined_source
//                         +- nowhere  kernel address ......... kernel/kernel_source
//                                     anything else .......... nowhere_source
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/function_index.hpp"

#include "bpf/bpf_source.hpp"
#include "code_answers.hpp"
#include "elf/debug_lines.hpp"
#include "elf/elf_source.hpp"
#include "elf/inlined_source.hpp"
#include "elf/mapped_files.hpp"
#include "jit/jit_source.hpp"
#include "jit/perf_map_source.hpp"
#include "kernel/kernel_source.hpp"
#include "kernel/out_of_line_source.hpp"
#include "nowhere_source.hpp"
#include "once.hpp"
#include "unwind/mapped_cfi.hpp"

namespace perfdata {

// CodeSources cannot move: its parts refer to each other. Const use from many threads is safe.
class CodeSources final : public FunctionIndex, public CodeAnswers {
  public:
    // Recording and timeline must outlive it.
    CodeSources(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options);
    CodeSources(const CodeSources&) = delete;
    CodeSources& operator=(const CodeSources&) = delete;

    const CodeSource& of(const Frame& frame) const;

    const Timeline& timeline() const override { return timeline_; }
    const JitCodes& jit() const override { return jit_.codes(); }
    bool load(const Frame& frame, CodeDetail detail, const Watch& watch) const override;
    Frame function(const Frame& frame) const override { return of(frame).function(frame); }
    FunctionExtent extent(const Frame& frame) const override { return of(frame).extent(frame); }
    bool named(const Frame& frame) const override { return !of(frame).name(frame).symbol.empty(); }
    std::optional<CodePlaces> places_of(std::span<const std::string> names) const override;
    ShownName shown_name(const Frame& frame) const override { return shown(frame); }
    std::optional<NamelessCode> nameless(const Frame& frame) const override;
    CodePart left_out(const Frame& frame, const CodeFilter& filter) const override;
    Shared<StackUnwinder> unwinder(const StopToken& stop) const override;
    void add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const override;

    const FunctionIndex& functions() const override { return *this; }
    const BpfPrograms& bpf() const override { return bpf_programs_; }
    // Computes them on first use: callers that only count functions need none.
    const CodeVersions& versions() const override;

    FrameName name(const Frame& frame) const override;
    Unnamed why_unnamed(const Frame& frame) const override;
    Result<CodeImage> image(const CodeVersion& version) const override;
    CodePlace place(const CodeVersion& version) const override;
    std::optional<KnownTarget> target(const CodeVersion&, Address, TargetUse) const override { return {}; }
    bool keeps_targets() const override { return false; }

    Result<std::vector<LineStart>> lines_without_texts(const Frame& function, std::uint64_t size) const override;
    std::vector<LineStart> with_texts(const Frame& function, std::vector<LineStart> lines) const override;
    Result<std::vector<CompiledLine>> compiled_lines(const Frame& function, std::uint64_t size) const override;
    LinesOrigin lines_origin(const Frame& function) const override;
    const void* lines_shared(const Frame& function, LookOut& look) const override;
    std::uint64_t lines_size(const Frame& function) const override;
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const override;
    bool is_line_loss(const Frame& function, const Error& error) const override;
    TextMiss text_miss(const Frame& function, std::string_view file) const override;
    std::optional<Error> text_problem() const override;

    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const override;
    std::optional<std::uint64_t> file_address(ObjectIndex object, std::uint64_t offset) const override;
    std::vector<const ElfFile*> files_read(ObjectIndex object) const override;
    const RecordedObject& recorded_object(ObjectIndex object) const override;
    std::optional<MissingDebugFile> missing_debug(ObjectIndex object) const override;
    bool has_build_ids() const override;
    void prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const override;
    std::vector<std::string> objects_with(std::string_view name, const StopToken& stop) const override;

    const KernelNames* kernel_names() const override { return kernel_.names(); }
    bool has_kernel_names() const override { return kernel_.names() != nullptr; }
    const RecordedKernel& recorded_kernel() const override { return kernel_.recorded(); }
    Result<KernelText> kernel_text(const Watch& watch) const override;

    const std::vector<Error>& problems() const override { return problems_; }
    const Error* kernel_problem() const override;
    const std::vector<Error>& image_problems() const override;
    std::vector<Error> inlined_problems() const override;
    DiagnosticLog losses() const override;

    // See Symbolizer::read_ahead().
    static void read_ahead(const Recording& recording, const SymbolizerOptions& given);

  private:
    // Returns the source of a mapped file; null for other code.
    const ElfSource* mapped(const Frame& frame) const { return &of(frame) == &elf_ ? &elf_ : nullptr; }
    static ObjectFinder finder_for(const SymbolizerOptions& options, Shared<const FileSystem> files);

    const Timeline& timeline_;
    Limits limits_;
    std::vector<Error> problems_;
    DiagnosticLog losses_;
    SymbolizerOptions options_;
    ObjectFinder finder_;
    mutable LineTexts texts_;  // filled on demand; threads may
    SourceContext context_;
    MappedFiles files_;
    mutable DebugLines debug_lines_;
    mutable MappedCfi cfi_;
    BpfPrograms bpf_programs_;

    KernelSource kernel_;
    OutOfLineSource out_of_line_;
    BpfSource bpf_;
    ElfSource elf_;
    JitSource jit_;
    PerfMapSource perf_maps_;
    InlinedSource inlined_;
    mutable std::vector<std::atomic<bool>> without_debug_;  // by ObjectIndex: nothing is inlined there
    NowhereSource nowhere_;

    mutable Once versions_once_;
    mutable std::optional<CodeVersions> versions_;
};

}  // namespace perfdata
