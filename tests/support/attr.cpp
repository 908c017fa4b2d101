// SPDX-License-Identifier: MIT
#include "support/attr.hpp"

namespace perfdata::test {

std::uint64_t flags_word(std::uint64_t flags, std::endian order) {
    if (order == std::endian::little) return flags;
    // Big-endian C allocates bit-fields from the most significant bit: a field of w bits at bit n of the list is at
    // bits 64-n-w and up, with its value unchanged.
    std::uint64_t word = 0;
    for (unsigned begin = 0; begin < 64;) {
        const unsigned width = begin == 15 ? 2 : 1;  // 15: precise_ip
        const auto mask = (std::uint64_t{1} << width) - 1;
        word |= (flags >> begin & mask) << (64 - begin - width);
        begin += width;
    }
    return word;
}

void write_attr(Writer& out, const Attr& attr, std::size_t size) {
    Writer whole(out.order());
    whole.u32(attr.type).u32(attr.size).u64(attr.config).u64(attr.sample_period).u64(attr.sample_type);
    whole.u64(attr.read_format).u64(flags_word(attr.flags, out.order())).u32(attr.wakeup_events).u32(attr.bp_type);
    whole.u64(attr.config1).u64(attr.config2).u64(attr.branch_sample_type).u64(attr.sample_regs_user);
    whole.u32(attr.sample_stack_user).u32(static_cast<std::uint32_t>(attr.clockid)).u64(attr.sample_regs_intr);
    whole.u32(attr.aux_watermark).u16(attr.sample_max_stack).u16(0xbeef).u32(attr.aux_sample_size);
    whole.u32(attr.aux_action).u64(attr.sig_data).u64(attr.config3).u64(attr.config4);
    if (size > whole.size()) whole.fill(size - whole.size(), 0xee);
    out.bytes(Bytes(whole.blob()).first(size));
}

Attr sampling_attr(std::uint64_t sample_type) {
    Attr attr;
    attr.type = 1;
    attr.size = 128;
    attr.sample_type = sample_type;
    attr.flags = attr_flag::sample_id_all;
    return attr;
}

}  // namespace perfdata::test
