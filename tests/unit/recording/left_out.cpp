// SPDX-License-Identifier: MIT
// Words for what is left out.
#include "perfdata/recording/left_out.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("What is left out agrees with its number", "[recording]") {
    CHECK(left_out_text(2, "debug files that are not here") == "2 debug files that are not here");
    CHECK(left_out_text(1, "debug files that are not here") == "1 debug file that is not here");
    for (const auto kind : {left_out_newer, left_out_not_here}) {
        CHECK(is_known_left_out(kind));
        CHECK_FALSE(is_loss_left_out(kind));
        CHECK(left_out_text(1, kind).starts_with("1 source file that is n"));
        CHECK(left_out_text(1, kind).ends_with(": --source-dir DIR takes it"));
    }
    CHECK(is_loss_left_out("source files that not everybody may read: --source-dir DIR takes them"));
    CHECK(is_loss_left_out("words of another version"));
    CHECK(left_out_text(0, "source files") == "0 source files");
    CHECK(left_out_text(1, "words of another version") == "1 words of another version");
    CHECK(is_known_left_out("bytes of debug information"));
    CHECK_FALSE(is_known_left_out("byte of debug information"));
    CHECK_FALSE(is_known_left_out(""));
}
