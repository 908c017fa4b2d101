// SPDX-License-Identifier: MIT
// Invalid option values. Options and their value types come from the help, so new ones are tested as well.
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

struct Option {
    std::string name, takes;  // "--pid", "NUMBERS"
};

// Parses the options with a value from lines like "  -k, --vmlinux FILE     What it does".
std::vector<Option> options_of(const Place& place, const std::string& command) {
    std::istringstream help(place.run({"help", command}).output);
    std::vector<Option> options;
    for (std::string line; std::getline(help, line);) {
        const auto begin = line.find_first_not_of(' ');
        if (begin != 2 || line[begin] != '-') continue;
        Option option;
        auto end = begin;
        for (bool more = true; more; ++end) {
            const auto from = end;
            end = std::min(line.find(' ', from), line.size());
            auto name = line.substr(from, end - from);
            more = name.ends_with(',');
            if (more) name.pop_back();
            if (option.name.empty() && name.starts_with("--")) option.name = name;
        }
        --end;  // the space behind the last name
        // One space separates an option from its type, several precede the description.
        if (end + 1 < line.size() && line[end + 1] != ' ') {
            option.takes = line.substr(end + 1, std::min(line.find(' ', end + 1), line.size()) - end - 1);
        }
        if (!option.takes.empty()) options.push_back(option);
    }
    return options;
}

const std::vector<std::string> all_nonsense = {"", "-1", "1e3", "abc", "99999999999999999999", "1.5", "nan"};

std::vector<std::string> all_but(std::vector<std::string> values, const std::set<std::string>& some) {
    std::erase_if(values, [&](const std::string& value) { return some.contains(value); });
    return values;
}

// nonsense_for(option) returns invalid values for its type; empty for types unknown to this test.
std::vector<std::string> nonsense_for(const Option& option) {
    static const std::map<std::string, std::vector<std::string>> known = {
        {"NUMBER", with(all_nonsense, {" 1", "1 ", "0x10", "+1", "-", "-2", "2147483648", "inf", "--json", "1,2"})},
        {"NUMBERS", with(all_nonsense, {",", "1,", ",1", "1,,2", "1,x", "-2", "2147483648"})},
        {"PERCENT", with(all_but(all_nonsense, {"1.5"}), {"101", "inf", "0x10"})},
        {"SIZE", with(all_nonsense, {"0", "1", "0M", "15M", "1.5G", "M", "16Q", "16 Mx", "2000P",
                                     "18446744073709551615", "18446744073709551616", "17592186044416M"})},
        {"SECONDS", with(all_but(all_nonsense, {"1.5"}), {"1,2", ",", "inf"})},
        {"TIMES",
         with(all_but(all_nonsense, {"1.5"}), {",", "2,1", "1,2,3", "1,2 x", "%", "110%", "10%/11", "20%-10%"})},
        {"ADDRESS", {"", "-1", "99999999999999999999", "1.5", "nan", "0x", "10000000000000000"}},
        {"CPUS", with(all_nonsense, {",", "1,", "3-2", "1-", "65536"})},
        // An empty text means no value, and empty words are passed over, as in perf.
        {"TREES", with(all_but(all_nonsense, {"", "1.5"}), {"101", "graph,-1"})},
        {"KEYS", with(all_nonsense, {",", "comm,", ",comm", "comm,,dso"})},
        {"COLUMNS", with(all_nonsense, {"39", "100001", "80,20", "+80"})},
        {"FIELDS", all_nonsense},
        {"EXPRESSION", {"", "(", ")", "pid", "pid ==", "== 1", "pid = 1", "pid == 1 &&", "pid == 1 2", "!"}},
        {"jited", with(all_nonsense, {"xlated", "jited,"})},
        {"TYPE", all_nonsense},
        {"NAMES", {"", ",", "a,", ",a", "a,,b"}},
        {"NAME", {""}},
        {"STRUCT", {""}},
        {"EVENT", {""}},
        {"EVENT/EVENT", {"", "cycles", "/", "cycles/", "/cycles"}},
        {"FILE", {""}},
        {"DIR", {""}},
        {"DIR|TAR", with(all_nonsense, {"nosuch"})},
        {"PREFIX", {""}},
        {"ID|NAME", {""}},
        {"WORDS", {""}},
        {"REGEX", {"", "(", "a[b"}},
    };
    // -1 is valid: samples without a process.
    const std::set<std::string> nobody = {"-1"};
    if (option.takes.find('|') != std::string::npos && !known.contains(option.takes)) {
        return with(all_nonsense, {",", "AUTO", option.takes});
    }
    // Names of fields of tracepoints, which may be any.
    if (option.name == "--histogram") return {"", ",", "a,", ",a", "a,,b", "1e3", "1.5", "a[", "a[x]", "a[-1]", "a b"};
    const auto values = known.find(option.takes);
    if (values == known.end()) return {};
    return option.name == "--pid" || option.name == "--tid" ? all_but(values->second, nobody) : values->second;
}

