// SPDX-License-Identifier: MIT
// What the sources of code answer the Symbolizer.
#include <algorithm>
#include <utility>

#include "perfdata/symbols/bundle/bundle.hpp"

#include "code_sources.hpp"

namespace perfdata {

FrameName CodeSources::name(const Frame& frame) const {
    return of(frame).name(frame);
}
Unnamed CodeSources::why_unnamed(const Frame& frame) const {
    return of(frame).why_unnamed(frame);
}

Result<CodeImage> CodeSources::image(const CodeVersion& version) const {
    const auto most = limits_.function_bytes;
    const auto& source = of(version.function);
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
CodePlace CodeSources::place(const CodeVersion& version) const {
    return of(version.function).place(version);
}

Result<std::vector<LineStart>> CodeSources::lines_without_texts(const Frame& function, std::uint64_t size) const {
    return of(function).lines(function, size);
}
std::vector<LineStart> CodeSources::with_texts(const Frame& function, std::vector<LineStart> lines) const {
    return texts_.add_to(std::move(lines), of(function).built(function));
}
Result<std::vector<CompiledLine>> CodeSources::compiled_lines(const Frame& function, std::uint64_t size) const {
    const auto* source = mapped(function);
    return source != nullptr ? source->compiled_lines(function, size) : std::vector<CompiledLine>{};
}
LinesOrigin CodeSources::lines_origin(const Frame& function) const {
    return of(function).lines_origin(function);
}
const void* CodeSources::lines_shared(const Frame& function, LookOut& look) const {
    return of(function).lines_shared(function, look);
}
std::uint64_t CodeSources::lines_size(const Frame& function) const {
    return of(function).lines_size(function);
}
std::optional<Error> CodeSources::lines_problem(const Frame& function, std::span<const LineStart> lines) const {
    return of(function).lines_problem(function, lines);
}
bool CodeSources::is_line_loss(const Frame& function, const Error& error) const {
    return of(function).is_line_loss(error);
}
TextMiss CodeSources::text_miss(const Frame& function, std::string_view file) const {
    return texts_.miss(file, of(function).built(function));
}
std::optional<Error> CodeSources::text_problem() const {
    return texts_.problem();
}

std::expected<const FoundObject*, SymbolMiss> CodeSources::file(ObjectIndex object) const {
    return files_.file(object);
}
std::vector<const ElfFile*> CodeSources::files_read(ObjectIndex object) const {
    const auto found = files_.file(object);
    if (!found) return {};
    const auto [debug, alternate] = debug_lines_.files_found(object);
    std::vector<const ElfFile*> files{(*found)->file.get(), (*found)->debug.get(), debug.get(), alternate.get(),
                                      cfi_.debug_read(object).get()};
    std::erase(files, nullptr);
    return files;
}
std::optional<std::uint64_t> CodeSources::file_address(ObjectIndex object, std::uint64_t offset) const {
    const auto found = files_.file(object);
    return found ? (*found)->file->vaddr(offset) : std::nullopt;
}
const RecordedObject& CodeSources::recorded_object(ObjectIndex object) const {
    return files_.symbols().recorded(files_.index(object));
}
std::optional<MissingDebugFile> CodeSources::missing_debug(ObjectIndex object) const {
    const auto found = files_.file(object);
    if (!found) return {};
    return files_.finder().missing_debug(recorded_object(object), **found);
}
bool CodeSources::has_build_ids() const {
    return files_.has_build_ids();
}
void CodeSources::prepare(unsigned jobs, const StopToken& stop, const Progress& progress) const {
    files_.prepare(jobs, stop, progress);
}
std::vector<std::string> CodeSources::objects_with(std::string_view name, const StopToken& stop) const {
    std::vector<std::string> objects;
    if (const auto* names = kernel_names(); names != nullptr && names->has_function(name)) {
        objects.emplace_back("[kernel.kallsyms]");
    }
    const auto& symbols = files_.symbols();
    for (const auto file : symbols.with_function(name, stop)) objects.push_back(symbols.recorded(file).path);
    return objects;
}

Result<KernelText> CodeSources::kernel_text(const Watch& watch) const {
    return KernelNames::find_text(recorded_kernel(), files_.finder(), watch);
}
const Error* CodeSources::kernel_problem() const {
    const auto problem = kernel_.problem();
    return problem ? &problems_[*problem] : nullptr;
}
const std::vector<Error>& CodeSources::image_problems() const {
    return kernel_.code_problems();
}
std::vector<Error> CodeSources::inlined_problems() const {
    return inlined_.problems();
}
DiagnosticLog CodeSources::losses() const {
    auto losses = losses_;
    if (const auto& bundle = context_.recording.bundle()) losses.append(bundle->losses());
    for (auto& damage : files_.symbols().damage()) losses.add(std::move(damage));
    if (auto damage = kernel_.code().damage()) losses.add(std::move(*damage));
    for (auto& problem : inlined_.problems()) {
        if (perfdata::is_line_loss(problem.code)) losses.add(std::move(problem));
    }
    return losses;
}

}  // namespace perfdata
