// SPDX-License-Identifier: MIT
// BPF_EVENT (18): a BPF program was loaded or unloaded. Linux 5.1; perf_event_bpf_output in kernel/events/core.c.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/identities.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u16 type . 10 u16 flags . 12 u32 id . 16 u8 tag[8] . trailer
struct BpfEvent {
    static constexpr auto type = RecordType::bpf_event;
    static constexpr std::string_view record_name = "record BPF_EVENT";
    static constexpr std::size_t min_bytes = 24;

    enum class Kind : std::uint16_t { unknown = 0, load = 1, unload = 2 };

    std::uint16_t kind = 0;  // Kind, or a newer kernel's
    std::uint16_t flags = 0;
    ProgramId id;  // some kernels write 0 on unload
    BpfTag tag{};  // of the whole program

    static Result<BpfEvent> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        BpfEvent event;
        event.kind = in.u16();
        event.flags = in.u16();
        event.id = {in.u32()};
        copy_bytes(in.bytes(event.tag.size()), event.tag.data());
        if (!in.ok()) return in.failure("the tag");
        return event;
    }

    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("flags", flags);
        visit("id", id.value);
        visit("tag", Bytes(tag));
    }
};

}  // namespace perfdata
