// SPDX-License-Identifier: MIT
// Hits and listings of a function whose code the kernel changed during the recording.
#include "perfdata/annotate/page/page.hpp"

#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/machine_code.hpp"
#include "unit/symbols/patched_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t site = 8;
const Blob nop_bytes = bytes_of({0x0f, 0x1f, 0x44, 0x00, 0x00}), call = bytes_of({0xe8, 0x33, 0x00, 0x00, 0x00});

// alpha consists of one-byte nops and a place of five bytes: a nop, from 1 ms on a call, from 2 ms on a nop again. Each
// period has samples.
struct Changing {
    Changing() {
        auto code = kernel_code();
        std::ranges::fill_n(code.begin() + (alpha - kernel_begin), 0x40, std::byte{0x90});
        scene.kcore({{kernel_begin, with(code, alpha - kernel_begin + site, nop_bytes)}});
        scene.poke(1 * ms, alpha + site, nop_bytes, call).poke(2 * ms, alpha + site, call, nop_bytes);
        auto& samples = scene.world.scene();
        for (int count = 0; count < 3; ++count) samples.sample(alpha + site, ms / 2);
        for (int count = 0; count < 2; ++count) samples.sample(alpha + site, ms * 3 / 2);
        samples.sample(alpha + site, ms * 5 / 2).sample(beta, ms);
        recording.emplace(samples.open());
        timeline.emplace(Timeline::build(*recording).value());
        symbolizer.emplace(Symbolizer::open(*recording, *timeline, scene.options));
        profile.emplace(Profile::count(*recording, symbolizer->versions()).value());
    }

    const FunctionHits& version(std::uint32_t number) const {
        for (const auto& function : profile->functions()) {
            const auto& version = function.version;
            if (version.address == Address{alpha} && version.number == number) return function;
        }
        FAIL("no version " << number);
        return profile->functions().front();
    }
    Listing listing(std::uint32_t number) const {
        return annotate(version(number), *symbolizer, Disassembler::create("x86_64"));
    }

    PatchedScene scene;
    std::optional<Recording> recording;
    std::optional<Timeline> timeline;
    std::optional<Symbolizer> symbolizer;
    std::optional<Profile> profile;
};

const ListingInstruction& changed_row(const Listing& listing) {
    for (const auto& row : listing.instructions) {
        if (row.instruction.offset == site) return row;
    }
    FAIL("nothing begins at the changed place");
    return listing.instructions.front();
}

}  // namespace

TEST_CASE("Each version of a function has the hits of its time", "[annotate][versions]") {
    const Changing changing;
    CHECK(changing.profile->functions().size() == 4);
    CHECK(hits(changing.version(0).total) == 3);
    CHECK(hits(changing.version(1).total) == 2);
    CHECK(hits(changing.version(2).total) == 1);
    CHECK(changing.version(0).version.until == Time{1 * ms});
    CHECK(changing.version(1).version.from == Time{1 * ms});
    CHECK(changing.version(1).version.until == Time{2 * ms});
    CHECK(changing.version(2).version.from == Time{2 * ms});
    CHECK(changing.version(2).version.until == Time::forever());
    CHECK(hits(changing.profile->totals()) == 7);
}

TEST_CASE("A listing shows the code of its version, and what that changed", "[annotate][versions]") {
    const Changing changing;
    const auto before = changing.listing(0), during = changing.listing(1), after = changing.listing(2);
    for (const auto* listing : {&before, &during, &after}) {
        CHECK(listing->versions == 3);
        CHECK(listing->on_instruction_start == 1.0);
        CHECK(listing->name.name == "alpha");
        CHECK(listing->problems.empty());
    }
    CHECK(changed_row(before).instruction.mnemonic == "nopl");
    CHECK_FALSE(changed_row(before).changed);
    CHECK(hits(changed_row(before).cells) == 3);

    const auto& row = changed_row(during);
    CHECK(row.instruction.mnemonic == "callq");
    REQUIRE(row.target);
    CHECK(row.target->name == "beta");
    REQUIRE(row.changed);
    CHECK(row.changed->time == Time{1 * ms});
    CHECK(row.changed->text.starts_with("nopl"));
    CHECK(hits(row.cells) == 2);

    REQUIRE(changed_row(after).changed);
    CHECK(changed_row(after).changed->text.starts_with("callq"));
    CHECK(std::ranges::count_if(after.instructions, [](const auto& one) { return one.changed.has_value(); }) == 1);
}

TEST_CASE("The table of versions says when each was there and what it changed", "[annotate][versions]") {
    const Changing changing;
    const std::vector<Listing> listings = {changing.listing(0), changing.listing(1), changing.listing(2)};
    std::string text;
    write_text_versions({*changing.recording, *changing.timeline, *changing.profile, changing.timeline->completeness()},
                        listings, {}, [&](std::string_view part) { text += part; });
    INFO(text);
    const auto rows = text.substr(text.find("alpha"));
    CHECK(rows ==
          "alpha  [kernel.kallsyms], 64 bytes at 0xffffffff81000100\n"
          "   42.86%       3      1/3  before the recording   0.001000000\n"
          "   28.57%       2      2/3  0.001000000            0.002000000"
          "  +0x8 nopl (%rax, %rax) -> callq 0xffffffff81000140\n"
          "   14.29%       1      3/3  0.002000000            its end"
          "  +0x8 callq 0xffffffff81000140 -> nopl (%rax, %rax)\n");
}

TEST_CASE("Samples outside of the places of a name count in the totals alone", "[annotate][profile]") {
    const Changing changing;
    const std::vector<std::string> names{"alpha"}, unknown{"alph"};
    const auto& functions = changing.symbolizer->functions();
    const auto places = functions.places_of(names);
    REQUIRE(places);
    CHECK(places->has_kernel({alpha + site}));
    CHECK_FALSE(places->has_kernel({beta}));
    CHECK_FALSE(places->nowhere());
    CHECK(functions.places_of(unknown).value().nowhere());

    const auto within = Profile::count_within(*changing.recording, changing.symbolizer->versions(), *places).value();
    CHECK(within.totals() == changing.profile->totals());
    CHECK(within.considered() == changing.profile->considered());
    CHECK(within.first_time() == changing.profile->first_time());
    CHECK(within.last_time() == changing.profile->last_time());
    REQUIRE(within.functions().size() == 3);
    for (const auto& function : within.functions()) {
        const auto& same = changing.version(function.version.number);
        CHECK(function.version == same.version);
        CHECK(function.total == same.total);
        REQUIRE(function.offsets.size() == same.offsets.size());
        CHECK(function.offsets.front().offset == same.offsets.front().offset);
    }
}
