// SPDX-License-Identifier: MIT
#include "perfdata/symbols/kernel/kallsyms.hpp"

#include "catch.hpp"
#include "support/files.hpp"
#include "unit/symbols/expected.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Kallsyms parsed_kallsyms(std::string text) {
    auto table = Kallsyms::parse(std::move(text));
    REQUIRE(table);
    return std::move(*table);
}

std::string name_at(const Kallsyms& table, std::uint64_t address) {
    const auto found = table.find({address});
    return found ? std::string(found->name) : "-";
}

ErrorCode refused(std::string text) {
    const auto table = Kallsyms::parse(std::move(text), "somewhere");
    REQUIRE_FALSE(table);
    CHECK(table.error().where == "somewhere");
    return table.error().code;
}

}  // namespace

TEST_CASE("A function reaches from its address to the next one", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "ffffffff81000000 T first\n"
        "ffffffff81000100 t second\n"
        "ffffffff81000200 W third\n"
        "ffffffff81000300 w fourth\n");
    CHECK(table.size() == 4);
    CHECK(name_at(table, 0xffffffff80ffffff) == "-");
    CHECK(name_at(table, 0xffffffff81000000) == "first");
    CHECK(name_at(table, 0xffffffff810000ff) == "first");
    CHECK(name_at(table, 0xffffffff81000100) == "second");
    CHECK(name_at(table, 0xffffffff810002ff) == "third");
    CHECK(name_at(table, 0xffffffff81000301) == "fourth");
    const auto found = table.find({0xffffffff81000123});
    REQUIRE(found);
    CHECK(found->address == Address{0xffffffff81000100});
    CHECK(found->module.empty());
}

TEST_CASE("Lines may be in any order", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms("3000 T c\n1000 T a\n2000 T b\n");
    CHECK(name_at(table, 0x1800) == "a");
    CHECK(name_at(table, 0x2800) == "b");
    CHECK(name_at(table, 0x3800) == "c");
}

TEST_CASE("Data, labels and mapping symbols are no functions", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "1000 T real\n1100 D data\n1200 b bss\n1300 r constant\n1400 t $x\n1500 t .Ltmp0\n1600 t L0end\n1700 A abs\n");
    CHECK(table.size() == 1);
    CHECK(name_at(table, 0x1700) == "real");
}

TEST_CASE("The last function of the kernel and of each module reaches 64 KiB at most", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "10000000 T kernel_last\n"
        "20000000 t module_first\t[one]\n"
        "20000100 t module_last\t[one]\n"
        "30000000 t other\t[two]\n");
    CHECK(name_at(table, 0x1000ffff) == "kernel_last");
    CHECK(name_at(table, 0x10010000) == "-");
    CHECK(name_at(table, 0x200000ff) == "module_first");
    CHECK(name_at(table, 0x200100ff) == "module_last");
    CHECK(name_at(table, 0x20010100) == "-");
    CHECK(name_at(table, 0x3000ffff) == "other");
    CHECK(name_at(table, 0x30010000) == "-");
    CHECK(name_at(table, ~std::uint64_t{0}) == "-");
    CHECK(table.find({0x20000000})->module == "one");
    CHECK(table.find({0x30000000})->module == "two");
}

TEST_CASE("module_begins() has the lowest function of each module", "[symbols][kallsyms]") {
    const auto table = Kallsyms::parse(
        "ffffffffc0003000 t b2\t[b]\nffffffff81000000 T _text\nffffffffc0001000 t a1\t[a]\nffffffffc0000f00 d "
        "data\t[a]\n"
        "ffffffffc0002000 t b1\t[b]\nffffffffc0004000 t a2\t[a]\n",
        "kallsyms");
    REQUIRE(table);
    const std::map<std::string_view, Address> expected{{"a", {0xffffffffc0001000}}, {"b", {0xffffffffc0002000}}};
    CHECK(table->module_begins() == expected);
}

TEST_CASE("Inside one object a function may be long", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms("10000000 T long_one\n10100000 T next\n");
    CHECK(name_at(table, 0x100fffff) == "long_one");
}

TEST_CASE("BPF code and other code made at run time is left out", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "1000 T real\n"
        "2000 t bpf_prog_0123456789abcdef_x\t[bpf]\n"
        "3000 t ftrace_trampoline\t[__builtin__ftrace]\n"
        "4000 t kprobe_insn_page\t[__builtin__kprobes]\n"
        "5000 t bpf_fs\t[bpf_preload]\n");
    CHECK(table.size() == 2);
    CHECK(name_at(table, 0x2000) == "real");
    CHECK(name_at(table, 0x5000) == "bpf_fs");
}

