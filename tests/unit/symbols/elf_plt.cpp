// SPDX-License-Identifier: MIT
// Names of stubs in the procedure linkage table.
#include <algorithm>

#include "catch.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Blob code_of(const std::vector<unsigned>& bytes) {
    Blob code;
    for (const auto byte : bytes) code.push_back(static_cast<std::byte>(byte));
    return code;
}

// Returns code that begins with the lazy binder of x86-64: push GOT[1]; jmp *GOT[2]. Its stubs are zeros.
Blob behind_lazy_binder(std::size_t size) {
    auto code = code_of({0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25});
    code.resize(size);
    return code;
}

}  // namespace

TEST_CASE("Entries of the PLT are named after what they call", "[symbols][elf]") {
    Elf elf;
    const auto dynsym = elf.symbols({{"puts", 0, 0, Elf::function, Elf::global, 0, 0},
                                     {"exit", 0, 0, Elf::function, Elf::global, 0, 0},
                                     {"own", 0x1000, 4}},
                                    ".dynsym");
    elf.add({.name = ".plt", .flags = 6, .address = 0x2000, .content = behind_lazy_binder(64)});
    Writer relocations(std::endian::little);
    for (const auto symbol : {std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{1}})
        relocations.u64(0x4000).u64(symbol << 32 | 7).u64(0);
    elf.add({.name = ".rela.plt", .type = 4, .content = relocations.take(), .link = dynsym, .entry_size = 24});
    const auto symbols = load(elf);
    CHECK(at(symbols, 0x2000) == "none");  // the lazy binder
    CHECK(at(symbols, 0x2010) == "exit@plt+0");
    CHECK(at(symbols, 0x2020) == "none");  // an indirect function of the same file
    CHECK(at(symbols, 0x203f) == "puts@plt+15");
    CHECK(at(symbols, 0x2040) == "none");
}

namespace {

// Plt is a file with stubs, whose code says which word they jump through.
struct Plt {
    Elf elf;
    std::uint16_t dynsym = 0;

    explicit Plt(std::uint16_t machine = 62, std::endian order = std::endian::little) : elf(order) {
        elf.machine = machine;
        dynsym = elf.symbols({{"puts", 0, 0, Elf::function, Elf::global, 0, 0},
                              {"exit", 0, 0, Elf::function, Elf::global, 0, 0},
                              {"strlen", 0x1000, 16, Elf::ifunc},
                              {"__strlen_internal", 0x1000, 16, Elf::ifunc, Elf::local}},
                             ".dynsym");
    }

    struct Relocation {
        std::uint64_t slot = 0, symbol = 0, type = 7, addend = 0;
    };
    void relocations(const std::string& name, const std::vector<Relocation>& list, std::endian order) {
        Writer out(order);
        for (const auto& one : list) out.u64(one.slot).u64(one.symbol << 32 | one.type).u64(one.addend);
        elf.add({.name = name, .type = 4, .content = out.take(), .link = dynsym, .entry_size = 24});
    }
    void stubs(const std::string& name, std::uint64_t address, Blob code) {
        elf.add({.name = name, .flags = 6, .address = address, .content = std::move(code)});
    }
};

}  // namespace

TEST_CASE("Stubs of the PLT are named by the word they jump through, whatever the order", "[symbols][elf]") {
    Plt plt;
    plt.relocations(".rela.plt", {{0x4000, 1}, {0x4008, 0, 37, 0x1000}}, std::endian::little);
    plt.relocations(".rela.dyn", {{0x5000, 2, 6}, {0x5008, 0, 8, 0x1000}}, std::endian::little);
    // endbr64; bnd jmp *0x4008(%rip) | endbr64; bnd jmp *0x4000(%rip) | through a word without a relocation
    plt.stubs(".plt.sec", 0x2000,
              code_of({0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xfd, 0x1f, 0, 0, 0x0f, 0x1f, 0x44, 0, 0,
                       0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xe5, 0x1f, 0, 0, 0x0f, 0x1f, 0x44, 0, 0,
                       0xff, 0x25, 0,    0,    0,    0,    0x66, 0x90, 0,    0, 0, 0,    0,    0,    0, 0}));
    // Both are jmp *0x5000(%rip). The word at 0x5008 would be a pointer, not a function.
    plt.stubs(".plt.got", 0x3000,
              code_of({0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90,  //
                       0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90}));
    const auto symbols = load(plt.elf);
    CHECK(at(symbols, 0x2000) == "strlen@plt+0");
    CHECK(at(symbols, 0x201f) == "puts@plt+15");
    CHECK(at(symbols, 0x2020) == "none");
    CHECK(at(symbols, 0x3000) == "exit@plt+0");
    CHECK(at(symbols, 0x3007) == "exit@plt+7");
    CHECK(at(symbols, 0x3008) == "none");
}

