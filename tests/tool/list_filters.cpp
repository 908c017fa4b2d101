// SPDX-License-Identifier: MIT
// The filters of commands that list loads and mappings keep what a look at the whole list says, and no more.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/text_parts.hpp"
#include "tool/run.hpp"

using namespace perfdata::test;

namespace {

using Words = std::vector<std::string>;

constexpr auto forever = std::numeric_limits<std::uint64_t>::max();

// Returns nanoseconds of "475.468255123"; `null` for null.
std::uint64_t time_of(const Json& time, std::uint64_t null) {
    if (time.is_null()) return null;
    auto digits = std::string(time.text());
    std::erase(digits, '.');
    return std::stoull(digits);
}

std::string seconds(std::uint64_t time) {
    const auto fraction = std::to_string(1'000'000'000 + time % 1'000'000'000).substr(1);
    return std::to_string(time / 1'000'000'000) + "." + fraction;
}

// Life is when something was there: from the first to before the last.
struct Life {
    std::uint64_t from = 0, until = forever;

    static Life of(const Json& item, std::string_view from, std::string_view until) {
        return {time_of(item[from], 0), time_of(item[until], forever)};
    }
    bool overlaps(std::uint64_t first, std::uint64_t last) const { return from <= last && first < until; }
};

Json run(const Place& place, const Words& arguments) {
    INFO(in_words(arguments));
    const auto ended = place.run(arguments);
    INFO(ended.messages);
    REQUIRE(ended.status == 0);
    return Json::parse(ended.output);
}
Json bpf(const Place& place, const std::string& recording, const Words& filter) {
    return run(place, with({"bpf", "--json", fixture(recording)}, filter));
}

// Returns what identifies a load or a piece of code in a list.
std::string identity(const Json& item) {
    const auto text = [](const Json& value) { return value.is_null() ? std::string("-") : std::string(value.text()); };
    if (item.has("program_tag")) {
        return std::to_string(item["program_id"].count()) + " since " + text(item["loaded_at"]);
    }
    if (item.has("symbol")) return text(item["symbol"]) + " at " + text(item["address"]) + " " + text(item["from"]);
    const auto pid = item.has("pid") ? std::to_string(item["pid"].count()) : std::string();
    return text(item["name"]) + " at " + text(item["begin"]) + " " + text(item["from"]) + " " + pid;
}

// Returns the identities of items that `wanted` is true for.
Words those(const Json& items, const std::function<bool(const Json&)>& wanted) {
    Words words;
    for (const auto& item : items.items()) {
        if (wanted(item)) words.push_back(identity(item));
    }
    return words;
}
Words all(const Json& items) {
    return those(items, [](const Json&) { return true; });
}

std::uint64_t dropped(const Json& document, std::string_view option) {
    return document.has("dropped") ? document["dropped"][option].count() : 0;
}

// Recordings with programs that come and go, that stay, and with code that no program claims.
const Words recordings = {"bpf/bpf_turns.data", "bpf/bpf_reuse.data", "bpf/bpf_types.data", "pokes/text_pokes.data"};

}  // namespace

TEST_CASE("bpf lists the programs whose lives overlap --time", "[lists]") {
    const Place place;
    for (const auto& recording : recordings) {
        INFO(recording);
        const auto whole = bpf(place, recording, {});
        CHECK_FALSE(whole.has("dropped"));
        std::set<std::uint64_t> times;
        for (const auto& load : whole["programs"].items()) {
            for (const auto* which : {"loaded_at", "unloaded_at"}) {
                if (!load[which].is_null()) times.insert(time_of(load[which], 0));
            }
        }
        if (times.empty()) times = {1'000'000'000, 5'000'000'000};
        const std::vector<std::uint64_t> moments(times.begin(), times.end());
        const auto& first = moments[moments.size() / 3];
        const auto& last = moments[moments.size() / 2];
        // Both ends of a range belong to it; the end of a life does not.
        for (const auto& [from, until] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
                 {first, first}, {first - 1, first - 1}, {first, last}, {last, forever}, {0, first}}) {
            const auto time = (from == 0 ? "" : seconds(from)) + "," + (until == forever ? "" : seconds(until));
            INFO(time);
            const auto kept = bpf(place, recording, {"--time", time});
            const auto in_time = [&](std::string_view begin, std::string_view end) {
                return [=](const Json& item) { return Life::of(item, begin, end).overlaps(from, until); };
            };
            CHECK(all(kept["programs"]) == those(whole["programs"], in_time("loaded_at", "unloaded_at")));
            CHECK(all(kept["others"]) == those(whole["others"], in_time("from", "until")));
            const auto kept_count = kept["programs"].items().size() + kept["others"].items().size();
            const auto count = whole["programs"].items().size() + whole["others"].items().size();
            CHECK(kept_count + dropped(kept, "time") == count);
        }
    }
}

