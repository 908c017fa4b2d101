// SPDX-License-Identifier: MIT
// Checks how the tool treats its arguments: formats by output name, help, and error messages.
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catch.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

// The commands with text and JSON, with arguments.
const std::vector<std::vector<std::string>> shown = {{"report", "in.data"},
                                                     {"annotate", "in.data"},
                                                     {"script", "in.data"},
                                                     {"info", "in.data"},
                                                     {"dump", "in.data"},
                                                     {"bpf", "in.data"},
                                                     {"symbols", "--at", "6.5", "in.data"}};

}  // namespace

TEST_CASE("The ending of the output chooses the format", "[formats]") {
    const Place place;
    for (const auto& command : shown) {
        INFO(in_words(command));
        const auto text = place.run(command).output, json = place.run(with(command, {"--json"})).output;
        REQUIRE(text != json);
        for (const std::string name : {"x.txt", "x", "x.out", "x.TXT", ".json", "x.json.bak", "json", "x.data"}) {
            const auto ended = place.run(with(command, {"-o", name}));
            CHECK(ended.status == 0);
            CHECK(same(place.read(name), text));
        }
        for (const std::string name : {"x.json", "x.JSON", "./y.z.json"}) {
            CHECK(place.run(with(command, {"-o", name})).status == 0);
            CHECK(same(place.read(name), json));
        }
        // One object per line, or one document.
        const bool lines = command.front() == "script" || command.front() == "dump";
        for (const std::string name : {"x.jsonl", "x.ndjson"}) {
            std::filesystem::remove(place.path(name));
            CHECK(place.run(with(command, {"-o", name})).status == (lines ? 0 : 2));
            CHECK(same(place.read(name), (lines ? json : "")));
        }
    }
    for (const std::string name : {"x.html", "x.htm", "x.Html"}) {
        CHECK(place.run({"annotate", "in.data", "-o", name}).status == 0);
        CHECK(place.read(name).starts_with("<!doctype html>"));
    }
    const auto elf = place.run({"extract", "-s", "step", "in.data", "-o", "x.elf"});
    CHECK(elf.status == 0);
    CHECK(
        place.read("x.elf").starts_with("\x7f"
                                        "ELF"));
}

TEST_CASE("A format that a command lacks is wrong usage", "[formats]") {
    const Place place;
    auto commands = shown;
    commands.push_back({"extract", "-s", "step", "in.data"});
    for (const auto& command : commands) {
        for (const std::string ending :
             {".csv", ".pdf", ".svg", ".pb.gz", ".PDF", ".html", ".elf", ".txt.gz", ".txt"}) {
            const auto& name = command.front();
            if ((name == "annotate" && ending == ".html") || (name == "extract" && ending == ".elf")) continue;
            if (ending == ".txt" && name != "extract") continue;
            INFO(in_words(command) << " -o x" << ending);
            const auto ended = place.run(with(command, {"-o", "x" + ending}));
            CHECK(ended.status == 2);
            CHECK(has(ended.messages, "--output: x" + ending + ": perfdata " + name + " has no format for ."));
            const bool has_option = name == "annotate" || name == "extract";
            CHECK(has(ended.messages,
                      has_option ? "; choose by the ending or with --format: " : "; choose by the ending: "));
            CHECK(has(ended.messages, name == "extract" ? "ELF (.elf)" : "text (.txt)"));
            CHECK(has(ended.messages, "HTML (.html)") == (name == "annotate"));
        }
    }
    CHECK(place.files() == std::vector<std::string>{"in.data"});
}

