// SPDX-License-Identifier: MIT
// The text of tracepoints. The expected values marked so are what perf script 6.1 printed for the same format and data.
#include <map>

#include "catch.hpp"
#include "support/writer.hpp"
#include "trace/trace_formats.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// A format of fields "TYPE NAME" in the order of their offsets, and a record of their data.
struct TraceCase {
    std::string fields = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";
    Writer data = Writer(std::endian::little).u16(7).zeros(6);
    std::size_t size = 8;

    TraceCase& add(const std::string& declaration, std::size_t bytes, bool is_signed = false) {
        fields += "\tfield:" + declaration + ";\toffset:" + std::to_string(size) + ";\tsize:" + std::to_string(bytes) +
                  ";\tsigned:" + (is_signed ? "1" : "0") + ";\n";
        size += bytes;
        return *this;
    }
    TraceCase& u8s(const std::string& declaration, const std::vector<unsigned>& bytes) {
        add(declaration, bytes.size());
        for (const auto byte : bytes) data.u8(static_cast<std::uint8_t>(byte));
        return *this;
    }
    TraceCase& u32(const std::string& declaration, std::uint32_t value, bool is_signed = false) {
        add(declaration, 4, is_signed);
        data.u32(value);
        return *this;
    }
    TraceCase& u64(const std::string& declaration, std::uint64_t value, bool is_signed = false) {
        add(declaration, 8, is_signed);
        data.u64(value);
        return *this;
    }
    std::string print(const std::string& format, TraceNames* names = nullptr, const TraceStrings* strings = nullptr) {
        const auto raw = Writer(data).take();
        std::string text;
        TraceText::parse(fields + "print fmt: " + format + "\n")
            .append(text, {raw, AnyOrder(std::endian::little), 8, strings, names});
        return text;
    }
};

class KnownTraceNames final : public TraceNames {
  public:
    bool append_symbol(std::string& text, std::uint64_t address, bool with_offset) override {
        constexpr std::uint64_t begin = 0xffffffff81000000, end = begin + 0x100;
        if (address < begin || address >= end) return false;
        text += "start_here";
        if (with_offset) text += "+0x" + std::string(1, "0123456789abcdef"[(address - begin) % 16]);
        return true;
    }
};

}  // namespace

TEST_CASE("Code in tracepoints has a name", "[annotate][trace]") {
    KnownTraceNames names;
    TraceCase one;
    one.u64("void * at", 0xffffffff8100000c).u64("void * elsewhere", 0x1234).u64("void * none", 0);
    CHECK(one.print(R"("%ps %pS %pf %pF %pB", REC->at, (void *)REC->at, REC->at, REC->at, REC->at)", &names) ==
          "start_here start_here+0xc start_here start_here+0xc start_here+0xc");
    // perf: csd=(nil), callback=0x0
    CHECK(one.print(R"("%p %p %pS %pS", REC->at, REC->none, REC->none, REC->elsewhere)", &names) ==
          "0xffffffff8100000c (nil) 0x0 0x1234");
    CHECK(one.print(R"("%ps|%px|%pK", REC->at, REC->elsewhere, REC->elsewhere)") == "0xffffffff8100000c|0x1234|0x1234");
}

TEST_CASE("Pointers to strings of the kernel are shown as strings", "[annotate][trace]") {
    const TraceStrings strings(
        "0xffffffff8281a424 : \"Start context switch\"\nno line\n0x10 : \"ten\\n\"\n0xffffffff8281a425 \"x\n");
    TraceCase one;
    one.u64("const char * s", 0xffffffff8281a424).u64("const char * other", 0x10).u64("char * none", 0xabc);
    CHECK(one.print(R"("%s|%s|%s", REC->s, REC->other, REC->none)", nullptr, &strings) ==
          "Start context switch|ten|abc");
    CHECK(one.print(R"("%s", REC->s)") == "ffffffff8281a424");
    CHECK(one.print(R"("%s|%s", REC->other > 15 ? "big" : "small", REC->none == 0 ? "none" : REC->s)", nullptr,
                    &strings) == "big|Start context switch");
    CHECK(TraceStrings("0x1 : \"").find(1) == "");
    CHECK(TraceStrings("").find(0) == std::nullopt);
}

