// SPDX-License-Identifier: MIT
// Where the data of a memory access came from (union perf_mem_data_src in include/uapi/linux/perf_event.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfdata {

// DataSource is the 64-bit word with accessors. Fields other than the level numbers are sets of bits.
struct DataSource {
    std::uint64_t word = 0;  // as recorded, in the numbering of little-endian machines

    constexpr unsigned operation() const { return bits(0, 5); }  // PERF_MEM_OP_*: load, store, ...

    // PERF_MEM_LVL_*: hit or miss, and where; older than level_number()
    constexpr unsigned level() const { return bits(5, 14); }

    constexpr unsigned snoop() const { return bits(19, 5); }  // PERF_MEM_SNOOP_*: whether another cache had the line
    constexpr unsigned lock() const { return bits(24, 2); }   // PERF_MEM_LOCK_*: whether the instruction was atomic
    constexpr unsigned tlb() const { return bits(26, 7); }    // PERF_MEM_TLB_*
    constexpr unsigned level_number() const { return bits(33, 4); }  // see no_level_number
    static constexpr unsigned no_level_number = 15;                  // PERF_MEM_LVLNUM_NA

    // PERF_MEM_REMOTE_REMOTE: level_number() is in another node
    constexpr bool remote() const { return bits(37, 1) != 0; }

    constexpr unsigned snoop_more() const { return bits(38, 2); }  // PERF_MEM_SNOOPX_*: forwarded, or from a peer
    constexpr unsigned blocked() const { return bits(40, 3); }     // PERF_MEM_BLK_*: what the access waited for
    constexpr unsigned hops() const { return bits(43, 3); }  // PERF_MEM_HOPS_*: how far away, 1 to 4; 0: not available
    constexpr unsigned region() const { return bits(46, 5); }  // since Linux 7.3

  private:
    constexpr unsigned bits(unsigned shift, unsigned width) const {
        return static_cast<unsigned>(word >> shift & ((1u << width) - 1));
    }
};

// describe(source) returns the fields in words: "LOAD, L1 hit, snoop none, TLB hit or L1 or L2". What is not available
// is left out; "not available" if nothing is. The region is not described.
std::string describe(DataSource source);

namespace detail {

inline void append_set(std::string& text, unsigned set, const std::string_view* names, std::size_t count,
                       std::string_view separator) {
    bool first = true;
    for (std::size_t bit = 0; bit < count; ++bit) {
        if ((set >> bit & 1) == 0 || names[bit].empty()) continue;
        if (!first) text += separator;
        text += names[bit];
        first = false;
    }
}

}  // namespace detail

inline std::string describe(DataSource source) {
    constexpr std::string_view operations[] = {"", "LOAD", "STORE", "PREFETCH", "EXEC"};
    constexpr std::string_view levels[] = {"",
                                           "",
                                           "",
                                           "L1",
                                           "LFB",
                                           "L2",
                                           "L3",
                                           "local RAM",
                                           "remote RAM 1 hop",
                                           "remote RAM 2 hops",
                                           "remote cache 1 hop",
                                           "remote cache 2 hops",
                                           "I/O",
                                           "uncached"};
    constexpr std::string_view level_numbers[] = {
        "",    "L1",  "L2",        "L3",  "L4",  "L2 MHB", "memory-side cache", "L0", "uncached",
        "CXL", "I/O", "any cache", "LFB", "RAM", "PMEM"};
    constexpr std::string_view snoops[] = {"", "none", "hit", "miss", "hitm"};
    constexpr std::string_view more_snoops[] = {"forward", "peer"};
    constexpr std::string_view tlbs[] = {"", "hit", "miss", "L1", "L2", "walker", "fault"};
    constexpr std::string_view blocks[] = {"", "data", "address"};
    constexpr std::string_view hops[] = {"", "core, same node", "node, same socket", "socket, same board", "board"};
    std::string text;
    const auto part = [&](std::string_view title, unsigned set, const std::string_view* names, std::size_t count) {
        if ((set & ~1u) == 0) return;  // bit 0 of each field: not available
        if (!text.empty()) text += ", ";
        text += title;
        detail::append_set(text, set, names, count, " or ");
    };
    part("", source.operation(), operations, std::size(operations));
    const bool hit = (source.level() & 2) != 0;
    const bool miss = (source.level() & 4) != 0;
    const auto number = source.level_number() == DataSource::no_level_number ? 0 : source.level_number();
    if (number != 0 || (source.level() & ~7u) != 0) {
        if (!text.empty()) text += ", ";
        if (source.remote()) text += "remote ";
        if (number != 0) {
            text += level_numbers[number];
        } else {
            detail::append_set(text, source.level(), levels, std::size(levels), " or ");
        }
        if (source.hops() < std::size(hops) && source.hops() != 0) {
            text += " (";
            text += hops[source.hops()];
            text += ")";
        }
        text += hit ? " hit" : miss ? " miss" : "";
    }
    part("snoop ", source.snoop(), snoops, std::size(snoops));
    if (source.snoop_more() != 0) {
        text += text.empty() ? "snoop " : ", snoop ";
        detail::append_set(text, source.snoop_more(), more_snoops, std::size(more_snoops), " or ");
    }
    part("TLB ", source.tlb(), tlbs, std::size(tlbs));
    if ((source.lock() & 2) != 0) text += text.empty() ? "locked" : ", locked";
    part("blocked by ", source.blocked(), blocks, std::size(blocks));
    return text.empty() ? "not available" : text;
}

}  // namespace perfdata
