// SPDX-License-Identifier: MIT
// Compares lines and inlined calls of compiled programs with addr2line.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/wait.h>

#include "perfdata/symbols/elf/demangle/demangle.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "support/files.hpp"
#include "support/world.hpp"

namespace oracle {
namespace {

using namespace perfdata;

const std::string program_source = PERFDATA_ORACLE_SOURCES "/inlined";

// run(command) requires success.
void run(const std::string& command) {
    INFO(command);
    const int status = std::system(command.c_str());
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

struct Step {
    std::string function, place;  // "FILE:LINE"; line 0: "0"

    bool operator==(const Step&) const = default;
};
using Chain = std::vector<Step>;  // innermost first

std::ostream& operator<<(std::ostream& out, const Chain& chain) {
    for (const auto& [function, place] : chain) out << "\n    " << function << " at " << place;
    return out;
}

std::string place_of(const SourceLine& source) {
    if (source.line == 0) return "0";
    return std::string(source.file) + ":" + std::to_string(source.line);
}

// theirs(file, addresses) returns addr2line's answer for each address.
std::map<std::uint64_t, Chain> theirs(const std::string& file, const std::vector<std::uint64_t>& addresses,
                                      const std::string& directory, const std::string& section) {
    const auto questions = directory + "/addresses", answers = directory + "/answers";
    {
        std::ofstream out(questions);
        for (const auto address : addresses) out << std::hex << address << '\n';
    }
    run("addr2line -a -i -f " + (section.empty() ? "" : "-j " + section + " ") + "-e '" + file + "' < '" + questions +
        "' > '" + answers + "'");
    std::ifstream in(answers);
    std::map<std::uint64_t, Chain> found;
    Chain* chain = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("0x")) {
            chain = &found[std::stoull(line, nullptr, 16)];
            continue;
        }
        REQUIRE(chain != nullptr);
        std::string place;
        REQUIRE(std::getline(in, place));
        place = place.substr(0, place.find(" (discriminator"));
        if (place.ends_with(":?") || place.ends_with(":0")) place = "0";
        chain->push_back({demangle(line).value_or(line), place});
    }
    REQUIRE(found.size() == addresses.size());
    return found;
}

// instructions(file) returns the address of every instruction.
std::vector<std::uint64_t> instructions(const std::string& file, const std::string& directory,
                                        const std::string& section) {
    const auto listing = directory + "/listing";
    run("objdump -d --no-show-raw-insn " + (section.empty() ? "" : "-j " + section + " ") + "'" + file + "' > '" +
        listing + "'");
    std::ifstream in(listing);
    std::vector<std::uint64_t> addresses;
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(":\t");
        const auto digits = line.find_first_not_of(' ');
        if (colon == std::string::npos || digits == std::string::npos) continue;
        std::uint64_t address = 0;
        const auto [end, problem] = std::from_chars(line.data() + digits, line.data() + colon, address, 16);
        if (problem == std::errc{} && end == line.data() + colon) addresses.push_back(address);
    }
    REQUIRE_FALSE(addresses.empty());
    return addresses;
}

// has_line(place) returns true if the source file has at least that many lines.
bool has_line(const std::string& place) {
    const auto colon = place.rfind(':');
    if (colon == std::string::npos) return false;
    std::ifstream in(place.substr(0, colon));
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) ++count;
    return std::stoul(place.substr(colon + 1)) <= count;
}

// rows(file, directory) returns readelf's line table: "NAME:LINE" by address, files without their directory.
std::map<std::uint64_t, std::string> rows(const std::string& file, const std::string& directory) {
    const auto listing = directory + "/rows";
    run("readelf --debug-dump=decodedline '" + file + "' > '" + listing + "' 2>&1");
    std::ifstream in(listing);
    std::map<std::uint64_t, std::string> found;
    for (std::string line; std::getline(in, line);) {
        std::istringstream fields(line);
        std::string name, number, address;
        if (!(fields >> name >> number >> address) || !address.starts_with("0x")) continue;
        found[std::stoull(address, nullptr, 16)] = name + ":" + number;
    }
    return found;
}

// mistaken(ours, theirs, symbol, row) detects errors of addr2line 2.40. It gives an inlined function without a linkage
// name the symbol's name if both begin at the same address, and it confuses files of DWARF 5: then readelf's
// independent decoder agrees with us, or the file has fewer lines.
bool mistaken(const Chain& ours, const Chain& theirs, const std::string& symbol, const std::string& row) {
    if (ours.size() != theirs.size()) return false;
    for (std::size_t at = 0; at < ours.size(); ++at) {
        const bool by_symbol = at + 1 < ours.size() && theirs[at].function == symbol;
        const auto line = [](const std::string& place) { return place.substr(place.rfind(':') + 1); };
        const bool no_such_line =
            line(ours[at].place) == line(theirs[at].place) && !has_line(theirs[at].place) && has_line(ours[at].place);
        if (ours[at].function != theirs[at].function && !by_symbol) return false;
        const bool readelf_has_ours = at == 0 && ours[at].place.ends_with("/" + row);
        if (ours[at].place != theirs[at].place && !no_such_line && !readelf_has_ours) return false;
    }
    return true;
}

