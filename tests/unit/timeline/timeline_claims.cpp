// SPDX-License-Identifier: MIT
// Assigns code to programs if many programs claim the code of many records.
#include <random>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
    return a > b ? a - b : b - a;
}

// Registered is code in the model.
struct Registered {
    std::uint64_t address, size, time;
    std::uint32_t program = 0;  // its program; 0: none
};

// claim(code, program, load_time) follows the documented rule: at each address, the code that began nearest to the load
// time.
void claim(std::vector<Registered>& code, const Program& program, std::uint64_t load_time) {
    for (const auto& function : program.functions) {
        Registered* best = nullptr;
        for (auto& one : code) {
            if (one.program != 0 || one.address != function.address || one.size != function.size) continue;
            if (best == nullptr || distance(one.time, load_time) < distance(best->time, load_time)) best = &one;
        }
        if (best != nullptr) best->program = program.id;
    }
}

}  // namespace

TEST_CASE("Code without an event is its that was loaded nearest to it", "[timeline][info][property]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
        return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
    };
    Scene scene;
    std::vector<Registered> model;
    std::uint64_t time = 1000;
    for (std::uint32_t number = 0; number < 60; ++number) {
        time += below(3);  // some begin at the same time
        const std::uint64_t address = 0x1000 + 0x100 * below(4);
        const std::uint32_t size = below(2) == 0 ? 0x40 : 0x80;
        scene.symbol(live(time), address, size, symbol_of(tag_of(number + 1), "f" + std::to_string(number)));
        model.push_back({address, size, time});
    }
    for (std::uint32_t id = 1; id <= 20; ++id) {
        Program program{id, id, {}};
        for (auto count = 1 + below(6); count != 0; --count) {
            program.functions.push_back({0x1000 + 0x100 * below(4), below(2) == 0 ? 0x40u : 0x80u, "p", id});
        }
        const auto load_time = 1000 + below(static_cast<std::uint32_t>(time - 990));
        auto info = info_of(program);
        scene.info(info.u64(info_field::load_time, load_time));
        claim(model, program, load_time);
    }
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == model.size());
    std::size_t claimed = 0;
    for (std::size_t index = 0; index < model.size(); ++index) {
        const auto& code = timeline.code()[index];
        INFO("seed " << seed << ", code " << index);
        CHECK((code.load ? timeline.loads()[*code.load].id.value : 0) == model[index].program);
        claimed += code.load.has_value();
    }
    CHECK(claimed > 20);
    for (const auto& load : timeline.loads()) {
        for (const auto function : load.functions) CHECK(&timeline.loads()[*timeline.code()[function].load] == &load);
    }
}

TEST_CASE("A program that is told of many times has its functions once", "[timeline][loads]") {
    Program program{5, 0x55, {}};
    for (std::uint64_t number = 0; number < 50; ++number) {
        program.functions.push_back({0x1000 + 0x100 * number, 0x80, "f" + std::to_string(number), number});
    }
    Scene scene;
    scene.known(program).loaded(live(1000), program).info(info_of(program));
    for (std::uint64_t time = 2000; time < 2100; ++time) scene.event(live(time), BpfEvent::Kind::load, 5, 0x55);
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 5);
    CHECK(load.loaded_at == Time{1000});
    CHECK(load.unloaded_at == Time::forever());
    REQUIRE(load.functions.size() == 50);
    for (std::uint32_t number = 0; number < 50; ++number) {
        CHECK(timeline.code()[load.functions[number]].subprogram == number);
    }
    CHECK(timeline.code().size() == 50);
}

TEST_CASE("A function that is registered after its program was first told of is found when it is told again",
          "[timeline][loads]") {
    const Program whole{5, 0x55, {{0x1000, 0x80, "main", 0x55}, {0x2000, 0x80, "sub", 0x56}}};
    Scene scene;
    scene.info(info_of(whole));
    scene.symbol(live(100), 0x1000, 0x80, symbol_of(tag_of(0x55), "main"));
    scene.event(live(101), BpfEvent::Kind::load, 5, 0x55);
    scene.symbol(live(200), 0x2000, 0x80, symbol_of(tag_of(0x56), "sub"));
    scene.event(live(201), BpfEvent::Kind::load, 5, 0x55);
    const auto timeline = scene.timeline();
    const auto& load = load_of(timeline, 5);
    REQUIRE(load.functions.size() == 2);
    CHECK(timeline.code()[load.functions[1]].subprogram == 1);
    CHECK(program_at(timeline, 0x2010, 300) == 5);
    CHECK(load.loaded_at == Time{101});
}

// A second load of an id without records of its functions has no functions: ids are not reused so soon.
TEST_CASE("Two programs that claim one place in turn do not multiply it", "[timeline][reuse]") {
    const std::string name(60'000, 'n');
    const Program one{1, 0x11, {{0x1000, 0x40, "x", 0x11}}}, two{2, 0x22, {{0x1000, 0x40, "x", 0x22}}};
    Scene scene;
    scene.info(info_of(one)).info(info_of(two));
    scene.symbol(live(1), 0x1000, 0x40, symbol_of(tag_of(0x11), name));
    for (std::uint64_t time = 2; time < 200; ++time) {
        scene.event(live(time), BpfEvent::Kind::load, time % 2 == 0 ? 1 : 2, time % 2 == 0 ? 0x11 : 0x22);
    }
    const auto timeline = scene.timeline();
    REQUIRE(timeline.code().size() == 2);
    CHECK(program_at(timeline, 0x1000, 2) == 1);
    CHECK(program_at(timeline, 0x1000, 3) == 2);
    CHECK(program_at(timeline, 0x1000, 300) == 2);
    // The name is stored once, however many functions share it.
    CHECK(timeline.code()[0].symbol.ends_with(name));
    CHECK(timeline.code()[0].symbol.data() == timeline.code()[1].symbol.data());
}

TEST_CASE("Functions of infos are as many as the limit allows", "[timeline][info][limits]") {
    Program program{5, 0x55, {}};
    for (std::uint64_t number = 0; number < 50; ++number) {
        program.functions.push_back({0x1000 + 0x100 * number, 0x80, "f" + std::to_string(number), number});
    }
    Scene scene;
    scene.info(info_of(program));
    OpenOptions options;
    options.limits.code_versions = 10;
    const auto timeline = scene.timeline(options);
    CHECK(timeline.code().size() == 10);
    std::size_t told = 0;
    for (const auto& diagnostic : timeline.completeness().diagnostics.kept())
        told += diagnostic.code == ErrorCode::limit;
    CHECK(told == 1);
}

TEST_CASE("Names of code are bounded together", "[timeline][limits]") {
    Scene scene;
    const std::string name(1000, 'n');
    for (std::uint64_t number = 0; number < 20; ++number) {
        scene.symbol(live(10 + number), 0x1000 + 0x100 * number, 0x80, symbol_of(tag_of(number), name));
    }
    OpenOptions options;
    options.limits.code_versions = 30;  // 256 bytes of names for each
    const auto timeline = scene.timeline(options);
    CHECK(timeline.code().size() == 7);
    std::size_t told = 0;
    for (const auto& diagnostic : timeline.completeness().diagnostics.kept())
        told += diagnostic.code == ErrorCode::limit;
    CHECK(told == 1);
}
