// SPDX-License-Identifier: MIT
// What merging takes for the same code, and what it refuses.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "recording/stored/canonical.hpp"
#include "recording/stored/merge.hpp"
#include "recording/stored/shared_facts.hpp"
#include "support/stored_model.hpp"

using namespace perfdata;
using namespace perfdata::test;
using stored::Model;

namespace {

constexpr std::string_view build_a = "aaaaaaaaaaaaaaaaaaaa", build_b = "bbbbbbbbbbbbbbbbbbbb";

Result<Model> merge_two(Model one, Model other, bool allow_duplicates = false) {
    std::vector<stored::Named> named;
    named.push_back({"one.pb.gz", std::move(one)});
    named.push_back({"other.pb.gz", std::move(other)});
    return stored::merge(std::move(named), {.allow_duplicates = allow_duplicates, .stop = {}});
}

// A recording in which one function was sampled, at one of its bytes.
struct Sampled {
    explicit Sampled(std::string_view content) : made(content), event(made.event("cycles", 0)) {}

    void sample(stored::Ref<stored::Function> function, std::uint64_t offset, std::uint64_t hits) {
        made.cell(made.task("prog", 42), made.node(made.frame(function, offset)), event, hits);
    }
    // Adds a function of a kind with run-time addresses.
    stored::Ref<stored::Function> function(stored::Function function, std::string_view bytes) {
        const auto ref = made.add(std::move(function));
        made.version(ref, 0, bytes);
        return ref;
    }
    Model finish() { return std::move(made).finish(); }

    StoredModel made;
    stored::Ref<stored::Event> event;
};

Model in_file(std::string_view content, std::string_view path, std::string_view build_id, std::uint64_t hits,
              std::string_view bytes = "code") {
    Sampled scene(content);
    scene.sample(scene.made.function(scene.made.file(path, build_id), 0x1000, "f", bytes), 8, hits);
    return scene.finish();
}

Model in_kernel(std::string_view content, std::uint64_t base, std::uint64_t hits) {
    Sampled scene(content);
    stored::Object kernel;
    kernel.kind.value = stored::object_kind_number::kernel;
    kernel.path = scene.made.text("[kernel.kallsyms]_text");
    kernel.build_id = build_a;
    kernel.base = base;
    stored::Function function;
    function.object = scene.made.add(kernel);
    function.begin = 0x5000;
    function.symbol = scene.made.text("do_it");
    function.has_address = true;
    function.address = base + 0x5000;
    scene.sample(scene.function(function, "code"), 4, hits);
    return scene.finish();
}

Model in_bpf(std::string_view content, std::uint64_t tag, std::uint32_t id, std::uint64_t address, std::uint64_t hits,
             std::string_view bytes) {
    Sampled scene(content);
    stored::Load load;
    load.tag = tag;
    load.program_name = scene.made.text("count");
    load.id = id;
    load.loaded_at = 1000 * id;
    load.unloaded_at = 1000 * id + 5;
    stored::Code code;
    code.load = scene.made.add(load);
    code.symbol = scene.made.text("bpf_prog_0000000000000001_count");
    code.address = address;
    code.from = load.loaded_at;
    code.size = bytes.size();
    stored::Function function;
    function.kind.value = stored::frame_kind::code;
    function.code = scene.made.add(code);
    function.symbol = code.symbol;
    function.size = bytes.size();
    function.has_address = true;
    function.address = address;
    scene.sample(scene.function(function, bytes), 2, hits);
    return scene.finish();
}

Model in_jit(std::string_view content, char code, std::uint32_t number, std::uint64_t hits) {
    Sampled scene(content);
    stored::Function function;
    function.kind.value = stored::frame_kind::jit;
    function.number = number;
    function.symbol = scene.made.text("script.js:f");
    function.code_hash = std::string(32, code);
    function.has_address = true;
    function.address = 4096 * std::uint64_t{number};
    scene.sample(scene.function(function, std::string(4, code)), 3, hits);
    return scene.finish();
}

std::uint64_t only_hits(const Model& model) {
    REQUIRE(model.cells.size() == 1);
    return model.cells[0].hits;
}

Model with_event(std::string_view content, std::uint32_t type, std::uint64_t config) {
    StoredModel made(content);
    const auto event = made.event("e", config);
    auto attr = stored::decode_attr(made.model.events[event.number].attr);
    attr.type = type;
    made.model.events[event.number].attr = stored::encode_attr(attr);
    return std::move(made).finish();
}

}  // namespace

