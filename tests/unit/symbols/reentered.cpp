// SPDX-License-Identifier: MIT
// Callbacks that ask for what the call around them is reading.
#include <cstddef>
#include <mutex>

#include "perfdata/core/catch_bad_alloc.hpp"

#include "catch.hpp"
#include "recording/owned_mutex.hpp"
#include "symbols/once.hpp"
#include "unit/symbols/inlined_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("Who asks for what is being read on the same thread gets an error, and does not wait",
          "[symbols][callbacks]") {
    const auto detail = GENERATE(CodeDetail::names, CodeDetail::inlined, CodeDetail::lines);
    InlinedScene scene;
    scene.chain({InlinedScene::turn, InlinedScene::after_middle, InlinedScene::main + 1});
    const OpenedInlined opened(scene);
    const auto& symbolizer = opened.symbolizer;
    const auto frame = InlinedScene::frame(InlinedScene::work);
    std::size_t asked = 0, nameless = 0, without_lines = 0, not_loaded = 0, without_functions = 0;
    const StopToken callback([&] {
        if (++asked == 1) return false;  // nothing is being read yet
        if (const auto name = symbolizer.name(frame); name.miss == SymbolMiss::busy) {
            CHECK(name.symbol.empty());
            CHECK(symbolizer.extent(frame).size == 0);
            ++nameless;
        }
        if (const auto lines = symbolizer.lines(frame, 0x40); !lines) {
            CHECK(lines.error().code == ErrorCode::busy);
            ++without_lines;
        }
        if (const auto loaded = symbolizer.load(frame, detail, {}); !loaded) {
            CHECK(loaded.error().code == ErrorCode::busy);
            ++not_loaded;
        }
        const auto function = catch_bad_alloc([&] { return symbolizer.functions().function(frame); });
        if (!function) {
            CHECK(function.error().code == ErrorCode::busy);
            ++without_functions;
        }
        return false;
    });
    CHECK(symbolizer.load(frame, detail, {callback, {}}));
    CHECK(nameless != 0);
    CHECK(without_functions == nameless);
    CHECK(without_lines != 0);
    CHECK(not_loaded != 0);
    // Nothing of it is kept.
    CHECK(symbolizer.name(frame).symbol == "work");
    CHECK(symbolizer.lines(frame, 0x40)->size() > 1);
    CHECK(symbolizer.losses().count() == 0);
}

TEST_CASE("A mutex says whose it is", "[symbols][callbacks]") {
    OwnedMutex mutex;
    {
        const std::scoped_lock lock(mutex);
        CHECK_THROWS_AS(mutex.lock(), Reentered);
        CHECK_THROWS_AS(mutex.try_lock(), Reentered);
    }
    CHECK(mutex.try_lock());
    mutex.unlock();
    Once once;
    CHECK_THROWS_AS(once([&] { once([] {}); }), Reentered);
    CHECK_FALSE(once.done());
    once([] {});
    CHECK(once.done());
}
