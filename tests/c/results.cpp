// SPDX-License-Identifier: MIT
// What the C API says of recordings: fields, against what is known of the fixtures.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

std::vector<perfdata_sample> all_samples(const Opened& opened, const perfdata_filter* filter = nullptr,
                                         bool with_code = true, uint64_t order = PERFDATA_ORDER_FILE) {
    auto options = made<perfdata_samples_options>();
    options.filter = filter;
    options.order = order;
    if (with_code) options.code = opened.code;
    perfdata_samples* samples = nullptr;
    REQUIRE(perfdata_samples_open(opened.recording, &options, &samples, nullptr) == PERFDATA_OK);
    std::vector<perfdata_sample> all, part(64);
    size_t count = 0;
    while (perfdata_samples_read(samples, part.data(), sizeof part[0], part.size(), &count, nullptr) == PERFDATA_OK) {
        all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count));
    }
    perfdata_samples_free(samples);
    return all;
}

}  // namespace

TEST_CASE("Code that came and went is told by address and time", "[c][results]") {
    const Opened opened("bpf/bpf_reuse.data");
    auto info = made<perfdata_code_info>();
    REQUIRE(perfdata_code_get_info(opened.code, &info, nullptr) == PERFDATA_OK);
    CHECK(info.life_count == 49);
    std::size_t checked = 0;
    for (uint64_t at = 0; at < info.life_count; ++at) {
        auto life = made<perfdata_life>();
        REQUIRE(perfdata_code_life(opened.code, at, &life, nullptr) == PERFDATA_OK);
        if (life.program == 0 || life.until == PERFDATA_NO_OFFSET) continue;
        auto place = made<perfdata_place>();
        const auto ask = [&](uint64_t time) {
            REQUIRE(perfdata_code_at(opened.code, 1, life.address + 2, time, PERFDATA_MODE_KERNEL, &place, nullptr) ==
                    PERFDATA_OK);
        };
        ask(life.from);
        CHECK(std::string(place.symbol) == life.symbol);
        CHECK(place.offset == 2);
        CHECK(place.program == life.program);
        CHECK(place.from == life.from);
        ask(life.until - 1);
        CHECK(place.from == life.from);
        ask(life.until);
        CHECK(place.from != life.from);
        ++checked;
    }
    CHECK(checked > 30);
}

TEST_CASE("Samples are filtered by what they are and by their code", "[c][results]") {
    const Opened opened;
    CHECK(all_samples(opened).size() == 1230);
    auto filter = made<perfdata_filter>();
    const char* const symbols[] = {"bpf_prog_1cad43a02158b200_step"};
    filter.symbols = symbols;
    filter.symbol_count = 1;
    const auto in_step = all_samples(opened, &filter);
    CHECK(in_step.size() == 140);
    std::set<uint32_t> functions;
    for (const auto& sample : in_step) functions.insert(sample.function);
    CHECK(functions.size() == 1);
    filter = made<perfdata_filter>();
    filter.kinds = 1u << PERFDATA_KIND_BPF;
    CHECK(all_samples(opened, &filter).size() == 730);
    filter = made<perfdata_filter>();
    const auto whole = all_samples(opened, nullptr, false, PERFDATA_ORDER_TIME);
    const perfdata_time_range times[] = {{whole[100].time, whole[199].time}};
    filter.times = times;
    filter.time_count = 1;
    CHECK(all_samples(opened, &filter, false).size() >= 100);
    CHECK(all_samples(opened, &filter, false).size() < 110);
    filter = made<perfdata_filter>();
    const uint32_t pid = whole[0].pid;
    filter.pids = &pid;
    filter.pid_count = 1;
    for (const auto& sample : all_samples(opened, &filter, false)) CHECK(sample.pid == pid);
    CHECK(whole[0].function == PERFDATA_NO_FUNCTION);
}

TEST_CASE("Call chains are handed out with their modes", "[c][results]") {
    const Opened opened("records/group_chains.data");
    perfdata_samples* samples = nullptr;
    REQUIRE(perfdata_samples_open(opened.recording, nullptr, &samples, nullptr) == PERFDATA_OK);
    const perfdata_frame* frames = nullptr;
    size_t count = 0;
    CHECK(perfdata_samples_chain(samples, &frames, &count, nullptr) == PERFDATA_MISSING);
    perfdata_sample sample;
    std::uint64_t with_chain = 0;
    while (perfdata_samples_read(samples, &sample, sizeof sample, 1, &count, nullptr) == PERFDATA_OK) {
        REQUIRE(perfdata_samples_chain(samples, &frames, &count, nullptr) == PERFDATA_OK);
        CHECK(count == sample.chain);
        if (count == 0) continue;
        ++with_chain;
        CHECK(frames[0].address == sample.address);
        for (size_t at = 0; at < count; ++at) CHECK(frames[at].mode <= PERFDATA_MODE_GUEST_USER);
    }
    CHECK(with_chain > 0);
    CHECK(perfdata_samples_chain(samples, &frames, &count, nullptr) == PERFDATA_MISSING);
    CHECK((frames == nullptr && count == 0));
    perfdata_samples_free(samples);
}