// Subject is a process that mapped a whole file.
struct Subject {
    Subject(const std::string& path, const SourceFileOptions& options, const std::string& debug_dir)
        : timeline(perfdata::test::World().map(0, 1, {base, length, 0}, path).timeline()) {
        const auto recording = Recording::open(std::string(PERFDATA_FIXTURES) + "/records/stat.data");
        REQUIRE(recording);
        SymbolizerOptions sources;
        sources.finder.allow_local = true;
        sources.finder.debug_dirs = {debug_dir};
        sources.sources = options;
        symbolizer.emplace(Symbolizer::open(*recording, timeline, sources));
    }

    Frame frame(std::uint64_t offset) const { return {offset, 0, FrameKind::object, CpuMode::user}; }
    const ElfFile& file() const {
        const auto found = symbolizer->file(0);
        REQUIRE(found);
        return *(*found)->file;
    }

    static constexpr std::uint64_t base = 0x10000000, length = 0x8000000;
    Timeline timeline;
    std::optional<Symbolizer> symbolizer;
};

struct ComparedLines {
    std::size_t instructions = 0, inlined = 0, differing = 0, deepest = 0;
    std::size_t mistaken = 0;  // addr2line is wrong
};

// compare(ours, full, ...) compares our lines for one file with addr2line's for another file with the same code, for
// about `sampled` functions, evenly spread.
ComparedLines compare(const std::string& ours, const std::string& full, std::size_t sampled,
                      const std::string& debug_dir, const std::string& section = {}) {
    const perfdata::test::TempDir temporary;
    const auto directory = temporary.path().string();
    const Subject subject(ours, {}, debug_dir);
    const auto& file = subject.file();
    const auto with_symbols = ElfFile::open(open_source(full, {}).value());
    REQUIRE(with_symbols);
    const auto functions = ElfSymbols::load(*with_symbols);
    REQUIRE(functions);
    const bool relocatable = file.type() == ElfFile::Type::relocatable;
    const auto text_at = relocatable ? file.section(".text")->offset : 0;
    const auto wanted_section = with_symbols->section(section.empty() ? ".text" : section);
    REQUIRE(wanted_section != nullptr);
    const auto in_section = relocatable ? wanted_section->offset : 0;

    const auto all = instructions(ours, directory, section);
    std::vector<std::uint64_t> asked;
    std::map<std::uint64_t, Chain> our_chains;
    std::map<std::uint64_t, std::string> symbol_of;
    const auto step = std::max<std::size_t>(1, functions->size() / sampled);
    for (std::size_t index = 0; index < functions->size(); index += step) {
        const auto symbol = functions->symbol(index);
        const auto from = symbol.value - in_section;  // as in objdump
        if (symbol.size == 0 || symbol.name.ends_with("@plt")) continue;
        if (relocatable && (symbol.value < in_section || from >= wanted_section->size)) continue;
        std::uint64_t offset = symbol.value - text_at;
        for (const auto& segment : file.segments()) {
            if (!relocatable && symbol.value - segment.vaddr < segment.file_size) {
                offset = symbol.value - segment.vaddr + segment.offset;
            }
        }
        const auto lines = subject.symbolizer->lines(subject.frame(offset), symbol.size);
        INFO(symbol.name << (lines ? "" : lines.error().message()));
        REQUIRE(lines);
        for (std::size_t at = 1; at < lines->size(); ++at) CHECK((*lines)[at - 1].offset < (*lines)[at].offset);
        for (auto at = std::ranges::lower_bound(all, from); at != all.end() && *at < from + symbol.size; ++at) {
            const auto after = std::ranges::upper_bound(*lines, *at - from, {}, &LineStart::offset);
            Chain chain;
            if (after != lines->begin()) {
                const auto& line = *std::prev(after);
                const auto* source = &line.source;
                for (const auto& call : line.inlined) {
                    chain.push_back({std::string(call.function), place_of(*source)});
                    source = &call.call;
                }
                chain.push_back({"", place_of(*source)});
            } else {
                chain.push_back({"", "0"});
            }
            if (our_chains.emplace(*at, std::move(chain)).second) asked.push_back(*at);
            symbol_of[*at] = demangle(symbol.name).value_or(std::string(symbol.name));
        }
    }
    ComparedLines result;
    const auto table = relocatable ? std::map<std::uint64_t, std::string>() : rows(full, directory);
    auto their_chains = theirs(full, asked, directory, section);
    for (const auto address : asked) {
        auto& expected = their_chains[address];
        expected.back().function.clear();  // the symbol's function
        const auto& found = our_chains[address];
        ++result.instructions;
        if (found.size() > 1) ++result.inlined;
        result.deepest = std::max(result.deepest, found.size());
        if (found == expected) continue;
        const auto row = table.upper_bound(address);
        if (mistaken(found, expected, symbol_of[address], row == table.begin() ? "" : std::prev(row)->second)) {
            ++result.mistaken;
            continue;
        }
        if (++result.differing <= 5) {
            UNSCOPED_INFO(ours << ' ' << std::hex << address << " ours:" << found << "\n  addr2line:" << expected);
        }
    }
    return result;
}

