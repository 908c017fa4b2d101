// SPDX-License-Identifier: MIT
// perfdata script must print the same bytes as perf script, with the same sources of names.
#include "script/script.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "tool/options/time_choice.hpp"

namespace {

using perfdata::FieldChoice;
using perfdata::ScriptOptions;
using perfdata::Symbolizer;
using perfdata::SymbolizerOptions;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// script(recording, fields, options) returns our lines.
std::vector<std::string> script(const std::filesystem::path& path, const std::string& fields, ScriptOptions options,
                                const std::string& kallsyms = {}) {
    const oracle::Opened opened(path);
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.finder.kallsyms = kallsyms;
    sources.jit.as_recorded = false;
    const auto names = Symbolizer::open(opened.recording, opened.timeline, sources);
    if (!fields.empty()) REQUIRE(options.fields.choose(fields));
    REQUIRE(options.fields.fit(opened.recording, options.chains));
    std::string text;
    const perfdata::Sink sink = [&](std::string_view part) { text += part; };
    REQUIRE(perfdata::write_script(opened.recording, names, options, sink));
    return lines_of(text);
}

// require_same(...) reports the first difference.
void require_same(const std::vector<std::string>& ours, const std::vector<std::string>& perfs) {
    const auto [our, perf] = std::ranges::mismatch(ours, perfs);
    INFO("line " << our - ours.begin() + 1);
    INFO("perf: " << (perf == perfs.end() ? "(end)" : *perf));
    INFO("ours: " << (our == ours.end() ? "(end)" : *our));
    REQUIRE((our == ours.end() && perf == perfs.end()));
    REQUIRE(!ours.empty());
}

// perf unwinds copies of user stacks only with files of the recorded machine. Without them it prints blocks without
// frames; we print the sample's address, or where the kernel was entered from, which is known. Removes our addresses
// there and returns how many.
std::size_t drop_lone_addresses(const std::filesystem::path& path, std::vector<std::string>& ours,
                                const std::vector<std::string>& perfs) {
    const oracle::Opened opened(path);
    const auto in_stack = [](const perfdata::Event& event) { return event.sample.shape().callers_in_stack(); };
    if (std::ranges::none_of(opened.recording.events().events(), in_stack)) return 0;
    std::size_t dropped = 0;
    std::vector<std::string> kept;
    for (std::size_t at = 0; at < ours.size(); ++at) {
        const auto perf = kept.size();
        const bool lone = ours[at].starts_with('\t') && at + 1 < ours.size() && perf < perfs.size() &&
                          ours[at] != perfs[perf] && ours[at + 1] == perfs[perf];
        if (lone) {
            ++dropped;
        } else {
            kept.push_back(ours[at]);
        }
    }
    ours = std::move(kept);
    return dropped;
}

// `perf stat record` writes counts, which perf script prints as a table, and no samples.
bool has_samples(const std::filesystem::path& path) {
    return !path.filename().string().starts_with("stat");
}

bool has_field(const std::filesystem::path& path, std::uint64_t sample_bits) {
    const oracle::Opened opened(path);
    return std::ranges::all_of(opened.recording.events().events(),
                               [&](const perfdata::Event& event) { return event.attr.has(sample_bits); });
}

}  // namespace

TEST_CASE("Scripts are perf's to the byte", "[script]") {
    for (const auto& path : oracle::perf_fixtures()) {
        if (!has_samples(path)) continue;
        INFO(path);
        auto ours = script(path, "", {});
        const auto perfs = oracle::perf_script(path, "");
        const auto dropped = drop_lone_addresses(path, ours, perfs);
        CHECK(dropped == (path.filename() == "dwarf.data" ? 15 : 0));
        require_same(ours, perfs);
    }
}

TEST_CASE("Recordings without samples have an empty script", "[script]") {
    CHECK(script(PERFDATA_FIXTURES "/records/stat.data", "", {}).empty());
}

TEST_CASE("Big-endian tracepoints have perf's text", "[script]") {
    const auto path = std::filesystem::path(PERFDATA_FIXTURES "/records/s390_tp.data");
    require_same(script(path, "", {}), oracle::perf_script(path, ""));
}

TEST_CASE("Scripts without call chains and with all digits of the time are perf's", "[script]") {
    ScriptOptions options;
    options.chains = false;
    options.nanoseconds = true;
    for (const auto& path : oracle::perf_fixtures()) {
        if (!has_samples(path)) continue;
        INFO(path);
        require_same(script(path, "", options), oracle::perf_script(path, "-G --ns"));
    }
}

