// SPDX-License-Identifier: MIT
#include "tool/batch/batch_line.hpp"

#include "catch.hpp"

using namespace perfdata;
using namespace perfdata::tool;

namespace {

std::string one_line(std::string_view text, std::size_t piece) {
    OneLineJson json;
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) json.add(text.substr(0, piece));
    return json.take();
}

}  // namespace

TEST_CASE("A document becomes one line wherever it is cut", "[annotate][batch]") {
    const std::string_view text = "{\n \"a b\": [1,\t2],\r\n \"c\\\"\\\\\": \" \\\\\\\" x \",\n \"d\": {}\n}\n";
    const std::string_view want = "{\"a b\":[1,2],\"c\\\"\\\\\":\" \\\\\\\" x \",\"d\":{}}";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, text.size()}) {
        CHECK(one_line(text, piece) == want);
    }
}

TEST_CASE("A line has all keys in their order", "[annotate][batch]") {
    BatchLine line;
    line.file = "a\n\xff";
    line.status = BatchStatus::ok;
    line.samples = 18446744073709551615u;
    line.losses = 0;
    line.messages = {"note: \"x\""};
    CHECK(line_head(line) ==
          "{\"schema\":\"perfdata.batch/1\",\"file\":\"a\\n\xEF\xBF\xBD\",\"status\":\"ok\",\"exit_code\":0,"
          "\"error\":null,\"output\":null,\"samples\":18446744073709551615,\"losses\":0,"
          "\"messages\":[\"note: \\\"x\\\"\"],\"document\":");

    BatchLine bad;
    bad.file = "b";
    bad.exit_code = 1;
    bad.error = BatchError::of({ErrorCode::truncated, 12, "header", "too short"});
    bad.output = "out/b.json";
    CHECK(line_head(bad) ==
          "{\"schema\":\"perfdata.batch/1\",\"file\":\"b\",\"status\":\"failed\",\"exit_code\":1,"
          "\"error\":{\"code\":\"truncated\",\"offset\":12,\"where\":\"header\",\"detail\":\"too short\"},"
          "\"output\":\"out/b.json\",\"samples\":null,\"losses\":null,\"messages\":[],\"document\":");
    CHECK(bad.error->message() == "header: too short (truncated, at byte 12)");
}
