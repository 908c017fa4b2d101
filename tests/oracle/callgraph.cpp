// SPDX-License-Identifier: MIT
// Compares the trees of `perfdata report` with those of `perf report --stdio`: every frame and every number, for each
// of perf's forms, orders and values. What differs, and is compared as said:
//
// - Frames without a symbol: perf shows user addresses as they were in the process, we as they are in the object. All
//   are "?" here, the kernel's are compared. Rows of such code are left out (see report.cpp). If processes have an
//   object at different addresses, perf has more such frames: then chains are added up without them, and trees left
//   out.
// - Functions of one name: perf tells them apart by address, we do not. Rows with such in their trees are left out.
// - perf shows a row that only repeats itself as a tree; we do not.
// - `flat`: perf adds to a chain the samples of longer chains that begin with it, so that a row's chains do not add up.
//   Ours do. perf's numbers are those sums of ours.
// - `[...]` in fractal graphs: perf appends "(inlined)", from memory that it does not set.
// - `srcline`: perf joins frames of different functions on one line. Samples are added up by lines.
// - `address`: perf shows only the line, we the offset in the function as well.
// - `--max-stack`: perf keeps the outermost frames if trees begin with them, else the innermost. We keep the latter.
// - `--ignore-callees`: the same; perf then forgets the callers instead.
// - For samples of events without call chains perf takes the chain of a sample before.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>

#include "perfdata/annotate/page/report_page.hpp"
#include "perfdata/annotate/report/report.hpp"

#include "catch.hpp"
#include "fixtures.hpp"
#include "perf.hpp"
#include "perf_trees.hpp"
#include "support/files.hpp"

namespace oracle {
namespace {

using namespace perfdata;

// Recordings whose trees perf shows in another way: those of a group side by side, and see known_children in
// report.cpp.
constexpr std::array<std::string_view, 2> others{"group_chains.data", "pipe.data"};

constexpr std::array<std::string_view, 4> styles{"graph", "fractal", "flat", "folded"};
constexpr std::array<std::string_view, 3> values{"percent", "period", "count"};
constexpr std::array<std::string_view, 3> keys{"function", "address", "srcline"};

// Asked is what a report is asked for.
struct Asked {
    TreeStyle style = TreeStyle::graph;
    bool children = true, caller = true;
    TreeValue value = TreeValue::percent;
    TreeKey key = TreeKey::function;
    double limit = 0;
    unsigned entries = 0, max_stack = 127;
    std::string parent, ignore_callees;

    TreeForm form() const {
        return style == TreeStyle::flat     ? TreeForm::flat
               : style == TreeStyle::folded ? TreeForm::folded
                                            : TreeForm::graph;
    }
    std::string graph() const {
        return fmt::format("{},{},{},{},{},{}", styles.at(static_cast<std::size_t>(style)), limit, entries,
                           caller ? "caller" : "callee", keys.at(static_cast<std::size_t>(key)),
                           values.at(static_cast<std::size_t>(value)));
    }
    // The arguments of perf. Columns are named, for else it hides the first frame where rows are sorted by symbol.
    std::string perf() const {
        auto text =
            fmt::format("report --stdio --no-inline --percent-limit 0 {} -F {}overhead,sym{} -g {} --max-stack {}",
                        children ? "--children" : "--no-children", children ? "overhead_children," : "",
                        parent.empty() ? "" : ",parent", graph(), max_stack);
        if (!parent.empty()) text += fmt::format(" -p '{}'", parent);
        if (!ignore_callees.empty()) text += fmt::format(" --ignore-callees '{}'", ignore_callees);
        return text;
    }
    ReportOptions options() const {
        ReportOptions options;
        options.keys = {ReportKey::symbol};
        options.children = children;
        options.inlines = false;
        options.tree = caller ? ReportTree::caller : ReportTree::callee;
        options.tree_style = style;
        options.tree_value = value;
        options.tree_key = key;
        options.tree_limit = limit;
        options.tree_entries = entries;
        if (!parent.empty()) {
            options.keys.push_back(ReportKey::parent);
            options.parent = NamePattern::parse(parent).value();
        }
        if (!ignore_callees.empty()) options.ignore_callees = NamePattern::parse(ignore_callees).value();
        return options;
    }
};

using Lines = std::vector<std::string>;

// GraphSubject is a recording with names.
class GraphSubject {
  public:
    GraphSubject(const std::filesystem::path& path, const SymbolizerOptions& sources)
        : opened_(path), names_(Symbolizer::open(opened_.recording, opened_.timeline, sources)) {}

