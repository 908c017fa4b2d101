// SPDX-License-Identifier: MIT
// Memory that runs out is a status, wherever it does.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "c/handles.hpp"

namespace {

// How many allocations are left before one fails; negative: all succeed.
std::atomic<long> left = -1;

void* take(std::size_t size) {
    auto now = left.load(std::memory_order_relaxed);
    if (now >= 0 && left.fetch_sub(1) <= 0) {
        left = 0;  // and so do all others
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
    return take(size);
}
void* operator new[](std::size_t size) {
    return take(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace perfdata::test;

namespace {

// Calls make() with ever more memory, until it succeeds; before, it must say that there was too little.
template <class Make>
void check_all(Make&& make) {
    long failed = 0;
    for (long allowed = 0;; allowed += 1 + allowed / 8) {
        left = allowed;
        const perfdata_status status = make();
        left = -1;
        if (status == PERFDATA_OK) break;
        ++failed;
        if (status != PERFDATA_OUT_OF_MEMORY) {
            INFO(allowed << " allocations");
            CHECK(std::string(perfdata_status_name(status)) == "out_of_memory");
        }
    }
    CHECK(failed > 0);
}

}  // namespace

TEST_CASE("A source is released whatever memory is left", "[c][memory]") {
    std::ifstream file(fixture_path("bpf/bpf_many.data"), std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    struct Remote {
        const std::vector<char>& bytes;
        int released = 0;
    } remote{bytes};
    auto source = made<perfdata_source>();
    source.bytes = bytes.size();
    source.user = &remote;
    source.name = "a name that fits into no small string";
    source.release = [](void* user) { ++static_cast<Remote*>(user)->released; };
    source.read_at = [](void* user, uint64_t offset, void* out, size_t count) -> int64_t {
        const auto& all = static_cast<Remote*>(user)->bytes;
        const auto begin = std::min<size_t>(all.size(), static_cast<size_t>(offset));
        const auto taken = std::min(count, all.size() - begin);
        if (taken != 0) std::memcpy(out, all.data() + begin, taken);
        return static_cast<int64_t>(taken);
    };
    for (long allowed = 0;; ++allowed) {
        INFO(allowed << " allocations");
        remote.released = 0;
        perfdata_recording* recording = nullptr;
        left = allowed;
        const auto status = perfdata_recording_open_source(&source, nullptr, &recording, nullptr);
        left = -1;
        CHECK(remote.released == (status == PERFDATA_OK ? 0 : 1));
        perfdata_recording_free(recording);
        CHECK(remote.released == 1);
        if (status == PERFDATA_OK) break;
    }
}

TEST_CASE("Wrong handles and arguments are told without memory", "[c][memory]") {
    auto error = made<perfdata_error>();
    auto info = made<perfdata_recording_info>();
    perfdata_recording* recording = nullptr;
    left = 0;
    const auto handle = perfdata_recording_get_info(nullptr, &info, &error);
    const std::string_view section = error.section;
    const auto argument = perfdata_recording_open(nullptr, nullptr, &recording, nullptr);
    left = -1;
    CHECK(handle == PERFDATA_INVALID_HANDLE);
    CHECK(section == "perfdata_recording");
    CHECK(argument == PERFDATA_INVALID_ARGUMENT);
}

TEST_CASE("Memory that runs out is a status in every call that makes something", "[c][memory]") {
    const auto path = fixture_path("bpf/bpf_many.data");
    const Opened opened;
    perfdata_recording* recording = nullptr;
    check_all([&] { return perfdata_recording_open(path.c_str(), nullptr, &recording, nullptr); });
    perfdata_recording_free(recording);
    perfdata_cancel* cancel = nullptr;
    check_all([&] { return perfdata_cancel_new(&cancel, nullptr); });
    perfdata_cancel_free(cancel);
    perfdata_code* code = nullptr;
    auto opening = made<perfdata_code_options>();
    opening.flags = PERFDATA_OFFLINE;
    check_all([&] { return perfdata_code_open(opened.recording, &opening, &code, nullptr); });
    perfdata_code_free(code);
    auto reading = made<perfdata_samples_options>();
    reading.code = opened.code;
    perfdata_samples* samples = nullptr;
    check_all([&] { return perfdata_samples_open(opened.recording, &reading, &samples, nullptr); });
    perfdata_samples_free(samples);
    perfdata_report* report = nullptr;
    check_all([&] { return perfdata_report_make(opened.code, nullptr, &report, nullptr); });
    perfdata_heat* heat = nullptr;
    check_all([&] { return perfdata_heat_make(opened.code, nullptr, &heat, nullptr); });
    perfdata_annotation* annotation = nullptr;
    check_all([&] { return perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr); });

    const char* text = nullptr;
    size_t length = 0;
    auto row = made<perfdata_row>();
    auto line = made<perfdata_heat_file>();
    auto instruction = made<perfdata_instruction>();
    check_all([&] { return perfdata_report_row(report, 0, &row, nullptr); });
    check_all([&] { return perfdata_report_json(report, &text, &length, nullptr); });
    check_all([&] { return perfdata_heat_get_file(heat, 0, &line, nullptr); });
    check_all([&] { return perfdata_annotation_instruction(annotation, 0, 0, &instruction, nullptr); });
    perfdata_annotation_free(annotation);
    perfdata_heat_free(heat);
    perfdata_report_free(report);
}
