// SPDX-License-Identifier: MIT
// The part of a file that libdw receives, whatever the file claims.
#include "symbols/elf/dwarf/debug_image.hpp"

#include <algorithm>
#include <zstd.h>

#include "catch.hpp"
#include "support/dwarf.hpp"
#include "support/elf.hpp"
#include "support/looks.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"
#include "symbols/unwind/file_cfi.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::uint64_t text_at = 64 + 56;
constexpr std::uint32_t code_size = 64;
constexpr std::uint64_t compressed_section = 0x800, in_group = 0x200;  // flags
constexpr std::uint32_t zlib = 1, zstd = 2;

Blob blob_of_text(std::string_view text) {
    return Writer(std::endian::little).text(text).take();
}

Elf program(std::size_t rows = code_size) {
    Elf elf;
    auto& text = elf.section(Elf::text);
    text.address = text_at;
    text.content = Blob(code_size, std::byte{0x90});
    elf.segments = {{0, 0, text_at + code_size}};
    DwarfWriter dwarf(text_at, code_size);
    dwarf.function(text_at, code_size, "f").end();
    for (std::size_t row = 0; row < rows; ++row) dwarf.row();
    dwarf.add_to(elf);
    return elf;
}

Elf::Section& section(Elf& elf, std::string_view name) {
    for (std::uint16_t number = 1;; ++number) {
        if (elf.section(number).name == name) return elf.section(number);
    }
}

std::shared_ptr<const ElfFile> file_of(const Blob& blob) {
    return std::make_shared<const ElfFile>(ElfFile::open(memory_source(blob), {}).value());
}

std::string error_of(const Elf& elf, const Limits& limits = {}) {
    const auto blob = elf.blob();
    const auto image = DebugImage::read(file_of(blob), limits);
    return image ? std::string() : std::string(to_string(image.error().code)) + " " + image.error().detail;
}

// Read is the image, reopened as a file.
struct Read {
    DebugImage image;
    ElfFile file;
};
Read as_read(const Elf& elf) {
    const auto blob = elf.blob();
    auto image = DebugImage::read(file_of(blob), {});
    REQUIRE(image);
    image->load(std::as_bytes(image->bytes()));
    REQUIRE(!image->failure());
    auto file = ElfFile::open(memory_source(std::as_bytes(image->bytes())), {});
    REQUIRE(file);
    return {std::move(*image), std::move(*file)};
}

Result<std::vector<LineStart>> lines_of(const Elf& elf) {
    const auto blob = elf.blob();
    const auto file = file_of(blob);
    const auto lines = DwarfLines::open({file, file, nullptr}, {});
    if (!lines) return fail(lines.error());
    return lines->lines(text_at, code_size);
}

// Watched is a file that counts what is read of it, and may become shorter.
class Watched final : public Source {
  public:
    explicit Watched(Blob blob_of_text) : bytes_(std::move(blob_of_text)), size_(bytes_.size()) {}

    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const auto count = std::min<std::uint64_t>(out.size(), size_ - std::min(size_, offset));
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
        read += count;
        return static_cast<std::size_t>(count);
    }
    void cut(std::uint64_t size) { size_ = size; }

    mutable std::uint64_t read = 0;

  private:
    Blob bytes_;
    std::uint64_t size_;
};

// zlib_stored(content) returns an uncompressed zlib stream.
Blob zlib_stored(const Blob& content) {
    constexpr std::size_t most = 65535;
    Writer out(std::endian::little);
    out.u8(0x78).u8(1);
    for (std::size_t at = 0; at == 0 || at < content.size(); at += most) {
        const auto part = Bytes(content).subspan(at, std::min(most, content.size() - at));
        const auto size = static_cast<std::uint16_t>(part.size());
        out.u8(at + most >= content.size() ? 1 : 0).u16(size).u16(static_cast<std::uint16_t>(~size)).bytes(part);
    }
    std::uint32_t low = 1, high = 0;
    for (const auto byte : content) {
        low = (low + std::to_integer<std::uint32_t>(byte)) % 65521;
        high = (high + low) % 65521;
    }
    const auto sum = Writer(std::endian::big).u32(high << 16 | low).take();
    return out.bytes(sum).take();
}

