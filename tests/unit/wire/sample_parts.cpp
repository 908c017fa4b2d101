// SPDX-License-Identifier: MIT
// Samples with every set of parts: the decoder returns what was written, and uses up the record.
#include <algorithm>

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/samples.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr unsigned sample_bits = 25;

// Comparison collects the names of differing fields, for one check per sample.
class Comparison {
  public:
    template <class T>
    void field(std::string_view name, bool present, const std::optional<T>& got, const T& want) {
        if (present != got.has_value() || (present && !(*got == want))) differ(name);
    }
    void require(std::string_view name, bool equal) {
        if (!equal) differ(name);
    }
    const std::string& differences() const { return differences_; }

  private:
    void differ(std::string_view name) { differences_ += std::string(name) + " "; }

    std::string differences_;
};

template <class Words>
bool same_words(const Words& got, const std::vector<std::uint64_t>& want) {
    return std::vector<std::uint64_t>(got.begin(), got.end()) == want;
}

bool same_bytes(Bytes got, Bytes want) {
    return std::ranges::equal(got, want);
}

template <class Order>
void compare_fixed(Comparison& compare, const BasicSample<Order>& got, const Attr& attr, const SampleValues& want) {
    const auto has = [&](std::uint64_t bits) { return attr.has(bits); };
    compare.field("ip", has(sample_bit::ip), got.ip(), Address{want.ip});
    compare.field("pid", has(sample_bit::tid), got.pid(), Pid{want.pid});
    compare.field("tid", has(sample_bit::tid), got.tid(), Tid{want.tid});
    compare.field("time", has(sample_bit::time), got.time(), Time{want.time});
    compare.field("addr", has(sample_bit::addr), got.addr(), Address{want.addr});
    const auto id = has(sample_bit::identifier) ? want.identifier : want.id;
    compare.field("id", has(sample_bit::identifier | sample_bit::id), got.id(), EventId{id});
    compare.field("stream_id", has(sample_bit::stream_id), got.stream_id(), want.stream_id);
    compare.field("cpu", has(sample_bit::cpu), got.cpu(), want.cpu);
    compare.require("period", got.period() == (has(sample_bit::period) ? want.period : attr.sample_period));
}

template <class Order>
void compare_read(Comparison& compare, const std::optional<ReadValues<Order>>& got, const Attr& attr,
                  const SampleContent& want) {
    const auto has = [&](std::uint64_t bit) { return (attr.read_format & bit) != 0; };
    compare.require("read", got.has_value() == attr.has(sample_bit::read));
    if (!got) return;
    compare.field("time_enabled", has(1), got->time_enabled(), want.time_enabled);
    compare.field("time_running", has(2), got->time_running(), want.time_running);
    compare.require("read size", got->size() == want.counters.size());
    for (std::size_t index = 0; index < std::min(got->size(), want.counters.size()); ++index) {
        const auto one = (*got)[index];
        compare.require("read value", one.value == want.counters[index].value);
        compare.field("read id", has(4), one.id, EventId{want.counters[index].id});
        compare.field("read lost", has(16), one.lost, want.counters[index].lost);
    }
}

bool same_branch(const BranchEntry& got, const BranchEntry& want) {
    return got.from == want.from && got.to == want.to && got.mispredicted == want.mispredicted &&
           got.predicted == want.predicted && got.in_transaction == want.in_transaction &&
           got.aborted == want.aborted && got.cycles == want.cycles && got.type == want.type &&
           got.speculation == want.speculation && got.new_type == want.new_type && got.privilege == want.privilege;
}

template <class Order>
void compare_branches(Comparison& compare, const std::optional<BranchStack<Order>>& got, const Attr& attr,
                      const SampleContent& want) {
    compare.require("branch_stack", got.has_value() == attr.has(sample_bit::branch_stack));
    if (!got) return;
    const bool has_index = (attr.branch_sample_type >> 17 & 1) != 0 && (!want.branches.empty() || want.has_hw_index);
    compare.field("hw_index", has_index, got->hw_index(), want.hw_index);
    compare.require("branches", got->size() == want.branches.size());
    for (std::size_t index = 0; index < std::min(got->size(), want.branches.size()); ++index) {
        compare.require("branch", same_branch((*got)[index], want.branches[index]));
        compare.field("branch counters", want.has_branch_counters, got->counters(index), want.branch_counters[index]);
    }
}