TEST_CASE("Chosen fields are perf's", "[script]") {
    std::map<std::string, int> compared;
    const auto compare = [&](const std::filesystem::path& path, const std::string& fields) {
        INFO(path << " -F " << fields);
        // For a pipe with call chains perf adds two fields to any list. We do not.
        const bool adds = path.filename() == "pipe.data" && fields.find_first_of("+-") == std::string::npos;
        auto ours = script(path, adds ? fields + ",ip,sym" : fields, {});
        const auto perfs = oracle::perf_script(path, "-F " + fields);
        drop_lone_addresses(path, ours, perfs);
        require_same(ours, perfs);
        ++compared[fields];
    };
    for (const auto& path : oracle::perf_fixtures()) {
        if (!has_samples(path)) continue;
        for (const auto* fields : {"comm,tid,time,event", "pid,tid,time,event,period", "comm,pid,time,misc"}) {
            compare(path, fields);
        }
        namespace bit = perfdata::sample_bit;
        if (!has_field(path, bit::ip)) continue;
        for (const auto* fields : {"comm,ip,sym,dso", "ip", "time,ip,sym,symoff", "-period,-dso", "+pid,-comm"}) {
            compare(path, fields);
        }
        if (has_field(path, bit::cpu)) compare(path, "cpu,event,ip");
        if (has_field(path, bit::addr)) compare(path, "comm,addr,ip,sym");
        if (has_field(path, bit::regs_user)) compare(path, "time,ip,uregs");
        if (has_field(path, bit::regs_intr)) compare(path, "time,ip,iregs");
        if (has_field(path, bit::phys_addr)) compare(path, "time,phys_addr");
    }
    CHECK(compared.size() >= 11);
}

TEST_CASE("Short chains end where perf ends them", "[script]") {
    ScriptOptions options;
    options.most_frames = 3;
    const auto path = std::filesystem::path(PERFDATA_FIXTURES "/bpf/bpf_types.data");
    require_same(script(path, "", options), oracle::perf_script(path, "--max-stack 3"));
}

TEST_CASE("Filters choose the samples that perf chooses", "[script]") {
    const auto path = std::filesystem::path(PERFDATA_FIXTURES "/bpf/bpf_turns.data");
    ScriptOptions by_comm;
    by_comm.filter.comms = {"load"};
    require_same(script(path, "", by_comm), oracle::perf_script(path, "--comms load"));
    ScriptOptions by_cpu;
    by_cpu.filter.cpus = {1};
    require_same(script(path, "", by_cpu), oracle::perf_script(path, "-C 1"));
    ScriptOptions by_time;
    by_time.filter.times = {{{23'100'000'000}, {23'200'000'000}}};
    require_same(script(path, "", by_time), oracle::perf_script(path, "--time 23.1,23.2"));
    by_time.filter.times.push_back({{24'000'000'000}, {24'500'000'000}});
    require_same(script(path, "", by_time), oracle::perf_script(path, "--time '23.1,23.2 24,24.5'"));
}

TEST_CASE("Parts of a recording are those of perf", "[script]") {
    // They say when the first and the last sample were, as perf needs it.
    for (const std::string file : {"multi", "brk", "lost", "read", "a64_bpf_live"}) {
        const auto path = std::filesystem::path(PERFDATA_FIXTURES "/records/" + file + ".data");
        const auto recording = perfdata::Recording::open(path.string()).value();
        for (const std::string part : {"10%/2", "10%", "33.3%/3", "0%-10%,90%-100%", "30%/1,30%/3", "12.5%-37.5%"}) {
            INFO(file << ' ' << part);
            ScriptOptions options;
            options.filter.times = perfdata::tool::TimeChoice::parse(part).value().ranges(recording).value();
            require_same(script(path, "", options), oracle::perf_script(path, "--time " + part));
        }
    }
}

TEST_CASE("JSON has a line for each sample", "[script]") {
    for (const auto& path : oracle::perf_fixtures()) {
        if (!has_samples(path)) continue;
        INFO(path);
        ScriptOptions options;
        options.json = true;
        const auto json = script(path, "", options);
        const auto samples = oracle::perf_sample_events(path);
        REQUIRE(json.size() == samples.size());
        for (std::size_t index = 0; index < json.size(); ++index) {
            REQUIRE(json[index].starts_with("{"));
            REQUIRE(json[index].ends_with("}"));
            // "TID NANOSECONDS EVENT"
            const auto tid = samples[index].substr(0, samples[index].find(' '));
            REQUIRE(json[index].find("\"tid\":" + tid + ",") != std::string::npos);
        }
    }
}
