// SPDX-License-Identifier: MIT
// Compares inlined functions in chains with others, on a program that is compiled and recorded just now:
// - Chains of frame pointers: perf's frames, and between them what addr2line says is inlined there. perf 6.1 itself
//   shows what is inlined only for stacks that it unwinds, later ones for all.
// - Unwound stacks: perf's own lines, as far as the frames are known without unwinding.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "perfdata/annotate/report/report.hpp"
#include "perfdata/symbols/elf/demangle/demangle.hpp"
#include "perfdata/symbols/elf/find/object_finder.hpp"
#include "perfdata/symbols/symbolizer.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "script/script.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

bool succeeds(const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::vector<std::string> lines_of_inlined(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// Recorded is the program, statically linked so that all code is in one file, and a recording of it.
class Recorded {
  public:
    explicit Recorded(const std::string& how) {
        const std::string folder = folder_.path().string();
        program_ = folder + "/nested";
        const std::string frames = "-fno-omit-frame-pointer -fno-optimize-sibling-calls";
        const auto compile = std::string(PERFDATA_CXX) + " -std=c++20 -O2 -g -static " + frames + " -o '" + program_ +
                             "' '" + PERFDATA_ORACLE_SOURCES + "/nested/main.cpp'";
        INFO(compile);
        REQUIRE(succeeds(compile));
        path_ = folder_.path() / "nested.data";
        const auto record = "perf record -q --call-graph " + how + " -e cpu-clock:u -F 1999 -o '" + path_.string() +
                            "' '" + program_ + "' 200000 > '" + folder + "/log' 2>&1";
        made_ = succeeds(record);
        if (!made_) WARN("perf record is not allowed here: nothing compared");
    }

    bool made() const { return made_; }
    const std::string& program() const { return program_; }
    const std::filesystem::path& path() const { return path_; }
    std::string temporary(const std::string& name) const { return (folder_.path() / name).string(); }

  private:
    test::TempDir folder_;
    std::string program_;
    std::filesystem::path path_;
    bool made_ = false;
};

// perf(recorded, arguments) returns perf's lines, with names of the program's own file.
std::vector<std::string> perf(const Recorded& recorded, const std::string& arguments) {
    const auto out = recorded.temporary("perf");
    const auto command = "HOME=/nonexistent PERF_CONFIG=/dev/null LC_ALL=C perf " + arguments + " -i '" +
                         recorded.path().string() + "' > '" + out + "' 2>/dev/null < /dev/null";
    INFO(command);
    REQUIRE(succeeds(command));
    std::ifstream in(out);
    std::stringstream text;
    text << in.rdbuf();
    return lines_of_inlined(text.str());
}

struct Ours {
    explicit Ours(const Recorded& recorded) : opened(recorded.path()), names(open(opened)) {}

    static Symbolizer open(const Opened& opened) { return Symbolizer::open(opened.recording, opened.timeline, {}); }

    std::vector<std::string> script(bool inlines) const {
        ScriptOptions options;
        options.inlines = inlines;
        REQUIRE(options.fields.fit(opened.recording, options.chains));
        std::string text;
        REQUIRE(write_script(opened.recording, names, options, [&](std::string_view part) { text += part; }));
        return lines_of_inlined(text);
    }

    // rows(inlines) returns the samples with callees, and in itself, by perf's name of the row.
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> rows(bool inlines) const {
        ReportOptions options;
        options.children = true;
        options.inlines = inlines;
        const auto counts =
            SampleCounts::count(opened.recording, opened.timeline, count_options(options, names)).value();
        const auto report = Report::make(opened.recording, counts, names, options);
        std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
        for (const auto& row : report.rows) {
            found[report.places[row.place].text()] = {hits(row.total), hits(row.self)};
        }
        return found;
    }

    Opened opened;
    Symbolizer names;
};

// PerfFrame is a line of a chain: "\t   401234 leaf+0x10 (/tmp/nested)".
struct PerfFrame {
    std::uint64_t address = 0, offset = 0;
    std::string address_text, symbol;

    explicit PerfFrame(const std::string& line) {
        std::istringstream words(line);
        words >> address_text;
        address = std::stoull(address_text, nullptr, 16);
        const auto name = line.substr(line.find(address_text) + address_text.size() + 1);
        const auto plus = name.rfind("+0x");
        if (plus == std::string::npos) return;
        symbol = name.substr(0, plus);
        offset = std::stoull(name.substr(plus + 3), nullptr, 16);
    }
};

bool is_frame(const std::string& line) {
    return line.starts_with('\t');
}
bool is_inlined(const std::string& line) {
    return line.ends_with(" (inlined)");
}

// What is inlined at addresses of the program: names by address, innermost first.
std::map<std::uint64_t, std::vector<std::string>> addr2line(const Recorded& recorded,
                                                            const std::set<std::uint64_t>& addresses) {
    const auto questions = recorded.temporary("addresses"), answers = recorded.temporary("answers");
    {
        std::ofstream out(questions);
        for (const auto address : addresses) out << std::hex << address << '\n';
    }
    // A process each: where code has no debug information (libc's), addr2line goes on with what it found before.
    REQUIRE(succeeds("while read -r address; do addr2line -a -i -f -e '" + recorded.program() +
                     "' $address || exit; done < '" + questions + "' > '" + answers + "'"));
    std::map<std::uint64_t, std::vector<std::string>> found;
    std::vector<std::string>* chain = nullptr;
    std::ifstream in(answers);
    for (std::string line, place; std::getline(in, line);) {
        if (line.starts_with("0x")) {
            chain = &found[std::stoull(line, nullptr, 16)];
            continue;
        }
        REQUIRE(chain != nullptr);
        REQUIRE(std::getline(in, place));
        chain->push_back(demangle(line).value_or(line));
    }
    for (auto& [address, names] : found) names.pop_back();  // the function itself
    REQUIRE(found.size() == addresses.size());
    return found;
}

// Returns the address at which to ask for what is inlined: that of the call, for a return address. `first`: of the
// chain. 0: the call is in another function than the address.
std::uint64_t asked(const PerfFrame& frame, bool first, std::uint64_t distance) {
    const auto address = frame.address + distance;
    if (first) return address;
    return frame.offset == 0 ? 0 : address - 1;
}

// Adds the lines of inlined functions to perf's lines. `distance`: of addresses in the program from offsets in its
// file, which perf shows.
std::vector<std::string> with_inlined(const Recorded& recorded, const std::vector<std::string>& lines,
                                      std::uint64_t distance) {
    std::set<std::uint64_t> addresses;
    const auto each = [&](auto visit) {
        bool first = true;
        for (const auto& line : lines) {
            const bool frame = is_frame(line) && line.find("(" + recorded.program() + ")") != std::string::npos;
            visit(line, frame ? asked(PerfFrame(line), first, distance) : 0);
            first = !is_frame(line);
        }
    };
    each([&](const std::string&, std::uint64_t address) {
        if (address != 0) addresses.insert(address);
    });
    const auto inlined = addr2line(recorded, addresses);
    std::vector<std::string> expected;
    each([&](const std::string& line, std::uint64_t address) {
        if (address != 0) {
            const PerfFrame frame(line);
            std::ostringstream offset;
            offset << std::hex << frame.offset;
            for (const auto& name : inlined.at(address)) {
                expected.push_back(line.substr(0, line.find(frame.address_text) + frame.address_text.size() + 1) +
                                   name + "+0x" + offset.str() + " (inlined)");
            }
        }
        expected.push_back(line);
    });
    return expected;
}

void require_same_inlined(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
    const auto [our, their] = std::ranges::mismatch(ours, theirs);
    INFO("line " << our - ours.begin() + 1);
    INFO("theirs: " << (their == theirs.end() ? "(end)" : *their));
    INFO("ours:   " << (our == ours.end() ? "(end)" : *our));
    REQUIRE((our == ours.end() && their == theirs.end()));
    REQUIRE(!ours.empty());
}

// The distance of addresses from offsets in the file, of the segment with code.
std::uint64_t code_distance(const Ours& ours) {
    for (ObjectIndex object = 0; object < ours.opened.timeline.tasks().objects().size(); ++object) {
        const auto file = ours.names.file(object);
        if (!file) continue;
        for (const auto& segment : (*file)->file->segments()) {
            if (segment.executable) return segment.vaddr - segment.offset;
        }
    }
    FAIL("no file");
    return 0;
}

using Lines = std::vector<std::string>;

// first_addresses(lines) returns for each sample its line and what is at the first address of its chain.
std::vector<Lines> first_addresses(const Lines& lines) {
    std::vector<Lines> chains;
    bool whole = false;
    for (const auto& line : lines) {
        if (!is_frame(line)) {
            chains.emplace_back();
            whole = false;
        } else if (whole || chains.empty()) {
            continue;
        } else {
            whole = !is_inlined(line);
        }
        chains.back().push_back(line);
    }
    return chains;
}

// counted(lines) returns by name of a row in how many chains it is: "leaf", "turn (inlined)".
std::map<std::string, std::uint64_t> counted(const std::vector<std::string>& lines) {
    std::map<std::string, std::uint64_t> found;
    std::set<std::string> seen;
    const auto take = [&] {
        for (const auto& name : seen) ++found[name];
        seen.clear();
    };
    for (const auto& line : lines) {
        if (!is_frame(line)) {
            take();
            continue;
        }
        const PerfFrame frame(line);
        if (!frame.symbol.empty()) seen.insert(frame.symbol + (is_inlined(line) ? " (inlined)" : ""));
    }
    take();
    return found;
}

}  // namespace

TEST_CASE("chains of frame pointers have what addr2line says is inlined", "[oracle][inlined]") {
    const Recorded recorded("fp");
    if (!recorded.made()) return;
    const Ours ours(recorded);
    const auto plain = perf(recorded, "script --no-inline");
    require_same_inlined(ours.script(false), plain);
    const auto expected = with_inlined(recorded, plain, code_distance(ours));
    const auto whole = ours.script(true);
    require_same_inlined(whole, expected);
    CHECK(ours.names.inlined_problems().empty());
    const auto inlined = std::ranges::count_if(whole, is_inlined);
    CHECK(inlined > 1000);

    const auto rows = ours.rows(true), without = ours.rows(false);
    const auto counts = counted(expected);
    std::size_t compared = 0;
    for (const auto& [name, count] : counts) {
        INFO(name);
        const auto row = rows.find(name);
        REQUIRE(row != rows.end());
        CHECK(row->second.first == count);
        if (is_inlined(name)) {
            CHECK(row->second.second == 0);
            CHECK_FALSE(without.contains(name));
        } else {
            CHECK(row->second == without.at(name));
        }
        ++compared;
    }
    // The last ends with the call: the address that this returns to is behind it.
    for (const auto* name : {"Mixer<unsigned long>::turn", "Mixer<unsigned long>::twice",
                             "repeated<unsigned long, 60u>", "outer", "between<unsigned long>", "noted"}) {
        INFO(name);
        CHECK(counts.contains(std::string("nested::") + name + " (inlined)"));
    }
    std::cout << "just recorded: " << whole.size() << " lines, " << inlined << " of them of inlined functions, "
              << compared << " rows\n";
}

TEST_CASE("perf report has the same rows, but those of inlined functions", "[oracle][inlined]") {
    const Recorded recorded("fp");
    if (!recorded.made()) return;
    const Ours ours(recorded);
    const auto rows = ours.rows(true);
    std::uint64_t all = 0;
    for (const auto& [name, row] : rows) all += row.second;
    std::set<std::string> compared;
    // "   100.00%   12.34%  [.] main"
    for (const auto& line :
         perf(recorded, "report --stdio --no-inline --children -g none -F overhead_children,overhead,sym")) {
        std::istringstream words(line);
        std::string children, self, level;
        if (!(words >> children >> self >> level) || !children.ends_with('%')) continue;
        auto name = line.substr(line.find(level) + level.size() + 1);
        name.erase(name.find_last_not_of(' ') + 1);
        INFO(name);
        // Of addresses without a name, such as what ends a damaged chain.
        if (name.find_first_not_of("0123456789abcdef") == std::string::npos) continue;
        const auto row = rows.find(name);
        REQUIRE(row != rows.end());
        const auto percent = [&](std::uint64_t part) {
            char text[16];
            std::snprintf(text, sizeof text, "%.2f%%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
            return std::string(text);
        };
        CHECK(children == percent(row->second.first));
        CHECK(self == percent(row->second.second));
        compared.insert(name);
    }
    CHECK(compared.size() >= 3);
    for (const auto& [name, row] : rows) {
        if (name.starts_with("0x")) continue;  // without a name, too
        INFO(name << ": " << row.first << " of " << all << " samples, " << row.second << " of its own");
        CHECK((is_inlined(name) || compared.contains(name)));
    }
}

TEST_CASE("what is inlined at sampled addresses is what perf says of unwound stacks", "[oracle][inlined]") {
    const Recorded recorded("dwarf,2048");
    if (!recorded.made()) return;
    const Ours ours(recorded);
    const auto plain = first_addresses(perf(recorded, "script --no-inline"));
    REQUIRE(first_addresses(ours.script(false)) == plain);
    // libc has no debug information, and two names for some addresses: perf 6.1 shows the other name as inlined there.
    const auto in_source = [&](const std::vector<Lines>& chains) {
        REQUIRE(chains.size() == plain.size());
        Lines kept;
        for (std::size_t at = 0; at < chains.size(); ++at) {
            const auto symbol = is_frame(plain[at].back()) ? PerfFrame(plain[at].back()).symbol : "";
            if (symbol != "main" && !symbol.starts_with("nested::")) continue;
            std::ranges::copy(chains[at], std::back_inserter(kept));
        }
        return kept;
    };
    const auto perfs = in_source(first_addresses(perf(recorded, "script")));
    require_same_inlined(in_source(first_addresses(ours.script(true))), perfs);
    CHECK(std::ranges::count_if(perfs, is_inlined) > 100);
}

}  // namespace oracle
