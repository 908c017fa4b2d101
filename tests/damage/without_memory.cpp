// SPDX-License-Identifier: MIT
// Runs the tool from the first line of main() with every allocation failing: its own, and those of libraries for
// archives, debug information, disassembly and JSON. Each run must end with a documented exit status, and report if its
// answer differs. failing_malloc.cpp does the work.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/tar.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

// without_memory(arguments, runs, said) returns true if failing_malloc found no problem; `said` receives its output.
bool without_memory(const std::string& arguments, const std::string& runs, std::string& said) {
    const auto command = "cd '" PERFDATA_FIXTURES "' && LD_PRELOAD='" PERFDATA_FAILING_MALLOC "' " + runs +
                         " '" PERFDATA_TOOL "' " + arguments + " 2>&1 </dev/null";
    const auto close = [](std::FILE* pipe) { return ::pclose(pipe); };
    std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
    REQUIRE(pipe != nullptr);
    said.clear();
    std::array<char, 4096> block{};
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) said.append(block.data(), got);
    const bool good = ::pclose(pipe.release()) == 0;
    std::printf("%s: %s", arguments.c_str(), said.c_str());
    return good && said.find(" allocations, ") != std::string::npos;
}

std::string runs(unsigned most) {
    const char* wanted = std::getenv("PERFDATA_DAMAGE");
    return "FAILING_RUNS=" + std::to_string(wanted != nullptr && std::string_view(wanted) == "full" ? 0 : most);
}

// Returns the exit status of the tool in so many KiB of address space; 128 and more: a signal ended it.
int status_within(std::uint64_t limit, const std::string& arguments) {
    const auto command = "cd '" PERFDATA_FIXTURES "' && ulimit -v " + std::to_string(limit) +
                         " && '" PERFDATA_TOOL "' " + arguments + " >/dev/null 2>&1 </dev/null";
    const auto status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns about how many KiB of address space a command needs.
std::uint64_t least_for(const std::string& arguments) {
    std::uint64_t fails = 16 << 10, works = 1 << 20;
    REQUIRE(status_within(works, arguments) == 0);
    while (works - fails > 64) {
        const auto middle = (works + fails) / 2;
        (status_within(middle, arguments) == 0 ? works : fails) = middle;
    }
    return works;
}

}  // namespace

TEST_CASE("Without memory for its setup the tool ends with a message", "[without_memory]") {
    for (const auto* arguments : {"--version", "--help", "report --nosuch", "info bpf/bpf_events.data"}) {
        std::string said;
        const bool good = without_memory(arguments, runs(60), said);
        INFO(arguments << ": " << said);
        CHECK(good);
    }
}

TEST_CASE("With little address space short commands work", "[without_memory]") {
    const auto program = std::filesystem::file_size(PERFDATA_TOOL) >> 10;
    CHECK(least_for("info bpf/bpf_events.data") < program + (48 << 10));
}

TEST_CASE("Wherever memory runs out a command ends with a documented status, and says so", "[without_memory]") {
    const TempDir folder;
    Tar tar;
    tar.directory(".build-id/").symlink(".build-id/12/345678", "../../lib/x/12345678");
    tar.file("lib/x/12345678/elf", content_of_file(PERFDATA_FIXTURES "/jit/jitted-32346-1.so"));
    const auto packed = folder.write("cache.tar.xz", compressed(Compression::xz, tar.blob()));
    const std::string skips = " FAILING_SKIPS_SETUP=1";
    for (const auto& arguments : std::vector<std::string>{
             "info --completeness bpf/bpf_events.data",
             "info --json bpf/bpf_events.data",
             "report --offline bpf/bpf_events.data",
             "report --offline --json bpf/bpf_events.data",
             "report --offline --sort comm,dso,symbol,srcline jit/tinyjit_injected.data",
             "report --buildid-dir '" + packed + "' bpf/bpf_turns.data",
             "report --offline --kallsyms expect/bpf_events.kallsyms bpf/bpf_events.data",
             "annotate --offline --calls bpf/bpf_events.data",
             "annotate --offline --json bpf/bpf_events.data",
             "annotate --offline --format html bpf/bpf_events.data",
             "annotate --offline --symfs '" PERFDATA_FIXTURES "' jit/tinyjit_injected.data",
             "annotate --offline --jitdump jit/jit-32346.dump jit/tinyjit.data",
             "script --offline bpf/bpf_events.data",
             "script --offline --json bpf/bpf_events.data",
             "dump bpf/bpf_events.data",
             "dump --json records/v72_z.data",
             "bpf bpf/bpf_events.data",
             "bpf --json bpf/bpf_events.data",
             "symbols --offline --at 20.5 bpf/bpf_events.data",
             "symbols --offline --at 20.5 --json bpf/bpf_events.data",
             "extract -s many_main -o - bpf/bpf_events.data",
         }) {
        std::string said;
        const bool good = without_memory(arguments, runs(14) + skips, said);
        INFO(arguments << ": " << said);
        CHECK(good);
    }
}

// libdw writes through null, or ends the process, where it gets no memory for some of its tables: dwarf_headroom(). One
// failing allocation would always do that; here memory runs out at one place after the other, as it does for users.
TEST_CASE("Where memory runs out while debug information is read a command ends with a documented status",
          "[without_memory]") {
    // With the debug information of this machine's libraries, if it is there, and with small files.
    const auto arguments = GENERATE(as<std::string>{}, "annotate --json bpf/bpf_events.data",
                                    "report --json --sort comm,symbol,srcline bpf/bpf_events.data",
                                    "script --json --symfs stacks/x86 stacks/x86_plain.data");
    INFO(arguments);
    const auto starts = least_for("--version");
    const auto works = least_for(arguments);
    INFO(starts << " KiB to start, " << works << " KiB to work");
    // Below that it is the system's loader, and what libraries do before main(), that ends.
    constexpr std::uint64_t steps = 20, margin = 300;
    for (std::uint64_t step = 0; step < steps; ++step) {
        const auto limit = works - 500 * step;
        if (limit < starts + margin) break;
        INFO(limit << " KiB");
        CHECK(status_within(limit, arguments) <= 3);
    }
}

// libarchive brings libraries in C++, and the standard library with them if the tool has it inside. glibc ends the
// process where it gets no memory for their thread-local variables.
TEST_CASE("Without memory for any part of a packed build-id cache a command ends with a message", "[without_memory]") {
    const TempDir folder;
    const auto compression = GENERATE(Compression::bzip2, Compression::xz);
    Tar tar;
    tar.symlink(".build-id/12/345678", "../../lib/x/12345678").file("lib/x/12345678/elf", Blob(3000));
    const auto packed = folder.write("cache.tar.packed", compressed(compression, tar.blob()));
    std::string said;
    const bool good =
        without_memory("symbols --at 1 --address 1 --buildid-dir '" + packed + "' records/v72_schedstats.data",
                       runs(200) + " FAILING_SKIPS_SETUP=1 FAILING_IN_LOADER=1", said);
    INFO(said);
    CHECK(good);
}
