// SPDX-License-Identifier: MIT
// Null, freed, wrong and invented handles are errors.
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

// Calls is every function that takes a handle, by the type of it.
using Call = std::function<perfdata_status(void* handle, perfdata_error* error)>;

template <class Handle>
Handle* as(void* handle) {
    return static_cast<Handle*>(handle);
}

template <class Handle, class Filled>
Call getter(perfdata_status (*function)(const Handle*, Filled*, perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        auto filled = made<Filled>();
        return function(as<Handle>(handle), &filled, error);
    };
}
template <class Handle, class Filled>
Call indexed(perfdata_status (*function)(const Handle*, uint64_t, Filled*, perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        auto filled = made<Filled>();
        return function(as<Handle>(handle), 0, &filled, error);
    };
}
template <class Handle, class Filled>
Call twice_indexed(perfdata_status (*function)(const Handle*, uint64_t, uint64_t, Filled*, perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        auto filled = made<Filled>();
        return function(as<Handle>(handle), 0, 0, &filled, error);
    };
}
template <class Handle, class Options, class Made>
Call maker(perfdata_status (*function)(const Handle*, const Options*, Made**, perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        auto* result = reinterpret_cast<Made*>(std::uintptr_t{1});
        const auto status = function(as<Handle>(handle), nullptr, &result, error);
        if (status != PERFDATA_OK) CHECK(result == nullptr);
        return status;
    };
}
template <class Handle>
Call document(perfdata_status (*function)(const Handle*, const char**, size_t*, perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        const char* text = nullptr;
        size_t length = 0;
        return function(as<Handle>(handle), &text, &length, error);
    };
}

template <class Handle>
Call document(perfdata_status (*function)(const Handle*, const perfdata_control*, const char**, size_t*,
                                          perfdata_error*)) {
    return [function](void* handle, perfdata_error* error) {
        const char* text = nullptr;
        size_t length = 0;
        return function(as<Handle>(handle), nullptr, &text, &length, error);
    };
}

