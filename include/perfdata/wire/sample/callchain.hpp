// SPDX-License-Identifier: MIT
// Call chains: addresses, innermost first, with markers between them that give the CPU mode.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "perfdata/core/types.hpp"
#include "perfdata/wire/record.hpp"

namespace perfdata {

// ChainContext is a value in a call chain that is not an address (enum perf_callchain_context).
enum class ChainContext : std::uint64_t {
    hypervisor = std::uint64_t(-32),
    kernel = std::uint64_t(-128),
    user = std::uint64_t(-512),
    user_deferred = std::uint64_t(-640),  // the next and last value is a cookie: see CALLCHAIN_DEFERRED
    guest = std::uint64_t(-2048),
    guest_kernel = std::uint64_t(-2176),
    guest_user = std::uint64_t(-2560),
};

// is_chain_context(value) returns true for markers, known or not: values from -4095 on.
constexpr bool is_chain_context(std::uint64_t value) {
    return value >= static_cast<std::uint64_t>(-4095);
}

// chain_mode(value) returns the mode of the addresses after a marker; empty for an unknown one.
constexpr std::optional<CpuMode> chain_mode(std::uint64_t value) {
    switch (static_cast<ChainContext>(value)) {
        case ChainContext::hypervisor: return CpuMode::hypervisor;
        case ChainContext::kernel: return CpuMode::kernel;
        case ChainContext::user:
        case ChainContext::user_deferred: return CpuMode::user;
        case ChainContext::guest:
        case ChainContext::guest_kernel: return CpuMode::guest_kernel;
        case ChainContext::guest_user: return CpuMode::guest_user;
    }
    return {};
}

// visits_on(visit, address, mode) calls visit and returns false only if visit does; a visit without a result continues.
template <class Visit>
bool visits_on(Visit& visit, Address address, CpuMode mode) {
    if constexpr (std::is_void_v<decltype(visit(address, mode))>) {
        visit(address, mode);
        return true;
    } else {
        return visit(address, mode);
    }
}

// for_each_frame(chain, mode, visit) calls visit(Address, CpuMode) for every address, innermost first, until it returns
// false. `mode` is the sample's own: that of the addresses before the first marker. Addresses after an unknown marker
// get CpuMode::unknown. Returns the cookie of a chain whose user part was deferred.
template <class Chain, class Visit>
std::optional<std::uint64_t> for_each_frame(const Chain& chain, CpuMode mode, Visit&& visit) {
    bool cookie_next = false;
    for (const std::uint64_t value : chain) {
        if (cookie_next) return value;
        if (is_chain_context(value)) {
            cookie_next = static_cast<ChainContext>(value) == ChainContext::user_deferred;
            mode = chain_mode(value).value_or(CpuMode::unknown);
        } else {
            if (!visits_on(visit, Address{value}, mode)) return {};
        }
    }
    return {};
}

}  // namespace perfdata