// As `perf report --kallsyms` names such samples; checked with perf 6.1.
TEST_CASE("Of several names of one address the last is kept", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "1000 t __do_sys_getpid\n1000 T __ia32_sys_getpid\n1000 T __x64_sys_getpid\n"
        "2000 T __memcpy\n2000 W memcpy\n"
        "3000 T thermal_down\n3000 t thermal_up\n3000 t $x\n3000 r data\n"
        "4000 t in_one\t[one]\n0800 T below\n4000 t in_two\t[two]\n");
    CHECK(name_at(table, 0x1000) == "__x64_sys_getpid");
    CHECK(name_at(table, 0x2000) == "memcpy");
    CHECK(name_at(table, 0x3000) == "thermal_up");
    CHECK(name_at(table, 0x4000) == "in_two");
    CHECK(table.size() == 5);
}

TEST_CASE("address_of() finds the kernel's reference symbols of any type, and no module's", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "1000 T _text\n1000 T _stext\n2000 D _sdata\n3000 T real\n4000 t _init\t[module]\n5000 A __per_cpu_end\n");
    CHECK(table.address_of("_text") == Address{0x1000});
    CHECK(table.address_of("_stext") == Address{0x1000});
    CHECK(table.address_of("_sdata") == Address{0x2000});
    CHECK(table.address_of("__per_cpu_end") == Address{0x5000});
    CHECK_FALSE(table.address_of("_init"));
    CHECK_FALSE(table.address_of("_tex"));
    CHECK_FALSE(table.address_of(""));
}

TEST_CASE("The last line needs no newline, and empty lines do no harm", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms("\n\n1000 T first\n\n2000 T last");
    CHECK(name_at(table, 0x1000) == "first");
    CHECK(name_at(table, 0x2000) == "last");
    const auto with_module = parsed_kallsyms("1000 T first\n2000 T last\t[m]");
    CHECK(with_module.find({0x2000})->module == "m");
}

TEST_CASE("Lines that are none are passed over", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "11112222333344445 T too_many_digits\n"
        "fffffffffffffffff T all_ones\n"
        "zzzz T no_number\n"
        " 1000 T leading_space\n"
        "-1000 T negative\n"
        "0x1000 T prefix\n"
        "1000\n1000 T\n1000 T \n1000 TT name\n1000  T name\n"
        "2000 T good\n");
    CHECK(table.size() == 1);
    CHECK(name_at(table, 0x2000) == "good");
    CHECK(name_at(table, 0x1000) == "-");
}

TEST_CASE("Addresses use all 64 bits, or eight digits", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms("ffffffffffffffff T top\nc0008000 T low\nFFFFFFFF81000000 T upper_case\n");
    CHECK(name_at(table, ~std::uint64_t{0}) == "top");
    CHECK(name_at(table, 0xc0008004) == "low");
    CHECK(name_at(table, 0xffffffff81000000) == "upper_case");
}

TEST_CASE("A NUL is a character like any other", "[symbols][kallsyms]") {
    using namespace std::string_literals;
    const auto table = parsed_kallsyms("1000 T na\0me\n2000 T next\n\0\0\0\n3000 T third\n"s);
    CHECK(name_at(table, 0x1000) == "na\0me"s);
    CHECK(name_at(table, 0x2000) == "next");
    CHECK(name_at(table, 0x3000) == "third");
}

TEST_CASE("Line ends of other systems do not become part of names", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms("1000 T first\r\n2000 t second\t[mod]\r\n3000 t bpf_prog_x\t[bpf]\r\n");
    CHECK(name_at(table, 0x1000) == "first");
    CHECK(table.find({0x2000})->module == "mod");
    CHECK(name_at(table, 0x3000) == "second");
}

TEST_CASE("Addresses that are all zero are missing, not malformed", "[symbols][kallsyms]") {
    CHECK(refused("0000000000000000 T _text\n0000000000000000 T other\n") == ErrorCode::missing);
    CHECK(name_at(parsed_kallsyms("0000000000000000 A fixed_percpu_data\n0 T zero\n1000 T real\n"), 0x1000) == "real");
}

TEST_CASE("A file without functions is malformed", "[symbols][kallsyms]") {
    CHECK(refused("") == ErrorCode::malformed);
    CHECK(refused("\n") == ErrorCode::malformed);
    CHECK(refused("PERFILE2 and other bytes\n") == ErrorCode::malformed);
    CHECK(refused("1000 D data_only\n") == ErrorCode::malformed);
    CHECK(refused("1000 t bpf_prog_0123456789abcdef_x\t[bpf]\n") == ErrorCode::malformed);
}