TEST_CASE("bpf lists functions by -S and --dso as report knows them", "[lists]") {
    const Place place;
    for (const auto& recording : recordings) {
        INFO(recording);
        const auto whole = bpf(place, recording, {});
        std::size_t tried = 0;
        for (const auto& load : whole["programs"].items()) {
            if (load["functions"].items().empty() || ++tried > 3) continue;
            const auto& last = load["functions"].items().back();
            for (const auto* which : {"name", "symbol"}) {
                const auto name = std::string(last[which].text());
                INFO(which << ' ' << name);
                const auto is_it = [&](const Json& function) {
                    return function["name"].text() == name || function["symbol"].text() == name;
                };
                const auto has_it = [&](const Json& one) {
                    return std::ranges::any_of(one["functions"].items(), is_it);
                };
                const auto kept = bpf(place, recording, {"-S", name});
                CHECK(all(kept["programs"]) == those(whole["programs"], has_it));
                CHECK(all(kept["others"]) == those(whole["others"], is_it));
                for (const auto& one : kept["programs"].items()) {
                    CHECK(std::ranges::all_of(one["functions"].items(), is_it));
                    const auto left_out = one.has("functions_left_out") ? one["functions_left_out"].count() : 0;
                    const auto of_whole = std::ranges::find_if(
                        whole["programs"].items(), [&](const Json& other) { return identity(other) == identity(one); });
                    CHECK(one["functions"].items().size() + left_out == (*of_whole)["functions"].items().size());
                }
            }
            const auto id = load["program_id"].count();
            const auto has_id = [&](const Json& one) { return one["program_id"].count() == id; };
            const auto kept = bpf(place, recording, {"--dso", "[bpf:" + std::to_string(id) + "]"});
            CHECK(all(kept["programs"]) == those(whole["programs"], has_id));
            CHECK(kept["others"].items().empty());
            for (const auto& one : kept["programs"].items()) CHECK_FALSE(one.has("functions_left_out"));
        }
        CHECK(tried != 0);
        // All of it is of this kind.
        const auto of_kind = bpf(place, recording, {"--kind", "bpf,user"});
        CHECK(all(of_kind["programs"]) == all(whole["programs"]));
        CHECK_FALSE(of_kind.has("dropped"));
    }
    const auto listed = place.run({"bpf", "-S", "delta_spin", "--time", "25,26", fixture("bpf/bpf_turns.data")});
    CHECK(listed.status == 0);
    CHECK(listed.output.starts_with("Filters keep 1 of 26 entries: --time drops "));
    CHECK(has(listed.output, "\n40  delta_main  "));
    CHECK(has(listed.output, "  (1 of its functions left out)\n"));
    CHECK_FALSE(has(listed.output, "int delta_main("));
}

TEST_CASE("symbols keeps the entries of a history that a filter means", "[lists]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_turns.data");
    const auto history = [&](const std::string& address, const Words& filter) {
        return run(place, with({"symbols", "--json", "--offline", "--history", address, recording}, filter));
    };
    const std::string address = "ffffffffc038b714";
    const auto whole = history(address, {});
    REQUIRE(whole["entries"].items().size() > 3);
    for (const auto& entry : whole["entries"].items()) {
        const auto life = Life::of(entry, "from", "until");
        INFO(identity(entry));
        const auto kept = history(address, {"--time", seconds(life.from) + "," + seconds(life.from + 1)});
        CHECK(all(kept["entries"]) == those(whole["entries"], [&](const Json& other) {
                  return Life::of(other, "from", "until").overlaps(life.from, life.from + 1);
              }));
        CHECK(kept["entries"].items().size() + dropped(kept, "time") == whole["entries"].items().size());
        const auto name = std::string(entry["name"].text());
        const auto is_it = [&](const Json& other) { return other["name"].text() == name; };
        CHECK(all(history(address, {"-S", name})["entries"]) == those(whole["entries"], is_it));
        CHECK(all(history(address, {"--dso", name})["entries"]) == those(whole["entries"], is_it));
    }
    // Memory of a process is called as in report, which cannot know who compiled into it.
    const auto memory = run(place, {"symbols", "--json", "--history", "7f484ca8a005", "--dso", "[JIT] tid 32346",
                                    fixture("jit/tinyjit.data")});
    REQUIRE(memory["entries"].items().size() == 1);
    CHECK(memory["entries"].items().front()["kind"].text() == "anonymous memory");
    // A process has its own mappings and the kernel's.
    const std::string code = "401000";
    const auto mappings = history(code, {});
    std::set<std::uint64_t> pids;
    for (const auto& entry : mappings["entries"].items()) pids.insert(entry["pid"].count());
    REQUIRE(pids.size() > 1);
    for (const auto pid : pids) {
        const auto kept = history(code, {"--pid", std::to_string(pid)});
        CHECK(all(kept["entries"]) ==
              those(mappings["entries"], [&](const Json& entry) { return entry["pid"].count() == pid; }));
        CHECK(kept["entries"].items().size() + dropped(kept, "pid") == mappings["entries"].items().size());
        CHECK(all(history(address, {"--pid", std::to_string(pid)})["entries"]) == all(whole["entries"]));
    }
}

