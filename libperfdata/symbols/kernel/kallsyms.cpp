// SPDX-License-Identifier: MIT
#include "perfdata/symbols/kernel/kallsyms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "perfdata/core/endian.hpp"
#include "perfdata/recording/content.hpp"

#include "recording/look_out.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t furthest_reach = 64 << 10;

bool is_function(char type) {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

// Mapping symbols and local labels are no functions. The first character decides for nearly all names.
bool is_label(std::string_view name) {
    switch (name.front()) {
        case '$': return true;
        case '.': return name.starts_with(".L");
        case 'L': return name.starts_with("L0");
        default: return false;
    }
}

bool made_at_run_time(std::string_view module) {
    return module == "bpf" || module.starts_with("__builtin__");
}

struct Line {
    std::uint64_t address = 0;
    char type = 0;
    std::string_view name, module;
};

// Lines reads the text line by line: "<hex address> <type> <name>[\t[<module>]]". It must be fast: each start of the
// tool reads 100,000 lines and more.
class Lines {
  public:
    explicit Lines(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    // Reads the next line of this form and skips others; false at the end.
    bool next(Line& line, LookOut& look) {
        while (at_ != end_) {
            look();
            const auto first = *at_;
            const bool good = read(line);
            // Blanks begin lines of nm without an address.
            if (!good && first != '\n' && first != '\r' && first != ' ') ++damaged_;
            pass_line();
            if (good) return true;
        }
        return false;
    }

    // damaged() is how many lines were skipped that are none of such a file.
    std::size_t damaged() const { return damaged_; }

  private:
    // Names are read in steps of eight characters, addresses by a table: that takes half of the instructions of one
    // character after the other.
    static constexpr auto digits = [] {
        std::array<std::int8_t, 256> values{};
        values.fill(-1);
        for (const char* text : {"0123456789abcdef", "0123456789ABCDEF"}) {
            for (std::int8_t value = 0; value < 16; ++value) values[static_cast<unsigned char>(text[value])] = value;
        }
        return values;
    }();
    static int digit(char character) { return digits[static_cast<unsigned char>(character)]; }

    void pass_line() {
        if (at_ == end_) return;
        if (*at_ == '\n') {
            ++at_;
            return;
        }
        const auto* newline = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
        at_ = newline == nullptr ? end_ : newline + 1;
    }

    // Takes sixteen digits, as lines of 64-bit kernels have, if there are so many and something behind them.
    void take_long_address(std::uint64_t& address) {
        constexpr int count = 16;
        if (end_ - at_ <= count) return;
        int values = 0;
        std::uint64_t sum = 0;
        for (int place = 0; place < count; ++place) {
            const auto value = digit(at_[place]);
            values |= value;
            sum = sum << 4 | static_cast<unsigned>(value);
        }
        if (values < 0) return;
        address = sum;
        at_ += count;
    }

    // Steps to the character that ends a name. A byte of `below` has its highest bit set where one of `eight` is less
    // than 0x21; the lowest such byte is right, those above it need not be.
    void pass_name() {
        constexpr std::uint64_t ones = 0x0101010101010101, highest = 0x80 * ones;
        for (;;) {
            while (end_ - at_ >= 8) {
                std::uint64_t eight = 0;
                std::memcpy(&eight, at_, sizeof eight);
                if constexpr (std::endian::native == std::endian::big) eight = byteswap(eight);
                const auto below = (eight - 0x21 * ones) & ~eight & highest;
                at_ += std::min(std::countr_zero(below) / 8, 8);
                if (below != 0) break;
            }
            while (at_ != end_ && static_cast<unsigned char>(*at_) > ' ') ++at_;
            if (at_ == end_ || *at_ == '\n' || *at_ == '\t' || *at_ == ' ') return;
            ++at_;  // another control character: names may have any
        }
    }

    // Leaves at_ after what it took of the line, not after the line's end.
    bool read(Line& line) {
        const auto* const begin = at_;
        line.address = 0;
        take_long_address(line.address);
        for (int value = 0; at_ != end_ && (value = digit(*at_)) >= 0; ++at_) {
            if (line.address >> 60 != 0) return false;
            line.address = line.address << 4 | static_cast<unsigned>(value);
        }
        if (at_ == begin || end_ - at_ < 4 || at_[0] != ' ' || at_[1] == '\n' || at_[2] != ' ') return false;
        line.type = at_[1];
        const auto* const name = at_ + 3;
        at_ = name;
        pass_name();
        line.name = without_return({name, at_});
        line.module = {};
        if (at_ != end_ && *at_ != '\n') read_module(line);
        return !line.name.empty();
    }

    void read_module(Line& line) {
        const auto* const begin = at_ + 1;
        while (at_ != end_ && *at_ != '\n') ++at_;
        const auto module = without_return({begin, at_});
        if (module.starts_with('[') && module.ends_with(']')) line.module = module.substr(1, module.size() - 2);
    }

    // A file may have line ends of CR and LF.
    static std::string_view without_return(std::string_view text) {
        if (text.ends_with('\r')) text.remove_suffix(1);
        return text;
    }

    const char* at_;
    const char* end_;
    std::size_t damaged_ = 0;
};

}  // namespace

Result<Kallsyms> Kallsyms::open(const std::string& path, const Limits& limits, const Watch& watch) {
    Limits unpacking = limits;
    unpacking.unpacked_bytes = std::min(limits.unpacked_bytes, limits.kallsyms_bytes);
    const auto source = open_source(path, unpacking, Content::text, watch);
    if (!source) return fail(source.error());
    return open(**source, path, limits, watch);
}

Result<Kallsyms> Kallsyms::open(const Source& source, const std::string& path, const Limits& limits,
                                const Watch& watch) {
    auto text = read_whole(source, limits.kallsyms_bytes, watch);
    if (!text) {
        auto error = text.error();
        if (error.where.empty()) error.where = path;
        return fail(std::move(error));
    }
    return parse(std::move(*text), path, watch);
}

Result<Kallsyms> Kallsyms::parse(std::string text, const std::string& where, const Watch& watch) {
    try {
        LookOut look(watch, text.size());
        return read(std::move(text), where, look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, where, "asked to stop");
    }
}

Result<Kallsyms> Kallsyms::read(std::string text, const std::string& where, LookOut& look) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        return fail(ErrorCode::limit, Error::no_offset, where, "larger than 4 GiB");
    }
    Kallsyms table;
    table.text_ = std::move(text);
    const std::string_view all = table.text_;
    const auto place = [&](std::string_view part) {
        return static_cast<std::uint32_t>(part.empty() ? 0 : part.data() - all.data());
    };
    bool any_address = false;
    // Lines of one module share the place of its name, so that find() compares no names: they may be long.
    std::map<std::string_view, std::uint32_t> modules;
    std::pair<std::string_view, std::uint32_t> module;  // of the line before
    const auto module_place = [&](std::string_view name) {
        if (name.empty()) return std::uint32_t{0};
        if (name != module.first) module = {name, modules.try_emplace(name, place(name)).first->second};
        return module.second;
    };
    Line line;
    Lines lines(all);
    while (lines.next(line, look)) {
        if (!line.module.empty() && made_at_run_time(line.module)) continue;
        any_address = any_address || line.address != 0;
        if (!is_function(line.type) || is_label(line.name)) continue;
        table.entries_.push_back({line.address, place(line.name), static_cast<std::uint32_t>(line.name.size()),
                                  module_place(line.module), static_cast<std::uint32_t>(line.module.size())});
    }
    if (table.entries_.empty()) {
        return fail(ErrorCode::malformed, Error::no_offset, where,
                    "no function symbols; expected lines such as \"ffffffff81000000 T _text\"");
    }
    if (!any_address) {
        return fail(ErrorCode::missing, Error::no_offset, where,
                    "all addresses are zero: copy /proc/kallsyms as root (or set kernel.kptr_restrict to 0)");
    }
    if (lines.damaged() != 0) {
        table.damage_ =
            Error{ErrorCode::malformed, Error::no_offset, where,
                  std::to_string(lines.damaged()) + " of its lines are none of kallsyms, and were left out"};
    }
    table.sort(look);
    table.drop_aliases(look);
    return table;
}

