// SPDX-License-Identifier: MIT
// What `perfdata bpf` says of programs is what bpftool said of them while they were loaded.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/program_info.hpp"
#include "support/sketch.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

std::string witness(const std::string& name) {
    const auto content = content_of_file(fixture("expect/bpf_facts." + name));
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}

Json facts_of(const Place& place, const std::vector<std::string>& arguments) {
    const auto ended = place.run(arguments);
    INFO(ended.messages);
    REQUIRE(ended.status == 0);
    return Json::parse(ended.output);
}

// Returns an instruction without spaces and with all numbers in decimal, without sign: Capstone writes $0x6e and
// (%rax, %rax), LLVM $110 and (%rax,%rax).
std::string same_numbers(const std::string& line) {
    std::string text;
    for (std::size_t at = 0; at < line.size();) {
        const auto here = static_cast<unsigned char>(line[at]);
        const bool inside = !text.empty() && std::isalnum(static_cast<unsigned char>(text.back())) != 0;
        const bool minus = line[at] == '-' && at + 1 < line.size() && std::isdigit(line[at + 1] & 0x7f) != 0;
        if (!inside && (std::isdigit(here) != 0 || minus)) {
            std::size_t used = 0;
            const auto rest = line.substr(at + (minus ? 1 : 0));
            const auto number = std::stoull(rest, &used, rest.starts_with("0x") ? 16 : 10);
            text += std::to_string(minus ? 0 - number : number);
            at += used + (minus ? 1 : 0);
            continue;
        }
        if (line[at] != ' ') text += line[at];
        ++at;
    }
    // Shifts by one: Capstone writes the number, LLVM does not.
    for (const std::string shift : {"shrq\t", "shlq\t", "sarq\t"}) {
        const auto found = text.find(shift + "$1,");
        if (found != std::string::npos) text.erase(found + shift.size(), 3);
    }
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

}  // namespace

TEST_CASE("bpf says what bpftool says of runs, maps and sizes", "[bpf]") {
    const Place place;
    const auto before = Json::parse(witness("progs.json")), after = Json::parse(witness("after.json"));
    const auto said = facts_of(place, {"bpf", "--json", fixture("bpf/bpf_facts.data")});
    REQUIRE(said["programs"].items().size() == before.items().size());
    for (std::size_t index = 0; index < before.items().size(); ++index) {
        const auto& expected = before.items()[index];
        const auto& later = after.items()[index];
        const auto& program = said["programs"].items()[index];
        CHECK(program["program_id"].count() == expected["id"].count());
        CHECK(program["program_name"].text() == expected["name"].text());
        CHECK(program["program_tag"].text() == expected["tag"].text());
        CHECK(program["program_type"].text() == expected["type"].text());
        CHECK(program["btf_id"].count() == expected["btf_id"].count());
        CHECK(program["jited_size"].count() == expected["bytes_jited"].count());
        CHECK(program["xlated_size"].count() == expected["bytes_xlated"].count());
        CHECK(program["created_by_uid"].count() == expected["uid"].count());
        CHECK(program["map_count"].count() == expected["map_ids"].items().size());
        for (const auto* pair : {"run_count run_cnt", "run_time_ns run_time_ns"}) {
            const std::string names = pair;
            const auto space = names.find(' ');
            const auto count = program[names.substr(0, space)].count();
            CHECK(count >= expected[names.substr(space + 1)].count());
            CHECK(count <= later[names.substr(space + 1)].count());
            CHECK(count != 0);
        }
        for (const auto* missing : {"map_ids", "map_names", "attach_type", "attached_to", "xlated_code"}) {
            INFO(missing);
            CHECK(program[missing].is_null());
        }
        REQUIRE(program["declared_maps"].items().size() == 2);
        CHECK(program["declared_maps"].items()[0].text() == "calls");
        CHECK(program["declared_maps"].items()[1].text() == "not_used");
    }
}

