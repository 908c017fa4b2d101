// SPDX-License-Identifier: MIT
// Fuzz target: an attr, made from the first bytes, and records of its event. A second decoder reads samples and
// trailers word by word in the order in which the kernel writes them, and must agree.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "perfdata/wire/record/all.hpp"
#include "perfdata/wire/trailer.hpp"

#include "field_reader.hpp"

namespace {

using namespace perfdata;
using fuzz::require;
namespace bit = sample_bit;

Attr read_attr(fuzz::Choices& choices) {
    Attr attr;
    attr.sample_type = choices.u32() & 0x1ffffff;
    attr.read_format = choices.u8() & 0x1f;
    attr.branch_sample_type = choices.u32();
    attr.sample_regs_user = choices.u64();
    attr.sample_regs_intr = choices.u64();
    attr.sample_period = 4000;
    const std::uint64_t flags = choices.u8();
    attr.flags = (flags & 1) << 18 | (flags >> 1 & 1) << 10;  // sample_id_all, freq
    return attr;
}

// Naive reads a sample's words one after the other; `lost` means that none was left.
class Naive {
  public:
    Naive(Bytes bytes, AnyOrder order, const Attr& attr) : bytes_(bytes), order_(order), attr_(attr) {}

    std::optional<std::uint64_t> word(std::uint64_t one) {
        if (!attr_.has(one)) return {};
        return u64();
    }
    // parts(has_index, counters) returns where the sample ends under these assumptions; empty if it is too short.
    std::optional<std::size_t> parts(bool has_index, bool counters) {
        if (attr_.has(bit::read)) read_values();
        if (attr_.has(bit::callchain)) skip(u64(), 8);
        if (attr_.has(bit::raw)) skip(u32(), 1);
        if (attr_.has(bit::branch_stack)) {
            const auto count = u64();
            if ((attr_.branch_sample_type >> 17 & 1) != 0 && (count != 0 || has_index)) skip(8, 1);
            skip(count, counters ? 32 : 24);
        }
        if (attr_.has(bit::regs_user) && u64() != 0) skip(bits(attr_.sample_regs_user), 8);
        if (attr_.has(bit::stack_user)) {
            const auto size = u64();
            skip(size, 1);
            if (size != 0) skip(8, 1);
        }
        if (attr_.has(bit::weight | bit::weight_struct)) skip(8, 1);
        if (attr_.has(bit::data_src)) skip(8, 1);
        if (attr_.has(bit::transaction)) skip(8, 1);
        if (attr_.has(bit::regs_intr) && u64() != 0) skip(bits(attr_.sample_regs_intr), 8);
        for (const auto word : {bit::phys_addr, bit::cgroup, bit::data_page_size, bit::code_page_size}) {
            if (attr_.has(word)) skip(8, 1);
        }
        if (attr_.has(bit::aux)) skip(u64(), 1);
        if (lost) return {};
        return at_;
    }

    bool lost = false;