// The file lists the kernel itself by address, and then its modules one after another: only these need sorting.
void Kallsyms::sort(LookOut& look) {
    const auto modules = std::ranges::is_sorted_until(entries_, {}, &Entry::address);
    std::ranges::stable_sort(modules, entries_.end(), {}, look.by(&Entry::address));
    std::ranges::inplace_merge(entries_, modules, {}, look.by(&Entry::address));
}

// Keeps the last of several names of one address, as perf does. The kernel lists the names of a system call's
// implementation before those of its entry, and strong symbols before weak ones: __do_sys_getpid, __x64_sys_getpid;
// __memcpy, memcpy.
void Kallsyms::drop_aliases(LookOut& look) {
    std::size_t kept = 0;
    for (const auto& entry : entries_) {
        look();
        if (kept != 0 && entries_[kept - 1].address == entry.address) --kept;
        entries_[kept++] = entry;
    }
    entries_.resize(kept);
}

Kallsyms::Symbol Kallsyms::symbol(const Entry& entry) const {
    const std::string_view all = text_;
    return {all.substr(entry.name, entry.name_size), all.substr(entry.module, entry.module_size), {entry.address}, 0};
}

std::optional<Kallsyms::Symbol> Kallsyms::find(Address address) const {
    const auto above = std::ranges::upper_bound(entries_, address.value, {}, &Entry::address);
    if (above == entries_.begin()) return {};
    const auto& entry = *std::prev(above);
    auto found = symbol(entry);
    const auto room =
        (above == entries_.end() ? std::numeric_limits<std::uint64_t>::max() : above->address) - found.address.value;
    const bool last_of_its_object =
        above == entries_.end() || above->module_size != entry.module_size || above->module != entry.module;
    if (last_of_its_object && address - found.address >= furthest_reach) return {};
    found.size = last_of_its_object ? std::min(room, furthest_reach) : room;
    return found;
}