TEST_CASE("symbols keeps what a filter means of all that was there at a time", "[lists]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_turns.data");
    const auto at = [&](const Words& filter) {
        return run(place, with({"symbols", "--json", "--at", "23.2", recording}, filter));
    };
    const auto kernel = at({});
    const auto whole = at({"--pid", "1"});
    // Several processes are those of each.
    const auto mapped = [](const Json& document) {
        return those(document["entries"], [](const Json& entry) { return entry.has("pid"); });
    };
    auto both = mapped(at({"--pid", "1,2"}));
    auto each = with(mapped(whole), mapped(at({"--pid", "2"})));
    std::ranges::sort(both);
    std::ranges::sort(each);
    CHECK(both == each);
    CHECK(mapped(kernel).empty());
    CHECK_FALSE(whole.has("dropped"));
    const auto kinds = [](const Words& words) {
        return [words](const Json& entry) {
            return std::ranges::find(words, std::string(entry["kind"].text())) != words.end();
        };
    };
    const std::vector<std::pair<std::string, Words>> cases = {{"kernel", {"kernel", "module"}},
                                                              {"module", {"module"}},
                                                              {"bpf", {"bpf"}},
                                                              {"user", {"file", "vdso"}},
                                                              {"bpf,user,jit", {"bpf", "file", "vdso"}}};
    for (const auto& [kind, words] : cases) {
        INFO(kind);
        const auto kept = at({"--pid", "1", "--kind", kind});
        CHECK(all(kept["entries"]) == those(whole["entries"], kinds(words)));
        CHECK_FALSE(kept["entries"].items().empty());
        CHECK(kept["entries"].items().size() + dropped(kept, "kind") == whole["entries"].items().size());
    }
    for (const auto& [object, name] : std::vector<std::pair<std::string, std::string>>{
             {"busybox", "/bin/busybox"},
             {"/bin/busybox", "/bin/busybox"},
             {"[kernel.kallsyms]", "[kernel.kallsyms]_text"},
             {"[virtio_ring]", "[virtio_ring]"},
             {"[bpf:26]", "bpf_prog_f9c29167a76b560f_alpha_main"},
             {"bpf_prog_f9c29167a76b560f_alpha_main", "bpf_prog_f9c29167a76b560f_alpha_main"}}) {
        INFO(object);
        const auto kept = at({"--pid", "1", "--dso", object});
        CHECK(std::ranges::any_of(kept["entries"].items(), [&](const Json& e) { return e["name"].text() == name; }));
        for (const auto& entry : kept["entries"].items()) {
            const bool of_program = object == "[bpf:26]" && entry["program_id"].count() == 26;
            CHECK((of_program || entry["name"].text() == name));
        }
    }
    // Mappings hold any number of functions: a name of one is not theirs.
    const auto named = at({"--pid", "1", "-S", "alpha_spin"});
    REQUIRE(named["entries"].items().size() == 1);
    CHECK(named["entries"].items().front()["program_id"].count() == 26);
}

