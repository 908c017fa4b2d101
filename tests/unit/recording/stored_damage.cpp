// SPDX-License-Identifier: MIT
// Profile files that are damaged, or made by an enemy: read wholly or refused, with bounded memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "perfdata/recording/source.hpp"

#include "catch.hpp"
#include "recording/stored/merge.hpp"
#include "recording/stored/profile_fields.hpp"
#include "recording/stored/profile_file.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;
using stored::Model;
using stored::Ref;

namespace {

Result<Model> read_bytes(std::string_view bytes, const Limits& limits = {}, const Watch& watch = {}) {
    return stored::read_profile(*memory_source(std::as_bytes(std::span(bytes))), "x.pb", limits, watch);
}

// A small profile with a row in most tables.
Model small() {
    StoredModel made("small");
    const auto event = made.event("cycles", 0);
    const auto file = made.file("/bin/a", "build");
    const auto function = made.function(file, 0x10, "f", "code");
    made.version(function, 1, "more");
    made.function(file, 0x20, "g", "code");
    stored::Lines lines;
    lines.function = function;
    stored::SourcePlace place;
    place.file = made.text("a.c");
    stored::LineStart start;
    start.place = made.add(place);
    stored::Call call;
    call.function = made.text("inner");
    call.place = start.place;
    start.calls = made.add(call);
    lines.starts.push_back(start);
    made.add(lines);
    stored::Inlined inlined;
    inlined.object = file;
    inlined.name = made.text("inner");
    const auto inner = made.add(inlined);
    stored::Frame frame;
    frame.function = function;
    frame.kind = stored::frame_kind::object;
    frame.inlined.push_back(inner);
    const auto outer = made.node(made.add(frame));
    const auto leaf = made.node(made.frame(function, 2), outer);
    const auto task = made.task("a", 1);
    made.cell(task, leaf, event, 5);
    made.cell(task, outer, event, 6);
    made.model.branches.push_back(
        {task, event, Ref<stored::Frame>(std::size_t{0}), Ref<stored::Frame>(std::size_t{1}), false, false, 2});
    return std::move(made).finish();
}

// Returns the file of a model that may break its promises.
std::string broken_file(const Model& model) {
    std::string bytes;
    stored::write_tables(model, [&](std::string_view part) { bytes += part; });
    return bytes;
}

// Returns why a model is refused that breaks a promise.
std::string refusal(const std::function<void(Model&)>& breaks) {
    auto model = small();
    breaks(model);
    const auto read = read_bytes(broken_file(model));
    if (read) return "not refused";
    CHECK(read.error().code == ErrorCode::malformed);
    return read.error().detail;
}

// A message of protobuf with one field.
std::string field(std::uint64_t number, std::string_view content) {
    std::string bytes;
    const auto varint = [&](std::uint64_t value) {
        for (; value > 0x7f; value >>= 7) bytes += static_cast<char>(0x80 | (value & 0x7f));
        bytes += static_cast<char>(value);
    };
    varint(number << 3 | 2);
    varint(content.size());
    return bytes + std::string(content);
}

}  // namespace

TEST_CASE("A profile file that ends early is refused", "[recording][stored]") {
    const auto model = small();
    const auto bytes = written(model);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto read = read_bytes(std::string_view(bytes).substr(0, size));
        // Behind our tables is only what other readers show.
        if (read) {
            CHECK(*read == model);
            continue;
        }
        const auto code = read.error().code;
        CHECK((code == ErrorCode::truncated || code == ErrorCode::malformed || code == ErrorCode::not_perf_data));
    }
    CHECK_FALSE(read_bytes(std::string_view(bytes).substr(0, bytes.size() / 4)));
}

TEST_CASE("A profile file with a changed byte is refused, or a sound profile", "[recording][stored]") {
    const auto bytes = written(small());
    std::size_t refused = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const unsigned flip : {0x01u, 0x10u, 0x80u, 0xffu}) {
            auto damaged = bytes;
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
            const auto read = read_bytes(damaged);
            if (!read) {
                ++refused;
                CHECK_FALSE(read.error().detail.empty());
                continue;
            }
            const auto again = read_bytes(written(*read));
            REQUIRE(again);
            CHECK(*again == *read);
        }
    }
    CHECK(refused > bytes.size() / 2);
}

