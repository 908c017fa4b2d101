// SPDX-License-Identifier: MIT
// What a profile file has kept of the answers of all sources of code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "recording/stored/model.hpp"
#include "stored_images.hpp"
#include "stored_lines.hpp"
#include "symbols/code_answers.hpp"
#include "timeline/stored_places.hpp"

namespace perfdata {

// StoredAnswers knows the places that samples and their callers had, all bytes of the functions there, and what is at
// the addresses that these name. It opens no files. All is made at the beginning, and nothing changes afterwards, so
// that there is nothing to lock.
class StoredAnswers final : public FunctionIndex, public CodeAnswers {
  public:
    // All must outlive it. The model is that of the recording, and the timeline is made of it.
    StoredAnswers(const Recording& recording, const Timeline& timeline, const stored::Model& model);

    const Timeline& timeline() const override { return timeline_; }
    const JitCodes& jit() const override { return jit_; }  // empty
    bool load(const Frame& frame, CodeDetail detail, const Watch& watch) const override;
    Frame function(const Frame& frame) const override;
    FunctionExtent extent(const Frame& frame) const override;
    bool named(const Frame& frame) const override;
    std::optional<NamelessCode> nameless(const Frame& frame) const override;
    CodePart left_out(const Frame& frame, const CodeFilter& filter) const override;
    void add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const override;
    ShownName shown_name(const Frame& frame) const override { return shown(frame); }

    const FunctionIndex& functions() const override { return *this; }
    const BpfPrograms& bpf() const override { return bpf_; }
    const CodeVersions& versions() const override { return *versions_; }

    FrameName name(const Frame& frame) const override;
    Unnamed why_unnamed(const Frame& frame) const override;
    Result<CodeImage> image(const CodeVersion& version) const override;
    CodePlace place(const CodeVersion& version) const override;
    std::optional<KnownTarget> target(const CodeVersion& version, Address address, TargetUse use) const override;
    bool keeps_targets() const override { return true; }

    Result<std::vector<LineStart>> lines_without_texts(const Frame& function, std::uint64_t size) const override;
    std::vector<LineStart> with_texts(const Frame& function, std::vector<LineStart> lines) const override;
    Result<std::vector<CompiledLine>> compiled_lines(const Frame& function, std::uint64_t size) const override;
    LinesOrigin lines_origin(const Frame& function) const override;
    const void* lines_shared(const Frame&, LookOut&) const override { return nullptr; }
    std::uint64_t lines_size(const Frame&) const override { return 0; }
    std::optional<Error> lines_problem(const Frame& function, std::span<const LineStart> lines) const override;
    bool is_line_loss(const Frame& function, const Error& error) const override;
    // A file that no text was kept of is no file to look for: nothing here would be taken.
    TextMiss text_miss(const Frame&, std::string_view) const override { return TextMiss::none; }
    std::optional<Error> text_problem() const override { return text_problem_; }

    std::expected<const FoundObject*, SymbolMiss> file(ObjectIndex object) const override;
    std::optional<std::uint64_t> file_address(ObjectIndex object, std::uint64_t offset) const override;
    const RecordedObject& recorded_object(ObjectIndex object) const override { return recorded_[object]; }
    std::vector<const ElfFile*> files_read(ObjectIndex) const override { return {}; }
    std::optional<MissingDebugFile> missing_debug(ObjectIndex object) const override;
    bool has_build_ids() const override { return model_.facts.has_build_ids; }
    void prepare(unsigned, const StopToken&, const Progress&) const override {}
    // Takes time linear in the functions.
    std::vector<std::string> objects_with(std::string_view name, const StopToken& stop) const override;

    const KernelNames* kernel_names() const override { return nullptr; }
    bool has_kernel_names() const override { return model_.facts.has_kernel_names; }
    const RecordedKernel& recorded_kernel() const override { return kernel_; }
    Result<KernelText> kernel_text(const Watch& watch) const override;

    const std::vector<Error>& problems() const override { return problems_; }
    const Error* kernel_problem() const override;
    const std::vector<Error>& image_problems() const override { return image_problems_; }
    std::vector<Error> inlined_problems() const override { return inlined_problems_; }
    DiagnosticLog losses() const override { return losses_; }

  private:
    // Returns the row of a place without a symbol, or else of the next one in the same object. Null: there is none.
    const stored::Frame* nameless_row(const Frame& frame) const;
    // Returns what that row says. Null: nothing.
    const stored::Nameless* nameless_at(const Frame& frame) const;
    // Returns the row if it says why there is no line; else null.
    const stored::Frame* without_line(const Frame& frame) const;
    FrameName inlined_name(const Frame& frame) const;

    const Timeline& timeline_;
    const stored::Model& model_;
    StoredPlaces places_;
    StoredImages images_;
    StoredLines lines_;
    JitCodes jit_;
    BpfPrograms bpf_;
    std::optional<CodeVersions> versions_;  // never empty; it asks what is above
    std::vector<RecordedObject> recorded_;  // by object
    std::vector<FoundObject> found_;        // likewise
    RecordedKernel kernel_;
    std::vector<Error> problems_, image_problems_, inlined_problems_;
    std::optional<Error> text_problem_;
    std::optional<std::size_t> kernel_problem_;  // in problems_
    DiagnosticLog losses_;
};

}  // namespace perfdata