template <class Order>
void compare_registers(Comparison& compare, std::string_view name, bool present,
                       const std::optional<Registers<Order>>& got, std::uint64_t mask,
                       const SampleContent::Registers& want) {
    compare.require(name, got.has_value() == present);
    if (!got) return;
    compare.require(name, got->abi() == want.abi && got->mask() == mask);
    compare.require(name, same_words(got->values(), want.abi == 0 ? std::vector<std::uint64_t>{} : want.values));
    std::size_t index = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
        const bool recorded = want.abi != 0 && (mask >> bit & 1) != 0;
        compare.field(name, recorded, got->value(bit), recorded ? want.values[index++] : 0);
    }
}

template <class Order>
void compare_details(Comparison& compare, const BasicSample<Order>& got, const Attr& attr, const SampleContent& want) {
    const auto has = [&](std::uint64_t bits) { return attr.has(bits); };
    const auto details = got.details();
    compare_read(compare, details.read(), attr, want);
    for (const auto& chain : {got.callchain(), details.callchain()}) {
        compare.require("callchain", chain.has_value() == has(sample_bit::callchain));
        compare.require("callchain", !chain || same_words(*chain, want.callchain));
    }
    compare.require("raw", details.raw().has_value() == has(sample_bit::raw));
    compare.require("raw", !details.raw() || same_bytes(*details.raw(), want.raw));
    compare_branches(compare, details.branch_stack(), attr, want);
    compare_registers(compare, "regs_user", has(sample_bit::regs_user), details.user_registers(), attr.sample_regs_user,
                      want.user_registers);
    compare_registers(compare, "regs_intr", has(sample_bit::regs_intr), details.interrupt_registers(),
                      attr.sample_regs_intr, want.interrupt_registers);
    const auto stack = details.user_stack();
    compare.require("stack", stack.has_value() == has(sample_bit::stack_user));
    if (stack) {
        compare.require("stack size", stack->asked_for == want.stack.size());
        compare.require("stack", same_bytes(stack->bytes, Bytes(want.stack).first(want.stack_copied)));
    }
    const auto weight = details.weight();
    compare.require("weight", weight.has_value() == has(sample_bit::weight | sample_bit::weight_struct));
    if (weight && weight->is_struct) {
        compare.require("weights", weight->first() == want.weight_1 && weight->second() == want.weight_2 &&
                                       weight->third() == want.weight_3);
    } else if (weight) {
        compare.require("weight", weight->word == (want.weight_1 | std::uint64_t{want.weight_2} << 32));
    }
    compare.require("weight kind", !weight || weight->is_struct == has(sample_bit::weight_struct));
    const auto source = details.data_source();
    compare.require("data_src", source.has_value() == has(sample_bit::data_src));
    compare.require("data_src", !source || source->word == want.data_source);
    compare.field("transaction", has(sample_bit::transaction), details.transaction(), want.transaction);
    compare.field("phys_addr", has(sample_bit::phys_addr), details.physical_address(), Address{want.physical_address});
    compare.field("cgroup", has(sample_bit::cgroup), details.cgroup(), want.cgroup);
    compare.field("data_page_size", has(sample_bit::data_page_size), details.data_page_size(), want.data_page);
    compare.field("code_page_size", has(sample_bit::code_page_size), details.code_page_size(), want.code_page);
    compare.require("aux", details.aux().has_value() == has(sample_bit::aux));
    compare.require("aux", !details.aux() || same_bytes(*details.aux(), want.aux));
}

// differences(order, attr, content) writes the sample, reads it, and names the differing fields.
template <class Order>
std::string differences(Order order, const Attr& attr, const SampleContent& content) {
    auto blob = encode(order.endian(), attr, content);
    blob.shrink_to_fit();
    const auto layout = SampleLayout::compile(attr);
    Comparison compare;
    compare.require("minimum size", layout.variable_offset() <= blob.size());
    const BasicSample<Order> got(blob.data(), layout, order);
    const auto parts = got.details().parts();
    compare.require("end", parts.end == blob.size() && !parts.overrun);
    compare_fixed(compare, got, attr, content.fixed);
    compare_details(compare, got, attr, content);
    return compare.differences();
}