    // Returns the text of a report of each event with call chains alone: of few events text has one table.
    std::map<std::string, Trees> report(const Asked& asked) const {
        std::map<std::string, Trees> all;
        const auto options = asked.options();
        for (const auto event : events()) {
            auto counting = count_options(options, names_);
            counting.filter.events = {event};
            counting.max_stack = asked.max_stack;
            const auto counts = SampleCounts::count(opened_.recording, opened_.timeline, counting);
            REQUIRE(counts);
            std::string text;
            write_report_text(Report::make(opened_.recording, *counts, names_, options), {},
                              [&](std::string_view part) { text += part; });
            Lines lines;
            std::istringstream stream(text);
            for (std::string line; std::getline(stream, line);) lines.push_back(line);
            all.merge(read_trees(lines, asked.form()));
        }
        return all;
    }
    // Returns true if processes map any object at different addresses.
    bool moves() const {
        std::map<ObjectIndex, std::uint64_t> bias;
        return std::ranges::any_of(opened_.timeline.tasks().mappings(), [&](const Mapping& mapping) {
            const auto own = mapping.range.begin.value - mapping.file_offset;
            return bias.try_emplace(mapping.object, own).first->second != own;
        });
    }
    // Returns the names that several functions in the call chains have.
    std::set<std::string> twins() const {
        const auto counts =
            SampleCounts::count(opened_.recording, opened_.timeline, count_options(Asked().options(), names_));
        REQUIRE(counts);
        std::set<std::string> names, found;
        std::set<std::pair<std::uint64_t, std::uint64_t>> functions;
        for (const auto& frame : counts->frames()) {
            auto function = names_.function(frame);
            function.mode = CpuMode::unknown;
            const std::string name(names_.name(frame).symbol);
            if (!name.empty() && functions.insert({function.first_word(), function.second_word()}).second &&
                !names.insert(name).second)
                found.insert(name);
        }
        return found;
    }
    std::vector<std::uint32_t> events() const {
        std::vector<std::uint32_t> found;
        const auto& all = opened_.recording.events().events();
        for (std::uint32_t number = 0; number < all.size(); ++number) {
            if (all[number].sample.shape().has(SamplePart::callchain)) found.push_back(number);
        }
        return found;
    }

