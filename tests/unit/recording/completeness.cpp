// SPDX-License-Identifier: MIT
#include "perfdata/recording/completeness.hpp"

#include "catch.hpp"

using namespace perfdata;

namespace {

Diagnostic diagnostic(std::uint64_t offset) {
    return {ErrorCode::malformed, offset, "somewhere", "something"};
}

}  // namespace

TEST_CASE("A log keeps the first diagnostics in full and counts the others", "[recording][completeness]") {
    DiagnosticLog log(2);
    CHECK(log.empty());
    for (std::uint64_t offset = 0; offset < 5; ++offset) log.add(diagnostic(offset));
    CHECK(log.count() == 5);
    CHECK(log.kept() == std::vector<Diagnostic>{diagnostic(0), diagnostic(1)});
    CHECK_FALSE(log.empty());
}

TEST_CASE("A log by default keeps as many as the default limits say", "[recording][completeness]") {
    DiagnosticLog log;
    for (std::uint64_t offset = 0; offset < 250; ++offset) log.add(diagnostic(offset));
    CHECK(log.count() == 250);
    REQUIRE(log.kept().size() == 100);
    CHECK(log.kept().back() == diagnostic(99));
}

TEST_CASE("A log that keeps nothing still counts", "[recording][completeness]") {
    DiagnosticLog log(0);
    log.add(diagnostic(1));
    CHECK(log.count() == 1);
    CHECK(log.kept().empty());
    CHECK_FALSE(log.empty());
}

TEST_CASE("Appending a log keeps up to the limit and counts those that neither keeps", "[recording][completeness]") {
    DiagnosticLog first(3), second(2);
    first.add(diagnostic(1));
    for (std::uint64_t offset = 10; offset < 17; ++offset) second.add(diagnostic(offset));
    first.append(second);
    CHECK(first.count() == 8);
    CHECK(first.kept() == std::vector<Diagnostic>{diagnostic(1), diagnostic(10), diagnostic(11)});
    DiagnosticLog small(1);
    small.append(first);
    CHECK(small.count() == 8);
    CHECK(small.kept() == std::vector<Diagnostic>{diagnostic(1)});
    small.append(DiagnosticLog());
    CHECK(small.count() == 8);
}

TEST_CASE("The parts of a record type's counts sum to its total", "[recording][completeness]") {
    CHECK(RecordCounts{1, 20, 300}.total() == 321);
}

TEST_CASE("Nothing lost is lossless; what the recorder itself lost does not count", "[recording][completeness]") {
    Completeness completeness;
    completeness.records[9] = {100, 0, 0};
    completeness.lost_events = 5;
    completeness.lost_samples = 6;
    completeness.bytes = {100, 60, 40, 0};
    CHECK(completeness.lossless());
}

TEST_CASE("Records of a type that is framed and skipped are no loss", "[recording][completeness]") {
    Completeness completeness;
    completeness.records[12] = {0, 7, 0};
    CHECK(completeness.lossless());
}

TEST_CASE("Any unread byte, damaged record or diagnostic is a loss", "[recording][completeness]") {
    Completeness unread, damaged, told;
    unread.bytes.unread = 1;
    damaged.records[9] = {100, 0, 1};
    damaged.records[12] = {7, 0, 0};
    told.diagnostics.add(diagnostic(1));
    CHECK_FALSE(unread.lossless());
    CHECK_FALSE(damaged.lossless());
    CHECK_FALSE(told.lossless());
}