TEST_CASE("Two machines' recordings of one program merge by build id and offset", "[recording][stored][merge]") {
    const auto sum = merge_two(in_file("1", "/usr/bin/prog", build_a, 3), in_file("2", "/opt/prog", build_a, 4));
    REQUIRE(sum);
    CHECK(only_hits(*sum) == 7);
    CHECK(sum->cells[0].periods == 7000);
    REQUIRE(sum->objects.size() == 1);
    CHECK(sum->text(sum->objects[0].path) == "/opt/prog");  // the least
    REQUIRE(sum->functions.size() == 1);
    CHECK(sum->facts.merged);
    CHECK(stored::recordings(*sum) == 2);
    CHECK(stored::differing(*sum) == 0);

    const auto other = merge_two(in_file("1", "/usr/bin/prog", build_a, 3), in_file("2", "/usr/bin/prog", build_b, 4));
    REQUIRE(other);
    CHECK(other->functions.size() == 2);
    CHECK(other->cells.size() == 2);
    // Without build ids the path is all there is.
    const auto paths = merge_two(in_file("1", "/usr/bin/prog", {}, 3), in_file("2", "/usr/bin/prog", {}, 4));
    REQUIRE(paths);
    CHECK(only_hits(*paths) == 7);
}

TEST_CASE("Code of the kernel merges by its distance from where the kernel began", "[recording][stored][merge]") {
    const auto sum = merge_two(in_kernel("1", 0xffffffff92000000, 1), in_kernel("2", 0xffffffff81000000, 2));
    REQUIRE(sum);
    CHECK(only_hits(*sum) == 3);
    REQUIRE(sum->objects.size() == 1);
    CHECK(sum->objects[0].base == 0xffffffff81000000);
    REQUIRE(sum->functions.size() == 1);
    CHECK(sum->functions[0].address == 0xffffffff81005000);
    // Where it is not known where it began, addresses may mean anything.
    const auto unknown = merge_two(in_kernel("1", 0, 1), in_kernel("2", 0xffffffff81000000, 2));
    REQUIRE(unknown);
    CHECK(unknown->cells.size() == 2);
}

TEST_CASE("BPF programs merge by tag and subprogram", "[recording][stored][merge]") {
    const auto sum = merge_two(in_bpf("1", 7, 70, 0x5000, 1, "bytes 1"), in_bpf("2", 7, 40, 0x6000, 2, "bytes 0"));
    REQUIRE(sum);
    CHECK(only_hits(*sum) == 3);
    REQUIRE(sum->loads.size() == 1);
    CHECK(sum->loads[0].id == 40);
    CHECK(sum->loads[0].loaded_at == 0);
    CHECK(sum->loads[0].unloaded_at == ~std::uint64_t{0});
    REQUIRE(sum->codes.size() == 1);
    CHECK(sum->codes[0].address == 0x5000);
    CHECK(sum->codes[0].from == 0);
    // Their bytes differ, since they hold addresses: the least are kept, and that is said.
    REQUIRE(sum->versions.size() == 1);
    CHECK(sum->versions[0].image.bytes == "bytes 0");
    CHECK(sum->versions[0].differs);
    CHECK(stored::differing(*sum) == 1);

    const auto other = merge_two(in_bpf("1", 7, 70, 0x5000, 1, "bytes"), in_bpf("2", 8, 70, 0x5000, 2, "bytes"));
    REQUIRE(other);
    CHECK(other->cells.size() == 2);
}

