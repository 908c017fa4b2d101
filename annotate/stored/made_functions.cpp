// SPDX-License-Identifier: MIT
#include "made_functions.hpp"

#include <algorithm>
#include <vector>

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/timeline/jit_codes.hpp"

#include "content_hash.hpp"
#include "format/load_once.hpp"
#include "made_images.hpp"

namespace perfdata {

std::optional<MadeFunctions::Place> MadeFunctions::of(const Frame& frame) {
    if (frame.is_inlined()) return {};
    auto plain = frame;
    plain.version = 0;
    // Code and JIT functions begin and end where the recording says, even if they are called nothing.
    const bool is_function = frame.kind == FrameKind::code || frame.kind == FrameKind::jit;
    if (!is_function && !making_.symbolizer.functions().named(plain)) return {};
    const auto extent = extent_of(plain);
    const Key key(extent.begin.kind, extent.begin.index, extent.begin.offset);
    const auto [entry, is_new] = functions_.try_emplace(key);
    if (is_new) {
        entry->second = {append_row(making_.model.functions, described(extent)), extent.begin, extent.size};
    }
    return Place{entry->second.row, frame.offset - extent.begin.offset};
}

FunctionExtent MadeFunctions::extent_of(const Frame& frame) const {
    auto extent = making_.symbolizer.extent(frame);
    if (frame.kind == FrameKind::code || frame.kind == FrameKind::jit) extent.begin.offset = 0;
    return extent;
}

stored::Function MadeFunctions::described(const FunctionExtent& extent) {
    const auto& symbolizer = making_.symbolizer;
    const auto& begin = extent.begin;
    stored::Function row;
    row.kind = begin.kind;
    add_identity(row, begin);
    const auto name = symbolizer.name(begin);
    row.symbol = making_.text(name.symbol);
    row.object_name = making_.text(name.object);
    row.kind_of_code = name.kind;
    row.size = extent.size;
    row.has_address = extent.address.has_value();
    row.address = extent.address.value_or(Address{}).value;
    const auto place = symbolizer.place(symbolizer.versions().version(begin, 0));
    row.place_kind = place.origin.kind;
    row.place_from =
        origins_.of(static_cast<unsigned>(place.origin.kind), place.origin.id, origin_path(making_, begin));
    row.place_begin = place.begin;
    return row;
}

void MadeFunctions::add_identity(stored::Function& row, const Frame& begin) {
    switch (begin.kind) {
        case FrameKind::object:
            row.object = objects_.of(begin.index);
            row.begin = objects_.offset_in(begin.index, begin.offset);
            return;
        case FrameKind::code: row.code = code_.of(begin.index); return;
        case FrameKind::jit: {
            const auto& jit = making_.symbolizer.jit();
            const auto bytes = jit.code(begin.index).image(jit.function(begin.index));
            row.number = begin.index;
            row.code_hash = hash_of_code(bytes ? Bytes(*bytes) : Bytes());
            return;
        }
        case FrameKind::memory:
        case FrameKind::nowhere:
            row.number = begin.index;
            row.begin = begin.offset;
            return;
        case FrameKind::inlined: return;
    }
}

std::vector<std::uint64_t> MadeFunctions::samples() const {
    const auto& model = making_.model;
    std::vector<std::uint64_t> samples(model.functions.size());
    for (const auto& cell : model.cells) {
        const auto function = model.at(model.at(cell.node).frame).function;
        if (function) samples[function.number] = add_up_to_most(samples[function.number], cell.hits);
    }
    return samples;
}

Result<void> MadeFunctions::add_code(std::string_view arch) {
    const auto& symbolizer = making_.symbolizer;
    LoadOnce load(symbolizer, CodeDetail::bytes, {making_.options.watch.stop, {}});
    std::vector<WantedImage> wanted;
    for (const auto& [key, function] : functions_) {
        if (making_.stopped() || !load(function.begin)) return Making::cancelled();
        for (const auto& version : symbolizer.versions().versions(function.begin)) {
            wanted.push_back({function.row, version});
        }
    }
    if (auto read = MadeImages(making_, arch).add(wanted); !read) return read;
    std::map<stored::Ref<stored::Function>, std::uint64_t> sizes;
    for (const auto& one : wanted) sizes[one.function] = std::max(sizes[one.function], one.size);
    const auto samples = this->samples();
    LoadOnce load_lines(symbolizer, CodeDetail::lines, {making_.options.watch.stop, {}});
    for (const auto& [key, function] : functions_) {
        if (making_.stopped() || !load_lines(function.begin)) return Making::cancelled();
        auto begin = function.begin;
        begin.mode = CpuMode::unknown;  // the lines are the same in every mode
        lines_.add(function.row, begin, std::max(function.size, sizes[function.row]), samples[function.row.number]);
    }
    return {};
}

}  // namespace perfdata
