// SPDX-License-Identifier: MIT
// Fuzz target: texts with names: a kallsyms file, a perf map, and mangled names, one per line.
#include <algorithm>
#include <string>

#include "perfdata/symbols/elf/demangle/demangle.hpp"
#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/symbols/kernel/kallsyms.hpp"

#include "promise.hpp"

namespace {

using namespace perfdata;
using fuzz::require;

constexpr std::size_t examined_symbols = 512;
constexpr std::uint64_t most_reach = std::uint64_t{64} << 10;

// contains(text, part): names must be parts of the text.
bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

void check_kallsyms(std::string_view text) {
    const auto table = Kallsyms::parse(std::string(text));
    if (!table) return require(!table.error().message().empty());
    // Walk down from the highest function: each begins where it is found, and the byte below belongs to another.
    Address at{~std::uint64_t{0}};
    std::size_t functions = 0;
    for (std::size_t count = 0; count < examined_symbols; ++count) {
        const auto found = table->find(at);
        if (!found) {
            // Gaps occur between functions of modules, and below the first function.
            if (at.value < most_reach) break;
            at.value = at.value == ~std::uint64_t{0} ? at.value >> 1 : at.value - most_reach;
            continue;
        }
        ++functions;
        require(found->address <= at && !found->name.empty());
        require(contains(text, found->name) && contains(text, found->module));
        const auto first = table->find(found->address);
        require(first && first->address == found->address && first->name == found->name);
        if (found->size != 0) {
            const auto last = table->find(found->address + (found->size - 1));
            require(!last || last->address == found->address);
        }
        if (found->address.value == 0) break;
        at = Address{found->address.value - 1};
    }
    require(functions <= table->size() + examined_symbols);
    for (const auto* name : {"_text", "_stext", "startup_64"}) {
        if (table->address_of(name)) require(contains(text, name));
    }
}

void check_perf_map(std::string_view text) {
    const auto map = PerfMap::parse(std::string(text));
    if (!map) return require(!map.error().message().empty());
    const auto check = [&](Address address) {
        const auto found = map->find(address);
        if (!found) return;
        require(!found->name.empty() && contains(text, found->name));
        require(found->range.contains(address));
        require(found->range.begin + found->offset == address);
    };
    // Numbers in the text are likely bounds of functions: look them up.
    std::uint64_t number = 0;
    std::size_t numbers = 0;
    for (const char c : text) {
        const auto digit = std::string_view("0123456789abcdef").find(c);
        if (digit != std::string_view::npos) {
            number = number << 4 | digit;
            continue;
        }
        for (const auto near : {number - 1, number, number + 1}) check({near});
        number = 0;
        if (++numbers == examined_symbols) break;
    }
}

void check_names(std::string_view text) {
    constexpr std::size_t most_names = 16, most_text = std::size_t{1} << 22;
    for (std::size_t count = 0; count < most_names && !text.empty(); ++count) {
        const auto name = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), name.size() + 1));
        for (const auto style : {NameStyle::brief, NameStyle::full}) {
            const auto plain = demangle(name, style);
            if (plain) require(!plain->empty() && plain->size() < most_text);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = std::string_view(reinterpret_cast<const char*>(data), size);
    check_kallsyms(text);
    check_perf_map(text);
    check_names(text);
    return 0;
}
