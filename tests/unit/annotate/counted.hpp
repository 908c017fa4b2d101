// SPDX-License-Identifier: MIT
// Recordings of perf stat, made here, in few words.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/annotate/page/stat_page.hpp"
#include "perfdata/annotate/stat/stat.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/payload.hpp"

namespace perfdata::test {

// Numbers of aggr_mode in perf 6.1.
namespace aggr {
inline constexpr std::uint64_t none = 0, global = 1, socket = 2, die = 3, core = 4, thread = 5, node = 7;
}

// Counted is a recording of perf stat. The records come in the order of the calls.
class Counted {
  public:
    explicit Counted(std::endian order = std::endian::little) : order_(order), builder_(order) {}

    Counted& event(std::uint32_t type, std::uint64_t config, std::string name, std::vector<std::uint64_t> ids,
                   std::uint64_t flags = 0) {
        auto attr = sampling_attr(sample_bit::identifier);
        attr.type = type;
        attr.config = config;
        attr.flags = flags;
        builder_.event(attr, ids);
        described_.push_back({attr, std::move(name), std::move(ids)});
        return *this;
    }
    Counted& clock(std::vector<std::uint64_t> ids) {
        return event(attr_type::software, 1, "task-clock", std::move(ids));
    }
    Counted& unit(std::uint64_t id, std::string_view text) {
        return add(RecordType::event_update, Writer(order_).u64(0).u64(id).padded_text(text));
    }
    Counted& scale(std::uint64_t id, double factor) {
        return add(RecordType::event_update, Writer(order_).u64(1).u64(id).u64(std::bit_cast<std::uint64_t>(factor)));
    }
    Counted& name(std::uint64_t id, std::string_view text) {
        return add(RecordType::event_update, Writer(order_).u64(2).u64(id).padded_text(text));
    }
    // msec(id) does what perf does for its clocks.
    Counted& msec(std::uint64_t id) { return unit(id, "msec").scale(id, 1e-6); }
    Counted& own_cpus(std::uint64_t id, const std::vector<std::uint16_t>& cpus) {
        return add(RecordType::event_update, Writer(order_).u64(3).u64(id).bytes(cpu_list(cpus)));
    }
    Counted& threads(const std::vector<std::pair<std::uint64_t, std::string>>& threads) {
        Writer body(order_);
        body.u64(threads.size());
        for (const auto& [tid, comm] : threads) {
            body.u64(tid);
            auto name = comm;
            name.resize(16);
            body.text(name);
        }
        return add(RecordType::thread_map, body);
    }
    Counted& cpus(const std::vector<std::uint16_t>& cpus) {
        return add(RecordType::cpu_map, Writer(order_).bytes(cpu_list(cpus)));
    }
    Counted& cpu_range(std::uint16_t first, std::uint16_t last) {
        return add(RecordType::cpu_map, Writer(order_).u16(2).u8(0).u8(0).u16(first).u16(last));
    }
    Counted& config(std::uint64_t mode, std::uint64_t interval = 0, std::uint64_t scales = 1) {
        return add(RecordType::stat_config,
                   Writer(order_).u64(3).u64(0).u64(mode).u64(1).u64(interval).u64(2).u64(scales));
    }
    // of_process() and of_cpus({0, 1}) are what perf writes before the values.
    Counted& of_process(std::uint64_t interval = 0) {
        return threads({{~std::uint64_t{0} >> 32, ""}}).cpus({0xffff}).config(aggr::global, interval);
    }
    Counted& of_cpus(const std::vector<std::uint16_t>& on, std::uint64_t mode, std::uint64_t interval = 0) {
        return threads({{~std::uint64_t{0} >> 32, ""}}).cpus(on).config(mode, interval);
    }
    Counted& value(std::uint64_t id, std::uint32_t cpu, std::uint32_t thread, std::uint64_t value,
                   std::uint64_t enabled, std::uint64_t running) {
        return add(RecordType::stat, Writer(order_).u64(id).u32(cpu).u32(thread).u64(value).u64(enabled).u64(running));
    }
    // value(id, number) is of a process whose counters ran all the time.
    Counted& value(std::uint64_t id, std::uint64_t number) { return value(id, any, 0, number, 1000, 1000); }
    Counted& round(std::uint64_t nanoseconds, bool is_final = false) {
        return add(RecordType::stat_round, Writer(order_).u64(is_final ? 1 : 0).u64(nanoseconds));
    }
    Counted& add(RecordType type, const Writer& body) {
        builder_.add(record(type, {order_, {}, 0}, body.blob()));
        return *this;
    }