  private:
    Opened opened_;
    Symbolizer names_;
};

// Renames the frames of an entry: `rename` gets each name.
std::string renamed(const std::string& entry, const std::function<std::string(const std::string&)>& rename) {
    std::string result;
    std::size_t begin = 0;
    // Names of frames have no spaces or semicolons here, but a line may follow: "leaf a.c:12".
    static const std::regex frames("[^;]+");
    const auto plain = [&](const std::string& text) {
        std::string all;
        for (std::sregex_iterator at(text.begin(), text.end(), frames), end; at != end; ++at) {
            all += (all.empty() ? "" : ";") + rename(at->str());
        }
        return all;
    };
    // "ABOVE NUMBER FRAMES" or "NUMBER FRAMES".
    static const std::regex form("^(?:(.*) )?(all|[0-9.]+%?) (.*)$");
    std::smatch parts;
    INFO(entry);
    REQUIRE(std::regex_match(entry.begin() + static_cast<std::ptrdiff_t>(begin), entry.end(), parts, form));
    if (parts[1].matched) result = plain(parts[1]) + " ";
    return result + parts[2].str() + " " + plain(parts[3]);
}

// without_symbol(name) returns true for an address.
bool without_symbol(const std::string& name) {
    return name.starts_with("0x");
}

using Rename = std::function<std::string(const std::string&)>;

// usual(name) is what both call a frame.
std::string usual(const std::string& name) {
    // Addresses of the kernel have sixteen digits that begin so; perf shows no leading zeros.
    const bool kernel = name.size() == 18 && name.starts_with("0xffff");
    if (name == "0" || (without_symbol(name) && !kernel)) return "?";
    return name.starts_with("[...]") ? "[...]" : name;
}

// Rows of code without a symbol are told apart in other ways. Others are "[.] main" or "[.] main PARENT".
bool comparable(const std::string& row) {
    // perf shows an address outside of all mappings as digits alone, and some user addresses as the kernel's.
    static const std::regex address(R"(.*\[unknown\].*|\[[^k]\] (0x)?[0-9a-f]{16}|\[k\] (0x(?!ffff))?[0-9a-f]{16})");
    return !std::regex_match(row, address);
}

// The number and the frames of a chain.
std::pair<std::uint64_t, std::string> chain_of(const std::string& entry) {
    return {std::stoull(entry), entry.substr(entry.find(' ') + 1)};
}

// perf_flat(ours) makes of a row's own numbers those that perf shows: with the longer chains.
std::multiset<std::string> perf_flat(const std::multiset<std::string>& ours) {
    std::map<std::string, std::uint64_t> own;
    for (const auto& entry : ours) {
        const auto [number, chain] = chain_of(entry);
        own[chain] += number;
    }
    std::multiset<std::string> result;
    for (const auto& [chain, number] : own) {
        auto sum = number;
        for (auto at = own.upper_bound(chain); at != own.end() && at->first.starts_with(chain); ++at) {
            if (at->first.starts_with(chain + ";")) sum += at->second;
        }
        result.insert(std::to_string(sum) + " " + chain);
    }
    return result;
}

// usual_trees(...) returns the rows that `takes` takes, with renamed frames. With `flat`, chains get perf's numbers.
Trees usual_trees(const Trees& trees, bool flat, const Rename& rename,
                  const std::function<bool(const std::string&)>& takes) {
    Trees result;
    for (const auto& [row, entries] : trees.rows) {
        if (!takes(row)) continue;
        auto& to = result.rows[row];
        for (const auto& entry : flat ? perf_flat(entries) : entries) to.insert(renamed(entry, rename));
        result.shares[row] = trees.shares.at(row);
    }
    return result;
}

struct Compared {
    std::size_t rows = 0, entries = 0;
};

// known_frames(entries) adds up the chains that differ only in frames without a symbol.
std::map<std::string, std::uint64_t> known_frames(const std::multiset<std::string>& entries) {
    std::map<std::string, std::uint64_t> sums;
    for (const auto& entry : entries) {
        const auto [number, chain] = chain_of(entry);
        std::string known;
        std::istringstream names(chain);
        for (std::string name; std::getline(names, name, ';');) {
            if (name != "?") known += name + ";";
        }
        sums[known] += number;
    }
    return sums;
}

using Takes = std::function<bool(const std::string&)>;

// rows_with(ours, names) returns the rows whose name or tree has one of the names.
std::set<std::string> rows_with(const std::map<std::string, Trees>& ours, const std::set<std::string>& names) {
    std::set<std::string> found;
    for (const auto& [event, trees] : ours) {
        for (const auto& [row, entries] : trees.rows) {
            const auto& tree = entries;
            const auto has = [&](const std::string& name) {
                const auto holds = [&](const std::string& text) { return text.find(name) != std::string::npos; };
                return holds(row) || std::ranges::any_of(tree, holds);
            };
            if (std::ranges::any_of(names, has)) found.insert(row);
        }
    }
    return found;
}

Compared compare(const std::map<std::string, Trees>& perfs, const std::map<std::string, Trees>& ours,
                 const Asked& asked, const Rename& rename, const Takes& takes, bool moves) {
    Compared compared;
    INFO("-g " << asked.graph() << (asked.children ? " --children" : " --no-children"));
    for (const auto& [event, own] : ours) {
        INFO(event);
        // If the recording has no event names, perf invents modifiers ("cpu-clock:HG").
        const auto found = std::ranges::find_if(
            perfs, [&](const auto& one) { return one.first == event || one.first.starts_with(event + ":"); });
        REQUIRE(found != perfs.end());
        const auto theirs = usual_trees(found->second, false, rename, takes);
        const auto mine = usual_trees(own, asked.style == TreeStyle::flat, rename, takes);
        CHECK(theirs.shares == mine.shares);
        for (const auto& [row, entries] : theirs.rows) {
            INFO(row);
            const auto at = mine.rows.find(row);
            if (at == mine.rows.end()) {
                FAIL_CHECK("only perf has this row");
                continue;
            }
            if (moves && asked.style == TreeStyle::folded && asked.value == TreeValue::period && asked.limit == 0) {
                CHECK(known_frames(entries) == known_frames(at->second));
                ++compared.rows;
                continue;
            }
            const auto unknown = [](const std::string& entry) { return entry.find('?') != std::string::npos; };
            if (moves && std::ranges::any_of(at->second, unknown)) continue;
            ++compared.rows;
            compared.entries += entries.size();
            CHECK(entries == at->second);
        }
    }
    return compared;
}

bool has_chains(const std::filesystem::path& path) {
    const Opened opened(path);
    return std::ranges::any_of(opened.recording.events().events(),
                               [](const Event& event) { return event.sample.shape().has(SamplePart::callchain); });
}

// Returns the options to compare on: each form in each order, with values and limits in turns.
std::vector<Asked> all_asked() {
    std::vector<Asked> all;
    std::size_t turn = 0;
    for (const auto style : {TreeStyle::graph, TreeStyle::fractal, TreeStyle::flat, TreeStyle::folded}) {
        for (const bool children : {false, true}) {
            for (const bool caller : {false, true}) {
                for (const double limit : {0.0, 0.5, 4.0}) {
                    Asked asked;
                    asked.style = style;
                    asked.children = children;
                    asked.caller = caller;
                    asked.value = static_cast<TreeValue>((turn + turn / 3) % 3);
                    ++turn;
                    asked.limit = limit;
                    if (style == TreeStyle::flat) {  // compared by adding up
                        asked.limit = 0;
                        asked.value = limit < 1 ? TreeValue::period : TreeValue::count;
                    }
                    all.push_back(asked);
                }
                if (style != TreeStyle::folded) continue;
                all.push_back(all.back());
                all.back().limit = 0;
                all.back().value = TreeValue::period;
            }
        }
    }
    return all;
}

// Made is a recording of tests/oracle/calls, made now; nothing where that is not allowed.
struct Made {
    Made() {
        REQUIRE(std::filesystem::exists(PERFDATA_CALLS_PROGRAM));
        const auto record =
            fmt::format("perf record -q -g -e cpu-clock:u -F 1999 --buildid-all -o '{}' '{}' 60000 > '{}' 2>&1",
                        path.string(), PERFDATA_CALLS_PROGRAM, (folder.path() / "log").string());
        done = std::system(record.c_str()) == 0;
        if (!done) WARN("perf record is not allowed here: nothing compared");
    }

