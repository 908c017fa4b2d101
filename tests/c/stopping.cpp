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

TEST_CASE("A source is released where opening is stopped, not where its options are none", "[c][stopping]") {
    struct Counted {
        int released = 0;
        static void release(void* user) { ++static_cast<Counted*>(user)->released; }
        static int64_t read(void*, uint64_t, void*, size_t) { return 0; }
    } counted;
    auto source = made<perfdata_source>();
    source.bytes = 100;
    source.read_at = Counted::read;
    source.release = Counted::release;
    source.user = &counted;
    perfdata_cancel* cancel = nullptr;
    REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_cancel_request(cancel, nullptr) == PERFDATA_OK);
    auto control = made<perfdata_control>();
    auto options = made<perfdata_open_options>();
    options.control = &control;
    perfdata_recording* recording = nullptr;
    control.cancel = cancel;
    CHECK(perfdata_recording_open_source(&source, &options, &recording, nullptr) == PERFDATA_CANCELLED);
    CHECK(counted.released == 1);
    perfdata_cancel_free(cancel);
    CHECK(perfdata_recording_open_source(&source, &options, &recording, nullptr) == PERFDATA_INVALID_HANDLE);
    CHECK(counted.released == 2);
    control.size = 1;
    CHECK(perfdata_recording_open_source(&source, &options, &recording, nullptr) == PERFDATA_INVALID_ARGUMENT);
    CHECK(counted.released == 2);
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

TEST_CASE("JSON tells its progress, and is stopped by it", "[c][stopping]") {
    const Opened opened;
    perfdata_annotation* annotation = nullptr;
    perfdata_report* report = nullptr;
    REQUIRE(perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_report_make(opened.code, nullptr, &report, nullptr) == PERFDATA_OK);
    const auto ask = [&](bool of_report, const perfdata_control* control, const char** text, size_t* length) {
        return of_report ? perfdata_report_json_watched(report, control, text, length, nullptr)
                         : perfdata_annotation_json_watched(annotation, control, text, length, nullptr);
    };
    for (const bool of_report : {false, true}) {
        const char *text = nullptr, *again = nullptr;
        size_t length = 0;
        for (const auto does : {Viewer::Does::stop, Viewer::Does::fail}) {
            Viewer stopping;
            stopping.does = does;
            const auto control = stopping.control();
            const auto expected = does == Viewer::Does::stop ? PERFDATA_CANCELLED : PERFDATA_CALLBACK;
            CHECK(ask(of_report, &control, &text, &length) == expected);
            CHECK(stopping.told.size() == 1);
            CHECK(text == nullptr);
        }
        Viewer viewer;
        const auto control = viewer.control();
        REQUIRE(ask(of_report, &control, &text, &length) == PERFDATA_OK);
        CHECK(viewer.stages == std::vector<std::string>{"writing JSON"});
        CHECK(viewer.told.back() == std::pair<uint64_t, uint64_t>(length, 0));
        CHECK(std::string(text).size() == length);
        // It is made once.
        const auto calls = viewer.told.size();
        REQUIRE(ask(of_report, &control, &again, &length) == PERFDATA_OK);
        CHECK(again == text);
        CHECK(viewer.told.size() == calls);
        perfdata_cancel* cancel = nullptr;
        REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
        perfdata_cancel_request(cancel, nullptr);
        auto flag = made<perfdata_control>();
        flag.cancel = cancel;
        CHECK(ask(of_report, &flag, &text, &length) == PERFDATA_CANCELLED);
        perfdata_cancel_free(cancel);
    }
    perfdata_report_free(report);
    perfdata_annotation_free(annotation);
}

namespace {

// Asks for the same text from the callback of a call that writes it.
struct Asking {
    perfdata_annotation* annotation = nullptr;
    const char* text = nullptr;
    size_t length = 0;

