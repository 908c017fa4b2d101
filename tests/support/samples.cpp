// SPDX-License-Identifier: MIT
#include "support/samples.hpp"

#include <bit>

#include "support/attr.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t read_enabled = 1, read_running = 2, read_id = 4, read_group = 8, read_lost = 16;
constexpr std::uint64_t hw_index_bit = 1u << 17, counters_bit = 1u << 19;

std::vector<std::uint64_t> random_words(Random& random, std::size_t count) {
    std::vector<std::uint64_t> words;
    for (std::size_t index = 0; index < count; ++index) words.push_back(random.u64());
    return words;
}

SampleContent::Registers random_registers(Random& random, std::uint64_t mask) {
    return {random.below(3), random_words(random, static_cast<std::size_t>(std::popcount(mask)))};
}

BranchEntry random_branch(Random& random) {
    BranchEntry entry;
    entry.from = {random.u64()};
    entry.to = {random.u64()};
    entry.mispredicted = random.one_in(2);
    entry.predicted = random.one_in(2);
    entry.in_transaction = random.one_in(2);
    entry.aborted = random.one_in(2);
    entry.cycles = random.u16();
    entry.type = static_cast<std::uint8_t>(random.below(16));
    entry.speculation = static_cast<std::uint8_t>(random.below(4));
    entry.new_type = static_cast<std::uint8_t>(random.below(16));
    entry.privilege = static_cast<std::uint8_t>(random.below(8));
    return entry;
}

void write_read(Writer& out, std::uint64_t format, const SampleContent& content) {
    const auto has = [&](std::uint64_t bit) { return (format & bit) != 0; };
    const auto tail = [&](const SampleContent::Counter& counter) {
        if (has(read_id)) out.u64(counter.id);
        if (has(read_lost)) out.u64(counter.lost);
    };
    out.u64(has(read_group) ? content.counters.size() : content.counters.at(0).value);
    if (has(read_enabled)) out.u64(content.time_enabled);
    if (has(read_running)) out.u64(content.time_running);
    if (!has(read_group)) return tail(content.counters.at(0));
    for (const auto& counter : content.counters) {
        out.u64(counter.value);
        tail(counter);
    }
}

// Returns the bit-fields of struct perf_branch_entry as a C compiler of that order lays them out.
std::uint64_t branch_flags(std::endian order, const BranchEntry& entry) {
    std::uint64_t word = 0;
    unsigned used = 0;
    const auto field = [&](std::uint64_t value, unsigned width) {
        word |= value << (order == std::endian::little ? used : 64 - used - width);
        used += width;
    };
    field(entry.mispredicted ? 1 : 0, 1);
    field(entry.predicted ? 1 : 0, 1);
    field(entry.in_transaction ? 1 : 0, 1);
    field(entry.aborted ? 1 : 0, 1);
    field(entry.cycles, 16);
    field(entry.type, 4);
    field(entry.speculation, 2);
    field(entry.new_type, 4);
    field(entry.privilege, 3);
    return word;
}

void write_branches(Writer& out, std::uint64_t branch_type, const SampleContent& content) {
    out.u64(content.branches.size());
    const bool may_lack = content.branches.empty();
    if ((branch_type & hw_index_bit) != 0 && (!may_lack || content.has_hw_index)) out.u64(content.hw_index);
    for (const auto& entry : content.branches) {
        out.u64(entry.from.value).u64(entry.to.value).u64(branch_flags(out.order(), entry));
    }
    if (!content.has_branch_counters) return;
    for (const auto word : content.branch_counters) out.u64(word);
}

void write_registers(Writer& out, const SampleContent::Registers& registers) {
    out.u64(registers.abi);
    if (registers.abi == 0) return;
    for (const auto value : registers.values) out.u64(value);
}

// union perf_sample_weight: big-endian reverses the order of its members.
void write_weights(Writer& out, const SampleContent& content) {
    if (out.order() == std::endian::little) {
        out.u32(content.weight_1).u16(content.weight_2).u16(content.weight_3);
    } else {
        out.u16(content.weight_3).u16(content.weight_2).u32(content.weight_1);
    }
}

}  // namespace

std::uint64_t random_sample_type(Random& random) {
    auto type = random.u64() & ((std::uint64_t{1} << 25) - 1);
    if (random.one_in(2)) type &= random.u64();
    if ((type & sample_bit::weight) != 0) type &= ~sample_bit::weight_struct;
    return type;
}

