// SPDX-License-Identifier: MIT
// Distinguishes record headers from other bytes: which to trust, and where to continue after damage.
#pragma once

#include <array>
#include <cstdint>

#include "perfdata/wire/record.hpp"

namespace perfdata {

// UsualSizes are the lengths of records of a type: those of the kernel with at most 64 bytes of trailer, names up to
// the kernel's limit. A longer record may be a newer kernel's.
struct UsualSizes {
    std::uint16_t least = 0, most = 0;  // 0, 0: unknown type
};

// Not in the function: GCC 12 would copy them to the stack for each header.
namespace usual {
inline constexpr std::uint16_t any = 65535, path = 4096, trailer = 64;
// perf's own lists can have any length; longer ones are trusted only for what follows them.
inline constexpr std::uint16_t list = 1024;
inline constexpr std::array<UsualSizes, 23> kernel{{{},
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
inline constexpr std::array<UsualSizes, 23> perf{{{72, list},                      // HEADER_ATTR
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
}  // namespace usual

constexpr UsualSizes usual_sizes(std::uint32_t type) {
    constexpr auto first_of_perf = static_cast<std::uint32_t>(RecordType::header_attr);
    constexpr std::uint32_t first_of_simpleperf = 32768, types_of_simpleperf = 64;
    if (type < usual::kernel.size()) return usual::kernel[type];
    if (type - first_of_perf < usual::perf.size()) return usual::perf[type - first_of_perf];
    if (type - first_of_simpleperf < types_of_simpleperf) return {8, usual::any};
    return {};
}

constexpr bool is_whole_words(const RecordHeader& header) {
    return header.size >= RecordHeader::bytes && header.size % 8 == 0;
}

// is_usual(header) returns true if the type is known and the size fits it. The kernel's sizes are multiples of 8; perf
// also writes others.
constexpr bool is_usual(const RecordHeader& header) {
    const auto sizes = usual_sizes(header.type);
    const bool of_kernel = header.type < 64;
    return header.size >= sizes.least && header.size <= sizes.most && sizes.most != 0 &&
           (!of_kernel || is_whole_words(header));
}

// is_possible(header) returns true if a newer kernel or perf could have written it.
constexpr bool is_possible(const RecordHeader& header) {
    return header.type != 0 && header.type < 256 && is_whole_words(header);
}

// is_conceivable(header) returns true if any writer could use its type.
constexpr bool is_conceivable(const RecordHeader& header) {
    return (header.type != 0 && header.type < 256) || usual_sizes(header.type).most != 0;
}

// is_believed(header) returns true if the header is accepted without checking what follows its record. Headers of
// kernel types are, whatever their size: they are too frequent for a closer check.
constexpr bool is_believed(const RecordHeader& header) {
    const bool of_kernel = header.type < 64 && usual_sizes(header.type).most != 0;
    return of_kernel ? is_whole_words(header) : is_usual(header);
}

// confirms(next, header) returns true if the header after its record makes an unbelieved header credible. Other bytes
// are mistaken for a header more often than a real header is odd: then the next must be beyond doubt.
constexpr bool confirms(const RecordHeader& next, const RecordHeader& header) {
    return is_usual(next) || (is_possible(header) && is_possible(next));
}

// is_odd(header) returns true if nobody writes such a header: a wrong size for its known type, or a type or size that
// no newer version would have.
constexpr bool is_odd(const RecordHeader& header) {
    return !is_usual(header) && (usual_sizes(header.type).most != 0 || !is_possible(header));
}

// has_usual_padding(header) returns true if its size is a multiple of 8, or its type one of the few of perf without
// padding.
constexpr bool has_usual_padding(const RecordHeader& header) {
    const auto type = static_cast<RecordType>(header.type);
    return header.size % 8 == 0 || type == RecordType::header_tracing_data || type == RecordType::compressed ||
           type == RecordType::compressed2;
}

// Evidence is how many consecutive usual records are believed: anywhere, where nothing else is left, and where the last
// one behind them is cut off. In 8.5 MB of recordings of all kinds there are 2 chains of three that begin off the grid
// at no real record, 11 of two, and 4800 of one: most of these are words of 0x40 and a process id, which make a
// HEADER_ATTR of an odd size.
struct Evidence {
    int records, records_at_end, records_before_cut;
    bool padded = false;  // with usual padding
};
constexpr Evidence on_grid{3, 1, 1};                 // where records begin if no byte was lost or added
constexpr Evidence off_grid{3, 2, 1, true};          // elsewhere
constexpr Evidence in_data{3, 3, 3};                 // in data that may not be records at all, on the grid
constexpr Evidence off_grid_in_data{6, 3, 3, true};  // and elsewhere in them

// That many bytes of consecutive records are enough, too. A chain is then decided within less than 192 KiB: with a
// record in front of it, it fits into a block.
constexpr std::size_t enough_bytes = std::size_t{128} << 10;

enum class Chain : std::uint8_t { yes, no, more_bytes_needed };

// chain_begins(...) returns whether enough consecutive records begin at `at`. `at_end`: no bytes follow `end`.
template <class Order>
Chain chain_begins(const std::byte* at, const std::byte* end, bool at_end, Evidence wanted, Order order) {
    const auto* const begin = at;
    for (int records = 0; records < wanted.records; ++records) {
        if (at - begin >= static_cast<std::ptrdiff_t>(enough_bytes)) return Chain::yes;
        const auto left = static_cast<std::size_t>(end - at);
        if (left < RecordHeader::bytes) {
            if (!at_end) return Chain::more_bytes_needed;
            // The type of the last record may still be there.
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
