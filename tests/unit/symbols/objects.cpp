// SPDX-License-Identifier: MIT
// Names by object and file offset.
#include "perfdata/symbols/elf/objects.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "catch.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// CountingFiles counts how many times files are opened.
class CountingFiles final : public FileSystem {
  public:
    Files files;
    std::map<std::string, FileIdentity> identities;
    mutable std::atomic<unsigned> opened = 0;
    mutable std::function<void()> meanwhile{};  // called once, between looking at a file and opening it

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content) const override {
        if (const auto other_thread = std::exchange(meanwhile, {})) other_thread();
        auto result = files.open(name, limits, content);
        if (result) ++opened;
        return result;
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override {
        return files.read_kernel_file(path, most);
    }
    std::optional<FileIdentity> identity(const FileName& name) const override {
        const auto known = identities.find(name.path);
        return known == identities.end() ? std::nullopt : std::optional(known->second);
    }
};

Elf object_file(std::uint8_t seed) {
    Elf elf;
    elf.segments = {{0x600, 0x1600, 0x1000}};
    elf.build_id(id(seed).bytes());
    return elf;
}

struct FileScene {
    std::shared_ptr<CountingFiles> files = std::make_shared<CountingFiles>();
    ObjectSymbols objects{ObjectFinder({}, files)};

    FileIndex add(const std::string& path, const Elf& elf, std::uint8_t seed) {
        files->files.content[path] = elf.blob();
        return objects.add({path, id(seed)});
    }
};

}  // namespace

TEST_CASE("An offset of a file has the name of the function there", "[symbols][objects]") {
    FileScene scene;
    auto elf = object_file(1);
    elf.symbols({{"_ZN2ns5plainEil", 0x1640, 0x20}, {"c_name", 0x1680, 0x10}});
    const auto index = scene.add("/bin/a", elf, 1);
    const auto name = scene.objects.name(index, 0x645);
    REQUIRE(name);
    CHECK(name->name == "ns::plain");
    CHECK(name->offset == 5);
    CHECK(name->size == 0x20);
    CHECK(name->function_vaddr == 0x1640);
    CHECK(scene.objects.name(index, 0x680)->name == "c_name");
    CHECK(scene.objects.name(index, 0x670).error() == SymbolMiss::between_symbols);
    CHECK(scene.objects.name(index, 0x5ff).error() == SymbolMiss::outside_file);
    CHECK(scene.objects.name(index, 0x1600).error() == SymbolMiss::outside_file);
    CHECK(scene.files->opened == 1);
    CHECK((*scene.objects.found(index))->path == "/bin/a");

    ObjectSymbols raw(ObjectFinder({}, scene.files), {.demangle = false});
    CHECK(raw.name(raw.add({"/bin/a", id(1)}), 0x645)->name == "_ZN2ns5plainEil");
}

TEST_CASE("Names that lead to one file share what is read of it", "[symbols][objects]") {
    FileScene scene;
    auto elf = object_file(1);
    elf.symbols({{"_ZN2ns5plainEil", 0x1640, 0x20}});
    for (const auto* path : {"/bin/a", "/bin/b"}) scene.files->identities[path] = {1, 2, 3, 4, 5};
    const auto one = scene.add("/bin/a", elf, 1), other = scene.add("/bin/b", elf, 1);
    const auto name = scene.objects.name(one, 0x645), again = scene.objects.name(other, 0x645);
    REQUIRE(name);
    REQUIRE(again);
    CHECK(name->name == "ns::plain");
    CHECK(again->name.data() == name->name.data());
    CHECK((*scene.objects.found(one))->file == (*scene.objects.found(other))->file);
    CHECK((*scene.objects.found(other))->path == "/bin/b");
    CHECK(scene.files->opened == 1);

    // The known build id suffices to refuse it for another one, without opening it again.
    const auto wrong = scene.objects.add({"/bin/b", id(2)});
    CHECK(scene.objects.name(wrong, 0x645).error() == SymbolMiss::build_id_differs);
    CHECK(scene.files->opened == 1);

    // A different identity is a different file.
    scene.files->identities["/bin/c"] = {1, 2, 3, 4, 6};
    const auto third = scene.add("/bin/c", elf, 1);
    CHECK((*scene.objects.found(third))->file != (*scene.objects.found(one))->file);
    CHECK(scene.files->opened == 2);
}

