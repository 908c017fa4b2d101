// SPDX-License-Identifier: MIT
#include "perfdata/symbols/symbolizer.hpp"

#include <algorithm>
#include <utility>

#include "perfdata/core/reentered.hpp"
#include "perfdata/symbols/bundle/bundle.hpp"

#include "code_sources.hpp"

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

Symbolizer::Symbolizer(Shared<const CodeSources> sources) : sources_(std::move(sources)) {}
Symbolizer::~Symbolizer() = default;
Symbolizer::Symbolizer(Symbolizer&&) noexcept = default;
Symbolizer& Symbolizer::operator=(Symbolizer&&) noexcept = default;

Symbolizer Symbolizer::open(const Recording& recording, const Timeline& timeline, const SymbolizerOptions& options) {
    return Symbolizer(std::make_unique<const CodeSources>(recording, timeline, options));
}

const Timeline& Symbolizer::timeline() const {
    return sources_->timeline();
}
const JitCodes& Symbolizer::jit() const {
    return sources_->jit();
}
const BpfPrograms& Symbolizer::bpf() const {
    return sources_->bpf();
}
const FunctionIndex& Symbolizer::functions() const {
    return *sources_;
}
const CodeVersions& Symbolizer::versions() const {
    return sources_->versions();
}

FrameName Symbolizer::name(const Frame& frame) const {
    const auto none = [&] { return FrameName{{}, frame.offset, {}, CodeClass::unknown, SymbolMiss::busy}; };
    return unless_busy([&] { return sources_->of(frame).name(frame); }, none);
}
Unnamed Symbolizer::why_unnamed(const Frame& frame) const {
    return unless_busy([&] { return sources_->of(frame).why_unnamed(frame); },
                       [] {
                           return Unnamed{explain(SymbolMiss::busy), remedy(SymbolMiss::busy)};
                       });
}
Frame Symbolizer::function(const Frame& frame) const {
    return unless_busy([&] { return sources_->of(frame).function(frame); }, [&] { return frame; });
}
FunctionExtent Symbolizer::extent(const Frame& frame) const {
    return unless_busy([&] { return sources_->of(frame).extent(frame); }, [&] { return FunctionExtent{frame, 0, {}}; });
}

Result<CodeImage> Symbolizer::image(const CodeVersion& version) const {
    return or_busy([&] { return image_of(version); });
}

Result<CodeImage> Symbolizer::image_of(const CodeVersion& version) const {
    const auto most = sources_->limits().function_bytes;
    const auto& source = sources_->of(version.function);
    // Sizes in symbol tables are unverified.
    auto image = source.image(version, std::min(version.size, most));
    if (!image) return image;
    const auto name = source.name(version.function);
    const std::string where(name.symbol.empty() ? name.object : name.symbol);
    if (image->bytes.empty()) {
        return fail(ErrorCode::missing, Error::no_offset, where, image->origin + " has no code there");
    }
    auto known = image->bytes.size();
    for (const auto& gap : image->gaps) known -= static_cast<std::size_t>(gap.size);
    if (known < version.size) {
        const bool limited = known == most;
        image->problems.push_back({limited ? ErrorCode::limit : ErrorCode::truncated, Error::no_offset, where,
                                   "of its " + std::to_string(version.size) + " bytes only " + std::to_string(known) +
                                       (limited ? " are shown" : " are in " + image->origin)});
    }
    return image;
}