// Phrases of CLI11's own messages.
const std::vector<std::string> foreign = {"could not be", "Could not", "converted", "UINT",          "INT",
                                          "FLOAT",        "unit",      "Value ",    "in range",      "not in",
                                          "Validator",    "required",  "excludes",  "does not exist"};

// The tool takes 50 ms to start under sanitizers: some of the values of each option, others for the next option.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERFDATA_SLOW_START
#endif
#endif
#ifdef PERFDATA_SLOW_START
constexpr std::size_t step = 5;
#else
constexpr std::size_t step = 1;
#endif

const std::vector<std::string> commands = {"annotate", "bpf", "dump", "extract", "info", "report", "script", "symbols"};

}  // namespace

TEST_CASE("No option takes what makes no sense", "[values]") {
    const Place place;
    std::set<std::string> tried;
    for (const auto& command : commands) {
        const auto options = options_of(place, command);
        // The options that all commands have.
        for (const std::string name : {"--input", "--output", "--max-memory"}) {
            CHECK(std::ranges::any_of(options, [&](const Option& option) { return option.name == name; }));
        }
        for (const auto& option : options) {
            INFO(command << ' ' << option.name << ' ' << option.takes);
            const auto values = nonsense_for(option);
            CHECK_FALSE(values.empty());
            tried.insert(option.name);
            for (std::size_t at = tried.size() % step; at < values.size(); at += step) {
                const auto& value = values[at];
                std::vector<std::vector<std::string>> ways = {{command, option.name, value, "in.data"}};
                if (value.empty()) ways.push_back({command, option.name + "=", "in.data"});
                for (const auto& way : ways) {
                    // Passing both -i and FILE would be another error.
                    auto arguments = way;
                    if (option.name == "--input") arguments.pop_back();
                    INFO(in_words(arguments));
                    const auto ended = place.run(arguments);
                    const auto line = ended.messages.substr(0, ended.messages.find('\n'));
                    CHECK(ended.status == 2);
                    CHECK(ended.output.empty());
                    INFO(line);
                    const auto begin = "perfdata: " + option.name + ": ";
                    CHECK(line.starts_with(begin));
                    CHECK_FALSE(has(line, ": ;"));
                    const auto said = line.substr(std::min(line.size(), begin.size()));
                    for (const auto& word : foreign) CHECK_FALSE(has(said, word));
                }
            }
        }
        const auto unnamed = place.run({command, ""});
        CHECK(unnamed.status == 2);
        CHECK(unnamed.messages.starts_with("perfdata: FILE: the name of the file is empty\n"));
    }
    // The parser understood the help.
    for (const std::string name : {"--pid", "--max-stack", "--jobs", "--at", "--history", "--symbol", "--kallsyms",
                                   "--kcore", "--title", "--aux", "--program", "--percent-limit", "--color"}) {
        INFO(name);
        CHECK(tried.contains(name));
    }
    CHECK(place.files() == std::vector<std::string>{"in.data"});
}

