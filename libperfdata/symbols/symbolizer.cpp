// SPDX-License-Identifier: MIT
#include "perfdata/symbols/symbolizer.hpp"

#include <utility>

#include "perfdata/core/reentered.hpp"
#include "perfdata/recording/recording.hpp"

#include "code_answers.hpp"
#include "code_sources.hpp"
#include "stored/stored_answers.hpp"

namespace perfdata {
namespace {

// Returns body(), or what `other` says in a callback of the call that is reading what body() needs.
template <class Body, class Other>
auto unless_busy(Body&& body, Other&& other) -> decltype(body()) {
    try {
        return body();
    } catch (const Reentered&) {
        return other();
    }
}

// The same for a Result.
template <class Body>
auto or_busy(Body&& body) -> decltype(body()) {
    return unless_busy(body, [] { return std::unexpected(Reentered::error()); });
}

}  // namespace

Symbolizer::Symbolizer(Shared<const CodeAnswers> answers) : answers_(std::move(answers)) {}
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

Symbolizer Symbolizer::open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options) {
    if (const auto* model = recording.stored()) {
        return Symbolizer(std::make_unique<const StoredAnswers>(recording, timeline, *model));
    }
    return Symbolizer(std::make_unique<const CodeSources>(recording, timeline, options));
}

void Symbolizer::read_ahead(const Recording& recording, const SymbolizerOptions& options) noexcept {
    if (!options.cache || recording.is_profile() || recording.bundle()) return;
    try {
        CodeSources::read_ahead(recording, options);
    } catch (...) {  // whoever needs what is missing tells why
    }
}

const Timeline& Symbolizer::timeline() const {
    return functions().timeline();
}
const JitCodes& Symbolizer::jit() const {
    return functions().jit();
}
const BpfPrograms& Symbolizer::bpf() const {
    return answers_->bpf();
}
const FunctionIndex& Symbolizer::functions() const {
    return answers_->functions();
}
const CodeVersions& Symbolizer::versions() const {
    return answers_->versions();
}

FrameName Symbolizer::name(const Frame& frame) const {
    const auto none = [&] { return FrameName{{}, frame.offset, {}, CodeClass::unknown, SymbolMiss::busy}; };
    return unless_busy([&] { return answers_->name(frame); }, none);
}
Unnamed Symbolizer::why_unnamed(const Frame& frame) const {
    return unless_busy([&] { return answers_->why_unnamed(frame); },
                       [] {
                           return Unnamed{explain(SymbolMiss::busy), remedy(SymbolMiss::busy)};
                       });
}
Frame Symbolizer::function(const Frame& frame) const {
    return unless_busy([&] { return functions().function(frame); }, [&] { return frame; });
}
FunctionExtent Symbolizer::extent(const Frame& frame) const {
    return unless_busy([&] { return functions().extent(frame); }, [&] { return FunctionExtent{frame, 0, {}}; });
}

Result<CodeImage> Symbolizer::image(const CodeVersion& version) const {
    return or_busy([&] { return answers_->image(version); });
}
bool Symbolizer::keeps_targets() const {
    return answers_->keeps_targets();
}
std::optional<KnownTarget> Symbolizer::target(const CodeVersion& version, Address address, TargetUse use) const {
    return answers_->target(version, address, use);
}