TEST_CASE("The chain of the last sample is there however many were read with it", "[c][results]") {
    const Opened opened("records/group_chains.data");
    const auto all = all_samples(opened, nullptr, false);
    REQUIRE(all.size() > 3);
    // Batches that the end of the recording fills, cuts off, or cuts off after one sample.
    for (const std::size_t capacity : {all.size(), all.size() + 100, all.size() - 1}) {
        perfdata_samples* samples = nullptr;
        REQUIRE(perfdata_samples_open(opened.recording, nullptr, &samples, nullptr) == PERFDATA_OK);
        std::vector<perfdata_sample> part(capacity);
        const perfdata_frame* frames = nullptr;
        size_t count = 0, length = 0;
        while (perfdata_samples_read(samples, part.data(), sizeof part[0], capacity, &count, nullptr) == PERFDATA_OK) {
            INFO(count << " of " << capacity);
            CHECK(perfdata_samples_chain(samples, &frames, &length, nullptr) == PERFDATA_OK);
            CHECK(length == part[count - 1].chain);
            if (length != 0) CHECK(frames[0].address == part[count - 1].address);
        }
        CHECK(perfdata_samples_chain(samples, &frames, &length, nullptr) == PERFDATA_MISSING);
        perfdata_samples_free(samples);
    }
}

TEST_CASE("Every recording that is shipped goes through the C API", "[c][results]") {
    for (const std::string name :
         {"bpf/bpf_events.data", "bpf/bpf_twins.data", "records/brk.data", "records/cgns.data", "records/dwarf.data",
          "records/group.data", "records/killed.data", "records/lost.data", "records/multi.data", "records/pipe.data",
          "records/s390_basic.data", "records/stat.data", "records/threads.dir", "records/v72_defer.data",
          "records/v72_z.data", "records/zstd.data", "jit/tinyjit.data", "pokes/text_pokes.data"}) {
        INFO(name);
        const Opened opened(name);
        auto info = made<perfdata_recording_info>();
        REQUIRE(perfdata_recording_get_info(opened.recording, &info, nullptr) == PERFDATA_OK);
        const auto samples = all_samples(opened);
        CHECK(all_samples(opened, nullptr, false, PERFDATA_ORDER_TIME).size() == samples.size());
        perfdata_report* report = nullptr;
        auto rows = made<perfdata_report_options>();
        rows.flags = PERFDATA_REPORT_CHILDREN;
        REQUIRE(perfdata_report_make(opened.code, &rows, &report, nullptr) == PERFDATA_OK);
        auto of_report = made<perfdata_report_info>();
        REQUIRE(perfdata_report_get_info(report, &of_report, nullptr) == PERFDATA_OK);
        std::uint64_t kept = 0, self = 0;
        for (uint64_t event = 0; event < of_report.event_count; ++event) kept += of_report.kept[event].hits;
        for (uint64_t at = 0; at < of_report.row_count; ++at) {
            auto row = made<perfdata_row>();
            REQUIRE(perfdata_report_row(report, at, &row, nullptr) == PERFDATA_OK);
            for (uint64_t event = 0; event < of_report.event_count; ++event) self += row.self[event].hits;
        }
        CHECK(kept == samples.size());
        // Inlined functions are rows of their own, beside what they were inlined into.
        CHECK(self >= kept);
        perfdata_heat* heat = nullptr;
        REQUIRE(perfdata_heat_make(opened.code, nullptr, &heat, nullptr) == PERFDATA_OK);
        auto of_heat = made<perfdata_heat_info>();
        REQUIRE(perfdata_heat_get_info(heat, &of_heat, nullptr) == PERFDATA_OK);
        for (uint64_t event = 0; event < of_heat.event_count; ++event) {
            auto sum = of_heat.nowhere[event].hits + of_heat.no_lines[event].hits + of_heat.no_line[event].hits +
                       of_heat.damaged[event].hits + of_heat.limit[event].hits;
            for (uint64_t file = 0; file < of_heat.file_count; ++file) {
                auto one = made<perfdata_heat_file>();
                REQUIRE(perfdata_heat_get_file(heat, file, &one, nullptr) == PERFDATA_OK);
                sum += one.self[event].hits;
            }
            CHECK(sum == of_heat.totals[event].hits);
        }
        perfdata_annotation* annotation = nullptr;
        auto listing = made<perfdata_annotation_options>();
        listing.most = 5;
        REQUIRE(perfdata_annotation_make(opened.code, &listing, &annotation, nullptr) == PERFDATA_OK);
        const char* text = nullptr;
        size_t length = 0;
        CHECK(perfdata_annotation_json(annotation, &text, &length, nullptr) == PERFDATA_OK);
        CHECK(perfdata_report_json(report, &text, &length, nullptr) == PERFDATA_OK);
        perfdata_annotation_free(annotation);
        perfdata_heat_free(heat);
        perfdata_report_free(report);
    }
}

TEST_CASE("A recording that still grows is refreshed", "[c][results]") {
    const Opened opened;
    perfdata_recording* again = nullptr;
    REQUIRE(perfdata_recording_refresh(opened.recording, &again, nullptr) == PERFDATA_OK);
    CHECK(again != opened.recording);
    CHECK(perfdata_recording_free(again) == PERFDATA_OK);
    auto info = made<perfdata_recording_info>();
    CHECK(perfdata_recording_get_info(opened.recording, &info, nullptr) == PERFDATA_OK);
}
