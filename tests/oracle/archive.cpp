// SPDX-License-Identifier: MIT
// What `perf archive` packs names a recording where none of its files are.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/names.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// functions(path, cache) is the hits of each named function of programs and libraries.
std::map<std::string, std::uint64_t> functions(const std::string& path, const std::string& cache) {
    NameOptions sources;
    sources.finder.offline = true;
    sources.finder.buildid_dir = cache;
    const Opened opened(path);
    const auto names = Names::load(opened.recording, opened.timeline, sources);
    for (const auto& problem : names.problems()) {
        INFO(problem.message());
        CHECK(problem.where != cache);
    }
    const auto versions = CodeVersions::build(opened.timeline, names);
    const auto profile = Profile::count(opened.recording, versions).value();
    std::map<std::string, std::uint64_t> counts;
    for (const auto& function : profile.functions()) {
        const auto name = names.name(function.version.function);
        if (name.kind != CodeClass::user || name.symbol.empty()) continue;
        counts[std::string(name.symbol)] += perfdata::hits(function.total);
    }
    return counts;
}

}  // namespace

TEST_CASE("the tar-ball of perf archive names what the cache names", "[oracle][archive]") {
    const test::TempDir folder;
    const auto in = [&](const std::string& name) { return (folder.path() / name).string(); };
    const std::string program = PERFDATA_CALLS_PROGRAM;
    const auto record = "perf --buildid-dir '" + in("cache") + "' record -q -e cpu-clock -F 1999 -o '" +
                        in("calls.data") + "' '" + program + "' 20000 > '" + in("log") + "' 2>&1";
    if (std::system(record.c_str()) != 0) {
        WARN("perf record is not allowed here: nothing compared");
        return;
    }
    const auto pack =
        "PERF_BUILDID_DIR='" + in("cache") + "' perf archive '" + in("calls.data") + "' > '" + in("log") + "' 2>&1";
    REQUIRE(std::system(pack.c_str()) == 0);
    const auto packed = functions(in("calls.data"), in("calls.data.tar.bz2"));
    CHECK(packed == functions(in("calls.data"), in("cache")));
    CHECK(functions(in("calls.data"), "").empty());
    for (const auto& name : {"leaf", "nested"}) {
        INFO(name);
        CHECK(packed.contains(name));
    }
    std::cout << "from the tar-ball: " << packed.size() << " functions\n";
}

}  // namespace oracle
