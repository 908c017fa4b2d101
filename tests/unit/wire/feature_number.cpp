// SPDX-License-Identifier: MIT
#include "perfdata/wire/feature/number.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Features have the numbers of header.h", "[wire][feature]") {
    CHECK(static_cast<int>(Feature::tracing_data) == 1);
    CHECK(static_cast<int>(Feature::build_id) == 2);
    CHECK(static_cast<int>(Feature::hostname) == 3);
    CHECK(static_cast<int>(Feature::osrelease) == 4);
    CHECK(static_cast<int>(Feature::version) == 5);
    CHECK(static_cast<int>(Feature::arch) == 6);
    CHECK(static_cast<int>(Feature::cpudesc) == 8);
    CHECK(static_cast<int>(Feature::cmdline) == 11);
    CHECK(static_cast<int>(Feature::event_desc) == 12);
    CHECK(static_cast<int>(Feature::auxtrace) == 18);
    CHECK(static_cast<int>(Feature::bpf_prog_info) == 25);
    CHECK(static_cast<int>(Feature::bpf_btf) == 26);
    CHECK(static_cast<int>(Feature::compressed) == 27);
    CHECK(static_cast<int>(Feature::pmu_caps) == 31);
    CHECK(static_cast<int>(Feature::cln_size) == 34);
}

TEST_CASE("Features are named as in header.h", "[wire][feature]") {
    CHECK(feature_name(1) == "TRACING_DATA");
    CHECK(feature_name(4) == "OSRELEASE");
    CHECK(feature_name(12) == "EVENT_DESC");
    CHECK(feature_name(18) == "AUXTRACE");
    CHECK(feature_name(25) == "BPF_PROG_INFO");
    CHECK(feature_name(26) == "BPF_BTF");
    CHECK(feature_name(34) == "CLN_SIZE");
}

TEST_CASE("Features that are not known have no name", "[wire][feature]") {
    CHECK(feature_name(0).empty());
    CHECK(feature_name(35).empty());
    CHECK(feature_name(128).empty());
    CHECK(feature_name(0xffffffff).empty());
}
