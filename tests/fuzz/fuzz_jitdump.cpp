// SPDX-License-Identifier: MIT
// Fuzz target: a jitdump file, or else a perf map. It must not crash or hang, and the promises of the headers must hold
// for every input; a broken one traps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/timeline/jit_dump_walk.hpp"
#include "perfdata/wire/record/time_conv.hpp"

namespace {

using namespace perfdata;

constexpr std::size_t examined_functions = 256;

void require(bool promise) {
    if (!promise) __builtin_trap();
}

Limits small_limits() {
    Limits limits;
    limits.section_bytes = std::uint64_t{1} << 20;
    limits.perf_map_bytes = std::uint64_t{1} << 20;
    limits.code_versions = 4096;
    limits.diagnostics = 16;
    return limits;
}

void check_completeness(const Completeness& completeness) {
    const auto& bytes = completeness.bytes;
    require(bytes.total == bytes.records + bytes.outside_records + bytes.unread);
    for (const auto& diagnostic : completeness.diagnostics.kept()) require(!diagnostic.message().empty());
}

// Read every byte of each name, to detect views beyond a record.
void check_records(const JitDump& dump) {
    Completeness completeness;
    std::uint64_t sum = 0;
    dump.walk(completeness, [&]<class R>(const JitRecordView& view, const R& record) {
        require(view.bytes.size() <= view.header.size);
        for (const auto byte : view.bytes) sum += std::to_integer<unsigned>(byte);
        if constexpr (std::is_same_v<R, JitCodeLoad>) {
            for (const char c : record.name) sum += static_cast<unsigned char>(c);
            require(record.code_at + record.range.size == view.offset + view.header.size);
        }
    });
    volatile auto read = sum;
    (void)read;
    check_completeness(completeness);
}

void check_code(const JitDump& dump, const JitClock& clock, JitClose close) {
    const auto code = JitCode::build(dump, clock, {.close = close, .namespace_pid = {}});
    check_completeness(code.completeness());
    std::size_t examined = 0;
    for (const auto& function : code.functions()) {
        require(function.range.size != 0);
        require(function.from <= function.until);
        require(function.code_size <= function.range.size);
        if (code.timed() && function.from < function.until) {
            require(code.find(function.range.begin, function.from) == &function);
            require(code.find(function.range.last(), function.from) == &function);
        }
        if (++examined > examined_functions) continue;
        if (const auto image = code.image(function)) require(image->size() == function.code_size);
        if (const auto lines = code.lines(function)) {
            require(std::ranges::is_sorted(*lines, {}, &JitLine::offset));
            for (const auto& line : *lines) require(line.offset < function.range.size);
        }
    }
}

void check_dump(const JitDump& dump) {
    check_records(dump);
    check_code(dump, JitClock::none(), JitClose::keeps_code);
    EventClock events;
    if (dump.header().arch_timestamps()) {
        events.conversion = TimeConv{};
        events.conversion->shift = 10;
        events.conversion->multiplier = 400;
    } else {
        events.clockid = EventClock::monotonic;
    }
    const auto clock = JitClock::match(dump.header(), events);
    require(clock.has_value());
    check_code(dump, *clock, JitClose::ends_code);
}

void check_perf_map(std::string text) {
    const auto map = PerfMap::parse(std::move(text));
    if (!map) return;
    for (std::uint64_t address = 0; address < 4096; address += 7) {
        const auto found = map->find({address});
        if (!found) continue;
        require(!found->name.empty());
        require(found->range.begin + found->offset == Address{address});
        require(found->offset < found->range.size);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    if (const auto dump = JitDump::open(memory_source(bytes), "input", small_limits())) {
        check_dump(*dump);
    } else {
        check_perf_map(std::string(as_text(bytes)));
    }
    return 0;
}