Blob frame(const Blob& content) {
    Blob out(ZSTD_compressBound(content.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 19));
    return out;
}

void pack(Elf::Section& section, std::uint32_t type, std::uint64_t size) {
    const auto packed = type == zlib ? zlib_stored(section.content) : frame(section.content);
    section.content = Writer(std::endian::little).u32(type).zeros(4).u64(size).u64(1).bytes(packed).take();
    section.flags |= compressed_section;
}

}  // namespace

TEST_CASE("libdw gets the sections that lines are read from and no others", "[symbols][dwarf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(false, true);
    Elf elf(order, wide);
    elf.machine = 22;
    for (const auto* name : {".debug_macro", ".debug_info", ".debug_line", ".debug_str", ".debug_info", ".debug_types",
                             ".gnu_debugaltlink", ".zgnu_debugaltlink", ".gnu_debugdata", ".debug_line.dwo"}) {
        elf.add({.name = name, .content = blob_of_text(name)});
    }
    elf.add({.name = ".zdebug_abbrev", .content = blob_of_text("neither packed nor named so")});
    elf.add({.name = ".debug_ranges", .type = 8, .only_size = 100});
    elf.add({.name = ".debug_addr", .flags = in_group, .content = blob_of_text("of a group")});
    const auto read = as_read(elf);
    CHECK(read.file.wide() == wide);
    CHECK(read.file.order().endian() == order);
    CHECK(read.file.machine() == 22);
    CHECK(read.file.type() == ElfFile::Type::shared);
    std::vector<std::string> names;
    for (const auto& one : read.file.sections()) names.emplace_back(one.name);
    CHECK(names ==
          std::vector<std::string>{"", ".debug_info", ".debug_line", ".debug_str", ".debug_abbrev", ".shstrtab"});
    const auto content = [&](const char* name) { return read.file.content(*read.file.section(name)).value(); };
    CHECK(content(".debug_info") == ".debug_info");
    CHECK(content(".debug_str") == ".debug_str");
    CHECK(content(".debug_abbrev") == "neither packed nor named so");
    CHECK(read.image.line_bytes() == 11);
}

TEST_CASE("Sections of relocatable files keep their numbers", "[symbols][dwarf]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(false, true);
    // From 0xff00 on, section counts are stored elsewhere.
    const bool many = GENERATE(false, true);
    Elf elf(order, wide);
    elf.type = 1;
    elf.segments.clear();
    for (unsigned number = 0; many && number < 0xff00; ++number) elf.add({.name = "", .content = {}});
    elf.add({.name = ".bss", .type = 8, .flags = 3, .only_size = 4096});
    const auto line = elf.add({.name = ".debug_line", .content = blob_of_text("lines")});
    const auto macro = elf.add({.name = ".debug_macro", .content = blob_of_text("macro")});
    const auto symbols = elf.symbols({{"f", 0, 8}});
    const auto rela =
        elf.add({.name = ".rela.debug_line", .type = 4, .content = Blob(48), .link = symbols, .info = line});
    const auto other =
        elf.add({.name = ".rela.debug_macro", .type = 4, .content = Blob(48), .link = symbols, .info = macro});
    const auto read = as_read(elf);
    const auto& sections = read.file.sections();
    REQUIRE(sections.size() == other + 3u);  // the original names and new ones
    CHECK(sections.back().name == ".shstrtab");
    CHECK(sections[Elf::text].type == 8);
    CHECK(sections[Elf::text].flags == 6);
    CHECK(sections[Elf::text].size == 64);
    CHECK(sections[line - 1u].flags == 2);
    CHECK(sections[line - 1u].size == 4096);
    CHECK(sections[line].name == ".debug_line");
    CHECK(sections[macro].type == 0);
    CHECK(sections[symbols].type == 2);
    CHECK(sections[symbols].size == (wide ? 48 : 32));
    CHECK(sections[sections[symbols].link].type == 3);
    CHECK(sections[rela].info == line);
    CHECK(sections[rela].size == 48);
    CHECK(sections[other].type == 0);
}

