// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf_constants.hpp"
#include "elf_plt.hpp"
#include "elf_symbols_builder.hpp"

namespace perfdata {
namespace {

// GotSlot is a word that the dynamic linker sets.
struct GotSlot {
    std::uint64_t address = 0;
    std::uint32_t symbol = 0;    // index in the dynamic symbol table; 0: none
    std::uint64_t resolver = 0;  // of an indirect function: address of its resolver; 0: none
};

bool is_irelative(std::uint16_t machine, std::uint32_t type) {
    switch (machine) {
        case em_x86_64: return type == 37;
        case em_aarch64: return type == 1032;
        case em_s390: return type == 61;
        case em_riscv: return type == 58;
        default: return false;
    }
}

}  // namespace

// Plt names the stubs of a file. It reads each relocation and stub once, and finds them by binary search. The names
// that it adds take at most a few times the bytes of the file's own, even if these overlap.
class ElfSymbolsBuilder::Plt {
  public:
    Plt(ElfSymbolsBuilder& builder, const ElfFile& file) : builder_(builder), file_(file) {}

    void add() {
        const auto* plt = file_.section(".plt");
        const auto* second = file_.section(".plt.sec");
        const auto* got = file_.section(".plt.got");
        if (plt == nullptr && second == nullptr && got == nullptr) return;
        read(".rela.plt", ".rel.plt");
        ordered_ = slots_;
        if (got != nullptr) read(".rela.dyn", ".rel.dyn", words_of_got());
        if (slots_.empty()) return;
        std::ranges::stable_sort(slots_, {}, builder_.look_.by(&GotSlot::address));
        find_resolvers();
        budget_ = 4 * (std::uint64_t{strings_.size()} + builder_.names_.size());
        for (const auto* section : {plt, second, got}) {
            if (section != nullptr) name(*section);
        }
        add_named();
    }

  private:
    // Range is the addresses from begin to before end.
    struct Range {
        std::uint64_t begin = 0, end = 0;
    };

    // Reads the relocations of words in the ranges; of all words if there are no ranges.
    void read(std::string_view with_addends, std::string_view without, std::span<const Range> wanted = {}) {
        const auto* found = file_.section(with_addends);
        const bool addends = found != nullptr;
        if (!addends) found = file_.section(without);
        if (found == nullptr || found->type == no_bits) return;
        const std::size_t word = file_.wide() ? 8 : 4;
        const std::size_t stride = word * (addends ? 3 : 2);
        auto section = *found;
        if (!wanted.empty()) pass_relative(section, stride, addends);
        const auto list = builder_.content(file_, section);
        if (!list) return;
        read_symbols(section);
        const AnyOrder order(file_.order());
        const auto number = [&](const std::byte* at) {
            return file_.wide() ? order.load<std::uint64_t>(at) : std::uint64_t{order.load<std::uint32_t>(at)};
        };
        const auto bytes = as_bytes(*list);
        for (std::size_t offset = 0; bytes.size() - offset >= stride; offset += stride) {
            builder_.look_();
            const auto* const at = bytes.data() + offset;
            GotSlot slot;
            slot.address = number(at);
            const auto inside = [&](const Range& range) {
                return slot.address - range.begin < range.end - range.begin;
            };
            if (!wanted.empty() && std::ranges::none_of(wanted, inside)) continue;
            const auto info = number(at + word);
            slot.symbol = static_cast<std::uint32_t>(file_.wide() ? info >> 32 : info >> 8);
            const auto type = static_cast<std::uint32_t>(file_.wide() ? info : info & 0xff);
            if (slot.symbol == 0 && addends && is_irelative(file_.machine(), type))
                slot.resolver = number(at + 2 * word);
            slots_.push_back(slot);
        }
    }

    // The words that stubs of .plt.got jump through. Large libraries have hundreds of thousands of other words.
    std::vector<Range> words_of_got() const {
        std::vector<Range> ranges;
        for (const auto* name : {".got", ".got.plt"}) {
            if (const auto* section = file_.section(name)) {
                ranges.push_back({section->address, section->address + section->size});
            }
        }
        return ranges;
    }

