// SPDX-License-Identifier: MIT
#include "perfdata/symbols/jit/perf_map.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <queue>

#include "perfdata/recording/source.hpp"

#include "recording/look_out.hpp"

namespace perfdata {
namespace {

// Takes a number off the start of the text; nothing if there is none, or if it has more than 64 bits.
std::optional<std::uint64_t> take_hex(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (problem != std::errc{}) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take_blank(std::string_view& text) {
    if (!text.starts_with(' ') && !text.starts_with('\t')) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

// The name may contain blanks.
std::optional<PerfMap::Symbol> PerfMap::parse_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto start = take_hex(line);
    if (!start || !take_blank(line)) return {};
    const auto size = take_hex(line);
    if (!size || !take_blank(line)) return {};
    const auto name = line.substr(0, line.find('\0'));
    if (name.empty()) return {};
    return Symbol{name, {{*start}, *size}};
}

Result<PerfMap> PerfMap::open(const std::string& path, const Limits& limits, const Watch& watch) {
    Limits unpacking = limits;
    unpacking.unpacked_bytes = std::min(limits.unpacked_bytes, limits.perf_map_bytes);
    const auto source = open_source(path, unpacking, Content::perf_map, watch);
    if (!source) return fail(source.error());
    return open(**source, path, limits, watch);
}

Result<PerfMap> PerfMap::open(const Source& source, const std::string& path, const Limits& limits, const Watch& watch) {
    auto text = read_whole(source, limits.perf_map_bytes, watch);
    if (!text) {
        auto error = text.error();
        if (error.where.empty()) error.where = path;
        return fail(std::move(error));
    }
    auto map = parse(std::move(*text), path, watch);
    if (map) {
        if (auto damage = source.damage()) map->damage_ = std::move(damage);
    }
    return map;
}

Result<PerfMap> PerfMap::parse(std::string text, const std::string& where, const Watch& watch) {
    try {
        LookOut look(watch, text.size());
        return read(std::move(text), where, look);
    } catch (const Stopped&) {
        return fail(ErrorCode::cancelled, Error::no_offset, where, "asked to stop");
    }
}

Result<PerfMap> PerfMap::read(std::string text, const std::string& where, LookOut& look) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        return fail(ErrorCode::limit, Error::no_offset, where, "larger than 4 GiB");
    }
    PerfMap map;
    map.text_ = std::move(text);
    const std::string_view all = map.text_;
    std::size_t damaged = 0;
    for (std::size_t at = 0; at < all.size();) {
        look();
        const auto end = std::min(all.find('\n', at), all.size());
        const auto line = parse_line(all.substr(at, end - at));
        at = end + 1;
        if (!line) ++damaged;
        if (!line || line->range.size == 0) {
            ++map.skipped_;
            continue;
        }
        map.entries_.push_back({line->range, static_cast<std::uint32_t>(line->name.data() - all.data()),
                                static_cast<std::uint32_t>(line->name.size())});
    }
    if (map.entries_.empty() && map.skipped_ != 0) {
        return fail(ErrorCode::malformed, Error::no_offset, where,
                    "no line of it is one of a perf map; expected lines such as \"7f484ca8a000 10 name\"");
    }
    if (damaged != 0) {
        map.damage_ = Error{ErrorCode::malformed, Error::no_offset, where,
                            std::to_string(damaged) + " of its lines are none of a perf map, and were left out"};
    }
    map.lay_out(look);
    return map;
}

// Cuts the entries into stretches: the last entry in the file counts.
//
//     line 1       |------a------|
//     line 2           |--b--|
//     line 3             |c|
//     stretches    | a |b|c|b| a |
//
// Goes up through all addresses where an entry begins or ends. A heap has the entries there, the last one on top.
void PerfMap::lay_out(LookOut& look) {
    std::vector<std::uint64_t> turns;
    std::vector<std::uint32_t> by_begin(entries_.size());
    for (std::uint32_t index = 0; index < entries_.size(); ++index) {
        by_begin[index] = index;
        turns.push_back(entries_[index].range.begin.value);
        const auto last = entries_[index].range.last().value;
        if (last != std::numeric_limits<std::uint64_t>::max()) turns.push_back(last + 1);
    }
    std::ranges::sort(by_begin, {}, look.by([&](std::uint32_t index) { return entries_[index].range.begin; }));
    std::ranges::sort(turns, {}, look.by(std::identity()));
    const auto repeated = std::ranges::unique(turns);
    turns.erase(repeated.begin(), repeated.end());

    std::priority_queue<std::uint32_t> there;
    auto next = by_begin.begin();
    for (const auto turn : turns) {
        look();
        for (; next != by_begin.end() && entries_[*next].range.begin.value == turn; ++next) there.push(*next);
        while (!there.empty() && entries_[there.top()].range.last().value < turn) there.pop();
        const auto entry = there.empty() ? none : there.top();
        if (stretches_.empty() || stretches_.back().entry != entry) stretches_.push_back({turn, entry});
    }
}

std::optional<PerfMap::Symbol> PerfMap::find(Address address) const {
    const auto above = std::ranges::upper_bound(stretches_, address.value, {}, &Stretch::begin);
    if (above == stretches_.begin() || std::prev(above)->entry == none) return {};
    const auto& entry = entries_[std::prev(above)->entry];
    const auto name = std::string_view(text_).substr(entry.name, entry.name_size);
    return Symbol{name, entry.range, address - entry.range.begin};
}

std::string perf_map_path(std::uint32_t pid) {
    return "/tmp/perf-" + std::to_string(pid) + ".map";
}

FoundFile find_perf_map(std::uint32_t pid, const JitSearch& search) {
    return find_recorded_file(perf_map_path(pid), search, search.given_maps);
}

}  // namespace perfdata
