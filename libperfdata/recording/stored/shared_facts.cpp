// SPDX-License-Identifier: MIT
#include "shared_facts.hpp"

#include <algorithm>
#include <span>

#include "perfdata/core/endian.hpp"
#include "perfdata/core/small_algorithms.hpp"

namespace perfdata::stored {

std::string_view shared_fact(const Model& model, Ref<Text> Source::*member) {
    if (model.sources.empty()) return {};
    const auto first = model.sources.front().*member;
    const bool shared = std::ranges::all_of(model.sources, [&](const Source& one) { return one.*member == first; });
    return shared ? model.text(first) : std::string_view();
}

std::string encode_attr(const Attr& attr) {
    std::string bytes;
    const auto put = [&](std::uint64_t value, unsigned size) {
        for (unsigned byte = 0; byte < size; ++byte) bytes += static_cast<char>(value >> (8 * byte) & 0xff);
    };
    put(attr.type, 4);
    put(attr.size, 4);
    put(attr.config, 8);
    put(attr.sample_period, 8);
    put(attr.sample_type, 8);
    put(attr.read_format, 8);
    put(attr.flags, 8);
    put(attr.wakeup_events, 4);
    put(attr.bp_type, 4);
    put(attr.config1, 8);
    put(attr.config2, 8);
    put(attr.branch_sample_type, 8);
    put(attr.sample_regs_user, 8);
    put(attr.sample_stack_user, 4);
    put(static_cast<std::uint32_t>(attr.clockid), 4);
    put(attr.sample_regs_intr, 8);
    put(attr.aux_watermark, 4);
    put(attr.sample_max_stack, 2);
    put(0, 2);
    put(attr.aux_sample_size, 4);
    put(attr.aux_action, 4);
    put(attr.sig_data, 8);
    put(attr.config3, 8);
    put(attr.config4, 8);
    return bytes;
}

Attr decode_attr(std::string_view bytes) {
    return Attr::decode(std::as_bytes(std::span(bytes)), AnyOrder(std::endian::little));
}

std::uint64_t recordings(const Model& model) {
    std::uint64_t sum = 0;
    for (const auto& source : model.sources) sum = add_up_to_most(sum, source.times);
    return sum;
}

std::uint64_t differing(const Model& model) {
    return static_cast<std::uint64_t>(std::ranges::count(model.versions, true, &Version::differs));
}

}  // namespace perfdata::stored
