// SPDX-License-Identifier: MIT
// Structs of other sizes, null arguments, values out of range.
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "annotate/c/call.hpp"
#include "c/handles.hpp"

using namespace perfdata::test;

namespace {

// Exact is a block of memory of exactly so many bytes: sanitizers see what is read or written behind it.
class Exact {
  public:
    explicit Exact(std::size_t bytes, unsigned char filled = 0) : bytes_(bytes), memory_(std::malloc(bytes)) {
        std::memset(memory_, filled, bytes);
        if (bytes >= sizeof(bytes)) set_size(bytes);
    }
    Exact(const Exact&) = delete;
    Exact& operator=(const Exact&) = delete;
    ~Exact() { std::free(memory_); }

    void set_size(std::size_t size) { std::memcpy(memory_, &size, sizeof size); }
    template <class T>
    T* as() {
        return static_cast<T*>(memory_);
    }
    unsigned char* bytes() { return static_cast<unsigned char*>(memory_); }
    std::size_t size() const { return bytes_; }

  private:
    std::size_t bytes_;
    void* memory_;
};

// Calls function(options) with every size of its struct, and some that no struct has. It must succeed for sizes that
// end between members, and for larger ones.
template <class Options, class Function>
void check_options(Function&& function) {
    for (std::size_t size = sizeof(std::size_t); size <= sizeof(Options) + 40; ++size) {
        INFO(size << " of " << sizeof(Options));
        Exact options(size, 0);
        const auto status = function(options.as<Options>());
        CHECK(status == (size % sizeof(void*) == 0 ? PERFDATA_OK : PERFDATA_INVALID_ARGUMENT));
    }
    // What a newer version put behind is ignored.
    Exact newer(sizeof(Options) + 64, 0);
    std::memset(newer.bytes() + sizeof(Options), 0xff, 64);
    CHECK(function(newer.as<Options>()) == PERFDATA_OK);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1} << 20,
                                   std::numeric_limits<std::size_t>::max()}) {
        INFO(size);
        Exact options(sizeof(Options), 0);
        options.set_size(size);
        CHECK(function(options.as<Options>()) == PERFDATA_INVALID_ARGUMENT);
    }
}

// Calls function(filled) likewise: smaller sizes fail and nothing is written, larger ones keep what is behind.
template <class Filled, class Function>
void check_filled(Function&& function) {
    for (std::size_t size = sizeof(std::size_t); size <= sizeof(Filled) + 40; ++size) {
        INFO(size << " of " << sizeof(Filled));
        Exact filled(size, 0xa5);
        const auto status = function(filled.as<Filled>());
        CHECK(status == (size >= sizeof(Filled) ? PERFDATA_OK : PERFDATA_INVALID_ARGUMENT));
        const auto kept = size >= sizeof(Filled) ? sizeof(Filled) : sizeof(std::size_t);
        for (auto at = kept; at < size; ++at) CHECK(filled.bytes()[at] == 0xa5);
        std::size_t told = 0;
        std::memcpy(&told, filled.bytes(), sizeof told);
        CHECK(told == size);
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::numeric_limits<std::size_t>::max()}) {
        Exact filled(sizeof(Filled), 0xa5);
        filled.set_size(size);
        CHECK(function(filled.as<Filled>()) == PERFDATA_INVALID_ARGUMENT);
    }
    CHECK(function(static_cast<Filled*>(nullptr)) == PERFDATA_INVALID_ARGUMENT);
}

}  // namespace

