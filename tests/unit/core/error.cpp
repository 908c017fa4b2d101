// SPDX-License-Identifier: MIT
#include "perfdata/core/error.hpp"

#include <set>

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("An error's message has place, detail, code and offset in one line", "[core]") {
    const Error error{ErrorCode::truncated, 1234, "feature CMDLINE", "the count goes beyond the end"};
    CHECK(error.message() == "feature CMDLINE: the count goes beyond the end (truncated, at byte 1234)");
}

TEST_CASE("An error's message leaves out a place or an offset that is not known", "[core]") {
    CHECK(Error{ErrorCode::io, Error::no_offset, "a.data", "cannot open"}.message() == "a.data: cannot open");
    CHECK(Error{ErrorCode::limit, 0, "", "too many"}.message() == "too many (limit, at byte 0)");
}

TEST_CASE("Every error code has a name of its own", "[core]") {
    std::set<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(ErrorCode::cancelled); ++code) {
        const auto name = to_string(static_cast<ErrorCode>(code));
        CHECK(name != "unknown");
        CHECK(names.insert(name).second);
    }
    CHECK(to_string(static_cast<ErrorCode>(200)) == "unknown");
}

TEST_CASE("fail makes the error side of a result", "[core]") {
    const Result<int> result = fail(ErrorCode::missing, 5, "here", "nothing");
    REQUIRE_FALSE(result);
    CHECK(result.error() == Error{ErrorCode::missing, 5, "here", "nothing"});
    const Result<int> passed_on = fail(result.error());
    CHECK(passed_on.error() == result.error());
}