    // Skips the relocations without symbol. Linkers put them first and record their number. They name no function.
    void pass_relative(ElfFile::Section& section, std::size_t stride, bool addends) {
        const auto* dynamic = file_.section(".dynamic");
        if (dynamic == nullptr) return;
        const auto tags = file_.content(*dynamic);
        if (!tags) return;
        constexpr std::uint64_t relacount = 0x6ffffff9, relcount = 0x6ffffffa;
        const AnyOrder order(file_.order());
        const std::size_t word = file_.wide() ? 8 : 4;
        const auto number = [&](std::size_t at) {
            const auto* const bytes = as_bytes(*tags).data() + at;
            return file_.wide() ? order.load<std::uint64_t>(bytes) : std::uint64_t{order.load<std::uint32_t>(bytes)};
        };
        for (std::size_t at = 0; tags->size() - at >= 2 * word; at += 2 * word) {
            if (number(at) != (addends ? relacount : relcount)) continue;
            const auto passed = std::min<std::uint64_t>(number(at + word), section.size / stride) * stride;
            section.offset += passed;
            section.size -= passed;
            return;
        }
    }

    void read_symbols(const ElfFile::Section& relocations) {
        const auto& sections = file_.sections();
        if (!table_.empty() || relocations.link == 0 || relocations.link >= sections.size()) return;
        const auto& symbols = sections[relocations.link];
        if (symbols.link >= sections.size()) return;
        auto table = builder_.content(file_, symbols);
        auto strings = builder_.content(file_, sections[symbols.link]);
        if (!table || !strings) return;
        table_ = std::move(*table);
        strings_ = std::move(*strings);
    }

    void find_resolvers() {
        std::vector<std::uint64_t> wanted;
        for (const auto& slot : slots_) {
            if (slot.resolver != 0) wanted.push_back(slot.resolver);
        }
        if (!wanted.empty()) resolvers_ = builder_.names_of(std::move(wanted));
    }

    // Returns the name of what a slot leads to; empty if unknown.
    std::string_view called(const GotSlot& slot) const {
        if (slot.resolver != 0) {
            const auto found =
                std::ranges::lower_bound(resolvers_, slot.resolver, {}, &std::pair<std::uint64_t, std::string>::first);
            if (found == resolvers_.end() || found->first != slot.resolver) return {};
            return found->second;
        }
        const auto stride = ElfSymbolFields::bytes(file_.wide());
        if (slot.symbol == 0 || slot.symbol >= table_.size() / stride) return {};
        Cursor in(as_bytes(table_).subspan(std::size_t{slot.symbol} * stride), file_.order(),
                  {.where = "ELF symbol table"});
        const auto symbol = ElfSymbolFields::read(in, file_.wide());
        if (symbol.name >= strings_.size()) return {};
        const auto text = std::string_view(strings_).substr(symbol.name, compared_name);
        return text.substr(0, text.find('\0'));
    }

    // Adds the stubs that were named. A symbol of the file at a stub, as mold writes them, is better than our name.
    void add_named() {
        std::ranges::sort(named_, {}, builder_.look_.by(&Named::address));
        for (const auto& entry : builder_.entries_) {
            builder_.look_();
            auto same = std::ranges::lower_bound(named_, entry.value, {}, &Named::address);
            for (; same != named_.end() && same->address == entry.value; ++same) same->slot = nullptr;
        }
        for (const auto& one : named_) {
            builder_.look_();
            if (one.slot != nullptr) add(one.address, one.size, *one.slot);
        }
    }

    void add(std::uint64_t address, std::uint64_t size, const GotSlot& slot) {
        const auto text = called(slot);
        if (text.empty() || text.size() > budget_) return;
        budget_ -= text.size();
        builder_.add(address, size, builder_.names_.size(), local_binding);
        builder_.names_.append(text).append("@plt").push_back('\0');
    }

    // Header has the size of the code before the first stub of .plt, and of each stub.
    struct Header {
        std::uint64_t size = 0, stub = 0;
    };

    // Returns the sizes if the code is of a form that only one linker's layout has; zeros if they are not certain.
    Header header(std::string_view code) const {
        const AnyOrder order(file_.order());
        const auto word = [&](std::size_t at) {
            return code.size() < at + 4 ? 0 : order.load<std::uint32_t>(as_bytes(code).data() + at);
        };
        switch (file_.machine()) {
            case em_386:
            case em_x86_64: {
                // push GOT[1]; [bnd] jmp *GOT[2]. lld's retpolines do not jump; mold begins with endbr64.
                const auto push = word(0) & 0xffff, jump = word(6) & 0xffffff;
                const bool pushes = push == 0x35ff || push == 0xb3ff;
                const bool jumps = (jump & 0xffff) == 0x25ff || (jump & 0xffff) == 0xa3ff || jump == 0x25fff2;
                return pushes && jumps ? Header{16, 16} : Header{};
            }
            case em_aarch64: return word(0) == 0xa9bf7bf0 ? Header{32, 16} : Header{};     // stp x16, x30, [sp, #-16]!
            case em_riscv: return (word(0) & 0xfff) == 0x397 ? Header{32, 16} : Header{};  // auipc t2, ...
            case em_arm: {
                // str lr, [sp, #-4]!; at the first stub of GNU ld: add ip, pc, #n; add ip, ip, #n; ldr pc, [ip, #n]!
                const bool gnu = (word(20) & 0xfffff000) == 0xe28fc000 && (word(28) & 0xfffff000) == 0xe5bcf000;
                return word(0) == 0xe52de004 && gnu ? Header{20, 12} : Header{};
            }
            case em_s390:  // stg %r1, 56(%r15); 31 bits: st %r1, 28(%r15)
                return word(0) == 0xe310f038 || word(0) == 0x5010f01c ? Header{32, 32} : Header{};
            default: return {};
        }
    }

