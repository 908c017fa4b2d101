// SPDX-License-Identifier: MIT
// Keys chosen to collide in hash tables: ids, tasks, places, names.
#include "cost/case.hpp"
#include "support/crafted.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

constexpr std::uint64_t inverse_of(std::uint64_t odd) {
    auto inverse = odd;  // correct in 3 bits; each step doubles their number
    for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    return inverse;
}
static_assert(golden * inverse_of(golden) == 1);

// meeting(n) returns keys that multiplication by the golden ratio maps to one slot.
std::vector<std::uint64_t> meeting(std::size_t n) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t key = 1; key <= n; ++key) keys.push_back(key * inverse_of(golden));
    return keys;
}

// A bucket count of std::unordered_map for n keys: all its multiples fall into one bucket.
std::uint64_t bucket_count(std::size_t n) {
    return n <= 2357 ? 2357 : n <= 5087 ? 5087 : n <= 10273 ? 10273 : 20753;
}

Command event_ids(const Files& files, std::size_t n) {
    Sketch sketch(Sketch::plain, meeting(n));
    for (std::uint64_t time = 1; time <= 10; ++time) sketch.sample(0x1000, 1, time);
    return {"info", files.write("perf.data", sketch.build())};
}

Command guest_ids(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::size_t done = 0; done < n; done += 500) {
        Writer index(Sketch::order);
        index.u64(500);
        for (std::size_t at = 1; at <= 500; ++at) index.u64((done + at) * bucket_count(n)).u64(0).u64(0).u64(0);
        for (std::size_t at = 0; at < 500; ++at) index.u64(5).u64(0);
        sketch.record(RecordType::id_index, index.take());
    }
    return {"report", "--offline", files.write("perf.data", sketch.sample(1, 1, 5).build())};
}

Command task_ids(const Files& files, std::size_t n) {
    Sketch sketch;
    for (std::uint64_t at = 1; at <= n; ++at) sketch.comm(static_cast<std::uint32_t>(at * bucket_count(n)), at);
    return {"script", "--offline", files.write("perf.data", sketch.sample(1, 1, n + 1).build())};
}

// Pids that open addressing maps to one slot, as far as 32 bits allow.
Command meeting_tasks(const Files& files, std::size_t n) {
    Sketch sketch;
    std::uint64_t time = 0;
    for (std::uint32_t pid = 1; time < n; ++pid) {
        if ((pid * golden >> 32 & 0x3ff) == 0) sketch.comm(pid, ++time);
    }
    return {"script", "--offline", files.write("perf.data", sketch.sample(1, 1, n + 1).build())};
}

Command places(const Files& files, std::size_t n) {
    constexpr std::uint64_t mixed = 2 << 8 | 4 << 4 | 2, inverse = inverse_of(0x9ddfea08eb382d69);
    Sketch sketch;
    std::uint64_t time = 0;
    for (const auto key : meeting(n)) sketch.sample((key ^ mixed) * inverse, 7, ++time);
    return {"report", "--offline", files.write("perf.data", sketch.build())};
}

Command chains(const Files& files, std::size_t n) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(5);
    for (std::uint64_t at = 0; at < n; ++at) {
        std::vector<std::uint64_t> frames = {~std::uint64_t{0} - 511};
        for (int depth = 0; depth < 127; ++depth) frames.push_back(random.u64() >> 19);
        sketch.chain(random.u64() >> 19, 5, 10 + at, frames);
    }
    return {"report", "--offline", files.write("perf.data", sketch.build())};
}

Command pipe_names(const Files& files, std::size_t n) {
    Writer out(Sketch::order);
    out.bytes(pipe_header(Sketch::order));
    std::uint64_t id = 1;
    for (int event = 0; event < 20; ++event) {
        std::vector<std::uint64_t> ids;
        for (std::size_t at = 0; at < n / 10; ++at) ids.push_back(id++);
        out.bytes(header_attr(Sketch::order, sampling_attr(Sketch::plain), 128, ids));
    }
    for (std::size_t at = 0; at < n; ++at) {
        const auto name = Writer(Sketch::order).u64(2).u64(1000000000 + at).padded_text("n").take();
        out.bytes(record(RecordType::event_update, {Sketch::order, {}, 0}, name));
    }
    return {"info", files.write("perf.data", out.take())};
}

}  // namespace

CostCases table_cases() {
    return {
        {"event_ids", 8000, event_ids},         {"guest_ids", 2000, guest_ids}, {"task_ids", 2000, task_ids},
        {"meeting_tasks", 2000, meeting_tasks}, {"places", 2000, places},       {"chains", 40, chains},
        {"pipe_names", 4000, pipe_names},
    };
}

}  // namespace perfdata::test
