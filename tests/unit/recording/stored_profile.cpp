// SPDX-License-Identifier: MIT
// Profile files that are sound: what is written is read again.
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "perfdata/recording/source.hpp"
#include "perfdata/symbols/code_image.hpp"
#include "perfdata/symbols/code_place.hpp"
#include "perfdata/symbols/symbol_miss.hpp"
#include "perfdata/timeline/code.hpp"
#include "perfdata/timeline/code_class.hpp"
#include "perfdata/timeline/frame.hpp"
#include "perfdata/timeline/mapping.hpp"
#include "perfdata/timeline/stack_unwinder.hpp"

#include "catch.hpp"
#include "recording/stored/profile_fields.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/row_refs.hpp"
#include "recording/stored/shared_facts.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Result<stored::Model> read_again(const std::string& bytes, const Limits& limits = {}) {
    return stored::read_profile(*memory_source(std::as_bytes(std::span(bytes))), "x.pb", limits);
}

}  // namespace

TEST_CASE("A profile file has all that its model has", "[recording][stored]") {
    std::set<std::uint32_t> seen;  // tables that had rows
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto model = random_model(seed);
        const auto bytes = written(model);
        const auto read = read_again(bytes);
        INFO("seed " << seed << (read ? "" : ": " + read.error().message()));
        REQUIRE(read);
        // Table by table, so that a failure says which.
        stored::each_table(model, [&]<class Row>(const stored::Table<Row>& table) {
            INFO("field " << stored::table_field<Row>);
            CHECK((read->table<Row>() == table));
            if (!table.empty()) seen.insert(stored::table_field<Row>);
        });
        CHECK((read->facts == model.facts));
        CHECK((written(*read) == bytes));
    }
    CHECK(seen.size() == 19);
}

TEST_CASE("A profile file is recognised by its first bytes", "[recording][stored]") {
    const auto bytes = written(random_model(1));
    const auto start = std::as_bytes(std::span(bytes));
    CHECK(stored::is_profile(start.first(32)));
    CHECK_FALSE(stored::is_profile(start.first(16)));
    CHECK_FALSE(stored::is_profile(start.subspan(1)));
    CHECK_FALSE(stored::is_profile({}));
    // One of a later version, too.
    const auto later = stored::profile_header(77) + std::string(16, '\0');
    CHECK(stored::is_profile(std::as_bytes(std::span(later))));
}

TEST_CASE("A profile of a newer format is refused by its version", "[recording][stored]") {
    const auto read = read_again(stored::profile_header(stored::profile_version + 1) + "whatever comes then");
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::unsupported);
    CHECK(read.error().where == "x.pb");
    CHECK(read.error().detail.contains("version 2"));
    const auto none = read_again(stored::profile_header(0));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::malformed);
}

TEST_CASE("What is no profile file is not taken for one", "[recording][stored]") {
    for (const auto* bytes : {"", "PERFILE2", "\x0a\x04\x08\x01\x10\x02"}) {
        const auto read = read_again(bytes);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::not_perf_data);
    }
}

TEST_CASE("An empty model is a profile, too", "[recording][stored]") {
    const auto model = StoredModel("nothing").finish();
    const auto read = read_again(written(model));
    REQUIRE(read);
    CHECK((*read == model));
    CHECK(stored::recordings(*read) == 1);
}

TEST_CASE("The choices of a model are the enumerations of the rooms above", "[recording][stored]") {
    CHECK(to_string(static_cast<ErrorCode>(stored::ErrorCodeChoice::count - 1)) == "busy");
    CHECK(to_string(static_cast<ErrorCode>(stored::ErrorCodeChoice::count)) == "unknown");
    CHECK(stored::CpuModeChoice::count == static_cast<int>(CpuMode::guest_user) + 1);
    CHECK(stored::FrameKindChoice::count == static_cast<int>(FrameKind::nowhere) + 1);
    CHECK(stored::frame_kind::code == static_cast<int>(FrameKind::code));
    CHECK(stored::frame_kind::object == static_cast<int>(FrameKind::object));
    CHECK(stored::frame_kind::jit == static_cast<int>(FrameKind::jit));
    CHECK(stored::frame_kind::memory == static_cast<int>(FrameKind::memory));
    CHECK(stored::frame_kind::inlined == static_cast<int>(FrameKind::inlined));
    CHECK(stored::frame_kind::nowhere == static_cast<int>(FrameKind::nowhere));
    CHECK(stored::MissChoice::count == static_cast<int>(Miss::not_kept) + 1);
    CHECK(stored::ObjectKindChoice::count == static_cast<int>(ObjectKind::special) + 1);
    CHECK(stored::object_kind_number::file == static_cast<int>(ObjectKind::file));
    CHECK(stored::object_kind_number::kernel == static_cast<int>(ObjectKind::kernel));
    CHECK(stored::object_kind_number::module == static_cast<int>(ObjectKind::module));
    CHECK(stored::CodeKindChoice::count == static_cast<int>(CodeKind::out_of_line) + 1);
    CHECK(stored::CodeClassChoice::count == code_classes.size());
    CHECK(to_string(static_cast<SymbolMiss>(stored::SymbolMissChoice::count - 1)) == "busy");
    CHECK(to_string(static_cast<SymbolMiss>(stored::SymbolMissChoice::count)) == "unknown");
    CHECK(stored::CodeOriginChoice::count == static_cast<int>(CodeOrigin::Kind::file) + 1);
    CHECK(stored::LinesOriginChoice::count == static_cast<int>(LinesOrigin::Kind::file) + 1);
    CHECK(stored::RelocationBaseChoice::count == static_cast<int>(RelocationBase::next_instruction) + 1);
    CHECK(stored::stack_end_choices == stack_ends);
}

TEST_CASE("Attrs of a model have every field of an attr", "[recording][stored]") {
    std::string bytes;
    for (int byte = 0; byte < 144; ++byte) bytes += static_cast<char>(byte + 1);
    bytes[110] = bytes[111] = 0;  // reserved, behind sample_max_stack
    const auto again = stored::encode_attr(stored::decode_attr(bytes));
    CHECK(again == bytes);
}

TEST_CASE("A fact of a profile is that of all its recordings, or none", "[recording][stored]") {
    StoredModel made("one");
    made.model.sources[0].hostname = made.text("here");
    made.model.sources[0].os_release = made.text("6.1");
    auto other = made.model.sources[0];
    other.content = std::string(32, 'x');
    other.hostname = made.text("there");
    other.times = 2;
    made.add(other);
    const auto model = std::move(made).finish();
    CHECK(stored::shared_fact(model, &stored::Source::hostname).empty());
    CHECK(stored::shared_fact(model, &stored::Source::os_release) == "6.1");
    CHECK(stored::recordings(model) == 3);
}
