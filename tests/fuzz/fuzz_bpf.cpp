// SPDX-License-Identifier: MIT
// Fuzz target: the BPF data of a recording. The input is a byte of choices, a u16 size and records, a u32 size and the
// payload of BPF_PROG_INFO, and the payload of BPF_BTF.
#include <algorithm>

#include "perfdata/symbols/bpf/bpf_programs.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "promise.hpp"
#include "support/build.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t examined_codes = 256;

void check_arrays(const BpfProgramInfo& program, fuzz::Touched& touched) {
    for (const auto& array : program.arrays) {
        if (array.state == BpfArrayState::present) {
            require(array.count != 0 && array.bytes.size() == array.count * array.stride);
        } else {
            require(array.bytes.empty());
        }
        touched.bytes(array.bytes);
    }
    require(program.name.size() <= 16);
    for (std::size_t index = 0; index < program.tags(); ++index) touched.bytes(program.function_tag(index));
    for (std::size_t index = 0; index < program.functions(); ++index) {
        touched.number(program.function_info(index).type_id);
    }
    for (std::size_t index = 0; index < program.lines(); ++index) touched.number(program.line_info(index).column);
    for (std::size_t index = 0; index < program.jited_line_info().size(); ++index) {
        touched.number(program.jited_line_info()[index]);
    }
    for (std::size_t index = 0; index < program.map_ids().size(); ++index) touched.number(program.map_ids()[index]);
}

void check_features(const BpfFeatures& features) {
    fuzz::Touched touched;
    for (const auto& program : features.programs()) {
        require(features.program(program.id) == &program);
        check_arrays(program, touched);
    }
    for (const auto& blob : features.btf()) {
        require(features.btf(blob.id) != nullptr);
        touched.bytes(blob.data);
    }
}

void check_btf(const Btf& btf, const BpfProgramInfo& program) {
    fuzz::Touched touched;
    for (std::size_t index = 0; index < program.functions(); ++index) {
        const auto type = program.function_info(index).type_id;
        const auto name = btf.function_name(type);
        const auto prototype = btf.prototype(type);
        touched.text(name);
        touched.text(prototype);
        require(!btf.problem() || (name.empty() && prototype.empty()));
        require(prototype.find('\0') == std::string::npos);
    }
}

void check_loads(const Timeline& timeline, const BpfPrograms& symbols) {
    for (const auto& load : timeline.loads()) {
        require(load.loaded_at <= load.unloaded_at);
        for (const auto index : load.functions) require(index < timeline.code().size());
        fuzz::Touched touched;
        touched.text(symbols.program_name(load));
        if (const auto problem = symbols.problem(load)) require(!problem->message().empty());
        const auto* program = timeline.bpf().program(load.id);
        if (const auto* btf = symbols.btf(load); btf != nullptr && program != nullptr) check_btf(*btf, *program);
    }
}

void check_code(const Timeline& timeline, const BpfPrograms& symbols) {
    fuzz::Touched touched;
    for (CodeIndex index = 0; index < timeline.code().size() && index < examined_codes; ++index) {
        const auto& code = timeline.code()[index];
        require(code.range.size != 0 && code.from <= code.until);
        const auto name = symbols.name(index);
        touched.text(name.name);
        touched.text(name.prototype);
        if (const auto image = symbols.image(index)) {
            require(image->size() <= code.range.size);
            touched.bytes(*image);
        }
        if (const auto target = symbols.target(code.range.last(), code.from)) require(!target->name.empty());
        const auto lines = symbols.lines(index);
        if (!lines) {
            require(!lines.error().message().empty());
            continue;
        }
        require(std::ranges::is_sorted(*lines, {}, &LineStart::offset));
        for (const auto& line : *lines) {
            require(line.offset < code.range.size);
            touched.text(line.source.file);
            touched.text(line.source.text);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const auto order = (choices.u8() & 1) != 0 ? std::endian::big : std::endian::little;
    const auto blob = [](Bytes bytes) { return test::Blob(bytes.begin(), bytes.end()); };
    const auto records = blob(choices.bytes(choices.u16()));
    const auto programs = blob(choices.bytes(choices.u32()));
    const auto btf = blob(choices.rest());
    test::RecordingBuilder builder(order);
    builder.event(test::sampling_attr(sample_bit::ip | sample_bit::tid | sample_bit::time), {1}).add(records);
    builder.feature(Feature::bpf_prog_info, programs).feature(Feature::bpf_btf, btf);
    const auto file = builder.build();
    const auto recording = Recording::from_memory(file, {fuzz::small_limits()});
    require(recording.has_value());
    const auto timeline = Timeline::build(*recording);
    require(timeline.has_value());
    const auto& bytes = timeline->completeness().bytes;
    require(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
    const BpfPrograms symbols(*timeline);
    check_features(timeline->bpf());
    check_loads(*timeline, symbols);
    check_code(*timeline, symbols);
    return 0;
}