TEST_CASE("Options of other sizes are taken safely", "[c]") {
    const Opened opened;
    const auto path = fixture_path("bpf/bpf_many.data");
    check_options<perfdata_open_options>([&](const perfdata_open_options* options) {
        perfdata_recording* made = nullptr;
        const auto status = perfdata_recording_open(path.c_str(), options, &made, nullptr);
        perfdata_recording_free(made);
        return status;
    });
    check_options<perfdata_limits>([&](const perfdata_limits* limits) {
        auto options = made<perfdata_open_options>();
        options.limits = limits;
        perfdata_recording* made = nullptr;
        const auto status = perfdata_recording_open(path.c_str(), &options, &made, nullptr);
        perfdata_recording_free(made);
        return status;
    });
    check_options<perfdata_samples_options>([&](const perfdata_samples_options* options) {
        perfdata_samples* made = nullptr;
        const auto status = perfdata_samples_open(opened.recording, options, &made, nullptr);
        perfdata_samples_free(made);
        return status;
    });
    check_options<perfdata_filter>([&](const perfdata_filter* filter) {
        auto options = made<perfdata_samples_options>();
        options.filter = filter;
        perfdata_samples* made = nullptr;
        const auto status = perfdata_samples_open(opened.recording, &options, &made, nullptr);
        perfdata_samples_free(made);
        return status;
    });
    check_options<perfdata_control>([&](const perfdata_control* control) {
        auto options = made<perfdata_samples_options>();
        options.control = control;
        perfdata_samples* made = nullptr;
        const auto status = perfdata_samples_open(opened.recording, &options, &made, nullptr);
        perfdata_samples_free(made);
        return status;
    });
    check_options<perfdata_code_options>([&](const perfdata_code_options* options) {
        perfdata_code* made = nullptr;
        const auto status = perfdata_code_open(opened.recording, options, &made, nullptr);
        perfdata_code_free(made);
        return status;
    });
    check_options<perfdata_symbol_cache_options>([&](const perfdata_symbol_cache_options* options) {
        perfdata_symbol_cache* made = nullptr;
        const auto status = perfdata_symbol_cache_new(options, &made, nullptr);
        perfdata_symbol_cache_free(made);
        return status;
    });
    check_options<perfdata_report_options>([&](const perfdata_report_options* options) {
        perfdata_report* made = nullptr;
        const auto status = perfdata_report_make(opened.code, options, &made, nullptr);
        perfdata_report_free(made);
        return status;
    });
    check_options<perfdata_heat_options>([&](const perfdata_heat_options* options) {
        perfdata_heat* made = nullptr;
        const auto status = perfdata_heat_make(opened.code, options, &made, nullptr);
        perfdata_heat_free(made);
        return status;
    });
    check_options<perfdata_annotation_options>([&](const perfdata_annotation_options* options) {
        perfdata_annotation* made = nullptr;
        const auto status = perfdata_annotation_make(opened.code, options, &made, nullptr);
        perfdata_annotation_free(made);
        return status;
    });
}

