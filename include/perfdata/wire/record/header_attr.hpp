// SPDX-License-Identifier: MIT
// HEADER_ATTR (64): one event, in pipe streams. perf_event__synthesize_attr in tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/attr.hpp"
#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 attr, as long as its own field size says . then u64 id[] to the end of the record
struct HeaderAttr {
    static constexpr auto type = RecordType::header_attr;
    static constexpr std::string_view record_name = "record HEADER_ATTR";
    static constexpr std::size_t min_bytes = 8 + Attr::min_bytes;

    Attr attr;
    Words<AnyOrder> ids;  // EventId each; lives as long as the record

    static Result<HeaderAttr> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Cursor ahead = in;
        ahead.skip(4);
        const auto claimed = ahead.u32();
        const auto size = claimed == 0 ? Attr::min_bytes : claimed;
        if (size < Attr::min_bytes || size % 8 != 0) return in.contradiction("the size of the attr");
        const auto bytes = in.bytes(size);
        if (!in.ok()) return in.failure("the attr");
        return HeaderAttr{Attr::decode(bytes, record.order), take_remaining_words(in)};
    }

    // Of the attr, flags is the word after its bits have been brought into little-endian numbering.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit.list("attr", 1, [&](std::size_t, auto&& element) {
            element("type", attr.type);
            element("size", attr.size);
            element("config", attr.config);
            element(attr.freq() ? "sample_freq" : "sample_period", attr.sample_period);
            element("sample_type", attr.sample_type);
            element("read_format", attr.read_format);
            element("flags", attr.flags);
            element("wakeup_events", attr.wakeup_events);
            element("bp_type", attr.bp_type);
            element("config1", attr.config1);
            element("config2", attr.config2);
            element("branch_sample_type", attr.branch_sample_type);
            element("sample_regs_user", attr.sample_regs_user);
            element("sample_stack_user", attr.sample_stack_user);
            element("clockid", attr.clockid);
            element("sample_regs_intr", attr.sample_regs_intr);
            element("aux_watermark", attr.aux_watermark);
            element("sample_max_stack", attr.sample_max_stack);
            element("aux_sample_size", attr.aux_sample_size);
            element("aux_action", attr.aux_action);
            element("sig_data", attr.sig_data);
            element("config3", attr.config3);
            element("config4", attr.config4);
        });
        visit("id", ids);
    }
};

}  // namespace perfdata
