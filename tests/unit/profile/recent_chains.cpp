// SPDX-License-Identifier: MIT
#include "profile/recent_chains.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "support/random.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// FoundFrame is what is found at a frame: its code at that time, and what is around it in the chain.
using FoundFrame =
    std::tuple<std::uint64_t, std::uint64_t, CpuMode, bool>;  // address, version, mode, same mode as before

// The code at an address changes every `period` nanoseconds: at each address another one.
std::uint64_t period_of(std::uint64_t address) {
    return 10 + address % 5 * 40;
}

std::vector<FoundFrame> found_alone(const std::vector<std::uint64_t>& chain, CpuMode mode, std::uint64_t time) {
    std::vector<FoundFrame> found;
    auto before = CpuMode::unknown;
    for_each_frame(chain, mode, [&](Address address, CpuMode now) {
        found.emplace_back(address.value, time / period_of(address.value), now, !found.empty() && now == before);
        before = now;
    });
    return found;
}

std::vector<std::uint64_t> random_chain(Random& random, const std::vector<std::uint64_t>& last) {
    // Outer callers of the last one, and new ones below them.
    std::vector<std::uint64_t> chain;
    const auto add = [&] {
        constexpr ChainContext contexts[] = {ChainContext::kernel, ChainContext::user, ChainContext{~std::uint64_t{0}}};
        chain.push_back(random.one_in(4) ? static_cast<std::uint64_t>(contexts[random.size(3)]) : random.below(12));
    };
    for (auto left = random.below(6); left != 0; --left) add();
    const auto kept = random.size(last.size() + 1);
    chain.insert(chain.end(), last.end() - static_cast<std::ptrdiff_t>(kept), last.end());
    if (random.one_in(8)) chain.push_back(random.below(12));
    return chain;
}

}  // namespace

TEST_CASE("What recent chains share is what would be found", "[profile][property]") {
    const auto seed = GENERATE(1u, 22u, 333u);
    Random random(seed);
    RecentChains recent;
    std::map<std::size_t, std::vector<FoundFrame>> known;        // by slot: of the last chain, innermost first
    std::map<std::uint32_t, std::vector<std::uint64_t>> chains;  // the last one, by tid
    std::uint64_t time = 1000;
    std::size_t shared_frames = 0, differences = 0, cut = 0;
    for (int step = 0; step < 20000; ++step) {
        time = random.one_in(20) ? random.below(4000) : time + random.below(2);
        const auto mode = random.one_in(3) ? CpuMode::user : CpuMode::kernel;
        const auto most = random.one_in(10) ? random.size(6) : std::size_t{100};
        const auto pid = static_cast<std::uint32_t>(random.below(3));
        const Tid tid{pid * 10 + static_cast<std::uint32_t>(random.below(2))};
        auto& last = chains[tid.value];
        const auto chain = random_chain(random, last);
        std::vector<FoundFrame> found;
        auto before = CpuMode::unknown;
        const auto shared = recent.take(
            chain, mode, Pid{pid}, tid, Time{time}, most, [&](Address address, CpuMode now, Lasting& holds) {
                const auto period = period_of(address.value);
                // Of some it does not know.
                if (address.value != 11) holds = {{time / period * period}, {(time / period + 1) * period}};
                found.emplace_back(address.value, time / period, now, !found.empty() && now == before);
                before = now;
            });
        REQUIRE(shared.slot < RecentChains::slots);
        auto expected = found_alone(chain, mode, time);
        if (expected.size() > most) {
            // It visits one more than the most.
            CHECK(shared.frames == 0);
            expected.resize(most + 1);
            ++cut;
        } else {
            auto& before_this = known[shared.slot];
            REQUIRE(shared.frames <= before_this.size());
            found.insert(found.end(), before_this.end() - static_cast<std::ptrdiff_t>(shared.frames),
                         before_this.end());
            shared_frames += shared.frames;
        }
        differences += found != expected;
        known[shared.slot] = found;
        last = chain;
        if (last.size() > 40) last.clear();
    }
    CHECK(differences == 0);
    CHECK(shared_frames > 5000);
    CHECK(cut > 100);
}