TEST_CASE("Damaged profiles that can be read can be merged", "[recording][stored][merge]") {
    const auto bytes = written(small());
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        auto damaged = bytes;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ 1u);
        auto read = read_bytes(damaged);
        if (!read) continue;
        std::vector<stored::Named> named;
        named.push_back({"damaged", std::move(*read)});
        named.push_back({"random", random_model(1)});
        const auto sum = stored::merge(std::move(named));
        if (!sum) continue;
        const auto again = read_bytes(written(*sum));
        INFO((again ? "" : again.error().message()));
        REQUIRE(again);
        CHECK(*again == *sum);
    }
}

TEST_CASE("References of a profile are checked", "[recording][stored]") {
    const auto beyond = "it refers to a row that is not there";
    CHECK(refusal([](Model& m) { m.frames[0].function = Ref<stored::Function>(std::size_t{2}); }).ends_with(beyond));
    CHECK(refusal([](Model& m) { m.cells[1].node.number = 0xfffffffe; }).ends_with(beyond));
    CHECK(refusal([](Model& m) { m.texts.pop_back(); }).ends_with(beyond));
    CHECK(refusal([](Model& m) { m.facts.arch.number = 1000; }) == beyond);
    CHECK(refusal([](Model& m) { m.facts.without_file = {{Ref<stored::Object>(std::size_t{9}), 1}}; }) == beyond);
    CHECK(refusal([](Model& m) { m.lines[0].starts[0].calls.number = 7; }).ends_with(beyond));
    // A chain that calls itself.
    CHECK(refusal([](Model& m) { m.nodes[1].caller.number = 1; }).ends_with(beyond));
    CHECK(refusal([](Model& m) { m.calls[0].outer.number = 0; }).ends_with(beyond));
}

TEST_CASE("Rows of a profile must be in their order, and each there once", "[recording][stored]") {
    const auto order = "rows are not in their order";
    CHECK(refusal([](Model& m) { std::swap(m.texts[1], m.texts[2]); }).ends_with(order));
    CHECK(refusal([](Model& m) { m.tasks.push_back(m.tasks.back()); }).ends_with(order));
    CHECK(refusal([](Model& m) { std::swap(m.frames[0], m.frames[1]); }).ends_with(order));
    CHECK(refusal([](Model& m) {
              m.cells.push_back(m.cells.back());
              ++m.cells.back().hits;
          }).ends_with("the same is counted twice"));
    CHECK(refusal([](Model& m) {
              m.branches.push_back(m.branches.back());
              ++m.branches.back().times;
          }).ends_with("the same is counted twice"));
    CHECK(refusal([](Model& m) {
              m.lines.push_back(m.lines.back());
              m.lines.back().at = 1;
          }).ends_with("a function has lines twice"));
    CHECK(refusal([](Model& m) {
              auto again = m.events[0];
              ++again.position;
              m.events.push_back(again);
          }) == "two events have one name");
    CHECK(refusal([](Model& m) {
              auto again = m.sources[0];
              ++again.times;
              m.sources.push_back(again);
          }).ends_with("a recording is there twice"));
}