TEST_CASE("bpf --code jited prints what bpftool prints, but for the form of numbers", "[bpf]") {
    const Place place;
    for (const auto& [name, object] :
         std::map<std::string, std::string>{{"facts_main", "[bpf:147]"}, {"facts_once", "[bpf:148]"}}) {
        for (const auto* form : {"jited", "linum"}) {
            std::vector<std::string> arguments = {"bpf", "--code", "jited", "--dso", object};
            if (std::string(form) == "linum") arguments.push_back("--linum");
            arguments.push_back(fixture("bpf/bpf_facts.data"));
            INFO(in_words(arguments));
            const auto ended = place.run(arguments);
            REQUIRE(ended.status == 0);
            const auto got = lines_of(ended.output), expected = lines_of(witness(name + "." + form + ".txt"));
            REQUIRE(got.size() == expected.size());
            for (std::size_t line = 0; line < got.size(); ++line) {
                if (got[line] == expected[line]) continue;
                CHECK(got[line].starts_with(expected[line].substr(0, expected[line].find('\t'))));
                CHECK(same_numbers(got[line]) == same_numbers(expected[line]));
            }
        }
    }
}

TEST_CASE("bpf shows BPF_METADATA, trampolines and dispatchers", "[bpf]") {
    const Place place;
    const auto meta = facts_of(place, {"bpf", "--json", fixture("records/v72_meta.data")});
    const auto& variables = meta["programs"].items().at(0)["metadata"].items();
    REQUIRE(variables.size() == 2);
    CHECK(variables[0]["key"].text() == "author");
    CHECK(variables[0]["value"].text() == "fixture");
    CHECK(variables[1]["key"].text() == "revision");
    CHECK(variables[1]["value"].text() == "r42");
    const auto text = place.run({"bpf", fixture("records/v72_meta.data")}).output;
    INFO(text);
    CHECK(text.find("\n  metadata author = fixture\n  metadata revision = r42\n") != std::string::npos);
    CHECK(text.find("; 1 map (id 15; name: not in the recording)\n") != std::string::npos);
    // perf 7.2 asks for the ids of maps.
    REQUIRE(meta["programs"].items().at(0)["map_ids"].items().size() == 1);
    CHECK(meta["programs"].items().at(0)["map_ids"].items()[0].count() == 15);
    CHECK(meta["others"].items().at(0)["dispatcher"].text() == "xdp");

    const auto types = facts_of(place, {"bpf", "--json", fixture("bpf/bpf_types.data")});
    std::size_t attached = 0;
    for (const auto& program : types["programs"].items()) {
        const std::string name(program["program_name"].text());
        if (name != "on_read_enter" && name != "on_read_exit") continue;
        ++attached;
        CHECK(program["attached_to"]["btf_object_id"].count() == 1);
        CHECK(program["attached_to"]["btf_id"].count() == 41294);
        CHECK(program["attached_to"]["function"].is_null());
        CHECK_FALSE(program["attached_to"]["trampolines"].items().empty());
    }
    CHECK(attached == 2);
}

TEST_CASE("bpf lists a trampoline once in a line, though it was registered twice", "[bpf]") {
    const Place place;
    const auto text = place.run({"bpf", "-S", "on_read_enter", fixture("bpf/bpf_types.data")}).output;
    const std::string first = "bpf_trampoline_6442492238 at 0xffffffffc0341000";
    const auto found = text.find(", called by " + first);
    REQUIRE(found != std::string::npos);
    const auto line = text.substr(found, text.find('\n', found) - found);
    CHECK(line == ", called by " + first + ", bpf_trampoline_6442492238 at 0xffffffffc0351000");
}

