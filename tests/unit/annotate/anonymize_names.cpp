// SPDX-License-Identifier: MIT
// What stands in place of names, and the words that stay.
#include <set>

#include "bundle/anonymize/names.hpp"
#include "bundle/anonymize/words.hpp"
#include "catch.hpp"
#include "support/features.hpp"
#include "unit/annotate/anonymized.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

Names names_of_key(std::uint8_t first = 7) {
    std::array<std::byte, 32> key{};
    key[0] = static_cast<std::byte>(first);
    return Names(SecretHash::create(key).value());
}

bool is_hash_of_kind(const std::string& text, std::string_view before) {
    constexpr std::size_t digits = 13;
    return text.size() == before.size() + digits && text.starts_with(before) &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567", before.size()) == std::string::npos;
}

}  // namespace

TEST_CASE("A keyed hash is that of HMAC-SHA256", "[annotate][anonymize]") {
    // Computed with Python's hmac and base64.
    std::array<std::byte, 32> key{};
    for (std::size_t at = 0; at < key.size(); ++at) key[at] = static_cast<std::byte>(at);
    const auto hash = SecretHash::create(key).value();
    CHECK(hash.text('c', "bash") == "erzdweup2yrx4");
    CHECK(hash.text('p', "bash") == "hvucit3mddkh7");
    CHECK(hash.number('i', 4026531836) == 727311015088550588u);
}

TEST_CASE("Commands are hashed to 15 characters", "[annotate][anonymize]") {
    const auto names = names_of_key();
    CHECK(is_hash_of_kind(names.comm("secretd"), "c_"));
    CHECK(names.comm("secretd").size() == 15);
    CHECK(names.comm("") == "");
    for (const auto* stays : {"swapper", "swapper/11", "perf", "perf-exec"}) CHECK(names.comm(stays) == stays);
    for (const auto* goes :
         {"swapper/x", "swapper/", "perf-exec2", "kworker/0:1", "perf exec", " perf", "c_aaaaaaaaaaaaa"}) {
        CHECK(is_hash_of_kind(names.comm(goes), "c_"));
    }
}

TEST_CASE("Other keys and kinds make other hashes", "[annotate][anonymize]") {
    const auto names = names_of_key(), others = names_of_key(8);
    CHECK(names.comm("a") == names_of_key().comm("a"));
    CHECK(names.comm("a") != others.comm("a"));
    CHECK(names.comm("a").substr(2) != names.symbol("a").substr(2));
    CHECK(names.inode(4026531836) != others.inode(4026531836));
    CHECK(names.inode(0) == 0);
}

TEST_CASE("Of paths stays what tools need to know", "[annotate][anonymize]") {
    const auto names = names_of_key();
    for (const auto* stays : {"[heap]", "[stack]", "[stack:123]", "[vdso]", "[vsyscall]", "//anon", "//enomem",
                              "/dev/zero", "/anon_hugepage", "[kernel.kallsyms]_text", "[kernel.kallsyms]_stext",
                              "[kernel.kallsyms]", "[guest.kernel.kallsyms.12]_text", "/SYSV00000000 (deleted)",
                              "/dev/zero (deleted)", "anon_inode:[perf_event]", "/tmp/perf-12.map", ""}) {
        CHECK(names.path(stays) == stays);
    }
    CHECK(is_hash_of_kind(names.path("/usr/bin/secretd"), "/p_"));
    CHECK(is_hash_of_kind(names.path("secretd"), "p_"));
    CHECK(names.path("/usr/bin/secretd (deleted)") == names.path("/usr/bin/secretd") + " (deleted)");
    CHECK(is_hash_of_kind(names.path("/memfd:secret"), "/memfd:p_"));
    CHECK(is_hash_of_kind(names.path("/SYSV0badcafe"), "/SYSVp_"));
    CHECK(is_hash_of_kind(names.path("anon_inode:[secret]"), "anon_inode:p_"));
    CHECK(is_hash_of_kind(names.path("//secret"), "//p_"));
    CHECK(is_hash_of_kind(names.path("/dev/secret"), "/dev/p_"));
    CHECK(names.path("[anon:secret]") == "[anon:" + names.path("secret") + "]");
    CHECK(names.path("[stack:secret]") != "[stack:secret]");
    CHECK(names.path("[kernel.kallsyms]secret") == "[kernel.kallsyms]" + names.symbol("secret"));
    CHECK(names.path("/home/me/perf-12.map").ends_with("/perf-12.map"));
    CHECK(names.path("/home/me/perf-12.map").find("home") == std::string::npos);
    CHECK(names.path("/home/me/jit-12.dump").ends_with("/jit-12.dump"));
    CHECK(is_hash_of_kind(names.path("/home/me/jit-12.dump").substr(0, 16), "/p_"));
    CHECK(names.path("/home/me/jitted-12-3.so").ends_with("/jitted-12-3.so"));
    CHECK(is_hash_of_kind(names.path("/home/me/jitted-secret-3.so"), "/p_"));
    CHECK(is_hash_of_kind(names.path("/home/me/jit-secret.dump"), "/p_"));
}

