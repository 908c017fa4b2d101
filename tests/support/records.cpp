// SPDX-License-Identifier: MIT
#include "support/records.hpp"

#include "perfdata/wire/attr.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint16_t misc_bit(unsigned bit) {
    return static_cast<std::uint16_t>(1u << bit);
}

}  // namespace

Blob bare_record(std::endian order, std::uint32_t type, std::uint16_t misc, std::uint16_t size) {
    return Writer(order).u32(type).u16(misc).u16(size).take();
}

Blob record(RecordType type, const RecordFrame& frame, const Blob& body) {
    const auto size = static_cast<std::uint16_t>(8 + body.size() + frame.trailer.size());
    return joined({bare_record(frame.order, static_cast<std::uint32_t>(type), frame.misc, size), body, frame.trailer});
}

Blob encode(const Mmap& map, const RecordFrame& frame) {
    Writer body(frame.order);
    body.u32(map.pid.value).u32(map.tid.value).u64(map.range.begin.value).u64(map.range.size).u64(map.page_offset);
    return record(RecordType::mmap, frame, body.padded_text(map.filename).take());
}

Blob encode(const Mmap2& map, RecordFrame frame) {
    Writer body(frame.order);
    body.u32(map.pid.value).u32(map.tid.value).u64(map.range.begin.value).u64(map.range.size).u64(map.page_offset);
    if (map.build_id) {
        frame.misc |= misc_bit(14);
        body.u8(map.build_id->size).u8(0xaa).u16(0xbbcc).bytes(map.build_id->value);
    } else {
        const auto inode = map.inode.value_or(Mmap2::Inode{});
        body.u32(inode.major).u32(inode.minor).u64(inode.number).u64(inode.generation);
    }
    body.u32(map.protection).u32(map.flags);
    return record(RecordType::mmap2, frame, body.padded_text(map.filename).take());
}

Blob encode(const Comm& comm, RecordFrame frame) {
    if (comm.exec) frame.misc |= misc_bit(13);
    Writer body(frame.order);
    body.u32(comm.pid.value).u32(comm.tid.value).padded_text(comm.comm);
    return record(RecordType::comm, frame, body.take());
}

Blob encode(const Ksymbol& symbol, const RecordFrame& frame) {
    Writer body(frame.order);
    body.u64(symbol.address.value).u32(symbol.size).u16(symbol.kind).u16(symbol.flags).padded_text(symbol.name);
    return record(RecordType::ksymbol, frame, body.take());
}

Blob encode(const BpfEvent& event, const RecordFrame& frame) {
    Writer body(frame.order);
    body.u16(event.kind).u16(event.flags).u32(event.id.value).bytes(event.tag);
    return record(RecordType::bpf_event, frame, body.take());
}

Blob encode(const Lost& lost, const RecordFrame& frame) {
    return record(RecordType::lost, frame, Writer(frame.order).u64(lost.id.value).u64(lost.lost).take());
}

Blob encode(const LostSamples& lost, RecordFrame frame) {
    if (lost.by_bpf_filter) frame.misc |= misc_bit(15);
    return record(RecordType::lost_samples, frame, Writer(frame.order).u64(lost.lost).take());
}

Blob auxtrace(std::endian order, std::uint64_t claimed, const Blob& payload) {
    Writer body(order);
    body.u64(claimed).u64(0x1000).u64(0x2000).u32(3).u32(4).u32(5).u32(0);
    return joined({record(RecordType::auxtrace, {.order = order, .trailer = {}, .misc = 0}, body.take()), payload});
}

Blob sample(std::uint64_t sample_type, const SampleValues& values, const RecordFrame& frame, const Blob& variable) {
    const auto has = [&](std::uint64_t bit) { return (sample_type & bit) != 0; };
    Writer body(frame.order);
    if (has(sample_bit::identifier)) body.u64(values.identifier);
    if (has(sample_bit::ip)) body.u64(values.ip);
    if (has(sample_bit::tid)) body.u32(values.pid).u32(values.tid);
    if (has(sample_bit::time)) body.u64(values.time);
    if (has(sample_bit::addr)) body.u64(values.addr);
    if (has(sample_bit::id)) body.u64(values.id);
    if (has(sample_bit::stream_id)) body.u64(values.stream_id);
    if (has(sample_bit::cpu)) body.u32(values.cpu).u32(0xdddddddd);
    if (has(sample_bit::period)) body.u64(values.period);
    return record(RecordType::sample, frame, body.bytes(variable).take());
}

Blob trailer(std::endian order, std::uint64_t sample_type, const SampleValues& values) {
    const auto has = [&](std::uint64_t bit) { return (sample_type & bit) != 0; };
    Writer out(order);
    if (has(sample_bit::tid)) out.u32(values.pid).u32(values.tid);
    if (has(sample_bit::time)) out.u64(values.time);
    if (has(sample_bit::id)) out.u64(values.id);
    if (has(sample_bit::stream_id)) out.u64(values.stream_id);
    if (has(sample_bit::cpu)) out.u32(values.cpu).u32(0xdddddddd);
    if (has(sample_bit::identifier)) out.u64(values.identifier);
    return out.take();
}

}  // namespace perfdata::test