TEST_CASE("Hardware and network addresses have the kernel's forms", "[annotate][trace]") {
    TraceCase one;
    one.u8s("u8 mac[6]", {0, 0x11, 0x22, 0xaa, 0xbb, 0xcc})
        .u8s("__u8 ip4[4]", {127, 0, 0, 1})
        .u8s("__u8 mapped[16]", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1})
        .u8s("__u8 ip6[16]", {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 1})
        .u8s("__u8 none[16]", std::vector<unsigned>(16));
    CHECK(one.print(R"("%pM %pm %pMF %pMR", REC->mac, REC->mac, REC->mac, REC->mac)") ==
          "00:11:22:aa:bb:cc 001122aabbcc 00-11-22-aa-bb-cc cc:bb:aa:22:11:00");
    // perf: saddr=127.0.0.1 saddrv6=::ffff:127.0.0.1
    CHECK(one.print(R"("%pI4 %pi4 %pI4h %pI6c", REC->ip4, REC->ip4, REC->ip4, REC->mapped)") ==
          "127.0.0.1 127.000.000.001 1.0.0.127 ::ffff:127.0.0.1");
    CHECK(one.print(R"("%pI6c %pI6 %pi6 %pI6c", REC->ip6, REC->ip6, REC->ip6, REC->none)") ==
          "fe80::12:0:0:1 fe80:0000:0000:0000:0012:0000:0000:0001 fe800000000000000012000000000001 ::");
    CHECK(one.print(R"("%pM %pI4 %pI6", REC->ip4, REC->mac, REC->mac)") == "INVALIDMAC INVALIDIPv4 INVALIDIPv6");
    CHECK(one.print(R"("%pI4 %pI4", &REC->ip4, (u8 *)REC->ip4)") == "127.0.0.1 127.0.0.1");

    TraceCase two;
    std::vector<unsigned> socket4(28), socket6(28);
    socket4[0] = 2;
    socket4[2] = 0xb9;
    socket4[3] = 0x6b;
    socket4[4] = 127;
    socket4[7] = 1;
    socket6[0] = 10;
    socket6[3] = 80;
    socket6[23] = 1;
    two.u8s("__u8 four[28]", socket4).u8s("__u8 six[28]", socket6);
    // perf: src=127.0.0.1:47467, src=[::1]:54489
    CHECK(two.print(R"("%pISpc %pISpc %pISc %pIS", REC->four, REC->six, REC->six, REC->four)") ==
          "127.0.0.1:47467 [::1]:80 ::1 127.0.0.1");
}

TEST_CASE("UUIDs and bytes have the kernel's forms", "[annotate][trace]") {
    TraceCase one;
    std::vector<unsigned> uuid;
    for (unsigned byte = 0; byte < 16; ++byte) uuid.push_back(0xa0 + byte);
    one.u8s("__u8 id[16]", uuid);
    CHECK(one.print(R"("%pU %pUl %pUB", REC->id, REC->id, REC->id)") ==
          "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf a3a2a1a0-a5a4-a7a6-a8a9-aaabacadaeaf "
          "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF");
    CHECK(one.print(R"("%*ph|%3phC|%3phN|%*phD", 2, REC->id, REC->id, REC->id, 4, REC->id)") ==
          "a0 a1|a0:a1:a2|a0a1a2|a0-a1-a2-a3");
    CHECK(one.print(R"("%s %s", __print_hex(REC->id, 3), __print_hex_str(REC->id, 3))") == "a0 a1 a2 a0a1a2");
    CHECK(one.print(R"("%s", __print_hex(REC->id, 1 << 30))").size() == 16 * 3 - 1);
    CHECK(one.print(R"("%s", __print_array(REC->id, 3, 2))") == "41376 41890 42404");
    CHECK(one.print(R"("%s", __print_array(REC->id, 2, sizeof(u64)))") == "12080525177006498208 12659246559711111592");
    CHECK(one.print(R"("%s", __print_array(REC->id, 2, 3))") == "BAD SIZE 0xa0 BAD SIZE 0xa1");
    CHECK(one.print(R"("%s", __print_hex_dump("d ", DUMP_PREFIX_OFFSET, 16, 4, REC->id, 8, 1))") ==
          "\\x0ad 00000000: a3a2a1a0 a7a6a5a4                    ........");
}

