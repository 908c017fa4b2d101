// SPDX-License-Identifier: MIT
#include <string>

#include "catch.hpp"
#include "export/csv_tables.hpp"
#include "export/csv_writer.hpp"
#include "unit/annotate/annotated_scene.hpp"
#include "unit/annotate/calls_scene.hpp"

using namespace perfdata;
using namespace perfdata::test;
using namespace std::string_literals;

namespace {

std::string csv_of(const Exported& exported, const Symbolizer& symbolizer, std::string_view table) {
    std::string text;
    write_csv_table(exported, symbolizer, csv_table(table).value(), [&text](std::string_view block) { text += block; });
    return text;
}

}  // namespace

TEST_CASE("Texts in tables are lines, and no formulas", "[annotate][export]") {
    CHECK(csv_text("") == "");
    CHECK(csv_text("std::vector<int>::at") == "std::vector<int>::at");
    CHECK(csv_text("f(int, char)") == "\"f(int, char)\"");
    CHECK(csv_text("operator\"\"_s") == "\"operator\"\"\"\"_s\"");
    CHECK(csv_text("two\nlines\r") == "two\\x0alines\\x0d");
    CHECK(csv_text("a\0b\xff"s) == "a\\x00b\\xff");
    CHECK(csv_text("\xc3\xa9t\xc3\xa9") == "\xc3\xa9t\xc3\xa9");
    CHECK(csv_text("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0");
    CHECK(csv_text("@plt") == "'@plt");
    CHECK(csv_text("-[A b:]") == "'-[A b:]");
    CHECK(csv_text("+1,2") == "\"'+1,2\"");
    CHECK(csv_text("\t=1") == "\"'\t=1\"");
    CHECK(csv_text(" x ") == "\" x \"");
    CHECK(csv_text(std::string(1 << 20, 'x')).size() < 2200);
}

TEST_CASE("Values of tables are plain", "[annotate][export]") {
    std::string text;
    const Sink sink = [&text](std::string_view block) { text += block; };
    CsvWriter csv(sink);
    csv.header({"a", "b"});
    csv.number(~std::uint64_t{0}).signed_number(-1).seconds(1'000'000'001).address(0x401136).truth(true).end_row();
    csv.number(std::optional<std::uint64_t>()).text("x").end_row();
    csv.finish();
    CHECK(text == "a,b\n18446744073709551615,-1,1.000000001,0x0000000000401136,true\n,x\n");
}

TEST_CASE("Tables of a recording join by their keys", "[annotate][export]") {
    Calls calls;
    calls.sample("ab", 2).sample("a?", 1, 1).sample("a");
    const AnnotatedScene opened(calls.scene());
    ExportedOptions options;
    options.samples = true;
    const auto exported = Exported::make(opened.recording, opened.symbolizer, options).value();
    const auto table = [&](std::string_view name) { return csv_of(exported, opened.symbolizer, name); };
    CHECK(table("samples") ==
          "sample_id,time,event_id,event,command,pid,tid,stack_id,hits,periods\n"
          "0,0.000000101,0,cpu-clock:HG#1,:50529026,50529025,50529026,1,1,10\n"
          "1,0.000000102,0,cpu-clock:HG#1,:50529026,50529025,50529026,1,1,10\n"
          "2,0.000000103,1,cpu-clock:HG#2,:50529026,50529025,50529026,2,1,10\n"
          "3,0.000000104,0,cpu-clock:HG#1,:50529026,50529025,50529026,0,1,10\n");
    CHECK(table("stacks") ==
          "stack_id,depth,frame_id\n"
          "0,0,0\n"
          "1,0,1\n"
          "1,1,0\n"
          "2,0,2\n"
          "2,1,0\n");
    CHECK(table("frames") ==
          "frame_id,function_id,object_id,address,inlined,file,line,column\n"
          "0,0,0,0x0000000000001003,false,,,\n"
          "1,1,1,0x0000000000001104,false,,,\n"
          "2,2,2,0x0000000000007404,false,,,\n");
    CHECK(table("functions") ==
          "function_id,name,symbol,kind,object_id,file,line\n"
          "0,a,bpf_prog_0000000000000000_a,bpf,0,,\n"
          "1,b,bpf_prog_0000000000000001_b,bpf,1,,\n"
          "2,[unknown],,kernel,2,,\n");
    CHECK(table("objects") ==
          "object_id,path,kind,build_id,load_id\n"
          "0,bpf_prog_0000000000000000_a,bpf,,\n"
          "1,[bpf:1:b],bpf,0000000000000001,0\n"
          "2,[unknown],kernel,,\n");
    CHECK(table("loads") ==
          "load_id,program_id,program_name,program_tag,program_type,loaded_at,unloaded_at,subprograms,jited_size,"
          "xlated_size,btf_id,created_by_uid,map_count,run_count,run_time_ns\n"
          "0,1,b,0000000000000001,,,,4,,,,,,,\n");
    CHECK(!csv_table("sample"));
}

TEST_CASE("What is not known is an empty field", "[annotate][export]") {
    Calls calls;
    const AnnotatedScene opened(calls.scene());
    Exported exported;
    exported.events.push_back({"a,b", 3, false, 0});
    exported.tasks.push_back({"=x", Pid{0xffffffff}, Tid{7}, false});
    exported.tasks.push_back({"[further tasks]", Pid{0}, Tid{0}, true});
    exported.samples.push_back({0, ~std::uint64_t{0}, 0, 0, 5});
    exported.samples.push_back({1, 2, 0, 1, 5});
    CHECK(csv_of(exported, opened.symbolizer, "samples") ==
          "sample_id,time,event_id,event,command,pid,tid,stack_id,hits,periods\n"
          "0,,3,\"a,b\",'=x,-1,7,5,1,18446744073709551615\n"
          "1,0.000000001,3,\"a,b\",[further tasks],,,5,1,2\n");
    ExportObject object;
    object.path = "[bpf:1:a]";
    object.build_id = "not its tag";
    object.kind = CodeClass::bpf;
    exported.objects.push_back(object);
    CHECK(csv_of(exported, opened.symbolizer, "objects") ==
          "object_id,path,kind,build_id,load_id\n"
          "0,[bpf:1:a],bpf,not its tag,\n");
}
