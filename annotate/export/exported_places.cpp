// SPDX-License-Identifier: MIT
#include "exported_places.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "format/words.hpp"

namespace perfdata {
namespace {

constexpr std::string_view unknown_object = "[unknown]";

std::string digits(const BuildId& id) {
    return hex_bytes(id.bytes());
}

}  // namespace

ExportedPlaces::ExportedPlaces(const Symbolizer& symbolizer, const ExportedOptions& options, Exported& exported)
    : symbolizer_(symbolizer),
      options_(options),
      exported_(exported),
      lines_(symbolizer, {options.stop, options.progress}) {}

Result<void> ExportedPlaces::make() {
    find_sites();
    const auto stopped = [] { return fail(ErrorCode::cancelled, Error::no_offset, "export", "asked to stop"); };
    if (options_.lines && options_.addresses && !read_lines()) return stopped();
    make_places();
    if (options_.lines && !read_function_lines()) return stopped();
    exported_.line_problems = lines_.take_problems();
    // Objects have other numbers in a profile.
    std::ranges::sort(exported_.line_problems, {}, &Error::message);
    return {};
}

// Chains share their callers: callers have lower numbers.
void ExportedPlaces::find_sites() {
    const auto chains = exported_.counts.chains();
    const auto frames = exported_.counts.frames();
    std::vector<std::uint32_t> site_node(chains.size());  // the node of the code that a node lies in
    std::vector<std::uint32_t> depth(chains.size());
    std::vector<bool> returns(chains.size());
    for (std::uint32_t node = 0; node < chains.size(); ++node) {
        const auto caller = chains[node].caller;
        const auto& frame = frames[chains[node].frame];
        const bool inlined = frame.is_inlined() && caller != ChainNode::none;
        site_node[node] = inlined ? site_node[caller] : node;
        depth[node] = inlined ? depth[caller] + 1 : 0;
        // Where the mode changes, the caller was interrupted and did not call.
        if (inlined || caller == ChainNode::none) continue;
        const auto above = site_node[caller];
        if (frames[chains[above].frame].mode == frame.mode) returns[above] = true;
    }
    exported_.nodes.resize(chains.size());
    for (std::uint32_t node = 0; node < chains.size(); ++node) {
        const auto code = site_node[node];
        const auto site = sites_.intern({chains[code].frame, returns[code] && options_.addresses});
        exported_.nodes[node] = {chains[node].caller, keys_.intern({site, chains[node].frame, depth[node]})};
    }
}

// True if the byte before the frame is in the same function.
bool ExportedPlaces::is_before_call(const Frame& frame) const {
    return !frame.is_nowhere() && frame.offset > symbolizer_.function(frame).offset;
}

Frame ExportedPlaces::asked(const Site& site) const {
    auto frame = exported_.counts.frames()[site.frame];
    if (site.returns && is_before_call(frame)) --frame.offset;
    return frame;
}

// Nearby addresses share what is read: ask in their order.
bool ExportedPlaces::read_lines() {
    std::vector<std::pair<Frame, std::uint32_t>> order;
    for (std::uint32_t number = 0; number < sites_.size(); ++number) order.emplace_back(asked(sites_[number]), number);
    std::ranges::sort(order, {}, [](const auto& one) {
        return std::tuple(one.first.kind, one.first.index, one.first.offset, one.second);
    });
    lines_of_site_.resize(sites_.size());
    for (const auto& [frame, number] : order) {
        const auto answer = lines_.at(frame);
        if (!answer) return false;
        if (answer->line != nullptr) lines_of_site_[number] = {answer->line->source, answer->line->inlined};
    }
    return true;
}

void ExportedPlaces::make_places() {
    const auto frames = exported_.counts.frames();
    function_of_frame_.assign(frames.size(), none);
    exported_.places.reserve(keys_.size());
    for (const auto& key : keys_.keys()) {
        const auto& site = sites_[key.site];
        ExportPlace place;
        place.function = function_of(key.frame);
        const auto container = key.depth == 0 ? place.function : function_of(site.frame);
        place.object = exported_.functions[container].object;
        place.address = address_of(options_.addresses ? asked(site) : frames[site.frame]);
        place.inlined = key.depth != 0;
        if (!lines_of_site_.empty()) set_line(key, place);
        auto& object = exported_.objects[place.object];
        object.begin = std::min(object.begin, place.address);
        object.end = std::max(object.end, place.address + 1);
        object.has_inlined = object.has_inlined || place.inlined;
        object.has_lines = object.has_lines || place.line != 0;
        exported_.places.push_back(place);
    }
}

// The calls are innermost first; each says where it was called.
void ExportedPlaces::set_line(const Key& key, ExportPlace& place) const {
    const auto& [source, inlined] = lines_of_site_[key.site];
    const auto calls = inlined.size();
    if (key.depth > calls) return;
    if (key.depth != 0) {
        const auto& call = inlined.data()[calls - key.depth];
        if (call.function != symbolizer_.name(exported_.counts.frames()[key.frame]).symbol) return;
    }
    const auto& line = key.depth == calls ? source : inlined.data()[calls - key.depth - 1].call;
    place.file = line.file;
    place.line = line.line;
    place.column = line.column;
}

// A function begins where its first byte says. What was inlined has no first byte: its places say the file.
bool ExportedPlaces::read_function_lines() {
    std::vector<std::uint32_t> order(exported_.functions.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t number) {
        const auto& frame = function_frames_[number];
        return std::tuple(frame.kind, frame.index, frame.offset, number);
    });
    for (const auto number : order) {
        const auto& frame = function_frames_[number];
        if (frame.is_nowhere()) continue;
        const auto answer = lines_.at(frame);
        if (!answer) return false;
        if (answer->line == nullptr) continue;
        const auto& inlined = answer->line->inlined;
        const auto& line = inlined.empty() ? answer->line->source : inlined.data()[inlined.size() - 1].call;
        exported_.functions[number].file = line.file;
        exported_.functions[number].line = line.line;
    }
    for (const auto& place : exported_.places) {
        auto& function = exported_.functions[place.function];
        if (function.file.empty()) function.file = place.file;
    }
    return true;
}

