// SPDX-License-Identifier: MIT
// Profiles in formats of other tools: many threads, stacks and names that repeat in each sample.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cost/case.hpp"
#include "support/sketch.hpp"

namespace perfdata::test {
namespace {

constexpr std::array formats{"folded", "pprof", "speedscope", "firefox", "callgrind", "csv"};
constexpr std::uint64_t user_context = static_cast<std::uint64_t>(-512);
constexpr std::uint64_t user_deferred_context = static_cast<std::uint64_t>(-640);
constexpr auto with_chains = Sketch::plain | sample_bit::callchain;

Command exported(const Files& files, const Sketch& sketch, std::string_view format) {
    Command command{"export", "--offline", "--format", std::string(format), files.write("perf.data", sketch.build())};
    if (format == "csv") command.insert(command.end(), {"--table", "samples"});
    return command;
}

// Each sample has a stack, a thread and a command of its own.
template <std::size_t Format>
Command stacks(const Files& files, std::size_t n) {
    Sketch sketch(with_chains);
    Clock time;
    for (std::uint32_t at = 0; at < n; ++at) {
        const auto pid = 100 + at;
        const auto own = 0x1000 + 64 * std::uint64_t{at};
        sketch.comm(pid, time(), "c" + std::to_string(at));
        const std::array<std::uint64_t, 6> frames{user_context, own, 0x900, 0x800, own + 8, 0x700};
        sketch.chain(own, pid, time(), frames);
    }
    const std::array<std::uint64_t, 2> frames{user_context, 0x1000};
    return exported(files, sketch.chain(0x1000, 1, time(), frames), formats[Format]);
}

// n threads inherit one long name.
template <std::size_t Format>
Command long_comm(const Files& files, std::size_t n) {
    Sketch sketch;
    Clock time;
    sketch.comm(1, time(), std::string(60000, '\1'));
    for (std::uint32_t at = 0; at < n; ++at) sketch.fork(100 + at, 1, time()).sample(0x1000, 100 + at, time());
    return exported(files, sketch.sample(0x1000, 1, time()), formats[Format]);
}

// Two threads take turns; both wait for one deep stack that the kernel writes later.
template <std::size_t Format>
Command turns(const Files& files, std::size_t n) {
    Sketch sketch(with_chains);
    sketch.defer_callchains();
    Clock time;
    const std::array<std::uint64_t, 2> waiting{user_deferred_context, 7};
    for (std::uint32_t at = 0; at < n; ++at) {
        sketch.comm(1 + at % 2, time(), "c" + std::to_string(at)).chain(0x1000, 1 + at % 2, time(), waiting);
    }
    for (const std::uint32_t pid : {1, 2}) {
        Writer rest(Sketch::order);
        rest.u64(7).u64(500);
        for (std::uint64_t frame = 0; frame < 500; ++frame) rest.u64(0x400010 + 16 * frame);
        sketch.chain(0x1000, pid, time(), waiting);
        sketch.kernel_record(RecordType::callchain_deferred, rest.take(), time(), pid, Sketch::user);
    }
    return exported(files, sketch, formats[Format]);
}

template <std::size_t Format>
void add_cases(CostCases& all) {
    static const auto names = [] {
        std::array<std::string, 3> made{"stacks_", "long_comm_", "turns_"};
        for (auto& name : made) name += formats[Format];
        return made;
    }();
    all.push_back({names[0], 1000, stacks<Format>});
    all.push_back({names[1], 1000, long_comm<Format>});
    all.push_back({names[2], 1000, turns<Format>});
}

}  // namespace

CostCases export_cases() {
    CostCases all;
    [&]<std::size_t... Format>(std::index_sequence<Format...>) {
        (add_cases<Format>(all), ...);
    }
    (std::make_index_sequence<formats.size()>());
    return all;
}

}  // namespace perfdata::test
