// SPDX-License-Identifier: MIT
#include "stored_answers.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "perfdata/recording/recording.hpp"

#include "recording/stored/problems.hpp"
#include "recording/stored/shared_facts.hpp"

namespace perfdata {
namespace {

BuildId stored_build_id(const std::string& bytes) {
    BuildId id;
    id.size = static_cast<std::uint8_t>(std::min(bytes.size(), id.value.size()));
    std::ranges::transform(std::string_view(bytes).substr(0, id.size), id.value.begin(),
                           [](char byte) { return static_cast<std::byte>(byte); });
    return id;
}

CodeClass class_of_stored(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::kernel: return CodeClass::kernel;
        case ObjectKind::module: return CodeClass::module;
        default: return CodeClass::user;
    }
}

}  // namespace

StoredAnswers::StoredAnswers(const Recording& recording, const Timeline& timeline, const stored::Model& model)
    : timeline_(timeline),
      model_(model),
      places_(model),
      images_(model),
      lines_(model),
      bpf_(timeline, model),
      problems_(stored::errors(model, model.facts.name_problems)),
      image_problems_(stored::errors(model, model.facts.image_problems)),
      inlined_problems_(stored::errors(model, model.facts.inlined_problems)),
      losses_(stored::log(model, model.facts.losses, recording.limits().diagnostics)) {
    for (const auto& row : model.objects) {
        const auto& object = recorded_.emplace_back(std::string(model.text(row.path)), stored_build_id(row.build_id));
        auto& found = found_.emplace_back();
        found.path = model.text(row.file.path);
        found.proven = object.build_id.size != 0;
        if (row.kind.is(ObjectKind::kernel) && kernel_.build_id.size == 0) kernel_.build_id = object.build_id;
    }
    kernel_.os_release = stored::shared_fact(model, &stored::Source::os_release);
    if (!model.facts.text_problem.empty()) text_problem_ = stored::error(model, model.facts.text_problem.front());
    const auto kernel = std::ranges::find(model.facts.name_problems, true, &stored::Problem::kernel);
    if (kernel != model.facts.name_problems.end()) {
        kernel_problem_ = static_cast<std::size_t>(kernel - model.facts.name_problems.begin());
    }
    // What it lacks are losses of its recordings, too.
    for (auto& lack : stored::lacks(model)) losses_.add(std::move(lack));
    versions_ = CodeVersions::build(*this);
}

bool StoredAnswers::load(const Frame&, CodeDetail, const Watch& watch) const {
    return !watch.stop.stop_requested();
}

Frame StoredAnswers::function(const Frame& frame) const {
    auto begin = frame;
    if (const auto found = places_.function_at(frame)) begin.offset = found.begin;
    return begin;
}

FunctionExtent StoredAnswers::extent(const Frame& frame) const {
    const auto found = places_.function_at(frame);
    if (!found) return {frame, 0, {}};
    auto begin = frame;
    begin.offset = found.begin;
    const auto& function = model_.at(found.function);
    return {begin, function.size, function.has_address ? std::optional(Address{function.address}) : std::nullopt};
}

bool StoredAnswers::named(const Frame& frame) const {
    return !name(frame).symbol.empty();
}

const stored::Frame* StoredAnswers::nameless_row(const Frame& frame) const {
    const auto* row = places_.row(frame);
    return row == nullptr || !row->nameless ? places_.nameless_near(frame) : row;
}

const stored::Nameless* StoredAnswers::nameless_at(const Frame& frame) const {
    const auto* row = nameless_row(frame);
    return row == nullptr ? nullptr : &model_.at(row->nameless);
}

const stored::Frame* StoredAnswers::without_line(const Frame& frame) const {
    const auto* row = nameless_row(frame);
    return row == nullptr || row->line_problem.empty() ? nullptr : row;
}

std::optional<NamelessCode> StoredAnswers::nameless(const Frame& frame) const {
    const auto* row = nameless_at(frame);
    if (row == nullptr || !row->wants_name) return {};
    return NamelessCode{why_unnamed(frame), model_.text(row->object), row->kind.as<CodeClass>()};
}

CodePart StoredAnswers::left_out(const Frame& frame, const CodeFilter& filter) const {
    if (filter.empty()) return CodePart::none;
    if (frame.is_code()) return bpf_.left_out(frame.index, frame.offset, filter);
    const auto code = name(frame);
    return filter.leaves_out(code.kind, code.object, code.symbol, frame.offset);
}

void StoredAnswers::add_inlined(const Frame& frame, bool returns, std::vector<Frame>& calls) const {
    const auto* row = places_.row(frame);
    if (row == nullptr) return;
    for (const auto inlined : returns ? row->inlined_at_return : row->inlined) {
        calls.push_back(places_.frames().inlined(inlined, frame.mode));
    }
}

FrameName StoredAnswers::inlined_name(const Frame& frame) const {
    FrameName name;
    name.inlined = true;
    if (frame.offset >= model_.inlined.size()) return name;
    const auto& row = model_.inlined[static_cast<std::size_t>(frame.offset)];
    name.symbol = model_.text(row.name);
    name.object = model_.text(row.object_name);
    name.kind = row.kind_of_code.as<CodeClass>();
    return name;
}

FrameName StoredAnswers::name(const Frame& frame) const {
    if (frame.is_inlined()) return inlined_name(frame);
    if (const auto found = places_.function_at(frame)) {
        const auto& function = model_.at(found.function);
        return {model_.text(function.symbol), frame.offset - found.begin, model_.text(function.object_name),
                function.kind_of_code.as<CodeClass>()};
    }
    FrameName name;
    name.offset = frame.offset;
    if (const auto* row = nameless_at(frame)) {
        name.object = model_.text(row->object);
        name.kind = row->kind.as<CodeClass>();
        name.miss = row->miss.as<SymbolMiss>();
    } else if (frame.kind == FrameKind::object) {
        name.object = model_.text(model_.objects[frame.index].path);
        name.kind = class_of_stored(model_.objects[frame.index].kind.as<ObjectKind>());
    }
    return name;
}

