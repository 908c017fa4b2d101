// SPDX-License-Identifier: MIT
// Callbacks that fail, throw, claim too much, stop, or call back into the library.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

std::vector<char> bytes_of(const std::string& name) {
    std::ifstream file(fixture_path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Remote is an input that misbehaves from an offset on.
struct Remote {
    enum class How { well, fails, throws, claims_more, claims_all, ends };

    std::vector<char> bytes = bytes_of("bpf/bpf_many.data");
    How how = How::well;
    uint64_t from = 0;
    size_t most = SIZE_MAX;  // at once
    int released = 0, reads = 0;

    static int64_t read(void* user, uint64_t offset, void* out, size_t count) {
        auto& self = *static_cast<Remote*>(user);
        ++self.reads;
        const auto rest = offset < self.bytes.size() ? self.bytes.size() - static_cast<size_t>(offset) : 0;
        const auto taken = std::min({count, rest, self.most});
        if (offset + taken > self.from) {
            switch (self.how) {
                case How::well: break;
                case How::fails: return -5;
                case How::throws: throw std::runtime_error("connection reset");
                case How::claims_more: return static_cast<int64_t>(count) + 1;
                case How::claims_all: return INT64_MAX;
                case How::ends: return 0;
            }
        }
        if (taken != 0) std::memcpy(out, self.bytes.data() + offset, taken);
        return static_cast<int64_t>(taken);
    }
    static void release(void* user) { ++static_cast<Remote*>(user)->released; }
    static void release_throwing(void* user) {
        ++static_cast<Remote*>(user)->released;
        throw 42;
    }

    perfdata_source source() {
        auto one = made<perfdata_source>();
        one.bytes = bytes.size();
        one.read_at = read;
        one.user = this;
        one.release = release;
        one.name = "far";
        return one;
    }
};

uint64_t samples_in(perfdata_recording* recording) {
    perfdata_samples* samples = nullptr;
    REQUIRE(perfdata_samples_open(recording, nullptr, &samples, nullptr) == PERFDATA_OK);
    std::vector<perfdata_sample> items(100);
    size_t count = 0;
    uint64_t all = 0;
    while (perfdata_samples_read(samples, items.data(), sizeof items[0], items.size(), &count, nullptr) ==
           PERFDATA_OK) {
        all += count;
    }
    perfdata_samples_free(samples);
    return all;
}

}  // namespace

TEST_CASE("A recording is read by a callback, in whatever pieces", "[c][callbacks]") {
    for (const size_t most : {SIZE_MAX, size_t{1000}, size_t{7}}) {
        Remote remote;
        remote.most = most;
        const auto source = remote.source();
        perfdata_recording* recording = nullptr;
        REQUIRE(perfdata_recording_open_source(&source, nullptr, &recording, nullptr) == PERFDATA_OK);
        CHECK(samples_in(recording) == 1230);
        auto info = made<perfdata_recording_info>();
        REQUIRE(perfdata_recording_get_info(recording, &info, nullptr) == PERFDATA_OK);
        CHECK(std::string(info.path) == "far");
        perfdata_recording* again = nullptr;
        CHECK(perfdata_recording_refresh(recording, &again, nullptr) == PERFDATA_UNSUPPORTED);
        perfdata_code* code = nullptr;
        REQUIRE(perfdata_code_open(recording, nullptr, &code, nullptr) == PERFDATA_OK);
        CHECK(perfdata_recording_free(recording) == PERFDATA_OK);
        CHECK(remote.released == 0);  // the code still reads it
        perfdata_heat* heat = nullptr;
        REQUIRE(perfdata_heat_make(code, nullptr, &heat, nullptr) == PERFDATA_OK);
        CHECK(perfdata_code_free(code) == PERFDATA_OK);
        CHECK(remote.released == 1);
        CHECK(perfdata_heat_free(heat) == PERFDATA_OK);
        CHECK(remote.released == 1);
    }
}

TEST_CASE("Memory is copied", "[c][callbacks]") {
    auto bytes = bytes_of("bpf/bpf_many.data");
    perfdata_recording* recording = nullptr;
    REQUIRE(perfdata_recording_open_memory(bytes.data(), bytes.size(), nullptr, &recording, nullptr) == PERFDATA_OK);
    std::fill(bytes.begin(), bytes.end(), '\0');
    bytes = {};
    CHECK(samples_in(recording) == 1230);
    perfdata_recording_free(recording);
}

TEST_CASE("A reader that misbehaves at once fails the opening", "[c][callbacks]") {
    using How = Remote::How;
    const auto check = [](How how, perfdata_status expected, const std::string& text) {
        Remote remote;
        remote.how = how;
        const auto source = remote.source();
        auto error = made<perfdata_error>();
        perfdata_recording* recording = nullptr;
        CHECK(perfdata_recording_open_source(&source, nullptr, &recording, &error) == expected);
        CHECK(recording == nullptr);
        CHECK(error.code == expected);
        INFO(error.text);
        CHECK(std::string(error.text).find(text) != std::string::npos);
        CHECK(remote.released == 1);
    };
    check(How::fails, PERFDATA_IO, "failed with -5");
    check(How::throws, PERFDATA_CALLBACK, "threw an exception");
    check(How::claims_more, PERFDATA_IO, "claims");
    check(How::claims_all, PERFDATA_IO, "claims 9223372036854775807 bytes");
    check(How::ends, PERFDATA_NOT_PERF_DATA, "");
}

TEST_CASE("A reader that misbehaves later is damage", "[c][callbacks]") {
    using How = Remote::How;
    for (const auto how : {How::fails, How::throws, How::claims_more, How::claims_all, How::ends}) {
        for (const uint64_t from : {uint64_t{200}, uint64_t{5000}, uint64_t{60000}}) {
            Remote remote;
            remote.how = how;
            remote.from = from;
            remote.most = 512;
            const auto source = remote.source();
            perfdata_recording* recording = nullptr;
            const auto opened = perfdata_recording_open_source(&source, nullptr, &recording, nullptr);
            if (opened == PERFDATA_OK) {
                CHECK(samples_in(recording) < 1230);
                perfdata_code* code = nullptr;
                CHECK(perfdata_code_open(recording, nullptr, &code, nullptr) == PERFDATA_OK);
                perfdata_report* report = nullptr;
                CHECK(perfdata_report_make(code, nullptr, &report, nullptr) == PERFDATA_OK);
                perfdata_report_free(report);
                perfdata_code_free(code);
                CHECK(perfdata_recording_free(recording) == PERFDATA_OK);
            }
            CHECK(remote.released == 1);
        }
    }
}

TEST_CASE("A release that throws is taken", "[c][callbacks]") {
    Remote remote;
    auto source = remote.source();
    source.release = Remote::release_throwing;
    perfdata_recording* recording = nullptr;
    REQUIRE(perfdata_recording_open_source(&source, nullptr, &recording, nullptr) == PERFDATA_OK);
    CHECK(perfdata_recording_free(recording) == PERFDATA_OK);
    CHECK(remote.released == 1);
    // What is refused before it is looked at is not released.
    source.read_at = nullptr;
    CHECK(perfdata_recording_open_source(&source, nullptr, &recording, nullptr) == PERFDATA_INVALID_ARGUMENT);
    CHECK(remote.released == 1);
}

namespace {

// Watcher is the user of a progress callback.
struct Watcher {
    enum class Does { watch, stop, fail, free_all, read_again } does = Does::watch;
    int after = 0;  // calls
    int calls = 0;
    std::vector<std::string> stages;
    perfdata_recording* recording = nullptr;
    perfdata_code* code = nullptr;
    perfdata_samples* samples = nullptr;
    perfdata_status inner = PERFDATA_OK;

    static int take(void* user, const char* stage, uint64_t, uint64_t) {
        auto& self = *static_cast<Watcher*>(user);
        if (self.stages.empty() || self.stages.back() != stage) self.stages.emplace_back(stage);
        if (self.calls++ < self.after) return 0;
        switch (self.does) {
            case Does::watch: return 0;
            case Does::stop: return 1;
            case Does::fail: throw std::runtime_error("no");
            case Does::free_all:
                perfdata_code_free(self.code);
                perfdata_recording_free(self.recording);
                return 0;
            case Does::read_again: {
                perfdata_sample sample;
                size_t count = 0;
                self.inner = perfdata_samples_read(self.samples, &sample, sizeof sample, 1, &count, nullptr);
                return 0;
            }
        }
        return 0;
    }
    perfdata_control control() {
        auto one = made<perfdata_control>();
        one.progress = take;
        one.user = this;
        return one;
    }
};

// A recording that is large enough for progress to be told.
constexpr const char* large = "records/switch.data";

}  // namespace

TEST_CASE("Progress is told, and stops calls", "[c][callbacks]") {
    Watcher watcher;
    auto control = watcher.control();
    {
        const Opened opened("bpf/bpf_many.data", &control);
        auto listing = made<perfdata_annotation_options>();
        listing.control = &control;
        perfdata_annotation* annotation = nullptr;
        REQUIRE(perfdata_annotation_make(opened.code, &listing, &annotation, nullptr) == PERFDATA_OK);
        perfdata_annotation_free(annotation);
        CHECK(std::find(watcher.stages.begin(), watcher.stages.end(), "listing functions") != watcher.stages.end());
    }
    const Opened opened;
    for (const auto does : {Watcher::Does::stop, Watcher::Does::fail}) {
        for (const int after : {0, 3}) {
            Watcher stopping;
            stopping.does = does;
            stopping.after = after;
            auto with = stopping.control();
            auto listing = made<perfdata_annotation_options>();
            listing.control = &with;
            perfdata_annotation* annotation = nullptr;
            auto error = made<perfdata_error>();
            const auto expected = does == Watcher::Does::stop ? PERFDATA_CANCELLED : PERFDATA_CALLBACK;
            CHECK(perfdata_annotation_make(opened.code, &listing, &annotation, &error) == expected);
            CHECK(error.code == expected);
            CHECK(annotation == nullptr);
            CHECK(stopping.calls == after + 1);
        }
    }
}

TEST_CASE("Progress is told while samples are ordered, and stops that", "[c][callbacks]") {
    const auto bytes = many_samples(10000);
    perfdata_recording* recording = nullptr;
    REQUIRE(perfdata_recording_open_memory(bytes.data(), bytes.size() * 8, nullptr, &recording, nullptr) ==
            PERFDATA_OK);
    for (const bool stops : {false, true}) {
        Watcher watcher;
        watcher.does = stops ? Watcher::Does::stop : Watcher::Does::watch;
        auto control = watcher.control();
        auto reading = made<perfdata_samples_options>();
        reading.control = &control;
        reading.order = PERFDATA_ORDER_TIME;
        perfdata_samples* samples = nullptr;
        const auto opening = perfdata_samples_open(recording, &reading, &samples, nullptr);
        CHECK(watcher.stages == std::vector<std::string>{"ordering records"});
        CHECK(opening == (stops ? PERFDATA_CANCELLED : PERFDATA_OK));
        CHECK((samples == nullptr) == stops);
        perfdata_samples_free(samples);
    }
    perfdata_recording_free(recording);
}

TEST_CASE("A cancelled flag stops every call that may take long", "[c][callbacks]") {
    const Opened opened;
    perfdata_cancel* cancel = nullptr;
    REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
    auto control = made<perfdata_control>();
    control.cancel = cancel;
    auto reading = made<perfdata_samples_options>();
    reading.control = &control;
    perfdata_samples* open = nullptr;
    REQUIRE(perfdata_samples_open(opened.recording, &reading, &open, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_cancel_request(cancel, nullptr) == PERFDATA_OK);
    perfdata_sample item;
    size_t count = 0;
    CHECK(perfdata_samples_read(open, &item, sizeof item, 1, &count, nullptr) == PERFDATA_CANCELLED);
    perfdata_samples_free(open);
    perfdata_samples* samples = nullptr;
    CHECK(perfdata_samples_open(opened.recording, &reading, &samples, nullptr) == PERFDATA_CANCELLED);
    auto opening = made<perfdata_code_options>();
    opening.control = &control;
    perfdata_code* code = nullptr;
    CHECK(perfdata_code_open(opened.recording, &opening, &code, nullptr) == PERFDATA_CANCELLED);
    auto rows = made<perfdata_report_options>();
    rows.control = &control;
    perfdata_report* report = nullptr;
    CHECK(perfdata_report_make(opened.code, &rows, &report, nullptr) == PERFDATA_CANCELLED);
    auto heating = made<perfdata_heat_options>();
    heating.control = &control;
    perfdata_heat* heat = nullptr;
    CHECK(perfdata_heat_make(opened.code, &heating, &heat, nullptr) == PERFDATA_CANCELLED);
    auto listing = made<perfdata_annotation_options>();
    listing.control = &control;
    perfdata_annotation* annotation = nullptr;
    CHECK(perfdata_annotation_make(opened.code, &listing, &annotation, nullptr) == PERFDATA_CANCELLED);
    perfdata_cancel_free(cancel);
    CHECK(perfdata_heat_make(opened.code, &heating, &heat, nullptr) == PERFDATA_INVALID_HANDLE);
}

TEST_CASE("Handles may be freed by a callback of a call that uses them", "[c][callbacks]") {
    Opened opened;
    Watcher watcher;
    watcher.does = Watcher::Does::free_all;
    watcher.recording = std::exchange(opened.recording, nullptr);
    auto* const code = watcher.code = std::exchange(opened.code, nullptr);
    auto control = watcher.control();
    auto listing = made<perfdata_annotation_options>();
    listing.control = &control;
    perfdata_annotation* annotation = nullptr;
    REQUIRE(perfdata_annotation_make(code, &listing, &annotation, nullptr) == PERFDATA_OK);
    auto info = made<perfdata_annotation_info>();
    CHECK(perfdata_annotation_get_info(annotation, &info, nullptr) == PERFDATA_OK);
    CHECK(info.function_count == 9);
    const char* text = nullptr;
    size_t length = 0;
    CHECK(perfdata_annotation_json(annotation, &text, &length, nullptr) == PERFDATA_OK);
    CHECK(perfdata_annotation_free(annotation) == PERFDATA_OK);
    CHECK(perfdata_code_free(code) == PERFDATA_INVALID_HANDLE);
}

TEST_CASE("A samples handle that is in use says so to its own callback", "[c][callbacks]") {
    Watcher watcher;
    watcher.does = Watcher::Does::read_again;
    auto control = watcher.control();
    perfdata_recording* recording = nullptr;
    REQUIRE(perfdata_recording_open(fixture_path(large).c_str(), nullptr, &recording, nullptr) == PERFDATA_OK);
    auto reading = made<perfdata_samples_options>();
    reading.control = &control;
    REQUIRE(perfdata_samples_open(recording, &reading, &watcher.samples, nullptr) == PERFDATA_OK);
    std::vector<perfdata_sample> items(1000);
    size_t count = 0;
    while (perfdata_samples_read(watcher.samples, items.data(), sizeof items[0], items.size(), &count, nullptr) ==
           PERFDATA_OK) {
    }
    if (watcher.calls != 0) CHECK(watcher.inner == PERFDATA_BUSY);
    perfdata_samples_free(watcher.samples);
    perfdata_recording_free(recording);
}
