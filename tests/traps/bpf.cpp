// SPDX-License-Identifier: MIT
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "trap.hpp"
#include "unit/symbols/program_fixture.hpp"

using namespace perfdata;
using namespace perfdata::test;

TEST_CASE("trap 13: code addresses mean something at a time only, images claim too much, names are no keys",
          "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    // Two programs with one name and tag, at the same address one after the other.
    const Program old{10, 0xaa, {{0x5000, 0x100, "same", 1}}};
    const Program young{11, 0xaa, {{0x5000, 0x80, "same", 1}, {0x6000, 0x40, "sub", 2}}};
    // Loaded while perf synthesized records: recorded twice, the main function once with its program's tag, once with
    // its own.
    const Program twice{12, 0xbb, {{0x9000, 0x80, "main", 3}, {0xa000, 0x40, "sub", 4}}};
    REQUIRE(twice.symbol(0, true) != twice.symbol(0, false));
    Scene scene(order);
    scene.known(old);
    scene.symbol({}, 0x4f00, 4096, "bpf_trampoline_77");  // claims a whole page
    scene.unloaded(live(100), old).loaded(live(200), young);
    scene.loaded(live(60), twice).known(twice);
    const auto timeline = scene.timeline();
    CHECK(program_at(timeline, 0x5010, 50) == 10);
    CHECK(program_at(timeline, 0x5010, 150) == 0);
    CHECK(program_at(timeline, 0x5010, 250) == 11);
    CHECK(program_at(timeline, 0x6010, 250) == 11);
    CHECK(program_at(timeline, 0x9010, 250) == 12);
    CHECK(load_of(timeline, 12).functions.size() == 2);
    // No program covers these addresses, only the image.
    CHECK(owner_of(timeline, 0x4f10, 50) == "bpf_trampoline_77");
    CHECK(owner_of(timeline, 0x5090, 50) == symbol_of(tag_of(1), "same"));
    CHECK(owner_of(timeline, 0x5e00, 50) == "bpf_trampoline_77");
}

TEST_CASE("trap 14: a subprogram's code begins where that of the one before it ends", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    CraftedProgram crafted({62, 0xaa, {{0x5000, 5, "main", 1}, {0x1000, 3, "low", 2}}}, order);
    crafted.code(blob_of("MAIN.low"));
    Scene scene(order);
    crafted.known_in(scene);
    const auto timeline = scene.timeline();
    const BpfPrograms symbols(timeline);
    REQUIRE(symbols.image(1));
    CHECK(std::ranges::equal(*symbols.image(0), blob_of("MAIN.")));
    CHECK(std::ranges::equal(*symbols.image(1), blob_of("low")));
}

TEST_CASE("trap 15: an array whose bit is clear, or whose offset is wild, is not there", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    ProgramInfo info(order, 5);
    info.array(BpfArray::jited_insns, 8, Blob(8, std::byte{0x90}));
    info.array(BpfArray::jited_ksyms, 1, array_u64(order, {0x1000}));
    info.u32(info_field::xlated_prog_len, 496);  // a count without its bit
    info.array(BpfArray::map_ids, 2, array_u32(order, {1, 2})).clear_bit(BpfArray::map_ids);
    // Withheld by the kernel: the recorder subtracted its buffer's address from a null pointer.
    info.place(BpfArray::jited_func_lens, std::uint64_t(-0x55550000), 1);
    info.place(BpfArray::prog_tags, 8, 0x40000000);
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip)).add(sample(sample_bit::ip, {}, {order, {}, 0}));
    const auto file = builder.feature(Feature::bpf_prog_info, prog_info_feature(order, {info.encode()})).build();
    const auto recording = Recording::from_memory(file).value();
    const auto features = BpfFeatures::read(recording);
    REQUIRE(features.programs().size() == 1);
    const auto& program = features.programs()[0];
    CHECK(program.id == ProgramId{5});
    CHECK(program.jited_insns().size() == 8);
    REQUIRE(program.jited_ksyms().size() == 1);
    CHECK(program.jited_ksyms()[0] == 0x1000);
    for (const auto absent :
         {BpfArray::xlated_insns, BpfArray::map_ids, BpfArray::jited_func_lens, BpfArray::prog_tags}) {
        CHECK(program.array(absent).bytes.empty());
    }
}

TEST_CASE("trap 17: the page offset of the kernel's map is the address of a symbol", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Scene scene(order);
    auto frame = scene.frame({});
    frame.misc = 1;
    scene.add(encode(Mmap{{~0u}, {0}, {{0xffffffff92000000}, 0xe00000}, 0xffffffff92000040, "[kernel.kallsyms]_stext"},
                     frame));
    const auto timeline = scene.timeline();
    REQUIRE(timeline.kernel());
    CHECK(timeline.kernel()->reference_symbol == "_stext");
    CHECK(timeline.kernel()->reference_address == Address{0xffffffff92000040});
    CHECK(timeline.kernel()->range == AddressRange{{0xffffffff92000000}, 0xe00000});
}