std::vector<Kallsyms::Symbol> Kallsyms::named(std::span<const std::string> names) const {
    std::vector<Symbol> found;
    for (const auto& entry : entries_) {
        // Most names differ in size.
        const auto is_name = [&](const std::string& name) {
            return name.size() == entry.name_size && text_.compare(entry.name, entry.name_size, name) == 0;
        };
        if (std::ranges::any_of(names, is_name)) found.push_back(*find({entry.address}));
    }
    return found;
}

std::map<std::string_view, Address> Kallsyms::module_begins() const {
    const std::string_view all = text_;
    std::map<std::string_view, Address> begins;
    std::string_view last;
    for (const auto& entry : entries_) {
        const auto module = all.substr(entry.module, entry.module_size);
        if (!module.empty() && module != last) begins.emplace(module, Address{entry.address});
        last = module;
    }
    return begins;
}

// Only few names are searched: an index of all would cost more.
std::optional<Address> Kallsyms::address_of(std::string_view name) const {
    // The kernel's own limit. It bounds the cost: in the worst case the search compares the whole name at each
    // position.
    constexpr std::size_t most = 512;
    if (name.empty() || name.size() > most) return {};
    const std::string wanted = ' ' + std::string(name);
    const std::boyer_moore_horspool_searcher search(wanted.begin(), wanted.end());
    const std::string_view all = text_;
    for (std::size_t begin = 0; begin < all.size();) {
        const auto place = static_cast<std::size_t>(std::search(all.begin() + begin, all.end(), search) - all.begin());
        if (place == all.size()) break;
        const auto before = all.substr(begin, place - begin).rfind('\n');
        if (before != std::string_view::npos) begin += before + 1;
        const auto end = std::min(all.find('\n', place), all.size());
        Line line;
        Lines lines(all.substr(begin, end - begin));
        if (LookOut nobody; lines.next(line, nobody) && line.name == name && line.module.empty())
            return Address{line.address};
        begin = end;
    }
    return {};
}

}  // namespace perfdata
