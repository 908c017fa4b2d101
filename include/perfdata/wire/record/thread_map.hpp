// SPDX-License-Identifier: MIT
// THREAD_MAP (73): the threads that perf stat counted. perf 4.5; perf_event__synthesize_thread_map2 in
// tools/perf/util/synthetic-events.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u64 nr . 16 nr x { u64 pid . char comm[16] }
struct ThreadMap {
    static constexpr auto type = RecordType::thread_map;                  // in the record's header
    static constexpr std::string_view record_name = "record THREAD_MAP";  // in errors
    static constexpr std::size_t min_bytes = 16;                          // with the header, without a trailer
    static constexpr std::size_t entry_bytes = 24;                        // bytes of one thread on disk

    // Thread is one of the counted threads.
    struct Thread {
        std::uint64_t pid = 0;  // actually a thread id; all ones: any
        std::string_view comm;  // any bytes; lives as long as the record
    };

    Bytes threads;   // entry_bytes each; lives as long as the record
    AnyOrder order;  // of the integers in `threads`

    std::size_t size() const { return threads.size() / entry_bytes; }  // number of threads
    // The index must be below size().
    Thread thread(std::size_t index) const {
        const auto entry = threads.subspan(index * entry_bytes, entry_bytes);
        return {order.load<std::uint64_t>(entry.data()), until_nul(entry.subspan(8))};
    }

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<ThreadMap> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        const auto count = in.u64();
        if (!in.fits(count, entry_bytes)) return in.failure("the threads");
        return ThreadMap{in.bytes(count * entry_bytes), record.order};
    }

    // fields(visit) visits the fields in file order by their names in libperf's event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("nr", std::uint64_t{size()});
        visit.list("entries", size(), [&](std::size_t index, auto&& element) {
            const auto one = thread(index);
            element("pid", one.pid);
            element("comm", one.comm);
        });
    }
};

}  // namespace perfdata