TEST_CASE("Names that are made to be slow are not", "[annotate][anonymize]") {
    const auto names = names_of_key();
    std::string marks;
    while (marks.size() < std::size_t{10} << 20) marks += " (deleted)";
    CHECK(names.path("/x" + marks) == names.path("/x") + marks);
    CHECK(names.path(" (deleted) (deleted)").ends_with(" (deleted)"));
    Attr attr;
    attr.type = attr_type::hardware;
    for (const std::string_view part : {"-", "L1-", "cycles/", "u:", "_"}) {
        std::string name;
        while (name.size() < std::size_t{8} << 20) name += part;
        CHECK(is_hash_of_kind(names.event(name + "x", attr), "e_"));
    }
}

TEST_CASE("Modules have one name in mappings and in kallsyms", "[annotate][anonymize]") {
    const auto names = names_of_key();
    const auto module = names.module("nf_nat");
    CHECK(is_hash_of_kind(module, "m_"));
    CHECK(names.module("nf-nat") == module);
    CHECK(names.path("[nf_nat]") == "[" + module + "]");
    const auto path = names.path("/lib/modules/6.1.0-secret/kernel/net/nf-nat.ko.xz");
    CHECK(path.ends_with("/" + module + ".ko.xz"));
    CHECK(path != names.path("/lib/modules/6.1.0-other/kernel/net/nf-nat.ko.xz"));
    for (const auto* stays : {"bpf", "__builtin__ftrace"}) CHECK(names.module(stays) == stays);
}

TEST_CASE("Names of functions are hashed, tags and marks are not", "[annotate][anonymize]") {
    const auto names = names_of_key();
    CHECK(is_hash_of_kind(names.symbol("secret_function"), "n_"));
    for (const auto* stays : {"_text", "_stext", "bpf_trampoline_6442536467", "bpf_prog_6deef7357e7b4530", ""}) {
        CHECK(names.symbol(stays) == stays);
    }
    CHECK(names.symbol("bpf_prog_6deef7357e7b4530_secret") == "bpf_prog_6deef7357e7b4530_" + names.symbol("secret"));
    CHECK(is_hash_of_kind(names.symbol("bpf_prog_secret7357e7b4530"), "n_"));
    CHECK(is_hash_of_kind(names.symbol("bpf_prog_6deef7357e7b4530secret"), "n_"));
    CHECK(is_hash_of_kind(names.symbol("bpf_trampoline_secret"), "n_"));
    CHECK(is_hash_of_kind(names.symbol("bpf_dispatcher_secret"), "bpf_dispatcher_n_"));
}

TEST_CASE("Names of events stay if they are made of public words", "[annotate][anonymize]") {
    const auto names = names_of_key();
    Attr attr;
    attr.type = attr_type::hardware;
    for (const auto* stays :
         {"cycles", "cycles:u", "cpu-clock:pppH", "L1-dcache-load-misses", "cpu/event=0x3c,umask=0x1/u",
          "cpu_core/cycles/", "intel_pt//u", "r1a8", "mem:0x404038:w", "instructions:ppp", "dTLB-loads"}) {
        CHECK(names.event(stays, attr) == stays);
    }
    for (const auto* goes :
         {"secret", "cpu/event=0x3c,name=secret/", "cycles:secret", "secret/cycles/", "u", ":", "cycles "}) {
        CHECK(is_hash_of_kind(names.event(goes, attr), "e_"));
    }
    attr.type = attr_type::tracepoint;
    for (const auto* stays : {"sched:sched_switch", "syscalls:sys_enter_openat", "raw_syscalls:sys_exit:u"}) {
        CHECK(names.event(stays, attr) == stays);
    }
    CHECK(is_hash_of_kind(names.event("sched:secret", attr), "sched:e_"));
    CHECK(is_hash_of_kind(names.event("probe:secret", attr), "probe:e_"));
    CHECK(is_hash_of_kind(names.event("syscalls:sys_enter_secret", attr), "syscalls:e_"));
    CHECK(names.event("secret:sched_switch", attr).ends_with(":sched_switch"));
    CHECK(names.event("secret:sched_switch", attr).find("secret") == std::string::npos);
    attr.type = attr_type::raw;
    attr.config = 0x1a8;
    CHECK(names.event("raw 0x1a8", attr) == "raw 0x1a8");
}

