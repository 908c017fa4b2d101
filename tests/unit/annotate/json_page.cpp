// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "unit/annotate/crafted_page.hpp"
#include "unit/annotate/json_value.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Json parsed(const std::string& text) {
    INFO(text);
    auto json = Json::parsed(text);
    REQUIRE(json);
    REQUIRE(text.ends_with("}\n"));
    return std::move(*json);
}

using Numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("The JSON page says what was recorded and how much of it was read", "[annotate][json]") {
    CraftedPage page;
    page.scene().sample(0x1009, 1'500'000'000).sample(0x1009, 2'000'000'001, CpuMode::user);
    const auto json = parsed(page.json({{"user-space code", {{1, 1}}}}));
    CHECK(json["schema"].text() == "perfdata.annotation/1");
    const auto& recording = json["recording"];
    CHECK(recording["arch"].text() == "x86_64");
    CHECK(recording["hostname"].text() == "guest");
    CHECK(recording["byte_order"].text() == "little");
    REQUIRE(recording["events"].size() == 1);
    CHECK(recording["events"][0]["name"].text() == "cycles");
    CHECK(recording["events"][0]["samples"].number() == 2);
    CHECK(recording["first_time"].text() == "1.500000000");
    CHECK(recording["last_time"].text() == "2.000000001");
    const auto& completeness = json["completeness"];
    CHECK(completeness["samples"]["total"].number() == 2);
    CHECK(completeness["records"]["SAMPLE"]["decoded"].number() == 2);
    const auto& bytes = completeness["bytes"];
    CHECK(bytes["records"].number() + bytes["outside_records"].number() + bytes["unread"].number() ==
          bytes["total"].number());
    CHECK(completeness["diagnostics"].size() == 0);
    REQUIRE(json["unattributed"].size() == 1);
    CHECK(json["unattributed"][0]["reason"].text() == "user-space code");
    CHECK(json["unattributed"][0]["hits"].numbers() == Numbers{1});
}

TEST_CASE("A function of the JSON page has names, place, times, program and counts", "[annotate][json]") {
    PageTexts texts;
    texts.events = {"cycles", "instructions"};
    CraftedPage page(texts);
    page.scene().sample(0x2001, 200, CpuMode::kernel, 0, 30).sample(0x2001, 200, CpuMode::kernel, 1, 7);
    page.scene().sample(0x9999, 200, CpuMode::kernel, 0, 10).sample(0x2001, 200, CpuMode::kernel, 1, 7);
    const auto json = parsed(page.json());
    REQUIRE(json["functions"].size() == 1);
    const auto& function = json["functions"][0];
    CHECK(function["name"].text() == "first_sub");
    CHECK(function["symbol"].text() == "bpf_prog_0000000000000002_first_sub");
    CHECK(function["kind"].text() == "bpf");
    CHECK(function["object"].text() == "[bpf:1]");
    CHECK(function["address"].text() == "0x2000");
    CHECK(function["size"].number() == 4);
    CHECK(function["from"].is_null());
    CHECK(function["until"].is_null());
    const auto& bpf = function["bpf"];
    CHECK(bpf["program_id"].number() == 1);
    CHECK(bpf["program_name"].text() == "first_main");
    CHECK(bpf["program_tag"].text() == "0000000000000abc");
    CHECK(bpf["tag"].text() == "0000000000000002");
    CHECK(bpf["subprogram"].number() == 1);
    CHECK(bpf["subprograms"].number() == 2);
    CHECK(bpf["btf_id"].number() == 1001);
    CHECK(bpf["prototype"].text() == "static int first_sub(void)");
    CHECK(bpf["loaded_at"].is_null());
    CHECK(function["hits"].numbers() == Numbers{1, 2});
    CHECK(function["periods"].numbers() == Numbers{30, 14});
    CHECK(function["percent"][0].real() == 50.0);
    CHECK(function["percent"][1].real() == 100.0);
    CHECK(function["percent_periods"][0].real() == 75.0);
    CHECK(function["on_instruction_start"].real() == 1.0);
}