void check_both_orders(const Attr& attr, const SampleContent& content) {
    CAPTURE(attr.sample_type, attr.read_format, attr.branch_sample_type, content.has_hw_index,
            content.has_branch_counters, content.branches.size());
    CHECK(differences(FixedOrder<std::endian::little>{}, attr, content).empty());
    CHECK(differences(FixedOrder<std::endian::big>{}, attr, content).empty());
    CHECK(differences(AnyOrder(std::endian::big), attr, content).empty());
}

}  // namespace

TEST_CASE("A sample of any one part gives it back", "[wire][sample_parts]") {
    Random random(1);
    for (unsigned bit = 0; bit < sample_bits; ++bit) {
        for (int round = 0; round < 8; ++round) {
            const auto attr = random_attr(random, std::uint64_t{1} << bit);
            check_both_orders(attr, random_content(random, attr));
        }
    }
}

TEST_CASE("A sample of any two parts gives both back", "[wire][sample_parts]") {
    Random random(2);
    for (unsigned first = 0; first < sample_bits; ++first) {
        for (unsigned second = first + 1; second < sample_bits; ++second) {
            const auto type = std::uint64_t{1} << first | std::uint64_t{1} << second;
            if (type == (sample_bit::weight | sample_bit::weight_struct)) continue;  // the kernel refuses both
            const auto attr = random_attr(random, type);
            check_both_orders(attr, random_content(random, attr));
        }
    }
}

TEST_CASE("A sample of any set of parts gives all of them back", "[wire][sample_parts]") {
    Random random(3);
    for (int round = 0; round < 400; ++round) {
        const auto attr = random_attr(random, random_sample_type(random));
        check_both_orders(attr, random_content(random, attr));
    }
}

TEST_CASE("Counter values of every read_format are read, alone and in front of other parts", "[wire][sample_parts]") {
    Random random(4);
    for (std::uint64_t format = 0; format < 32; ++format) {
        for (const auto others : {std::uint64_t{0}, sample_bit::ip | sample_bit::callchain | sample_bit::aux}) {
            auto attr = random_attr(random, sample_bit::read | others);
            attr.read_format = format;
            check_both_orders(attr, random_content(random, attr));
        }
    }
}

TEST_CASE("An event of a group whose leader has branch counters has them, too", "[wire][sample_parts]") {
    Random random(5);
    for (int round = 0; round < 100; ++round) {
        // Parts follow the stack whose sizes a wrong reading would take from the counters.
        auto attr = random_attr(random, sample_bit::branch_stack | (random_sample_type(random) & ~sample_bit::raw));
        if (attr.has(sample_bit::weight)) attr.sample_type &= ~sample_bit::weight_struct;
        auto content = random_content(random, attr);
        content.has_branch_counters = (attr.branch_sample_type >> 19 & 1) == 0;  // not as the attr says
        if (content.branches.empty()) continue;
        check_both_orders(attr, content);
    }
}

TEST_CASE("The period without PERIOD is the attr's, or one where the attr has a frequency", "[wire][sample_parts]") {
    Random random(6);
    auto attr = random_attr(random, sample_bit::ip | sample_bit::raw);
    attr.flags |= attr_flag::freq;
    const auto content = random_content(random, attr);
    const auto blob = encode(std::endian::little, attr, content);
    const auto layout = SampleLayout::compile(attr);
    CHECK(Sample(blob.data(), layout, AnyOrder(std::endian::little)).period() == 1);
}

TEST_CASE("A part that claims more than the record has is named, those before it are read", "[wire][sample_parts]") {
    Random random(7);
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const auto type =
        sample_bit::ip | sample_bit::callchain | sample_bit::raw | sample_bit::stack_user | sample_bit::aux;
    const auto attr = random_attr(random, type);
    const auto content = random_content(random, attr);
    const auto whole = encode(order, attr, content);
    const auto layout = SampleLayout::compile(attr);
    for (auto size = layout.variable_offset(); size < whole.size(); size += 8) {
        CAPTURE(size);
        auto cut = Blob(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        cut = patched(cut, order, 6, static_cast<std::uint16_t>(size));
        cut.shrink_to_fit();
        const Sample got(cut.data(), layout, AnyOrder(order));
        const auto details = got.details();
        REQUIRE(details.parts().overrun);
        CHECK_FALSE(details.parts().has(*details.parts().overrun));
        CHECK(details.parts().end <= size);
        CHECK(got.ip() == Address{content.fixed.ip});
        if (const auto chain = details.callchain()) CHECK(same_words(*chain, content.callchain));
        CHECK_FALSE(details.aux());
    }
}