// The second file gives way to the first, and with it go the bytes of its build id.
TEST_CASE("Two threads that open one file at the same time both get it", "[symbols][objects]") {
    const auto files = std::make_shared<CountingFiles>();
    for (const auto* path : {"/bin/a", "/bin/b"}) {
        files->identities[path] = {1, 2, 3, 4, 5};
        files->files.content[path] = object_file(1).blob();
    }
    const ObjectFinder finder({}, files);
    std::expected<FoundObject, SymbolMiss> first = std::unexpected(SymbolMiss::not_found);
    files->meanwhile = [&] { first = finder.find({"/bin/a", id(1)}); };
    const auto second = finder.find({"/bin/b", id(1)});
    REQUIRE(first);
    REQUIRE(second);
    CHECK(files->opened == 2);
    CHECK(second->file == first->file);
    CHECK(second->path == "/bin/b");

    // Nor does one that was recorded as another build.
    files->identities["/bin/a"] = files->identities["/bin/b"] = {1, 2, 3, 4, 6};
    files->meanwhile = [&] { first = finder.find({"/bin/a", id(1)}); };
    CHECK(finder.find({"/bin/b", id(2)}).error() == SymbolMiss::build_id_differs);
    CHECK(first);
}

TEST_CASE("A file that is no program is looked at once, whatever it is called", "[symbols][objects]") {
    FileScene scene;
    for (const auto* path : {"/bin/a", "/bin/b"}) {
        scene.files->identities[path] = {1, 2, 3, 4, 5};
        scene.files->files.content[path] = blob_of("no ELF file at all");
        CHECK(scene.objects.name(scene.objects.add({path, id(1)}), 0x645).error() == SymbolMiss::unreadable);
    }
    CHECK(scene.files->opened == 1);
}

TEST_CASE("One path with two build ids is two objects", "[symbols][objects]") {
    FileScene scene;
    auto elf = object_file(1);
    elf.symbols({{"f", 0x1640, 0x20}});
    const auto one = scene.add("/bin/a", elf, 1);
    const auto other = scene.objects.add({"/bin/a", id(2)});
    CHECK(one != other);
    CHECK(scene.objects.add({"/bin/a", id(1)}) == one);
    CHECK(scene.objects.size() == 2);
    CHECK(scene.objects.name(one, 0x640)->name == "f");
    CHECK(scene.objects.name(other, 0x640).error() == SymbolMiss::build_id_differs);
    CHECK(scene.objects.found(other).error() == SymbolMiss::build_id_differs);
    CHECK(scene.objects.recorded(other).build_id == id(2));
}

TEST_CASE("A file without symbols is told from one that is not there", "[symbols][objects]") {
    FileScene scene;
    const auto stripped = scene.add("/bin/stripped", object_file(1), 1);
    CHECK(scene.objects.name(stripped, 0x640).error() == SymbolMiss::no_symbols);
    CHECK(scene.objects.found(stripped));
    CHECK(scene.objects.name(scene.objects.add({"/bin/none", id(1)}), 0).error() == SymbolMiss::not_found);
    CHECK(scene.objects.name(scene.objects.add({"[heap]", {}}), 0).error() == SymbolMiss::not_a_file);
}

TEST_CASE("Offsets of a kernel module count from its text", "[symbols][objects]") {
    FileScene scene;
    Elf elf;
    elf.type = 1;  // ET_REL
    elf.segments.clear();
    elf.section(Elf::text).address = 0;
    elf.build_id(id(3).bytes());
    elf.symbols({{"module_function", 0x20, 0x10}});
    const auto index = scene.add("/lib/modules/6.1/x.ko", elf, 3);
    CHECK(scene.objects.name(index, 0x24)->name == "module_function");
    CHECK(scene.objects.name(index, 0x24)->offset == 4);
}

TEST_CASE("Many threads load each file once and see the same names", "[symbols][objects]") {
    FileScene scene;
    std::vector<FileIndex> all;
    for (std::uint8_t seed = 0; seed < 40; ++seed) {
        auto elf = object_file(seed);
        elf.symbols({{"_ZN2ns3f" + std::string(1, static_cast<char>('a' + seed % 26)) + "xEv", 0x1640, 0x20}});
        all.push_back(scene.add("/bin/" + std::to_string(seed), elf, seed));
    }
    std::vector<std::jthread> threads;
    std::atomic<unsigned> wrong = 0;
    for (unsigned thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            scene.objects.load_all(all, 3);
            for (std::size_t at = 0; at < all.size(); ++at) {
                const auto name = scene.objects.name(all[at], 0x641);
                const auto wanted = "ns::f" + std::string(1, static_cast<char>('a' + at % 26)) + "x";
                if (!name || name->name != wanted || name->offset != 1) ++wrong;
            }
        });
    }
    threads.clear();
    CHECK(wrong == 0);
    CHECK(scene.files->opened == all.size());
}