TEST_CASE("JIT code merges by name and code", "[recording][stored][merge]") {
    const auto sum = merge_two(in_jit("1", 'x', 9, 1), in_jit("2", 'x', 5, 2));
    REQUIRE(sum);
    CHECK(only_hits(*sum) == 3);
    REQUIRE(sum->functions.size() == 1);
    CHECK(sum->functions[0].number == 5);
    const auto other = merge_two(in_jit("1", 'x', 9, 1), in_jit("2", 'y', 9, 2));
    REQUIRE(other);
    CHECK(other->functions.size() == 2);
}

TEST_CASE("Code that is there beats code that is not", "[recording][stored][merge]") {
    auto without = in_file("2", "/usr/bin/prog", build_a, 1);
    without = stored::keep_only(std::move(without), stored::all_dimensions & ~bit(stored::Dimension::code));
    without.facts.keeps = stored::all_dimensions;  // its file was not there
    const auto sum = merge_two(std::move(without), in_file("1", "/usr/bin/prog", build_a, 1));
    REQUIRE(sum);
    REQUIRE(sum->versions.size() == 1);
    CHECK(sum->versions[0].image.bytes == "code");
    CHECK_FALSE(sum->versions[0].differs);
}

TEST_CASE("Merged profiles have no times and no order", "[recording][stored][merge]") {
    const auto sum = merge_two(random_model(1), random_model(2));
    REQUIRE(sum);
    for (const auto& cell : sum->cells) CHECK(cell.order == 0);
    for (const auto& event : sum->events) {
        CHECK((event.first_time == 0 && event.last_time == 0));
        CHECK_FALSE(event.from_zero);
    }
    for (const auto& code : sum->codes) CHECK((code.from == 0 && code.until == ~std::uint64_t{0}));
    for (const auto& version : sum->versions) CHECK((version.from == 0 && version.until == ~std::uint64_t{0}));
    for (const auto& object : sum->objects) CHECK(object.inode == 0);
}

TEST_CASE("A profile that lacks something because of a limit stays marked", "[recording][stored][merge]") {
    StoredModel partial("1");
    partial.model.facts.partial.push_back(
        {stored::PartialKind::limit, partial.text("call chains"), partial.text("more chains than there is room for")});
    const auto whole = in_file("2", "/usr/bin/prog", build_a, 1);
    const auto marked = std::move(partial).finish();
    for (const bool first : {false, true}) {
        const auto sum = first ? merge_two(marked, whole) : merge_two(whole, marked);
        REQUIRE(sum);
        REQUIRE(sum->facts.partial.size() == 1);
        CHECK(sum->text(sum->facts.partial[0].detail) == "more chains than there is room for");
        CHECK(sum->facts.partial[0].kind.is(stored::PartialKind::limit));
    }
}

TEST_CASE("What is left out of profiles adds up", "[recording][stored][merge]") {
    StoredModel one("1"), other("2");
    one.model.facts.left_out = {{one.text("secrets"), 2}};
    other.model.facts.left_out = {{other.text("a few"), 1}, {other.text("secrets"), 3}};
    const auto sum = merge_two(std::move(one).finish(), std::move(other).finish());
    REQUIRE(sum);
    std::map<std::string, std::uint64_t> numbers;
    for (const auto& row : sum->facts.left_out) numbers[std::string(sum->text(row.what))] = row.number;
    CHECK(numbers == std::map<std::string, std::uint64_t>{{"a few", 1}, {"secrets", 5}});
    const auto without_lines = stored::keep_only(*sum, stored::all_dimensions & ~stored::bit(stored::Dimension::line));
    CHECK(without_lines.facts.left_out.empty());
}

TEST_CASE("The same recording is not merged twice", "[recording][stored][merge]") {
    const auto model = in_file("1", "/usr/bin/prog", build_a, 3);
    const auto twice = merge_two(model, model);
    REQUIRE_FALSE(twice);
    CHECK(twice.error().code == ErrorCode::mismatch);
    CHECK(twice.error().message() ==
          "one.pb.gz and other.pb.gz: the same recording is in both; --allow-duplicates counts it twice");
    const auto allowed = merge_two(model, model, true);
    REQUIRE(allowed);
    CHECK(only_hits(*allowed) == 6);
    CHECK(stored::recordings(*allowed) == 2);
}

