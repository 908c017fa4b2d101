// SPDX-License-Identifier: MIT
// Puts names with terminal commands, document markup and extreme lengths everywhere in a recording, and runs every
// subcommand of the tool. Terminals must get only printable text, JSON must be valid, and HTML must have no foreign
// markup.
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <sys/wait.h>

#include "catch.hpp"
#include "format/words.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/samples.hpp"
#include "unit/annotate/crafted_page.hpp"

using namespace perfdata;
using namespace perfdata::test;

namespace {

const std::string evil =
    "\x1b]0;owned\x07\x1b[2J\x9b"
    "31m\xc2\x9b\xe2\x80\xae\xd8\x9c\xef\xbb\xbf\xf3\xa0\x81\x81<script>alert(1)</script><img src=x "
    "onerror=alert(2)>&\"'\\\r\n\t\x7f\xff\xc3{};";

// long_name() returns almost 64 KiB: the most that fits into a record besides its other fields.
std::string long_name() {
    return "L" + evil + std::string(65000, 'a') + evil;
}

Blob hostile_recording() {
    PageTexts texts;
    texts.main = "m" + evil;
    texts.sub = "s" + evil;
    texts.file = "f" + evil;
    texts.line = "l" + evil;
    texts.events = {"e" + evil, "E" + long_name()};
    texts.host = "h" + long_name();
    CraftedPage page(texts);
    auto& scene = page.scene();
    const auto order = scene.order();
    for (const auto feature : {Feature::osrelease, Feature::version, Feature::cpudesc, Feature::cpuid}) {
        scene.feature(feature, feature_string(order, "v" + evil));
    }
    scene.feature(Feature::cmdline, feature_strings(order, {"c" + evil, "C" + long_name()}));
    scene.feature(Feature::group_desc,
                  Writer(order).u32(1).bytes(feature_string(order, "g" + evil)).u32(0).u32(2).take());
    scene.feature(Feature::pmu_mappings, Writer(order).u32(1).u32(4).bytes(feature_string(order, "p" + evil)).take());

    const auto writer = live(90);
    const Pid pid{writer.pid};
    const Tid tid{writer.tid};
    const auto comm = "n" + evil, path = "/" + evil + "/d" + evil, long_path = "/" + long_name().substr(0, 64000);
    scene.add(encode(Comm{pid, tid, comm, false}, scene.frame(live(80))));
    std::uint64_t at = 0x10000;
    for (const auto& name : {path, long_path}) {
        Mmap2 map;
        map.pid = pid;
        map.tid = tid;
        map.range = {{at}, 0x1000};
        map.inode = Mmap2::Inode{};
        map.protection = 5;
        map.filename = name;
        scene.add(encode(map, scene.frame(live(85))));
        at += 0x1000;
    }
    scene.symbol(live(86), 0x7000, 64, "y" + evil);
    scene.symbol(live(86), 0x8000, 64, "Y" + long_name().substr(0, 64000));
    for (const std::uint32_t event : {0u, 1u}) {
        for (const std::uint64_t ip : {0x1004u, 0x2000u, 0x5000u, 0x7000u, 0x8010u}) {
            scene.sample(ip, 500, CpuMode::kernel, event);
        }
        for (const std::uint64_t ip : {0x10010u, 0x11010u}) scene.sample(ip, 500, CpuMode::user, event);
    }
    return scene.build();
}

// A sample with branches from and to code of files with hostile names.
Blob hostile_branches() {
    auto attr = sampling_attr(Scene::sample_type | sample_bit::branch_stack);
    Scene scene(std::endian::little, std::vector<Attr>{attr});
    const auto writer = live(90);
    SampleContent content;
    content.fixed.identifier = content.fixed.id = Scene::first_id;
    content.fixed.ip = 0x10000;
    content.fixed.pid = content.fixed.tid = writer.pid;
    content.fixed.time = 500;
    std::uint64_t at = 0x10000;
    for (const auto& name : {"/" + evil + "/d" + evil, "/" + long_name().substr(0, 64000)}) {
        Mmap2 map;
        map.pid = {writer.pid};
        map.tid = {writer.tid};
        map.range = {{at}, 0x1000};
        map.inode = Mmap2::Inode{};
        map.protection = 5;
        map.filename = name;
        scene.add(encode(map, scene.frame(live(85))));
        for (int count = 0; count < 8; ++count) {
            BranchEntry branch;
            branch.from = {at + 0x10};
            branch.to = {0x10020};
            content.branches.push_back(branch);
        }
        at += 0x1000;
    }
    constexpr std::uint16_t user = 2;
    return scene.add(encode(std::endian::little, attr, content, user)).build();
}

struct Run {
    int status = 0;
    std::string output, messages;
};

class Tool {
  public:
    explicit Tool(const Blob& recording = hostile_recording()) : recording_(folder_.write("hostile.data", recording)) {}

