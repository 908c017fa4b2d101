// SPDX-License-Identifier: MIT
// Names as perf shows them: expectations are from perf 6.1 and `c++filt -p -i`.
#include "perfdata/symbols/elf/demangle/demangle.hpp"

#include <cstddef>
#include <optional>
#include <pthread.h>
#include <string>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("C++ names are shown without parameters, return type and qualifiers", "[symbols][demangle]") {
    CHECK(demangle("_ZN2ns5plainEil") == "ns::plain");
    CHECK(demangle("_ZNK2ns4WorkIlE3runElRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") ==
          "ns::Work<long>::run");
    CHECK(demangle("_ZL5locall") == "local");
    CHECK(demangle("_Z3maxIiET_S0_S0_") == "max<int>");
    CHECK(demangle("_Z3fooB5cxx11v") == "foo[abi:cxx11]");
    CHECK(demangle("_ZN1AcviEv") == "A::operator int");
    CHECK(demangle("_ZNSt6vectorIiSaIiEEixEm") == "std::vector<int, std::allocator<int> >::operator[]");
    CHECK(demangle("_ZSt4sortIPiEvT_S1_") == "std::sort<int*>");
    CHECK(demangle("_ZZ4mainENKUlvE_clEv") == "main::{lambda()#1}::operator()");
    CHECK(demangle("_ZN1AC2Ev") == "A::A");
    CHECK(demangle("_ZN1AD0Ev") == "A::~A");
    CHECK(demangle("_ZNO1A4moveEv") == "A::move");
    CHECK(demangle("_ZN2 &E") == " &");  // not from a compiler, but valid
}

TEST_CASE("Clone suffixes and versions are left out, the mark of the PLT is kept", "[symbols][demangle]") {
    CHECK(demangle("_ZN2ns5plainEil.cold") == "ns::plain");
    CHECK(demangle("_ZN2ns5plainEil.constprop.0.isra.1") == "ns::plain");
    CHECK(demangle("_ZNSaIcED1Ev@@GLIBCXX_3.4") == "std::allocator<char>::~allocator");
    CHECK(demangle("_ZN2ns5plainEil@plt") == "ns::plain@plt");
}

TEST_CASE("A full name has its types", "[symbols][demangle]") {
    CHECK(demangle("_Z3maxIiET_S0_S0_", NameStyle::full) == "int max<int>(int, int)");
    CHECK(demangle("_ZTV1A") == "vtable for A");
    CHECK(demangle("_ZThn8_N1A1fEi") == "non-virtual thunk to A::f(int)");
}

TEST_CASE("Rust's legacy names lose their hash and their escapes", "[symbols][demangle]") {
    CHECK(demangle("_ZN1r5inner4spin17h60fbebfbebcbd850E") == "r::inner::spin");
    CHECK(demangle("_ZN39_$LT$r..W$LT$T$GT$$u20$as$u20$r..Go$GT$2go17h008cfcda581747e9E") == "<r::W<T> as r::Go>::go");
    CHECK(demangle("_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E") ==
          "std::rt::lang_start::{{closure}}");
    CHECK(demangle("_ZN4core3fmt3num49_$LT$impl$u20$core..fmt..Debug$u20$for$u20$u8$GT$3fmt17h0123456789abcdefE") ==
          "core::fmt::num::<impl core::fmt::Debug for u8>::fmt");
    CHECK(demangle("_ZN1r5inner4spin17h60fbebfbebcbd850E", NameStyle::full) == "r::inner::spin::h60fbebfbebcbd850");
}

TEST_CASE("What is not mangled, or in an unknown way, stays as it is", "[symbols][demangle]") {
    for (const auto* name : {"", "_", "_Z", "_ZN", "main", "_start", "_ZN3fo", "_Znonsense", "_R", "_RC", "_RNvC1r4mai",
                             "_RNvC1r4main_", "_R0NvC1r4main", "_RNvC1r9", "_ZN99999999999999999999aE"}) {
        INFO(name);
        CHECK_FALSE(demangle(name));
    }
    CHECK_FALSE(demangle("_Z" + std::to_string(9000) + std::string(9000, 'a') + "v"));
}

TEST_CASE("A path with nothing but a hash is C++", "[symbols][demangle]") {
    CHECK(demangle("_ZN17h60fbebfbebcbd850E") == "h60fbebfbebcbd850");
}

TEST_CASE("Lambdas with template parameters are named", "[symbols][demangle]") {
    CHECK(demangle("_ZZ4mainENKUlDpT0_E0_clILi7EJilEEEDaS0_") ==
          "main::{lambda((auto:2)...)#2}::operator()<7, int, long>");
    CHECK(demangle("_ZZ4mainENKUlTyvE_clIiEEDav") == "main::{lambda<typename $T0>()#1}::operator()<int>");
}