TEST_CASE("Recordings of different architectures do not merge", "[recording][stored][merge]") {
    const auto one = in_file("1", "/usr/bin/prog", build_a, 3);
    StoredModel made("2");
    made.model.facts.arch = made.text("aarch64");
    const auto other = std::move(made).finish();
    const auto sum = merge_two(one, other);
    REQUIRE_FALSE(sum);
    CHECK(sum.error().code == ErrorCode::mismatch);
    CHECK(sum.error().detail == "they are of different architectures: x86_64 and aarch64");
    // One that does not say goes with any.
    auto silent = other;
    silent.facts.arch = {};
    CHECK(merge_two(one, silent));

    auto big = in_file("3", "/usr/bin/prog", build_a, 3);
    big.facts.big_endian = true;
    const auto orders = merge_two(one, big);
    REQUIRE_FALSE(orders);
    CHECK(orders.error().detail == "they are of different byte orders: little-endian and big-endian");
}

TEST_CASE("Profiles without symbols do not merge with others", "[recording][stored][merge]") {
    const auto one = in_file("1", "/usr/bin/prog", build_a, 3);
    const auto without = [](std::string_view content) {
        return stored::keep_only(in_file(content, "/usr/bin/prog", build_a, 4),
                                 stored::all_dimensions & ~bit(stored::Dimension::symbol));
    };
    const auto sum = merge_two(one, without("2"));
    REQUIRE_FALSE(sum);
    CHECK(sum.error().detail == "one keeps symbols and the other does not: make both with the same --keep");
    const auto both = merge_two(without("2"), without("3"));
    REQUIRE(both);
    CHECK(only_hits(*both) == 8);
}

TEST_CASE("Events of one name must be the same event", "[recording][stored][merge]") {
    const auto refused = merge_two(with_event("1", attr_type::hardware, 0), with_event("2", attr_type::hardware, 1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::mismatch);
    CHECK(refused.error().detail == "their events 'e' are not the same event");
    CHECK_FALSE(merge_two(with_event("1", attr_type::hardware, 0), with_event("2", attr_type::raw, 0)));
    // Each kernel numbers its tracepoints and PMUs.
    CHECK(merge_two(with_event("1", attr_type::tracepoint, 310), with_event("2", attr_type::tracepoint, 311)));
    CHECK(merge_two(with_event("1", 8, 5), with_event("2", 11, 5)));
    CHECK_FALSE(merge_two(with_event("1", 8, 5), with_event("2", 11, 6)));
}

TEST_CASE("What an event of one recording can have, the merged event has", "[recording][stored][merge]") {
    const auto with = [](std::string_view content, std::uint64_t bits, std::uint64_t period) {
        StoredModel made(content);
        auto& event = made.model.events[made.event("cycles", 0).number];
        auto attr = stored::decode_attr(event.attr);
        attr.sample_type = bits;
        attr.sample_period = period;
        event.attr = stored::encode_attr(attr);
        return std::move(made).finish();
    };
    const auto sum = merge_two(with("1", sample_bit::ip | sample_bit::callchain, 4000),
                               with("2", sample_bit::ip | sample_bit::cpu, 1000));
    REQUIRE(sum);
    REQUIRE(sum->events.size() == 1);
    const auto attr = stored::decode_attr(sum->events[0].attr);
    CHECK(attr.sample_type == (sample_bit::ip | sample_bit::callchain | sample_bit::cpu));
    CHECK(attr.sample_period == 1000);
}

TEST_CASE("Merging stops when it is asked to", "[recording][stored][merge]") {
    std::vector<stored::Named> named;
    named.push_back({"a", random_model(1)});
    named.push_back({"b", random_model(2)});
    const auto stopped =
        stored::merge(std::move(named), {.allow_duplicates = false, .stop = StopToken([] { return true; })});
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
}