TEST_CASE("Compressed sections are unpacked before libdw sees them", "[symbols][dwarf]") {
    const auto plain = lines_of(program());
    REQUIRE(plain);
    REQUIRE(plain->size() == code_size - 1);
    for (const auto type : {zlib, zstd}) {
        auto elf = program();
        for (const auto* name : {".debug_info", ".debug_abbrev", ".debug_line"}) {
            auto& one = section(elf, name);
            pack(one, type, one.content.size());
        }
        const auto lines = lines_of(elf);
        REQUIRE(lines);
        CHECK(lines->size() == plain->size());
    }
    auto elf = program();
    auto& lines = section(elf, ".debug_line");
    lines.name = ".zdebug_line";
    lines.content =
        Writer(std::endian::big).text("ZLIB").u64(lines.content.size()).bytes(zlib_stored(lines.content)).take();
    const auto old = lines_of(elf);
    REQUIRE(old);
    CHECK(old->size() == plain->size());
}

TEST_CASE("Compressed sections that are damaged are no debug information", "[symbols][dwarf]") {
    const auto type = GENERATE(zlib, zstd);
    const auto error = [&](auto change) {
        auto elf = program();
        auto& one = section(elf, ".debug_abbrev");
        const auto size = one.content.size();
        pack(one, type, size);
        change(one, size);
        return error_of(elf);
    };
    const auto of_size = [](std::uint64_t more) {
        return [more](Elf::Section& one, std::uint64_t size) {
            const auto number = Writer(std::endian::little).u64(size + more).take();
            std::ranges::copy(number, one.content.begin() + 8);
        };
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(error(of_size(0)).empty());
    CHECK(has(error(of_size(1)), "malformed a compressed section cannot be unpacked: "));
    CHECK(has(error(of_size(std::uint64_t{0} - 1)), "malformed a compressed section cannot be unpacked: "));
    CHECK(
        has(error([](Elf::Section& one, std::uint64_t) { one.content.resize(30); }), "malformed a compressed section"));
    CHECK(has(error([](Elf::Section& one, std::uint64_t) { one.content.resize(10); }), "truncated "));
    CHECK(error([](Elf::Section& one, std::uint64_t) { one.content[0] = std::byte{77}; }) ==
          "unsupported section .debug_abbrev is compressed in an unknown way");
}

TEST_CASE("Compressed sections do not unpack to far more than they have in the file", "[symbols][dwarf]") {
    auto elf = program();
    elf.add({.name = ".large", .content = Blob(std::size_t{1} << 20)});  // does not count
    auto& one = section(elf, ".debug_abbrev");
    const auto refused = [&](std::size_t size) {
        one.content = Blob(size);
        one.flags = 0;
        pack(one, zstd, size);
        return error_of(elf).starts_with("limit compressed sections of ");
    };
    CHECK(!refused(std::size_t{3} << 20));
    CHECK(refused(std::size_t{5} << 20));
    Limits limits;
    limits.section_bytes = 1000;
    one.content = Blob(2000);
    one.flags = 0;
    CHECK(error_of(elf, limits) == "limit section .debug_abbrev has 2000 bytes; at most 1000 are read");
}

TEST_CASE("Compressed unwind information does not unpack to far more than it has in the file", "[symbols][unwind]") {
    const auto refused = [](std::size_t size) {
        Elf elf;
        elf.add({.name = ".large", .content = Blob(std::size_t{1} << 20)});  // does not count
        elf.add({.name = ".debug_frame", .content = Blob(size)});
        pack(section(elf, ".debug_frame"), zstd, size);
        const auto blob = elf.blob();
        const FileCfi cfi(*file_of(blob), nullptr, {});
        return cfi.damage() && cfi.damage()->code == ErrorCode::limit;
    };
    CHECK(!refused(std::size_t{3} << 20));
    CHECK(refused(std::size_t{5} << 20));
}

TEST_CASE("Compressed line tables of very many rows are refused", "[symbols][dwarf]") {
    const auto error = [](std::size_t rows, bool packed) {
        auto elf = program(rows);
        auto& lines = section(elf, ".debug_line");
        if (packed) pack(lines, zstd, lines.content.size());
        const auto found = lines_of(elf);
        return found ? std::string() : std::string(to_string(found.error().code)) + " " + found.error().detail;
    };
    CHECK(error(60000, true).empty());
    CHECK(error(100000, false).empty());
    CHECK(error(100000, true) == "limit line tables have too many rows");
}

TEST_CASE("Sections of debug information share no bytes", "[symbols][dwarf]") {
    auto elf = program(4096);
    const auto shared = elf.add({.name = ".debug_str", .content = Blob(8192)});
    CHECK(error_of(elf).empty());
    // Sections that are not read may be anywhere.
    elf.add({.name = ".debug_macro", .bytes_of = shared});
    elf.add({.name = ".symbols", .type = 2, .entry_size = 24, .bytes_of = shared});
    CHECK(error_of(elf).empty());
    elf.add({.name = ".debug_line_str", .bytes_of = shared});
    CHECK(error_of(elf) == "limit sections of debug information lie over each other");
}

TEST_CASE("Sections of debug information are relocated once", "[symbols][dwarf]") {
    auto elf = program();
    elf.type = 1;
    const auto target = elf.add({.name = ".debug_str", .content = Blob(64)});
    const auto symbols = elf.symbols({});
    const auto first = elf.add({.name = ".rela", .type = 4, .content = Blob(24), .link = symbols, .info = target});
    CHECK(error_of(elf).empty());
    elf.section(first).flags = compressed_section;
    elf.section(first).content = Writer(std::endian::little).u32(zlib).zeros(20).take();
    CHECK(error_of(elf) == "unsupported section .rela is compressed");
    elf.section(first).flags = 0;
    elf.add({.name = ".rela", .type = 4, .content = Blob(24), .link = symbols, .info = target});
    CHECK(error_of(elf) == "limit section .debug_str is relocated by more than one section");
}

TEST_CASE("What the headers say of a section is in the file", "[symbols][dwarf]") {
    auto elf = program();
    elf.add({.name = ".debug_ranges", .type = 1, .only_size = 1u << 20});
    CHECK(error_of(elf) == "truncated section .debug_ranges goes beyond the end of the file");
}

TEST_CASE("Large sections are read where they are needed, and once", "[symbols][dwarf]") {
    constexpr std::uint64_t size = std::uint64_t{1} << 20, some = std::uint64_t{64} << 10;
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool wide = GENERATE(false, true);
    Elf elf(order, wide);
    const auto* name = GENERATE(".debug_info", ".debug_line", ".debug_str", ".debug_line_str");
    Blob content(size);
    for (std::size_t at = 0; at < size; ++at) content[at] = static_cast<std::byte>(at >> 8 | 1);
    content.back() = std::byte{0};
    elf.add({.name = name, .content = content});
    const auto source = std::make_shared<Watched>(elf.blob());
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(source, {}).value());
    source->read = 0;
    auto image = DebugImage::read(file, {});
    REQUIRE(image);
    CHECK(source->read < some);
    const auto all = std::as_bytes(image->bytes());
    const auto section = ElfFile::open(memory_source(all), {}).value().section(name)->offset;
    const auto part = [&](std::uint64_t begin, std::uint64_t count) {
        const auto blob_of_text =
            all.subspan(static_cast<std::size_t>(section + begin), static_cast<std::size_t>(count));
        image->load(blob_of_text);
        return std::ranges::equal(blob_of_text,
                                  Bytes(content).subspan(static_cast<std::size_t>(begin), blob_of_text.size()));
    };
    CHECK(part(500'000, 20'000));
    CHECK(source->read < 2 * some);
    CHECK(part(499'000, 40'000));
    CHECK(part(0, 1));
    CHECK(part(size - 1, 1));
    const auto before = source->read;
    CHECK(part(505'000, 1'000));
    CHECK(source->read == before);
    CHECK(!image->failure());

    // The file becomes shorter, and longer again. What was read does not change, nor what could not be read.
    source->cut(0);
    CHECK(part(500'000, 20'000));
    CHECK(!part(800'000, 1'000));
    REQUIRE(image->failure());
    CHECK(image->failure()->code == ErrorCode::truncated);
    CHECK(image->failure()->detail == "section " + std::string(name) + " is cut off");
    source->cut(source->size());
    CHECK(!part(800'000, 1'000));
    CHECK(part(900'000, 1'000));
    CHECK(image->failure());
}