TEST_CASE("A value that is refused is told with what would be taken", "[values]") {
    const Place place;
    const auto said = [&](const std::vector<std::string>& arguments, const std::string& words) {
        INFO(in_words(arguments));
        const auto ended = place.run(with(arguments, {"in.data"}));
        CHECK(ended.status == 2);
        CHECK(ended.messages.substr(0, ended.messages.find('\n')) == "perfdata: " + words);
    };
    const std::string process = "; expected the number of a process, such as 4711";
    said({"report", "--pid", ""}, "--pid: the number is empty" + process);
    said({"script", "--pid", "1.5"}, "--pid: 1.5 is no whole number" + process);
    said({"symbols", "--pid", "1e3"}, "--pid: 1e3 is no whole number" + process);
    said({"report", "--pid", "99999999999999999999"}, "--pid: 99999999999999999999 is too large" + process);
    said({"report", "--pid", "-99999999999999999999"}, "--pid: -99999999999999999999 is too small" + process);
    said({"report", "--pid", "-2"}, "--pid: -2 is too small" + process);
    said({"script", "--tid", "x"}, "--tid: x is no number; expected the number of a thread, such as 4711");
    said({"report", "--pid", "1,"}, "--pid: there is nothing between two commas, or beside one: 1,");
    said({"report", "--sort", ","}, "--sort: there is nothing beside the comma");
    said({"report", "--max-stack", "0"}, "--max-stack: 0 is too small; expected a number from 1 to 1024 (default 127)");
    said({"annotate", "--max-stack", "1025"},
         "--max-stack: 1025 is too large; expected a number from 1 to 1024 (default 1024)");
    said({"report", "--call-graph=0.5,x"},
         "--call-graph: x: expected graph, fractal, flat, folded or none; caller or callee; function, address or "
         "srcline; "
         "percent, period or count; the least percentage, and how many entries to print: caller,0.5,20");
    said({"report", "--call-graph=101"},
         "--call-graph: 101: the least percentage of a branch is a number from 0 to 100");
    said({"report", "--call-graph=1,2,3"}, "--call-graph: 3: one number too many");
    said({"report", "--call-graph=1,1.5"},
         "--call-graph: 1.5 is no whole number; expected how many entries to print, or 0 for all");
    said({"report", "--call-graph=caller,branch"},
         "--call-graph: branch: branch stacks are not made a part of call chains; `perfdata annotate --calls` shows "
         "what "
         "they tell");
    said({"report", "--no-call-graph", "-G"}, "--inverted and --no-call-graph cannot be given together");
    said({"report", "--parent", "("}, "--parent: no regular expression: Unmatched ( or \\(");
    said({"report", "--parent", ""}, "--parent: the regular expression is empty");
    said({"report", "--ignore-callees", "a[b"},
         "--ignore-callees: no regular expression: Unmatched [, [^, [:, [., or [=");
    said({"report", "-p", "(a)\\1"}, "--parent: back-references are not taken: they take time without bound");
    said({"report", "-x"}, "--exclude-other: say which parents are meant, by --parent REGEX or --sort parent");
    said({"script", "--max-stack", "65536"},
         "--max-stack: 65536 is too large; expected a number from 0 to 65535 (default 127)");
    const std::string size = "; expected a size from 16M to 1P, such as 512M";
    said({"info", "--max-memory", "0"}, "--max-memory: 0 is too little" + size);
    said({"info", "--max-memory", "-1"}, "--max-memory: -1 is too little" + size);
    said({"info", "--max-memory", "16777215"}, "--max-memory: 16777215 is too little" + size);
    said({"info", "--max-memory", "99999999999999999999"}, "--max-memory: 99999999999999999999 is too much" + size);
    said({"info", "--max-memory", "abc"}, "--max-memory: abc is no size" + size);
    said({"annotate", "--at", "abc"}, "--at: not a time: abc; expected seconds: 12.5");
    said({"annotate", "--at", ""}, "--at: the time is empty; expected seconds: 12.5");
    said({"report", "--kind", ""},
         "--kind: no word is given; expected one of kernel, module, bpf, out_of_line, user, "
         "jit, unknown");
    said({"annotate", "--buildid-dir", "nosuch"}, "--buildid-dir: there is no directory and no file nosuch");
}