TEST_CASE("Stubs that mold links are named, unless the file does", "[symbols][elf]") {
    const bool named = GENERATE(false, true), landing = GENERATE(true, false);
    Plt plt;
    plt.relocations(".rela.plt", {{0x4000, 1}, {0x4008, 2}}, std::endian::little);
    // [endbr64]; mov $n, %r11d; jmp *slot(%rip)
    const auto stub = [&](std::uint32_t address, std::uint32_t slot) {
        std::vector<unsigned> bytes;
        if (landing) bytes = {0xf3, 0x0f, 0x1e, 0xfa};
        for (const auto byte : {0x41u, 0xbbu, 0u, 0u, 0u, 0u, 0xffu, 0x25u}) bytes.push_back(byte);
        const auto next = address + static_cast<std::uint32_t>(bytes.size()) + 4;
        for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back((slot - next) >> shift & 0xff);
        bytes.resize(16, 0xcc);
        return code_of(bytes);
    };
    // endbr64; push %r11; push GOT[1]; jmp *GOT[2]
    auto code = code_of({0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53, 0xff, 0x35, 0, 0, 0, 0, 0xff, 0x25});
    code.resize(32, std::byte{0xcc});
    for (const auto& one : {stub(0x2020, 0x4008), stub(0x2030, 0x4000)})
        code.insert(code.end(), one.begin(), one.end());
    plt.stubs(".plt", 0x2000, std::move(code));
    if (named) {
        plt.elf.symbols({{"own", 0x1000, 16, Elf::function, Elf::global, 1},
                         {"exit$plt", 0x2020, 0, Elf::function, Elf::local, 1},
                         {"far", 0x9000, 16, Elf::function, Elf::global, 1}});
    }
    const auto symbols = load(plt.elf);
    CHECK(at(symbols, 0x2000) == "none");
    CHECK(at(symbols, 0x2010) == "none");
    CHECK(at(symbols, 0x2020) == (named ? "exit$plt+0" : "exit@plt+0"));
    CHECK(at(symbols, 0x2030) == "puts@plt+0");
}

TEST_CASE("Stubs of lld's retpolines are named", "[symbols][elf]") {
    Plt plt;
    plt.relocations(".rela.plt", {{0x4000, 1}, {0x4008, 2}}, std::endian::little);
    const bool lazy = GENERATE(false, true);
    std::vector<unsigned> bytes(32, 0xcc);
    const unsigned end = lazy ? 0xe8 : 0xe9;
    // mov 0x4008(%rip), %r11; call or jmp to the thunk
    for (const auto byte :
         {0x4cu, 0x8bu, 0x1du, 0xe1u, 0x1fu, 0u, 0u, end, 0xd4u, 0xffu, 0xffu, 0xffu, 0xccu, 0xccu, 0xccu, 0xccu}) {
        bytes.push_back(byte);
    }
    if (lazy) bytes.resize(64, 0xcc);
    plt.stubs(".plt", 0x2000, code_of(bytes));
    const auto symbols = load(plt.elf);
    CHECK(at(symbols, 0x2010) == "none");
    CHECK(at(symbols, 0x2020) == "exit@plt+0");
    CHECK(at(symbols, 0x203f) == (lazy ? "exit@plt+31" : "none"));
}

TEST_CASE("Without a lazy binder, stubs of .plt are named by their words only", "[symbols][elf]") {
    Plt plt;
    plt.relocations(".rela.plt", {{0x4000, 1}, {0x4008, 0, 37, 0x1000}}, std::endian::little);
    // jmp *0x4008(%rip) | jmp *0x4000(%rip) | of an unknown form
    plt.stubs(".plt", 0x2000,
              code_of({0xff, 0x25, 0x02, 0x20, 0, 0, 0x66, 0x90, 0xff, 0x25, 0xf2, 0x1f, 0, 0, 0x66, 0x90,
                       0,    0,    0,    0,    0, 0, 0,    0,    0,    0,    0,    0,    0, 0, 0,    0}));
    const auto symbols = load(plt.elf);
    CHECK(at(symbols, 0x2000) == "strlen@plt+0");
    CHECK(at(symbols, 0x2008) == "puts@plt+0");
    CHECK(at(symbols, 0x2010) == "none");

    Plt cut;
    cut.relocations(".rela.plt", {{0x4000, 1}}, std::endian::little);
    cut.stubs(".plt", 0x2000, code_of({0xff, 0x25, 0}));
    CHECK(at(load(cut.elf), 0x2000) == "none");

    Plt unknown;
    unknown.relocations(".rela.plt", {{0x4000, 1}, {0x4008, 2}}, std::endian::little);
    unknown.stubs(".plt", 0x2000, Blob(64));
    CHECK(at(load(unknown.elf), 0x2010) == "none");
    CHECK(at(load(unknown.elf), 0x2020) == "none");
}