    static int take(void* user, const char*, uint64_t, uint64_t) {
        auto& self = *static_cast<Asking*>(user);
        if (self.text != nullptr) return 0;
        return perfdata_annotation_json(self.annotation, &self.text, &self.length, nullptr) == PERFDATA_OK ? 0 : 1;
    }
};

}  // namespace

TEST_CASE("A callback may ask for the text that is being written", "[c][stopping]") {
    const Opened opened;
    Asking asking;
    REQUIRE(perfdata_annotation_make(opened.code, nullptr, &asking.annotation, nullptr) == PERFDATA_OK);
    auto control = made<perfdata_control>();
    control.progress = Asking::take;
    control.user = &asking;
    const char* text = nullptr;
    size_t length = 0;
    REQUIRE(perfdata_annotation_json_watched(asking.annotation, &control, &text, &length, nullptr) == PERFDATA_OK);
    CHECK(text == asking.text);
    CHECK(length == asking.length);
    perfdata_annotation_free(asking.annotation);
}

TEST_CASE("The search for an architecture that is not recorded is watched and stopped", "[c][stopping]") {
    const auto bytes = many_samples(20000);
    perfdata_recording* recording = nullptr;
    perfdata_code* code = nullptr;
    REQUIRE(perfdata_recording_open_memory(bytes.data(), bytes.size() * 8, nullptr, &recording, nullptr) ==
            PERFDATA_OK);
    REQUIRE(perfdata_code_open(recording, nullptr, &code, nullptr) == PERFDATA_OK);
    auto listing = made<perfdata_annotation_options>();
    Viewer viewer;
    auto control = viewer.control();
    listing.control = &control;
    perfdata_annotation* annotation = nullptr;
    REQUIRE(perfdata_annotation_make(code, &listing, &annotation, nullptr) == PERFDATA_OK);
    perfdata_annotation_free(annotation);
    const std::string stage = "looking for the architecture";
    REQUIRE(std::find(viewer.stages.begin(), viewer.stages.end(), stage) != viewer.stages.end());

    struct StopThere {
        std::string stage;
        int calls = 0;
        static int take(void* user, const char* stage, uint64_t, uint64_t) {
            auto& self = *static_cast<StopThere*>(user);
            return stage == self.stage && ++self.calls == 2 ? 1 : 0;
        }
    } there{stage};
    control.progress = StopThere::take;
    control.user = &there;
    CHECK(perfdata_annotation_make(code, &listing, &annotation, nullptr) == PERFDATA_CANCELLED);
    CHECK(there.calls == 2);
    perfdata_code_free(code);
    perfdata_recording_free(recording);
}

TEST_CASE("A question about code is stopped before its file is read", "[c][stopping]") {
    const Opened opened;
    auto place = made<perfdata_place>();
    auto error = made<perfdata_error>();
    const auto ask = [&](const perfdata_control* control) {
        return perfdata_code_at_watched(opened.code, 1, 0x1000, 1, PERFDATA_MODE_USER, control, &place, &error);
    };
    REQUIRE(perfdata_code_at(opened.code, 1, 0x1000, 1, PERFDATA_MODE_USER, &place, nullptr) == PERFDATA_OK);
    const auto plain = place;
    Viewer viewer;
    auto control = viewer.control();
    for (const auto* one :
         {static_cast<const perfdata_control*>(nullptr), static_cast<const perfdata_control*>(&control)}) {
        place = made<perfdata_place>();
        REQUIRE(ask(one) == PERFDATA_OK);
        CHECK(place.offset == plain.offset);
        CHECK(place.kind == plain.kind);
        CHECK(std::string(place.why) == plain.why);
    }
    REQUIRE(perfdata_cancel_new(&control.cancel, nullptr) == PERFDATA_OK);
    CHECK(ask(&control) == PERFDATA_OK);
    REQUIRE(perfdata_cancel_request(control.cancel, nullptr) == PERFDATA_OK);
    CHECK(ask(&control) == PERFDATA_CANCELLED);
    CHECK(error.code == PERFDATA_CANCELLED);
    perfdata_cancel_free(control.cancel);
}
