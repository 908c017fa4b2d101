// SPDX-License-Identifier: MIT
// CALLCHAIN_DEFERRED (22): the user part of call chains, recorded on the way back to user space. Linux 6.19;
// perf_callchain_deferred_output in kernel/events/core.c.
#pragma once

#include "perfdata/wire/record.hpp"
#include "perfdata/wire/record/arrays.hpp"

namespace perfdata {

//      8 u64 cookie . 16 u64 nr . 24 u64 ips[nr] . trailer
struct CallchainDeferred {
    // The number in the header, the name in errors, and the least size in bytes: with the header, without a trailer.
    static constexpr auto type = RecordType::callchain_deferred;
    static constexpr std::string_view record_name = "record CALLCHAIN_DEFERRED";
    static constexpr std::size_t min_bytes = 24;

    std::uint64_t cookie = 0;  // as at the end of the chains of earlier samples of the same thread
    U64View<AnyOrder> ips;     // user space only, innermost first, without markers

    // decode(record, trailer_size) is valid if the trailer fits into the record; truncated if the fields do not.
    static Result<CallchainDeferred> decode(const RecordView& record, std::size_t trailer_size) {
        Cursor in = record.body(trailer_size, record_name);
        CallchainDeferred chain;
        chain.cookie = in.u64();
        chain.ips = take_words(in, in.u64());
        if (!in.ok()) return in.failure("the call chain");
        return chain;
    }

    // fields(visit) visits the fields in file order by their names in uapi perf_event.h; `visit` is a FieldVisitor.
    template <class Visit>
    void fields(Visit&& visit) const {
        visit("cookie", cookie);
        visit("nr", std::uint64_t{ips.size()});
        visit("ips", ips);
    }
};

}  // namespace perfdata
