// SPDX-License-Identifier: MIT
#include "tool/batch/batch_list.hpp"

#include "catch.hpp"

using namespace perfdata;
using perfdata::tool::split_list;

namespace {

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("A list of recordings has a path a line", "[annotate][batch]") {
    CHECK(split_list("", '\n').value().empty());
    CHECK(split_list("\n\n", '\n').value().empty());
    CHECK(split_list("a", '\n').value() == Paths{"a"});
    CHECK(split_list("a\nb\n", '\n').value() == Paths{"a", "b"});
    CHECK(split_list("\na\n\na\n", '\n').value() == Paths{"a", "a"});
    // Blanks and carriage returns belong to names.
    CHECK(split_list(" a b \n\tc\r\n", '\n').value() == Paths{" a b ", "\tc\r"});
}

TEST_CASE("NUL bytes separate paths with line feeds", "[annotate][batch]") {
    using namespace std::string_literals;
    CHECK(split_list("a\nb\0c\0\0d"s, '\0').value() == Paths{"a\nb", "c", "d"});
    const auto refused = split_list("a\0b\n"s, '\n');
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::malformed);
    CHECK(refused.error().detail.find("--null") != std::string::npos);
}

TEST_CASE("A recording is no list", "[annotate][batch]") {
    for (const std::string magic : {"PERFILE2", "2ELIFREP"}) {
        for (const char separator : {'\n', '\0'}) {
            const auto refused = split_list(magic + std::string(100, '\0'), separator);
            REQUIRE(!refused);
            CHECK(refused.error().detail.starts_with("this is a recording"));
        }
    }
}