    test::TempDir folder;
    std::filesystem::path path = folder.path() / "calls.data";
    bool done = false;
};

std::vector<std::string> perf_here(const std::string& arguments, const std::filesystem::path& recording) {
    const auto command = fmt::format("LC_ALL=C PERF_CONFIG=/dev/null perf {} -i '{}' 2>/dev/null </dev/null", arguments,
                                     recording.string());
    INFO(command);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    REQUIRE(pipe);
    std::string text;
    std::array<char, 4096> block;
    while (const auto got = std::fread(block.data(), 1, block.size(), pipe.get())) text.append(block.data(), got);
    REQUIRE(!text.empty());
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// The functions of that program. What is outside may have names for one of both only.
bool is_own(const std::string& name) {
    static const std::set<std::string> own{"leaf", "detour", "nested", "pick", "rounds", "main", "[...]"};
    return own.contains(name);
}
// "leaf+0x14 calls.cpp:12" becomes "leaf calls.cpp:12".
std::string own_name(const std::string& frame) {
    const auto name = frame.substr(0, frame.find_first_of("+ "));
    if (!is_own(name)) return "?";
    const auto space = frame.find(' ');
    return name.starts_with('[') || space == std::string::npos ? name : name + frame.substr(space);
}
bool own_row(const std::string& row) {
    const auto name = row.substr(4, row.find(' ', 4) - 4);
    return name != "[...]" && is_own(name);
}

}  // namespace

TEST_CASE("trees of fixtures are perf's", "[oracle][callgraph]") {
    std::size_t recordings = 0;
    SymbolizerOptions sources;
    sources.finder.offline = true;
    sources.jit.as_recorded = false;
    for (const auto& path : perf_fixtures()) {
        const auto name = path.filename().string();
        if (std::ranges::find(others, name) != others.end() || !has_chains(path)) continue;
        INFO(name);
        const GraphSubject subject(path, sources);
        const auto twins = subject.twins();
        Compared sum;
        std::size_t turn = recordings;
        for (const auto& asked : all_asked()) {
            // perf takes long: each recording asks for a third, another one than the recording before, with all limits.
            // The program that was recorded just now, below, asks for all.
            ++turn;
            if ((turn + turn / 3) % 3 != 0) continue;
            const auto perfs = read_trees(perf_output(path, asked.perf()), asked.form());
            const auto ours = subject.report(asked);
            auto whole = asked;
            whole.limit = 0;
            const auto ambiguous = twins.empty() ? twins : rows_with(subject.report(whole), twins);
            const auto takes = [&](const std::string& row) { return comparable(row) && !ambiguous.contains(row); };
            const auto compared = compare(perfs, ours, asked, usual, takes, subject.moves());
            sum.rows += compared.rows;
            sum.entries += compared.entries;
        }
        std::cout << name << ": " << sum.entries << " branches and chains of " << sum.rows << " rows\n";
        ++recordings;
    }
    CHECK(recordings >= 5);  // then all is asked for
}

TEST_CASE("trees of a program that was recorded just now are perf's", "[oracle][callgraph]") {
    const Made made;
    if (!made.done) return;
    const GraphSubject subject(made.path, {});
    const auto check = [&](const Asked& asked) {
        const auto perfs = read_trees(perf_here(asked.perf(), made.path), asked.form());
        const auto compared = compare(perfs, subject.report(asked), asked, own_name, own_row, false);
        CHECK(compared.rows >= (asked.ignore_callees.empty() ? 5 : 2));
        CHECK(compared.entries > 0);
        return compared.entries;
    };
    std::size_t entries = 0;
    for (auto asked : all_asked()) {
        entries += check(asked);
        // Each address is a frame of its own, and shown with its line.
        if (asked.style == TreeStyle::flat || asked.limit != 0) continue;
        asked.key = TreeKey::address;
        entries += check(asked);
    }
    for (const bool children : {false, true}) {
        for (const auto style : {TreeStyle::graph, TreeStyle::folded}) {
            for (const auto order : {false, true}) {
                Asked asked;
                asked.style = style;
                asked.children = children;
                asked.caller = order;
                asked.parent = "^(nested|pick)$";
                entries += check(asked);
                asked.parent = "^main|leaf";
                entries += check(asked);
            }
            Asked asked;
            asked.style = style;
            asked.children = children;
            asked.caller = false;
            asked.ignore_callees = "^(nested|detour)$";
            entries += check(asked);
            asked.ignore_callees.clear();
            for (const unsigned most : {1u, 2u, 3u, 5u}) {
                asked.max_stack = most;
                if (most == 1 && style == TreeStyle::graph) continue;  // no row has a tree
                entries += check(asked);
            }
        }
    }
    std::cout << "just recorded: " << entries << " branches and chains\n";
}

TEST_CASE("trees by source line have perf's samples by chain of lines", "[oracle][callgraph]") {
    const Made made;
    if (!made.done) return;
    const GraphSubject subject(made.path, {});
    for (const bool children : {false, true}) {
        for (const bool caller : {false, true}) {
            Asked asked;
            asked.style = TreeStyle::folded;
            asked.value = TreeValue::period;
            asked.key = TreeKey::line;
            asked.children = children;
            asked.caller = caller;
            INFO(asked.graph());
            const auto by_line = [&](const std::map<std::string, Trees>& trees) {
                std::map<std::string, std::uint64_t> sums;  // by row and lines
                for (const auto& [event, tables] : trees) {
                    for (const auto& [row, entries] : tables.rows) {
                        if (!own_row(row)) continue;
                        for (const auto& entry : entries) {
                            const auto lines = renamed(entry, [](const std::string& frame) {
                                const auto space = frame.find(' ');
                                const auto line = space == std::string::npos ? "?" : frame.substr(space + 1);
                                return line.starts_with("main.cpp:") ? line : "?";
                            });
                            const auto [number, chain] = chain_of(lines);
                            sums[row + ": " + chain] += number;
                        }
                    }
                }
                return sums;
            };
            const auto perfs = by_line(read_trees(perf_here(asked.perf(), made.path), asked.form()));
            CHECK(perfs.size() > 5);
            CHECK(perfs == by_line(subject.report(asked)));
        }
    }
}

}  // namespace oracle