TEST_CASE("Data behind the fields of a record are found", "[annotate][trace]") {
    // The array of four u16 lies behind the fields, at 24; the mask at 32.
    TraceCase one;
    one.u32("__data_loc u16[] words", 8u << 16 | 24)
        .u32("__rel_loc u16[] same", 8u << 16 | (24 - 12 - 4))
        .u32("__data_loc cpumask_t mask", 8u << 16 | 32)
        .u32("__data_loc char[] none", 0 << 16 | 40);
    one.data.u16(1).u16(2).u16(0xffff).u16(4);
    one.data.u64(0x0000000100000017);
    CHECK(one.print(R"("%s", __print_array(__get_dynamic_array(words), __get_dynamic_array_len(words) / 2, 2))") ==
          "1 2 65535 4");
    CHECK(one.print(R"("%s", __print_dynamic_array(same, sizeof(u16)))") == "1 2 65535 4");
    CHECK(one.print(R"("%u %u", ((u16 *)__get_dynamic_array(words))[1], __get_rel_dynamic_array_len(same))") == "2 8");
    CHECK(one.print(R"("%d", *(s16 *)(__get_dynamic_array(words) + 2))") == "-1");
    CHECK(one.print(R"("%s", __get_bitmask(mask))") == "00000001,00000017");
    CHECK(one.print(R"("%s", __get_cpumask(mask))") == "0-2,4,32");
    CHECK(one.print(R"("<%10s>", __get_str(none))") == "<>");
    CHECK(one.print(R"("%u", ((u16 *)__get_dynamic_array(words))[99])") == "0");
}

TEST_CASE("Flags and symbols print as in perf", "[annotate][trace]") {
    TraceCase one;
    one.u32("unsigned int flags", 0x40).u32("int value", 0xfffffffb, true).u32("unsigned int zero", 0);
    // perf: state=0x40, the names have no value in the format.
    CHECK(one.print(R"("%s", __print_flags(REC->flags, "|", {I_DIRTY, "I_DIRTY"}, { 1, "A" }))") == "0x40");
    CHECK(one.print(R"("%s|%s", __print_flags(REC->zero, "|", {0, "NONE"}, {1, "A"}), REC->zero ? "x" : "none")") ==
          "|none");
    CHECK(one.print(R"("%s", __print_symbolic(REC->value, { -5, "EIO" }, { -1, "EPERM" }))") == "EIO");
    CHECK(one.print(R"("%s", __print_symbolic(REC->value, { 5, "five" }))") == "0xfffffffb");
    CHECK(one.print(R"("%s", __print_symbolic(REC->zero, { HI_SOFTIRQ, "HI" }, { TIMER_SOFTIRQ, "TIMER" }))") == "HI");
    CHECK(
        one.print(
            R"("%s", (REC->flags) ? __print_flags(REC->flags, "|", {( unsigned long)((( gfp_t)((((1UL))) << (6)))), "IO"}) : "none")") ==
        "IO");
    // Each name has the width of the directive, as in perf.
    CHECK(one.print(R"("<%-4s>", __print_flags(REC->flags | 1, "|", {1, "A"}, {0x40, "B"}))") == "<A   |B   >");
}

