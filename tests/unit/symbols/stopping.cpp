// SPDX-License-Identifier: MIT
// One large file of symbols is left in its middle.
#include <string>
#include <vector>

#include "perfdata/recording/content.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/objects.hpp"
#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/symbols/kernel/kallsyms.hpp"
#include "perfdata/symbols/kernel/kernel_names.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/looks.hpp"
#include "unit/symbols/elf_case.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t symbol_count = 60'000;

Elf large_elf() {
    std::vector<Elf::Symbol> list;
    for (std::uint64_t number = 0; number < symbol_count; ++number) {
        const auto shuffled = number * 7919 % symbol_count;
        list.push_back({"f" + std::to_string(shuffled), 0x1000 + 16 * shuffled, 16});
    }
    Elf elf;
    elf.segments = {{0, 0x1000, 0x1000 + 16 * symbol_count}};
    elf.symbols(list);
    elf.build_id(id(1).bytes());
    return elf;
}

// PackedFiles unpacks, as LocalFiles does.
class PackedFiles final : public FileSystem {
  public:
    Files plain;

    Result<std::shared_ptr<const Source>> open(const FileName& name, const Limits& limits,
                                               Content content) const override {
        return open_watched(name, limits, content, {});
    }
    Result<std::shared_ptr<const Source>> open_watched(const FileName& name, const Limits& limits, Content content,
                                                       const Watch& watch) const override {
        auto source = plain.open(name, limits, content);
        if (!source) return source;
        return unpacked(std::move(*source), name.shown(), limits, content, watch);
    }
    Result<std::shared_ptr<const Source>> open_given_watched(const std::string& path, const Limits& limits,
                                                             Content content, const Watch& watch) const override {
        return open_watched({"", path}, limits, content, watch);
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t most) const override {
        return plain.read_kernel_file(path, most);
    }
};

