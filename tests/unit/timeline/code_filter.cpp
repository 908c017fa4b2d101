// SPDX-License-Identifier: MIT
#include "perfdata/timeline/code_filter.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("A filter of code takes what all its parts take", "[timeline][filter]") {
    CodeFilter filter;
    CHECK(filter.empty());
    CHECK(filter.leaves_out(CodeClass::user, "/usr/lib/libc.so.6", "qsort", 5) == CodePart::none);

    filter.kinds = {CodeClass::kernel};
    CHECK(filter.leaves_out(CodeClass::user, "a", "b", 0) == CodePart::kind);
    CHECK(filter.leaves_out(CodeClass::kernel, "[kernel.kallsyms]", "b", 0) == CodePart::none);
    // Modules are part of the kernel, and can be named alone.
    CHECK(filter.leaves_out(CodeClass::module, "[nf_nat]", "b", 0) == CodePart::none);
    filter.kinds = {CodeClass::module};
    CHECK(filter.leaves_out(CodeClass::kernel, "[kernel.kallsyms]", "b", 0) == CodePart::kind);
    CHECK(filter.leaves_out(CodeClass::module, "[nf_nat]", "b", 0) == CodePart::none);

    // By path, by the last part of it, and as perf shows it.
    filter.kinds.clear();
    filter.objects = {"libc.so.6", "[nf_nat]", "/bin/sh", "[unknown]", "[JIT] tid 42"};
    for (const auto* object : {"/usr/lib/libc.so.6", "libc.so.6", "/bin/sh", "", "/tmp/perf-42.map"}) {
        INFO(object);
        CHECK(filter.takes_object(object, CodeClass::user));
    }
    CHECK(filter.takes_object("/lib/modules/6.1.0/kernel/net/nf-nat.ko.xz", CodeClass::module));
    CHECK(filter.takes_object("[nf_nat]", CodeClass::module));
    for (const auto* object : {"/usr/lib/libc.so", "sh", "/usr/bin/sh", "/tmp/perf-43.map", "/tmp/perf-.map"}) {
        INFO(object);
        CHECK(filter.leaves_out(CodeClass::user, object, "", 0) == CodePart::object);
    }

    filter.objects.clear();
    filter.symbols = {"qsort", "0x0000000000001139"};
    CHECK(filter.takes_symbol("qsort", 0x2000));
    CHECK(filter.takes_symbol("", 0x1139));
    CHECK_FALSE(filter.takes_symbol("", 0x1138));
    CHECK(filter.leaves_out(CodeClass::user, "a", "qsor", 0x1139) == CodePart::symbol);
}

TEST_CASE("Labels are those of perf", "[timeline][filter]") {
    CHECK(symbol_label("f", 1) == "f");
    CHECK(symbol_label("", 0) == "0x0000000000000000");
    CHECK(symbol_label("", 0xfedcba9876543210) == "0xfedcba9876543210");
    CHECK(object_label("", CodeClass::user) == "[unknown]");
    CHECK(object_label("/a/b", CodeClass::user) == "b");
    CHECK(object_label("/a/", CodeClass::user) == "/a/");
    CHECK(object_label("[vdso]", CodeClass::user) == "[vdso]");
}