    Counted& command(const std::vector<std::string>& words) {
        builder_.feature(Feature::cmdline, feature_strings(order_, words));
        return *this;
    }
    // topology({{core, socket}...}, dies): one entry for each CPU.
    Counted& topology(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& cpus,
                      const std::vector<std::uint32_t>& dies = {}) {
        const auto count = static_cast<std::uint32_t>(cpus.size());
        builder_.feature(Feature::nrcpus, Writer(order_).u32(count).u32(count).take());
        FeatureWriter body(order_);
        body.strings({"0"}).strings({"0"});
        for (const auto& [core, socket] : cpus) body.u32(core).u32(socket);
        if (!dies.empty()) body.strings({"0"});
        for (const auto die : dies) body.u32(die);
        builder_.feature(Feature::cpu_topology, body.take());
        return *this;
    }
    Counted& nodes(const std::vector<std::pair<std::uint32_t, std::string>>& nodes) {
        FeatureWriter body(order_);
        body.u32(static_cast<std::uint32_t>(nodes.size()));
        for (const auto& [node, cpus] : nodes) body.u32(node).u64(1).u64(1).string(cpus);
        builder_.feature(Feature::numa_topology, body.take());
        return *this;
    }
    struct Cache {
        std::uint32_t level = 0;
        std::string type, cpus;
    };
    Counted& caches(const std::vector<Cache>& caches) {
        FeatureWriter body(order_);
        body.u32(1).u32(static_cast<std::uint32_t>(caches.size()));
        for (const auto& cache : caches) {
            body.u32(cache.level).u32(64).u32(64).u32(8).string(cache.type).string("32K").string(cache.cpus);
        }
        builder_.feature(Feature::cache, body.take());
        return *this;
    }
    Counted& feature(Feature number, Blob payload) {
        builder_.feature(number, std::move(payload));
        return *this;
    }
    Counted& version(std::string_view text) {
        builder_.feature(Feature::version, feature_string(order_, text));
        return *this;
    }

    static constexpr std::uint32_t any = 0xffffffff;

    // bytes() builds the file; nothing may be added behind it.
    const Blob& bytes() {
        if (bytes_.empty()) {
            builder_.feature(Feature::event_desc, event_desc(order_, described_));
            builder_.feature(Feature::stat, Blob());
            bytes_ = builder_.build();
        }
        return bytes_;
    }
    const Recording& recording() {
        if (!recording_) recording_.emplace(Recording::from_memory(bytes()).value());
        return *recording_;
    }

    struct Rounds {
        std::vector<StatTable> tables;
        StatReading reading;
    };
    Rounds read(std::optional<StatMode> mode = {}) {
        Rounds rounds;
        auto read = read_stat(recording(), {mode, {}, {}},
                              [&](const StatFacts&, const StatTable& table) { rounds.tables.push_back(table); });
        REQUIRE(read);
        rounds.reading = std::move(*read);
        return rounds;
    }
    // text(mode, separator) returns what StatText writes.
    std::string text(std::optional<StatMode> mode = {}, std::optional<std::string> separator = {}) {
        std::string written;
        const Sink sink = [&](std::string_view part) { written += part; };
        StatText page(sink, std::move(separator));
        REQUIRE(read_stat(recording(), {mode, {}, {}},
                          [&](const StatFacts& facts, const StatTable& table) { page.add(facts, table); }));
        return written;
    }
    std::string json(std::optional<StatMode> mode = {}) {
        std::string written;
        const Sink sink = [&](std::string_view part) { written += part; };
        StatJson page(recording(), sink);
        const auto reading = read_stat(recording(), {mode, {}, {}},
                                       [&](const StatFacts& facts, const StatTable& table) { page.add(facts, table); });
        REQUIRE(reading);
        page.finish(*reading);
        return written;
    }

  private:
    Blob cpu_list(const std::vector<std::uint16_t>& cpus) const {
        Writer list(order_);
        list.u16(0).u16(static_cast<std::uint16_t>(cpus.size()));
        for (const auto cpu : cpus) list.u16(cpu);
        return list.align(8).take();
    }

    std::endian order_;
    RecordingBuilder builder_;
    std::vector<DescribedEvent> described_;
    Blob bytes_;
    std::optional<Recording> recording_;
};

}  // namespace perfdata::test
