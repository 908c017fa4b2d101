// SPDX-License-Identifier: MIT
// The same handles on many threads at once.
#include <atomic>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

constexpr int threads = 8;

// Catch's assertions are not for threads: work returns how many of its checks failed.
template <class Work>
int on_threads(const Work& work) {
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> all;
        for (int number = 0; number < threads; ++number) {
            all.emplace_back([&, number] { failed += work(number); });
        }
    }
    return failed;
}

}  // namespace

TEST_CASE("Many threads ask the same handles", "[c][threads]") {
    const Opened opened;
    perfdata_annotation* annotation = nullptr;
    perfdata_report* report = nullptr;
    REQUIRE(perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_report_make(opened.code, nullptr, &report, nullptr) == PERFDATA_OK);
    const auto failed = on_threads([&](int number) {
        int bad = 0;
        const auto check = [&](bool right) { bad += right ? 0 : 1; };
        for (int round = 0; round < 20; ++round) {
            auto place = made<perfdata_place>();
            check(perfdata_code_at(opened.code, 1, 0xffffffffc038b9e0u + static_cast<unsigned>(number), 1,
                                   PERFDATA_MODE_KERNEL, &place, nullptr) == PERFDATA_OK);
            check(std::string(place.name) == "many_main/bump" && place.offset == static_cast<unsigned>(number));
            auto row = made<perfdata_row>();
            check(perfdata_report_row(report, 0, &row, nullptr) == PERFDATA_OK && row.self[0].hits > 0);
            const char* text = nullptr;
            size_t length = 0;
            check(perfdata_annotation_json(annotation, &text, &length, nullptr) == PERFDATA_OK && text[0] == '{');
            check(perfdata_report_json(report, &text, &length, nullptr) == PERFDATA_OK && text[0] == '{');
            auto instruction = made<perfdata_instruction>();
            check(perfdata_annotation_instruction(annotation, 0, 1, &instruction, nullptr) == PERFDATA_OK);
            check(std::string(instruction.text) != "");
            if (round % 8 != 0) continue;
            perfdata_heat* heat = nullptr;
            check(perfdata_heat_make(opened.code, nullptr, &heat, nullptr) == PERFDATA_OK);
            auto info = made<perfdata_heat_info>();
            check(perfdata_heat_get_info(heat, &info, nullptr) == PERFDATA_OK && info.totals[0].hits == 1230);
            check(perfdata_heat_free(heat) == PERFDATA_OK);
        }
        return bad;
    });
    CHECK(failed == 0);
    perfdata_report_free(report);
    perfdata_annotation_free(annotation);
}

TEST_CASE("Handles are opened, used and freed on many threads while others free them", "[c][threads]") {
    const Opened opened;
    std::atomic<perfdata_recording*> shared = nullptr;
    const auto failed = on_threads([&](int number) {
        int bad = 0;
        const auto path = fixture_path("bpf/bpf_many.data");
        for (int round = 0; round < 30; ++round) {
            if (number % 2 == 0) {
                perfdata_recording* mine = nullptr;
                if (perfdata_recording_open(path.c_str(), nullptr, &mine, nullptr) != PERFDATA_OK) ++bad;
                auto* const old = shared.exchange(mine);
                if (old != nullptr && perfdata_recording_free(old) != PERFDATA_OK) ++bad;
            } else {
                // It may be freed at any moment: the calls succeed, or say that it was.
                auto* const theirs = shared.load();
                perfdata_samples* samples = nullptr;
                const auto status = perfdata_samples_open(theirs, nullptr, &samples, nullptr);
                if (status != PERFDATA_OK && status != PERFDATA_INVALID_HANDLE) ++bad;
                if (status != PERFDATA_OK) continue;
                perfdata_sample item;
                size_t count = 0;
                if (perfdata_samples_read(samples, &item, sizeof item, 1, &count, nullptr) != PERFDATA_OK) ++bad;
                if (perfdata_samples_free(samples) != PERFDATA_OK) ++bad;
            }
        }
        return bad;
    });
    CHECK(failed == 0);
    CHECK(perfdata_recording_free(shared) == PERFDATA_OK);
}