TEST_CASE("Promises of the rows of a profile are checked", "[recording][stored]") {
    CHECK(refusal([](Model& m) { m.cells[0].hits = 0; }).ends_with("a count counts nothing"));
    CHECK(refusal([](Model& m) { m.cells[0].event = {}; }).ends_with("a count counts nothing"));
    CHECK(refusal([](Model& m) { m.branches[0].to = {}; }).ends_with("a branch counts nothing"));
    CHECK(refusal([](Model& m) { m.versions.pop_back(); }) == "a function has no version");
    CHECK(refusal([](Model& m) { m.versions[1].number = 2; }).ends_with("versions do not follow each other"));
    CHECK(
        refusal([](Model& m) { m.versions.erase(m.versions.begin()); }).ends_with("versions do not follow each other"));
    CHECK(refusal([](Model& m) { m.versions[0].image.bytes.clear(); }).ends_with("code has no bytes"));
    CHECK(refusal([](Model& m) { m.versions[0].image.absent = true; }).ends_with("code that is absent has bytes"));
    CHECK(refusal([](Model& m) { m.versions[0].image.gaps = {{3, 2}}; }).ends_with("a gap is not inside of the code"));
    CHECK(refusal([](Model& m) {
              m.versions[0].image.gaps = {{1, ~std::uint64_t{0}}};
          }).ends_with("a gap is not inside of the code"));
    CHECK(refusal([](Model& m) {
              m.versions[0].image.gaps = {{2, 1}, {1, 1}};
          }).ends_with("a gap is not inside of the code"));
    CHECK(refusal([](Model& m) { m.functions[0].symbol = {}; }).ends_with("a function has no name"));
    CHECK(refusal([](Model& m) { m.functions[0].object = {}; }).ends_with("a place has no object, or too many"));
    CHECK(refusal([](Model& m) { m.functions[0].code_hash = "x"; }).ends_with("the hash of code has another length"));
    CHECK(refusal([](Model& m) {
              m.functions[1].kind = stored::frame_kind::inlined;
          }).ends_with("a place is of a kind that it cannot be of"));
    CHECK(refusal([](Model& m) { m.frames[0].number = 1; }).ends_with("a frame is in a function and elsewhere"));
    CHECK(refusal([](Model& m) { m.frames[0] = {}; }).ends_with("a frame does not say why it has no name"));
    CHECK(refusal([](Model& m) { m.events[0].attr.pop_back(); }).ends_with("an attr has another length"));
    CHECK(refusal([](Model& m) {
              m.events[0].first_time = 1;
              m.events[0].from_zero = true;
          }).ends_with("an event has two first samples"));
    CHECK(refusal([](Model& m) {
              m.sources[0].content.pop_back();
          }).ends_with("the hash of a recording has another length"));
    CHECK(refusal([](Model& m) { m.objects[0].build_id = std::string(21, 'x'); }).ends_with("a build id is too long"));
    CHECK(refusal([](Model& m) { m.lines[0].starts[0].place = {}; }).ends_with("a line has no place"));
    CHECK(refusal([](Model& m) { m.facts.keeps = 1u << 31; }) == "a number stands for nothing");
    CHECK(refusal([](Model& m) { m.facts.stacks_by_end.resize(13); }) == "stacks end for unknown reasons");
    CHECK(refusal([](Model& m) { m.facts.losses.kept.resize(2); }) == "more losses are kept than there were");
    CHECK(refusal([](Model& m) {
              m.texts[0].bytes = "a";
              m.texts[1].bytes = "aa";
          }).contains("order"));
    CHECK(refusal([](Model& m) { m.objects[0].kind.value = 11; }).ends_with("a number stands for nothing"));
}

TEST_CASE("A function is inlined where it is from", "[recording][stored]") {
    auto model = small();
    stored::Object other = model.objects[0];
    other.build_id += "x";
    model.objects.push_back(other);
    model.inlined[0].object = Ref<stored::Object>(std::size_t{1});
    const auto read = read_bytes(broken_file(model));
    REQUIRE_FALSE(read);
    CHECK(read.error().detail.ends_with("a function is inlined elsewhere"));
}

TEST_CASE("Chains of a profile have a limit", "[recording][stored]") {
    StoredModel made("deep");
    const auto frame = made.frame(made.function(made.file("/bin/a", {}), 0, "f", "code"), 0);
    Ref<stored::Node> node;
    for (std::size_t depth = 0; depth < stored::most_depth; ++depth) node = made.node(frame, node);
    const auto event = made.event("cycles", 0);
    made.cell(made.task("a", 1), node, event, 1);
    auto deeper = made;
    CHECK(read_bytes(written(std::move(made).finish())));
    deeper.cell(deeper.task("a", 2), deeper.node(frame, node), event, 1);
    const auto read = read_bytes(written(std::move(deeper).finish()));
    REQUIRE_FALSE(read);
    CHECK(read.error().detail.ends_with("a chain is too deep"));
}

TEST_CASE("Limits hold for profiles", "[recording][stored]") {
    const auto bytes = written(small());
    const auto refused = [&](auto Limits::*limit, auto value) {
        Limits limits;
        limits.*limit = value;
        const auto read = read_bytes(bytes, limits);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == ErrorCode::limit);
        return read.error().detail;
    };
    CHECK(refused(&Limits::events, 0u) == "the table of its events has 1, and the limit is 0");
    CHECK(refused(&Limits::chain_nodes, 1u) == "the table of its chains has 2, and the limit is 1");
    CHECK(refused(&Limits::cells, 1u).contains("counts"));
    CHECK(refused(&Limits::code_versions, 1u).contains("functions"));
    CHECK(refused(&Limits::section_bytes, 8u).contains("the limit is 8"));
    CHECK(refused(&Limits::places, 1u).contains("the limit is 1"));
}