TEST_CASE("What other tools call their files gets their format", "[formats]") {
    const Place place;
    const auto as = [&](const std::string& format) {
        return place.run({"export", "--offline", "--format", format, "in.data"}).output;
    };
    const std::vector<std::pair<std::string, std::vector<std::string>>> names = {
        {"callgrind",
         {"callgrind.out.app", "callgrind.out", "callgrind.out.1234", "callgrind.out.1234-01", "x.callgrind"}},
        {"pprof", {"x.pprof", "x.prof", "x.pb.gz", "callgrind.out.pb.gz"}},
        {"speedscope", {"x.speedscope", "x.speedscope.json"}},
        {"folded", {"x.folded", "x.collapsed", "x", ".hidden", "x."}},
    };
    for (const auto& [format, all] : names) {
        const auto expected = as(format);
        REQUIRE_FALSE(expected.empty());
        for (const auto& name : all) {
            INFO(name);
            std::filesystem::create_directories(place.path("below"));
            const auto ended = place.run({"export", "--offline", "in.data", "-o", "below/" + name});
            CHECK(ended.status == 0);
            CHECK(same(place.read("below/" + name), expected));
            CHECK_FALSE(has(ended.messages, " gets "));
        }
    }
    // These, too, are no names of other commands' outputs.
    for (const std::string name : {"x.prof", "x.callgrind", "callgrind.out.1", "x.speedscope"}) {
        INFO(name);
        CHECK(place.run({"report", "in.data", "-o", name}).status == 2);
        CHECK(place.read(name).empty());
    }
    // Formats that are JSON.
    for (const std::string format : {"firefox", "speedscope"}) {
        const auto ended = place.run({"export", "--offline", "--format", format, "in.data", "-o", "x.json"});
        CHECK(ended.status == 0);
        CHECK_FALSE(has(ended.messages, "whatever its ending"));
    }
}

TEST_CASE("A name whose ending says nothing gets folded stacks, and a note", "[formats]") {
    const Place place;
    const auto folded = place.run({"export", "--offline", "in.data"});
    CHECK_FALSE(has(folded.messages, " gets "));
    const std::string note = " gets folded stacks; --format chooses another format\n";
    for (const std::string name : {"x.out", "x.perfetto", "out.1", "x.callgrind.1"}) {
        INFO(name);
        const auto ended = place.run({"export", "--offline", "in.data", "-o", name});
        CHECK(ended.status == 0);
        CHECK(same(place.read(name), folded.output));
        CHECK(has(ended.messages, "perfdata: note: " + name + note));
        CHECK_FALSE(has(place.run({"export", "--offline", "-q", "in.data", "-o", name}).messages, note));
        CHECK_FALSE(
            has(place.run({"export", "--offline", "--format", "folded", "in.data", "-o", name}).messages, note));
    }
    REQUIRE(::mkfifo(place.path("pipe.x").c_str(), 0600) == 0);
    const auto into_pipe =
        place.run({"export", "--offline", "in.data", "-o", "pipe.x"}, [] { (void)::open("pipe.x", O_RDWR); });
    CHECK(into_pipe.status == 0);
    CHECK_FALSE(has(into_pipe.messages, note));
    CHECK_FALSE(has(place.run({"export", "--offline", "in.data", "-o", "/dev/null"}).messages, note));
}

TEST_CASE("What a refused ending offers is accepted", "[formats]") {
    const Place place;
    const auto refused = place.run({"export", "--offline", "in.data", "-o", "x.pdf"});
    CHECK(refused.status == 2);
    CHECK(has(refused.messages,
              "x.pdf: perfdata export has no format for .pdf; choose by the ending or with --format: "));
    CHECK(has(refused.messages, "callgrind (callgrind.out.NAME)"));
    CHECK(has(refused.messages, "CSV (--format csv with -o DIRECTORY or --table NAME)"));
    CHECK_FALSE(has(refused.messages, "(.csv)"));
    const auto tables = place.run({"export", "--offline", "in.data", "-o", "x.csv"});
    CHECK(tables.status == 2);
    CHECK(has(tables.messages, "x.csv gets one table, which --table names: samples, "));
    CHECK(has(tables.messages, "--format csv -o DIRECTORY"));
    CHECK(place.run({"export", "--offline", "in.data", "--table", "frames", "-o", "x.csv"}).status == 0);
    CHECK(place.read("x.csv").starts_with("frame_id,"));
    CHECK(place.run({"export", "--offline", "in.data", "--format", "csv", "-o", "tables"}).status == 0);
    CHECK(same(place.read("tables/frames.csv"), place.read("x.csv")));
    // What is a directory, or is named like one.
    for (const std::string name : {"tables", "tables/"}) {
        INFO(name);
        const auto folded = place.run({"export", "--offline", "in.data", "-o", name});
        CHECK(folded.status == 1);
        CHECK(has(folded.messages, "; name a file in it, or add --format csv: its tables get a directory\n"));
        const auto text = place.run({"report", "--offline", "in.data", "-o", name});
        CHECK(text.status == 1);
        CHECK(has(text.messages, "; name a file in it\n"));
    }
    CHECK(has(place.run({"export", "--offline", "in.data", "-o", "nowhere/"}).messages,
              ": No such file or directory; add --format csv, whose tables get a new directory\n"));
    // What another command makes.
    CHECK(has(place.run({"export", "in.data", "-o", "x.profile.pb.gz"}).messages,
              "no format for .profile.pb.gz, which perfdata profile makes; choose by the ending"));
    CHECK(has(place.run({"report", "in.data", "-o", "x.pb.gz"}).messages,
              "no format for .pb.gz, which perfdata export makes; choose by the ending"));
    CHECK(has(place.run({"report", "in.data", "-o", "x.tar.zst"}).messages, "which perfdata collect makes"));
    // A bundle is packed with zstd, and nothing else.
    for (const std::string ending : {".tar", ".tar.gz", ".tgz", ".txz", ".zip"}) {
        INFO(ending);
        const auto ended = place.run({"collect", "--offline", "in.data", "-o", "x" + ending});
        CHECK(ended.status == 2);
        CHECK(has(ended.messages,
                  "x" + ending + ": perfdata collect has no format for ." +
                      (ending == ".tar.gz" ? "gz" : ending.substr(1)) +
                      "; choose by the ending: a bundle (.tar.zst); with --check text (.txt) or JSON (.json)"));
        CHECK(place.read("x" + ending).empty());
    }
}

