// SPDX-License-Identifier: MIT
#include "perfdata/symbols/names.hpp"

#include <algorithm>
#include <set>

namespace perfdata {

std::string_view to_string(CodeClass code) {
    switch (code) {
        case CodeClass::unknown: return "unknown";
        case CodeClass::kernel: return "kernel";
        case CodeClass::module: return "module";
        case CodeClass::bpf: return "bpf";
        case CodeClass::out_of_line: return "out_of_line";
        case CodeClass::user: return "user";
        case CodeClass::jit: return "jit";
    }
    return "unknown";
}

Names::Names(Names&&) noexcept = default;
Names& Names::operator=(Names&&) noexcept = default;
Names::~Names() = default;

FrameName Names::name(const Frame& frame) const {
    return find(frame).name;
}

Frame Names::function(const Frame& frame) const {
    if (frame.kind == FrameKind::object) {
        const auto kind = timeline_->tasks().objects()[frame.index].kind;
        if (kind != ObjectKind::kernel && kind != ObjectKind::module) {
            auto begin = frame;
            begin.offset -= files_->distance(file_of_[frame.index], frame.offset).value_or(0);
            return begin;
        }
    }
    return find(frame).function;
}

FunctionExtent Names::extent(const Frame& frame) const {
    const auto found = find(frame);
    return {found.function, found.size, found.address};
}

std::expected<const FoundObject*, SymbolMiss> Names::file(ObjectIndex object) const {
    return files_->found(file_of_[object]);
}

std::expected<std::uint64_t, SymbolMiss> Names::file_address(const Frame& frame) const {
    return files_->vaddr(file_of_[frame.index], frame.offset);
}

Names::Found Names::find(const Frame& frame) const {
    Found found{{}, frame, 0, {}};
    found.name.offset = frame.offset;
    switch (frame.kind) {
        case FrameKind::code: find_code(frame, found); break;
        case FrameKind::object: find_object(frame, found); break;
        case FrameKind::jit: {
            const auto& function = jit_.function(frame.index);
            found.name.symbol = function.name;
            found.name.object = jit_.code(frame.index).dump().name();
            found.name.kind = CodeClass::jit;
            found.function.offset = 0;
            found.size = function.range.size;
            found.address = function.range.begin;
            break;
        }
        case FrameKind::memory: find_memory(frame, found); break;
        case FrameKind::nowhere: {
            // Kernel text without a recorded mapping: the names may know it all the same.
            const auto miss = static_cast<Miss>(frame.index);
            if (miss == Miss::kernel) find_in_kernel({frame.offset}, frame, found);
            if (frame.mode == CpuMode::kernel) found.name.kind = CodeClass::kernel;
            if (frame.mode == CpuMode::user) found.name.kind = CodeClass::user;
            break;
        }
    }
    return found;
}

void Names::find_code(const Frame& frame, Found& found) const {
    const auto& code = timeline_->code()[frame.index];
    found.name.symbol = code.symbol;
    found.name.object = code.symbol;
    found.name.kind = code.kind == CodeKind::out_of_line ? CodeClass::out_of_line : CodeClass::bpf;
    if (code.kind == CodeKind::out_of_line) found.name.object = "[kernel.kallsyms]";
    found.function.offset = 0;
    found.size = code.range.size;
    found.address = code.range.begin;
}

void Names::find_object(const Frame& frame, Found& found) const {
    const auto& object = timeline_->tasks().objects()[frame.index];
    found.name.object = object_names_[frame.index];
    switch (object.kind) {
        case ObjectKind::kernel:
            found.name.kind = CodeClass::kernel;
            return find_in_kernel({frame.offset}, frame, found);
        case ObjectKind::module:
            found.name.kind = CodeClass::module;
            find_in_kernel({frame.offset + module_base_[frame.index]}, frame, found);
            if (found.name.symbol.empty()) {
                find_in_file(frame, found);
                if (found.size != 0) found.address = Address{found.function.offset + module_base_[frame.index]};
            }
            return;
        default: found.name.kind = CodeClass::user; return find_in_file(frame, found);
    }
}

void Names::find_in_kernel(Address address, const Frame& frame, Found& found) const {
    if (!kernel_) return;
    const auto name = kernel_->find(address);
    if (!name) return;
    found.name.symbol = name->name;
    found.name.offset = name->offset;
    found.function.offset = frame.offset - name->offset;
    found.size = name->size;
    found.address = name->function;
    // Text that is in no recorded mapping: what is freed after boot, for example.
    if (found.name.object.empty() && name->module.empty()) found.name.object = "[kernel.kallsyms]";
}

void Names::find_in_file(const Frame& frame, Found& found) const {
    const auto name = files_->name(file_of_[frame.index], frame.offset);
    if (!name) {
        found.name.miss = name.error();
        return;
    }
    found.name.symbol = name->name;
    found.name.offset = name->offset;
    found.function.offset = frame.offset - name->offset;
    found.size = name->size;
}

void Names::find_memory(const Frame& frame, Found& found) const {
    found.name.kind = CodeClass::user;
    found.name.miss = SymbolMiss::not_a_file;
    if (const auto name = memory_names_.find(frame.index); name != memory_names_.end()) {
        found.name.object = name->second;
    }
    const auto map = perf_maps_.find(frame.index);
    if (map == perf_maps_.end()) return;
    const auto symbol = map->second->find({frame.offset});
    if (!symbol) return;
    found.name.symbol = symbol->name;
    found.name.offset = symbol->offset;
    found.name.kind = CodeClass::jit;
    found.function.offset = frame.offset - symbol->offset;
    found.size = symbol->range.size;
    found.address = symbol->range.begin;
}

DiagnosticLog Names::losses() const {
    auto losses = losses_;
    for (auto& damage : files_->damage()) losses.add(std::move(damage));
    return losses;
}

std::vector<std::string> Names::objects_with(std::string_view name) const {
    std::vector<std::string> objects;
    if (kernel_ && kernel_->has_function(name)) objects.emplace_back("[kernel.kallsyms]");
    for (const auto file : files_->with_function(name)) objects.push_back(files_->recorded(file).path);
    return objects;
}

void Names::prepare(unsigned jobs) const {
    std::set<FileIndex> wanted;
    const auto objects = timeline_->tasks().objects();
    for (std::size_t object = 0; object < objects.size(); ++object) {
        const auto kind = objects[object].kind;
        if (kind != ObjectKind::file && kind != ObjectKind::vdso) continue;
        if (timeline_->build_ids().contains(objects[object].path)) wanted.insert(file_of_[object]);
    }
    const std::vector<FileIndex> files(wanted.begin(), wanted.end());
    files_->load_all(files, jobs);
}

}  // namespace perfdata
