// SPDX-License-Identifier: MIT
// TEXT_POKE (20): the kernel changed its own code. Linux 5.9; perf_event_text_poke_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"

namespace perfdata {

//      8 u64 addr . 16 u16 old_len . 18 u16 new_len . 20 the old bytes, the new bytes, zeros up to 8 . trailer
struct TextPoke {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::text_poke;
    static constexpr std::string_view record_name = "record TEXT_POKE";
    static constexpr std::size_t min_bytes = 20;

    Address address;             // of the first changed byte, at run time
    std::uint16_t old_size = 0;  // 0: new code, of a trampoline for example
    std::uint16_t new_size = 0;  // 0: the code is gone
    Bytes bytes;                 // old, then new; lives as long as the record

    Bytes old_bytes() const { return bytes.first(old_size); }  // what was there; live as long as the record

    // what is there now; live as long as the record
    Bytes new_bytes() const { return bytes.subspan(old_size, new_size); }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<TextPoke> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        TextPoke poke;
        poke.address = {in.u64()};
        poke.old_size = in.u16();
        poke.new_size = in.u16();
        poke.bytes = in.bytes(std::uint64_t{poke.old_size} + poke.new_size);
        if (!in.ok()) return in.failure("the code");
        return poke;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("addr", address);
        visit("old_len", old_size);
        visit("new_len", new_size);
        visit("bytes", bytes);
    }
};

}  // namespace perfdata