TEST_CASE("Names live as long as the table, also when it moves", "[symbols][kallsyms]") {
    auto first = parsed_kallsyms("1000 T a\n");
    const auto second = std::move(first);
    CHECK(name_at(second, 0x1000) == "a");
}

TEST_CASE("A file is opened, compressed or not", "[symbols][kallsyms]") {
    const TempDir dir;
    const auto content = blob_of("1000 T from_file\n");
    const auto plain = Kallsyms::open(dir.write("plain", content));
    REQUIRE(plain);
    CHECK(name_at(*plain, 0x1000) == "from_file");
    const auto packed = Kallsyms::open(dir.write("packed.gz", compressed(Compression::gzip, content)));
    REQUIRE(packed);
    CHECK(name_at(*packed, 0x1000) == "from_file");
    const auto absent = Kallsyms::open((dir.path() / "absent").string());
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == ErrorCode::io);
    const auto empty = Kallsyms::open(dir.write("empty", {}));
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == ErrorCode::malformed);
}

TEST_CASE("A file larger than the limit is not read, packed or not", "[symbols][kallsyms]") {
    const TempDir dir;
    std::string text = "1000 T from_file\n";
    while (text.size() < 10000) text += "2000 T more\n";
    const auto content = blob_of(text);
    Limits limits;
    limits.kallsyms_bytes = content.size() - 1;
    const auto plain = dir.write("plain", content);
    const auto packed = dir.write("packed.gz", compressed(Compression::gzip, content));
    for (const auto& path : {plain, packed}) {
        const auto table = Kallsyms::open(path, limits);
        REQUIRE_FALSE(table);
        CHECK(table.error().code == ErrorCode::limit);
    }
    limits.kallsyms_bytes = content.size();
    CHECK(Kallsyms::open(plain, limits));
}

TEST_CASE("The guest's kallsyms names the kernel functions that its programs call", "[symbols][kallsyms][fixtures]") {
    const auto table = Kallsyms::open(fixture("bpf/guest.kallsyms"));
    REQUIRE(table);
    CHECK(table->address_of("_text") == Address{0xffffffff91e00000});
    CHECK(table->address_of("_stext") == Address{0xffffffff91e00000});
    CHECK(name_at(*table, 0xffffffff91e00000) == "startup_64");
    CHECK(name_at(*table, 0xffffffff9201d0b0) == "bpf_get_current_pid_tgid");
    CHECK(name_at(*table, 0xffffffff9201d14f) == "bpf_ktime_get_ns");
    CHECK(name_at(*table, 0xffffffff920225c0) == "__htab_map_lookup_elem");
    CHECK(name_at(*table, 0xffffffff9202536f) == "htab_map_update_elem");
}

TEST_CASE("Lines that are none of kallsyms are counted", "[symbols][kallsyms]") {
    CHECK_FALSE(Kallsyms::parse("1000 T a\n\n2000 T b\t[m]\r\n\r\n                 U c\n3000 D d\n4000 t e")->damage());
    const auto table = Kallsyms::parse("1000 T a\ngarbage\n2000 T\n12345678901234567 T b\n3000 T c\n40", "file");
    REQUIRE(table);
    CHECK(table->size() == 2);
    REQUIRE(table->damage());
    CHECK(table->damage()->message() == "file: 4 of its lines are none of kallsyms, and were left out");
}

TEST_CASE("Functions are found by their names, in modules too", "[symbols][kallsyms]") {
    const auto table = parsed_kallsyms(
        "ffffffff81000000 T first\n"
        "ffffffff81000100 t second\n"
        "ffffffff81000180 d first\n"
        "ffffffff81000200 T third\n"
        "ffffffffc0000000 t second\t[nf_nat]\n"
        "ffffffffc0000040 t secon\t[nf_nat]\n");
    const std::vector<std::string> wanted{"second", "third"}, unknown{"seco", "second_"};
    const auto found = table.named(wanted);
    REQUIRE(found.size() == 3);
    CHECK(found[0].address == Address{0xffffffff81000100});
    CHECK(found[0].size == 0x100);
    CHECK(found[0].module.empty());
    CHECK(found[1].name == "third");
    CHECK(found[2].address == Address{0xffffffffc0000000});
    CHECK(found[2].size == 0x40);
    CHECK(found[2].module == "nf_nat");
    CHECK(table.named(unknown).empty());
}