TEST_CASE("Compressed sections are unpacked when they are needed", "[symbols][dwarf]") {
    Elf elf;
    elf.add({.name = ".debug_line", .content = Blob(5000, std::byte{7})});
    auto& one = section(elf, ".debug_line");
    pack(one, zstd, 5000);
    const auto source = std::make_shared<Watched>(elf.blob());
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(source, {}).value());
    auto image = DebugImage::read(file, {});
    REQUIRE(image);
    const auto all = std::as_bytes(image->bytes());
    const auto offset = ElfFile::open(memory_source(all), {}).value().section(".debug_line")->offset;
    const auto blob_of_text = all.subspan(static_cast<std::size_t>(offset), 5000);
    CHECK(blob_of_text[100] == std::byte{0});
    const bool damaged = GENERATE(false, true);
    if (damaged) source->cut(0);
    image->load(blob_of_text.subspan(100, 1));
    CHECK(blob_of_text[4999] == (damaged ? std::byte{0} : std::byte{7}));
    CHECK(image->failure().has_value() == damaged);
}

TEST_CASE("Debug information that can no longer be read is an error", "[symbols][dwarf]") {
    auto elf = program();
    const auto source = std::make_shared<Watched>(elf.blob());
    const auto file = std::make_shared<const ElfFile>(ElfFile::open(source, {}).value());
    const auto lines = DwarfLines::open({file, file, nullptr}, {});
    REQUIRE(lines);
    source->cut(0);
    const auto found = lines->lines(text_at, code_size);
    // The unit is small: its entries were read with its header, its lines were not.
    REQUIRE(!found);
    CHECK(found.error().code == ErrorCode::truncated);
    CHECK(found.error().detail == "section .debug_line is cut off");
}

