// SPDX-License-Identifier: MIT
#include "perfdata/recording/deferred_chains.hpp"

#include <algorithm>

#include "perfdata/recording/walk.hpp"

namespace perfdata {

DeferredChains DeferredChains::read(const Recording& recording, const StopToken& stop) {
    DeferredChains chains;
    const auto defers = [](const Event& event) { return event.attr.defers_callchains(); };
    if (std::ranges::none_of(recording.events().events(), defers)) return chains;
    Completeness completeness;
    const auto take = [&](const RecordContext& context, const CallchainDeferred& chain) {
        chains.add(context.trailer.tid.value_or(Tid{}), context.time, chain);
    };
    // Its losses are counted by whoever walks for the samples, who also notices that it is to stop.
    static_cast<void>(walk(recording, completeness, take, {.order = {}, .stop = stop}));
    chains.sort();
    return chains;
}

void DeferredChains::add(Tid tid, Time time, const CallchainDeferred& chain) {
    chains_.push_back({tid, chain.cookie, time, addresses_.size(), chain.ips.size()});
    for (const auto address : chain.ips) addresses_.push_back(address);
}

void DeferredChains::sort() {
    std::ranges::sort(chains_, {}, [](const Chain& chain) { return std::pair(chain.key(), chain.begin); });
}

std::optional<std::span<const std::uint64_t>> DeferredChains::find(Tid tid, Time time, std::uint64_t cookie) const {
    const auto same = std::ranges::equal_range(chains_, std::tuple(tid, cookie), {},
                                               [](const Chain& chain) { return std::tuple(chain.tid, chain.cookie); });
    if (same.empty()) return {};
    auto found = std::ranges::lower_bound(same, time, {}, &Chain::time);
    const bool earlier_is_nearer =
        found != same.begin() && (found == same.end() || time.nanoseconds - found[-1].time.nanoseconds <
                                                             found->time.nanoseconds - time.nanoseconds);
    if (earlier_is_nearer) --found;
    return std::span(addresses_).subspan(found->begin, found->size);
}

}  // namespace perfdata
