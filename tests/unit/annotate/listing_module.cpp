// SPDX-License-Identifier: MIT
// A kernel module's code from its file, before the kernel has relocated it.
#include <algorithm>
#include <limits>

#include "perfdata/annotate/page/page.hpp"

#include "catch.hpp"
#include "support/world.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/json_value.hpp"
#include "unit/annotate/machine_code.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t module_begin = 0xffffffffc0100000;
constexpr auto most_addend = std::numeric_limits<std::int64_t>::max();
constexpr auto least_addend = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t rela = 4, plt32 = 4, pc32 = 2, absolute = 11;

//     poll   0 call printk   5 mov $table+8, %rdi   12 call helper   17 cmpl $1, ticks(%rip)   24 jmp 0   26 ret
//     helper 32 ret
Blob module_code() {
    auto code = bytes_of({0xe8, 0, 0, 0,    0,    0x48, 0xc7, 0xc7, 0, 0,    0,    0,    0xe8, 0,
                          0,    0, 0, 0x83, 0x3d, 0,    0,    0,    0, 0x01, 0xeb, 0xe6, 0xc3});
    code.resize(32, std::byte{0x90});
    code.push_back(std::byte{0xc3});
    return code;
}

// Addends of the call to another module and of the call by section.
struct Addends {
    std::int64_t other = -4, by_section = 32 - 4;
};

Blob module_file(const BuildId& build_id, const Addends& addends, std::size_t longer_name) {
    Elf elf;
    elf.type = 1;
    elf.section(Elf::text).flags = 6;
    elf.section(Elf::text).content = module_code();
    // Symbols are numbered from 1. The static function is called by its section.
    const auto strings = elf.symbols({{"_printk" + std::string(longer_name, 'x'), 0, 0, Elf::label, Elf::global, 0, 0},
                                      {"table", 0, 64, Elf::object, Elf::local, 0, 5},
                                      {"ticks", 0, 4, Elf::object, Elf::local, 0, 5},
                                      {"", 0, 0, 3, Elf::local, 0, Elf::text},
                                      {"poll", 0, 27},
                                      {"helper", 32, 1, Elf::function, Elf::local}});
    Writer table(std::endian::little);
    const auto entry = [&](std::uint64_t offset, std::uint64_t symbol, std::uint64_t type, std::int64_t addend) {
        table.u64(offset).u64(symbol << 32 | type).u64(static_cast<std::uint64_t>(addend));
    };
    entry(1, 1, plt32, addends.other);
    entry(8, 2, absolute, 8);
    entry(13, 4, plt32, addends.by_section);
    entry(19, 3, pc32, -5);  // an immediate byte follows the field
    entry(40, 1, plt32, -4);
    elf.add({.name = ".rela.text",
             .type = rela,
             .content = table.blob(),
             .link = strings,
             .entry_size = 24,
             .info = Elf::text});
    elf.build_id(build_id.bytes());
    return elf.blob();
}

struct ModuleScene {
    explicit ModuleScene(const Addends& addends = {}, std::size_t longer_name = 0) {
        world.kernel_map({0xffffffff81000000, 0x1000, 0xffffffff81000000}, "[kernel.kallsyms]_text");
        Mmap2 map;
        map.pid = {~0u};
        map.range = {{module_begin}, 0x1000};
        map.filename = "/lib/modules/6.1.0/x.ko";
        map.build_id = id(7);
        world.map(0, map, CpuMode::kernel);
        std::filesystem::create_directories(dir.path() / "lib/modules/6.1.0");
        dir.write("lib/modules/6.1.0/x.ko", module_file(*map.build_id, addends, longer_name));
        for (const auto offset : {0u, 0u, 12u}) world.scene().sample(module_begin + offset, 500);
        world.scene().feature(Feature::arch, feature_string(std::endian::little, "x86_64"));
        recording.emplace(world.scene().open());
        timeline.emplace(Timeline::build(*recording).value());
        SymbolizerOptions options;
        options.finder.offline = true;
        options.finder.symfs = dir.path().string();
        symbolizer.emplace(Symbolizer::open(*recording, *timeline, options));
        profile.emplace(Profile::count(*recording, symbolizer->versions()).value());
        listings = listings_of(*profile, *symbolizer, "x86_64");
    }
    PageContext context() const { return {*recording, *timeline, *profile, timeline->completeness()}; }

    World world;
    TempDir dir;
    std::optional<Recording> recording;
    std::optional<Timeline> timeline;
    std::optional<Symbolizer> symbolizer;
    std::optional<Profile> profile;
    std::vector<Listing> listings;
};

std::string target(const Listing& listing, std::uint64_t offset) {
    const auto row = std::ranges::find_if(
        listing.instructions, [&](const ListingInstruction& of) { return of.instruction.offset == offset; });
    REQUIRE(row != listing.instructions.end());
    if (!row->target) return "-";
    const auto& to = *row->target;
    return to.name + "+" + std::to_string(static_cast<std::int64_t>(to.offset)) + (to.relocation ? " later" : "");
}

}  // namespace

TEST_CASE("Calls of a module are named by what the kernel will fill in", "[annotate][listing]") {
    const ModuleScene scene;
    REQUIRE(scene.listings.size() == 1);
    const auto& poll = scene.listings[0];
    CHECK(poll.name.name == "poll");
    CHECK(poll.on_instruction_start == 1.0);
    CHECK(target(poll, 0) == "_printk+0 later");
    CHECK(target(poll, 5) == "table+8 later");
    CHECK(target(poll, 12) == "helper+0 later");
    CHECK(target(poll, 17) == "ticks+0 later");
    CHECK(target(poll, 24) == "poll+0");
    CHECK(target(poll, 26) == "-");
    CHECK(std::ranges::any_of(poll.problems, [](const Error& problem) { return problem.code == ErrorCode::mismatch; }));
}

TEST_CASE("Addends of a hostile module wrap around, and long names are cut", "[annotate][listing]") {
    const auto addend = GENERATE(std::int64_t{-1}, most_addend, most_addend - 3, least_addend, least_addend + 3);
    CAPTURE(addend);
    const ModuleScene scene({addend, addend}, 100000);
    REQUIRE(scene.listings.size() == 1);
    const auto& poll = scene.listings[0];
    const auto offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(addend) + 4);
    CHECK(target(poll, 0) == "_printk" + std::string(512 - 7, 'x') + "+" + std::to_string(offset) + " later");
    if (addend == -1) {
        CHECK(target(poll, 12) == "poll+3 later");
    } else {
        CHECK(target(poll, 12) == ".text+" + std::to_string(offset) + " later");
    }
}

TEST_CASE("Pages say that a module's bytes are from before relocation", "[annotate][listing]") {
    const ModuleScene scene;
    std::string text, json;
    write_text_listing(scene.context(), scene.listings.at(0), {}, [&](std::string_view part) { text += part; });
    CHECK(text.find("<_printk>   # bytes before relocation") != std::string::npos);
    CHECK(text.find("<table+0x8>   # bytes before relocation") != std::string::npos);
    write_json_page(scene.context(), scene.listings, {}, [&](std::string_view part) { json += part; });
    const auto document = Json::parsed(json);
    REQUIRE(document);
    CHECK((*document)["functions"][0]["kind"].text() == "module");
    const auto& to = (*document)["functions"][0]["instructions"][0]["target"];
    CHECK(to["name"].text() == "_printk");
    CHECK(to["relocation"].truth());
    CHECK(to["address"].is_null());
}