    // Returns true for x86 stubs of 8 bytes: those of .plt.got, and those of .plt without a lazy binder, as GNU ld
    // writes them into statically linked programs for indirect functions.
    bool has_short_stubs(const ElfFile::Section& section, std::string_view code) const {
        if (section.name == ".plt.got") return !code.starts_with("\xf3\x0f\x1e");   // endbr
        const bool jumps = section.name == ".plt" && code.starts_with("\xff\x25");  // jmp *slot; 2 bytes of padding
        return jumps && code.size() >= 8 && code.substr(6).starts_with("\x66\x90");
    }

    // Names each stub by the slot that it jumps through. If no slot of a section is recognized, its stubs are in the
    // order of the relocations, behind a header of a known size; else those that are not recognized get no name.
    void name(const ElfFile::Section& section) {
        const auto code = builder_.content(file_, section);
        if (!code) return;
        PltSection plt{file_.machine(), file_.wide(), AnyOrder(file_.order()), section.address};
        if (const auto* got = file_.section(".got.plt")) {
            plt.got = got->address;
        } else if (const auto* table = file_.section(".got")) {
            plt.got = table->address;
        }
        if (has_short_stubs(section, *code)) plt.stride = 8;
        const auto stubs = plt_stubs(plt, as_bytes(*code));
        for (const auto& stub : stubs) {
            builder_.look_();
            const auto slot = std::ranges::lower_bound(slots_, stub.slot, {}, &GotSlot::address);
            if (slot != slots_.end() && slot->address == stub.slot) named_.push_back({stub.address, stub.size, &*slot});
        }
        if (!stubs.empty() || section.name != ".plt") return;
        const auto [before, size] = header(*code);
        if (size == 0) return;
        auto at = before;
        for (const auto& slot : ordered_) {
            builder_.look_();
            if (section.size < size || at > section.size - size) break;
            named_.push_back({section.address + at, size, &slot});
            at += size;
        }
    }

    // Named is a stub and the slot that names it: of slots_ or ordered_, which no longer change; null: not needed.
    struct Named {
        std::uint64_t address = 0, size = 0;
        const GotSlot* slot = nullptr;
    };

    ElfSymbolsBuilder& builder_;
    const ElfFile& file_;
    std::string table_, strings_;
    std::vector<GotSlot> slots_, ordered_;
    std::vector<Named> named_;  // at most one for each stub
    std::vector<std::pair<std::uint64_t, std::string>> resolvers_;
    std::uint64_t budget_ = 0;
};

void ElfSymbolsBuilder::add_plt(const ElfFile& file) {
    Plt(*this, file).add();
}

// Returns the symbols at these addresses, sorted by address.
std::vector<std::pair<std::uint64_t, std::string>> ElfSymbolsBuilder::names_of(std::vector<std::uint64_t> values) {
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::vector<const Entry*> best(values.size(), nullptr);
    for (const auto& entry : entries_) {
        look_();
        const auto place = std::ranges::lower_bound(values, entry.value);
        if (place == values.end() || *place != entry.value) continue;
        auto& chosen = best[static_cast<std::size_t>(place - values.begin())];
        if (chosen == nullptr || !better(*chosen, entry)) chosen = &entry;
    }
    std::vector<std::pair<std::uint64_t, std::string>> names;
    std::uint64_t room = 4 * std::uint64_t{names_.size()};  // names may overlap
    for (const auto* entry : best) {
        if (entry == nullptr) continue;
        const auto text = name(*entry).substr(0, compared_name);
        if (text.size() > room) break;
        room -= text.size();
        names.emplace_back(entry->value, text);
    }
    return names;
}

}  // namespace perfdata
