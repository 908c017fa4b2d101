// SPDX-License-Identifier: MIT
#include "tool/batch/batch_turns.hpp"

#include <atomic>
#include <thread>

#include "perfdata/core/parallel.hpp"

#include "catch.hpp"

using namespace perfdata;
using namespace perfdata::tool;

namespace {

std::unique_ptr<const BatchAnswer> answer_of(std::size_t entry, std::size_t bytes = 0) {
    auto answer = std::make_unique<BatchAnswer>();
    answer->exit_code = static_cast<int>(entry);
    answer->document.assign(bytes, 'x');
    return answer;
}

}  // namespace

TEST_CASE("Answers are told in the order of the list", "[annotate][batch]") {
    std::vector<int> told;
    BatchTurns turns(4, 1 << 20, [&](const BatchAnswer& answer) {
        told.push_back(answer.exit_code);
        return true;
    });
    for (std::size_t entry = 0; entry < 4; ++entry) CHECK(turns.next() == entry);
    CHECK(!turns.next());
    turns.answer(2, answer_of(2));
    turns.answer(1, answer_of(1));
    CHECK(told.empty());
    turns.answer(0, answer_of(0));
    CHECK(told == std::vector{0, 1, 2});
    turns.answer(3, answer_of(3));
    CHECK(told == std::vector{0, 1, 2, 3});
}

TEST_CASE("Nothing is handed out once an answer cannot be told", "[annotate][batch]") {
    BatchTurns turns(4, 1 << 20, [](const BatchAnswer&) { return false; });
    CHECK(turns.next() == std::size_t{0});
    turns.answer(0, answer_of(0));
    CHECK(!turns.next());
}

TEST_CASE("Large answers wait for earlier ones, and hold up new work", "[annotate][batch]") {
    std::atomic<int> told = 0;
    BatchTurns turns(100, 1000, [&](const BatchAnswer& answer) {
        CHECK(answer.exit_code == told);
        ++told;
        return true;
    });
    REQUIRE(turns.next() == std::size_t{0});
    REQUIRE(turns.next() == std::size_t{1});
    turns.answer(1, answer_of(1, 5000));
    std::atomic<bool> handed_out = false;
    std::jthread other([&] {
        while (const auto entry = turns.next()) {
            handed_out = true;
            turns.answer(*entry, answer_of(*entry, 5000));
        }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!handed_out);
    turns.answer(0, answer_of(0));
    other.join();
    CHECK(told == 100);
}

TEST_CASE("An entry that needs all memory is worked on alone", "[annotate][batch]") {
    constexpr std::size_t entries = 400;
    std::atomic<int> working = 0, told = 0, alone = 0;
    std::atomic<bool> disturbed = false;
    BatchTurns turns(entries, 1 << 20, [&](const BatchAnswer& answer) {
        if (answer.exit_code != told++) disturbed = true;
        return true;
    });
    on_threads(4, [&] {
        while (const auto entry = turns.next()) {
            ++working;
            if (*entry % 7 == 0) {
                --working;
                turns.be_alone(*entry);
                if (working != 0) disturbed = true;
                ++working;
                std::this_thread::yield();
                if (working != 1) disturbed = true;
                ++alone;
            }
            --working;
            turns.answer(*entry, answer_of(*entry));
        }
    });
    CHECK(!disturbed);
    CHECK(told == entries);
    CHECK(alone == 58);
}

TEST_CASE("Stopping ends all waiting", "[annotate][batch]") {
    BatchTurns turns(10, 1, [](const BatchAnswer&) { return true; });
    REQUIRE(turns.next() == std::size_t{0});
    REQUIRE(turns.next() == std::size_t{1});
    turns.answer(1, answer_of(1, 100));
    std::jthread waiting([&] { CHECK(!turns.next()); });
    turns.stop();
    waiting.join();
}
