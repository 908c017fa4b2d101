// SPDX-License-Identifier: MIT
#include "trap.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

constexpr auto type = sample_bit::identifier | sample_bit::ip | sample_bit::time;

class Stream {
  public:
    explicit Stream(std::endian order) : order_(order), builder_(order) { builder_.event(sampling_attr(type), {7}); }

    // Each sample's ip is its time.
    Stream& samples(std::initializer_list<std::uint64_t> times) {
        for (const auto time : times) builder_.add(sample_at(order_, type, 7, time, time));
        return *this;
    }
    Stream& round() {
        builder_.add(record(RecordType::finished_round, {order_, {}, 0}, {}));
        return *this;
    }
    Stream& made_up(const std::string& name) {
        builder_.add(encode(Comm{{1}, {1}, name, false}, {order_, Blob(16), 0}));
        return *this;
    }
    const Blob& file() { return file_ = builder_.build(); }

  private:
    std::endian order_;
    RecordingBuilder builder_;
    Blob file_;
};

}  // namespace

TEST_CASE("trap 24: what perf made up holds for all samples, wherever it lies", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Stream stream(order);
    const auto& file = stream.samples({5, 6}).made_up("late").samples({3}).made_up("later").file();
    const auto recording = Recording::from_memory(file).value();
    const auto reading = read_all(recording, RecordOrder::time);
    CHECK(reading.times == std::vector<std::uint64_t>{0, 0, 3, 5, 6});
    CHECK(reading.records[0].find("'late'") != std::string::npos);
    CHECK(reading.records[1].find("'later'") != std::string::npos);
}

TEST_CASE("trap 25: a round may still hold what is older than the round before it", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    Stream stream(order);
    // Flushing up to 30 at the first mark would put 20 after it.
    const auto& file = stream.samples({10, 30}).round().samples({20, 40}).round().samples({35, 50}).round().file();
    const auto recording = Recording::from_memory(file).value();
    CHECK(ips_of(recording, RecordOrder::time) == std::vector<std::uint64_t>{10, 20, 30, 35, 40, 50});
}

TEST_CASE("trap 26: records are out of order, and there may be no rounds at all", "[traps]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    RecordingBuilder builder(order);
    builder.event(sampling_attr(type), {7});
    // Ten rings of 2000 samples in a row: the last begins before the first has ended.
    constexpr std::uint64_t rings = 10, each = 2000;
    for (std::uint64_t ring = 0; ring < rings; ++ring) {
        for (std::uint64_t number = 0; number < each; ++number) {
            const auto time = 1 + number * rings + (rings - 1 - ring);
            builder.add(sample_at(order, type, 7, time, time));
        }
    }
    const auto file = builder.build();
    const auto ips = ips_of(Recording::from_memory(file).value(), RecordOrder::time);
    REQUIRE(ips.size() == rings * each);
    std::size_t wrong = 0;
    for (std::size_t index = 0; index < ips.size(); ++index) wrong += ips[index] != index + 1;
    CHECK(wrong == 0);
}
