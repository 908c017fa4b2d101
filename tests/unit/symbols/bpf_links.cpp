// SPDX-License-Identifier: MIT
// Which trampoline is for which program.
#include "perfdata/symbols/bpf/bpf_links.hpp"

#include <string>

#include "catch.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Program linked_program(std::uint32_t id) {
    return {id, id, {{0x10000 + id * 0x100u, 0x40, "f", id}}};
}
ProgramInfo linked_info(std::uint32_t id, std::uint32_t btf, std::uint32_t object, std::uint32_t type) {
    auto info = info_of(linked_program(id));
    info.u32(info_field::btf_id, btf);
    info.u32(info_field::attach_btf_obj_id, object).u32(info_field::attach_btf_id, type);
    return info;
}
std::string trampoline_name(std::uint64_t object, std::uint64_t type) {
    return "bpf_trampoline_" + std::to_string(object << 32 | type);
}
constexpr std::uint64_t in_btf = std::uint64_t{1} << 31;

}  // namespace

TEST_CASE("The name of a trampoline has object and type", "[symbols][links]") {
    const auto kernel = parse_bpf_trampoline("bpf_trampoline_6442492238");
    REQUIRE(kernel);
    CHECK(kernel->object == 1);
    CHECK_FALSE(kernel->program);
    CHECK(kernel->btf_id == 41294);
    const auto program = parse_bpf_trampoline("bpf_trampoline_51539607555_1");
    REQUIRE(program);
    CHECK(program->object == 12);
    CHECK(program->program);
    CHECK(program->btf_id == 3);
    for (const std::string name : {"bpf_trampoline_", "bpf_trampoline_x", "bpf_trampoline_12x", "bpf_dispatcher_xdp",
                                   "bpf_trampoline_99999999999999999999", "bpf_trampoline_-1", ""}) {
        CHECK_FALSE(parse_bpf_trampoline(name));
    }
    CHECK(parse_bpf_dispatcher("bpf_dispatcher_xdp") == "xdp");
    CHECK(parse_bpf_dispatcher("bpf_trampoline_7").empty());
}

TEST_CASE("A program and the trampoline of what it traces are linked if they were there together", "[symbols][links]") {
    Scene scene;
    scene.symbol({}, 0x1000, 4096, trampoline_name(1, in_btf | 300));
    scene.symbol({}, 0x3000, 4096, trampoline_name(1, in_btf | 301));
    scene.symbol(live(10), 0x5000, 4096, trampoline_name(1, in_btf | 300));
    scene.symbol_gone(live(20), 0x5000, 4096, trampoline_name(1, in_btf | 300));
    scene.loaded(live(50), linked_program(7)).info(linked_info(7, 0, 1, 300));
    const auto timeline = scene.timeline();
    const BpfPrograms programs(timeline);
    const BpfLinks links(programs);
    const auto attachment = links.attachment(load_of(timeline, 7));
    REQUIRE(attachment);
    CHECK(attachment->btf_object == 1);
    CHECK(attachment->btf_id == 300);
    CHECK(attachment->function.empty());
    REQUIRE(attachment->trampolines.size() == 1);
    CHECK(attachment->trampolines[0].index == 0);
    CHECK(attachment->trampolines[0].certain);
    REQUIRE(links.trampoline(0));
    REQUIRE(links.trampoline(0)->programs.size() == 1);
    CHECK(links.trampoline(0)->programs[0].certain);
    REQUIRE(links.trampoline(1));
    CHECK(links.trampoline(1)->programs.empty());
}

TEST_CASE("A program that traces another one is linked by type alone once the kernel forgot which",
          "[symbols][links]") {
    const std::uint32_t object = GENERATE(0u, 90u);
    Scene scene;
    scene.known(linked_program(12)).info(linked_info(12, 90, 0, 0));
    scene.known(linked_program(13)).info(linked_info(13, 91, object, 3));
    scene.symbol({}, 0x1000, 4096, trampoline_name(12, 3));
    const auto timeline = scene.timeline();
    const BpfPrograms programs(timeline);
    const BpfLinks links(programs);
    CHECK_FALSE(links.attachment(load_of(timeline, 12)));
    const auto attachment = links.attachment(load_of(timeline, 13));
    REQUIRE(attachment);
    REQUIRE(attachment->trampolines.size() == 1);
    CHECK(attachment->trampolines[0].certain == (object != 0));
    const auto trampoline = links.trampoline(attachment->trampolines[0].index);
    REQUIRE(trampoline);
    CHECK(trampoline->key.object == 12);
    REQUIRE(trampoline->programs.size() == 1);
    CHECK(timeline.loads()[trampoline->programs[0].index].id.value == 13);
    CHECK(trampoline->programs[0].certain == (object != 0));
}

TEST_CASE("Programs that trace each other, and themselves, do no harm", "[symbols][links]") {
    Scene scene;
    for (const std::uint32_t id : {1u, 2u, 3u}) {
        scene.known(linked_program(id)).info(linked_info(id, 90 + id, 91 + id % 3, 5));
        scene.symbol({}, 0x1000 * id, 4096, trampoline_name(id, 5));
    }
    const auto timeline = scene.timeline();
    const BpfPrograms programs(timeline);
    const BpfLinks links(programs);
    for (const std::uint32_t id : {1u, 2u, 3u}) {
        const auto attachment = links.attachment(load_of(timeline, id));
        REQUIRE(attachment);
        CHECK(attachment->trampolines.size() == 1);
    }
}

TEST_CASE("Links end at a limit, and the rest is counted", "[symbols][links]") {
    Scene scene;
    scene.known(linked_program(1)).info(linked_info(1, 0, 1, 5));
    constexpr std::uint32_t count = BpfLinks::searched + 100;
    for (std::uint32_t index = 0; index < count; ++index) {
        scene.symbol({}, 0x100000 + index * 0x1000, 4096, trampoline_name(1, in_btf | 5));
    }
    const auto timeline = scene.timeline();
    const BpfPrograms programs(timeline);
    const auto attachment = BpfLinks(programs).attachment(load_of(timeline, 1));
    REQUIRE(attachment);
    CHECK(attachment->trampolines.size() == BpfLinks::most);
    CHECK(attachment->more == BpfLinks::searched - BpfLinks::most);
    CHECK(attachment->not_searched == count - BpfLinks::searched);
}

TEST_CASE("The trampoline that is there is found behind any number that are gone", "[symbols][links]") {
    Scene scene;
    constexpr std::uint32_t gone = BpfLinks::searched + 100;
    for (std::uint32_t index = 0; index < gone; ++index) {
        const auto address = 0x100000 + index * 0x1000;
        scene.symbol(live(10 + index), address, 4096, trampoline_name(1, in_btf | 5));
        scene.symbol_gone(live(11 + index), address, 4096, trampoline_name(1, in_btf | 5));
    }
    scene.loaded(live(5000), linked_program(1)).info(linked_info(1, 0, 1, 5));
    scene.symbol(live(5002), 0x2000000, 4096, trampoline_name(1, in_btf | 5));
    const auto timeline = scene.timeline();
    const BpfPrograms programs(timeline);
    const auto attachment = BpfLinks(programs).attachment(load_of(timeline, 1));
    REQUIRE(attachment);
    REQUIRE(attachment->trampolines.size() == 1);
    CHECK(timeline.code()[attachment->trampolines[0].index].range.begin.value == 0x2000000);
    CHECK(attachment->more == 0);
    CHECK(attachment->not_searched == 0);
}
