// SPDX-License-Identifier: MIT
#include "bpf_source.hpp"

#include <utility>

#include "symbols/kernel/patched_image.hpp"

namespace perfdata {

Result<CodeImage> BpfSource::image(const CodeVersion& version, std::uint64_t size) const {
    if (size == 0) return no_extent(version);
    const auto bytes = programs_.image(version.function.index);
    if (!bytes) return fail(bytes.error());
    return patched_image(context_.versions(), version, size, bytes->size(),
                         [&](PatchedCode& code, CodeImage& image) -> Result<void> {
                             code.put(0, *bytes);
                             image.origin = the_recording;
                             return {};
                         });
}

Result<std::vector<LineStart>> BpfSource::lines(const Frame& function, std::uint64_t) const {
    return programs_.lines(function.index);
}

CodePlace BpfSource::place(const CodeVersion& version) const {
    const auto* load = timeline_.load_of(version.function);
    const auto origin = load != nullptr ? CodeOrigin{CodeOrigin::Kind::bpf_program, load->id.value}
                                        : CodeOrigin{CodeOrigin::Kind::out_of_line, version.function.index};
    return {origin, version.address.value_or(Address{}).value};
}

LinesOrigin BpfSource::lines_origin(const Frame& function) const {
    const auto* load = timeline_.load_of(function);
    if (load == nullptr) return {};
    return {LinesOrigin::Kind::list, load->info, code_of(function).range.begin.value};
}

}  // namespace perfdata