TEST_CASE("extract takes the code that the filters leave", "[lists]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_turns.data");
    const auto raw = [&](const Words& arguments) {
        INFO(in_words(arguments));
        const auto ended = place.run(with({"extract", "--format", "raw", "-o", "code"}, arguments));
        INFO(ended.messages);
        CHECK(ended.status == 0);
        return place.read("code");
    };
    const auto of_forty = raw({"-s", "delta_spin", "--program", "40", recording});
    REQUIRE_FALSE(of_forty.empty());
    const auto spin = raw({"-s", "delta_spin", "--time", "25.2,25.3", recording});
    CHECK((spin == of_forty));
    const auto by_object = raw({"-s", "delta_spin", "--dso", "[bpf:40]", "--kind", "bpf", recording});
    CHECK((by_object == of_forty));
    const auto by_name = raw({"--program", "40", "-S", "delta_spin", recording});
    CHECK((by_name == of_forty));
    CHECK(raw({"--program", "40", recording}).size() > of_forty.size());
    const auto told = place.run({"extract", "-s", "delta_spin", "--time", "25.2,25.3", "-o", "code", recording});
    CHECK(has(told.messages, "note: filters keep 1 of 3 pieces of code: --time drops 2"));
    const auto part = place.run({"extract", "--program", "40", "-S", "delta_spin", "-o", "code", recording});
    CHECK(has(part.messages, "note: filters keep 1 of 2 functions: --symbols drops 1"));

    const Words jit = {"--jitdump", fixture("jit/jit-32346.dump"), fixture("jit/tinyjit.data")};
    const auto before = raw(with({"-s", "jit_mover", "--time", ",3528.35"}, jit));
    const auto after = raw(with({"-s", "jit_mover", "--time", "3528.5,"}, jit));
    const auto at_first = raw(with({"-s", "jit_mover", "--at", "3528.33"}, jit));
    const auto at_last = raw(with({"-s", "jit_mover", "--at", "3528.5"}, jit));
    CHECK((before == at_first && after == at_last));
    const Words own = {"--pid", "1,32346", "--kind", "jit", "--dso", "jit-32346.dump", "-S", "jit_gen2"};
    const auto gen = raw(with({"-s", "jit_gen2"}, with(own, jit)));
    const auto same_gen = raw(with({"-s", "jit_gen2"}, jit));
    CHECK((gen == same_gen));
    const auto other = place.run(with({"extract", "-s", "jit_gen2", "--pid", "1", "-o", "none"}, jit));
    CHECK(other.status == 1);
    CHECK(has(other.messages, "jit_gen2: filters keep 0 of 1 pieces of code: --pid drops 1; there are:"));
    CHECK(place.files() == Words{"code", "in.data"});
}

TEST_CASE("A list that filters empty says so", "[lists]") {
    const Place place;
    const auto recording = fixture("bpf/bpf_turns.data");
    const std::vector<Words> commands = {{"bpf"}, {"symbols", "--history", "ffffffffc038b714"}};
    for (const auto& command : commands) {
        for (const Words& filter : {Words{"--time", "1,2"}, {"--dso", "nosuch.so"}, {"-S", "nosuch"}}) {
            const auto arguments = with(command, with(filter, {recording}));
            INFO(in_words(arguments));
            const auto ended = place.run(arguments);
            CHECK(ended.status == 0);
            CHECK(ended.output.starts_with("Filters keep 0 of "));
            CHECK(has(ended.output, " entries: --"));
            const auto json = run(place, with(arguments, {"--json"}));
            CHECK(json[command.front() == "bpf" ? "programs" : "entries"].items().empty());
            CHECK(json.has("dropped"));
        }
    }
    const auto near = place.run({"bpf", "-S", "delta_spni", "--dso", "[bpf:400]", recording});
    CHECK(has(near.messages, "note: --dso: no object called [bpf:400] in this recording; did you mean "));
    CHECK(has(near.messages, "called delta_spni in this recording; did you mean delta_spin"));
    CHECK(place.run({"bpf", "-q", "-S", "delta_spni", recording}).messages.empty());
    const auto without = place.run({"symbols", "--at", "23.2", "--dso", "busybox", recording});
    CHECK(without.status == 0);
    CHECK(has(without.messages, "note: mappings of a process are listed with --pid"));
    // What was asked for by name cannot be written then.
    const auto extract = place.run({"extract", "-s", "delta_spin", "--time", "1,2", "-o", "none", recording});
    CHECK(extract.status == 1);
    CHECK(has(extract.messages, "delta_spin: filters keep 0 of 3 pieces of code: --time drops 3; there are:"));
    CHECK(place.files() == Words{"in.data"});
}

