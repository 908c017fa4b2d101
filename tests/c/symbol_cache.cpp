// SPDX-License-Identifier: MIT
// A cache of symbols for several recordings.
#include <string>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

// Returns the report of a recording with copies of stacks, by the files of its machine.
std::string report_of(const std::string& name, const perfdata_symbol_cache* cache) {
    const auto root = fixture_path("stacks/x86");
    perfdata_recording* recording = nullptr;
    perfdata_code* code = nullptr;
    perfdata_report* report = nullptr;
    REQUIRE(perfdata_recording_open(fixture_path(name).c_str(), nullptr, &recording, nullptr) == PERFDATA_OK);
    auto options = made<perfdata_code_options>();
    options.symfs = root.c_str();
    options.symbol_cache = cache;
    REQUIRE(perfdata_code_open(recording, &options, &code, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_report_make(code, nullptr, &report, nullptr) == PERFDATA_OK);
    const char* text = nullptr;
    size_t length = 0;
    REQUIRE(perfdata_report_json(report, &text, &length, nullptr) == PERFDATA_OK);
    std::string kept(text, length);
    perfdata_report_free(report);
    perfdata_code_free(code);
    perfdata_recording_free(recording);
    return kept;
}

perfdata_symbol_cache_info info_of(const perfdata_symbol_cache* cache) {
    auto info = made<perfdata_symbol_cache_info>();
    REQUIRE(perfdata_symbol_cache_get_info(cache, &info, nullptr) == PERFDATA_OK);
    return info;
}

}  // namespace

TEST_CASE("Recordings that share a cache say what they say without", "[c][cache]") {
    perfdata_symbol_cache* cache = nullptr;
    REQUIRE(perfdata_symbol_cache_new(nullptr, &cache, nullptr) == PERFDATA_OK);
    CHECK(info_of(cache).files == 0);
    CHECK(info_of(cache).bytes == 0);
    for (int again = 0; again < 2; ++again) {
        for (const auto* name : {"stacks/x86_plain.data", "stacks/x86_signals.data"}) {
            const auto shared = report_of(name, cache);
            CHECK(shared == report_of(name, nullptr));
            CHECK(shared.find("\"stacks\"") != std::string::npos);
            CHECK(info_of(cache).files == 1);  // one program
            CHECK(info_of(cache).bytes > 10000);
        }
    }
    CHECK(perfdata_symbol_cache_clear(cache, nullptr) == PERFDATA_OK);
    CHECK(info_of(cache).files == 0);
    CHECK(perfdata_symbol_cache_free(cache) == PERFDATA_OK);
    auto options = made<perfdata_symbol_cache_options>();
    options.bytes = 1;
    REQUIRE(perfdata_symbol_cache_new(&options, &cache, nullptr) == PERFDATA_OK);
    CHECK(report_of("stacks/x86_plain.data", cache) == report_of("stacks/x86_plain.data", nullptr));
    CHECK(info_of(cache).files == 0);
    perfdata_symbol_cache_free(cache);
}

TEST_CASE("A cache may be freed before what was opened with it", "[c][cache]") {
    const Opened opened;
    perfdata_symbol_cache* cache = nullptr;
    REQUIRE(perfdata_symbol_cache_new(nullptr, &cache, nullptr) == PERFDATA_OK);
    auto options = made<perfdata_code_options>();
    options.symbol_cache = cache;
    perfdata_code* code = nullptr;
    REQUIRE(perfdata_code_open(opened.recording, &options, &code, nullptr) == PERFDATA_OK);
    CHECK(perfdata_symbol_cache_free(cache) == PERFDATA_OK);
    perfdata_report* report = nullptr;
    CHECK(perfdata_report_make(code, nullptr, &report, nullptr) == PERFDATA_OK);
    perfdata_report_free(report);
    perfdata_code_free(code);
    auto error = made<perfdata_error>();
    CHECK(perfdata_code_open(opened.recording, &options, &code, &error) == PERFDATA_INVALID_HANDLE);
    CHECK(std::string(error.section) == "perfdata_symbol_cache");
}
