// SPDX-License-Identifier: MIT
// Processes that are forked while other threads use the library.
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

// What a child does, with handles of its parent and its own. Returns 0, or the number of what went wrong.
int live_as_child(const Opened& inherited, perfdata_cancel* flag, const std::string& path) {
    auto info = made<perfdata_recording_info>();
    auto place = made<perfdata_place>();
    if (perfdata_recording_get_info(inherited.recording, &info, nullptr) != PERFDATA_INVALID_HANDLE) return 1;
    if (perfdata_code_at(inherited.code, 1, 1, 1, PERFDATA_MODE_USER, &place, nullptr) != PERFDATA_INVALID_HANDLE) {
        return 2;
    }
    if (perfdata_cancel_request(flag, nullptr) != PERFDATA_INVALID_HANDLE) return 3;
    if (perfdata_recording_free(inherited.recording) != PERFDATA_INVALID_HANDLE) return 4;
    perfdata_recording* own = nullptr;
    if (perfdata_recording_open(path.c_str(), nullptr, &own, nullptr) != PERFDATA_OK) return 5;
    if (own == inherited.recording) return 6;
    if (perfdata_recording_get_info(own, &info, nullptr) != PERFDATA_OK || info.event_count != 2) return 7;
    if (perfdata_recording_free(own) != PERFDATA_OK) return 8;
    return 0;
}

}  // namespace

TEST_CASE("A child that is forked while threads use the library has its own handles at once", "[c][fork]") {
    const Opened opened;
    const auto path = fixture_path("bpf/bpf_many.data");
    perfdata_cancel* flag = nullptr;
    REQUIRE(perfdata_cancel_new(&flag, nullptr) == PERFDATA_OK);
    std::atomic<bool> enough = false;
    std::atomic<unsigned> warm = 0;
    const auto use = [&] {
        while (!enough) {
            perfdata_cancel* one = nullptr;
            auto place = made<perfdata_place>();
            perfdata_recording* recording = nullptr;
            for (int number = 0; number < 50; ++number) {
                perfdata_cancel_new(&one, nullptr);
                perfdata_code_at(opened.code, 1, 0x1000, 1, PERFDATA_MODE_USER, &place, nullptr);
                perfdata_cancel_free(one);
            }
            perfdata_recording_open(path.c_str(), nullptr, &recording, nullptr);
            perfdata_recording_free(recording);
            ++warm;
        }
    };
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) threads.emplace_back(use);
    while (warm < 8) std::this_thread::yield();
    for (int number = 0; number < 200; ++number) {
        const auto child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            ::alarm(30);  // it hangs
            ::_exit(live_as_child(opened, flag, path));
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(status == 0);
    }
    enough = true;
    for (auto& thread : threads) thread.join();
    // The parent's stay.
    auto info = made<perfdata_recording_info>();
    CHECK(perfdata_recording_get_info(opened.recording, &info, nullptr) == PERFDATA_OK);
    CHECK(perfdata_cancel_free(flag) == PERFDATA_OK);
}
