// SPDX-License-Identifier: MIT
#include "support/sketch.hpp"

namespace perfdata::test {

Sketch::Sketch(std::uint64_t sample_type, std::vector<std::uint64_t> ids)
    : attr_(sampling_attr(sample_type)), ids_(std::move(ids)) {
    feature(Feature::arch, feature_string(order, "x86_64"));
    // Without any record, a recording counts as interrupted and has no features.
    record(RecordType::finished_init, {});
}

Sketch& Sketch::add(const Blob& bytes) {
    records_.insert(records_.end(), bytes.begin(), bytes.end());
    return *this;
}

Sketch& Sketch::record(RecordType type, const Blob& body, std::uint16_t misc) {
    return add(test::record(type, {.order = order, .trailer = {}, .misc = misc}, body));
}

Sketch& Sketch::kernel_record(RecordType type, const Blob& body, std::uint64_t time, std::uint32_t pid,
                              std::uint16_t misc) {
    return record(type, joined({body, Writer(order).u32(pid).u32(pid).u64(time).take()}), misc);
}

Sketch& Sketch::comm(std::uint32_t pid, std::uint64_t time, std::string_view name, bool exec) {
    return kernel_record(RecordType::comm, Writer(order).u32(pid).u32(pid).padded_text(name).take(), time, pid,
                         exec ? 1u << 13 : 0);
}

Sketch& Sketch::fork(std::uint32_t pid, std::uint32_t parent, std::uint64_t time) {
    const auto body = Writer(order).u32(pid).u32(parent).u32(pid).u32(parent).u64(time).take();
    return kernel_record(RecordType::fork, body, time, parent);
}

Sketch& Sketch::exit(std::uint32_t pid, std::uint64_t time) {
    const auto body = Writer(order).u32(pid).u32(pid).u32(pid).u32(pid).u64(time).take();
    return kernel_record(RecordType::exit, body, time, pid);
}

Sketch& Sketch::mmap(std::uint32_t pid, std::uint64_t start, std::uint64_t size, std::string_view name,
                     std::uint64_t time) {
    const auto body = Writer(order).u32(pid).u32(pid).u64(start).u64(size).u64(0).padded_text(name).take();
    return kernel_record(RecordType::mmap, body, time, pid, user);
}

Sketch& Sketch::symbol(std::uint64_t start, std::uint32_t size, std::string_view name, std::uint64_t time,
                       std::uint16_t flags) {
    return kernel_record(RecordType::ksymbol,
                         Writer(order).u64(start).u32(size).u16(1).u16(flags).padded_text(name).take(), time);
}

Sketch& Sketch::bpf(BpfEvent::Kind kind, std::uint32_t program, std::uint64_t tag, std::uint64_t time) {
    Writer body(order);
    body.u16(static_cast<std::uint16_t>(kind)).u16(0).u32(program).u64(tag);
    return kernel_record(RecordType::bpf_event, body.take(), time);
}

Sketch& Sketch::poke(std::uint64_t address, std::string_view before, std::string_view after, std::uint64_t time) {
    Writer body(order);
    body.u64(address).u16(static_cast<std::uint16_t>(before.size())).u16(static_cast<std::uint16_t>(after.size()));
    return kernel_record(RecordType::text_poke, body.text(before).text(after).align(8).take(), time, 1, kernel);
}

Sketch& Sketch::sample(std::uint64_t ip, std::uint32_t pid, std::uint64_t time, std::uint16_t mode) {
    return record(RecordType::sample, Writer(order).u64(ip).u32(pid).u32(pid).u64(time).take(), mode);
}

Sketch& Sketch::chain(std::uint64_t ip, std::uint32_t pid, std::uint64_t time, std::span<const std::uint64_t> frames,
                      std::uint16_t mode) {
    Writer body(order);
    body.u64(ip).u32(pid).u32(pid).u64(time).u64(frames.size());
    return record(RecordType::sample, body.bytes(words(frames)).take(), mode);
}

Sketch& Sketch::feature(Feature number, Blob payload) {
    features_.emplace_back(number, std::move(payload));
    return *this;
}

Blob Sketch::build() const {
    RecordingBuilder builder(order);
    builder.event(attr_, ids_).add(records_);
    for (const auto& [number, payload] : features_) builder.feature(number, payload);
    return builder.build();
}

Blob words(std::span<const std::uint64_t> values) {
    Writer out(Sketch::order);
    for (const auto value : values) out.u64(value);
    return out.take();
}

}  // namespace perfdata::test
