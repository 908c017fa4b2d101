// SPDX-License-Identifier: MIT
#include "perfdata/symbols/kallsyms.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "perfdata/recording/source.hpp"

namespace perfdata {
namespace {

constexpr std::uint64_t furthest_reach = 64 << 10;

bool is_function(char type) {
    return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

// Mapping symbols and local labels are no functions.
bool is_label(std::string_view name) {
    return name.starts_with('$') || name.starts_with(".L") || name.starts_with("L0");
}

bool made_at_run_time(std::string_view module) {
    return module == "bpf" || module.starts_with("__builtin__");
}

struct Line {
    std::uint64_t address = 0;
    char type = 0;
    std::string_view name, module;
};

// "<hex address> <type> <name>[\t[<module>]]"
std::optional<Line> parse_line(std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    Line line;
    const auto* end = text.data() + text.size();
    const auto [after, problem] = std::from_chars(text.data(), end, line.address, 16);
    if (problem != std::errc{} || end - after < 4 || after[0] != ' ' || after[2] != ' ') return {};
    line.type = after[1];
    line.name = std::string_view(after + 3, end);
    if (const auto tab = line.name.find_first_of("\t "); tab != std::string_view::npos) {
        auto module = line.name.substr(tab + 1);
        line.name = line.name.substr(0, tab);
        if (module.starts_with('[') && module.ends_with(']')) line.module = module.substr(1, module.size() - 2);
    }
    if (line.name.empty()) return {};
    return line;
}

}  // namespace

Result<Kallsyms> Kallsyms::open(const std::string& path, const Limits& limits) {
    Limits unpacking = limits;
    unpacking.unpacked_bytes = std::min(limits.unpacked_bytes, limits.kallsyms_bytes);
    const auto source = open_source(path, unpacking);
    if (!source) return fail(source.error());
    auto text = read_whole(**source, limits.kallsyms_bytes);
    if (!text) {
        auto error = text.error();
        if (error.where.empty()) error.where = path;
        return fail(std::move(error));
    }
    return parse(std::move(*text), path);
}

Result<Kallsyms> Kallsyms::parse(std::string text, const std::string& where) {
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
    for (std::size_t at = 0; at < all.size();) {
        const auto end = std::min(all.find('\n', at), all.size());
        const auto line = parse_line(all.substr(at, end - at));
        at = end + 1;
        if (!line || made_at_run_time(line->module)) continue;
        const Entry entry{line->address, place(line->name), static_cast<std::uint32_t>(line->name.size()),
                          place(line->module), static_cast<std::uint32_t>(line->module.size())};
        any_address = any_address || line->address != 0;
        if (is_function(line->type) && !is_label(line->name)) table.entries_.push_back(entry);
        if (line->name.starts_with('_') && line->module.empty()) table.others_.push_back(entry);
    }
    if (table.entries_.empty()) {
        return fail(ErrorCode::malformed, Error::no_offset, where,
                    "no function symbols; expected lines such as \"ffffffff81000000 T _text\"");
    }
    if (!any_address) {
        return fail(ErrorCode::missing, Error::no_offset, where,
                    "all addresses are zero: copy /proc/kallsyms as root (or set kernel.kptr_restrict to 0)");
    }
    // Of several names of one address keep the first that a person would choose: without leading underscores.
    const auto rank = [&](const Entry& entry) {
        const auto name = table.symbol(entry).name;
        return std::tuple(entry.address, std::min(name.find_first_not_of('_'), name.size()), name.size(), entry.name);
    };
    std::ranges::sort(table.entries_, [&](const Entry& a, const Entry& b) {
        return a.address != b.address ? a.address < b.address : rank(a) < rank(b);  // ranks are dear
    });
    const auto repeated = std::ranges::unique(table.entries_, {}, &Entry::address);
    table.entries_.erase(repeated.begin(), repeated.end());
    return table;
}

Kallsyms::Symbol Kallsyms::symbol(const Entry& entry) const {
    const std::string_view all = text_;
    return {all.substr(entry.name, entry.name_size), all.substr(entry.module, entry.module_size), {entry.address}, 0};
}

std::optional<Kallsyms::Symbol> Kallsyms::find(Address address) const {
    const auto above = std::ranges::upper_bound(entries_, address.value, {}, &Entry::address);
    if (above == entries_.begin()) return {};
    auto found = symbol(*std::prev(above));
    const auto room =
        (above == entries_.end() ? std::numeric_limits<std::uint64_t>::max() : above->address) - found.address.value;
    const bool last_of_its_object = above == entries_.end() || symbol(*above).module != found.module;
    if (last_of_its_object && address - found.address >= furthest_reach) return {};
    found.size = last_of_its_object ? std::min(room, furthest_reach) : room;
    return found;
}

std::optional<Address> Kallsyms::address_of(std::string_view name) const {
    const auto found = std::ranges::find_if(others_, [&](const Entry& entry) { return symbol(entry).name == name; });
    if (found == others_.end()) return {};
    return Address{found->address};
}

}  // namespace perfdata
