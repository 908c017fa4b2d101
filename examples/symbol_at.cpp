// SPDX-License-Identifier: MIT
// symbol_at FILE SECONDS ADDRESS [PID]: who owned an address at a time. Addresses of BPF programs and of JIT code are
// reused, so that the answer depends on the time. Without PID it is about the kernel's addresses.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <expected>
#include <string>

#include "perfdata/perfdata.hpp"
#include "perfdata/timeline.hpp"

using namespace perfdata;

namespace {

int tell(const char* file, Moment moment, Address address) {
    const auto recording = Recording::open(file).value();
    const auto timeline = Timeline::build(recording).value();
    const auto symbolizer = Symbolizer::open(recording, timeline);
    const auto frame = frame_at(timeline, &symbolizer.jit(), moment, address, CpuMode::unknown);
    const auto name = symbolizer.name(frame);
    if (name.symbol.empty()) {
        const auto why = symbolizer.why_unnamed(frame);
        std::printf("no symbol: %s\n", std::string(why.reason).c_str());
        return 0;
    }
    const auto extent = symbolizer.extent(frame);
    std::printf("%s+0x%llx of %llu bytes, %s, %s\n", std::string(name.symbol).c_str(),
                static_cast<unsigned long long>(name.offset), static_cast<unsigned long long>(extent.size),
                std::string(name.object).c_str(), std::string(to_string(name.kind)).c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4 && argc != 5) {
        std::fprintf(stderr, "usage: symbol_at FILE SECONDS ADDRESS [PID]\n");
        return 2;
    }
    const Time time{static_cast<std::uint64_t>(std::llround(std::strtod(argv[2], nullptr) * 1e9))};
    const Pid pid{argc == 5 ? static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)) : ~0u};
    return tell(argv[1], {time, pid}, Address{std::strtoull(argv[3], nullptr, 16)});
} catch (const std::bad_expected_access<Error>& problem) {
    std::fprintf(stderr, "%s\n", problem.error().message().c_str());
    return 1;
}