TEST_CASE("Structs to fill of other sizes are filled safely", "[c]") {
    const Opened opened;
    perfdata_report* report = nullptr;
    perfdata_heat* heat = nullptr;
    perfdata_annotation* annotation = nullptr;
    perfdata_samples* samples = nullptr;
    auto reading = made<perfdata_samples_options>();
    reading.code = opened.code;
    REQUIRE(perfdata_report_make(opened.code, nullptr, &report, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_heat_make(opened.code, nullptr, &heat, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_annotation_make(opened.code, nullptr, &annotation, nullptr) == PERFDATA_OK);
    REQUIRE(perfdata_samples_open(opened.recording, &reading, &samples, nullptr) == PERFDATA_OK);
    std::vector<perfdata_sample> items(2);
    size_t count = 0;
    REQUIRE(perfdata_samples_read(samples, items.data(), sizeof items[0], 2, &count, nullptr) == PERFDATA_OK);

    const auto check = [](auto* of, auto function) {
        using Filled = std::remove_pointer_t<decltype(of)>;
        check_filled<Filled>(function);
    };
    check(static_cast<perfdata_recording_info*>(nullptr),
          [&](auto* out) { return perfdata_recording_get_info(opened.recording, out, nullptr); });
    check(static_cast<perfdata_event*>(nullptr),
          [&](auto* out) { return perfdata_recording_event(opened.recording, 0, out, nullptr); });
    check(static_cast<perfdata_limits*>(nullptr), [&](auto* out) { return perfdata_limits_within(0, out, nullptr); });
    check(static_cast<perfdata_code_info*>(nullptr),
          [&](auto* out) { return perfdata_code_get_info(opened.code, out, nullptr); });
    check(static_cast<perfdata_place*>(nullptr),
          [&](auto* out) { return perfdata_code_at(opened.code, 1, 1, 1, PERFDATA_MODE_USER, out, nullptr); });
    check(static_cast<perfdata_place*>(nullptr),
          [&](auto* out) { return perfdata_samples_place(samples, 0, out, nullptr); });
    check(static_cast<perfdata_life*>(nullptr),
          [&](auto* out) { return perfdata_code_life(opened.code, 0, out, nullptr); });
    check(static_cast<perfdata_samples_state*>(nullptr),
          [&](auto* out) { return perfdata_samples_get_state(samples, out, nullptr); });
    check(static_cast<perfdata_report_info*>(nullptr),
          [&](auto* out) { return perfdata_report_get_info(report, out, nullptr); });
    check(static_cast<perfdata_row*>(nullptr), [&](auto* out) { return perfdata_report_row(report, 0, out, nullptr); });
    check(static_cast<perfdata_heat_info*>(nullptr),
          [&](auto* out) { return perfdata_heat_get_info(heat, out, nullptr); });
    check(static_cast<perfdata_heat_file*>(nullptr),
          [&](auto* out) { return perfdata_heat_get_file(heat, 0, out, nullptr); });
    check(static_cast<perfdata_heat_line*>(nullptr),
          [&](auto* out) { return perfdata_heat_get_line(heat, 0, 0, out, nullptr); });
    check(static_cast<perfdata_heat_function*>(nullptr),
          [&](auto* out) { return perfdata_heat_get_function(heat, 0, 0, 0, out, nullptr); });
    check(static_cast<perfdata_annotation_info*>(nullptr),
          [&](auto* out) { return perfdata_annotation_get_info(annotation, out, nullptr); });
    check(static_cast<perfdata_function*>(nullptr),
          [&](auto* out) { return perfdata_annotation_function(annotation, 0, out, nullptr); });
    check(static_cast<perfdata_instruction*>(nullptr),
          [&](auto* out) { return perfdata_annotation_instruction(annotation, 0, 0, out, nullptr); });
    check(static_cast<perfdata_line*>(nullptr),
          [&](auto* out) { return perfdata_annotation_line(annotation, 0, 0, out, nullptr); });
    perfdata_symbol_cache* cache = nullptr;
    REQUIRE(perfdata_symbol_cache_new(nullptr, &cache, nullptr) == PERFDATA_OK);
    check(static_cast<perfdata_symbol_cache_info*>(nullptr),
          [&](auto* out) { return perfdata_symbol_cache_get_info(cache, out, nullptr); });
    perfdata_symbol_cache_free(cache);
    perfdata_samples_free(samples);
    perfdata_annotation_free(annotation);
    perfdata_heat_free(heat);
    perfdata_report_free(report);
}

namespace {

// Grown is a struct that got a member since version 1.
struct Grown {
    std::size_t size;
    std::uint64_t first;
    std::uint64_t later;
};

}  // namespace

template <>
inline constexpr std::size_t perfdata::c::first_size<Grown> = offsetof(Grown, later);

TEST_CASE("A struct that grows is filled as far as its caller knows it", "[c]") {
    const Grown whole{sizeof(Grown), 1, 2};
    for (const std::size_t size : {std::size_t{16}, std::size_t{24}, std::size_t{32}}) {
        INFO(size);
        Exact given(size, 0xa5);
        perfdata::c::fill(given.as<Grown>(), whole, "grown");
        std::vector<std::uint64_t> words(size / 8);
        std::memcpy(words.data(), given.bytes(), size);
        CHECK(words[0] == size);
        CHECK(words[1] == 1);
        if (size > 16) CHECK(words[2] == 2);
        if (size > 24) CHECK(words[3] == 0xa5a5a5a5a5a5a5a5);
    }
    Exact less(8);
    CHECK_THROWS_AS(perfdata::c::fill(less.as<Grown>(), whole, "grown"), perfdata::c::Refusal);
}

TEST_CASE("An error of another size is filled or left alone", "[c]") {
    for (std::size_t size = sizeof(std::size_t); size <= sizeof(perfdata_error) + 16; ++size) {
        Exact error(size, 0xa5);
        CHECK(perfdata_recording_get_info(nullptr, nullptr, error.as<perfdata_error>()) == PERFDATA_INVALID_HANDLE);
        const bool filled = size >= sizeof(perfdata_error);
        const auto kept = filled ? sizeof(perfdata_error) : sizeof(std::size_t);
        for (auto at = kept; at < size; ++at) CHECK(error.bytes()[at] == 0xa5);
        if (filled) CHECK(error.as<perfdata_error>()->code == PERFDATA_INVALID_HANDLE);
    }
}

TEST_CASE("Long texts of errors are cut between characters", "[c]") {
    for (std::size_t length = 100; length < 140; ++length) {
        std::string path(length, 'x');
        for (int more = 0; more < 100; ++more) path += "\xc3\xa4";
        path += "\xff";
        auto error = made<perfdata_error>();
        perfdata_recording* recording = nullptr;
        CHECK(perfdata_recording_open(path.c_str(), nullptr, &recording, &error) == PERFDATA_IO);
        const std::string section = error.section;
        CHECK(section.size() >= sizeof error.section - 2);
        CHECK((section.back() == 'x' || section.ends_with("\xc3\xa4")));
    }
    auto error = made<perfdata_error>();
    perfdata_recording* recording = nullptr;
    CHECK(perfdata_recording_open("/\xff/a", nullptr, &recording, &error) == PERFDATA_IO);
    CHECK(std::string(error.section) == "/\xef\xbf\xbd/a");
}

TEST_CASE("Null arguments and values out of range are errors", "[c]") {
    const Opened opened;
    auto error = made<perfdata_error>();
    const auto invalid = [&](perfdata_status status) {
        CHECK(status == PERFDATA_INVALID_ARGUMENT);
        CHECK(error.code == PERFDATA_INVALID_ARGUMENT);
        CHECK(std::string(error.section) != "");
        error = made<perfdata_error>();
    };
    perfdata_recording* recording = nullptr;
    invalid(perfdata_recording_open(nullptr, nullptr, &recording, &error));
    invalid(perfdata_recording_open("x", nullptr, nullptr, &error));
    invalid(perfdata_recording_open_memory(nullptr, 1, nullptr, &recording, &error));
    invalid(perfdata_recording_open_source(nullptr, nullptr, &recording, &error));
    auto source = made<perfdata_source>();
    invalid(perfdata_recording_open_source(&source, nullptr, &recording, &error));
    invalid(perfdata_cancel_new(nullptr, &error));
    CHECK(perfdata_recording_open_memory(nullptr, 0, nullptr, &recording, nullptr) == PERFDATA_NOT_PERF_DATA);
    CHECK(perfdata_recording_open_memory("PERFILE2", 8, nullptr, &recording, nullptr) != PERFDATA_OK);

    auto event = made<perfdata_event>();
    invalid(perfdata_recording_event(opened.recording, 2, &event, &error));
    invalid(perfdata_recording_event(opened.recording, UINT64_MAX, &event, &error));
    auto problem = made<perfdata_error>();
    invalid(perfdata_recording_problem(opened.recording, 0, &problem, &error));
    auto place = made<perfdata_place>();
    invalid(perfdata_code_at(opened.code, 1, 1, 1, 6, &place, &error));
    invalid(perfdata_code_comm(opened.code, 1, 1, nullptr, &error));

    perfdata_code* code = nullptr;
    auto opening = made<perfdata_code_options>();
    opening.flags = 1u << 30;
    invalid(perfdata_code_open(opened.recording, &opening, &code, &error));
    opening.flags = 0;
    opening.jobs = 257;
    invalid(perfdata_code_open(opened.recording, &opening, &code, &error));
    opening.jobs = 0;
    opening.jitdump_count = 1;
    invalid(perfdata_code_open(opened.recording, &opening, &code, &error));
    const char* const nothing[] = {nullptr};
    opening.jitdumps = nothing;
    invalid(perfdata_code_open(opened.recording, &opening, &code, &error));

    perfdata_samples* samples = nullptr;
    auto reading = made<perfdata_samples_options>();
    reading.order = 2;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    reading.order = 0;
    auto filter = made<perfdata_filter>();
    reading.filter = &filter;
    filter.pid_count = 1;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    const uint32_t numbers[] = {0, 0, 9};
    filter.pids = numbers;
    filter.pid_count = std::size_t{1} << 40;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    filter.pid_count = 0;
    filter.events = numbers;
    filter.event_count = 2;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    filter.events = numbers + 1;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    filter.event_count = 0;
    const perfdata_time_range backwards[] = {{5, 5}, {6, 5}};
    filter.times = backwards;
    filter.time_count = 2;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    filter.time_count = 0;
    filter.kinds = 1u << 7;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));
    filter.kinds = 1;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));  // needs code
    const Opened other;
    filter.kinds = 0;
    reading.code = other.code;
    invalid(perfdata_samples_open(opened.recording, &reading, &samples, &error));

    reading = made<perfdata_samples_options>();
    REQUIRE(perfdata_samples_open(opened.recording, &reading, &samples, nullptr) == PERFDATA_OK);
    perfdata_sample item;
    size_t count = 0;
    invalid(perfdata_samples_read(samples, nullptr, sizeof item, 1, &count, &error));
    invalid(perfdata_samples_read(samples, &item, sizeof item, 1, nullptr, &error));
    invalid(perfdata_samples_read(samples, &item, sizeof item, 0, &count, &error));
    invalid(perfdata_samples_read(samples, &item, sizeof item - 8, 1, &count, &error));
    invalid(perfdata_samples_read(samples, &item, sizeof item + 1, 1, &count, &error));
    invalid(perfdata_samples_read(samples, &item, sizeof item, SIZE_MAX, &count, &error));
    invalid(perfdata_samples_place(samples, 0, &place, &error));
    invalid(perfdata_samples_place(samples, PERFDATA_NO_FUNCTION, &place, &error));
    invalid(perfdata_samples_chain(samples, nullptr, nullptr, &error));
    perfdata_samples_free(samples);

    perfdata_report* report = nullptr;
    auto rows = made<perfdata_report_options>();
    for (const auto* sort : {"", "nothing", "comm,", ",comm", "comm,,dso"}) {
        rows.sort = sort;
        invalid(perfdata_report_make(opened.code, &rows, &report, &error));
    }
    rows.sort = nullptr;
    rows.flags = 8;
    invalid(perfdata_report_make(opened.code, &rows, &report, &error));
    rows.flags = 0;
    for (const double percent : {-1.0, 101.0, std::numeric_limits<double>::quiet_NaN()}) {
        rows.percent_limit = percent;
        invalid(perfdata_report_make(opened.code, &rows, &report, &error));
    }
    rows.percent_limit = 0;
    rows.max_stack = 1025;
    invalid(perfdata_report_make(opened.code, &rows, &report, &error));

    perfdata_heat* heat = nullptr;
    auto heating = made<perfdata_heat_options>();
    heating.flags = 2;
    invalid(perfdata_heat_make(opened.code, &heating, &heat, &error));
    REQUIRE(perfdata_heat_make(opened.code, nullptr, &heat, nullptr) == PERFDATA_OK);
    invalid(perfdata_heat_find(heat, nullptr, nullptr, 0, &count, &error));
    invalid(perfdata_heat_find(heat, "a", nullptr, 1, &count, &error));
    invalid(perfdata_heat_find(heat, "a", nullptr, 0, nullptr, &error));
    CHECK(perfdata_heat_find(heat, "a", nullptr, 0, &count, &error) == PERFDATA_MISSING);
    perfdata_heat_free(heat);

    perfdata_annotation* annotation = nullptr;
    auto listing = made<perfdata_annotation_options>();
    listing.flags = 4;
    invalid(perfdata_annotation_make(opened.code, &listing, &annotation, &error));
    listing.flags = 0;
    listing.line = 4;
    invalid(perfdata_annotation_make(opened.code, &listing, &annotation, &error));
    listing.file = "a.c";
    listing.line = 0;
    invalid(perfdata_annotation_make(opened.code, &listing, &annotation, &error));
    listing.line = std::uint64_t{1} << 32;
    invalid(perfdata_annotation_make(opened.code, &listing, &annotation, &error));
    listing.line = 1;
    listing.symbol = "step";
    invalid(perfdata_annotation_make(opened.code, &listing, &annotation, &error));
    listing = made<perfdata_annotation_options>();
    listing.pattern = "(";
    CHECK(perfdata_annotation_make(opened.code, &listing, &annotation, &error) == PERFDATA_MALFORMED);
    listing.pattern = "^no_such_function$";
    CHECK(perfdata_annotation_make(opened.code, &listing, &annotation, &error) == PERFDATA_MISSING);
    CHECK(std::string(error.section) == "^no_such_function$");
    CHECK(annotation == nullptr);
}

TEST_CASE("Every status has a name", "[c]") {
    CHECK(std::string(perfdata_status_name(PERFDATA_END)) == "end");
    CHECK(std::string(perfdata_status_name(PERFDATA_OK)) == "ok");
    CHECK(std::string(perfdata_status_name(PERFDATA_OUT_OF_MEMORY)) == "out_of_memory");
    CHECK(std::string(perfdata_status_name(PERFDATA_INVALID_ARGUMENT)) == "invalid_argument");
    CHECK(std::string(perfdata_status_name(PERFDATA_INTERNAL)) == "internal");
    for (const perfdata_status status : {-2, 16, INT32_MIN, INT32_MAX}) {
        CHECK(std::string(perfdata_status_name(status)) == "unknown");
    }
}
