// SPDX-License-Identifier: MIT
// Fuzz target: the structure, symbols, code and lines of an ELF file. Every related file (debug link, build id, dwz) is
// the same input.
#include <algorithm>
#include <array>
#include <memory>

#include "perfdata/symbols/elf/demangle/demangle.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/objects.hpp"

#include "promise.hpp"
#include "symbols/elf/dwarf/debug_image.hpp"
#include "symbols/elf/dwarf/dwarf_lines.hpp"
#include "symbols/elf/elf_relocations.hpp"
#include "symbols/elf/read_code.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t examined_symbols = 32;
constexpr std::uint64_t examined_bytes = 256;

// Everywhere is a file system where every file is the input.
class Everywhere final : public FileSystem {
  public:
    explicit Everywhere(Bytes input) : input_(input) {}

    Result<std::shared_ptr<const Source>> open(const FileName&, const Limits&, Content) const override {
        return memory_source(input_);
    }
    Result<std::string> read_kernel_file(const std::string& path, std::uint64_t) const override {
        return fail(ErrorCode::missing, Error::no_offset, path, "not there");
    }

  private:
    Bytes input_;
};

void check_structure(const ElfFile& file, std::size_t size) {
    fuzz::Touched touched;
    for (const auto& section : file.sections()) {
        touched.text(section.name);
        const auto content = file.content(section);
        if (content) {
            require(content->size() <= size && content->size() == section.size);
        } else {
            require(!content.error().message().empty());
        }
    }
    touched.bytes(file.build_id());
    if (const auto link = file.debug_link()) touched.text(link->name);
    if (const auto link = file.alternate_link()) touched.text(link->path);
    (void)file.layout_known();
    std::array<std::byte, 64> out{};
    for (const auto& segment : file.segments()) {
        for (const auto at : {segment.vaddr, segment.vaddr + segment.file_size - 8, segment.vaddr - 1}) {
            const auto got = file.read(at, out);
            if (got) require(*got <= out.size());
            if (file.type() == ElfFile::Type::core) {
                PatchedCode code(Address{at}, out.size());
                (void)read_code(file, at, code);
            }
        }
        (void)file.vaddr(segment.offset);
    }
}

void check_symbols(const ElfSymbols& symbols, const std::shared_ptr<const ElfFile>& file) {
    (void)address_of_symbol(*file, "_text");
    const CodeRelocations filled_in(file);
    std::uint64_t before = 0;
    for (std::size_t index = 0; index < symbols.size() && index < 4096; ++index) {
        const auto symbol = symbols.symbol(index);
        require(!symbol.name.empty() && symbol.value >= before);
        before = symbol.value;
        const auto found = symbols.find(symbol.value);
        if (symbol.size != 0) require(found.has_value());
        if (found) require(found->offset < found->symbol.size && symbols.distance(symbol.value) == found->offset);
        if (index >= examined_symbols) continue;
        (void)demangle(symbol.name);
        const auto relocations = filled_in.find(symbol.value, symbol.size);
        require(std::ranges::is_sorted(relocations, {}, &CodeRelocation::offset));
        require(relocations.empty() || relocations.back().offset < symbol.size);
    }
}

void check_lines(const std::shared_ptr<const ElfFile>& file, const ElfSymbols* symbols) {
    if (!has_lines(*file)) return;  // libdw is not used then
    const auto lines = DwarfLines::open({file, file, file}, fuzz::small_limits());
    if (!lines) return require(!lines.error().message().empty());
    fuzz::Touched touched;
    const auto check = [&](std::uint64_t vaddr) {
        const auto found = lines->lines(vaddr, examined_bytes);
        if (!found) return require(!found.error().message().empty());
        require(std::ranges::is_sorted(*found, {}, &LineStart::offset));
        for (const auto& line : *found) {
            require(line.offset < examined_bytes);
            touched.text(line.source.file);
            for (const auto& call : line.inlined) {
                touched.text(call.function);
                touched.text(call.call.file);
            }
        }
    };
    check(0);
    if (symbols != nullptr) {
        for (std::size_t index = 0; index < symbols->size() && index < examined_symbols; ++index) {
            check(symbols->symbol(index).value);
        }
    }
    for (const auto& segment : file->segments()) check(segment.vaddr);
}

// Looks up names as for samples.
void check_objects(Bytes input) {
    FinderOptions options;
    options.allow_local = true;
    options.limits = fuzz::small_limits();
    ObjectSymbols objects(ObjectFinder(options, std::make_shared<Everywhere>(input)));
    const auto index = objects.add({"/usr/bin/input", {}});
    for (const std::uint64_t offset :
         {std::uint64_t{0}, std::uint64_t{0x1000}, std::uint64_t{0x1104}, ~std::uint64_t{0}}) {
        const auto name = objects.name(index, offset);
        const auto distance = objects.distance(index, offset);
        require(name.has_value() == distance.has_value());
        if (!name) continue;
        require(name->offset == *distance && !name->name.empty() && name->offset < name->size);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    auto opened = ElfFile::open(memory_source(input), fuzz::small_limits());
    if (!opened) {
        require(!opened.error().message().empty());
        return 0;
    }
    const auto file = std::make_shared<const ElfFile>(std::move(*opened));
    check_structure(*file, size);
    const auto symbols = ElfSymbols::load(*file, nullptr, fuzz::small_limits());
    if (symbols) check_symbols(*symbols, file);
    check_lines(file, symbols ? &*symbols : nullptr);
    check_objects(input);
    return 0;
}
