// SPDX-License-Identifier: MIT
// Fields of tracepoints in reports: which events their names mean, and formats that cannot be read.
#include <fstream>
#include <iterator>
#include <string>

#include "catch.hpp"
#include "support/files.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

// The recording of raw_syscalls:sys_enter and sched:sched_switch; its formats may have lost what begins them.
std::string traced_recording(const Place& place, bool damaged = false) {
    std::ifstream in(fixture("records/tp.data"), std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(in), {});
    const auto magic = content.find("\x17\x08\x44tracing");
    REQUIRE(magic != std::string::npos);
    if (damaged) content[magic] = '\0';
    return place.write("traced.data", content);
}

}  // namespace

TEST_CASE("A part of a tracepoint's name is enough for a field, and what -e leaves out is named", "[tool][fixtures]") {
    const Place place;
    const auto file = traced_recording(place);
    const auto whole = place.run({"report", "--offline", "--sort", "sched:sched_switch.prev_comm/raw", file});
    REQUIRE(whole.status == 0);
    const auto part = place.run({"report", "--offline", "--sort", "switch.prev_comm/raw", file});
    CHECK(part.status == 0);
    CHECK(part.output.size() > 100);
    CHECK(place.run({"report", "--offline", "--histogram", "switch.next_pid", file}).status == 0);
    for (const auto* const option : {"--sort", "--histogram"}) {
        CAPTURE(option);
        const auto several = place.run({"report", "--offline", option, "s.id", file});
        CHECK(several.status == 1);
        CHECK(several.messages.contains(
            "s is a part of the names of several events: raw_syscalls:sys_enter, sched:sched_switch"));
        const auto other = place.run(
            {"report", "--offline", "-e", "raw_syscalls:sys_enter", option, "sched:sched_switch.next_pid", file});
        CHECK(other.status == 1);
        CHECK(other.messages.contains("no event of -e has the field next_pid; sched:sched_switch has"));
    }
}

TEST_CASE("Reports by fields and histograms tell formats that cannot be read", "[tool][fixtures]") {
    const Place place;
    const auto file = traced_recording(place, true);
    for (const auto* const option : {"--sort", "--histogram"}) {
        CAPTURE(option);
        const auto none = place.run({"report", "--offline", option, "trace:next_pid", file});
        CHECK(none.status == 1);
        CHECK(none.messages.contains("the formats of 2 tracepoints are damaged or too long"));
    }
    const auto text = place.run({"report", "--offline", "--strict", "--sort", "trace", file});
    CHECK(text.status == 3);
    CHECK(text.messages.contains("the formats of 2 tracepoints are damaged or too long"));
    const auto json = place.run({"report", "--offline", "--json", "--sort", "trace", file});
    CHECK(json.status == 0);
    CHECK(json.output.contains("the formats of 2 tracepoints are damaged or too long"));
    CHECK(place.run({"report", "--offline", "--strict", "--sort", "comm", file}).status == 0);
}