TEST_CASE("Values at the ends of what is taken are taken", "[values]") {
    const Place place;
    const std::vector<std::vector<std::string>> fine = {{"report", "--pid", "-1"},
                                                        {"report", "--pid=-1,0,2147483647"},
                                                        {"script", "--tid", "-1", "--max-stack", "0"},
                                                        {"script", "--max-stack", "65535"},
                                                        {"report", "--max-stack", "1", "-j", "256"},
                                                        {"report", "--max-stack", "010", "-S", "a,b", "--sort", "pid"},
                                                        {"report", "--percent-limit", "1.5", "--kind", "user,jit"},
                                                        {"report", "-g"},
                                                        {"report", "-g", "calle,fr,0.5,10,ad,coun"},
                                                        {"report", "-g", "none,and,anything,behind,it"},
                                                        {"report", "-g", "fold,,callee", "-G", "--no-children"},
                                                        {"report", "--no-call-graph", "--sort", "parent,sym", "-x"},
                                                        {"report", "-p", "^a|b$", "--ignore-callees", "c+"},
                                                        {"annotate", "--max-stack", "1024"},
                                                        {"annotate", "--at", "6.5", "-d", "[kernel.kallsyms]"},
                                                        {"symbols", "--at", "6.5", "--pid", "-1"},
                                                        {"info", "--max-memory", "1P"},
                                                        {"info", "--max-memory", "1g"},
                                                        {"info", "--max-memory", "512MiB"},
                                                        {"info", "--max-memory", "1073741824"}};
    for (const auto& arguments : fine) {
        INFO(in_words(arguments));
        // The file comes first: -g has an optional value.
        auto all = arguments;
        all.insert(all.begin() + 1, "in.data");
        const auto ended = place.run(all);
        INFO(ended.messages);
        CHECK(ended.status == 0);
    }
}

TEST_CASE("A named file that cannot be read or does not fit fails alike in all commands", "[values]") {
    const Place place;
    std::filesystem::create_directory(place.path("folder"));
    place.write("locked", "0000000000000000 T _text\n");
    std::filesystem::permissions(place.path("locked"), std::filesystem::perms::none);
    place.write("damaged", "This is no list of symbols.\n");
    place.write("moved", "0000000000001000 T _text\n0000000000001000 T _stext\n");
    const std::vector<std::string> all = {"annotate", "report", "script", "symbols", "extract"};
    for (const auto& command : all) {
        std::vector<std::string> asks = {command, "in.data"};
        if (command == "symbols") asks = with(asks, {"--at", "6.5", "--address", "ffffffff81000000"});
        if (command == "extract") asks = with(asks, {"-s", "step"});
        const auto fails = [&](const std::string& option, const std::string& name, const std::string& words) {
            const auto locked = name == "locked";
            const auto arguments = with(asks, {option, name, "-o", locked ? "/dev/stdout" : "written"});
            INFO(in_words(arguments));
            const auto ended = locked ? place.run(arguments, as_nobody) : place.run(arguments);
            INFO(ended.messages);
            CHECK(ended.status == 1);
            CHECK(ended.output.empty());
            CHECK(ended.messages.starts_with("perfdata: " + words));
            CHECK_FALSE(std::filesystem::exists(place.path("written")));
        };
        std::vector<std::string> options = {"--kallsyms", "--vmlinux", "--jitdump", "--perf-map"};
        if (command == "annotate") options.push_back("--kcore");
        for (const auto& option : options) {
            fails(option, "nosuch", option + ": nosuch: cannot open: No such file or directory\n");
            fails(option, "folder", option + ": folder: cannot open: Is a directory\n");
            fails(option, "locked", option + ": locked: cannot open: Permission denied\n");
        }
        if (command == "extract") continue;  // it has no options for kernel names
        fails("--kallsyms", "damaged", "damaged: ");
        fails("--kallsyms", "moved", "moved: it is not from the boot that was recorded: ");
        fails("--vmlinux", "damaged", "damaged: ");
        if (command == "annotate") fails("--kcore", "damaged", "damaged: ");
    }
}
