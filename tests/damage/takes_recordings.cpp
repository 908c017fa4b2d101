// SPDX-License-Identifier: MIT
// What recordings take whose samples, chains and strings nobody else would write.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "perfdata/core/endian.hpp"
#include "perfdata/recording/record_stream.hpp"

#include "catch.hpp"
#include "support/features.hpp"
#include "support/json.hpp"
#include "support/random.hpp"
#include "support/sketch.hpp"
#include "takes.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// unlike_chains(n) writes n samples with distinct chains of 128 frames.
Blob unlike_chains(std::size_t n) {
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(5);
    for (std::uint64_t at = 0; at < n; ++at) {
        std::vector<std::uint64_t> frames = {~std::uint64_t{0} - 511};
        for (int depth = 0; depth < 127; ++depth) frames.push_back(random.u64() >> 19);
        sketch.chain(random.u64() >> 19, 5, 10 + at, frames);
    }
    return sketch.build();
}

Blob unlike_places(std::size_t n) {
    Sketch sketch;
    sketch.mmap(5, 0, std::uint64_t{1} << 46, "/bin/x", 1);
    Random random(6);
    for (std::uint64_t at = 0; at < n; ++at) sketch.sample(random.u64() >> 19, 5, 10 + at);
    return sketch.build();
}

std::vector<std::string> with_file(std::vector<std::string> command, const std::string& path) {
    command.push_back(path);
    return command;
}

}  // namespace

TEST_CASE("What is reported of a recording takes little more memory than the recording", "[takes]") {
    const TempDir folder;
    for (const auto& [name, content] : {std::pair("chains", unlike_chains(measured ? 2000 : 200)),
                                        {"places", unlike_places(measured ? 80000 : 8000)}}) {
        const auto path = folder.write(name, content);
        for (const auto* command : {"report", "script", "annotate"}) {
            for (const bool json : {false, true}) {
                INFO(name << " " << command << (json ? " --json" : ""));
                std::vector<std::string> arguments = {command, "--offline", path};
                if (json) arguments.emplace_back("--json");
                const auto got = run(folder, arguments);
                CHECK(got.status == 0);
                constexpr std::size_t itself = std::size_t{64} << 20, a_byte = 48;
                if (measured) CHECK(got.memory < itself + a_byte * content.size());
            }
        }
    }
}

TEST_CASE("With less memory places are joined before anything fails", "[takes]") {
    if (!measured) return;  // AddressSanitizer reserves terabytes of addresses: no limit is set
    const TempDir folder;
    const auto chains = folder.write("chains", unlike_chains(6000));
    const auto places = folder.write("places", unlike_places(200000));
    for (const auto* most : {"48M", "192M"}) {
        INFO(most);
        const auto cut = run(folder, {"report", "--offline", "--json", "--max-memory", most, chains});
        CHECK(cut.status == 0);
        if (cut.status == 0) CHECK(Json::parse(cut.output)["events"].items().at(0)["samples"].number() == 6000);
        CHECK(cut.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        const auto text = run(folder, {"report", "--offline", "--max-memory", most, chains});
        CHECK(text.status == 0);
        CHECK(text.output.find("more distinct places than the limits of memory allow") != std::string::npos);
        for (const auto* command : {"script", "annotate"}) {
            INFO(command);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, chains}).status == 0);
            CHECK(run(folder, {command, "--offline", "--max-memory", most, places}).status == 0);
        }
        CHECK(run(folder, {"report", "--offline", "--max-memory", most, places}).status == 0);
    }
}

TEST_CASE("Long strings in little memory end in an answer or in an error", "[takes]") {
    Sketch sketch;
    const auto controls = feature_string(Sketch::order, std::string(measured ? 1'000'000 : 100'000, '\x01'));
    sketch.feature(Feature::hostname, controls);
    sketch.feature(Feature::cmdline, joined({Writer(Sketch::order).u32(1).take(), controls}));
    sketch.sample(0x400010, 7, 100);
    const TempDir folder;
    const auto path = folder.write("controls", sketch.build());
    const std::string largest = "96M";
    for (const auto& most : {std::string("16M"), std::string("24M"), largest}) {
        for (const auto* command : {"info", "report", "annotate", "bpf"}) {
            INFO(command << " " << most);
            const auto got = run(folder, {command, "--json", "--max-memory", most, path});
            CHECK((got.status == 0 || got.status == 1));
            if (got.status == 1) CHECK(!got.messages.empty());
            if (got.status == 0) CHECK(got.output.ends_with("}\n"));
            if (got.status == 0 && most == largest) CHECK(Json::parse(got.output).is_object());
        }
    }
}

TEST_CASE("Features that share one long text are written as they come", "[takes]") {
    Sketch sketch;
    const auto text = feature_string(Sketch::order, std::string(measured ? 8'000'000 : 100'000, 'x'));
    sketch.feature(Feature::hostname, text);
    const std::vector<Feature> others = {Feature::osrelease, Feature::version, Feature::cpudesc, Feature::cpuid};
    for (const auto one : others) sketch.feature(one, feature_string(Sketch::order, "y"));
    auto content = sketch.sample(0x400010, 7, 100).build();
    // Let all entries of the table lead to the first section.
    const auto number = [&](std::size_t at) {
        return AnyOrder(Sketch::order).load<std::uint64_t>(content.data() + at);
    };
    const auto table = static_cast<std::size_t>(number(40) + number(48));
    const auto features = number(72);
    std::size_t entries = 0, first = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((features >> bit & 1) == 0) continue;
        const auto entry = table + 16 * entries++;
        if (bit == static_cast<unsigned>(Feature::hostname)) first = entry;
        if (std::ranges::find(others, static_cast<Feature>(bit)) == others.end()) continue;
        std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(first), 16,
                    content.begin() + static_cast<std::ptrdiff_t>(entry));
    }
    const TempDir folder;
    const auto path = folder.write("shared", content);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"info"}, {"report", "--offline", "--header"}, {"script", "--offline", "--header"}}) {
        INFO(command.front());
        const auto got = run(folder, with_file(command, path));
        CHECK(got.status == 0);
        CHECK(got.output.size() > 3 * text.size());
        if (measured) CHECK(got.memory < little + 12 * content.size());
    }
}

