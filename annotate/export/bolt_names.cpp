// SPDX-License-Identifier: MIT
#include "bolt_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "perfdata/core/cursor.hpp"
#include "perfdata/symbols/elf/elf_symbols.hpp"

namespace perfdata {
namespace {

// st_info and special numbers of sections, from the System V ABI.
constexpr std::uint8_t of_object_binding_local = 0, type_function = 2, type_section = 3, type_file = 4, type_tls = 6;
constexpr std::uint16_t section_undefined = 0, sections_reserved = 0xff00;

struct LocalSymbol {
    std::uint64_t value = 0;
    bool function = false;
    std::string_view name;
};

}  // namespace

BoltNames::BoltNames(const ElfFile& file) {
    const auto* table = file.section(".symtab");
    if (table == nullptr || table->link >= file.sections().size()) return;
    const auto content = file.content(*table);
    auto texts = file.content(file.sections()[table->link]);
    if (!content || !texts) return;
    texts_ = std::move(*texts);
    Cursor in(std::as_bytes(std::span(*content)), file.order(), {.where = ".symtab"});
    const std::uint64_t entry = file.wide() ? 24 : 16;
    std::vector<LocalSymbol> symbols;
    constexpr std::uint64_t times = 4;
    auto bytes_left = times * texts_.size();
    for (auto left = content->size() / entry; left != 0; --left) {
        std::uint64_t value = 0;
        const auto name = in.u32();
        if (!file.wide()) {
            value = in.u32();
            in.skip(4);
        }
        const auto info = in.u8();
        in.skip(1);
        const auto section = in.u16();
        if (file.wide()) {
            value = in.u64();
            in.skip(8);
        }
        const auto type = static_cast<std::uint8_t>(info & 0xf);
        if (info >> 4 != of_object_binding_local || type == type_section || type == type_file || type == type_tls)
            continue;
        if (section == section_undefined || section >= sections_reserved || name == 0 || name >= texts_.size())
            continue;
        auto text = std::string_view(texts_).substr(name, ElfSymbols::most_name);
        text = text.substr(0, text.find('\0'));
        // Names may overlap and be long: comparing them must not take longer than reading the file.
        if (text.size() >= bytes_left) break;
        bytes_left -= text.size();
        symbols.push_back({value, type == type_function, text});
    }
    std::ranges::stable_sort(symbols, [](const LocalSymbol& one, const LocalSymbol& other) {
        return std::pair(one.value, !one.function) < std::pair(other.value, !other.function);
    });
    std::map<std::string_view, std::uint32_t> count;
    for (const auto& symbol : symbols) local_.try_emplace({symbol.name, symbol.value}, ++count[symbol.name]);
}

std::string BoltNames::name(std::string_view symbol, std::uint64_t address) const {
    std::string name;
    constexpr std::string_view plt = "@plt";
    if (symbol.ends_with(plt)) {
        name = fmt::format("{}@PLT", symbol.substr(0, symbol.size() - plt.size()));
    } else if (const auto local = local_.find({symbol, address}); local != local_.end()) {
        name = fmt::format("{}/{}", symbol, local->second);
    } else {
        name = symbol;
    }
    std::string escaped;
    for (const char character : name) {
        if (static_cast<unsigned char>(character) < ' ') return {};
        if (character == ' ' || character == '\\') escaped += '\\';
        escaped += character;
    }
    return escaped;
}

}  // namespace perfdata