Result<std::vector<LineStart>> Symbolizer::lines(const Frame& function, std::uint64_t size) const {
    return or_busy([&]() -> Result<std::vector<LineStart>> {
        auto lines = answers_->lines_without_texts(function, size);
        if (!lines) return lines;
        return answers_->with_texts(function, std::move(*lines));
    });
}
Result<std::vector<LineStart>> Symbolizer::lines_without_texts(const Frame& function, std::uint64_t size) const {
    return or_busy([&] { return answers_->lines_without_texts(function, size); });
}
std::vector<LineStart> Symbolizer::with_texts(const Frame& function, std::vector<LineStart> lines) const {
    return unless_busy([&] { return answers_->with_texts(function, lines); }, [&] { return lines; });
}
Result<std::vector<CompiledLine>> Symbolizer::compiled_lines(const Frame& function, std::uint64_t size) const {
    return or_busy([&] { return answers_->compiled_lines(function, size); });
}
LinesOrigin Symbolizer::lines_origin(const Frame& function) const {
    return unless_busy([&] { return answers_->lines_origin(function); }, [] { return LinesOrigin{}; });
}
Result<const void*> Symbolizer::lines_shared(const Frame& function, const Watch& watch) const {
    try {
        LookOut look(watch);
        look.ask();
        return answers_->lines_shared(function, look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "symbols", "asked to stop");
    } catch (const Reentered&) {
        return std::unexpected(Reentered::error());
    }
}
std::uint64_t Symbolizer::lines_size(const Frame& function) const {
    return answers_->lines_size(function);
}
CodePlace Symbolizer::place(const CodeVersion& version) const {
    return unless_busy([&] { return answers_->place(version); }, [] { return CodePlace{}; });
}
std::optional<Error> Symbolizer::lines_problem(const Frame& function, std::span<const LineStart> lines) const {
    return unless_busy([&] { return answers_->lines_problem(function, lines); },
                       [] { return std::optional(Reentered::error()); });
}
bool Symbolizer::is_line_loss(const Frame& function, const Error& error) const {
    return answers_->is_line_loss(function, error);
}
TextMiss Symbolizer::text_miss(const Frame& function, std::string_view file) const {
    return unless_busy([&] { return answers_->text_miss(function, file); }, [] { return TextMiss::none; });
}
std::optional<Error> Symbolizer::text_problem() const {
    return answers_->text_problem();
}

std::expected<const FoundObject*, SymbolMiss> Symbolizer::file(ObjectIndex object) const {
    return unless_busy([&] { return answers_->file(object); }, [] { return std::unexpected(SymbolMiss::busy); });
}
std::vector<const ElfFile*> Symbolizer::files_read(ObjectIndex object) const {
    return unless_busy([&] { return answers_->files_read(object); }, [] { return std::vector<const ElfFile*>(); });
}
std::optional<std::uint64_t> Symbolizer::file_address(ObjectIndex object, std::uint64_t offset) const {
    return unless_busy([&] { return answers_->file_address(object, offset); }, [] { return std::nullopt; });
}
const RecordedObject& Symbolizer::recorded_object(ObjectIndex object) const {
    return answers_->recorded_object(object);
}
std::optional<MissingDebugFile> Symbolizer::missing_debug(ObjectIndex object) const {
    return unless_busy([&] { return answers_->missing_debug(object); }, [] { return std::nullopt; });
}
bool Symbolizer::has_build_ids() const {
    return answers_->has_build_ids();
}
void Symbolizer::prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const {
    try {
        answers_->prepare(jobs, stop, progress);
    } catch (const Reentered&) {  // whoever asks for these files is told
    }
}
Result<void> Symbolizer::load(const Frame& frame, CodeDetail detail, const Watch& watch) const {
    return or_busy([&]() -> Result<void> {
        if (functions().load(frame, detail, watch)) return {};
        return fail(ErrorCode::cancelled, Error::no_offset, "symbols", "asked to stop");
    });
}
std::vector<std::string> Symbolizer::objects_with(std::string_view name, const StopToken& stop) const {
    return answers_->objects_with(name, stop);
}

const KernelNames* Symbolizer::kernel() const {
    return answers_->kernel_names();
}
bool Symbolizer::has_kernel_names() const {
    return answers_->has_kernel_names();
}
const RecordedKernel& Symbolizer::recorded_kernel() const {
    return answers_->recorded_kernel();
}
Result<KernelText> Symbolizer::kernel_text(const Watch& watch) const {
    return or_busy([&] { return answers_->kernel_text(watch); });
}
const std::vector<Error>& Symbolizer::problems() const {
    return answers_->problems();
}
const Error* Symbolizer::kernel_problem() const {
    return answers_->kernel_problem();
}
const std::vector<Error>& Symbolizer::image_problems() const {
    return answers_->image_problems();
}
std::vector<Error> Symbolizer::inlined_problems() const {
    return answers_->inlined_problems();
}
DiagnosticLog Symbolizer::losses() const {
    return answers_->losses();
}

}  // namespace perfdata
