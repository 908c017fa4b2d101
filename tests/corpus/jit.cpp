// SPDX-License-Identifier: MIT
// Compares jitdump files and perf maps of real programs with the index.
#include <charconv>
#include <map>

#include "perfdata/symbols/jit/perf_map.hpp"
#include "perfdata/timeline/jit_clock.hpp"
#include "perfdata/timeline/jit_code.hpp"
#include "perfdata/wire/jitdump/record.hpp"

#include "catch.hpp"
#include "folder.hpp"

namespace corpus {
namespace {

using perfdata::ErrorCode;

std::string record_counts(const perfdata::Completeness& completeness) {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& [type, records] : completeness.records) {
        counts[std::string(perfdata::jit_record_type_name(type))] += records.decoded;
    }
    std::string text;
    for (const auto& [name, count] : counts) text += (text.empty() ? "" : " ") + name + "=" + std::to_string(count);
    return text;
}

std::vector<IndexRow> rows(const std::string& format) {
    std::vector<IndexRow> found;
    for (auto& row : index_rows()) {
        if (row.format == format) found.push_back(std::move(row));
    }
    REQUIRE(!found.empty());
    return found;
}

TEST_CASE("jitdump files of the corpus hold the records of its index", "[jit]") {
    std::size_t intact = 0, damaged = 0;
    for (const auto& row : rows("JITDUMP")) {
        INFO(row.file);
        const auto dump = perfdata::JitDump::open(row.path().string());
        REQUIRE(dump);
        const auto code = perfdata::JitCode::build(*dump, perfdata::JitClock::none());
        const auto& bytes = code.completeness().bytes;
        CHECK(bytes.total == row.size);
        CHECK(bytes.outside_records + bytes.records + bytes.unread == bytes.total);
        if (!row.records.empty()) {
            // The index drops CODE_ from DEBUG_INFO.
            auto counts = record_counts(code.completeness());
            const std::string ours = "CODE_DEBUG_INFO=";
            if (const auto at = counts.find(ours); at != std::string::npos)
                counts.replace(at, ours.size(), "DEBUG_INFO=");
            INFO(row.records);
            for (const auto& word : split(row.records, ' ')) CHECK(counts.find(word) != std::string::npos);
            CHECK(split(counts, ' ').size() == split(row.records, ' ').size());
            CHECK(code.completeness().lossless());
            ++intact;
        } else {
            // "jit record 0 size 0 at 0x28", and invalid flags: something replaced all bytes above 0x7f.
            const auto& kept = code.completeness().diagnostics.kept();
            REQUIRE(kept.size() == 2);
            CHECK(kept[0].code == ErrorCode::unsupported);
            CHECK(kept[1].code == ErrorCode::malformed);
            CHECK(kept[1].offset == 0x28);
            CHECK(bytes.unread == row.size - 0x28);
            CHECK(code.functions().empty());
            ++damaged;
        }
    }
    CHECK(intact == 1);
    CHECK(damaged == 1);
}

// Julia compiles with LLVM, which adds the size of an ELF header to line addresses. xxd shows: the first function is
// 0x49 bytes of 48 83 ec 18 ... c3 at 7e1304b00000, with lines at ...40 (474) and ...5b (476) of ./client.jl.
TEST_CASE("code and lines of a Julia program", "[jit]") {
    const auto dump = perfdata::JitDump::open(PERFDATA_CORPUS "/DataDog__ddprof/jit-1560413.dump");
    REQUIRE(dump);
    CHECK(dump->header().namespace_pid == 1560413);
    const auto code = perfdata::JitCode::build(*dump, perfdata::JitClock::none());
    CHECK(code.functions().size() == 20);
    const auto* function = code.find({0x7e1304b00048}, {});
    REQUIRE(function != nullptr);
    CHECK(function->name == "julia_include_0");
    CHECK(function->range == perfdata::AddressRange{{0x7e1304b00000}, 0x49});
    const auto image = code.image(*function).value();
    REQUIRE(image.size() == 0x49);
    CHECK(image.front() == std::byte{0x48});
    CHECK(image.back() == std::byte{0xc3});
    const auto lines = code.lines(*function).value();
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == perfdata::JitLine{0, 474, 0, "./client.jl"});
    CHECK(lines[1] == perfdata::JitLine{0x1b, 476, 0, "./client.jl"});
    for (const auto& other : code.functions()) {
        const auto all = code.lines(other);
        REQUIRE(all);
        for (const auto& line : *all) CHECK(line.offset < other.range.size);
    }
}

TEST_CASE("every line of a perf map of the corpus is understood, and its last one for an address is found", "[jit]") {
    for (const auto& row : rows("perf-PID.map")) {
        INFO(row.file);
        const auto text = lines(row.path());
        const auto map = perfdata::PerfMap::open(row.path().string());
        REQUIRE(map);
        CHECK(map->size() == text.size());
        CHECK(map->skipped() == 0);
        std::map<std::uint64_t, std::string> last;
        for (const auto& line : text) {
            std::uint64_t start = 0;
            std::from_chars(line.data(), line.data() + line.size(), start, 16);
            last[start] = line.substr(line.find(' ', line.find(' ') + 1) + 1);
        }
        std::size_t wrong = 0;
        for (const auto& [start, name] : last) {
            const auto found = map->find({start});
            wrong += !found || (found->offset == 0 && found->name != name);
        }
        CHECK(wrong == 0);
    }
}

}  // namespace
}  // namespace corpus
