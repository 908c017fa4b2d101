// SPDX-License-Identifier: MIT
// Opening of packed input, and documents: watched and stopped.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

std::string text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns a gzip file that stores the content.
std::string gzipped(const std::string& content) {
    const auto little = [](std::uint32_t value, int bytes) {
        std::string text;
        for (int at = 0; at < bytes; ++at) text += static_cast<char>(value >> 8 * at);
        return text;
    };
    std::string packed("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    constexpr std::size_t most = 65535;
    for (std::size_t at = 0; at < content.size(); at += most) {
        const auto part = content.substr(at, most);
        const auto size = static_cast<std::uint32_t>(part.size());
        packed += at + most >= content.size() ? '\1' : '\0';
        packed += little(size, 2) + little(~size, 2) + part;
    }
    std::uint32_t sum = ~0u;
    for (const char byte : content) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    return packed + little(~sum, 4) + little(static_cast<std::uint32_t>(content.size()), 4);
}

// PackedFile is a packed recording of a megabyte and more, in a file that disappears.
struct PackedFile {
    PackedFile() {
        auto content = text_of_file(fixture_path("bpf/bpf_many.data"));
        bytes = content.size() + (std::size_t{1} << 20);
        content.resize(bytes);
        packed = gzipped(content);
        path = std::string(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") + "/perfdata-packed-" +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".gz";
        std::ofstream(path, std::ios::binary) << packed;
    }
    PackedFile(const PackedFile&) = delete;
    PackedFile& operator=(const PackedFile&) = delete;
    ~PackedFile() { std::remove(path.c_str()); }

    std::size_t bytes = 0;  // unpacked
    std::string packed, path;
};

struct Viewer {
    enum class Does { watch, stop, fail } does = Does::watch;
    int after = 0;  // calls
    std::vector<std::string> stages;
    std::vector<std::pair<uint64_t, uint64_t>> told;

    static int take(void* user, const char* stage, uint64_t done, uint64_t all) {
        auto& self = *static_cast<Viewer*>(user);
        if (self.stages.empty() || self.stages.back() != stage) self.stages.emplace_back(stage);
        self.told.emplace_back(done, all);
        if (self.told.size() <= static_cast<std::size_t>(self.after)) return 0;
        if (self.does == Does::fail) throw std::runtime_error("no");
        return self.does == Does::stop ? 1 : 0;
    }
    perfdata_control control() {
        auto one = made<perfdata_control>();
        one.progress = take;
        one.user = this;
        return one;
    }
};

int64_t read_text(void* user, uint64_t offset, void* out, size_t count) {
    const auto& text = *static_cast<const std::string*>(user);
    const auto part = offset < text.size() ? text.substr(static_cast<std::size_t>(offset), count) : std::string();
    std::copy(part.begin(), part.end(), static_cast<char*>(out));
    return static_cast<int64_t>(part.size());
}

// Each way of opening, by number, with a control.
perfdata_status open_in(int way, PackedFile& file, const perfdata_recording* old, const perfdata_control* control,
                        perfdata_recording** recording, perfdata_error* error) {
    auto options = made<perfdata_open_options>();
    options.control = control;
    auto source = made<perfdata_source>();
    source.bytes = file.packed.size();
    source.read_at = read_text;
    source.user = &file.packed;
    switch (way) {
        case 0: return perfdata_recording_open(file.path.c_str(), &options, recording, error);
        case 1: return perfdata_recording_open_source(&source, &options, recording, error);
        case 2: return perfdata_recording_refresh_watched(old, control, recording, error);
        default: {
            const auto plain = text_of_file(fixture_path("bpf/bpf_many.data"));
            return perfdata_recording_open_memory(plain.data(), plain.size(), &options, recording, error);
        }
    }
}

}  // namespace

TEST_CASE("Opening packed input tells its progress, and is stopped by it", "[c][stopping]") {
    PackedFile file;
    perfdata_recording* old = nullptr;
    REQUIRE(perfdata_recording_open(file.path.c_str(), nullptr, &old, nullptr) == PERFDATA_OK);
    for (int way = 0; way < 4; ++way) {
        INFO(way);
        Viewer viewer;
        const auto control = viewer.control();
        perfdata_recording* recording = nullptr;
        auto error = made<perfdata_error>();
        REQUIRE(open_in(way, file, old, &control, &recording, &error) == PERFDATA_OK);
        auto info = made<perfdata_recording_info>();
        REQUIRE(perfdata_recording_get_info(recording, &info, nullptr) == PERFDATA_OK);
        perfdata_recording_free(recording);
        CHECK(viewer.stages == std::vector<std::string>{"reading the input"});
        if (way != 3) {
            CHECK(info.bytes == file.bytes);
            CHECK(viewer.told.size() >= 4);
            CHECK(viewer.told.back().second == file.packed.size());
        }
        for (const auto does : {Viewer::Does::stop, Viewer::Does::fail}) {
            Viewer stopping;
            stopping.does = does;
            stopping.after = way == 3 ? 0 : 2;
            const auto with = stopping.control();
            const auto expected = does == Viewer::Does::stop ? PERFDATA_CANCELLED : PERFDATA_CALLBACK;
            CHECK(open_in(way, file, old, &with, &recording, &error) == expected);
            CHECK(error.code == expected);
            CHECK(recording == nullptr);
            CHECK(stopping.told.size() == static_cast<std::size_t>(stopping.after + 1));
        }
    }
    perfdata_recording_free(old);
}

TEST_CASE("A cancelled flag stops opening", "[c][stopping]") {
    PackedFile file;
    perfdata_recording* old = nullptr;
    REQUIRE(perfdata_recording_open(file.path.c_str(), nullptr, &old, nullptr) == PERFDATA_OK);
    perfdata_cancel* cancel = nullptr;
    REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_cancel_request(cancel, nullptr) == PERFDATA_OK);
    auto control = made<perfdata_control>();
    control.cancel = cancel;
    for (int way = 0; way < 4; ++way) {
        perfdata_recording* recording = nullptr;
        CHECK(open_in(way, file, old, &control, &recording, nullptr) == PERFDATA_CANCELLED);
        CHECK(recording == nullptr);
    }
    perfdata_cancel_free(cancel);
    perfdata_recording_free(old);
}

TEST_CASE("Open options of version 1 have no control", "[c][stopping]") {
    auto options = made<perfdata_open_options>();
    options.size = offsetof(perfdata_open_options, control);
    options.control = reinterpret_cast<const perfdata_control*>(std::uintptr_t{1});  // beyond its size
    perfdata_recording* recording = nullptr;
    REQUIRE(perfdata_recording_open(fixture_path("bpf/bpf_many.data").c_str(), &options, &recording, nullptr) ==
            PERFDATA_OK);
    perfdata_recording_free(recording);
}