TEST_CASE("Variables of a listed program are not those of others, however many it has", "[bpf]") {
    constexpr std::uint64_t base = 0xffffffffc0000000, tag = 0x0102030405060708;
    constexpr std::size_t most_shown = 64;
    const std::string first = "bpf_prog_0102030405060708_a", second = "bpf_prog_0102030405060708_b";
    Sketch sketch;
    sketch.symbol(base, 64, first, 1).symbol(base + 64, 64, second, 1);
    sketch.bpf(perfdata::BpfEvent::Kind::load, 1, tag, 2);
    const auto variable = [&](const std::string& symbol, const std::string& key, const std::string& value) {
        Writer body(Sketch::order);
        body.text(symbol).zeros(512 - symbol.size()).u64(1);
        body.text(key).zeros(64 - key.size()).text(value).zeros(256 - value.size());
        sketch.record(perfdata::RecordType::bpf_metadata, body.take());
    };
    for (std::size_t at = 0; at < most_shown; ++at) variable(first, "n" + std::to_string(at), std::to_string(at));
    variable(second, "of_second", "\"x\"");
    variable("bpf_prog_0807060504030201_c", "of_other", "\"cut off");
    ProgramInfo info(Sketch::order, 1);
    info.u64(info_field::tag, 0x0807060504030201);
    info.array(perfdata::BpfArray::jited_ksyms, 2, array_u64(Sketch::order, {base, base + 64}));
    info.array(perfdata::BpfArray::jited_func_lens, 2, array_u32(Sketch::order, {64, 64}));
    sketch.feature(perfdata::Feature::bpf_prog_info, prog_info_feature(Sketch::order, {info.encode()}));
    const Place place;
    const auto blob = sketch.build();
    const auto file = place.write("variables.data", std::string(perfdata::as_text(blob)));

    const auto said = facts_of(place, {"bpf", "--json", file});
    REQUIRE(said["programs"].items().size() == 1);
    const auto& program = said["programs"].items()[0];
    CHECK(program["metadata"].items().size() == most_shown);
    CHECK(program["metadata_left_out"].count() == 1);
    const auto& others = said["metadata_of_others"].items();
    REQUIRE(others.size() == 1);
    CHECK(others[0]["symbol"].text() == "bpf_prog_0807060504030201_c");
    CHECK(others[0]["key"].text() == "of_other");
    CHECK(others[0]["value"].text() == "\"cut off");
    const auto text = place.run({"bpf", file}).output;
    CHECK(text.find("Variables of programs that are not listed\n  metadata of_other = \"cut off\n") !=
          std::string::npos);
    CHECK(text.find("of_second") == std::string::npos);
}

TEST_CASE("bpf --timeline has each record of BPF code that dump has", "[bpf]") {
    const Place place;
    for (const auto* name : {"bpf/bpf_types.data", "bpf/bpf_reuse.data", "bpf/bpf_facts.data", "bpf/bpf_misc.data"}) {
        INFO(name);
        const auto said = facts_of(place, {"bpf", "--json", "--timeline", fixture(name)});
        std::map<std::string, std::size_t> dumped, listed;
        const auto dump = place.run({"dump", "--json", "--type", "KSYMBOL", "--type", "BPF_EVENT", fixture(name)});
        for (const auto& line : lines_of(dump.output)) {
            const auto record = Json::parse(line);
            const auto time = record.has("time") ? std::string(record["time"].text()) : std::string("0.000000000");
            ++dumped[time + (record["type"].text() == "KSYMBOL" ? " code" : " program")];
        }
        std::string last;
        for (const auto& change : said["timeline"].items()) {
            const auto time =
                change["time"].is_null() ? std::string("0.000000000") : std::string(change["time"].text());
            ++listed[time + (change.has("symbol") ? " code" : " program")];
            CHECK(std::stold(last.empty() ? "0" : last) <= std::stold(time));
            last = time;
        }
        CHECK(listed == dumped);
    }
}

TEST_CASE("bpf refuses what it cannot show", "[bpf]") {
    const Place place;
    const auto xlated = place.run({"bpf", "--code", "xlated", "in.data"});
    CHECK(xlated.status == 2);
    CHECK(xlated.messages.find("perf does not record BPF instructions") != std::string::npos);
    CHECK(place.run({"bpf", "--code", "x", "in.data"}).status == 2);
    CHECK(place.run({"bpf", "--linum", "in.data"}).status == 2);
    CHECK(place.run({"bpf", "--code", "jited", "--timeline", "in.data"}).status == 2);
}

TEST_CASE("info refers to bpf only where bpf lists programs", "[bpf][info]") {
    const bool placed = GENERATE(false, true);
    ProgramInfo info(Sketch::order, 1);
    if (placed) {
        info.array(perfdata::BpfArray::jited_ksyms, 1, array_u64(Sketch::order, {0xffffffffc0000000}));
        info.array(perfdata::BpfArray::jited_func_lens, 1, array_u32(Sketch::order, {64}));
    }
    Sketch sketch;
    sketch.comm(1, 1).feature(perfdata::Feature::bpf_prog_info, prog_info_feature(Sketch::order, {info.encode()}));
    const Place place;
    const auto file = place.write("hint.data", std::string(perfdata::as_text(sketch.build())));
    const auto text = place.run({"info", file}).output;
    INFO(text);
    CHECK(text.find("BPF_PROG_INFO     1 program") != std::string::npos);
    CHECK((text.find("`perfdata bpf` lists them") != std::string::npos) == placed);
    CHECK((facts_of(place, {"bpf", "--json", file})["programs"].items().size() == 1) == placed);
}
