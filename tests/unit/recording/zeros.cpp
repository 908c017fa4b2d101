// SPDX-License-Identifier: MIT
// Runs of zeros and file holes between records, as in a recording that perf never finished.
#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "support/records.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr std::size_t zero_block = std::size_t{256} << 10;

Blob lost_records(std::endian order, std::size_t count) {
    Blob all;
    for (std::size_t number = 0; number < count; ++number) {
        const auto one = encode(Lost{EventId{5}, number}, RecordFrame{order, {}, 0});
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}
const std::size_t lost_bytes = lost_records(std::endian::little, 1).size();

// Holed is a large source of zeros with content in a few places. It counts the bytes read.
class Holed final : public Source {
  public:
    Holed(std::uint64_t size, std::map<std::uint64_t, Blob> data) : size_(size), data_(std::move(data)) {}

    std::uint64_t size() const override { return size_; }
    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (offset >= size_) return std::size_t{0};
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset)));
        std::ranges::fill(out, std::byte{0});
        for (const auto& [begin, bytes] : data_) {
            for (std::size_t at = 0; at < bytes.size(); ++at) {
                if (begin + at >= offset && begin + at - offset < out.size()) out[begin + at - offset] = bytes[at];
            }
        }
        read_ += out.size();
        return out.size();
    }
    std::uint64_t next_data(std::uint64_t offset) const override {
        for (const auto& [begin, bytes] : data_) {
            if (offset < begin + bytes.size()) return std::max(offset, begin);
        }
        return size_;
    }
    std::uint64_t read() const { return read_; }

  private:
    std::uint64_t size_;
    std::map<std::uint64_t, Blob> data_;
    mutable std::uint64_t read_ = 0;
};

// All records must be consecutive LOST ones: from number `first` on at `place`, earlier ones at 0.
void check_records(RecordStream& stream, std::size_t first, std::uint64_t place, std::size_t count) {
    RecordView record;
    for (std::size_t number = 0; number < count; ++number) {
        REQUIRE(stream.next(record));
        CHECK(record.type() == RecordType::lost);
        const auto from = number < first ? 0 : place - first * lost_bytes;
        CHECK(record.offset == from + number * lost_bytes);
    }
    CHECK_FALSE(stream.next(record));
}

}  // namespace

TEST_CASE("Records behind a run of zeros of any length are found", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    const bool in_file = GENERATE(false, true);
    const TempDir folder;
    const auto before = lost_records(order, 2), after = lost_records(order, 10);
    const Blob behind(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end());
    std::vector<std::size_t> lengths;
    for (std::size_t zeros = 1; zeros < 70; ++zeros) lengths.push_back(zeros);
    for (auto zeros = zero_block - before.size() - 20; zeros < zero_block + 20; zeros += 3) lengths.push_back(zeros);
    lengths.push_back(3 * zero_block + 5);
    for (const auto zeros : lengths) {
        CAPTURE(zeros);
        const auto data = joined({before, Blob(zeros), behind});
        const auto source = in_file ? open_source(folder.write("data", data), {}).value() : memory_source(data);
        RecordStream stream({{source, 0, source->size()}}, {.order = AnyOrder(order)});
        check_records(stream, 2, before.size() + zeros, 10);
        CHECK(stream.unread_bytes() == zeros);
        REQUIRE(stream.problems().count() == 1);
        CHECK(stream.problems().kept()[0].offset == before.size());
        CHECK(stream.problems().kept()[0].detail ==
              "no record can be framed in " + std::to_string(zeros) + " bytes; going on behind them");
    }
}

TEST_CASE("Holes are passed over without reading them", "[recording][record_stream]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::uint64_t size = std::uint64_t{1} << 50, place = (std::uint64_t{1} << 49) + 4096;
    const auto before = lost_records(order, 3), after = lost_records(order, 9);
    const Blob behind(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end());
    SECTION("to the end") {
        const auto source = std::make_shared<Holed>(size, std::map<std::uint64_t, Blob>{{0, before}});
        RecordStream stream({{source, 0, size}}, {.order = AnyOrder(order)});
        check_records(stream, 3, 0, 3);
        CHECK(stream.unread_bytes() == size - before.size());
        REQUIRE(stream.problems().count() == 1);
        CHECK(stream.problems().kept()[0].code == ErrorCode::truncated);
        CHECK(stream.problems().kept()[0].offset == before.size());
        CHECK(source->read() < 3 * zero_block);
    }
    SECTION("with records behind it, wherever they begin in their block of the file") {
        for (const std::uint64_t shift : {0u, 1u, 5u, 8u, 4088u}) {
            CAPTURE(shift);
            const std::map<std::uint64_t, Blob> data{{0, before}, {place, joined({Blob(shift), behind})}};
            const auto source = std::make_shared<Holed>(size, data);
            RecordStream stream({{source, 0, size}}, {.order = AnyOrder(order)});
            check_records(stream, 3, place + shift, 9);
            CHECK(stream.unread_bytes() == size - after.size());
            REQUIRE(stream.problems().count() == 2);
            CHECK(stream.problems().kept()[0].offset == before.size());
            CHECK(stream.problems().kept()[1].offset == place + shift + behind.size());
            CHECK(source->read() < 6 * zero_block);
        }
    }
    SECTION("not where what is before them may be the beginning of a record") {
        const auto cut = joined({before, Blob(zero_block - before.size() - 6), Blob(6, std::byte{1})});
        const auto source = std::make_shared<Holed>(size, std::map<std::uint64_t, Blob>{{0, cut}, {place, behind}});
        RecordStream stream({{source, 0, size}}, {.order = AnyOrder(order)});
        check_records(stream, 3, place, 9);
        CHECK(source->read() < 6 * zero_block);
    }
}

TEST_CASE("A file knows its holes, and does not take a cut for one", "[recording][source]") {
    const TempDir folder;
    constexpr std::uint64_t hole = std::uint64_t{1} << 30;
    const auto path = folder.write("data", Blob(100, std::byte{1}));
    std::filesystem::resize_file(path, hole);
    const auto source = open_source(path, {}).value();
    CHECK(source->next_data(0) == 0);
    CHECK(source->next_data(99) == 99);
    CHECK(source->next_data(std::uint64_t{1} << 20) == hole);
    CHECK(source->next_data(hole) == hole);
    CHECK(source->next_data(hole + 5) == hole + 5);
    std::filesystem::resize_file(path, 100);
    CHECK(source->next_data(std::uint64_t{1} << 20) == std::uint64_t{1} << 20);
    // Memory has no holes.
    CHECK(memory_source(Blob(8))->next_data(3) == 3);
}
