// SPDX-License-Identifier: MIT
#include "perfdata/recording/bpf_features.hpp"

#include "catch.hpp"
#include "support/build.hpp"
#include "support/program_info.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// program(order, id, code) has one array: its code, which distinguishes it from another program with the same id.
Blob program(std::endian order, std::uint32_t id, std::string_view code) {
    ProgramInfo info(order, id);
    info.array(BpfArray::jited_insns, static_cast<std::uint32_t>(code.size()), blob_of(code));
    return info.encode();
}

RecordingBuilder one_bpf_record(std::endian order) {
    RecordingBuilder builder(order);
    builder.event(sampling_attr(sample_bit::ip));
    builder.add(encode(Lost{{1}, 7}, {.order = order, .trailer = {}, .misc = 0}));
    return builder;
}

RecordingBuilder with_programs(std::endian order) {
    auto builder = one_bpf_record(order);
    builder.feature(Feature::bpf_prog_info,
                    prog_info_feature(order, {program(order, 62, "sixty-two"), program(order, 7, "seven")}));
    builder.feature(Feature::bpf_btf, bpf_btf(order, {{106, blob_of("types")}, {3, blob_of("more")}}));
    return builder;
}

BpfFeatures features_of(const Blob& file, const OpenOptions& options = {}) {
    const auto recording = Recording::from_memory(file, options);
    REQUIRE(recording);
    return BpfFeatures::read(*recording);
}

}  // namespace

TEST_CASE("Programs and BTF of a recording are in file order and found by id", "[recording][bpf_features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = with_programs(order);
    const auto file = builder.build();
    const auto features = features_of(file);
    REQUIRE(features.programs().size() == 2);
    CHECK(features.programs()[0].id == ProgramId{62});
    CHECK(features.programs()[1].id == ProgramId{7});
    REQUIRE(features.program({7}) != nullptr);
    CHECK(as_text(features.program({7})->jited_insns()) == "seven");
    REQUIRE(features.program({62}) != nullptr);
    CHECK(as_text(features.program({62})->jited_insns()) == "sixty-two");
    CHECK(features.program({62})->offset == builder.places().features.at(25).offset + 4);
    CHECK(features.program({8}) == nullptr);
    CHECK(features.program({63}) == nullptr);
    CHECK(features.program({0}) == nullptr);
    REQUIRE(features.btf().size() == 2);
    CHECK(features.btf()[0].id == 106);
    REQUIRE(features.btf(3) != nullptr);
    CHECK(as_text(features.btf(3)->data) == "more");
    CHECK(features.btf(3)->offset == builder.places().features.at(26).offset + 4 + 8 + 5 + 8);
    CHECK(as_text(features.btf(106)->data) == "types");
    CHECK(features.btf(4) == nullptr);
    CHECK(features.diagnostics().empty());
}

TEST_CASE("A recording without BPF features gives an empty object and no complaint", "[recording][bpf_features]") {
    const auto features = features_of(one_bpf_record(std::endian::little).build());
    CHECK(features.programs().empty());
    CHECK(features.btf().empty());
    CHECK(features.program({1}) == nullptr);
    CHECK(features.btf(1) == nullptr);
    CHECK(features.diagnostics().empty());
}

TEST_CASE("Views stay valid when the object moves, and need no recording", "[recording][bpf_features]") {
    auto first = features_of(with_programs(std::endian::little).build());
    const BpfFeatures second = std::move(first);
    CHECK(as_text(second.program({62})->jited_insns()) == "sixty-two");
    CHECK(as_text(second.btf(106)->data) == "types");
}

TEST_CASE("Of two entries with one id the first counts, and programs() lists an id once", "[recording][bpf_features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_bpf_record(order);
    builder.feature(Feature::bpf_prog_info,
                    prog_info_feature(
                        order, {program(order, 5, "first"), program(order, 5, "second"), program(order, 6, "other")}));
    builder.feature(Feature::bpf_btf, bpf_btf(order, {{5, blob_of("first")}, {5, blob_of("second")}}));
    const auto features = features_of(builder.build());
    REQUIRE(features.program({5}) != nullptr);
    CHECK(as_text(features.program({5})->jited_insns()) == "first");
    CHECK(as_text(features.btf(5)->data) == "first");
    REQUIRE(features.programs().size() == 2);
    CHECK(as_text(features.programs()[0].jited_insns()) == "first");
    CHECK(as_text(features.programs()[1].jited_insns()) == "other");
}

