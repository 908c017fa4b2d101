// SPDX-License-Identifier: MIT
#include "tool/batch/batch_names.hpp"

#include <set>

#include "catch.hpp"

using perfdata::tool::flat_name;
using perfdata::tool::flat_names;

TEST_CASE("A path becomes the name of one file", "[annotate][batch]") {
    CHECK(flat_name("perf.data", ".json") == "perf.data.json");
    CHECK(flat_name("/srv/a/perf.data", ".json") == "+srv+a+perf.data.json");
    CHECK(flat_name("a/perf.data", ".json") == "a+perf.data.json");
    CHECK(flat_name("../a", ".json") == "%2E.+a.json");
    CHECK(flat_name("a/.b/-c", ".json") == "a+.b+-c.json");
    CHECK(flat_name("-a", ".json") == "%2Da.json");
    CHECK(flat_name(".a", ".json") == "%2Ea.json");
    CHECK(flat_name(".", ".json") == "%2E.json");
    CHECK(flat_name("././", ".json") == "%2E.json");
    CHECK(flat_name("a+b%", ".json") == "a%2Bb%25.json");
    CHECK(flat_name("a b\n\x7f\xff", ".json") == "a%20b%0A%7F%FF.json");
    // What changes nothing is left out; .. may follow a link.
    CHECK(flat_name("./a//b/./c/", ".json") == "a+b+c.json");
    CHECK(flat_name("//a", ".json") == "+a.json");
    CHECK(flat_name("a/../b", ".json") == "a+..+b.json");
}

TEST_CASE("Long paths get short names that differ", "[annotate][batch]") {
    const std::string long_path(300, 'a');
    const auto name = flat_name(long_path + "1", ".json"), other = flat_name(long_path + "2", ".json");
    CHECK(name != other);
    CHECK(name.size() <= 247);  // with room for a number
    CHECK(name.ends_with(".json"));
    CHECK(name == flat_name(long_path + "1", ".json"));
    // A path that is nothing but detours still has a name.
    CHECK(flat_name(".", ".json").size() > 5);
}

TEST_CASE("No two paths of a list share a name", "[annotate][batch]") {
    using Names = std::vector<std::string>;
    CHECK(flat_names({}, ".json").empty());
    CHECK(flat_names({"a", "./a", "a", ".//a", "./a"}, ".json") ==
          Names{"a.json", "a-2.json", "a.json", "a-3.json", "a-2.json"});
    // A name with a number may be another path's own.
    CHECK(flat_names({"a-2", "a", "./a"}, ".json") == Names{"a-2.json", "a.json", "a-3.json"});
    CHECK(flat_names({"a", "./a", "a-2"}, ".json") == Names{"a.json", "a-2.json", "a-2-2.json"});
    const auto names = flat_names({"x/y", "x+y", "x%2By", "x%2Fy", "./x/y"}, ".json");
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}