TEST_CASE("A function is found by its readable name, whatever its mangled one spells out", "[symbols][objects]") {
    struct Function {
        const char *mangled, *name;
    };
    const auto [mangled, name] = GENERATE(
        Function{"c_name", "c_name"}, Function{"_ZN2ns5plainEil", "ns::plain"}, Function{"_ZN1n1XC1Ev", "n::X::X"},
        Function{"_ZN1n1XD1Ev", "n::X::~X"}, Function{"_ZN1n1XclEi", "n::X::operator()"},
        Function{"_ZN1n1XlsEi", "n::X::operator<<"}, Function{"_ZN1n1XcviEv", "n::X::operator int"},
        Function{"_ZN1n2tfINS_1XEEEvRKT_", "n::tf<n::X>"}, Function{"_ZN1n1AINS_1XEE1fEv", "n::A<n::X>::f"},
        Function{"_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
        Function{"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"},
        Function{"_ZThn8_N1n1X1fEv", "non-virtual thunk to n::X::f()"},
        Function{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"}, Function{"_ZN1n1fEv.cold", "n::f"},
        Function{"_RNvC5crate4main", "crate::main"},
        Function{"_ZN4core3ptr28drop_in_place$LT$a..File$GT$17h0123456789abcdefE",
                 "core::ptr::drop_in_place<a::File>"});
    CAPTURE(mangled);
    FileScene scene;
    auto elf = object_file(1);
    elf.symbols({{mangled, 0x1640, 0x20}});
    const auto index = scene.add("/bin/a", elf, 1);
    REQUIRE(scene.objects.name(index, 0x640));
    CHECK(scene.objects.name(index, 0x640)->name == name);
    CHECK(scene.objects.with_function(name) == std::vector{index});
    CHECK(scene.objects.with_function(std::string(name) + "x").empty());
}

extern "C" [[gnu::noinline, gnu::used]] int perfdata_landmark(int value) {
    return value * 3 + 1;
}

TEST_CASE("The functions of this test program are found in it", "[symbols][objects]") {
    FinderOptions options;
    options.allow_local = true;
    ObjectSymbols objects{ObjectFinder(options)};
    const auto index = objects.add({PERFDATA_TEST_PROGRAM, {}});
    const auto found = objects.found(index);
    REQUIRE(found);
    CHECK_FALSE((*found)->proven);
    const auto symbols = ElfSymbols::load(*(*found)->file);
    REQUIRE(symbols);
    std::optional<ElfSymbols::Symbol> landmark;
    for (std::size_t at = 0; at < symbols->size(); ++at) {
        if (symbols->symbol(at).name == "perfdata_landmark") landmark = symbols->symbol(at);
    }
    REQUIRE(landmark);
    CHECK(landmark->size > 2);
    // Code in the file equals the code in memory.
    std::array<std::byte, 4> in_file{};
    REQUIRE((*found)->file->read(landmark->value, in_file) == in_file.size());
    CHECK(std::memcmp(in_file.data(), reinterpret_cast<const void*>(&perfdata_landmark), in_file.size()) == 0);
    for (const auto& segment : (*found)->file->segments()) {
        if (landmark->value - segment.vaddr >= segment.file_size) continue;
        const auto name = objects.name(index, landmark->value - segment.vaddr + segment.offset + 2);
        REQUIRE(name);
        CHECK(name->name == "perfdata_landmark");
        CHECK(name->offset == 2);
    }
}

TEST_CASE("What is damaged of the symbols of a file is told once, by the path that it was found at",
          "[symbols][objects]") {
    FileScene scene;
    constexpr std::uint64_t compressed_flag = 0x800;
    auto elf = object_file(1);
    elf.symbols({{"exported", 0x1640, 4}}, ".dynsym");
    const auto all = elf.symbols({{"exported", 0x1640, 4}, {"internal", 0x1650, 4}});
    elf.section(all).flags = compressed_flag;  // although it is not
    const auto damaged = scene.add("/bin/damaged", elf, 1);
    auto intact = object_file(2);
    intact.symbols({{"f", 0x1640, 4}});
    const auto other = scene.add("/bin/intact", intact, 2);
    CHECK(scene.objects.damage().empty());  // nothing was read yet
    CHECK(scene.objects.name(damaged, 0x640)->name == "exported");
    CHECK(scene.objects.name(damaged, 0x650).error() == SymbolMiss::unreadable);
    CHECK(scene.objects.name(other, 0x650).error() == SymbolMiss::between_symbols);
    REQUIRE(scene.objects.damage().size() == 1);
    CHECK(scene.objects.damage().front().where.starts_with("/bin/damaged: "));
}
