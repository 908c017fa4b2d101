// SPDX-License-Identifier: MIT
// Memory: small files use little, whatever they claim, and running out of memory is an error.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "perfdata/recording/recording.hpp"
#include "perfdata/timeline/timeline.hpp"

#include "catch.hpp"
#include "damage/allocations.hpp"
#include "damage/examine.hpp"
#include "damage/salvage.hpp"
#include "support/files.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const Fixture& fixture_named(const std::string& name) {
    const auto found = std::ranges::find(fixtures(), name, &Fixture::name);
    REQUIRE(found != fixtures().end());
    return *found;
}

// small_files() returns the stored inputs of the fuzz targets, and fixtures of at most 64 KiB.
std::vector<std::pair<std::string, Blob>> small_files() {
    std::vector<std::pair<std::string, Blob>> files;
    for (const auto* folder : {PERFDATA_FUZZ_CORPUS, PERFDATA_FUZZ_UNPACKED, PERFDATA_FIXTURES}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (!entry.is_regular_file() || entry.file_size() > 65536) continue;
            if (entry.path().extension() == ".xz") continue;  // packed inputs; the next folder has them unpacked
            files.emplace_back(entry.path().string(), content_of_file(entry.path().string()));
        }
    }
    return files;
}

}  // namespace

TEST_CASE("A small file gets little memory", "[memory]") {
    // The library's own blocks are 256 KiB: one for files and one for unpacked data.
    constexpr auto most_held = std::size_t{4} << 20, most_at_once = std::size_t{1} << 20;
    std::size_t held = 0, at_once = 0, recordings = 0;
    for (const auto& [name, file] : small_files()) {
        INFO(name);
        for (const auto part : {file.size(), file.size() / 2, file.size() - file.size() / 16}) {
            const AllocationCounts counts;
            if (examine(Bytes(file).first(part))) ++recordings;
            held = std::max(held, counts.peak());
            at_once = std::max(at_once, counts.largest());
            CHECK(counts.peak() <= most_held);
            CHECK(counts.largest() <= most_at_once);
            CHECK(counts.held() <= 65536);  // libraries keep some memory after first use
        }
    }
    CHECK(recordings > 50);
    std::printf("memory: %zu small recordings, at most %zu KiB held, %zu KiB at once\n", recordings, held >> 10,
                at_once >> 10);
}

TEST_CASE("Wherever memory runs out there is an error, and nothing leaks", "[memory]") {
    for (const auto* name : {"bpf_nobtf", "tinyjit", "v72_z", "pipe", "x86_plain32", "a64_plain"}) {
        const auto& [_, file, frames, symfs] = fixture_named(name);
        REQUIRE(examine(file, symfs));  // allocates what libraries keep after first use
        const AllocationCounts whole;
        const auto expected = examine(file, symfs);
        REQUIRE(expected);
        CHECK((expected->stacks > expected->incomplete) == !symfs.empty());
        const auto allocations = whole.count();
        REQUIRE(allocations > 1000);
        std::uint64_t errors = 0, runs = 0;
        for (const auto index : thinned(allocations, 150)) {
            INFO(name << ": allocation " << index + 1 << " of " << allocations);
            for (const bool for_good : {false, true}) {
                ++runs;
                const AllocationCounts counts;
                bool failed = false, error = false;
                auto code = ErrorCode::out_of_memory;
                {
                    const FailingAllocation failing(index + 1, for_good);
                    const auto examined = examine(file, symfs);
                    failed = failing.failed();
                    error = !examined;
                    if (error) code = examined.error().code;
                }
                CHECK(failed);
                // Running out of memory for something optional is a loss in the completeness report.
                if (error) ++errors;
                CHECK(code == ErrorCode::out_of_memory);
                CHECK(counts.held() <= 4096);
            }
        }
        CHECK(errors * 2 > runs);
        const auto again = examine(file, symfs);
        REQUIRE(again);
        CHECK(again->page_bytes == expected->page_bytes);
        std::printf("memory: %s, %llu of %llu runs without it ended in an error\n", name,
                    static_cast<unsigned long long>(errors), static_cast<unsigned long long>(runs));
    }
}
