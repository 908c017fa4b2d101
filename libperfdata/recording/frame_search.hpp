// SPDX-License-Identifier: MIT
// Telling record headers from other bytes: which to believe, and where to go on behind damage.
#pragma once

#include <array>
#include <cstdint>

#include "perfdata/wire/record.hpp"

namespace perfdata {

// UsualSizes is how long records of a type are: those of the kernel with at most 64 bytes of trailer, names as long as
// the kernel lets them be. A longer one may be a newer kernel's.
struct UsualSizes {
    std::uint16_t least = 0, most = 0;  // 0, 0: the type is not known
};

constexpr UsualSizes usual_sizes(std::uint32_t type) {
    constexpr std::uint16_t any = 65535, path = 4096, trailer = 64;
    // Lists of perf's own can be of any length; those that are longer than this are believed for what follows them.
    constexpr std::uint16_t list = 1024;
    constexpr std::array<UsualSizes, 23> kernel{{{},
                                                 {48, 40 + path + trailer},     // MMAP
                                                 {24, 24 + trailer},            // LOST
                                                 {24, 16 + 256 + trailer},      // COMM
                                                 {32, 32 + trailer},            // EXIT
                                                 {32, 32 + trailer},            // THROTTLE
                                                 {32, 32 + trailer},            // UNTHROTTLE
                                                 {32, 32 + trailer},            // FORK
                                                 {24, any},                     // READ
                                                 {8, any},                      // SAMPLE
                                                 {80, 72 + path + trailer},     // MMAP2
                                                 {32, 32 + trailer},            // AUX
                                                 {16, 16 + trailer},            // ITRACE_START
                                                 {16, 16 + trailer},            // LOST_SAMPLES
                                                 {8, 8 + trailer},              // SWITCH
                                                 {16, 16 + trailer},            // SWITCH_CPU_WIDE
                                                 {24, 24 + 32 * 16 + trailer},  // NAMESPACES
                                                 {32, 24 + 1024 + trailer},     // KSYMBOL
                                                 {24, 24 + trailer},            // BPF_EVENT
                                                 {24, 16 + path + trailer},     // CGROUP
                                                 {24, any},                     // TEXT_POKE
                                                 {16, 16 + trailer},            // AUX_OUTPUT_HW_ID
                                                 {24, any}}};                   // CALLCHAIN_DEFERRED
    constexpr std::array<UsualSizes, 23> perf{{{72, list},                      // HEADER_ATTR
                                               {16, 80},                        // HEADER_EVENT_TYPE
                                               {12, 16},                        // HEADER_TRACING_DATA
                                               {40, 36 + path},                 // HEADER_BUILD_ID
                                               {8, 8},                          // FINISHED_ROUND
                                               {16, list},                      // ID_INDEX
                                               {16, list},                      // AUXTRACE_INFO
                                               {48, 48},                        // AUXTRACE
                                               {48, 160},                       // AUXTRACE_ERROR
                                               {16, list},                      // THREAD_MAP
                                               {16, list},                      // CPU_MAP
                                               {16, list},                      // STAT_CONFIG
                                               {48, 48},                        // STAT
                                               {24, 24},                        // STAT_ROUND
                                               {24, list},                      // EVENT_UPDATE
                                               {32, 64},                        // TIME_CONV
                                               {16, any},                       // HEADER_FEATURE
                                               {8, any},                        // COMPRESSED
                                               {8, 8},                          // FINISHED_INIT
                                               {16, any},                       // COMPRESSED2
                                               {528, any},                      // BPF_METADATA
                                               {24, any},                       // SCHEDSTAT_CPU
                                               {24, any}}};                     // SCHEDSTAT_DOMAIN
    constexpr auto first_of_perf = static_cast<std::uint32_t>(RecordType::header_attr);
    constexpr std::uint32_t first_of_simpleperf = 32768, types_of_simpleperf = 64;
    if (type < kernel.size()) return kernel[type];
    if (type - first_of_perf < perf.size()) return perf[type - first_of_perf];
    if (type - first_of_simpleperf < types_of_simpleperf) return {8, any};
    return {};
}

constexpr bool is_whole_words(const RecordHeader& header) {
    return header.size >= RecordHeader::bytes && header.size % 8 == 0;
}

// is_usual(header) is whether a header has a known type and a size that fits it. The kernel's sizes are multiples of 8;
// perf writes others, too.
constexpr bool is_usual(const RecordHeader& header) {
    const auto sizes = usual_sizes(header.type);
    const bool of_kernel = header.type < 64;
    return header.size >= sizes.least && header.size <= sizes.most && sizes.most != 0 &&
           (!of_kernel || is_whole_words(header));
}

// is_possible(header) is whether a newer kernel or perf could have written it.
constexpr bool is_possible(const RecordHeader& header) {
    return header.type != 0 && header.type < 256 && is_whole_words(header);
}

// is_conceivable(header) is whether its type is one that somebody could write.
constexpr bool is_conceivable(const RecordHeader& header) {
    return (header.type != 0 && header.type < 256) || usual_sizes(header.type).most != 0;
}

// is_believed(header) is whether a header is taken without a look at what follows its record. The kernel's types are,
// whatever their size: they come too often for a closer look.
constexpr bool is_believed(const RecordHeader& header) {
    const bool of_kernel = header.type < 64 && usual_sizes(header.type).most != 0;
    return of_kernel ? is_whole_words(header) : is_usual(header);
}

// confirms(next, header) is whether a header that is not believed is for what follows its record. Other bytes are more
// often taken for a header than a header is odd: then the next must be beyond doubt.
constexpr bool confirms(const RecordHeader& next, const RecordHeader& header) {
    return is_usual(next) || (is_possible(header) && is_possible(next));
}

// is_odd(header) is whether nobody writes such a header: of a type that is known a size that it does not have, or a
// type or size that no newer version would have.
constexpr bool is_odd(const RecordHeader& header) {
    return !is_usual(header) && (usual_sizes(header.type).most != 0 || !is_possible(header));
}

// has_usual_padding(header) is whether its size is a multiple of 8, as all are but those of a few types of perf's.
constexpr bool has_usual_padding(const RecordHeader& header) {
    const auto type = static_cast<RecordType>(header.type);
    return header.size % 8 == 0 || type == RecordType::header_tracing_data || type == RecordType::compressed ||
           type == RecordType::compressed2;
}

// Evidence is how many usual records must follow each other to be believed: anywhere, where they are all that is left,
// and where a last one behind them is cut off. In 8.5 MB of recordings of all kinds three follow each other from two
// places that are not on the grid and no record's beginning, two from 11, and one from 4800: most of these are words
// of 0x40 and a process id, which make a HEADER_ATTR of an odd size.
struct Evidence {
    int records, records_at_end, records_before_cut;
    bool padded = false;  // with usual padding
};
constexpr Evidence on_grid{3, 1, 1};                 // where records begin if no byte was lost or added
constexpr Evidence off_grid{3, 2, 1, true};          // elsewhere
constexpr Evidence in_data{3, 3, 3};                 // in data that may be no records at all, on the grid
constexpr Evidence off_grid_in_data{6, 3, 3, true};  // and elsewhere in them

// So many bytes of records that follow each other are enough, too. A chain is then known within less than 192 KiB: with
// a record in front of it, it fits into a block.
constexpr std::size_t enough_bytes = std::size_t{128} << 10;

enum class Chain : std::uint8_t { yes, no, more_bytes_needed };

// chain_begins(...) is whether so many records follow each other from `at` on. `at_end`: no bytes follow `end`.
template <class Order>
Chain chain_begins(const std::byte* at, const std::byte* end, bool at_end, Evidence wanted, Order order) {
    const auto* const begin = at;
    for (int records = 0; records < wanted.records; ++records) {
        if (at - begin >= static_cast<std::ptrdiff_t>(enough_bytes)) return Chain::yes;
        const auto left = static_cast<std::size_t>(end - at);
        if (left < RecordHeader::bytes) {
            if (!at_end) return Chain::more_bytes_needed;
            // The type of the last may still be there.
            const bool cut = left >= 4 && usual_sizes(order.template load<std::uint32_t>(at)).most != 0;
            const auto enough = cut ? wanted.records_before_cut : wanted.records_at_end + (left == 0 ? 0 : 1);
            return records >= enough ? Chain::yes : Chain::no;
        }
        const auto header = RecordHeader::load(at, order);
        if (!is_usual(header) || (wanted.padded && !has_usual_padding(header))) return Chain::no;
        if (header.size > left) {
            if (!at_end) return Chain::more_bytes_needed;
            return records >= wanted.records_before_cut ? Chain::yes : Chain::no;
        }
        at += header.size;
    }
    return Chain::yes;
}

}  // namespace perfdata