  private:
    void read_values() {
        const auto format = attr_.read_format;
        const auto of = [&](std::uint64_t one) -> std::uint64_t { return (format & one) != 0 ? 1 : 0; };
        const auto count = of(8) != 0 ? u64() : 1;
        skip(of(1) + of(2), 8);
        skip(count, static_cast<std::size_t>(8 + 8 * of(4) + 8 * of(16)));
    }
    static std::uint64_t bits(std::uint64_t mask) {
        std::uint64_t count = 0;
        for (; mask != 0; mask &= mask - 1) ++count;
        return count;
    }
    void skip(std::uint64_t count, std::size_t size) {
        if (lost || count > (bytes_.size() - at_) / size) {
            lost = true;
        } else {
            at_ += static_cast<std::size_t>(count) * size;
        }
    }
    std::uint64_t u64() { return number<std::uint64_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    template <class T>
    T number() {
        const auto at = at_;
        skip(1, sizeof(T));
        return lost ? 0 : order_.load<T>(bytes_.data() + at);
    }

    Bytes bytes_;
    AnyOrder order_;
    const Attr& attr_;
    std::size_t at_ = RecordHeader::bytes;
};

template <class Order>
void check_fixed(const BasicSample<Order>& sample, Naive& naive, const Attr& attr) {
    const auto identifier_word = naive.word(bit::identifier);
    const auto same = [](const auto& field, std::optional<std::uint64_t> word) {
        require(field.has_value() == word.has_value());
        if constexpr (requires { field->value; }) {
            if (word) require(field->value == *word);
        }
    };
    same(sample.ip(), naive.word(bit::ip));
    const auto ids = naive.word(bit::tid);
    require(sample.pid().has_value() == ids.has_value() && sample.tid().has_value() == ids.has_value());
    const auto at = naive.word(bit::time);
    require(sample.time().has_value() == at.has_value() && (!at || sample.time()->nanoseconds == *at));
    same(sample.addr(), naive.word(bit::addr));
    const auto id_word = naive.word(bit::id);
    same(sample.id(), identifier_word ? identifier_word : id_word);
    require(sample.stream_id() == naive.word(bit::stream_id));
    require(!sample.cpu() || attr.has(bit::cpu));
    (void)naive.word(bit::cpu);
    const auto period_word = naive.word(bit::period);
    require(sample.period() == period_word.value_or(attr.freq() ? 1 : attr.sample_period));
}

template <class Order>
void check_sample(const RecordView& record, const Attr& attr, const SampleLayout& layout, Order order) {
    const auto& bytes = record.bytes;
    Naive naive(bytes, record.order, attr);
    if (bytes.size() < layout.variable_offset()) {
        require(!layout.fits(bytes.data(), bytes.size(), order));
        return;
    }
    const BasicSample<Order> sample(bytes.data(), layout, order);
    check_fixed(sample, naive, attr);
    const auto details = sample.details();
    const auto& parts = details.parts();
    require(parts.end <= bytes.size());
    require(parts.overrun.has_value() != layout.fits(bytes.data(), bytes.size(), order));
    const bool asked_for_counters = (attr.branch_sample_type >> 19 & 1) != 0;
    bool exact = false;
    for (const bool has_index : {false, true}) {
        for (const bool counters : {false, true}) {
            auto copy = naive;
            const auto end = copy.parts(has_index, counters);
            exact = exact || (end == bytes.size() &&
                              (attr.has(bit::branch_stack) || (!has_index && counters == asked_for_counters)));
            const bool taken =
                parts.reading.empty_branch_stack_has_hw_index == has_index && parts.reading.branch_counters == counters;
            if (taken) require(end ? !parts.overrun && parts.end == *end : parts.overrun.has_value());
        }
    }
    // The right reading is the one that ends at the record's end.
    if (exact) require(parts.end == bytes.size() && !parts.overrun);
    if (parts.overrun) return;
    fuzz::Touched touched;
    for (const auto registers : {RegisterSet::unknown, register_set("x86_64"), register_set("aarch64")}) {
        sample_fields(sample, registers, fuzz::FieldReader(touched));
    }
}

void check_trailer(const RecordView& record, const Attr& attr, const TrailerLayout& layout) {
    const auto size = record.bytes.size();
    if (!attr.sample_id_all()) return require(layout.size() == 0);
    std::size_t back = 0;
    const auto word = [&](std::uint64_t one) -> std::optional<std::uint64_t> {
        if (!attr.has(one)) return {};
        back += 8;
        if (back > size) return 0;
        return record.order.load<std::uint64_t>(record.bytes.data() + size - back);
    };
    const auto identifier_word = word(bit::identifier);
    const auto cpu_word = word(bit::cpu);
    const auto stream_word = word(bit::stream_id);
    const auto id_word = word(bit::id);
    const auto time_word = word(bit::time);
    const auto tid_word = word(bit::tid);
    require(layout.size() == back);
    if (back > size) return;
    const auto trailer = layout.read(record);
    require(trailer.cpu.has_value() == cpu_word.has_value() && trailer.tid.has_value() == tid_word.has_value());
    require(trailer.stream_id == stream_word);
    require(trailer.time.has_value() == time_word.has_value());
    if (time_word) require(trailer.time->nanoseconds == *time_word);
    const auto either = identifier_word ? identifier_word : id_word;
    require(trailer.id.has_value() == either.has_value() && (!either || trailer.id->value == *either));
}

void check_record(const RecordView& record, const Attr& attr) {
    const auto trailer = TrailerLayout::compile(attr);
    check_trailer(record, attr, trailer);
    fuzz::Touched touched;
    visit_record_type(record.type(), [&]<class R>() {
        const auto size = R::type < RecordType::header_attr ? trailer.size() : 0;
        if (record.bytes.size() < R::min_bytes + size) return;
        const auto decoded = decode_record<R>(record, size, attr.read_format);
        if (decoded) {
            decoded->fields(fuzz::FieldReader(touched));
        } else {
            require(!decoded.error().message().empty());
        }
    });
    if (record.type() != RecordType::sample) return;
    const auto layout = SampleLayout::compile(attr);
    check_sample(record, attr, layout, record.order);
    if (record.order.endian() == std::endian::little) {
        check_sample(record, attr, layout, FixedOrder<std::endian::little>{});
    } else {
        check_sample(record, attr, layout, FixedOrder<std::endian::big>{});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const AnyOrder order((choices.u8() & 1) != 0 ? std::endian::big : std::endian::little);
    const auto attr = read_attr(choices);
    for (auto rest = choices.rest(); rest.size() >= RecordHeader::bytes;) {
        const auto claimed = RecordHeader::load(rest.data(), order).size;
        if (claimed < RecordHeader::bytes || claimed > rest.size()) break;
        // A separate copy, to detect reads beyond its end.
        const auto copy = std::make_unique<std::byte[]>(claimed);
        std::ranges::copy(rest.first(claimed), copy.get());
        check_record({Bytes(copy.get(), claimed), order, 0}, attr);
        rest = rest.subspan(claimed);
    }
    return 0;
}
