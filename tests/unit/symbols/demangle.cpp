// SPDX-License-Identifier: MIT
// Names as perf shows them: the expectations are those of perf 6.1 and of `c++filt -p -i`.
#include "perfdata/symbols/demangle.hpp"

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
    CHECK(demangle("_ZN2 &E") == " &");  // nobody's, but a name all the same
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
    for (const auto* name : {"", "_", "_Z", "_ZN", "main", "_start", "_ZN3fo", "_Znonsense", "_RNvC1r4main",
                             "_ZN99999999999999999999aE"}) {
        INFO(name);
        CHECK_FALSE(demangle(name));
    }
    CHECK_FALSE(demangle("_Z" + std::to_string(9000) + std::string(9000, 'a') + "v"));
}

TEST_CASE("A path with nothing but a hash is C++", "[symbols][demangle]") {
    CHECK(demangle("_ZN17h60fbebfbebcbd850E") == "h60fbebfbebcbd850");
}
