// SPDX-License-Identifier: MIT
// Names a recording from a `perf archive` tar-ball on a machine without the recorded files.
#include <cstdlib>
#include <filesystem>
#include <map>

#include "perfdata/profile/profile.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

using Functions = std::map<std::string, std::uint64_t>;

// functions(path, cache) returns the hits of each named function in programs and libraries.
Functions functions(const std::string& path, const std::string& cache) {
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.finder.buildid_dir = cache;
    const Opened opened(path);
    const auto names = Symbolizer::open(opened.recording, opened.timeline, sources);
    for (const auto& problem : names.problems()) {
        INFO(problem.message());
        CHECK(problem.where != cache);
    }
    const auto profile = Profile::count(opened.recording, names.versions()).value();
    Functions counts;
    for (const auto& function : profile.functions()) {
        const auto name = names.name(function.version.function);
        if (name.kind != CodeClass::user || name.symbol.empty()) continue;
        counts[std::string(name.symbol)] += perfdata::hits(function.total);
    }
    return counts;
}

}  // namespace

// The recording's program is gone; the files that perf inject --jit made from its code are fixtures.
TEST_CASE("the tar-ball of perf archive names what the cache names", "[oracle][archive]") {
    const test::TempDir folder;
    const auto in = [&](const std::string& name) { return (folder.path() / name).string(); };
    std::filesystem::copy_file(PERFDATA_FIXTURES "/jit/tinyjit_injected.data", in("jit.data"));
    // perf archive packs ~/.debug, regardless of --buildid-dir and the environment.
    const auto perf = "HOME='" + folder.path().string() + "' PERF_CONFIG=/dev/null perf ";
    const auto quiet = " > '" + in("log") + "' 2>&1";
    for (int generation = 1; generation <= 5; ++generation) {
        const auto file = "/jit/jitted-32346-" + std::to_string(generation) + ".so'";
        REQUIRE(std::system((perf + "buildid-cache -a '" PERFDATA_FIXTURES + file + quiet).c_str()) == 0);
    }
    REQUIRE(std::system((perf + "archive '" + in("jit.data") + "'" + quiet).c_str()) == 0);
    const auto packed = functions(in("jit.data"), in("jit.data.tar.bz2"));
    CHECK(packed == functions(in("jit.data"), in(".debug")));
    CHECK(functions(in("jit.data"), "").empty());
    // The counts of perf report.
    CHECK(packed ==
          Functions{{"jit_gen0", 80}, {"jit_gen1", 80}, {"jit_gen2", 78}, {"jit_gen3", 72}, {"jit_mover", 159}});
}

}  // namespace oracle