Result<std::vector<LineStart>> Symbolizer::lines(const Frame& function, std::uint64_t size) const {
    return or_busy([&]() -> Result<std::vector<LineStart>> {
        const auto& source = sources_->of(function);
        auto lines = source.lines(function, size);
        if (!lines) return lines;
        return sources_->texts().add_to(std::move(*lines), source.built(function));
    });
}
Result<std::vector<LineStart>> Symbolizer::lines_without_texts(const Frame& function, std::uint64_t size) const {
    return or_busy([&] { return sources_->of(function).lines(function, size); });
}
std::vector<LineStart> Symbolizer::with_texts(const Frame& function, std::vector<LineStart> lines) const {
    return unless_busy([&] { return sources_->texts().add_to(lines, sources_->of(function).built(function)); },
                       [&] { return lines; });
}
Result<std::vector<CompiledLine>> Symbolizer::compiled_lines(const Frame& function, std::uint64_t size) const {
    const auto* mapped = sources_->mapped(function);
    return or_busy([&]() -> Result<std::vector<CompiledLine>> {
        return mapped != nullptr ? mapped->compiled_lines(function, size) : std::vector<CompiledLine>{};
    });
}
LinesOrigin Symbolizer::lines_origin(const Frame& function) const {
    return unless_busy([&] { return sources_->of(function).lines_origin(function); }, [] { return LinesOrigin{}; });
}
Result<const void*> Symbolizer::lines_shared(const Frame& function, const Watch& watch) const {
    try {
        LookOut look(watch);
        look.ask();
        return sources_->of(function).lines_shared(function, look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, "symbols", "asked to stop");
    } catch (const Reentered&) {
        return std::unexpected(Reentered::error());
    }
}
std::uint64_t Symbolizer::lines_size(const Frame& function) const {
    return sources_->of(function).lines_size(function);
}
CodePlace Symbolizer::place(const CodeVersion& version) const {
    return unless_busy([&] { return sources_->of(version.function).place(version); }, [] { return CodePlace{}; });
}
std::optional<Error> Symbolizer::lines_problem(const Frame& function, std::span<const LineStart> lines) const {
    return unless_busy([&] { return sources_->of(function).lines_problem(function, lines); },
                       [] { return std::optional(Reentered::error()); });
}
bool Symbolizer::is_line_loss(const Frame& function, const Error& error) const {
    return sources_->of(function).is_line_loss(error);
}
std::optional<Error> Symbolizer::text_problem() const {
    return sources_->texts().problem();
}

std::expected<const FoundObject*, SymbolMiss> Symbolizer::file(ObjectIndex object) const {
    return unless_busy([&] { return sources_->files().file(object); },
                       [] { return std::unexpected(SymbolMiss::busy); });
}
const RecordedObject& Symbolizer::recorded_object(ObjectIndex object) const {
    const auto& files = sources_->files();
    return files.symbols().recorded(files.index(object));
}
std::optional<MissingDebugFile> Symbolizer::missing_debug(ObjectIndex object) const {
    const auto found = file(object);
    if (!found) return {};
    return unless_busy([&] { return sources_->files().finder().missing_debug(recorded_object(object), **found); },
                       [] { return std::nullopt; });
}
bool Symbolizer::has_build_ids() const {
    return sources_->files().has_build_ids();
}
void Symbolizer::prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const {
    try {
        sources_->files().prepare(jobs, stop, progress);
    } catch (const Reentered&) {  // whoever asks for these files is told
    }
}
Result<void> Symbolizer::load(const Frame& frame, CodeDetail detail, const Watch& watch) const {
    return or_busy([&]() -> Result<void> {
        if (sources_->load(frame, detail, watch)) return {};
        return fail(ErrorCode::cancelled, Error::no_offset, "symbols", "asked to stop");
    });
}
std::vector<std::string> Symbolizer::objects_with(std::string_view name, const StopToken& stop) const {
    std::vector<std::string> objects;
    if (const auto* names = kernel(); names != nullptr && names->has_function(name)) {
        objects.emplace_back("[kernel.kallsyms]");
    }
    const auto& symbols = sources_->files().symbols();
    for (const auto file : symbols.with_function(name, stop)) objects.push_back(symbols.recorded(file).path);
    return objects;
}

const KernelNames* Symbolizer::kernel() const {
    return sources_->kernel().names();
}
const RecordedKernel& Symbolizer::recorded_kernel() const {
    return sources_->kernel().recorded();
}
Result<KernelText> Symbolizer::kernel_text(const Watch& watch) const {
    return or_busy([&] { return KernelNames::find_text(recorded_kernel(), sources_->files().finder(), watch); });
}
const std::vector<Error>& Symbolizer::problems() const {
    return sources_->problems();
}
const Error* Symbolizer::kernel_problem() const {
    const auto problem = sources_->kernel().problem();
    return problem ? &sources_->problems()[*problem] : nullptr;
}
const std::vector<Error>& Symbolizer::image_problems() const {
    return sources_->kernel().code_problems();
}
std::vector<Error> Symbolizer::inlined_problems() const {
    return sources_->inlined().problems();
}
DiagnosticLog Symbolizer::losses() const {
    auto losses = sources_->losses();
    if (const auto& bundle = sources_->recording().bundle()) losses.append(bundle->losses());
    for (auto& damage : sources_->files().symbols().damage()) losses.add(std::move(damage));
    if (auto damage = sources_->kernel().code().damage()) losses.add(std::move(*damage));
    for (auto& problem : sources_->inlined().problems()) {
        if (perfdata::is_line_loss(problem.code)) losses.add(std::move(problem));
    }
    return losses;
}

}  // namespace perfdata