Unnamed StoredAnswers::why_unnamed(const Frame& frame) const {
    if (const auto* row = nameless_at(frame)) return {model_.text(row->reason), model_.text(row->remedy)};
    if (frame.is_nowhere()) return {to_string(frame.miss()), {}};
    return {explain(SymbolMiss::between_symbols), {}};
}

Result<CodeImage> StoredAnswers::image(const CodeVersion& version) const {
    if (const auto found = places_.function_at(version.function)) return images_.image(found.function, version.number);
    return fail(ErrorCode::missing, Error::no_offset, "code without a name",
                "it is not known where the function begins and ends");
}

CodePlace StoredAnswers::place(const CodeVersion& version) const {
    const auto found = places_.function_at(version.function);
    if (!found) return {};
    const auto& function = model_.at(found.function);
    // Files of one name may be others on other machines: then a function shares its code with no other.
    const bool shares = function.place_from && !model_.facts.merged;
    const auto id = shares ? function.place_from.number : std::uint64_t{1} << 32 | found.function.number;
    return {{function.place_kind.as<CodeOrigin::Kind>(), id}, function.place_begin};
}

std::optional<KnownTarget> StoredAnswers::target(const CodeVersion& version, Address address, TargetUse use) const {
    const auto found = places_.function_at(version.function);
    return found ? images_.target(found.function, version.number, address, use) : std::nullopt;
}

Result<std::vector<LineStart>> StoredAnswers::lines_without_texts(const Frame& function, std::uint64_t size) const {
    if (const auto found = places_.function_at(function)) {
        return lines_.lines(found.function, function.offset - found.begin, size);
    }
    const auto* row = places_.row(function);
    return row != nullptr ? lines_.at(*row) : std::vector<LineStart>{};
}
// They have been kept with their texts.
std::vector<LineStart> StoredAnswers::with_texts(const Frame&, std::vector<LineStart> lines) const {
    return lines;
}
Result<std::vector<CompiledLine>> StoredAnswers::compiled_lines(const Frame&, std::uint64_t) const {
    return std::vector<CompiledLine>{};
}

LinesOrigin StoredAnswers::lines_origin(const Frame& function) const {
    if (const auto found = places_.function_at(function)) return lines_.origin(found.function);
    if (const auto* row = without_line(function)) {
        return {LinesOrigin::Kind::file, row->lines_from ? &model_.at(row->lines_from) : nullptr, 0};
    }
    const auto* row = places_.row(function);
    if (row == nullptr || !row->place) return {};
    return {LinesOrigin::Kind::file, row->object ? &model_.at(row->object) : nullptr, 0};
}

std::optional<Error> StoredAnswers::lines_problem(const Frame& function, std::span<const LineStart>) const {
    if (const auto found = places_.function_at(function)) return lines_.problem(found.function);
    const auto* row = without_line(function);
    if (row == nullptr) return {};
    return stored::error(model_, row->line_problem.front());
}

bool StoredAnswers::is_line_loss(const Frame& function, const Error& error) const {
    const auto found = places_.function_at(function);
    if (found) return lines_.is_loss(found.function, error);
    const auto* row = without_line(function);
    const bool same = row != nullptr && stored::error(model_, row->line_problem.front()).message() == error.message();
    return same ? row->line_problem.front().loss : perfdata::is_line_loss(error.code);
}

std::expected<const FoundObject*, SymbolMiss> StoredAnswers::file(ObjectIndex object) const {
    const auto& row = model_.objects[object].file;
    if (row.missing) return std::unexpected(row.miss.as<SymbolMiss>());
    return &found_[object];
}

std::optional<std::uint64_t> StoredAnswers::file_address(ObjectIndex object, std::uint64_t offset) const {
    for (const auto& segment : model_.objects[object].file.segments) {
        if (offset >= segment.offset && offset - segment.offset < segment.size) {
            return segment.address + (offset - segment.offset);
        }
    }
    return {};
}

std::optional<MissingDebugFile> StoredAnswers::missing_debug(ObjectIndex object) const {
    const auto& row = model_.objects[object].file;
    if (row.missing || !row.debug_name) return {};
    return MissingDebugFile{std::string(model_.text(row.debug_name)), row.debug_miss.as<SymbolMiss>()};
}

std::vector<std::string> StoredAnswers::objects_with(std::string_view name, const StopToken& stop) const {
    bool kernel = false;
    std::set<std::uint32_t> objects;
    for (const auto& function : model_.functions) {
        if (stop.stop_requested()) break;
        if (model_.text(function.symbol) != name) continue;
        const bool in_object = function.kind.is(FrameKind::object);
        if (in_object && !model_.at(function.object).kind.is(ObjectKind::kernel)) {
            objects.insert(function.object.number);
        } else if (in_object || function.kind.is(FrameKind::nowhere)) {
            kernel = true;
        }
    }
    std::vector<std::string> names;
    if (kernel) names.emplace_back("[kernel.kallsyms]");
    for (const auto object : objects) names.push_back(recorded_[object].path);
    return names;
}

Result<KernelText> StoredAnswers::kernel_text(const Watch&) const {
    return fail(ErrorCode::missing, Error::no_offset, "kernel", "a profile file has no files of its kernel");
}

const Error* StoredAnswers::kernel_problem() const {
    return kernel_problem_ ? &problems_[*kernel_problem_] : nullptr;
}

}  // namespace perfdata
