// SPDX-License-Identifier: MIT
// Reading without copies of stacks, against reading all.
#include <algorithm>
#include <memory>

#include "perfdata/recording/event_table.hpp"
#include "perfdata/recording/ordered_stream.hpp"
#include "perfdata/recording/record_stream.hpp"
#include "perfdata/wire/sample.hpp"

#include "catch.hpp"
#include "support/attr.hpp"
#include "support/build.hpp"
#include "support/files.hpp"
#include "support/samples.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// Counted is a file that counts the bytes read, and may be shorter than it was.
class CountedSource final : public Source {
  public:
    CountedSource(Blob bytes, std::size_t there) : bytes_(std::move(bytes)), there_(there) {}

    std::uint64_t size() const override { return bytes_.size(); }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        const auto at = std::min<std::size_t>(static_cast<std::size_t>(offset), there_);
        const auto count = std::min(out.size(), there_ - at);
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), count, out.begin());
        read_ += count;
        return count;
    }
    std::uint64_t read() const { return read_; }

  private:
    Blob bytes_;
    std::size_t there_;
    mutable std::uint64_t read_ = 0;
};

// SparseInput is the records of one event, samples with stacks above all.
struct SparseInput {
    std::endian order;
    EventTable events;
    Blob records;
};

SparseInput random_input(Random& random, std::uint64_t type, std::size_t count, std::size_t stack, bool even = false) {
    const auto order = random.one_in(2) ? std::endian::little : std::endian::big;
    const auto attr = random_attr(random, type);
    Event event;
    event.attr = attr;
    SparseInput input{order, EventTable({event}), {}};
    const auto add = [&](const Blob& blob) { input.records.insert(input.records.end(), blob.begin(), blob.end()); };
    while (count-- != 0) {
        auto content = random_content(random, attr);
        if (!random.one_in(8)) content.stack = random.bytes(stack / 2 + 8 * random.size(stack / 16 + 1));
        if (even) content.stack = Blob(stack, std::byte{1});
        content.stack_copied = random.below(content.stack.size() + 1);
        add(encode(order, attr, content));
        for (auto others = random.size(4); others != 0; --others) {
            add(encode(Lost{EventId{5}, others}, RecordFrame{order, random.bytes(8 * random.size(5)), 0}));
        }
    }
    return input;
}

// Returns the bytes of a record without the copy of the stack, if it is a sample that has one.
Blob without_stack(const RecordView& record, const EventTable& events) {
    Blob rest(record.bytes.begin(), record.bytes.end());
    const auto& layout = events.layout(0);
    if (record.type() != RecordType::sample || !layout.fits(rest.data(), rest.size(), record.order)) return rest;
    const auto parts = sample_parts(rest.data(), rest.size(), layout.variable_offset(), layout.shape(), record.order);
    if (!parts.has(SamplePart::stack_user)) return rest;
    const auto begin = static_cast<std::ptrdiff_t>(parts.begin_of(SamplePart::stack_user) + 8);
    const auto size = record.order.load<std::uint64_t>(rest.data() + begin - 8);
    rest.erase(rest.begin() + begin, rest.begin() + begin + static_cast<std::ptrdiff_t>(size));
    return rest;
}

// Returns how many bytes reading without stacks read, for each byte of the input.
double compare(const SparseInput& input, std::size_t there) {
    const auto all = std::make_shared<CountedSource>(input.records, there);
    const auto some = std::make_shared<CountedSource>(input.records, there);
    RecordStreamOptions options{.order = AnyOrder(input.order)};
    RecordStream whole({{all, 0, all->size()}}, options);
    options.without_stacks = &input.events;
    RecordStream sparse({{some, 0, some->size()}}, options);
    RecordView expected, got;
    for (;;) {
        const bool more = whole.next(expected);
        REQUIRE(sparse.next(got) == more);
        if (!more) break;
        REQUIRE(got.offset == expected.offset);
        REQUIRE(got.bytes.size() == expected.bytes.size());
        REQUIRE(without_stack(got, input.events) == without_stack(expected, input.events));
        REQUIRE(sparse.refills() == whole.refills());
    }
    CHECK(sparse.unread_bytes() == whole.unread_bytes());
    CHECK(sparse.payload_bytes() == whole.payload_bytes());
    REQUIRE(sparse.problems().count() == whole.problems().count());
    for (std::size_t at = 0; at < whole.problems().kept().size(); ++at) {
        CHECK(sparse.problems().kept()[at].message() == whole.problems().kept()[at].message());
    }
    return static_cast<double>(some->read()) / static_cast<double>(input.records.size());
}

