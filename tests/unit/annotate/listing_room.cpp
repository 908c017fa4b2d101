// SPDX-License-Identifier: MIT
// Many listings of the same bytes: a limited number is complete, the others say why not.
#include "catch.hpp"
#include "unit/annotate/annotated_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t place = 0xffffffffc0000000;

// Adds a program with one function of `size` bytes whose second byte changes `changes` times.
void changing(Scene& scene, std::uint32_t size, std::uint64_t changes) {
    const Program program{1, 0x11, {{place, size, "f", 0x11}}};
    scene.loaded(live(100), program);
    auto info = info_of(program);
    info.array(BpfArray::jited_insns, size, Blob(size, std::byte{0x90}));
    scene.info(info).sample(place, 150);
    for (std::uint64_t change = 1; change <= changes; ++change) {
        const auto time = 100'000 * change;
        Writer body(scene.order());
        body.u64(place + 1).u16(1).u16(1).u8(change % 2 == 0 ? 0xcc : 0x90).u8(change % 2 == 0 ? 0x90 : 0xcc).align(8);
        scene.add(record(RecordType::text_poke, scene.frame(live(time)), body.blob()));
        scene.sample(place, time + 5);
    }
}

struct Listed {
    std::size_t whole = 0, without = 0;
    std::vector<bool> which;
};

Listed list(const AnnotatedScene& scene, unsigned jobs) {
    const auto profile = Profile::count(scene.recording, scene.symbolizer.versions()).value();
    Listed listed;
    for (const auto& listing : annotate_all(profile.functions(), scene.symbolizer, "x86_64", Syntax::att, jobs)) {
        const bool whole = !listing.instructions.empty();
        const bool told = !listing.problems.empty() && listing.problems.back().code == ErrorCode::limit;
        CHECK(whole != told);
        CHECK(hits(listing.total) == 1);
        listed.whole += whole;
        listed.without += told;
        listed.which.push_back(whole);
    }
    return listed;
}

}  // namespace

TEST_CASE("A few versions of a function are all listed", "[annotate][listing][limits]") {
    Scene scene;
    changing(scene, 1000, 12);
    const auto listed = list(AnnotatedScene(scene), 2);
    CHECK(listed.whole == 13);
    CHECK(listed.without == 0);
}

TEST_CASE("Versions of one long function end when they are many times the function", "[annotate][listing][limits]") {
    Scene scene;
    changing(scene, 2000, 200);
    const AnnotatedScene opened(scene);
    const auto listed = list(opened, 1);
    CHECK(listed.whole + listed.without == 201);
    // Room for 64 KiB plus three times its own bytes; its one-byte instructions count as four.
    CHECK(listed.whole >= 8);
    CHECK(listed.whole <= 10);
    CHECK(list(opened, 4).which == listed.which);
}

TEST_CASE("Code takes the room that it has, not that which a record claims", "[annotate][listing][limits]") {
    const Program program{1, 0x11, {{place, 1u << 30, "f", 0x11}}};
    auto info = info_of(program);
    info.array(BpfArray::jited_insns, 1u << 4, Blob(16, std::byte{0x90}));
    const std::uint32_t claimed = 16;
    info.array(BpfArray::jited_func_lens, 1, array_u32(std::endian::little, {claimed}));
    Scene scene;
    scene.loaded(live(100), program).info(info).sample(place, 150);
    const AnnotatedScene opened(scene);
    const auto profile = Profile::count(opened.recording, opened.symbolizer.versions()).value();
    REQUIRE(profile.functions().size() == 1);
    const auto image = opened.symbolizer.image(profile.functions()[0].version).value();
    CHECK(image.bytes.size() == 16);
    CHECK(image.bytes.capacity() < 1000);
}