TEST_CASE("Expressions of tracepoints have the types of C", "[annotate][trace]") {
    TraceCase one;
    one.u32("int minus", 0xffffffff, true).u64("unsigned long high", 0xfffffffffffffff0).u32("u32 rgb", 0x00a1b2c3);
    one.u8s("char grid[2][4]", {'a', 'b', 0, 0, 'c', 'd', 0, 0}).u32("dev_t dev", 254u << 20 | 3);
    CHECK(one.print(R"("%d %d", REC->minus < 0, REC->high > 5)") == "1 1");
    // perf, of vm_unmapped_area: err is 0 for an address, and the address for an error.
    CHECK(
        one.print(
            R"("%lx", __builtin_expect(!!((unsigned long)(void *)(REC->high) >= (unsigned long)-4095), 0) ? 0 : 7)") ==
        "0");
    CHECK(one.print(
              R"("%d,%d", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))))") ==
          "254,3");
    CHECK(one.print(R"("%s %s", REC->grid[0], REC->grid[1])") == "ab cd");
    CHECK(one.print(R"("%c%c", REC->grid[1][1], 'x')") == "dx");
    CHECK(one.print(R"("%zu %zu %zu", sizeof(u64), sizeof(struct page *), sizeof(REC->grid))") == "8 8 8");
    CHECK(one.print(R"("%d", (int)(s8)(REC->rgb & 0xff))") == "-61");
    // A name without a value counts as 0, as in perf.
    CHECK(one.print(R"("%lu", (jiffies - REC->high) / 4)") == "4");
    CHECK(one.print(R"("page=%p", (((struct page *)vmemmap_base) + (REC->rgb)))") == "page=0xa1b2c3");
    CHECK(one.print(R"("%lld.%06ld", __print_ns_to_secs(REC->rgb), __print_ns_without_secs(REC->rgb))") ==
          "0.10597059");
    CHECK(one.print(R"("%d|%d", -9223372036854775807 / -1, REC->rgb / 0)") == "-1|0");
}

TEST_CASE("Events of probes print their arguments", "[annotate][trace]") {
    TraceCase one;
    one.u64("unsigned long __probe_ip", 0x401136).u64("unsigned long __probe_ret_ip", 0x4011f0);
    one.u32("__data_loc char[] path", 5u << 16 | 40).u32("s32 n", 0xfffffffe, true).u8s("u8 list[3]", {1, 2, 255});
    one.data.zeros(5).text("name").zeros(1);
    CHECK(one.print(R"x("(%lx)", REC->__probe_ip)x") == "(401136)");
    CHECK(
        one.print(
            R"("(%lx <- %lx) path=\"%s\" n=%d list={%u,%u,%u}", REC->__probe_ip, REC->__probe_ret_ip, __get_str(path), REC->n, REC->list[0], REC->list[1], REC->list[2])") ==
        R"((401136 <- 4011f0) path="name" n=-2 list={1,2,255})");
}

TEST_CASE("Fields of a format that is not understood print as in perf", "[annotate][trace]") {
    TraceCase one;
    one.u32("int n", 0xfffffffe, true).u64("unsigned long u", 0xab).u64("void * p", 0).u8s("u8 a[2]", {1, 2});
    one.u8s("char t[3]", {'a', 'b', 0}).u8s("u8 small[1]", {0x80});
    CHECK(one.print(R"("%d", jiffies_to_msecs(REC->n))") ==
          "[FAILED TO PARSE] n=-2 u=0xab p=0x0 a=ARRAY[01, 02] t=ab small=ARRAY[80]");
}

TEST_CASE("Hostile expressions of tracepoints end", "[annotate][trace]") {
    TraceCase one;
    one.u32("int n", 1, true).u32("__data_loc u8[] d", 0xffffffff).u8s("u8 a[4]", {1, 2, 3, 4});
    const auto many = [](const std::string& text, int times) {
        std::string all;
        for (int more = 0; more < times; ++more) all += text;
        return all;
    };
    for (const auto& expression :
         {many("(", 5000), many("~", 5000), many("*", 5000), many("(int)", 5000), many("&", 5000) + "REC->n",
          "REC->a" + many("[0]", 3000), "REC->n" + many("?REC->n:1", 5000), many("__print_hex_dump(\"\",", 500),
          many("sizeof(", 500), "__print_flags(REC->n,\"|\"" + many(",{1,\"a\"}", 4000) + ")",
          "__print_ns_to_secs(" + many("(", 200), std::string("__print_array(REC->a, -1, 0)"),
          std::string("__print_array(__get_dynamic_array(d), 1 << 60, 8)"), std::string("__get_cpumask(d)"),
          std::string("((u64 *)REC->a)[1 << 61]"), std::string("*(REC->a + (1 << 62))")}) {
        for (const auto* directive : {"%d", "%s", "%pI6c", "%*ph", "%.*s", "%*pbl", "%999999999999d"}) {
            std::string text;
            CHECK_NOTHROW(text = one.print(std::string("\"") + directive + "\", " + expression + ", " + expression));
            CHECK(text.size() < 16384);
        }
    }
}
