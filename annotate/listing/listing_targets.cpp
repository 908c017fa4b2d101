// SPDX-License-Identifier: MIT
#include "listing_targets.hpp"

#include <algorithm>
#include <string>

#include "perfdata/symbols/kernel/kernel_names.hpp"
#include "perfdata/timeline/jit_codes.hpp"

namespace perfdata {

ListingTargets::ListingTargets(const Listing& listing, const Symbolizer& symbolizer)
    : listing_(listing), symbolizer_(symbolizer), kernel_(listing.version.in_kernel()), time_(alive_at()) {}

// All functions of a BPF program are registered by the time of its load, some microseconds after the first of them.
Time ListingTargets::alive_at() const {
    const auto from = listing_.version.from;
    if (!listing_.code) return from;
    const auto& code = symbolizer_.timeline().code()[*listing_.code];
    return code.load ? std::max(from, symbolizer_.timeline().loads()[*code.load].loaded_at) : from;
}

ListingTarget ListingTargets::resolve(Address address) const {
    ListingTarget target{address, {}, 0, false};
    const auto begin = listing_.image->address;
    const auto size = std::max<std::uint64_t>(listing_.range.size, listing_.image->bytes.size());
    if (AddressRange{begin, size}.contains(address)) {
        target.name = listing_.name.name;
        target.offset = address - begin;
        target.same_function = true;
    } else if (symbolizer_.keeps_targets()) {
        in_profile(target);
    } else if (kernel_) {
        in_kernel(target);
    } else if (listing_.version.function.kind == FrameKind::jit) {
        in_jit(target);
    } else {
        in_file(target);
    }
    return target;
}

void ListingTargets::in_kernel(ListingTarget& target) const {
    const auto& timeline = symbolizer_.timeline();
    if (auto found = symbolizer_.bpf().target(target.address, time_)) {
        target.offset = found->offset;
        target.name = std::move(found->name);
        if (!listing_.code) return;
        // A function of the same program needs no program in front of its name.
        const auto& own = timeline.code()[*listing_.code];
        const auto& code = timeline.code()[found->code];
        if (code.load && code.load == own.load) target.name = symbolizer_.bpf().plain_name(found->code).name;
        return;
    }
    const auto* kernel = symbolizer_.kernel();
    const auto name = kernel == nullptr ? std::nullopt : kernel->find(target.address);
    if (!name) return;
    target.name = name->name;
    target.offset = name->offset;
}

void ListingTargets::in_jit(ListingTarget& target) const {
    const auto& jit = symbolizer_.jit();
    const auto* function = jit.code(listing_.version.function.index).find(target.address, time_);
    if (function == nullptr) return;
    target.name = function->name;
    target.offset = target.address - function->range.begin;
}

// Addresses are the file's own; the target is at the same distance from the function's start as in the listing.
void ListingTargets::in_file(ListingTarget& target) const {
    auto frame = listing_.version.function;
    if (frame.kind != FrameKind::object) return;
    frame.offset += target.address - listing_.image->address;
    const auto name = symbolizer_.name(frame);
    if (name.symbol.empty()) return;
    target.name = name.symbol;
    target.offset = name.offset;
}

void ListingTargets::in_profile(ListingTarget& target) const {
    const auto known = symbolizer_.target(listing_.version, target.address, TargetUse::jump);
    if (!known) return;
    target.name = known->name;
    target.offset = known->offset;
}

std::optional<ListingTarget> ListingTargets::function_at(Address address) const {
    if (symbolizer_.keeps_targets()) {
        auto target = resolve(address);
        // Only BPF functions are known to begin where their own code does.
        if (target.same_function) return listing_.code && target.offset == 0 ? std::optional(target) : std::nullopt;
        const auto known = symbolizer_.target(listing_.version, address, TargetUse::constant);
        if (!known) return {};
        return ListingTarget{address, std::string(known->name), known->offset, false};
    }
    if (kernel_) {
        const auto place = symbolizer_.timeline().code_at(address, time_);
        if (!place || place->offset != 0) return {};
        return resolve(address);
    }
    auto target = resolve(address);
    if (target.name.empty() || target.offset != 0 || target.same_function) return {};
    return target;
}

}  // namespace perfdata