std::map<std::string, std::vector<Call>> calls() {
    std::map<std::string, std::vector<Call>> all;
    all["cancel"] = {[](void* handle, perfdata_error* error) {
        return perfdata_cancel_request(as<perfdata_cancel>(handle), error);
    }};
    all["recording"] = {getter(perfdata_recording_get_info),
                        indexed(perfdata_recording_event),
                        indexed(perfdata_recording_problem),
                        maker(perfdata_code_open),
                        maker(perfdata_samples_open),
                        maker(perfdata_recording_refresh_watched),
                        [](void* handle, perfdata_error* error) {
                            perfdata_recording* again = nullptr;
                            return perfdata_recording_refresh(as<perfdata_recording>(handle), &again, error);
                        }};
    all["symbol_cache"] = {getter(perfdata_symbol_cache_get_info), [](void* handle, perfdata_error* error) {
                               return perfdata_symbol_cache_clear(as<perfdata_symbol_cache>(handle), error);
                           }};
    all["code"] = {getter(perfdata_code_get_info),
                   indexed(perfdata_code_problem),
                   indexed(perfdata_code_life),
                   maker(perfdata_report_make),
                   maker(perfdata_heat_make),
                   maker(perfdata_annotation_make),
                   [](void* handle, perfdata_error* error) {
                       auto place = made<perfdata_place>();
                       return perfdata_code_at(as<perfdata_code>(handle), 1, 1, 1, PERFDATA_MODE_USER, &place, error);
                   },
                   [](void* handle, perfdata_error* error) {
                       auto place = made<perfdata_place>();
                       return perfdata_code_at_watched(as<perfdata_code>(handle), 1, 1, 1, PERFDATA_MODE_USER, nullptr,
                                                       &place, error);
                   },
                   [](void* handle, perfdata_error* error) {
                       const char* comm = nullptr;
                       return perfdata_code_comm(as<perfdata_code>(handle), 1, 1, &comm, error);
                   }};
    all["samples"] = {[](void* handle, perfdata_error* error) {
                          perfdata_sample sample;
                          size_t count = 7;
                          const auto status = perfdata_samples_read(as<perfdata_samples>(handle), &sample,
                                                                    sizeof sample, 1, &count, error);
                          if (status != PERFDATA_OK) CHECK(count == 0);
                          return status;
                      },
                      [](void* handle, perfdata_error* error) {
                          const perfdata_frame* frames = nullptr;
                          size_t count = 0;
                          return perfdata_samples_chain(as<perfdata_samples>(handle), &frames, &count, error);
                      },
                      [](void* handle, perfdata_error* error) {
                          auto place = made<perfdata_place>();
                          return perfdata_samples_place(as<perfdata_samples>(handle), 0, &place, error);
                      },
                      [](void* handle, perfdata_error* error) {
                          auto state = made<perfdata_samples_state>();
                          return perfdata_samples_get_state(as<perfdata_samples>(handle), &state, error);
                      },
                      [](void* handle, perfdata_error* error) {
                          auto problem = made<perfdata_error>();
                          return perfdata_samples_problem(as<perfdata_samples>(handle), 0, &problem, error);
                      }};
    all["report"] = {getter(perfdata_report_get_info), indexed(perfdata_report_row), document(perfdata_report_json),
                     document(perfdata_report_json_watched)};
    all["heat"] = {getter(perfdata_heat_get_info),
                   indexed(perfdata_heat_problem),
                   indexed(perfdata_heat_get_file),
                   twice_indexed(perfdata_heat_get_line),
                   [](void* handle, perfdata_error* error) {
                       uint64_t found = 0;
                       size_t count = 0;
                       return perfdata_heat_find(as<perfdata_heat>(handle), "a.c", &found, 1, &count, error);
                   },
                   [](void* handle, perfdata_error* error) {
                       auto function = made<perfdata_heat_function>();
                       return perfdata_heat_get_function(as<perfdata_heat>(handle), 0, 0, 0, &function, error);
                   }};
    all["annotation"] = {getter(perfdata_annotation_get_info),           indexed(perfdata_annotation_function),
                         twice_indexed(perfdata_annotation_instruction), twice_indexed(perfdata_annotation_line),
                         twice_indexed(perfdata_annotation_problem),     document(perfdata_annotation_json),
                         document(perfdata_annotation_json_watched)};
    return all;
}

perfdata_status free_any(const std::string& type, void* handle) {
    if (type == "cancel") return perfdata_cancel_free(as<perfdata_cancel>(handle));
    if (type == "recording") return perfdata_recording_free(as<perfdata_recording>(handle));
    if (type == "code") return perfdata_code_free(as<perfdata_code>(handle));
    if (type == "samples") return perfdata_samples_free(as<perfdata_samples>(handle));
    if (type == "report") return perfdata_report_free(as<perfdata_report>(handle));
    if (type == "symbol_cache") return perfdata_symbol_cache_free(as<perfdata_symbol_cache>(handle));
    if (type == "heat") return perfdata_heat_free(as<perfdata_heat>(handle));
    return perfdata_annotation_free(as<perfdata_annotation>(handle));
}