TEST_CASE("A profile cannot claim more rows than it has bytes", "[recording][stored]") {
    const auto header = stored::profile_header(stored::profile_version);
    const auto tables = std::tuple_size_v<decltype(std::declval<Model&>().tables())>;
    const std::string huge = "\xff\xff\xff\xff\x0f";  // 2^32-1
    std::string sizes;
    for (std::size_t at = 0; at < tables; ++at) sizes += huge;
    const auto read = read_bytes(header + field(1001, sizes));
    REQUIRE_FALSE(read);
    CHECK(read.error().detail == "the table of its texts is longer than the file");
    CHECK_FALSE(read_bytes(header + field(1001, sizes + huge)));
    CHECK_FALSE(read_bytes(header + field(1001, sizes.substr(0, 5))));
    CHECK_FALSE(read_bytes(header + field(1001, "\xff")));
    // Fields of other sizes than the file has.
    CHECK_FALSE(read_bytes(header + "\xca\x3e\xff\xff\xff\xff\x0f"));
    CHECK_FALSE(read_bytes(header + "\xca\x3e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

TEST_CASE("Parts of a profile are there once, in their order", "[recording][stored]") {
    const auto model = small();
    const auto whole = written(model);
    const auto header = stored::profile_header(stored::profile_version);
    CHECK_FALSE(read_bytes(header + whole));
    CHECK_FALSE(read_bytes(header + header + whole.substr(header.size())));
    CHECK_FALSE(read_bytes(whole.substr(header.size())));
    CHECK_FALSE(read_bytes(header));
    // A field of ours that this version does not know, and one of pprof's, which does not matter.
    CHECK_FALSE(read_bytes(whole + field(stored::last_field + 1, "x")));
    const auto more = read_bytes(whole + field(99, "x") + "\x08\x01" + "\x11" + std::string(8, 'x') + "\x1d" + "1234");
    REQUIRE(more);
    CHECK(*more == model);
    CHECK_FALSE(read_bytes(whole + "\x0b"));  // a group, which is no longer in use
}

TEST_CASE("Members of rows are there once, in their order, and known", "[recording][stored]") {
    const auto of_facts = [](std::string_view facts) {
        const auto read = read_bytes(stored::profile_header(stored::profile_version) +
                                     field(1001, std::string(19, '\0')) + field(1002, facts));
        REQUIRE_FALSE(read);
        return read.error().detail;
    };
    CHECK(of_facts("\x08\x01\x08\x01") == "a field is there twice");
    CHECK(of_facts("\x38\x64\x08\x01") == "fields are not in their order");
    CHECK(of_facts(field(77, "x")) == "it has a field that this version does not know");
    CHECK(of_facts(field(1, "x")) == "a field is of another type");
    CHECK(of_facts("\x28\x02") == "a flag is neither 0 nor 1");
    CHECK(of_facts("\x38\xff\xff\xff\xff\xff\x01") == "a number is too large");
    CHECK(of_facts("\x08") == "a message is not one");
    CHECK(of_facts("\x08\x01") == "the empty text is missing");
}

TEST_CASE("Reading a profile stops when it is asked to", "[recording][stored]") {
    const Watch watch{StopToken([] { return true; }), {}};
    const auto read = read_bytes(written(small()), {}, watch);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::cancelled);
}

TEST_CASE("A source that fails is an error of a profile", "[recording][stored]") {
    const auto bytes = written(small());
    const auto failing = callback_source(
        bytes.size(),
        [](std::uint64_t, std::span<std::byte>) -> Result<std::size_t> {
            return fail(ErrorCode::io, Error::no_offset, "disk", "is gone");
        },
        "x");
    const auto read = stored::read_profile(*failing, "x.pb", {});
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::io);
    // One that is shorter than it says.
    const auto shorter = callback_source(
        bytes.size() + 100,
        [&](std::uint64_t offset, std::span<std::byte> out) -> Result<std::size_t> {
            const auto left = std::as_bytes(std::span(bytes)).subspan(std::min<std::size_t>(offset, bytes.size()));
            const auto some = std::min(left.size(), out.size());
            std::ranges::copy(left.first(some), out.begin());
            return some;
        },
        "x");
    const auto cut = stored::read_profile(*shorter, "x.pb", {});
    REQUIRE_FALSE(cut);
    CHECK(cut.error().code == ErrorCode::truncated);
}
