// SPDX-License-Identifier: MIT
// Extracts code of recorded programs as ELF files, and reads them with objdump, readelf and addr2line.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <sys/wait.h>

#include "perfdata/annotate/elf/elf_writer.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// output_in(command, directory) returns the printed lines, messages included; requires success.
std::vector<std::string> output_in(const std::string& command, const std::string& directory) {
    INFO(command);
    const auto file = directory + "/output";
    const int status = std::system(("cd '" + directory + "' && " + command + " > output 2>&1").c_str());
    REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    std::ifstream in(file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string place_of(const std::vector<LineStart>& lines, std::uint64_t offset) {
    const LineStart* found = nullptr;
    for (const auto& line : lines) {
        if (line.offset <= offset) found = &line;
    }
    if (found == nullptr || found->source.line == 0) return "?";
    return std::string(found->source.file) + ":" + std::to_string(found->source.line);
}

}  // namespace

TEST_CASE("BPF programs as ELF files have their names and lines for binutils", "[oracle][extract]") {
    std::size_t programs = 0, addresses = 0;
    for (const auto& path : fixtures()) {
        INFO(path);
        const Opened opened(path);
        const BpfPrograms symbols(opened.timeline);
        std::size_t of_recording = 0;
        for (const auto& load : opened.timeline.loads()) {
            ElfCode code;
            code.target = ElfTarget::of(opened.recording.arch()).value();
            code.name = symbols.program_name(load);
            code.directory = "/";
            for (const auto index : load.functions) {
                const auto image = symbols.image(index);
                auto lines = symbols.lines(index);
                if (!image || !lines) continue;
                code.functions.push_back(
                    {symbols.name(index).name, opened.timeline.code()[index].range.begin, *image, std::move(*lines)});
            }
            if (code.functions.empty() || ++of_recording > 5) continue;
            const auto elf = write_elf(code);
            REQUIRE(elf);
            const perfdata::test::TempDir temporary;
            const auto directory = temporary.path().string();
            temporary.write("program.elf", as_bytes(*elf));
            for (const auto& line : output_in("readelf -aW --debug-dump=info,line program.elf", directory)) {
                INFO(line);
                CHECK((line.find("arning") == std::string::npos && line.find("rror:") == std::string::npos));
            }
            {
                std::ofstream questions(directory + "/addresses");
                for (const auto& function : code.functions) {
                    for (std::size_t at = 0; at < function.code.size(); ++at) {
                        questions << std::hex << function.address.value + at << '\n';
                    }
                }
            }
            const auto answers = output_in("addr2line -f -e program.elf < addresses", directory);
            std::size_t answer = 0;
            for (const auto& function : code.functions) {
                for (std::size_t at = 0; at < function.code.size(); ++at, answer += 2) {
                    REQUIRE(answer + 1 < answers.size());
                    auto place = answers[answer + 1];
                    if (place.ends_with(":?") || place.ends_with(":0")) place = "?";
                    if (place.starts_with("//")) place.erase(0, 1);
                    auto expected = place_of(function.lines, at);
                    if (expected != "?" && !expected.starts_with('/')) expected = "/" + expected;
                    if (answers[answer] != function.name || place != expected) {
                        FAIL_CHECK(function.name << '+' << at << ": " << expected << ", addr2line: " << answers[answer]
                                                 << ' ' << place);
                    }
                    ++addresses;
                }
            }
            CHECK(answer == answers.size());
            ++programs;
        }
    }
    std::cout << "extract: " << addresses << " addresses of " << programs << " BPF programs\n";
    CHECK(programs > 10);
    CHECK(addresses > 5000);
}

}  // namespace oracle
