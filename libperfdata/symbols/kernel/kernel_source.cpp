// SPDX-License-Identifier: MIT
#include "kernel_source.hpp"

#include <utility>

#include "patched_image.hpp"

namespace perfdata {
namespace {

constexpr Unnamed no_names{
    no_kernel_names, "give --kallsyms, a copy of the recorded machine's /proc/kallsyms of the same boot, or --vmlinux"};
constexpr Unnamed unproven_names{
    no_kernel_build_id,
    "add --allow-local if this machine made the recording and has not booted since, or give "
    "--kallsyms, a copy of the recorded machine's /proc/kallsyms of the same boot, or --vmlinux"};

RecordedKernel recorded_kernel(const Recording& recording, const Timeline& timeline) {
    RecordedKernel kernel;
    kernel.os_release = recording.os_release();
    if (const auto& mapping = timeline.kernel()) {
        kernel.reference_symbol = mapping->reference_symbol;
        kernel.reference_address = mapping->reference_address;
    }
    const auto id = timeline.build_ids().find("[kernel.kallsyms]");
    if (id != timeline.build_ids().end()) kernel.build_id = id->second;
    const auto& tasks = timeline.tasks();
    for (const auto& mapping : tasks.mappings()) {
        const auto& object = tasks.object(mapping);
        if (object.kind == ObjectKind::module) kernel.modules.push_back({module_name(object.path), mapping.range});
    }
    return kernel;
}

}  // namespace

KernelSource::KernelSource(const SourceContext& context, const MappedFiles& files, DebugLines& lines)
    : context_(context),
      timeline_(context.timeline),
      files_(files),
      lines_(lines),
      recorded_(recorded_kernel(context.recording, context.timeline)) {
    const Watch watch{context.options.stop, {}};
    auto loaded = KernelNames::load(recorded_, context.finder, watch);
    if (loaded) {
        names_ = std::move(*loaded);
        if (const auto& damage = names_->damage()) context.losses.add(*damage);
    } else {
        const auto& given = context.finder.options();
        if (loaded.error().code == ErrorCode::missing && given.kallsyms.empty() && given.vmlinux.empty()) {
            problem_ = context.problems.size();
        }
        unnamed_ = KernelNames::lack_only_trust(recorded_, context.finder) ? &unproven_names : &no_names;
        context.problems.push_back(std::move(loaded.error()));
    }
    code_.emplace(context.recording, recorded_, names(), files, context.options.kcore, code_problems_, watch);
}

bool KernelSource::is_module(const Frame& frame) const {
    return frame.kind == FrameKind::object && timeline_.tasks().objects()[frame.index].kind == ObjectKind::module;
}

void KernelSource::load(const Frame& frame, CodeDetail detail, LookOut& look) const {
    const bool lines = detail == CodeDetail::lines, module = is_module(frame);
    if (module && !lines && detail != CodeDetail::inlined)
        (void)files_.symbols().found(files_.index(frame.index), look);
    switch (detail) {
        case CodeDetail::names: break;
        case CodeDetail::bytes: code_->load(look); break;
        case CodeDetail::inlined:
        case CodeDetail::lines:
            if (module) return lines_.load(frame.index, lines, look);
            if (const auto& file = text(look); lines && file.lines && *file.lines) (*file.lines)->unpack_lines(look);
    }
}

KernelSource::Found KernelSource::find(const Frame& frame) const {
    Found found{{{}, frame.offset, {}, CodeClass::kernel, SymbolMiss::between_symbols}, {frame, 0, {}}};
    if (frame.is_nowhere()) {
        // Kernel text without a recorded mapping.
        find_by_address({frame.offset}, frame, found);
        found.name.kind = frame.mode == CpuMode::kernel ? CodeClass::kernel
                          : frame.mode == CpuMode::user ? CodeClass::user
                                                        : CodeClass::unknown;
        return found;
    }
    found.name.object = files_.object_name(frame.index);
    if (!is_module(frame)) {
        find_by_address({frame.offset}, frame, found);
        return found;
    }
    found.name.kind = CodeClass::module;
    const auto base = files_.base(frame.index);
    find_by_address({frame.offset + base}, frame, found);
    if (found.name.symbol.empty()) {
        files_.find(frame, found.name, found.extent);
        if (found.extent.size != 0) found.extent.address = Address{found.extent.begin.offset + base};
    }
    return found;
}

void KernelSource::find_by_address(Address address, const Frame& frame, Found& found) const {
    if (!names_) return;
    const auto name = names_->find(address);
    if (!name) return;
    found.name.symbol = name->name;
    found.name.offset = name->offset;
    found.extent.begin.offset = frame.offset - name->offset;
    found.extent.size = name->size;
    found.extent.address = name->function;
    // Text in no recorded mapping: code that is freed after boot, for example.
    if (found.name.object.empty() && name->module.empty()) found.name.object = "[kernel.kallsyms]";
}

Unnamed KernelSource::why_unnamed(const Frame& frame) const {
    if (!names_) return *unnamed_;
    if (frame.is_nowhere()) return {to_string(Miss::kernel), {}};
    return {is_module(frame) ? "the names of the kernel do not cover its module"
                             : "none of the kernel's names covers the address",
            {}};
}

bool KernelSource::wants_a_name(const Frame& frame) const {
    return !frame.is_nowhere() || !names_;
}

Result<CodeImage> KernelSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0 || !version.address) return no_extent(version);
    return patched_image(context_.versions(), version, size, size, [&](PatchedCode& code, CodeImage& image) {
        return code_->read(version.function, image.address, code, image);
    });
}