TEST_CASE("What means nothing to a command is refused with the reason", "[lists]") {
    const Place place;
    const auto refused = [&](const Words& arguments, const std::string& reason) {
        INFO(in_words(arguments));
        const auto ended = place.run(with(arguments, {"in.data"}));
        CHECK(ended.status == 2);
        CHECK(ended.output.empty());
        CHECK(ended.messages.substr(0, ended.messages.find('\n')) == "perfdata: " + reason);
    };
    const Words at = {"symbols", "--at", "6.5"}, step = {"extract", "-s", "step"};
    for (const auto& command : {Words{"bpf"}, at, step}) {
        for (const Words& option : {Words{"--cgroup", "/"},
                                    {"--comm", "load"},
                                    {"--tid", "3"},
                                    {"-C", "0"},
                                    {"--cpu", "0"},
                                    {"-e", "cycles"},
                                    {"--event", "cycles"}}) {
            refused(with(command, option), command.front() + " has no option " + option.front() +
                                               "; that chooses among samples, and what is listed has none: --time, "
                                               "--dso, -S and --kind choose here");
        }
    }
    for (const Words& option :
         {Words{"--comm", "load"}, {"--tid", "3"}, {"-C", "0"}, {"--kind", "bpf"}, {"--dso", "x"}, {"-S", "x"}}) {
        refused(with({"dump"}, option), "dump has no option " + option.front() +
                                            "; --type, -e and --time choose among records; `perfdata script` chooses "
                                            "among samples by all filters");
        refused(with({"info"}, option), "info has no option " + option.front() +
                                            "; the header is of the whole recording; `perfdata report` and `perfdata "
                                            "script` choose among samples");
    }
    refused({"info", "--time", "1,2"},
            "info has no option --time; the header is of the whole recording; `perfdata report` and `perfdata script` "
            "choose among samples");
    refused({"annotate", "-c", "load"}, "annotate has no option -c; --comm chooses threads by name");
    const std::vector<std::pair<Words, std::string>> elsewhere = {
        {{"annotate", "-G"}, "`perfdata annotate --calls` says who calls whom"},
        {{"info", "-G"}, "`perfdata report` and `perfdata script` show call chains"},
        {{"annotate", "-F"}, "`perfdata report -F` and `perfdata script -F` choose what is shown"},
        {{"script", "-T"}, "`perfdata report --sort tid` tells threads apart"},
        {{"script", "-w"}, "lines are cut only in `perfdata report`, `annotate` and `diff`"},
        {{"bpf", "--no-pager"}, "only `perfdata report`, `annotate` and `diff` start a pager"},
        {{"dump", "--no-demangle"}, "no names from ELF files are shown here"},
        {{"report", "-l"}, "`perfdata annotate` shows lines of source"},
        {{"info", "--header"}, "the header is what info shows"}};
    for (const auto& [command, reason] : elsewhere) {
        refused(command, command.front() + " has no option " + command.back() + "; " + reason);
    }
    refused({"script", "-d", "x"}, "script has no option -d; --dso chooses objects by name");
    for (const auto& command : {Words{"bpf"}, at, step, {"script"}, {"dump"}, {"info"}}) {
        for (const auto* option : {"--percent-limit", "--percentage"}) {
            refused(with(command, {option, "3"}),
                    command.front() + " has no option " + option +
                        "; percentages choose among rows, which report and annotate have");
        }
    }
    refused({"bpf", "--pid", "1"},
            "bpf has no option --pid; BPF programs belong to no process; `perfdata symbols --at SECONDS --pid NUMBER` "
            "shows what is in one");
    refused({"bpf", "--kind", "jit,user"}, "--kind: perfdata bpf is about code of kind bpf, and none of jit, user");
    refused(with(step, {"--kind", "kernel"}),
            "--kind: perfdata extract is about code of kind bpf, jit, and none of kernel");
    refused({"extract", "--program", "5", "--kind", "jit"},
            "--kind: perfdata extract --program is about code of kind bpf, and none of jit");
    refused({"extract", "--program", "5", "--pid", "1"},
            "--pid: BPF programs belong to no process, and --program asks for them alone");
    refused(with(step, {"--kind", "bpf", "--pid", "1"}),
            "--pid: BPF programs belong to no process, and --kind asks for them alone");
    refused(with(at, {"--kind", "jit"}),
            "--kind: perfdata symbols is about code of kind kernel, module, bpf, out_of_line, user, and none "
            "of jit");
    refused(with(at, {"--time", "6,7"}),
            "--time: --at asks for one moment already; --time chooses among what --history lists");
    refused(with(at, {"--address", "401000", "--pid", "1,2"}),
            "--pid: an address has one name in each process; give one of them with --address");
}
