// SPDX-License-Identifier: MIT
// What tests of the C API share.
#pragma once

#include <perfdata/perfdata.h>
#include <string>
#include <vector>

#include "catch.hpp"

namespace perfdata::test {

inline std::string fixture_path(const std::string& name) {
    return std::string(PERFDATA_FIXTURES) + "/" + name;
}

// made<T>() returns a struct of the API with its size set.
template <class T>
T made() {
    T one{};
    one.size = sizeof(T);
    return one;
}

// Opened is a recording and its code, freed at the end.
struct Opened {
    explicit Opened(const std::string& name = "bpf/bpf_many.data", perfdata_control* control = nullptr) {
        auto error = made<perfdata_error>();
        const auto opening = perfdata_recording_open(fixture_path(name).c_str(), nullptr, &recording, &error);
        INFO(error.text);
        REQUIRE(opening == PERFDATA_OK);
        auto options = made<perfdata_code_options>();
        options.flags = PERFDATA_OFFLINE;
        options.control = control;
        REQUIRE(perfdata_code_open(recording, &options, &code, &error) == PERFDATA_OK);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
        perfdata_code_free(code);
        perfdata_recording_free(recording);
    }

    perfdata_recording* recording = nullptr;
    perfdata_code* code = nullptr;
};

// Returns a recording, in words, of one event and so many samples of an address alone.
inline std::vector<uint64_t> many_samples(uint64_t samples) {
    constexpr uint64_t header = 104, attr = 136, section = 16, ip = 1, sample_type = ip;
    std::vector<uint64_t> words{0x32454c4946524550,      header,      attr + section, header, attr + section,
                                header + attr + section, samples * 16};
    words.resize(header / 8);
    const std::vector<uint64_t> described{1 | attr << 32, 0, 1000, sample_type};
    words.insert(words.end(), described.begin(), described.end());
    words.resize((header + attr + section) / 8);
    for (uint64_t number = 0; number < samples; ++number) {
        words.push_back(9 | uint64_t{2} << 32 | uint64_t{16} << 48);
        words.push_back(0x400000 + number);
    }
    return words;
}

}  // namespace perfdata::test
