// SPDX-License-Identifier: MIT
// KSYMBOL (17): kernel code that came or went. Linux 5.1; perf_event_ksymbol_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 addr . 16 u32 len . 20 u16 ksym_type . 22 u16 flags . 24 name, NUL-padded to 8 . trailer
struct Ksymbol {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::ksymbol;
    static constexpr std::string_view record_name = "record KSYMBOL";
    static constexpr std::size_t min_bytes = 25;

    // Kind is PERF_RECORD_KSYMBOL_TYPE_*. Out of line are trampolines, and the copies of instructions of kprobes.
    enum class Kind : std::uint16_t { unknown = 0, bpf = 1, out_of_line = 2 };

    Address address;          // of its first byte, at run time
    std::uint32_t size = 0;   // bytes; 0 for an interpreted BPF program; 4096 for BPF images whatever their code
    std::uint16_t kind = 0;   // Kind, or a newer kernel's
    std::uint16_t flags = 0;  // PERF_RECORD_KSYMBOL_FLAGS_*
    std::string_view name;    // lives as long as the record

    bool unregister() const { return (flags & 1) != 0; }  // it went; else it came

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<Ksymbol> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        Ksymbol symbol;
        symbol.address = {in.u64()};
        symbol.size = in.u32();
        symbol.kind = in.u16();
        symbol.flags = in.u16();
        symbol.name = in.terminated_string();
        if (!in.ok()) return in.failure("the name");
        return symbol;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("addr", address);
        visit("len", size);
        visit("ksym_type", kind);
        visit("flags", flags);
        visit("name", name);
    }
};

}  // namespace perfdata