namespace {

// Leaves bytes behind on the stack.
[[gnu::noinline]] void soil_stack(int value) {
    volatile unsigned char area[4096];
    for (auto& byte : area) byte = static_cast<unsigned char>(value);
}

}  // namespace

// The state of libiberty's parser for these is what the stack held before: 0 reads the old syntax, all else the new
// one.
TEST_CASE("Unresolved names are read in both syntaxes, whatever the stack held", "[symbols][demangle]") {
    for (const int value : {0x00, 0x01, 0xff}) {
        soil_stack(value);
        CHECK(demangle("_Z1gI1BIXsr1A1xEEEvv") == "g<B<A::x> >");
        soil_stack(value);
        CHECK(demangle("_Z1gI1BIXsr1AE1xEEEvv") == "g<B<A::x> >");
        soil_stack(value);
        CHECK(demangle("_Z1gI1BIXsr1AE1xEE1CIXsr1D1yEEEvv") == std::nullopt);
    }
}

// Expectations are from rustc-demangle, in its short form.
TEST_CASE("Rust's v0 names are read", "[symbols][demangle]") {
    CHECK(demangle("_RNvC6_123foo3bar") == "123foo::bar");
    CHECK(demangle("_RNvNtCsgEmfK2I1SDS_4core3fmt5write") == "core::fmt::write");
    CHECK(demangle("_RNCNvC1a4main0") == "a::main::{closure#0}");
    CHECK(demangle("_RINvNtC1a5inner4spinNCNvB4_4main0EB4_") == "a::inner::spin::<a::main::{closure#0}>");
    CHECK(demangle("_RNvXs_NtC1a5innerINtB4_1WmEINtB4_2GoKj7_E2go") == "<a::inner::W<u32> as a::inner::Go<7>>::go");
    CHECK(demangle("_RINvC1a4showSINtNtC4core6option6OptionThReEEEB2_") ==
          "a::show::<[core::option::Option<(u8, &str)>]>");
    CHECK(demangle("_RINvC1a1fFG_RL0_hEuE") == "a::f::<for<'a> fn(&'a u8)>");
    CHECK(demangle("_RINvC1a1fDNtC1b1Tp4ItemeEL_E") == "a::f::<dyn b::T<Item = str>>");
    CHECK(demangle("_RINvC1a1fKcf6_Kb1_KanB_E") == std::nullopt);
    CHECK(demangle("_RINvC1a1fKcf6_Kb1_Kan7_E") == "a::f::<'\\u{f6}', true, -7>");
    CHECK(demangle("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y") ==
          "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_"
          "\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8");
    CHECK(demangle("_RNvCs6xxl1lAjzDf_1au15gre_ber_1va0sjc") == "a::gr\u00f6\u00dfe_\u00fcber");
    CHECK(demangle("_RNvC1r4main.llvm.1234") == "r::main");
    CHECK(demangle("_RNvC1r4main@plt") == "r::main@plt");
    CHECK(demangle("_RNvCs9_1r4main", NameStyle::full) == "r[b]::main");
}

