// SPDX-License-Identifier: MIT
// BPF_EVENT (18): a BPF program was loaded or unloaded. Linux 5.1; perf_event_bpf_output in kernel/events/core.c.
#pragma once

#include "perfdata/core/small_algorithms.hpp"
#include "perfdata/wire/identities.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u16 type . 10 u16 flags . 12 u32 id . 16 u8 tag[8] . trailer
struct BpfEvent {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::bpf_event;
    static constexpr std::string_view record_name = "record BPF_EVENT";
    static constexpr std::size_t min_bytes = 24;

    // Kind is enum perf_bpf_event_type of uapi perf_event.h.
    enum class Kind : std::uint16_t { unknown = 0, load = 1, unload = 2 };

    std::uint16_t kind = 0;   // Kind, or a newer kernel's
    std::uint16_t flags = 0;  // 0 in all kernels so far
    ProgramId id;             // some kernels write 0 on unload
    BpfTag tag{};             // of the whole program

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
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

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("type", kind);
        visit("flags", flags);
        visit("id", id.value);
        visit("tag", Bytes(tag));
    }
};

}  // namespace perfdata