TEST_CASE("Of versions and CPUs only numbers stay", "[annotate][anonymize]") {
    CHECK(Names::release("6.1.0-41-secret") == "6.1.0");
    CHECK(Names::release("6.1.gdeadbeef") == "6.1");
    CHECK(Names::release("secret") == "");
    CHECK(Names::cpuid("GenuineIntel,6,85,7") == "GenuineIntel,6,85,7");
    CHECK(Names::cpuid("GenuineIntel,secret") == "GenuineIntel");
    CHECK(Names::cpuid("secret,1") == "");
}

TEST_CASE("Different names stay different", "[annotate][anonymize]") {
    const auto names = names_of_key();
    std::set<std::string> all;
    constexpr std::size_t many = 3000;
    for (std::size_t at = 0; at < many; ++at) {
        all.insert(names.comm("name" + std::to_string(at)));
        all.insert(names.path("/name/" + std::to_string(at)));
        all.insert(names.symbol("name" + std::to_string(at)));
    }
    CHECK(all.size() == 3 * many);
}

TEST_CASE("Numbers that are too long for what they seem are hashed", "[annotate][anonymize]") {
    const auto names = names_of_key();
    const std::string card = "4111111111111111";
    CHECK(is_hash_of_kind(names.comm("swapper/" + card), "c_"));
    CHECK(is_hash_of_kind(names.symbol("bpf_trampoline_" + card), "n_"));
    for (const auto& path :
         {"/tmp/perf-" + card + ".map", "/x/jit-" + card + ".dump", "/x/jitted-" + card + "-1.so",
          "/x/jitted-1-" + card + ".so", "[stack:" + card + "]", "[guest.kernel.kallsyms." + card + "]_text"}) {
        CHECK(names.path(path).find(card) == std::string::npos);
    }
    CHECK(names.path("/tmp/perf-4194304.map") == "/tmp/perf-4194304.map");
    Attr attr;
    attr.type = attr_type::raw;
    for (const auto& name : {card, "r" + card, "mem:" + card, "cpu/config=0x" + card + "/"}) {
        CHECK(is_hash_of_kind(names.event(name, attr), "e_"));
    }
    // What the attr tells anyway.
    attr.config = 0x4111111111111111;
    CHECK(names.event("r" + card, attr) == "r" + card);
    CHECK(names.event("cpu/config=0x" + card + "/", attr) == "cpu/config=0x" + card + "/");
    attr.config1 = 0xffffffff81000000;
    CHECK(names.event("mem:0xffffffff81000000:x", attr) == "mem:0xffffffff81000000:x");
}

TEST_CASE("A list has whole words", "[annotate][anonymize]") {
    STATIC_REQUIRE(has_word(" a bc d ", "bc"));
    STATIC_REQUIRE(!has_word(" a bc d ", "b"));
    STATIC_REQUIRE(!has_word(" a bc d ", "a bc"));
    STATIC_REQUIRE(!has_word(" a bc d ", ""));
    STATIC_REQUIRE(has_word(" abc bc ", "bc"));
    CHECK(is_number("0x1f"));
    CHECK(is_number("12"));
    CHECK(!is_number("1f"));
    CHECK(!is_number("0x"));
    CHECK(!is_number("12345678901234567890"));
    CHECK(is_cpu_list("0-3,8"));
    CHECK(!is_cpu_list("secret"));
    CHECK(!is_cpu_list("cafe"));
    CHECK(is_cpu_mask("00000000,000000ff"));
    CHECK(!is_cpu_mask("0-3"));
}

TEST_CASE("Keys are 32 bytes or 64 digits", "[annotate][anonymize]") {
    std::string digits;
    for (int at = 0; at < 32; ++at) digits += "a5";
    const auto read = [](const std::string& text) {
        return read_anonymize_key(*memory_source(as_bytes(text)), "key.txt");
    };
    AnonymizeKey want;
    want.fill(std::byte{0xa5});
    CHECK(read(digits).value() == want);
    CHECK(read("\n " + digits + "\n").value() == want);
    CHECK(read(std::string(32, '\xa5')).value() == want);
    for (const auto& wrong :
         {std::string(), digits.substr(1), digits + "a", std::string(64, 'g'), std::string(33, 'a')}) {
        const auto got = read(wrong);
        REQUIRE(!got);
        CHECK(got.error().code == ErrorCode::malformed);
        CHECK(got.error().where == "key.txt");
    }
    CHECK(random_anonymize_key().value() != random_anonymize_key().value());
}
