// SPDX-License-Identifier: MIT
#include "listing/listing_turns.hpp"

#include <array>
#include <atomic>
#include <thread>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Listings of one file ask for lines in their order, whichever thread is first", "[annotate][listing]") {
    constexpr std::size_t first = 7, count = 8;
    const std::array<int, 2> files{};
    Turns turns(first, count);
    std::mutex mutex;
    std::array<std::vector<std::size_t>, 2> order;
    std::atomic<std::size_t> begun = 0;
    std::vector<std::thread> threads;
    // Start the last ones first. Every fourth has no file.
    for (std::size_t back = 0; back < count; ++back) {
        threads.emplace_back([&, number = count - 1 - back] {
            Turns::Turn turn(turns, first + number);
            ++begun;
            const auto file = number % 2;
            if (number % 4 == 3) return;
            turn.wait(&files[file]);
            {
                const std::scoped_lock lock(mutex);
                order[file].push_back(number);
            }
            if (number % 4 == 0) turn.end();
        });
        while (begun <= back) std::this_thread::yield();
    }
    for (auto& thread : threads) thread.join();
    CHECK(order[0] == std::vector<std::size_t>{0, 2, 4, 6});
    CHECK(order[1] == std::vector<std::size_t>{1, 5});
}

TEST_CASE("Listings without a file wait for nobody", "[annotate][listing]") {
    Turns turns(0, 2);
    Turns::Turn later(turns, 1);
    later.wait(nullptr);
    later.end();
    Turns::Turn sooner(turns, 0);
    const int file = 0;
    sooner.wait(&file);
    SUCCEED();
}