TEST_CASE("An option counts more than an ending, and says so", "[formats]") {
    const Place place;
    const auto text = place.run({"annotate", "in.data"}).output;
    const auto json = place.run({"annotate", "--json", "in.data"}).output;
    const auto as_json = place.run({"annotate", "--json", "in.data", "-o", "x.html"});
    CHECK(as_json.status == 0);
    CHECK(has(as_json.messages, "note: x.html gets json, as --json says, whatever its ending"));
    CHECK(same(place.read("x.html"), json));
    const auto as_text = place.run({"annotate", "--format", "text", "in.data", "-o", "x.csv"});
    CHECK(as_text.status == 0);
    CHECK(has(as_text.messages, "note: x.csv gets text, as --format says, whatever its ending"));
    CHECK(same(place.read("x.csv"), text));
    CHECK(place.run({"annotate", "--stdio", "in.data", "-o", "x.json"}).status == 0);
    CHECK(same(place.read("x.json"), text));
    CHECK_FALSE(has(place.run({"annotate", "--json", "in.data", "-o", "y.json"}).messages, "whatever"));
    // Contradicting options are refused.
    const std::vector<std::vector<std::string>> contradictions = {
        {"--format", "html", "--json"}, {"--format", "html", "--stdio"}, {"--stdio", "--json"}};
    for (const auto& both : contradictions) {
        CHECK(place.run(with({"annotate", "in.data"}, both)).status == 2);
    }
    CHECK(same(place.run({"annotate", "--format", "json", "--json", "in.data"}).output, json));
}

TEST_CASE("--stdio is what perf's is", "[usage]") {
    const Place place;
    for (const std::string command : {"report", "annotate"}) {
        const auto usual = place.run({command, "in.data"}), stdio = place.run({command, "--stdio", "in.data"});
        CHECK(stdio.status == 0);
        CHECK(same(stdio.output, usual.output));
    }
}

TEST_CASE("help is --help", "[usage]") {
    const Place place;
    const auto all = place.run({"--help"});
    CHECK(all.status == 0);
    for (const std::string word : {"programs, libraries and the kernel", "JIT", "BPF", "report", "annotate", "help"}) {
        CHECK(has(all.output, word));
    }
    CHECK(same(place.run({"help"}).output, all.output));
    CHECK(same(place.run({"-h"}).output, all.output));
    for (const std::string command :
         {"report", "annotate", "script", "info", "dump", "bpf", "symbols", "extract", "help"}) {
        INFO(command);
        const auto help = place.run({command, "--help"});
        CHECK(help.status == 0);
        CHECK(has(help.output, "perfdata " + command));
        CHECK(same(place.run({"help", command}).output, help.output));
        CHECK(has(all.output, command));
    }
    const auto unknown = place.run({"help", "reprot"});
    CHECK(unknown.status == 2);
    CHECK(unknown.output.empty());
    CHECK(has(unknown.messages, "there is no command reprot; did you mean report?"));
    CHECK(place.run({"help", "report", "info"}).status == 2);
}

