// SPDX-License-Identifier: MIT
#include "bundle/anonymize/code_addresses.hpp"

#include <algorithm>
#include <string>

#include "perfdata/recording/record_stream.hpp"
#include "perfdata/wire/attr.hpp"

#include "recording/pulse.hpp"

namespace perfdata {
namespace {

struct KernelHalf {
    std::string_view arch;
    std::uint64_t begin;
};

// The lowest address that a kernel of any size of page tables may have.
constexpr KernelHalf kernel_halves[] = {
    {"x86_64", 0xff00000000000000}, {"aarch64", 0xfff0000000000000},     {"riscv64", 0xff00000000000000},
    {"ppc64", 0xc000000000000000},  {"ppc64le", 0xc000000000000000},     {"mips64", 0x8000000000000000},
    {"alpha", 0x8000000000000000},  {"loongarch64", 0x8000000000000000},
};

// Those that no machine has code at, and seven characters in a row.
bool is_no_address(std::uint64_t word) {
    const auto top = word >> 56;
    if (top != 0) return top < 0x80;
    for (int byte = 0; byte < 7; ++byte, word >>= 8) {
        const auto character = word & 0xff;
        if (character < 0x20 || character > 0x7e) return false;
    }
    return true;
}

// PERF_CONTEXT_*: negative numbers.
constexpr std::uint64_t context_mark(std::uint64_t number) {
    return ~number + 1;
}

}  // namespace

void RangeSet::add(std::uint64_t begin, std::uint64_t end) {
    if (!ranges_.empty() && ranges_.back() == std::pair(begin, end)) return;
    if (ranges_.size() >= room_) merge();
    if (full_) return;
    ranges_.emplace_back(begin, end);
}

void RangeSet::merge() {
    std::ranges::sort(ranges_);
    std::size_t kept = 0;
    for (const auto& range : ranges_) {
        if (kept != 0 && range.first <= ranges_[kept - 1].second) {
            ranges_[kept - 1].second = std::max(ranges_[kept - 1].second, range.second);
        } else {
            ranges_[kept++] = range;
        }
    }
    ranges_.resize(std::min(kept, most_));
    full_ = kept >= most_;
    room_ = std::min(std::max<std::size_t>(room_, 2 * kept), 2 * most_);
}

bool RangeSet::contains(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(ranges_, address, {}, &std::pair<std::uint64_t, std::uint64_t>::first);
    return behind != ranges_.begin() && address <= std::prev(behind)->second;
}

Result<CodeAddresses> CodeAddresses::find(const Recording& recording, std::string_view arch, const Watch& watch) {
    CodeAddresses places;
    const auto* half = std::ranges::find(kernel_halves, arch, &KernelHalf::arch);
    if (half != std::end(kernel_halves)) places.kernel_begin_ = half->begin;
    places.vsyscall_ = arch == "x86_64";
    const bool chains = std::ranges::any_of(recording.events().events(),
                                            [](const Event& event) { return event.attr.has(sample_bit::callchain); });
    if (!chains) return places;
    // Both records begin with header, process, thread, address, length.
    constexpr std::size_t address_at = 16, length_at = 24, least = 32;
    constexpr std::uint16_t mode_bits = 7, kernel_mode = 1, guest_kernel_mode = 4;
    // No program is that large: such ranges are reserved, or made up.
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    Pulse pulse(watch, recording.bytes());
    auto stream = recording.records();
    RecordView record;
    while (stream.next(record)) {
        if (!pulse.go_on(record.bytes.size())) return fail(pulse.stopped("anonymized recording"));
        const auto type = record.type();
        if ((type != RecordType::mmap && type != RecordType::mmap2) || record.bytes.size() < least) continue;
        const auto mode = record.header().misc & mode_bits;
        if (mode == kernel_mode || mode == guest_kernel_mode) continue;
        const auto begin = record.order.load<std::uint64_t>(record.bytes.data() + address_at);
        const auto length = record.order.load<std::uint64_t>(record.bytes.data() + length_at);
        if (length == 0 || length > largest || begin + length < begin) continue;
        if (places.kernel_begin_ != 0 && begin >= places.kernel_begin_) continue;
        places.mapped_.add(begin, begin + length);
    }
    places.mapped_.finish();
    return places;
}

bool CodeAddresses::is_user(std::uint64_t word) const {
    constexpr std::uint64_t vsyscall = 0xffffffffff600000, page = 4096;
    return mapped_.contains(word) || (vsyscall_ && word >= vsyscall && word - vsyscall < page);
}

// The kernel finds its own callers by what it knows of its code: there it is enough that the word may be an address.
bool CodeAddresses::is_kernel(std::uint64_t word) const {
    return kernel_begin_ != 0 ? word >= kernel_begin_ : !is_no_address(word);
}

bool CodeAddresses::Walk::keeps(std::uint64_t word) {
    constexpr auto hypervisor = context_mark(32), kernel = context_mark(128), user = context_mark(512),
                   deferred = context_mark(640), guest = context_mark(2048), guest_kernel = context_mark(2176),
                   guest_user = context_mark(2560), first_mark = context_mark(4095);
    if (word >= first_mark) {
        if (context_ == Context::user) return true;
        switch (word) {
            case hypervisor:
            case kernel:
            case guest_kernel: context_ = Context::kernel; break;
            case deferred:
            case user:
            case guest_user: context_ = Context::user; break;
            case guest: context_ = Context::unknown; break;
            default: break;
        }
        return true;
    }
    if (word == 0 || word == ip_) return true;
    switch (context_) {
        case Context::kernel: return places_.is_kernel(word);
        case Context::user: return places_.is_user(word);
        case Context::unknown: break;
    }
    constexpr std::uint64_t upper_half = std::uint64_t{1} << 63;
    return places_.is_user(word) || (word >= upper_half && places_.is_kernel(word));
}

}  // namespace perfdata