std::map<std::string, void*> handles() {
    std::map<std::string, void*> all;
    perfdata_cancel* cancel = nullptr;
    perfdata_symbol_cache* cache = nullptr;
    REQUIRE(perfdata_cancel_new(&cancel, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_symbol_cache_new(nullptr, &cache, nullptr) == PERFDATA_OK);
    Opened opened;
    perfdata_samples* samples = nullptr;
    perfdata_report* report = nullptr;
    perfdata_heat* heat = nullptr;
    perfdata_annotation* annotation = nullptr;
    REQUIRE(perfdata_samples_open(opened.recording, nullptr, &samples, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_report_make(opened.code, nullptr, &report, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_heat_make(opened.code, nullptr, &heat, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr) == PERFDATA_OK);
    all["cancel"] = cancel;
    all["symbol_cache"] = cache;
    all["recording"] = std::exchange(opened.recording, nullptr);
    all["code"] = std::exchange(opened.code, nullptr);
    all["samples"] = samples;
    all["report"] = report;
    all["heat"] = heat;
    all["annotation"] = annotation;
    return all;
}

}  // namespace

TEST_CASE("Null and invented handles are errors in every function", "[c]") {
    int on_stack = 0;
    static const int in_data = 0;
    const std::array<void*, 7> wrong{
        nullptr,
        &on_stack,
        const_cast<int*>(&in_data),
        reinterpret_cast<void*>(std::uintptr_t{1}),
        reinterpret_cast<void*>(~std::uintptr_t{0}),
        reinterpret_cast<void*>(~std::uintptr_t{0} >> 1),
        reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&on_stack) + 1),
    };
    for (const auto& [type, functions] : calls()) {
        for (std::size_t number = 0; number < functions.size(); ++number) {
            INFO(type << " " << number);
            for (auto* const handle : wrong) {
                auto error = made<perfdata_error>();
                CHECK(functions[number](handle, &error) == PERFDATA_INVALID_HANDLE);
                CHECK(error.code == PERFDATA_INVALID_HANDLE);
                CHECK(error.offset == PERFDATA_NO_OFFSET);
                CHECK(std::string(error.section) == "perfdata_" + type);
                CHECK(std::string(error.text) != "");
                CHECK(functions[number](handle, nullptr) == PERFDATA_INVALID_HANDLE);
            }
        }
        for (auto* const handle : wrong) {
            CHECK(free_any(type, handle) == (handle == nullptr ? PERFDATA_OK : PERFDATA_INVALID_HANDLE));
        }
    }
}

TEST_CASE("A handle of another type is an error in every function", "[c]") {
    auto all = handles();
    for (const auto& [type, functions] : calls()) {
        for (const auto& [other, handle] : all) {
            INFO(other << " as " << type);
            if (other == type) continue;
            for (const auto& function : functions) CHECK(function(handle, nullptr) == PERFDATA_INVALID_HANDLE);
            CHECK(free_any(type, handle) == PERFDATA_INVALID_HANDLE);
        }
        for (const auto& function : functions) CHECK(function(all[type], nullptr) != PERFDATA_INVALID_HANDLE);
    }
    for (const auto& [type, handle] : all) CHECK(free_any(type, handle) == PERFDATA_OK);
}

TEST_CASE("A freed handle stays wrong, whatever was opened since", "[c]") {
    auto all = handles();
    for (const auto& [type, handle] : all) CHECK(free_any(type, handle) == PERFDATA_OK);
    const auto others = handles();
    for (const auto& [type, functions] : calls()) {
        INFO(type);
        CHECK(others.at(type) != all[type]);
        for (const auto& function : functions) CHECK(function(all[type], nullptr) == PERFDATA_INVALID_HANDLE);
        CHECK(free_any(type, all[type]) == PERFDATA_INVALID_HANDLE);
    }
    for (const auto& [type, handle] : others) CHECK(free_any(type, handle) == PERFDATA_OK);
}

TEST_CASE("Handles are freed in any order", "[c]") {
    const auto functions = calls();
    for (const bool parents_first : {false, true}) {
        const auto all = handles();
        std::vector<std::string> order{"samples", "report",    "heat",         "annotation",
                                       "code",    "recording", "symbol_cache", "cancel"};
        if (parents_first)
            order = {"cancel", "symbol_cache", "recording", "code", "samples", "annotation", "heat", "report"};
        for (std::size_t freed = 0; freed < order.size(); ++freed) {
            CHECK(free_any(order[freed], all.at(order[freed])) == PERFDATA_OK);
            // The others still answer.
            for (auto left = freed + 1; left < order.size(); ++left) {
                for (const auto& function : functions.at(order[left])) {
                    CHECK(function(all.at(order[left]), nullptr) != PERFDATA_INVALID_HANDLE);
                }
            }
        }
    }
}