std::string many_lines(std::string_view between) {
    std::string text;
    for (std::uint64_t number = 0; number < symbol_count; ++number) {
        const auto address = std::to_string(1'000'000'000'000'000 + (number * 7919 % symbol_count) * 16);
        text += address + std::string(between) + "f" + std::to_string(number) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("Reading the symbols of a large file stops in its middle", "[symbols][elf]") {
    const auto file = open_elf(large_elf().blob());
    REQUIRE(file);
    check_stops([&](const Watch& watch) { return ElfSymbols::load(*file, nullptr, {}, watch); },
                4 * symbol_count / 8192);
    Looks never;
    const auto watched = ElfSymbols::load(*file, nullptr, {}, never.watch()), plain = ElfSymbols::load(*file);
    REQUIRE(watched);
    REQUIRE(plain);
    REQUIRE(watched->size() == plain->size());
    for (std::size_t at = 0; at < plain->size(); at += 997) {
        CHECK(watched->symbol(at).name == plain->symbol(at).name);
        CHECK(watched->symbol(at).value == plain->symbol(at).value);
    }
}

TEST_CASE("Reading a large kallsyms stops in its middle", "[symbols][kernel]") {
    const auto text = many_lines(" T ");
    check_stops([&](const Watch& watch) { return Kallsyms::parse(text, "here", watch); }, 3 * symbol_count / 8192);
    const auto source = std::make_shared<OwnedSource>(Blob(as_bytes(text).begin(), as_bytes(text).end()));
    check_stops([&](const Watch& watch) { return Kallsyms::open(*source, "here", {}, watch); },
                3 * symbol_count / 8192);
}

TEST_CASE("A section of many megabytes is read in parts while somebody watches", "[symbols][elf]") {
    Elf elf;
    const auto number = elf.add({.name = ".data", .content = Blob(std::size_t{40} << 20)});
    const auto file = open_elf(elf.blob());
    REQUIRE(file);
    const auto& section = file->sections()[number];
    check_stops([&](const Watch& watch) { return file->content(section, watch); }, 4);
    CHECK(file->content(section)->size() == std::size_t{40} << 20);
}

TEST_CASE("A file that was left in its middle is loaded when a name is needed", "[symbols][objects]") {
    const auto files = std::make_shared<Files>();
    files->content["/bin/large"] = large_elf().blob();
    const ObjectFinder finder({}, files);
    ObjectSymbols objects(finder);
    const auto index = objects.add({"/bin/large", id(1)});
    Looks looks;
    looks.most = 8;
    std::size_t told = 0;
    objects.load_all(std::vector{index}, 1, looks.watch().stop, [&](std::uint64_t done, std::uint64_t all) {
        CHECK(done == 0);
        CHECK(all == 1);
        ++told;
    });
    CHECK(looks.asked == 8);
    CHECK(told >= 3);
    CHECK(objects.damage().empty());
    const auto name = objects.name(index, 16 * 12345);
    REQUIRE(name);
    CHECK(name->name == "f12345");
}

TEST_CASE("Reading a large perf map stops in its middle", "[symbols][jit]") {
    const auto text = many_lines(" 10 ");
    check_stops([&](const Watch& watch) { return PerfMap::parse(text, "here", watch); }, 3 * symbol_count / 8192);
    CHECK(PerfMap::parse(text)->size() == symbol_count);
}

TEST_CASE("A packed kallsyms is left while it is unpacked", "[symbols][kernel]") {
    const auto files = std::make_shared<PackedFiles>();
    const auto text = many_lines(" T ");
    files->plain.content["/kallsyms"] = compressed(Compression::gzip, as_bytes(text));
    FinderOptions options;
    options.kallsyms = "/kallsyms";
    const ObjectFinder finder(options, files);
    // A look for each quarter of a megabyte, and those of parsing.
    const auto least = text.size() / (std::size_t{256} << 10) + 3 * symbol_count / 8192;
    check_stops([&](const Watch& watch) { return KernelNames::load({}, finder, watch); }, least);
    CHECK(KernelNames::load({}, finder)->kallsyms()->size() == symbol_count);
}

TEST_CASE("A packed file that was left while it was unpacked is unpacked when a name is needed", "[symbols][objects]") {
    const auto files = std::make_shared<PackedFiles>();
    const auto plain = large_elf().blob();
    files->plain.content["/bin/large"] = compressed(Compression::zstd, plain);
    const ObjectFinder finder({}, files);
    ObjectSymbols objects(finder);
    const auto index = objects.add({"/bin/large", id(1)});
    Looks all;
    objects.load_all(std::vector{index}, 1, all.watch().stop);
    CHECK(all.asked >= plain.size() / (std::size_t{256} << 10) + 4 * symbol_count / 8192);
    for (std::size_t most = 1; most < all.asked; most += 7) {
        ObjectSymbols others(finder);
        const auto other = others.add({"/bin/large", id(1)});
        Looks some;
        some.most = most;
        others.load_all(std::vector{other}, 1, some.watch().stop);
        CHECK(some.asked == most);
        const auto name = others.name(other, 16 * 12345);
        REQUIRE(name);
        CHECK(name->name == "f12345");
    }
}

TEST_CASE("The search for a name in all files stops", "[symbols][objects]") {
    const auto files = std::make_shared<Files>();
    files->content["/bin/large"] = large_elf().blob();
    const ObjectFinder finder({}, files);
    ObjectSymbols objects(finder);
    const auto index = objects.add({"/bin/large", id(1)});
    objects.load_all(std::vector{index}, 1);
    Looks all;
    CHECK(objects.with_function("none", all.watch().stop).empty());
    CHECK(all.asked >= symbol_count / 8192);
    Looks some;
    some.most = 2;
    CHECK(objects.with_function("f59999", some.watch().stop).empty());
    CHECK(some.asked == 2);
    CHECK(objects.with_function("f59999") == std::vector{index});
}
