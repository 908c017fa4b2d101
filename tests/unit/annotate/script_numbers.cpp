// SPDX-License-Identifier: MIT
// The numbers in front of a script's line, whatever their size, are those of perf's formats.
#include <fmt/format.h>
#include <limits>
#include <string>

#include "catch.hpp"
#include "script/script.hpp"
#include "support/scene.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

std::string written(Scene& scene, bool nanoseconds, const std::string& fields) {
    const auto recording = scene.open();
    const auto timeline = Timeline::build(recording).value();
    SymbolizerOptions sources;
    sources.finder.offline = true;
    const auto names = Symbolizer::open(recording, timeline, sources);
    ScriptOptions options;
    options.nanoseconds = nanoseconds;
    REQUIRE(options.fields.choose(fields));
    REQUIRE(options.fields.fit(recording, true));
    std::string text;
    REQUIRE(write_script(recording, names, options, [&](std::string_view part) { text += part; }));
    return text;
}

}  // namespace

TEST_CASE("Numbers of a script are as wide as in perf, and more where they must", "[annotate][script]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::vector<std::uint64_t> periods = {0, 1, most, most / 2, 4'294'967'296};
    for (std::uint64_t power = 10; power <= 1'000'000'000'000'000'000; power *= 10) {
        periods.push_back(power - 1);
        periods.push_back(power);
    }
    const std::uint32_t ids[] = {0, 7, 99'999, 100'000, 2'147'483'647, 2'147'483'648, 4'294'967'295};
    for (const auto tid : ids) {
        for (const auto pid : ids) {
            Scene scene(order);
            std::string expected, expected_alone;
            // Equal times keep their order in the file.
            const auto time = pid * std::uint64_t{1'000'000'007};
            for (const auto period : periods) {
                SampleValues values;
                values.identifier = values.id = Scene::first_id;
                values.pid = pid;
                values.tid = tid;
                values.time = time;
                values.cpu = tid;
                values.period = period;
                scene.add(sample(Scene::sample_type, values, {.order = order, .trailer = {}, .misc = 1}));
                const auto comm =
                    tid == 0 ? std::string("swapper") : fmt::format(":{}", static_cast<std::int32_t>(tid));
                const auto fraction = fmt::format("{:06}", time % 1'000'000'000 / 1000);
                expected += fmt::format("{:>16} {:>5}/{:<5} [{:03}] {:>5}.{}: {:>10} cpu-clock:HG: \n", comm,
                                        static_cast<std::int32_t>(pid), static_cast<std::int32_t>(tid),
                                        static_cast<std::int32_t>(tid), time / 1'000'000'000, fraction, period);
                expected_alone += fmt::format("{:>5} {:>5}.{:09}: {:>10} \n", static_cast<std::int32_t>(tid),
                                              time / 1'000'000'000, time % 1'000'000'000, period);
            }
            CAPTURE(tid, pid);
            CHECK(written(scene, false, "comm,pid,tid,cpu,time,period,event") == expected);
            CHECK(written(scene, true, "tid,time,period") == expected_alone);
        }
    }
}