TEST_CASE("Stubs of other machines are named", "[symbols][elf]") {
    Plt arm(183);
    arm.relocations(".rela.plt", {{0x21ff8, 2, 1026}, {0x20000, 0, 1032, 0x1000}}, std::endian::little);
    Writer words(std::endian::little);
    words.u64(0).u64(0).u64(0).u64(0);                                      // the lazy binder
    words.u32(0xb0000010).u32(0xf947fe11).u32(0x913fe210).u32(0xd61f0220);  // adrp x16, 0x21000; ldr ...
    words.u32(0xd503245f).u32(0x90000010).u32(0xf9400211).u32(0x91000210).u32(0xd61f0220).u32(0xd503201f);  // bti c
    arm.stubs(".plt", 0x20800, words.take());
    const auto on_arm = load(arm.elf);
    CHECK(at(on_arm, 0x20800) == "none");
    CHECK(at(on_arm, 0x20820) == "exit@plt+0");
    CHECK(at(on_arm, 0x20830) == "strlen@plt+0");
    CHECK(at(on_arm, 0x20847) == "strlen@plt+23");

    Plt s390(22, std::endian::big);
    s390.relocations(".rela.plt", {{0x4000, 1, 11}, {0x4008, 2, 11}}, std::endian::big);
    Blob code(96);
    const auto larl = code_of({0xc0, 0x10, 0, 0, 0x0f, 0xf4});  // larl %r1,.+0x1fe8
    std::ranges::copy(larl, code.begin() + 32);
    s390.stubs(".plt", 0x2000, std::move(code));
    const auto on_s390 = load(s390.elf);
    CHECK(at(on_s390, 0x2020) == "exit@plt+0");  // the second word
    CHECK(at(on_s390, 0x2040) == "none");        // another is recognized: its position may not be its relocation's
}

TEST_CASE("Stubs cannot make more of names than there is of them", "[symbols][elf]") {
    Elf elf;
    const std::string name(3000, 'a');
    const auto dynsym = elf.symbols({{name, 0, 0, Elf::function, Elf::global, 0, 0}, {"own", 0x1000, 4}}, ".dynsym");
    constexpr std::size_t count = 4096;
    Writer relocations(std::endian::little);
    for (std::size_t index = 0; index < count; ++index) {
        relocations.u64(0x4000).u64(std::uint64_t{1} << 32 | 7).u64(0);
    }
    elf.add({.name = ".rela.plt", .type = 4, .content = relocations.take(), .link = dynsym, .entry_size = 24});
    elf.add({.name = ".plt", .flags = 6, .address = 0x10000, .content = behind_lazy_binder(16 * (count + 1))});
    const auto symbols = load(elf);
    CHECK(symbols.size() > 1);
    CHECK(symbols.size() < 20);
}

TEST_CASE("Words that need no symbol are passed over, as many as the file says", "[symbols][elf]") {
    Plt plt;
    plt.relocations(".rela.dyn", {{0x5010, 0, 8, 0x1000}, {0x5018, 0, 8, 0x1000}, {0x5000, 2, 6}, {0x5008, 1, 6}},
                    std::endian::little);
    plt.stubs(".plt.got", 0x3000,
              code_of({0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90,  // jmp *0x5000(%rip)
                       0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90}));
    const auto [claimed, first, second] = GENERATE(table<std::uint64_t, std::string, std::string>({
        {0, "exit@plt+0", "puts@plt+0"},
        {2, "exit@plt+0", "puts@plt+0"},
        {3, "none", "puts@plt+0"},  // a too large count costs names
        {4, "none", "none"},
        {~std::uint64_t{0}, "none", "none"},
    }));
    CAPTURE(claimed);
    // DT_RELACOUNT, DT_NULL.
    plt.elf.add({.name = ".dynamic",
                 .type = 6,
                 .content = Writer(std::endian::little).u64(0x6ffffff9).u64(claimed).u64(0).u64(0).take()});
    const bool got = GENERATE(true, false);
    if (got) plt.elf.add({.name = ".got", .flags = 3, .address = 0x5000, .content = Blob(32)});
    const auto symbols = load(plt.elf);
    // Without .got nothing is skipped: all words may be needed.
    CHECK(at(symbols, 0x3000) == (got ? first : "exit@plt+0"));
    CHECK(at(symbols, 0x3008) == (got ? second : "puts@plt+0"));
}

TEST_CASE("Of words outside of .got no stub of .plt.got is named", "[symbols][elf]") {
    Plt plt;
    plt.relocations(".rela.dyn", {{0x5000, 2, 6}, {0x5008, 1, 6}}, std::endian::little);
    plt.elf.add({.name = ".got", .flags = 3, .address = 0x5008, .content = Blob(8)});
    plt.stubs(".plt.got", 0x3000,
              code_of({0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90, 0xff, 0x25, 0xfa, 0x1f, 0, 0, 0x66, 0x90}));
    const auto symbols = load(plt.elf);
    CHECK(at(symbols, 0x3000) == "none");
    CHECK(at(symbols, 0x3008) == "puts@plt+0");
}