CodePlace KernelSource::place(const CodeVersion& version) const {
    // Files may have the same bytes at many addresses.
    const auto in_file =
        version.address ? code_->place(version.function, *version.address, version.size) : std::nullopt;
    return in_file ? *in_file : CodeSource::place(version);
}

CodeFile& KernelSource::located_text(const LookOut& look) const {
    const auto find = [&] {
        auto text = KernelNames::find_text(recorded_, context_.finder, look.watch());
        if (!text && text.error().code == ErrorCode::cancelled) throw Stopped();
        if (!text) return;
        text_.place = lines_.locate({text->path, {}}, {text->path, {}, text->file, {}, true, text->root, {}}, look);
        text_.path = context_.finder.files().shown(text->path);
        text_.file = text->file;
        text_relocation_ = text->relocation;
    };
    text_.located(find, look);
    return text_;
}

const CodeFile& KernelSource::text(LookOut& look) const {
    auto& file = located_text(look);
    file.once([&] { file.lines = lines_.open(file.place, look); }, look);
    return text_;
}

Result<std::vector<LineStart>> KernelSource::lines(const Frame& function, std::uint64_t size) const {
    if (is_module(function)) return lines_.in_file(function, size);
    const auto& file = text();
    return DebugLines::in_object(file, function.offset - text_relocation_, size);
}

const void* KernelSource::lines_shared(const Frame& function, LookOut& look) const {
    return is_module(function) ? lines_.shared(function.index, look) : located_text(look).place.shared();
}

const CodeFile* KernelSource::known(const Frame& function) const {
    return is_module(function) ? lines_.known(function.index) : text_.once.done() ? &text_ : nullptr;
}

std::string KernelSource::built(const Frame& function) const {
    const auto* file = known(function);
    return file != nullptr ? file->path : std::string();
}

InlinedFunctions KernelSource::inlined(const Frame& frame) const {
    if (is_module(frame)) return lines_.inlined_in_file(frame);
    const auto& file = text();
    return DebugLines::inlined_in_object(file, frame.offset - text_relocation_);
}

LinesOrigin KernelSource::lines_origin(const Frame& function) const {
    const void* text = &text_;
    return {LinesOrigin::Kind::file, is_module(function) ? files_.read(function.index) : text, 0};
}

std::optional<Error> KernelSource::lines_problem(const Frame& function, std::span<const LineStart> lines) const {
    const auto* file = known(function);
    return file != nullptr ? file->problem(lines) : std::nullopt;
}

}  // namespace perfdata
