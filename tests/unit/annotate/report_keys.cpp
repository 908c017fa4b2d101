// SPDX-License-Identifier: MIT
#include <set>
#include <string_view>

#include "perfdata/annotate/report/report_options.hpp"

#include "catch.hpp"

using namespace perfdata;

TEST_CASE("Each key of a report has words of its own, which mean it", "[annotate][report]") {
    std::set<std::string_view> titles, names;
    for (const auto& one : report_keys()) {
        INFO(one.word);
        CHECK(&words_of(one.key) == &one);
        // Also by its JSON name, and by its second word.
        CHECK(report_key(one.word) == one.key);
        CHECK(report_key(one.name) == one.key);
        CHECK((one.also.empty() || report_key(one.also) == one.key));
        CHECK(titles.insert(one.title).second);
        CHECK(names.insert(one.name).second);
    }
    CHECK(names.size() == 12);
    CHECK_FALSE(report_key(""));
    CHECK_FALSE(report_key("nosuch"));
}