TEST_CASE("Instructions of the JSON page have bytes, text, hits, target and line", "[annotate][json]") {
    CraftedPage page;
    page.scene().sample(0x1009, 200, CpuMode::kernel, 0, 30);
    const auto json = parsed(page.json());
    const auto& function = json["functions"][0];
    REQUIRE(function["instructions"].size() == 8);
    const auto& call = function["instructions"][3];
    CHECK(call["offset"].number() == 9);
    CHECK(call["address"].text() == "0x1009");
    CHECK(call["bytes"].text() == "e8f6f7ffff");
    CHECK(call["text"].text() == "callq 0x804");
    CHECK(call["hits"].numbers() == Numbers{1});
    CHECK(call["periods"].numbers() == Numbers{30});
    CHECK(call["target"]["name"].text() == "kernel_function");
    CHECK(call["target"]["offset"].number() == 4);
    CHECK(call["target"]["address"].text() == "0x804");
    CHECK(call["bpf_instruction"].number() == 3);
    CHECK(call["line"].number() == 2);
    const auto& line = function["lines"][2];
    CHECK(line["file"].text() == "dir/a.c");
    CHECK(line["line"].number() == 12);
    CHECK(line["column"].number() == 1);
    CHECK(line["text"].text() == "\treturn x;");
    CHECK(line["hits"].numbers() == Numbers{1});
    CHECK(function["instructions"][0]["hits"].numbers() == Numbers{0});
    CHECK_FALSE(function["instructions"][0].has("target"));
    CHECK(function["instructions"][7]["text"].text() == "retq");
    CHECK(function["problems"].size() == 0);
}

TEST_CASE("What is not known is null in the JSON page, and why is among the problems", "[annotate][json]") {
    CraftedPage page;
    page.scene().sample(0xb000, 200).symbol(live(300), 0x7000, 64, "bpf_trampoline_6").sample(0x7004, 350);
    page.scene().symbol_gone(live(400), 0x7000, 64, "bpf_trampoline_6");
    const auto json = parsed(page.json());
    REQUIRE(json["functions"].size() == 2);
    const auto& third = json["functions"][0];
    CHECK(third["name"].text() == "third");
    CHECK(third["from"].text() == "0.000000098");
    CHECK(third["until"].is_null());
    CHECK(third["bpf"]["loaded_at"].text() == "0.000000100");
    CHECK(third["bpf"]["unloaded_at"].is_null());
    CHECK(third["bpf"]["tag"].is_null());
    CHECK(third["bpf"]["btf_id"].is_null());
    CHECK(third["bpf"]["prototype"].is_null());
    CHECK(third["bpf"]["program_type"].is_null());
    CHECK(third["on_instruction_start"].is_null());
    CHECK(third["instructions"].size() == 0);
    REQUIRE(third["problems"].size() == 1);
    CHECK(third["problems"][0].text().find("BPF program 3: ") == 0);
    const auto& image = json["functions"][1];
    CHECK_FALSE(image.has("bpf"));
    CHECK(image["object"].text() == "[bpf]");
    CHECK(image["from"].text() == "0.000000300");
    CHECK(image["until"].text() == "0.000000400");
}

TEST_CASE("Map ids and the type of a program are in the JSON page", "[annotate][json]") {
    CraftedProgram program({9, 1, {{0xa000, 1, "mapped", 1}}});
    program.code(bytes_of({0xc3}));
    program.info().u32(info_field::type, 17).array(BpfArray::map_ids, 2, array_u32(std::endian::little, {3, 7}));
    CraftedPage page;
    program.known_in(page.scene());
    page.scene().info(first_program().info()).sample(0xa000, 200);
    const auto json = parsed(page.json());
    const auto& bpf = json["functions"][0]["bpf"];
    CHECK(bpf["map_ids"].numbers() == Numbers{3, 7});
    CHECK(bpf["program_type"].text() == "raw_tracepoint");
}

TEST_CASE("A JSON page without samples is whole", "[annotate][json]") {
    CraftedPage page;
    const auto json = parsed(page.json());
    CHECK(json["functions"].size() == 0);
    CHECK(json["unattributed"].size() == 0);
    CHECK(json["recording"]["first_time"].is_null());
}
