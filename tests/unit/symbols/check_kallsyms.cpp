// SPDX-License-Identifier: MIT
// Whether a kallsyms file is from the boot that was recorded.
#include "perfdata/symbols/symbols.hpp"

#include "catch.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Kallsyms table() {
    return Kallsyms::parse("ffffffff81000000 T _text\nffffffff81000100 T _stext\nffffffff81000200 T f\n").value();
}

KernelMapping mapping(std::string symbol, std::uint64_t address) {
    return {{{address}, 0x1000}, std::move(symbol), {address}};
}

}  // namespace

TEST_CASE("A file agrees if the reference symbol is where it was", "[symbols][kallsyms]") {
    CHECK(check_kallsyms(table(), mapping("_text", 0xffffffff81000000)));
    CHECK(check_kallsyms(table(), mapping("_stext", 0xffffffff81000100)));
}

TEST_CASE("A file is from elsewhere if the reference symbol is elsewhere in it", "[symbols][kallsyms]") {
    for (const auto address : {0xffffffff92000000u, 0xffffffff81000001u}) {
        const auto checked = check_kallsyms(table(), mapping("_text", address));
        REQUIRE_FALSE(checked);
        CHECK(checked.error().code == ErrorCode::mismatch);
        CHECK(checked.error().detail.find("_text") != std::string::npos);
    }
    CHECK_FALSE(check_kallsyms(table(), mapping("_stext", 0xffffffff81000000)));
}

TEST_CASE("Where nothing can be compared nothing differs", "[symbols][kallsyms]") {
    CHECK(check_kallsyms(table(), std::nullopt));
    CHECK(check_kallsyms(table(), mapping("_text", 0)));     // kptr_restrict hid it from the recorder
    CHECK(check_kallsyms(table(), mapping("_other", 0x5)));  // the file does not know the symbol
}

TEST_CASE("The guest's file is of the boot of five recordings and not of the others'",
          "[symbols][kallsyms][fixtures]") {
    const auto kallsyms = Kallsyms::open(fixture("bpf/guest.kallsyms"));
    REQUIRE(kallsyms);
    for (const std::string name : {"bpf_many", "bpf_nobtf", "bpf_twins", "bpf_events", "bpf_turns"}) {
        INFO(name);
        const FixtureTimeline file(name);
        REQUIRE(file.timeline.kernel());
        CHECK(file.timeline.kernel()->reference_address == kallsyms->address_of("_text"));
        CHECK(check_kallsyms(*kallsyms, file.timeline.kernel()));
    }
    for (const std::string name : {"bpf_preloaded", "bpf_types", "bpf_reuse", "bpf_misc"}) {
        INFO(name);
        const auto checked = check_kallsyms(*kallsyms, FixtureTimeline(name).timeline.kernel());
        REQUIRE_FALSE(checked);
        CHECK(checked.error().code == ErrorCode::mismatch);
    }
}