Attr random_attr(Random& random, std::uint64_t sample_type) {
    auto attr = sampling_attr(sample_type);
    attr.sample_period = random.u64();
    attr.read_format = random.below(32);
    attr.branch_sample_type = random.u64() & ((1u << 20) - 1);
    attr.sample_regs_user = random.u64() & random.u64();
    attr.sample_regs_intr = random.u64() & random.u64();
    attr.sample_stack_user = 512;
    return attr;
}

SampleContent random_content(Random& random, const Attr& attr) {
    SampleContent content;
    auto& fixed = content.fixed;
    fixed.identifier = random.u64();
    fixed.ip = random.u64();
    fixed.pid = random.u32();
    fixed.tid = random.u32();
    fixed.time = random.u64();
    fixed.addr = random.u64();
    fixed.id = random.u64();
    fixed.stream_id = random.u64();
    fixed.cpu = random.u32() >> 1;
    fixed.period = random.u64();
    content.time_enabled = random.u64();
    content.time_running = random.u64();
    const std::size_t counters = (attr.read_format & read_group) != 0 ? random.size(5) : 1;
    for (std::size_t index = 0; index < counters; ++index) {
        content.counters.push_back({random.u64(), random.u64(), random.u64()});
    }
    content.callchain = random_words(random, random.size(130));
    content.raw = random.bytes(4 + 8 * random.size(40));
    for (auto left = random.one_in(3) ? 0 : random.size(33); left != 0; --left) {
        content.branches.push_back(random_branch(random));
    }
    content.hw_index = random.u64();
    content.has_hw_index = random.one_in(2);
    content.branch_counters = random_words(random, content.branches.size());
    content.has_branch_counters = (attr.branch_sample_type & counters_bit) != 0;
    content.user_registers = random_registers(random, attr.sample_regs_user);
    content.interrupt_registers = random_registers(random, attr.sample_regs_intr);
    if (!random.one_in(4)) content.stack = random.bytes(8 * random.size(1024));
    content.stack_copied = random.below(content.stack.size() + 1);
    content.weight_1 = random.u32();
    content.weight_2 = random.u16();
    content.weight_3 = random.u16();
    content.data_source = random.u64();
    content.transaction = random.u64();
    content.physical_address = random.u64();
    content.cgroup = random.u64();
    content.data_page = random.u64();
    content.code_page = random.u64();
    content.aux = random.bytes(8 * random.size(512));
    return content;
}

Blob encode(std::endian order, const Attr& attr, const SampleContent& content, std::uint16_t misc) {
    const auto has = [&](std::uint64_t bits) { return (attr.sample_type & bits) != 0; };
    Writer out(order);
    if (has(sample_bit::read)) write_read(out, attr.read_format, content);
    if (has(sample_bit::callchain)) {
        out.u64(content.callchain.size());
        for (const auto value : content.callchain) out.u64(value);
    }
    if (has(sample_bit::raw)) out.u32(static_cast<std::uint32_t>(content.raw.size())).bytes(content.raw);
    if (has(sample_bit::branch_stack)) write_branches(out, attr.branch_sample_type, content);
    if (has(sample_bit::regs_user)) write_registers(out, content.user_registers);
    if (has(sample_bit::stack_user)) {
        out.u64(content.stack.size());
        if (!content.stack.empty()) out.bytes(content.stack).u64(content.stack_copied);
    }
    if (has(sample_bit::weight)) out.u64(content.weight_1 | std::uint64_t{content.weight_2} << 32);
    if (has(sample_bit::weight_struct)) write_weights(out, content);
    if (has(sample_bit::data_src)) out.u64(content.data_source);
    if (has(sample_bit::transaction)) out.u64(content.transaction);
    if (has(sample_bit::regs_intr)) write_registers(out, content.interrupt_registers);
    if (has(sample_bit::phys_addr)) out.u64(content.physical_address);
    if (has(sample_bit::cgroup)) out.u64(content.cgroup);
    if (has(sample_bit::data_page_size)) out.u64(content.data_page);
    if (has(sample_bit::code_page_size)) out.u64(content.code_page);
    if (has(sample_bit::aux)) out.u64(content.aux.size()).bytes(content.aux);
    return sample(attr.sample_type, content.fixed, {.order = order, .trailer = {}, .misc = misc}, out.blob());
}

}  // namespace perfdata::test
