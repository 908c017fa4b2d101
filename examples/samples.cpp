// SPDX-License-Identifier: MIT
// samples FILE: prints every sample in order of time, with the function that it fell on.
#include <cstdio>
#include <expected>
#include <string>

#include "perfdata/perfdata.hpp"
#include "perfdata/recording.hpp"
#include "perfdata/timeline.hpp"

using namespace perfdata;

namespace {

// Printer is called for each sample, whatever the byte order of the recording.
struct Printer {
    const Recording& recording;
    const Timeline& timeline;
    const Symbolizer& symbolizer;

    template <class Order>
    void operator()(const RecordContext& context, const BasicSample<Order>& sample) const {
        const auto pid = sample.pid().value_or(Pid{~0u});
        const auto tid = sample.tid().value_or(Tid{~0u});
        const Moment moment{context.time, pid};
        // Who owned the address at that time, and what that is called.
        const auto frame = frame_at(timeline, &symbolizer.jit(), moment, sample.ip().value_or(Address{}), sample.mode());
        const auto name = symbolizer.name(frame);
        const auto& event = recording.events().events()[context.event].name;
        const auto symbol = name.symbol.empty() ? std::string("[unknown]") : std::string(name.symbol);
        std::printf("%10.6f %-16s %6d %s %s+0x%llx (%s)\n", static_cast<double>(context.time.nanoseconds) * 1e-9,
                    std::string(timeline.tasks().comm_at(tid, context.time)).c_str(), static_cast<int>(pid.value),
                    event.c_str(), symbol.c_str(), static_cast<unsigned long long>(name.offset),
                    std::string(name.object).c_str());
    }
};

int print(const char* file) {
    const auto recording = Recording::open(file).value();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline);
    Completeness completeness;
    walk(recording, completeness, Printer{recording, timeline, symbolizer}, {.order = RecordOrder::time, .stop = {}, .progress = {}})
        .value();
    // Damage is no error: what is intact was printed, and what is not is told.
    for (const auto& problem : completeness.diagnostics.kept()) std::fprintf(stderr, "%s\n", problem.message().c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: samples FILE\n");
        return 2;
    }
    return print(argv[1]);
} catch (const std::bad_expected_access<Error>& problem) {  // of value(): the library throws nothing on input
    std::fprintf(stderr, "%s\n", problem.error().message().c_str());
    return 1;
}