TEST_CASE("A call chain that many samples share is written in full once", "[takes]") {
    constexpr std::size_t frames = 8000, samples = 500;
    constexpr auto deferred = static_cast<std::uint64_t>(-640);  // PERF_CONTEXT_USER_DEFERRED
    Sketch sketch(Sketch::plain | sample_bit::callchain);
    sketch.defer_callchains().mmap(7, 0x400000, 0x100000, "/bin/x", 1);
    std::vector<std::uint64_t> rest = {99, frames};
    for (std::uint64_t at = 0; at < frames; ++at) rest.push_back(0x400000 + at);
    for (std::uint64_t at = 0; at < samples; ++at) {
        sketch.chain(0x400010, 7, 10 + at,
                     std::vector<std::uint64_t>{static_cast<std::uint64_t>(-512), 0x400010, deferred, 99});
    }
    sketch.kernel_record(RecordType::callchain_deferred, words(rest), 5000, 7);
    const TempDir folder;
    const auto path = folder.write("deferred", sketch.build());
    const auto got = run(folder, {"dump", "--json", path});
    CHECK(got.status == 0);
    CHECK(got.output.size() < 300 * std::filesystem::file_size(path));
    std::size_t cut = 0, whole = 0;
    for (std::size_t begin = 0; begin < got.output.size();) {
        const auto end = got.output.find('\n', begin);
        const auto line = Json::parse(got.output.substr(begin, end - begin));
        begin = end + 1;
        if (line["type"].text() == "CALLCHAIN_DEFERRED") {
            whole += line["ips"].items().size();
        } else if (line["type"].text() == "SAMPLE") {
            CHECK(line["user_callchain"].items().size() == 127);
            CHECK(line["user_callchain_more"].number() == frames - 127);
            ++cut;
        }
    }
    CHECK(cut == samples);
    CHECK(whole == frames);
}

TEST_CASE("A long name stands shortened in every line", "[takes]") {
    Sketch sketch;
    const std::string name(60000, 'n');
    sketch.comm(7, 1, name).symbol(0xffffffffc0000000, 64, name, 1);
    for (std::uint64_t at = 0; at < 2000; ++at) sketch.sample(0xffffffffc0000000 + at % 64, 7, 10 + at, Sketch::kernel);
    const TempDir folder;
    const auto path = folder.write("names", sketch.build());
    for (const auto& command : std::vector<std::vector<std::string>>{
             {"script"}, {"script", "--json"}, {"report", "--sort", "cpu,tid,symbol"}, {"annotate"}, {"bpf"}}) {
        auto arguments = command;
        if (command[0] != "bpf") arguments.emplace_back("--offline");
        arguments.push_back(path);
        const auto got = run(folder, arguments);
        INFO(command[0]);
        CHECK(got.status == 0);
        CHECK(got.output.size() < 2000 * 8000);  // three names in a line of script output, all shortened from 60 KB
        CHECK(got.output.find("nnn… (and 57952 more bytes)") != std::string::npos);
    }
}

TEST_CASE("A long bitmap is cut in text, with a word, and whole in JSON", "[takes]") {
    constexpr std::uint64_t blocks = 64 * 80000;
    std::vector<std::uint64_t> topology{1, std::uint64_t{1} << 27, 1, 0, std::uint64_t{1} << 40, blocks};
    topology.resize(topology.size() + blocks / 64, 0x5555555555555555);
    Sketch sketch;
    sketch.sample(1, 1, 1).feature(Feature::mem_topology, words(topology));
    const TempDir folder;
    const auto path = folder.write("topology", sketch.build());
    const auto got = run(folder, {"info", "--verbose", path});
    CHECK(got.status == 0);
    constexpr std::size_t most = std::size_t{64} << 20;
    if (measured) CHECK(got.memory < most);
    CHECK(got.output.find("... and " + std::to_string(blocks / 2 - 4096) + " more") != std::string::npos);
    const auto json = run(folder, {"info", "--json", path});
    CHECK(json.status == 0);
    CHECK(json.output.find(std::to_string(blocks - 2)) != std::string::npos);
}

TEST_CASE("Ranges that overlap are joined before samples are compared with them", "[takes]") {
    Sketch sketch(Sketch::plain | sample_bit::cpu);
    for (std::uint64_t at = 0; at < 20000; ++at) {
        sketch.record(RecordType::sample, words({at, std::uint64_t{1} << 32 | 1, 1 + at, 0}), Sketch::user);
    }
    const TempDir folder;
    const auto path = folder.write("cpus", sketch.build());
    std::string cpus = "0", times = "0,1";
    for (int range = 0; range < 5000; ++range) {
        cpus += ",0-65535";
        times += " 0,0.000000000";
    }
    const auto got = run(folder, {"script", "--offline", "-C", cpus, "--time", times, path});
    CHECK(got.status == 0);
    CHECK(std::ranges::count(got.output, '\n') == 20000);
    if (measured) CHECK(got.seconds < 2);
}