TEST_CASE("Threads that read one samples handle get each sample once, or are told that it is busy", "[c][threads]") {
    const Opened opened;
    perfdata_samples* samples = nullptr;
    REQUIRE(perfdata_samples_open(opened.recording, nullptr, &samples, nullptr) == PERFDATA_OK);
    std::atomic<std::uint64_t> all = 0;
    const auto failed = on_threads([&](int) {
        for (;;) {
            std::vector<perfdata_sample> items(5);
            size_t count = 0;
            const auto status =
                perfdata_samples_read(samples, items.data(), sizeof items[0], items.size(), &count, nullptr);
            all += count;
            if (status == PERFDATA_END) return 0;
            if (status != PERFDATA_OK && status != PERFDATA_BUSY) return 1;
        }
    });
    CHECK(failed == 0);
    CHECK(all == 1230);
    CHECK(perfdata_samples_free(samples) == PERFDATA_OK);
}

TEST_CASE("A thread may end in a callback", "[c][threads]") {
    const Opened opened;
    for (const std::uint64_t jobs : {std::uint64_t{1}, std::uint64_t{3}}) {
        for (const bool while_reading : {false, true}) {
            struct Call {
                perfdata_code* code;
                std::uint64_t jobs;
                bool while_reading;
                // What it returned: it does if it was a thread of the library that ended.
                perfdata_status status = PERFDATA_CALLBACK;
            } call{opened.code, jobs, while_reading};
            pthread_t thread{};
            REQUIRE(pthread_create(
                        &thread, nullptr,
                        [](void* given) -> void* {
                            auto& self = *static_cast<Call*>(given);
                            auto control = made<perfdata_control>();
                            control.progress = [](void*, const char*, uint64_t, uint64_t) -> int {
                                pthread_exit(nullptr);
                            };
                            auto options = made<perfdata_annotation_options>();
                            options.control = &control;
                            options.jobs = self.jobs;
                            auto source = made<perfdata_source>();
                            source.bytes = 1000;
                            source.read_at = [](void*, uint64_t, void*, size_t) -> int64_t { pthread_exit(nullptr); };
                            perfdata_annotation* annotation = nullptr;
                            perfdata_recording* recording = nullptr;
                            if (self.while_reading) {
                                self.status = perfdata_recording_open_source(&source, nullptr, &recording, nullptr);
                            } else {
                                self.status = perfdata_annotation_make(self.code, &options, &annotation, nullptr);
                            }
                            return nullptr;
                        },
                        &call) == 0);
            REQUIRE(pthread_join(thread, nullptr) == 0);
            CHECK(call.status == PERFDATA_CALLBACK);
        }
    }
    // Nothing is held by what has ended.
    perfdata_annotation* annotation = nullptr;
    CHECK(perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr) == PERFDATA_OK);
    CHECK(perfdata_annotation_free(annotation) == PERFDATA_OK);
}

TEST_CASE("A call is cancelled from another thread", "[c][threads]") {
    const Opened opened;
    perfdata_cancel* cancel = nullptr;
    REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
    auto control = made<perfdata_control>();
    control.cancel = cancel;
    std::atomic<bool> stopped = false;
    std::jthread worker([&] {
        for (;;) {
            auto options = made<perfdata_heat_options>();
            options.control = &control;
            perfdata_heat* heat = nullptr;
            const auto status = perfdata_heat_make(opened.code, &options, &heat, nullptr);
            perfdata_heat_free(heat);
            if (status == PERFDATA_OK) continue;
            stopped = status == PERFDATA_CANCELLED;
            return;
        }
    });
    CHECK(perfdata_cancel_request(cancel, nullptr) == PERFDATA_OK);
    worker.join();
    CHECK(stopped);
    CHECK(perfdata_cancel_free(cancel) == PERFDATA_OK);
}
