// SPDX-License-Identifier: MIT
// Compares instructions of this machine's programs and libraries with objdump: start, size and mnemonic.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "perfdata/annotate/disassembly/disassembler.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"

#include "catch.hpp"

namespace oracle {
namespace {

using namespace perfdata;

std::string printed_by(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> block;
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) text.append(block.data(), got);
    return text;
}

// Named is an instruction's size and mnemonic; prefixes are separate.
struct Named {
    std::size_t size = 0;
    std::string name;
    std::set<std::string> prefixes;  // those that both print: lock and rep
};

constexpr std::string_view shown_prefixes[] = {"lock", "rep", "repz", "repnz"};
// Capstone shows these in operands, or not at all.
constexpr std::string_view hidden_prefixes[] = {"cs", "ds",     "es",     "fs",      "gs",
                                                "ss", "data16", "addr32", "notrack", "bnd"};

Named named(std::size_t size, const std::string& text) {
    Named result{size, {}, {}};
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        result.name = word;
        if (std::ranges::find(shown_prefixes, word) != std::end(shown_prefixes)) {
            result.prefixes.insert(word);
        } else if (std::ranges::find(hidden_prefixes, word) == std::end(hidden_prefixes) && !word.starts_with("rex")) {
            break;
        }
    }
    return result;
}

// theirs(file, begin, size) parses "  ADDRESS:\tBYTES \tINSTRUCTION", with suffixes like Capstone's, each on one line
// however long.
std::map<std::uint64_t, Named> theirs(const std::string& file, std::uint64_t begin, std::uint64_t size) {
    std::istringstream lines(printed_by("objdump -d -z -w -M suffix --start-address=" + std::to_string(begin) +
                                        " --stop-address=" + std::to_string(begin + size) + " '" + file + "'"));
    std::map<std::uint64_t, Named> all;
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(":\t");
        if (first == std::string::npos) continue;
        const auto last = line.find('\t', first + 2);
        if (last == std::string::npos) continue;
        std::istringstream bytes(line.substr(first + 2, last - first - 2));
        std::size_t count = 0;
        for (std::string byte; bytes >> byte;) ++count;
        all[std::stoull(line, nullptr, 16)] = named(count, line.substr(last + 1));
    }
    return all;
}

// Two mnemonics of one instruction: objdump's, Capstone's, and why. Both are correct.
struct Alias {
    std::string_view theirs, ours, why;
};
constexpr Alias aliases[] = {
    {"jmpq", "jmp", "direct jumps have one size: objdump gives it all the same"},
    {"leaveq", "leave", "likewise"},
    {"xbeginq", "xbegin", "likewise"},
    {"fldenvl", "fldenv", "likewise"},
    {"fnstenvl", "fnstenv", "likewise"},
    {"bswap", "bswapl", "its operand has the size: objdump does not give it"},
    {"bswap", "bswapq", "likewise"},
    {"xchgw", "nop", "66 90"},
    {"fwait", "wait", "9b"},
    {"movq", "movd", "66 REX.W 0f 6e and 7e: AMD's name for it"},
};

// Includes what Capstone 4 gets wrong or does not know.
enum class Verdict : std::uint8_t { same, alias, unknown_vector, dropped_prefix, differs };

Verdict compare(const Named& their, const Named& our) {
    auto name = their.name;
    if (name.ends_with(".s")) name.resize(name.size() - 2);  // an alternative encoding of the same instruction
    // Capstone knows only the length: AVX-512 vectors and masks, and some AVX2.
    if (our.name == "(vex)" || our.name == "(evex)") {
        return name.starts_with('v') || name.starts_with('k') ? Verdict::unknown_vector : Verdict::differs;
    }
    const bool equal = name == our.name;
    const bool known = equal || std::ranges::any_of(aliases, [&](const Alias& alias) {
                           return alias.theirs == name && alias.ours == our.name;
                       });
    if (!known) return Verdict::differs;
    if (their.prefixes != our.prefixes) {
        // "repz retq", which old compilers emit: Capstone 4 shows "retq".
        const bool padding = our.prefixes.empty() && their.prefixes == std::set<std::string>{"repz"} && name == "retq";
        return padding ? Verdict::dropped_prefix : Verdict::differs;
    }
    return equal ? Verdict::same : Verdict::alias;
}

// file_with(function) returns this process's library with that function.
std::string file_with(void* function) {
    Dl_info info{};
    REQUIRE(::dladdr(function, &info) != 0);
    return info.dli_fname;
}

struct Counts {
    std::size_t functions = 0, instructions = 0;
    std::map<Verdict, std::size_t> verdicts;
};

Counts compare_functions(const std::string& path, std::size_t samples) {
    const auto elf = ElfFile::open(open_source(path, {}).value()).value();
    const auto symbols = ElfSymbols::load(elf).value();
    const auto disassembler = Disassembler::create("x86_64").value();
    Counts counts;
    for (std::size_t index = 0; index < samples; ++index) {
        const auto symbol = symbols.symbol(symbols.size() / samples * index);
        constexpr std::uint64_t largest = 20000;
        // A function without a size extends to the next symbol, maybe into another section.
        const bool inside = std::ranges::any_of(elf.sections(), [&](const ElfFile::Section& section) {
            return section.executable() && symbol.value >= section.address &&
                   symbol.value + symbol.size <= section.address + section.size;
        });
        if (!inside || symbol.size < 2 || symbol.size > largest) continue;
        std::vector<std::byte> code(static_cast<std::size_t>(symbol.size));
        if (elf.read(symbol.value, code).value() != code.size()) continue;
        const auto expected = theirs(path, symbol.value, symbol.size);
        INFO(path << ": " << symbol.name);
        const auto decoded = disassembler.decode(code, {symbol.value});
        CHECK(decoded.size() == expected.size());
        ++counts.functions;
        for (const auto& instruction : decoded) {
            const auto address = symbol.value + instruction.offset;
            INFO(std::hex << address << ": " << instruction.mnemonic << ' ' << instruction.operands);
            const auto found = expected.find(address);
            REQUIRE(found != expected.end());
            INFO("objdump: " << found->second.name);
            CHECK(found->second.size == instruction.size);
            const auto verdict = compare(found->second, named(instruction.size, instruction.mnemonic));
            CHECK(verdict != Verdict::differs);
            ++counts.instructions;
            ++counts.verdicts[verdict];
        }
    }
    return counts;
}

}  // namespace

TEST_CASE("instructions are named as objdump names them", "[oracle][mnemonics]") {
#if defined(__x86_64__)
    constexpr std::size_t samples = 60;  // objdump reads the whole symbol table for each
    const std::string files[] = {PERFDATA_PROGRAM, file_with(reinterpret_cast<void*>(&std::strlen)),
                                 file_with(reinterpret_cast<void*>(&std::terminate))};
    for (const auto& path : files) {
        auto counts = compare_functions(path, samples);
        std::cout << path.substr(path.rfind('/') + 1) << ": " << counts.functions << " functions, "
                  << counts.instructions << " instructions, " << counts.verdicts[Verdict::alias] << " by another name, "
                  << counts.verdicts[Verdict::unknown_vector] << " of AVX-512 without name\n";
        CHECK(counts.functions > samples / 2);
        CHECK(counts.instructions > 500);
        CHECK(counts.verdicts[Verdict::same] > counts.instructions * 8 / 10);
    }
#else
    WARN("the programs of this machine are not x86-64: nothing compared");
#endif
}

}  // namespace oracle