TEST_CASE("What is not understood is said in words that help", "[usage]") {
    const Place place;
    const auto said = [&](const std::vector<std::string>& arguments, const std::string& words) {
        INFO(in_words(arguments));
        const auto ended = place.run(arguments);
        CHECK(ended.status == 2);
        CHECK(ended.output.empty());
        // Each command below is one of these, or none.
        std::string help;
        for (const std::string command : {"report", "symbols", "extract", "annotate"}) {
            if (std::ranges::count(arguments, command) != 0) help = " " + command;
        }
        CHECK(ended.messages == "perfdata: " + words + "\nperfdata: see perfdata help" + help + "\n");
    };
    const std::string commands =
        "annotate, bpf, info, script, stat, symbols, dump, extract, export, profile, merge, collect, report, batch, "
        "diff, help";
    said({"repotr", "in.data"}, "there is no command repotr; did you mean report?");
    said({"Report"}, "there is no command Report; did you mean report?");
    said({"ann"}, "there is no command ann; did you mean annotate?");
    said({"record", "-a"}, "there is no command record; perf record makes recordings, perfdata reads them");
    said({"evlist"}, "there is no command evlist; what perf evlist shows is in `perfdata info`");
    said({"in.data"}, "there is no command in.data; for the file of that name: perfdata report in.data");
    said({"xyzzy"}, "there is no command xyzzy; there are " + commands);
    said({"a\x1b[2J"}, "there is no command a\\x1b[2J; there are " + commands);
    said({}, "a subcommand is needed: " + commands);
    said({"--json", "report"},
         "there is no option --json before the command: options stand behind it, as in perfdata "
         "report --json");
    said({"report", "--sotr", "comm", "in.data"}, "report has no option --sotr; did you mean --sort?");
    said({"report", "--qqqqqqqqqqqq", "in.data"}, "report has no option --qqqqqqqqqqqq");
    said({"report", "in.data", "in.data"},
         "one argument too many: in.data; the recording is named once, by FILE or -i");
    said({"annotate", "in.data", "in.data"},
         "one argument too many: in.data; the recording is named once, by FILE or -i");
    said({"annotate", "in.data", "memcpy", "-o", "x.html"},
         "one argument too many: memcpy; the recording is named once, by FILE or -i; memcpy is a function? -s memcpy");
    said({"report", "--percent-limit", "nan", "in.data"},
         "--percent-limit: nan is no percentage; give a number from 0 to 100");
    said({"report", "--strict=x"}, "--strict: no value that it can have: x");
    said({"report", "-i"}, "--input: a value is missing behind it");
    said({"report", "-o", "a", "-o", "b"}, "--output: given more than once");
    said({"report", "--children", "--no-children"}, "--children and --no-children cannot be given together");
    said({"symbols", "in.data"}, "symbols needs one of --at,--history");
    said({"symbols", "--at", "1", "--history", "1"}, "symbols needs only one of --at,--history");
    said({"extract", "in.data"}, "extract needs one of -s,--symbol,--program");
}

TEST_CASE("An option that names a directory to read from needs one", "[usage]") {
    const Place place;
    place.write("text", "no directory");
    std::filesystem::create_directory(place.path("folder"));
    std::filesystem::create_symlink("folder", place.path("link"));
    std::filesystem::create_symlink("loop", place.path("loop"));
    for (const std::string option : {"--symfs", "--debug-dir", "--source-dir"}) {
        const auto said = [&](const std::string& name, const std::string& words) {
            INFO(option << ' ' << name);
            const auto ended = place.run({"annotate", option, name, "in.data"});
            CHECK(ended.status == 2);
            CHECK(ended.output.empty());
            CHECK(ended.messages.substr(0, ended.messages.find('\n')) == "perfdata: " + option + ": " + words);
        };
        said("nosuch", "there is no directory nosuch");
        said("text/below", "there is no directory text/below");
        said("text", "text is no directory");
        said("loop", "cannot look at loop: Too many levels of symbolic links");
        said("", "the name of the directory is empty");
        for (const std::string name : {"folder", "link", "./folder/", "."}) {
            INFO(option << ' ' << name);
            CHECK(place.run({"annotate", option, name, "in.data"}).status == 0);
        }
    }
    // Several directories: one is missing.
    CHECK(place.run({"report", "--debug-dir", "folder", "--debug-dir", "nosuch", "in.data"}).status == 2);
    CHECK(place.run({"script", "--symfs", "nosuch", "in.data"}).status == 2);
}