constexpr std::uint64_t stacks = sample_bit::ip | sample_bit::tid | sample_bit::time | sample_bit::callchain |
                                 sample_bit::regs_user | sample_bit::stack_user;

}  // namespace

TEST_CASE("Copies of stacks are left unread, all else is read", "[recording][sparse_read]") {
    Random random(GENERATE(range(std::uint64_t{0}, std::uint64_t{4})));
    // The longest sample so far is read whole: it may be damaged.
    const auto input = random_input(random, stacks, 300, 16384, true);
    CHECK(compare(input, input.records.size()) < 0.5);
}

TEST_CASE("Reading without stacks frames what reading all does, whatever the samples have",
          "[recording][sparse_read]") {
    Random random(GENERATE(range(std::uint64_t{100}, std::uint64_t{130})));
    const auto type = random_sample_type(random) | sample_bit::stack_user | sample_bit::ip;
    const auto input = random_input(random, type, 50, 20000);
    CHECK(compare(input, input.records.size()) <= 2);  // a block is read again at most once
}

TEST_CASE("Reading without stacks takes damage as reading all does", "[recording][sparse_read]") {
    Random random(GENERATE(range(std::uint64_t{200}, std::uint64_t{260})));
    auto input = random_input(random, stacks, 60, 24000);
    for (auto places = 1 + random.size(6); places != 0; --places) {
        const auto at = random.size(input.records.size() - 64);
        switch (random.size(3)) {
            case 0: std::ranges::copy(random.bytes(8), input.records.begin() + static_cast<std::ptrdiff_t>(at)); break;
            case 1: std::fill_n(input.records.begin() + static_cast<std::ptrdiff_t>(at), 64, std::byte{0}); break;
            default: {
                const auto begin = input.records.begin() + static_cast<std::ptrdiff_t>(at);
                input.records.erase(begin, begin + static_cast<std::ptrdiff_t>(1 + random.size(60)));
            }
        }
    }
    compare(input, input.records.size());
}

TEST_CASE("Reading without stacks notices a file that became shorter", "[recording][sparse_read]") {
    Random random(GENERATE(range(std::uint64_t{300}, std::uint64_t{320})));
    const auto input = random_input(random, stacks, 60, 16384);
    compare(input, random.size(input.records.size()));
}

TEST_CASE("Data between records are not taken for samples", "[recording][sparse_read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Random random(1);
    Event event;
    event.attr = sampling_attr(stacks);
    event.attr.sample_regs_user = 1;
    SampleContent content;
    content.user_registers = {2, {7}};
    content.stack = Blob(16384, std::byte{1});
    SparseInput input{order, EventTable({event}), {}};
    const auto one = encode(order, event.attr, content);
    const auto add = [&](const Blob& blob) { input.records.insert(input.records.end(), blob.begin(), blob.end()); };
    for (int turn = 0; turn < 30; ++turn) {
        // The payload ends with the beginning of a sample: its stack would cover the records behind it.
        add(auxtrace(order, 256, Blob(one.begin(), one.begin() + 256)));
        for (int number = 0; number < 40; ++number) add(encode(Lost{EventId{5}, 3}, RecordFrame{order, {}, 0}));
        add(one);
    }
    compare(input, input.records.size());
}

TEST_CASE("Samples without a time are in order with their stacks", "[recording][sparse_read]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Random random(7);
    auto attr = sampling_attr(stacks);
    attr.sample_regs_user = 1;
    attr.sample_stack_user = 24000;
    RecordingBuilder builder(order);
    builder.event(attr, {1});
    std::vector<Blob> samples;
    for (std::uint64_t number = 0; number < 50; ++number) {
        SampleContent content;
        content.fixed.time = number % 2 == 0 ? 0 : number;
        content.user_registers = {2, {number}};
        content.stack = random.bytes(24000);
        samples.push_back(encode(order, attr, content));
        builder.add(samples.back());
    }
    const TempDir directory;
    const auto recording = Recording::open(directory.write("perf.data", builder.build()));
    REQUIRE(recording);
    std::ranges::stable_partition(samples, [&](const Blob& one) {
        return Sample(one.data(), recording->events().layout(0), recording->order()).time() == Time{};
    });
    OrderedStream stream(*recording);
    RecordView record;
    Time time;
    for (const auto& expected : samples) {
        REQUIRE(stream.next(record, time));
        CHECK(std::ranges::equal(record.bytes, expected));
    }
    CHECK_FALSE(stream.next(record, time));
}