TEST_CASE("A damaged entry keeps the programs before it and is told", "[recording][bpf_features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_bpf_record(order);
    const auto first = program(order, 5, "first");
    const auto feature = prog_info_feature(order, {first, program(order, 6, "second")});
    builder.feature(Feature::bpf_prog_info, patched(feature, order, 4 + first.size(), std::uint32_t{0xffffffff}));
    builder.feature(Feature::bpf_btf, bpf_btf(order, {{5, blob_of("types")}}));
    const auto features = features_of(builder.build());
    REQUIRE(features.programs().size() == 1);
    CHECK(as_text(features.program({5})->jited_insns()) == "first");
    CHECK(features.program({6}) == nullptr);
    CHECK(features.btf(5) != nullptr);
    REQUIRE(features.diagnostics().count() == 1);
    CHECK(features.diagnostics().kept()[0].where == "feature BPF_PROG_INFO");
    CHECK(features.diagnostics().kept()[0].code == ErrorCode::truncated);
}

TEST_CASE("A damaged array is told with program and array, a withheld one is no damage", "[recording][bpf_features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = one_bpf_record(order);
    ProgramInfo damaged(order, 62);
    damaged.place(BpfArray::prog_tags, 8, 3);
    ProgramInfo withheld(order, 63);
    for (const auto which :
         {BpfArray::jited_insns, BpfArray::jited_ksyms, BpfArray::jited_func_lens, BpfArray::jited_line_info}) {
        withheld.place(which, 0 - std::uint64_t{0x55d012345678}, 2);
    }
    builder.feature(Feature::bpf_prog_info, prog_info_feature(order, {damaged.encode(), withheld.encode()}));
    const auto features = features_of(builder.build());
    CHECK(features.programs().size() == 2);
    REQUIRE(features.diagnostics().count() == 1);
    const auto& diagnostic = features.diagnostics().kept()[0];
    CHECK(diagnostic.code == ErrorCode::malformed);
    CHECK(diagnostic.offset == builder.places().features.at(25).offset + 4);
    CHECK(diagnostic.detail.find("program 62: prog_tags (3 x 8 bytes at offset 8)") == 0);
    CHECK(features.program({63})->array(BpfArray::jited_insns).state == BpfArrayState::withheld);
}

TEST_CASE("A damaged BTF table keeps the blobs before the damage and all programs", "[recording][bpf_features]") {
    const auto order = GENERATE(std::endian::little, std::endian::big);
    auto builder = with_programs(order);
    const auto feature = bpf_btf(order, {{106, blob_of("types")}, {3, blob_of("more")}});
    builder.feature(Feature::bpf_btf, patched(feature, order, 4 + 8 + 5 + 4, std::uint32_t{500}));
    const auto features = features_of(builder.build());
    CHECK(features.programs().size() == 2);
    CHECK(as_text(features.btf(106)->data) == "types");
    CHECK(features.btf(3) == nullptr);
    REQUIRE(features.diagnostics().count() == 1);
    CHECK(features.diagnostics().kept()[0].where == "feature BPF_BTF");
}

TEST_CASE("More programs or blobs than the limit are left out, and said", "[recording][bpf_features]") {
    OpenOptions options;
    options.limits.bpf_programs = 1;
    const auto features = features_of(with_programs(std::endian::little).build(), options);
    REQUIRE(features.programs().size() == 1);
    CHECK(features.programs()[0].id == ProgramId{62});
    CHECK(features.btf().size() == 1);
    REQUIRE(features.diagnostics().count() == 2);
    CHECK(features.diagnostics().kept()[0].code == ErrorCode::limit);
    CHECK(features.diagnostics().kept()[1].code == ErrorCode::limit);
    options.limits.bpf_programs = 2;
    CHECK(features_of(with_programs(std::endian::little).build(), options).diagnostics().empty());
}

TEST_CASE("A BPF feature larger than the section limit is told, not read", "[recording][bpf_features]") {
    OpenOptions options;
    options.limits.section_bytes = 200;  // the attr section has 144, BPF_PROG_INFO more than 400
    const auto features = features_of(with_programs(std::endian::little).build(), options);
    CHECK(features.programs().empty());
    CHECK(features.btf().size() == 2);
    REQUIRE(features.diagnostics().count() == 1);
    CHECK(features.diagnostics().kept()[0].code == ErrorCode::limit);
}
