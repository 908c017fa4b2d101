// SPDX-License-Identifier: MIT
// Output that another thread takes.
#include "format/write_ahead.hpp"

#include <atomic>
#include <cstddef>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "catch.hpp"

using namespace perfdata;

namespace {

// Parts of many sizes: some are larger than a block, many are joined.
std::string parts(const Sink& sink) {
    std::string all;
    for (std::size_t at = 0; at < 3000; ++at) {
        const std::string part(at % 100 == 0 ? 300000 : at % 77, static_cast<char>('a' + at % 26));
        all += part;
        sink(part);
    }
    return all;
}

}  // namespace

TEST_CASE("Another thread gets all output, in order", "[format]") {
    std::string got, expected;
    bool elsewhere = true;
    const auto here = std::this_thread::get_id();
    const Sink sink = [&](std::string_view part) {
        elsewhere = elsewhere && std::this_thread::get_id() != here;
        got += part;
    };
    write_ahead(sink, [&](const Sink& ahead) { expected = parts(ahead); });
    CHECK(got == expected);
    CHECK(elsewhere);
    got.clear();
    write_ahead(sink, [](const Sink& ahead) { ahead("short"); });
    CHECK(got == "short");
    got.clear();
    write_ahead(sink, [](const Sink&) {});
    CHECK(got.empty());
}

TEST_CASE("What the other thread throws ends the writing", "[format]") {
    for (const std::size_t most : {std::size_t{0}, std::size_t{1000000}, std::size_t{8000000}}) {
        std::size_t got = 0, made = 0;
        const Sink sink = [&](std::string_view part) {
            got += part.size();
            if (got > most) throw std::runtime_error("full");
        };
        const auto write = [&](const Sink& ahead) {
            for (const std::string part(1000, 'x'); made < 1000000000; made += part.size()) ahead(part);
        };
        CHECK_THROWS_WITH(write_ahead(sink, write), "full");
        CHECK(made < most + 8000000);
    }
    // It is told even if nothing is written after it.
    CHECK_THROWS_WITH(
        write_ahead([](std::string_view) { throw std::runtime_error("full"); }, [](const Sink& ahead) { ahead("x"); }),
        "full");
}

TEST_CASE("A sink that ends its thread ends the writing", "[format]") {
    std::size_t got = 0;
    const Sink sink = [&](std::string_view) {
        if (++got == 2) ::pthread_exit(nullptr);
    };
    for (const std::size_t size : {std::size_t{600000}, std::size_t{20000000}}) {
        got = 0;
        const auto write = [&](const Sink& ahead) {
            const std::string part(1000, 'x');
            for (std::size_t made = 0; made < size; made += part.size()) ahead(part);
        };
        CHECK_THROWS_WITH(write_ahead(sink, write), "the thread that takes the output ended");
    }
}

TEST_CASE("What the writer throws ends the other thread", "[format]") {
    std::atomic<std::size_t> got = 0;
    const Sink sink = [&](std::string_view part) { got += part.size(); };
    const auto write = [](const Sink& ahead) {
        parts(ahead);
        throw std::runtime_error("stopped");
    };
    CHECK_THROWS_WITH(write_ahead(sink, write), "stopped");
    CHECK(got <= 3000 * 300000);
}
