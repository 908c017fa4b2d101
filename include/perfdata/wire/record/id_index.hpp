// SPDX-License-Identifier: MIT
// ID_INDEX (69): the counters that event ids identify. perf 3.19; perf_event__synthesize_id_index in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u64 nr . 16 nr x { u64 id . u64 idx . u64 cpu . u64 tid } [. nr x { u64 machine_pid . u64 vcpu }]
//
// The second table is present if the record is long enough for it (perf 6.0).
struct IdIndex {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::id_index;
    static constexpr std::string_view record_name = "record ID_INDEX";
    static constexpr std::size_t min_bytes = 16;

    // Entry is one counter.
    struct Entry {
        EventId id;               // as in samples and trailers
        std::uint64_t index = 0;  // of the ring buffer
        std::uint64_t cpu = 0;    // all ones: any
        std::uint64_t tid = 0;    // all ones: any
    };
    // Guest is the virtual machine that an event belongs to: machine_pid 0 is the host.
    struct Guest {
        std::uint64_t machine_pid = 0;  // pid of the virtual machine's process on the host
        std::uint64_t vcpu = 0;         // all ones: unknown
    };

    U64View<AnyOrder> entry_words;  // four words each; lives as long as the record
    U64View<AnyOrder> guest_words;  // two words each, as many as there are entries, or none

    std::size_t size() const { return entry_words.size() / 4; }  // number of entries
    bool has_guests() const { return !guest_words.empty(); }  // the record has the second table, for all of its entries
    // The index must be below size().
    Entry entry(std::size_t at) const {
        return {{entry_words[4 * at]}, entry_words[4 * at + 1], entry_words[4 * at + 2], entry_words[4 * at + 3]};
    }
    // guest(at) belongs to entry(at). Valid if has_guests().
    Guest guest(std::size_t at) const { return {guest_words[2 * at], guest_words[2 * at + 1]}; }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<IdIndex> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        IdIndex index;
        const auto count = in.u64();
        if (!in.fits(count, 32)) return in.failure("the entries");
        index.entry_words = take_words(in, 4 * count);
        if (in.remaining() / 16 >= count) index.guest_words = take_words(in, 2 * count);
        return index;
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("nr", std::uint64_t{size()});
        visit.list("entries", size(), [&](std::size_t at, auto&& element) {
            const auto one = entry(at);
            element("id", one.id.value);
            element("idx", one.index);
            element("cpu", one.cpu);
            element("tid", one.tid);
        });
        if (!has_guests()) return;
        visit.list("entries_2", size(), [&](std::size_t at, auto&& element) {
            element("machine_pid", guest(at).machine_pid);
            element("vcpu", guest(at).vcpu);
        });
    }
};

}  // namespace perfdata