namespace {

// reference(number, digits): references are numbered "S1_" in base 36, "B1_" in base 62; the first is "_".
std::string reference(std::size_t number, std::string_view digits) {
    std::string text = "_";
    if (number-- == 0) return text;
    do {
        text.insert(text.begin(), digits[number % digits.size()]);
        number /= digits.size();
    } while (number != 0);
    return text;
}

// Each type contains the previous one twice.
std::string doubling_cxx(std::size_t levels) {
    std::string name = "_Z1fI1pIiiE";
    for (std::size_t level = 0; level < levels; ++level) {
        const auto before = "S" + reference(level + 2, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        name.append("S0_I").append(before).append(before).append("E");
    }
    return name + "Evv";
}

std::string doubling_rust(std::size_t levels, const std::string& innermost) {
    std::string name = "INvC1a1f";
    auto before = name.size();
    name += innermost;
    for (std::size_t level = 0; level < levels; ++level) {
        const auto back = "B" + reference(before, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        before = name.size();
        name.append("T").append(back).append(back).append("E");
    }
    return "_R" + name + "E";
}

std::string times(std::size_t count, std::string_view text) {
    std::string out;
    while (count-- != 0) out += text;
    return out;
}

}  // namespace

TEST_CASE("Names that would become texts without measure stay as they are", "[symbols][demangle]") {
    const auto read = demangle(doubling_cxx(4));
    REQUIRE(read);
    CHECK(read->size() == 509);
    CHECK(demangle(doubling_rust(2, "TuuE")) ==
          "a::f::<((), ()), (((), ()), ((), ())), ((((), ()), ((), ())), (((), ()), ((), ())))>");
    const auto long_identifier = "NtC1au300_" + times(300, "9");
    for (const std::size_t levels : {12u, 20u, 40u, 80u}) {
        INFO(levels);
        CHECK_FALSE(demangle(doubling_cxx(levels)));
        CHECK_FALSE(demangle(doubling_rust(levels, "TuuE")));
        CHECK_FALSE(demangle(doubling_rust(levels, long_identifier)));
    }
}

// With libiberty alone each of these takes from seconds to forever, or overflows the stack.
TEST_CASE("Names that libiberty does not come to an end with are not given to it", "[symbols][demangle]") {
    for (const std::string lifetimes : {"zzzzz_", "zzzzzzzzzz_", "zzzzzzzzzzzzzzzz_"}) {
        INFO(lifetimes);
        CHECK_FALSE(demangle("_RYFG" + lifetimes + "EuC1a"));
        CHECK_FALSE(demangle("_RMINvC1a1fFG" + lifetimes + "EuEu"));  // not even shown
    }
    CHECK_FALSE(demangle("_RINvC1a1fB7_E"));       // itself
    CHECK_FALSE(demangle("_RINvC1a1fTB9_B9_EE"));  // twice
    for (const std::size_t depth : {60u, 240u}) {
        CHECK_FALSE(demangle("_Zcv" + times(depth, "T_I") + "i" + times(depth, "E") + "v"));
    }
    CHECK(demangle("_ZN1acvT_IiEIlEEv"));
    CHECK_FALSE(demangle("_Z1fI" + times(200, "RT_") + times(80, "1pIiE") + "Evv"));
    for (const std::string_view one : {"P", "N", "1aI", "Z1f", "FvP", "X", "J", "Dp", "ad", "UlTyvE_"}) {
        CHECK_NOTHROW(demangle("_Z1f" + times(1000 / one.size(), one)));
        CHECK_NOTHROW(demangle("_Z1fI" + times(1000 / one.size(), one) + "iEvv"));
    }
    for (const std::string_view one : {"R", "T", "F", "D", "M", "I", "Nv", "A", "Y"}) {
        CHECK_FALSE(demangle("_RINvC1a1f" + times(8000 / one.size(), one) + "uE"));
    }
    CHECK_FALSE(demangle(std::string("_RNvC1r4ma\0n", 12)));
    CHECK_FALSE(demangle(std::string("_Z4ma\0nv", 8)));
    CHECK_FALSE(demangle("_RNvC1r4\xff\xfe\x80n"));
    for (const auto* identifier : {"u8_gdb1r2d3", "u5_99999", "u4_abc_", "u1_A", "u6_b999a9"}) {
        CHECK_FALSE(demangle(std::string("_RNvC1a") + identifier));  // truncated, or an invalid character
    }
    CHECK_FALSE(demangle("_R" + std::string(1 << 20, 'N')));
    CHECK_FALSE(demangle("_Z" + std::string(1 << 20, 'N')));
}

namespace {

struct Demangled {
    std::string symbol;
    std::optional<std::string> name{};
};

// demangle_within(stack, symbol) calls demangle(symbol) in a thread with that stack size.
std::optional<std::string> demangle_within(std::size_t stack, const std::string& symbol) {
    Demangled demangled{symbol};
    pthread_attr_t attributes;
    REQUIRE(::pthread_attr_init(&attributes) == 0);
    REQUIRE(::pthread_attr_setstacksize(&attributes, stack) == 0);
    pthread_t thread{};
    const auto run = [](void* opaque) -> void* {
        auto& one = *static_cast<Demangled*>(opaque);
        one.name = demangle(one.symbol);
        return nullptr;
    };
    REQUIRE(::pthread_create(&thread, &attributes, run, &demangled) == 0);
    ::pthread_attr_destroy(&attributes);
    ::pthread_join(thread, nullptr);
    return demangled.name;
}

std::string repeated(std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t done = 0; done < count; ++done) all += text;
    return all;
}

}  // namespace

TEST_CASE("Names that nest deeply need no more stack than there is", "[symbols][demangle]") {
    constexpr std::size_t little = std::size_t{128} << 10;
    const auto nested = "_Z1fI" + repeated(200, "1aI") + "i" + repeated(200, "E") + "Evv";
    const std::string names[] = {
        nested,
        "_Z1f" + repeated(1000, "P") + "i",
        "_Z1fI" + repeated(330, "1aI"),
        "_Z1f" + repeated(160, "PF") + "v" + repeated(160, "vE"),
        "_RINvC1a1f" + repeated(290, "R") + "uE",
        "_Z1fDT" + repeated(480, "ng") + "fp_E",
    };
    for (const auto& name : names) {
        INFO(name);
        CHECK(demangle_within(little, name) == demangle(name));
    }
    CHECK(demangle_within(little, nested).value_or(nested).starts_with("f<a<a<"));
    CHECK(demangle_within(little, "_ZN2ns5plainEil") == "ns::plain");
}
