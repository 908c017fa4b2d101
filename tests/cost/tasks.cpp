// SPDX-License-Identifier: MIT
// Expensive processes: deep and broad forks, overlapping mappings, reused ids.
#include "cost/case.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

Command report(const Files& files, const Sketch& sketch) {
    return {"report", "--offline", files.write("perf.data", sketch.build())};
}

// Every process maps one page and forks the next; samples are in unmapped memory.
Command generations(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    for (std::uint32_t pid = 1; pid <= n; ++pid) {
        sketch.mmap(pid, 0x1000 * std::uint64_t{pid}, 0x1000, "/bin/x", clock()).fork(pid + 1, pid, clock());
    }
    const auto last = static_cast<std::uint32_t>(n + 1);
    for (std::size_t at = 0; at < n; ++at) sketch.sample((std::uint64_t{1} << 40) + 64 * at, last, clock());
    return report(files, sketch.sample(1, 1, clock()));
}

// The same with a second child per generation: the worst case for copying mappings at a fork.
Command broad_generations(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    for (std::size_t at = 0; at < n; ++at) sketch.mmap(1, 0x1000 * (at + 1), 0x1000, "/bin/x", clock());
    std::uint32_t pid = 1, other = 1000000;
    for (std::size_t at = 0; at < n; ++at) {
        sketch.fork(pid + 1, pid, clock()).fork(++other, pid + 1, clock());
        ++pid;
        if (at % 2 == 0) sketch.mmap(pid, 0x1000 * (at + 1), 0x1000, "/bin/y", clock());
        sketch.mmap(other, 0x1000, 0x1000, "/bin/z", clock());
    }
    for (std::size_t at = 0; at < n; ++at) sketch.sample((std::uint64_t{1} << 40) + 64 * at, pid, clock());
    return report(files, sketch.sample(1, 1, clock()));
}

// A process keeps mapping after forking children. Lookups in children must skip these later mappings.
Command late_mappings(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    sketch.mmap(1, 0x1000, 0x1000, "/bin/x", clock());
    for (std::uint32_t at = 0; at < n; ++at) {
        sketch.fork(100 + at, 1, clock()).mmap(1, 0x1000 * std::uint64_t{at + 2}, 0x1000, "/bin/x", clock());
    }
    for (std::uint32_t at = 0; at < n; ++at) sketch.sample(0x1000 + at % 0x1000, 100 + at, clock());
    return report(files, sketch.sample(1, 1, clock()));
}

// Each mapping is inside all before it.
Command nested_mappings(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    const auto end = std::uint64_t{1} << 40;
    for (std::size_t at = 0; at < n; ++at) sketch.mmap(1, 64 * at, end - 128 * at, "/bin/x", clock());
    for (std::size_t at = 0; at < n; ++at) sketch.sample(64 * at + 1, 1, clock());
    return report(files, sketch.sample(1, 1, clock()));
}

// A process that executes one program after the other.
Command programs(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    for (std::size_t at = 0; at < n; ++at) {
        sketch.comm(1, clock(), "x" + std::to_string(at), true).mmap(1, 0x1000, 0x1000, "/bin/x", clock());
        sketch.sample(0x1000, 1, clock());
    }
    return report(files, sketch.sample(1, 1, clock()));
}

// n lives of one id that overlap, each with many programs. Asks what was at an address over time.
Command lives(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    for (std::size_t at = 0; at < n; ++at) sketch.fork(7, 1, clock());
    for (std::size_t at = 0; at < n; ++at) {
        sketch.comm(7, clock(), "x", true).mmap(7, 0x1000, 0x1000, "/bin/x", clock());
    }
    return {"symbols", "--offline", "--history", "1000",
            files.write("perf.data", sketch.sample(1, 1, clock()).build())};
}

// Objects and commands with long names that differ only at the end.
Command names(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock clock;
    const std::string long_name = "/" + std::string(500, 'n');
    for (std::size_t at = 0; at < n; ++at) {
        const auto name = long_name + std::to_string(at);
        sketch.comm(1, clock(), name).mmap(1, 0x1000 * (at + 1), 0x1000, name, clock());
    }
    return report(files, sketch.sample(0x1000, 1, clock()));
}

}  // namespace

CostCases task_cases() {
    return {
        {"generations", 1000, generations, "report"},
        {"broad_generations", 1000, broad_generations, "report"},
        {"late_mappings", 1000, late_mappings},
        {"nested_mappings", 1000, nested_mappings, "report"},
        {"programs", 1000, programs, "report"},
        {"lives", 1000, lives},
        {"names", 500, names},
    };
}

}  // namespace perfdata::test
