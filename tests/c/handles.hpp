// SPDX-License-Identifier: MIT
// What tests of the C API share.
#pragma once

#include <perfdata/perfdata.h>
#include <string>

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

}  // namespace perfdata::test