    Run run(const std::string& arguments) const {
        const auto messages = (folder_.path() / "messages").string();
        const auto command =
            "timeout 60 '" PERFDATA_TOOL "' " + arguments + " '" + recording_ + "' 2>'" + messages + "' </dev/null";
        const auto close = [](std::FILE* pipe) { return ::pclose(pipe); };
        std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
        REQUIRE(pipe != nullptr);
        Run result;
        std::array<char, 65536> block{};
        while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) {
            result.output.append(block.data(), got);
        }
        const auto status = ::pclose(pipe.release());
        REQUIRE(WIFEXITED(status));
        result.status = WEXITSTATUS(status);
        std::ifstream file(messages);
        result.messages.assign(std::istreambuf_iterator<char>(file), {});
        return result;
    }

  private:
    TempDir folder_;
    std::string recording_;
};

// obeyed(text) returns the first line with something that a terminal would execute instead of show.
std::string obeyed(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto shown = printable(line);
        if (shown != line) return shown.substr(0, 2000);
    }
    return {};
}

std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("Hostile names are shown in text and not obeyed", "[hostile]") {
    const Tool tool;
    for (const auto* command : {"annotate --offline",
                                "annotate --offline --versions",
                                "annotate --offline --show-total-period --asm-raw",
                                "bpf",
                                "info",
                                "info --verbose --completeness",
                                "dump",
                                "dump --order time",
                                "script --offline",
                                "script --offline -F comm,tid,time,event,ip,sym,symoff,dso",
                                "script --offline -S nosuch",
                                "symbols --at 0.0000005 --offline",
                                "symbols --history 7000 --offline",
                                "symbols --at 0.0000005 --address 7004 --offline",
                                "report --offline",
                                "report --offline --sort comm,dso,symbol,kind,program,srcline -n",
                                "report --offline -e nosuch",
                                "annotate --offline -s nosuch",
                                "extract -s nosuch",
                                "dump --event nosuch"}) {
        INFO(command);
        const auto got = tool.run(command);
        CHECK((got.status == 0 || (got.status == 1 && std::string(command).find("nosuch") != std::string::npos)));
        CHECK(!(got.output + got.messages).empty());
        CHECK(obeyed(got.output) == "");
        CHECK(obeyed(got.messages) == "");
    }
}

TEST_CASE("Hostile names of objects are shown beside branches, and shortened", "[hostile]") {
    const Tool tool(hostile_branches());
    for (const auto* command : {"script --offline -F ip,sym,dso,brstack", "script --offline -F +brstack"}) {
        INFO(command);
        const auto got = tool.run(command);
        CHECK(got.status == 0);
        CHECK(obeyed(got.output) == "");
        CHECK(count_of(got.output, "\n") == 1);
        CHECK(count_of(got.output, "0x11010(…") == 8);
        CHECK(count_of(got.output, "\\x1b]0;owned\\x07") >= 24);
        CHECK(got.output.size() < 60000);
    }
}

TEST_CASE("Hostile names leave JSON valid", "[hostile]") {
    const Tool tool;
    for (const auto* command : {"annotate --offline --json", "bpf --json", "info --json --completeness",
                                "report --offline --json", "symbols --at 0.0000005 --offline --json"}) {
        INFO(command);
        const auto got = tool.run(command);
        CHECK(got.status == 0);
        CHECK(Json::parse(got.output).is_object());
        CHECK(obeyed(got.output) == "");
    }
    for (const auto* command : {"dump --json", "dump --json --order time", "script --offline --json"}) {
        INFO(command);
        const auto got = tool.run(command);
        CHECK(got.status == 0);
        CHECK(obeyed(got.output) == "");
        std::istringstream lines(got.output);
        std::size_t count = 0;
        for (std::string line; std::getline(lines, line); ++count) CHECK(Json::parse(line).is_object());
        CHECK(count >= 14);
    }
}

TEST_CASE("Hostile names are no markup in HTML", "[hostile]") {
    const Tool tool;
    const auto got = tool.run("annotate --offline --format html --title '<script>alert(3)</script>'");
    CHECK(got.status == 0);
    const auto& page = got.output;
    CHECK(page.find("&lt;script&gt;alert(1)") != std::string::npos);
    CHECK(page.find("<script>alert") == std::string::npos);
    CHECK(page.find("<img") == std::string::npos);
    // Every closing script tag matches one of the page's own opening tags.
    CHECK(count_of(page, "</script") == count_of(page, "<script"));
    for (const char character : page) {
        const bool control = static_cast<unsigned char>(character) < 0x20 && character != '\n' && character != '\t';
        REQUIRE_FALSE(control);
    }
    CHECK(utf8(page) == page);
}