TEST_CASE("A packed section that was left in its middle is unpacked when it is needed", "[symbols][dwarf]") {
    const auto kind = GENERATE(zlib, zstd);
    // libdeflate unpacks up to 64 MiB at once, and is not left.
    const auto size = std::size_t{kind == zlib ? 65u : 5u} << 20;
    Blob content(size);
    std::uint64_t state = 88172645463325252;
    for (auto& byte : content) {
        state = state * 6364136223846793005 + 1442695040888963407;
        byte = static_cast<std::byte>(state >> 56);
    }
    Elf elf;
    elf.add({.name = ".debug_line", .content = content});
    pack(section(elf, ".debug_line"), kind, size);
    const auto blob = elf.blob();
    auto image = DebugImage::read(file_of(blob), {});
    REQUIRE(image);
    const auto all = std::as_bytes(image->bytes());
    const auto offset = ElfFile::open(memory_source(all), {}).value().section(".debug_line")->offset;
    const auto unpacked = all.subspan(static_cast<std::size_t>(offset), size);
    for (const auto most : {std::size_t{1}, std::size_t{3}, std::size_t{5}}) {
        Looks some;
        some.most = most;
        CHECK_THROWS_AS(image->unpack(".debug_line", LookOut(some.watch())), Stopped);
        CHECK(some.asked == most);
        CHECK(image->loaded_bytes() == 0);
    }
    Looks never;
    image->unpack(".debug_line", LookOut(never.watch()));
    CHECK(never.asked >= 5);
    CHECK(std::ranges::equal(unpacked, content));
    CHECK(image->loaded_bytes() == size);
    CHECK_FALSE(image->failure());

    // What is damaged is the same for who looks.
    for (const bool longer : {false, true}) {
        Elf damaged;
        damaged.add({.name = ".debug_line", .content = content});
        pack(section(damaged, ".debug_line"), kind, longer ? size - 1 : size + 1);
        const auto other = damaged.blob();
        auto wrong = DebugImage::read(file_of(other), {});
        REQUIRE(wrong);
        wrong->unpack(".debug_line", LookOut(never.watch()));
        REQUIRE(wrong->failure());
        CHECK(wrong->failure()->code == ErrorCode::malformed);
    }
}