struct Program {
    explicit Program(const std::string& options) : directory(temporary.path().string()), path(directory + "/program") {
        run("'" PERFDATA_CXX "' -std=c++20 -O2 " + options + " -o '" + path + "' '" + program_source + "/main.cpp' '" +
            program_source + "/parts/steps.cpp'");
    }

    perfdata::test::TempDir temporary;
    std::string directory, path;
};

void check_all(const ComparedLines& compared) {
    CHECK(compared.differing == 0);
    CHECK(compared.mistaken * 20 < compared.instructions);
    CHECK(compared.instructions > 300);
    CHECK(compared.inlined > 100);
    CHECK(compared.deepest >= 4);
}

}  // namespace

TEST_CASE("Lines and inlined calls of a program are addr2line's", "[oracle][lines]") {
    for (const std::string options :
         {"-g", "-g -gdwarf-4 -ffunction-sections", "-g -gdwarf-3", "-g -ffunction-sections -Wl,--gc-sections",
          "-g -gdwarf-4 -fdebug-types-section", "-g -gz=zlib", "-g -gdwarf-4 -gz=zlib-gnu", "-g -no-pie",
          "-g -O3 -flto", "-gdwarf-2 -gstrict-dwarf -ffunction-sections"}) {
        DYNAMIC_SECTION(options) {
            const Program program(options);
            check_all(compare(program.path, program.path, 1000, program.directory));
        }
    }
}

TEST_CASE("Lines come from separate debug files and from what dwz moved", "[oracle][lines]") {
    const Program program("-g -Wl,--build-id");
    const auto in = [&](const std::string& command) { run("cd '" + program.directory + "' && " + command); };
    in("cp program full");
    SECTION("stripped of everything") {
        in("objcopy --only-keep-debug program program.debug && strip program && "
           "objcopy --add-gnu-debuglink=program.debug program");
    }
    SECTION("with its symbols still in it") {
        in("objcopy --only-keep-debug program program.debug && strip -g program && "
           "objcopy --add-gnu-debuglink=program.debug program");
    }
    SECTION("compressed, in a directory by build id") {
        in("objcopy --only-keep-debug --compress-debug-sections program d && strip program && "
           "id=$(readelf -n program | sed -n 's/.*Build ID: //p') && "
           "mkdir -p .build-id/$(echo $id | cut -c1-2) && mv d .build-id/$(echo $id | cut -c1-2)/$(echo $id | cut "
           "-c3-).debug");
    }
    SECTION("with what two programs have in common moved to a third file") {
        in("cp program other && dwz -m common.dwz -M common.dwz program other");
    }
    SECTION("that file is where distributions have it") {
        in("mkdir .dwz && cp program other && dwz -m .dwz/common -M /nowhere/.dwz/common program other");
    }
    check_all(compare(program.path, program.directory + "/full", 1000, program.directory));
}

TEST_CASE("Lines of relocatable files, as kernel modules are", "[oracle][lines]") {
    const Program program("-g");
    const auto object = program.directory + "/object.ko";
    for (const std::string options : {"-g -gz=none", "-g -gz=zlib", "-g -gdwarf-4"}) {
        DYNAMIC_SECTION(options) {
            run("'" PERFDATA_CXX "' -std=c++20 -O2 -c " + options + " -o '" + object + "' '" + program_source +
                "/main.cpp'");
            const auto compared = compare(object, object, 1000, program.directory, ".text");
            CHECK(compared.differing == 0);
            CHECK(compared.instructions > 100);
            CHECK(compared.inlined > 50);
        }
    }
}

TEST_CASE("Lines of an installed library are addr2line's", "[oracle][lines]") {
    // Uses Debian's libc6-dbg with the C library of this process.
    std::string library;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const auto at = line.find('/');
        if (at != std::string::npos && line.find("/libc.so.6", at) != std::string::npos) library = line.substr(at);
    }
    REQUIRE_FALSE(library.empty());
    const Subject subject(library, {}, "/usr/lib/debug");
    const auto found = subject.symbolizer->file(0);
    REQUIRE(found);
    INFO("this compares with libc6-dbg: install it");
    REQUIRE((*found)->debug != nullptr);
    const auto compared = compare(library, (*found)->debug_path, 150, "/usr/lib/debug");
    CHECK(compared.differing == 0);
    CHECK(compared.mistaken * 10 < compared.instructions);
    CHECK(compared.instructions > 5000);
    CHECK(compared.inlined > 300);
}

}  // namespace oracle