std::uint32_t ExportedPlaces::function_of(std::uint32_t number) {
    auto& known = function_of_frame_[number];
    if (known != none) return known;
    const auto& frame = exported_.counts.frames()[number];
    const auto name = symbolizer_.name(frame);
    const auto object = object_of(frame, name);
    const auto [entry, is_new] =
        functions_.try_emplace({name.symbol, object}, static_cast<std::uint32_t>(exported_.functions.size()));
    if (is_new) {
        auto& of = exported_.objects[object];
        of.has_names = of.has_names || !name.symbol.empty();
        exported_.functions.push_back({function_name(frame, name, of), name.symbol, {}, 0, object, name.kind, {}});
        function_frames_.emplace_back();
    }
    // It may have been met as an inlined one before.
    if (!name.inlined && !name.symbol.empty() && function_frames_[entry->second].is_nowhere()) {
        const auto first = symbolizer_.function(frame);
        function_frames_[entry->second] = first;
        if (!first.is_nowhere()) exported_.functions[entry->second].begin = address_of(first);
    }
    const bool kernel = name.kind == CodeClass::kernel || name.kind == CodeClass::module || frame.misses(Miss::kernel);
    if (kernel && name.symbol.empty() && !symbolizer_.has_kernel_names()) exported_.unnamed_kernel = true;
    return known = entry->second;
}

// For BPF code the names in the source are better than the kernel's.
std::string ExportedPlaces::function_name(const Frame& frame, const FrameName& name, const ExportObject& object) const {
    if (name.symbol.empty()) {
        if (object.path.starts_with('[')) return object.path;
        return fmt::format("[{}]", short_name(object.path));
    }
    if (!frame.is_code() || name.kind != CodeClass::bpf) return std::string(name.symbol);
    return symbolizer_.bpf().plain_name(frame.index).full();
}

std::uint32_t ExportedPlaces::object_of(const Frame& frame, const FrameName& name) {
    const auto* code = symbolizer_.timeline().code_of(frame);
    const bool of_load = code != nullptr && code->load;
    const bool of_index = frame.kind == FrameKind::object || frame.is_inlined();
    if (!of_load && !of_index) return add_object(described(frame, name));
    auto& known = of_load ? object_of_load_ : object_of_index_;
    const auto [entry, is_new] = known.try_emplace(of_load ? *code->load : frame.index, 0u);
    if (is_new) entry->second = add_object(described(frame, name));
    return entry->second;
}

std::uint32_t ExportedPlaces::add_object(ExportObject object) {
    const auto [entry, is_new] = objects_.try_emplace({object.path, object.build_id, object.kind},
                                                      static_cast<std::uint32_t>(exported_.objects.size()));
    if (is_new) exported_.objects.push_back(std::move(object));
    return entry->second;
}

ExportObject ExportedPlaces::described(const Frame& frame, const FrameName& name) const {
    ExportObject object;
    object.kind = name.kind;
    object.path = name.object.empty() ? std::string(unknown_object) : std::string(name.object);
    object.addresses = addresses_of(frame);
    if (const auto* load = symbolizer_.timeline().load_of(frame)) {
        object.path = fmt::format("[bpf:{}:{}]", load->id.value, symbolizer_.bpf().program_name(*load));
        object.build_id = hex(load->tag);
    } else if (frame.kind == FrameKind::object || frame.is_inlined()) {
        object.build_id = digits(symbolizer_.recorded_object(ObjectIndex{frame.index}).build_id);
        if (object.build_id.empty() && name.kind == CodeClass::kernel) {
            object.build_id = digits(symbolizer_.recorded_kernel().build_id);
        }
    }
    return object;
}

AddressOf ExportedPlaces::addresses_of(const Frame& frame) const {
    if (frame.kind != FrameKind::object && !frame.is_inlined()) return AddressOf::memory;
    if (frame.mode == CpuMode::kernel) return AddressOf::memory;
    return symbolizer_.file(ObjectIndex{frame.index}) ? AddressOf::program : AddressOf::file;
}

std::uint64_t ExportedPlaces::address_of(const Frame& frame) const {
    switch (frame.kind) {
        case FrameKind::code: return symbolizer_.timeline().code()[frame.index].range.begin.value + frame.offset;
        case FrameKind::jit: return symbolizer_.extent(frame).address.value_or(Address{}).value + frame.offset;
        case FrameKind::object: break;
        case FrameKind::memory:
        case FrameKind::inlined:
        case FrameKind::nowhere: return frame.offset;
    }
    if (frame.mode == CpuMode::kernel) return frame.offset;
    return symbolizer_.file_address(ObjectIndex{frame.index}, frame.offset).value_or(frame.offset);
}

}  // namespace perfdata
