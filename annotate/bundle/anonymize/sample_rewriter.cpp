// SPDX-License-Identifier: MIT
#include "bundle/anonymize/sample_rewriter.hpp"

#include <algorithm>
#include <array>

#include "perfdata/wire/sample/parts.hpp"

namespace perfdata {
namespace {

constexpr std::size_t sample_word = 8;
constexpr std::uint16_t sample_misc = 7 | 1u << 14;  // the CPU's mode, and whether the address is exact

// Flag bits of uapi perf_event.h up to defer_output.
constexpr std::uint64_t known_flags = (std::uint64_t{1} << 40) - 1;

// The bits of a branch's flags that have a name: 33 from the first, as the writer's machine counts them.
std::uint64_t known_branch_flags(std::uint64_t flags, std::endian order) {
    constexpr unsigned known = 33;
    return order == std::endian::big ? flags >> (64 - known) << (64 - known)
                                     : flags & ((std::uint64_t{1} << known) - 1);
}

void write_branches(Bytes content, const SampleShape& shape, SampleShape::Reading reading, ByteWriter& out) {
    constexpr std::size_t entry = 24;
    const auto order = out.order();
    const auto count = order.load<std::uint64_t>(content.data());
    const bool index = shape.hw_index() && (count != 0 || reading.empty_branch_stack_has_hw_index);
    std::size_t at = index ? 2 * sample_word : sample_word;
    out.bytes(content.first(at));
    for (std::uint64_t left = count; left != 0; --left, at += entry) {
        out.bytes(content.subspan(at, 2 * sample_word));
        out.u64(known_branch_flags(order.load<std::uint64_t>(content.data() + at + 2 * sample_word), order.endian()));
    }
    out.bytes(content.subspan(at));  // counters
}

}  // namespace

std::uint64_t write_chain(Bytes words, std::uint64_t ip, ChainKind kind, const CodeAddresses& places, ByteWriter& out) {
    using Context = CodeAddresses::Context;
    constexpr std::uint64_t deferred_mark = ~std::uint64_t{639};  // PERF_CONTEXT_USER_DEFERRED
    CodeAddresses::Walk walk(places, ip, kind == ChainKind::rest ? Context::user : Context::unknown);
    std::uint64_t dropped = 0, before = 0;
    for (std::size_t at = 0; at + sample_word <= words.size(); at += sample_word) {
        const auto word = out.order().load<std::uint64_t>(words.data() + at);
        const bool last = words.size() - at < 2 * sample_word;
        const bool cookie = kind == ChainKind::deferred && last && before == deferred_mark;
        before = word;
        const bool drop = !cookie && !walk.keeps(word);
        dropped += drop ? 1 : 0;
        out.u64(drop ? 0 : word);
    }
    return dropped;
}

Attr anonymous_attr(const Attr& attr) {
    Attr kept;
    kept.type = attr.type;
    kept.config = attr.config;
    kept.sample_period = attr.sample_period;
    kept.sample_type = attr.sample_type & kept_sample_bits;
    if (attr.type == attr_type::tracepoint) kept.sample_type |= attr.sample_type & sample_bit::raw;
    kept.read_format = attr.read_format & (read_bit::time_enabled | read_bit::time_running | read_bit::id |
                                           read_bit::group | read_bit::lost);
    kept.flags = attr.flags & known_flags;
    kept.wakeup_events = attr.wakeup_events;
    // An address and a length; of other types what the CPU's manual says. Of a probe a pointer to its name.
    if (attr.type <= attr_type::breakpoint) {
        kept.bp_type = attr.bp_type;
        kept.config1 = attr.config1;
        kept.config2 = attr.config2;
    }
    if (kept.has(sample_bit::branch_stack)) kept.branch_sample_type = attr.branch_sample_type;
    kept.clockid = attr.clockid;
    kept.sample_max_stack = attr.sample_max_stack;
    if ((attr.sample_type & ~known_sample_bits) != 0) {
        // Only the parts in front of those that newer kernels add are sure to be what they seem.
        kept.sample_type &= sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::addr | sample_bit::read |
                            sample_bit::callchain | sample_bit::id | sample_bit::cpu | sample_bit::period |
                            sample_bit::stream_id | sample_bit::identifier;
        kept.branch_sample_type = 0;
    }
    return kept;
}

void write_attr(const Attr& attr, std::size_t bytes, ByteWriter& out) {
    const auto begin = out.size();
    out.u32(attr.type);
    out.u32(static_cast<std::uint32_t>(bytes));
    out.u64(attr.config);
    out.u64(attr.sample_period);
    out.u64(attr.sample_type);
    out.u64(attr.read_format);
    auto flags = attr.flags;
    if (out.order().endian() == std::endian::big) {
        // C compilers for such machines begin with the highest bit. precise_ip is a number of two bits.
        std::uint64_t mirrored = 0;
        for (unsigned bit = 0; bit < 64; ++bit) mirrored |= (flags >> bit & 1) << (63 - bit);
        const auto precise = (flags & Attr::precise_ip_bits) >> Attr::precise_ip_shift;
        constexpr unsigned place = 63 - Attr::precise_ip_shift - 1;
        flags = (mirrored & ~(std::uint64_t{3} << place)) | precise << place;
    }
    out.u64(flags);
    out.u32(attr.wakeup_events);
    out.u32(attr.bp_type);
    out.u64(attr.config1);
    std::array<std::byte, Attr::known_bytes> rest{};
    ByteWriter later(out.order());
    later.u64(attr.config2);
    later.u64(attr.branch_sample_type);
    later.u64(attr.sample_regs_user);
    later.u32(attr.sample_stack_user);
    later.u32(static_cast<std::uint32_t>(attr.clockid));
    later.u64(attr.sample_regs_intr);
    later.u32(attr.aux_watermark);
    later.u16(attr.sample_max_stack);
    later.u16(0);
    later.u32(attr.aux_sample_size);
    later.u32(attr.aux_action);
    later.u64(attr.sig_data);
    later.u64(attr.config3);
    later.u64(attr.config4);
    std::ranges::copy(later.written(), rest.begin());
    out.bytes(Bytes(rest).first(bytes - (out.size() - begin)));
}

void SampleRewriter::part(SamplePart part, Bytes content, const SampleShape& shape, SampleShape::Reading reading,
                          std::uint64_t ip, ChainKind chain, ByteWriter& out) {
    switch (part) {
        case SamplePart::read:
        case SamplePart::weight:
        case SamplePart::data_src:
        case SamplePart::transaction:
        case SamplePart::cgroup:
        case SamplePart::data_page_size:
        case SamplePart::code_page_size: return out.bytes(content);
        case SamplePart::callchain:
            out.bytes(content.first(sample_word));
            return tally_.add(Told::chain_words, write_chain(content.subspan(sample_word), ip, chain, places_, out));
        case SamplePart::branch_stack: return write_branches(content, shape, reading, out);
        case SamplePart::raw: return;  // see payload()
        case SamplePart::regs_user: return tally_.add(Told::user_registers);
        case SamplePart::stack_user: return tally_.add(Told::user_stacks);
        case SamplePart::regs_intr: return tally_.add(Told::interrupt_registers);
        case SamplePart::phys_addr: return tally_.add(Told::physical_addresses);
        case SamplePart::aux: return tally_.add(Told::aux_samples);
    }
}

//     u32 size . u16 type . u8 flags . u8 preempt_count . u32 pid . padding
void SampleRewriter::payload(const RecordView& record, const Event& event, std::uint64_t size, ByteWriter& out) {
    tally_.add(Told::raw_payloads);
    if (event.attr.type != attr_type::tracepoint) return;
    constexpr std::uint32_t stub = 12;
    if (size < stub) {  // no sample grows: it might become too long for a record
        out.u32(4);
        return out.u32(0);
    }
    const auto tid = event.sample.offsets().tid;
    out.u32(stub);
    out.u16(static_cast<std::uint16_t>(event.attr.config));
    out.zeros(2);
    out.u32(tid == 0 ? 0 : record.order.load<std::uint32_t>(record.bytes.data() + tid + 4));
    out.zeros(4);
}

bool SampleRewriter::rewrite(const RecordView& record, ByteWriter& out) {
    const auto* bytes = record.bytes.data();
    const auto size = record.bytes.size();
    const auto order = record.order;
    const auto event = events_.of_sample(bytes, size, order);
    if (!event) return false;
    const auto& layout = events_.layout(*event);
    if (!layout.fits(bytes, size, order)) return false;
    const auto& attr = events_.events()[*event].attr;
    const auto chain = attr.defers_callchains() ? ChainKind::deferred : ChainKind::whole;
    const bool understood = (attr.sample_type & ~known_sample_bits) == 0;

    out.begin_record(RecordType::sample, record.header().misc & sample_misc);
    for (std::size_t at = RecordHeader::bytes; at < layout.variable_offset(); at += sample_word) {
        if (at == layout.offsets().cpu) {
            out.bytes(record.bytes.subspan(at, sample_word / 2));
            out.zeros(sample_word / 2);
        } else {
            out.bytes(record.bytes.subspan(at, sample_word));
        }
    }
    const auto ip_at = layout.offsets().ip;
    const auto ip = ip_at == 0 ? std::uint64_t{0} : order.load<std::uint64_t>(bytes + ip_at);
    const auto& shape = layout.shape();
    const auto parts = sample_parts(bytes, size, layout.variable_offset(), shape, order);
    std::size_t read = layout.variable_offset();
    for (auto at = shape.next(0); at < sample_part_count; at = shape.next(at + 1)) {
        const auto which = static_cast<SamplePart>(at);
        const auto begin = parts.begin_of(which);
        const auto length = shape.size_of(which, bytes + begin, size - begin, order, parts.reading);
        if (begin == 0 || length == SampleShape::overrun) break;
        if (!understood && which > SamplePart::callchain) break;
        if (which == SamplePart::raw) payload(record, events_.events()[*event], length - 4, out);
        part(which, record.bytes.subspan(begin, static_cast<std::size_t>(length)), shape, parts.reading, ip, chain,
             out);
        read = begin + static_cast<std::size_t>(length);
    }
    if (!out.end_record()) return false;
    // Events may differ in where samples have their ids, and other fields are there now.
    const auto written = out.written().subspan(out.record_begin());
    if (events_.of_sample(written.data(), written.size(), order) != event) {
        out.drop_record();
        return false;
    }
    if (read < size) tally_.add(Told::sample_fields, size - read);
    return true;
}

}  // namespace perfdata
