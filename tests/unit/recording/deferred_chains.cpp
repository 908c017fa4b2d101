// SPDX-License-Identifier: MIT
#include "perfdata/recording/deferred_chains.hpp"

#include <functional>
#include <map>

#include "perfdata/recording/walk.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

using Addresses = std::vector<std::uint64_t>;

constexpr std::uint64_t user_deferred = static_cast<std::uint64_t>(-640);

void add(DeferredChains& chains, std::uint32_t tid, std::uint64_t time, std::uint64_t cookie, const Addresses& ips) {
    CallchainDeferred record;
    record.cookie = cookie;
    record.ips = {std::as_bytes(std::span(ips)).data(), ips.size(), AnyOrder{}};
    chains.add({tid}, {time}, record);
}

std::optional<Addresses> found(const DeferredChains& chains, std::uint32_t tid, std::uint64_t time,
                               std::uint64_t cookie) {
    const auto rest = chains.find({tid}, {time}, cookie);
    if (!rest) return {};
    return Addresses(rest->begin(), rest->end());
}

// Calls `sample` and `chain` for records of these types.
struct Model {
    std::function<void(const RecordContext&, const Sample&)> sample;
    std::function<void(const RecordContext&, const CallchainDeferred&)> chain;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>&) {
        const auto& bytes = context.view.bytes;
        sample(context, Sample(bytes.data(), *layout, context.view.order));
    }
    void operator()(const RecordContext& context, const CallchainDeferred& record) { chain(context, record); }

    const SampleLayout* layout;
};

}  // namespace

TEST_CASE("A deferred chain is found by thread and cookie, the nearest in time", "[recording][deferred]") {
    DeferredChains chains;
    add(chains, 7, 300, 5, {0x30, 0x31});
    add(chains, 7, 100, 5, {0x10});
    add(chains, 8, 150, 5, {0x80});
    add(chains, 7, 120, 6, {});
    chains.sort();
    CHECK(found(chains, 7, 90, 5) == Addresses{0x10});
    CHECK(found(chains, 7, 100, 5) == Addresses{0x10});
    CHECK(found(chains, 7, 199, 5) == Addresses{0x10});
    CHECK(found(chains, 7, 200, 5) == Addresses{0x30, 0x31});
    CHECK(found(chains, 7, 9000, 5) == Addresses{0x30, 0x31});
    CHECK(found(chains, 8, 90, 5) == Addresses{0x80});
    CHECK(found(chains, 7, 90, 6) == Addresses{});
    CHECK_FALSE(found(chains, 7, 90, 4));
    CHECK_FALSE(found(chains, 9, 90, 5));
    CHECK_FALSE(found(DeferredChains(), 7, 90, 5));
}

TEST_CASE("The cookie of a chain is its last value, and no address", "[recording][deferred]") {
    CHECK(deferred_cookie(Addresses{static_cast<std::uint64_t>(-128), 0x1, user_deferred, 9}) == 9u);
    CHECK_FALSE(deferred_cookie(Addresses{static_cast<std::uint64_t>(-128), 0x1}));
    CHECK_FALSE(deferred_cookie(Addresses{user_deferred}));
    CHECK_FALSE(deferred_cookie(Addresses{}));
}

// perf 7.2 wrote the kernel's part of each chain into the sample, and the user's part into a later record.
TEST_CASE("Recorded chains are joined with their user part, and lose no frame", "[recording][deferred]") {
    const auto recording = Recording::open(PERFDATA_FIXTURES "/records/v72_defer.data");
    REQUIRE(recording);
    const auto deferred = DeferredChains::read(*recording);
    // The model: in file order, a record completes all waiting samples of its thread with its cookie.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint64_t>> waiting;  // times of samples
    std::map<std::uint64_t, Addresses> expected;                                            // by time
    std::size_t with_cookie = 0, joined = 0, records = 0;
    Model model{[&](const RecordContext& context, const Sample& sample) {
                    const auto cookie = deferred_cookie(*sample.callchain());
                    if (!cookie) return;
                    ++with_cookie;
                    waiting[{sample.tid()->value, *cookie}].push_back(context.time.nanoseconds);
                },
                [&](const RecordContext& context, const CallchainDeferred& record) {
                    ++records;
                    auto& samples = waiting[{context.trailer.tid->value, record.cookie}];
                    for (const auto time : samples) expected[time] = Addresses(record.ips.begin(), record.ips.end());
                    samples.clear();
                },
                &recording->events().layout(0)};
    Completeness completeness;
    REQUIRE(walk(*recording, completeness, model));
    CHECK(deferred.size() == records);
    REQUIRE(with_cookie > 50);

    const auto check = [&](const RecordContext& context, const auto& sample) {
        if constexpr (requires { sample.callchain(); }) {
            const auto chain = *sample.callchain();
            std::vector<std::pair<std::uint64_t, CpuMode>> frames;
            const bool whole = for_each_frame(
                sample, deferred, [&](Address address, CpuMode mode) { frames.emplace_back(address.value, mode); });
            const auto of_user = expected.find(context.time.nanoseconds);
            const bool deferred_here = deferred_cookie(chain).has_value();
            CHECK(whole == (!deferred_here || of_user != expected.end()));
            if (!deferred_here || !whole) return;
            ++joined;
            // Either nothing, or KERNEL and its addresses, then USER_DEFERRED and the cookie.
            std::vector<std::pair<std::uint64_t, CpuMode>> whole_chain;
            for (std::size_t index = 1; index + 2 < chain.size(); ++index) {
                whole_chain.emplace_back(chain[index], CpuMode::kernel);
            }
            for (const auto address : of_user->second) whole_chain.emplace_back(address, CpuMode::user);
            CHECK(frames == whole_chain);
        }
    };
    REQUIRE(walk(*recording, completeness, check));
    CHECK(joined == expected.size());
    CHECK(joined > 50);
}