TEST_CASE("perfdata stat takes no word of perf stat", "[usage]") {
    const Place place;
    const auto none = place.run({"stat"});
    CHECK(none.status == 1);
    CHECK(has(none.messages, "`perf stat record -o perf.data -- COMMAND` makes one"));
    const std::string leave_out = "leave out the word report";
    const auto alone = place.run({"stat", "report"});
    CHECK(alone.status == 1);
    CHECK(alone.messages.starts_with("perfdata: report: cannot open: "));
    CHECK(has(alone.messages, leave_out));
    for (const auto& arguments : {std::vector<std::string>{"stat", "report", "-i", "in.data"},
                                  std::vector<std::string>{"stat", "report", "in.data"}}) {
        const auto ended = place.run(arguments);
        CHECK(ended.status == 2);
        CHECK(has(ended.messages, leave_out));
    }
    CHECK(has(place.run({"stat", "record", "--", "true"}).messages, "perf stat record makes recordings"));
    CHECK_FALSE(has(place.run({"stat", "in.data", "in.data"}).messages, leave_out));
}

TEST_CASE("Where a recording comes through a pipe, - is offered", "[usage]") {
    const Place place;
    const auto on_pipe = [] {
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) == 0) ::dup2(ends[0], STDIN_FILENO);
    };
    const std::string words = "or name a recording: FILE, or - for the pipe on standard input";
    for (const auto& command : std::vector<std::vector<std::string>>{{"report"},
                                                                     {"annotate"},
                                                                     {"script"},
                                                                     {"info"},
                                                                     {"dump"},
                                                                     {"bpf"},
                                                                     {"stat"},
                                                                     {"symbols", "--at", "1"},
                                                                     {"extract", "-s", "step"},
                                                                     {"export"},
                                                                     {"profile"},
                                                                     {"collect"}}) {
        INFO(in_words(command));
        const auto piped = place.run(command, on_pipe);
        CHECK(piped.status == 1);
        CHECK(has(piped.messages, "perf.data: cannot open: No such file or directory"));
        CHECK(has(piped.messages, words));
        // /dev/null and a file are no pipes.
        CHECK_FALSE(has(place.run(command).messages, words));
        const auto from_file = place.run(command, [] { ::dup2(::open("in.data", O_RDONLY), STDIN_FILENO); });
        CHECK(from_file.status == 1);
        CHECK_FALSE(has(from_file.messages, words));
        // A name was given.
        CHECK_FALSE(has(place.run(with(command, {"perf.data"}), on_pipe).messages, words));
        CHECK_FALSE(has(place.run(with(command, {"-i", "perf.data"}), on_pipe).messages, words));
    }
}

TEST_CASE("Messages about a file name the file", "[usage]") {
    const Place place;
    place.write("text",
                "This is a text that is no recording, whatever its name says, but long enough for a header. "
                "More of it, to be sure.");
    place.write("empty", "");
    std::filesystem::create_directory(place.path("folder"));
    place.write("cut.data", place.read("in.data").substr(0, 80000));
    for (const std::string command : {"report", "annotate", "script", "info", "dump", "bpf"}) {
        for (const std::string name : {"text", "empty", "folder", "nosuch", "/dev/null"}) {
            INFO(command << ' ' << name);
            const auto ended = place.run({command, name});
            CHECK(ended.status == 1);
            CHECK(ended.messages.starts_with("perfdata: " + name));
        }
        CHECK(
            place.run({command, "-"}).messages.starts_with("perfdata: standard input is not a perf.data recording: "));
        CHECK(has(place.run({command, "cut.data"}).messages, "perfdata: warning: cut.data: "));
        const auto none = place.run({command});
        CHECK(none.status == 1);
        CHECK(has(none.messages, "perf.data: cannot open: No such file or directory"));
        CHECK(has(none.messages, "`perf record -a -g -- sleep 5` makes one"));
    }
}
