// SPDX-License-Identifier: MIT
// The user parts of call chains that the kernel wrote later, found by the cookie at the end of a sample's chain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "perfdata/core/export.hpp"
#include "perfdata/core/stop_token.hpp"
#include "perfdata/recording/recording.hpp"
#include "perfdata/wire/record/callchain_deferred.hpp"
#include "perfdata/wire/sample.hpp"
#include "perfdata/wire/sample/callchain.hpp"

namespace perfdata {

// A chain that ends in USER_DEFERRED and a cookie is continued by the CALLCHAIN_DEFERRED record of the same thread
// with this cookie: all samples that a thread takes during one stay in the kernel share one such record, written on
// its way back to user space. Cookies repeat after a while, so the record nearest in time counts. It may be slightly
// earlier than a sample that interrupted its writing. Follows evlist__deliver_deferred_callchain in
// tools/perf/util/session.c.
//
//     sample  [ KERNEL k1 k2 USER_DEFERRED cookie ]  +  record  cookie [ u1 u2 ]  =  k1 k2 u1 u2
class PERFDATA_EXPORT DeferredChains {
  public:
    DeferredChains() = default;
    // read(recording) collects all such records of a recording: one pass, or none if no event asks for them. `stop`
    // ends it early, with some of them.
    static DeferredChains read(const Recording& recording, const StopToken& stop = {});

    // Adds one record; `time` is its trailer's. The addresses are copied.
    void add(Tid tid, Time time, const CallchainDeferred& chain);
    // sort() must be called between add() and find().
    void sort();

    // find(tid, time, cookie) returns the addresses in user space, innermost first; nothing if the recording does not
    // have them: it ended before, or the record was lost. They live as long as this object.
    std::optional<std::span<const std::uint64_t>> find(Tid tid, Time time, std::uint64_t cookie) const;

    std::size_t size() const { return chains_.size(); }  // number of records

  private:
    struct Chain {
        Tid tid;
        std::uint64_t cookie;
        Time time;
        std::size_t begin, size;  // in addresses_

        std::tuple<Tid, std::uint64_t, Time> key() const { return {tid, cookie, time}; }
    };
    std::vector<Chain> chains_;  // sorted: a search takes log n, whatever cookies a file has
    std::vector<std::uint64_t> addresses_;
};

// deferred_cookie(chain) returns the cookie at the end of a call chain, if its user part was deferred.
template <class Chain>
std::optional<std::uint64_t> deferred_cookie(const Chain& chain) {
    const auto size = chain.size();
    if (size < 2 || static_cast<ChainContext>(chain[size - 2]) != ChainContext::user_deferred) return {};
    return chain[size - 1];
}

// for_each_frame(sample, deferred, visit) calls visit(Address, CpuMode) for every address of a sample's call chain,
// including its deferred part, innermost first, until one returns false. Returns false if that part is missing.
template <class Order, class Visit>
bool for_each_frame(const BasicSample<Order>& sample, const DeferredChains& deferred, Visit&& visit) {
    const auto chain = sample.callchain();
    if (!chain) return true;
    const auto cookie = for_each_frame(*chain, sample.mode(), visit);
    if (!cookie) return true;
    const auto rest = deferred.find(sample.tid().value_or(Tid{}), sample.time().value_or(Time{}), *cookie);
    if (!rest) return false;
    for (const auto address : *rest) {
        if (!visits_on(visit, Address{address}, CpuMode::user)) break;
    }
    return true;
}

}  // namespace perfdata
