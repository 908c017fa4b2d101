// SPDX-License-Identifier: MIT
#include "annotate_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

#include "perfdata/annotate/format/dropped_samples.hpp"
#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "annotate_absent.hpp"
#include "format/words.hpp"
#include "report/unnamed_samples.hpp"
#include "tool/options/near_names.hpp"

namespace perfdata::tool {
namespace {

// Called is the names that a user may use for a function.
struct Called {
    FunctionName name;
    std::string symbol, object;
    CodeClass kind = CodeClass::unknown;
};

class Chooser {
  public:
    Chooser(const FunctionChoice& choice, const Counted& counted)
        : choice_(choice),
          counted_(counted),
          recording_(counted.recording),
          profile_(counted.profile),
          symbolizer_(counted.symbolizer),
          timeline_(counted.symbolizer.timeline()),
          asked_(choice.symbols.size()) {}

    Result<ChosenFunctions> choose() && {
        for (const auto& [miss, cells] : profile_.misses()) {
            chosen_.unattributed.push_back({std::string(to_string(miss)), cells});
        }
        for (const auto& [why, cells] : profile_.unnamed()) {
            chosen_.unattributed.push_back(
                {std::string(why.reason), cells, std::string(why.remedy), objects_without_names(why)});
        }
        for (const auto& function : profile_.functions()) take(function);
        leave_out("functions of other times than --at", other_times_);
        leave_out("functions that --symbol leaves out", other_symbols_);
        if (!counted_.relative) leave_out_dropped();
        if (!all_listed()) add_without_samples();
        if (!all_listed()) {
            if (auto asked = ask_without_filter(); !asked) return fail(asked.error());
        }
        if (!all_listed()) {
            if (auto told = tell_absent(); !told) return fail(told.error());
        }
        if (choice_.versions) show_versions();
        return std::move(chosen_);
    }

    bool all_sampled() && {
        for (const auto& function : profile_.functions()) take(function);
        return all_listed();
    }

  private:
    std::vector<std::string> objects_without_names(const Unnamed& why) const {
        constexpr std::size_t most = 3;
        std::vector<std::string> names;
        const auto found = profile_.unnamed_objects().find(why);
        if (found == profile_.unnamed_objects().end()) return names;
        for (const auto& object : found->second) {
            auto name = object_label(object.object, object.kind);
            // Different paths may have the same last part.
            if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
            if (names.size() == most) break;
        }
        return names;
    }

    Called called(const Frame& function) const {
        Called called;
        if (function.is_code()) {
            const auto& code = timeline_.code()[function.index];
            called.name = symbolizer_.bpf().name(function.index);
            called.symbol = code.symbol;
            called.object = object_name(timeline_, code);
            called.kind = code_class(code.kind);
            return called;
        }
        const auto name = symbolizer_.name(function);
        called.name.name = called.symbol = name.symbol;
        called.object = name.object;
        called.kind = name.kind;
        return called;
    }

    // Asked is the state of one requested name.
    struct Asked {
        bool listed = false;
        std::set<std::string_view> left_out_by;  // options that exclude functions of that name
        std::uint64_t left_out = 0;              // samples that they exclude
    };

    void take(const FunctionHits& function) {
        const auto called = this->called(function.version.function);
        const auto names = names_of(function.version.function, called);
        const auto options = left_out_by(function.version);
        for (const auto name : names) {
            auto& asked = asked_[name];
            asked.listed = asked.listed || options.empty();
            asked.left_out_by.insert(options.begin(), options.end());
            if (!options.empty()) asked.left_out = add_up_to_most(asked.left_out, hits(function.total));
        }
        if (!options.empty()) return add(other_times_, function.total);
        if (choice_.symbols.empty() || !names.empty()) {
            chosen_.functions.push_back(function);
            return;
        }
        add(other_symbols_, function.total);
        constexpr std::size_t shown = 8;
        const auto& name = called.name.name;
        const bool hot = hottest_.size() < shown && hits(function.total) != 0;
        if (hot && std::ranges::find(hottest_, name) == hottest_.end()) hottest_.emplace_back(name);
    }

    // Returns the options that exclude a function, whatever its name.
    std::vector<std::string_view> left_out_by(const CodeVersion& version) const {
        if (choice_.at && (version.from > *choice_.at || version.until <= *choice_.at)) return {"--at"};
        return {};
    }

    // What the filter drops counts for percentages: it stands beside the functions.
    void leave_out_dropped() {
        for (const auto& one : dropped_samples(profile_.dropped())) {
            if (one.part == FilterPart::time || one.part == FilterPart::cpu) continue;
            auto cells = profile_.dropped().of(one.part);
            leave_out(fmt::format("samples that {} drops", option_of(one.part)), cells);
        }
    }

    // Looks for what was asked for among all samples: the filter may have dropped those of a function.
    Result<void> ask_without_filter() {
        if (dropped_samples(profile_.dropped()).empty()) return {};
        const auto all = counted_.without_filter();
        if (!all) return fail(all.error());
        for (const auto& function : all->functions()) {
            const auto& frame = function.version.function;
            for (const auto name : names_of(frame, called(frame))) {
                auto& asked = asked_[name];
                if (asked.listed) continue;
                asked.left_out = add_up_to_most(asked.left_out, hits(function.total));
                for (const auto part : dropping(frame)) asked.left_out_by.insert(option_of(part));
            }
        }
        return {};
    }

    // Returns the parts of the filter that drop all code of a function.
    std::vector<FilterPart> code_dropping(const Frame& function) const {
        const auto name = symbolizer_.name(function);
        const auto& code = counted_.filter.code;
        std::vector<FilterPart> parts;
        if (!code.takes_kind(name.kind)) parts.push_back(FilterPart::kind);
        if (!code.takes_object(name.object, name.kind)) parts.push_back(FilterPart::object);
        if (!code.takes_symbol(name.symbol, function.offset)) parts.push_back(FilterPart::symbol);
        return parts;
    }
    // Returns the parts that drop its samples. Which of those that look at tasks did, nobody counted.
    std::vector<FilterPart> dropping(const Frame& function) const {
        auto parts = code_dropping(function);
        if (!parts.empty()) return parts;
        for (const auto& one : dropped_samples(profile_.dropped())) {
            if (one.part < FilterPart::kind) parts.push_back(one.part);
        }
        return parts;
    }

    void leave_out(std::string_view reason, EventCounts& cells) {
        if (hits(cells) != 0) chosen_.unattributed.push_back({std::string(reason), std::move(cells)});
    }

    // names_of(...) returns the indices of the requested names that match the function.
    std::vector<std::size_t> names_of(const Frame& function, const Called& called) const {
        std::vector<std::size_t> names;
        for (std::size_t name = 0; name < choice_.symbols.size(); ++name) {
            const auto& wanted = choice_.symbols[name];
            if (wanted == called.name.name || wanted == called.symbol || is_subprogram(wanted, function, called)) {
                names.push_back(name);
            }
        }
        return names;
    }

    bool all_listed() const { return std::ranges::all_of(asked_, &Asked::listed); }

    // PROGRAM/SUBPROGRAM: the program by name or id, the subprogram by name or number.
    bool is_subprogram(std::string_view wanted, const Frame& function, const Called& called) const {
        const auto slash = wanted.find('/');
        if (slash == std::string_view::npos || !function.is_code()) return false;
        const auto& code = timeline_.code()[function.index];
        if (!code.load) return false;
        const auto is_number = [](std::string_view text, std::uint32_t number) {
            return text == std::to_string(number);
        };
        const auto program = wanted.substr(0, slash);
        const auto subprogram = wanted.substr(slash + 1);
        return (program == called.name.program || is_number(program, timeline_.loads()[*code.load].id.value)) &&
               (subprogram == called.name.name || is_number(subprogram, code.subprogram));
    }

    void add_without_samples() {
        std::vector<bool> listed;
        for (const auto& asked : asked_) listed.push_back(asked.listed);
        const auto add_function = [&](const Frame& function) {
            const auto names = names_of(function, called(function));
            if (std::ranges::all_of(names, [&](std::size_t name) { return listed[name]; })) return;
            if (const auto parts = code_dropping(function); !parts.empty()) {
                for (const auto name : names) {
                    for (const auto part : parts) asked_[name].left_out_by.insert(option_of(part));
                }
                return;
            }
            FunctionHits nothing{
                symbolizer_.versions().version(function, 0), EventCounts(profile_.totals().size()), {}};
            take(nothing);
        };
        for (CodeIndex index = 0; index < timeline_.code().size(); ++index) {
            add_function(Frame::in_code(index, 0));
        }
        for (const auto& function : symbolizer_.versions().functions()) {
            if (!function.is_code()) add_function(function);
        }
    }

    // Shows functions with several versions, hottest first, each with all its versions in order of time.
    void show_versions() {
        using Key = std::tuple<FrameKind, std::uint32_t, std::uint64_t>;
        const auto key = [](const Frame& frame) { return Key{frame.kind, frame.index, frame.offset}; };
        std::map<std::pair<Key, std::uint32_t>, FunctionHits> counted;
        std::vector<Frame> order;
        std::set<Key> known;
        const auto add_function = [&](const Frame& frame) {
            if (known.insert(key(frame)).second) order.push_back(frame);
        };
        for (const auto& function : chosen_.functions) {
            const auto& version = function.version;
            counted[{key(version.function), version.number}] = function;
            add_function(version.function);
        }
        if (choice_.symbols.empty()) {
            for (const auto& function : symbolizer_.versions().functions()) add_function(function);
        }
        std::vector<FunctionHits> all;
        for (const auto& function : order) {
            const auto versions = symbolizer_.versions().versions(function);
            if (versions.size() < 2) continue;
            for (const auto& version : versions) {
                const auto found = counted.find({key(function), version.number});
                all.push_back(found != counted.end()
                                  ? found->second
                                  : FunctionHits{version, EventCounts(profile_.totals().size()), {}});
            }
        }
        chosen_.functions = std::move(all);
    }

    // known_names() returns all names that --symbol accepts.
    std::vector<std::string> known_names() const {
        std::set<std::string> known;
        const auto add = [&](const Frame& function) {
            const auto called = this->called(function);
            known.emplace(called.name.name);
            known.emplace(called.symbol);
            if (!called.name.program.empty()) {
                known.insert(std::string(called.name.program) + "/" + std::string(called.name.name));
            }
        };
        for (const auto& function : profile_.functions()) add(function.version.function);
        for (CodeIndex index = 0; index < timeline_.code().size(); ++index) {
            add(Frame::in_code(index, 0));
        }
        known.erase(std::string());
        return {known.begin(), known.end()};
    }

    // left_out_text(wanted, asked) returns a clause about what other options exclude; empty: nothing.
    static std::string left_out_text(const std::string& wanted, const Asked& asked) {
        if (asked.left_out_by.empty()) return {};
        const auto options = fmt::format("{}", fmt::join(asked.left_out_by, " and "));
        const auto* leave = asked.left_out_by.size() == 1 ? "leaves" : "leave";
        if (asked.left_out == 0) return fmt::format("{} has no samples, and {} {} it out", wanted, options, leave);
        return fmt::format("{} has {} sample{}, but {} {} it out", wanted, asked.left_out,
                           asked.left_out == 1 ? "" : "s", options, leave);
    }

    // tell_absent() notes why each unlisted name is absent. It fails if no function is listed.
    Result<void> tell_absent() {
        std::vector<std::string> wanted;
        std::vector<std::size_t> number(asked_.size());  // in `wanted`
        for (std::size_t name = 0; name < asked_.size(); ++name) {
            if (asked_[name].listed || !asked_[name].left_out_by.empty()) continue;
            number[name] = wanted.size();
            wanted.push_back(choice_.symbols[name]);
        }
        Absent absent;
        if (!wanted.empty()) {
            const auto among = [&](const Frame& function) {
                std::vector<std::size_t> names;
                for (const auto name : names_of(function, called(function))) {
                    if (!asked_[name].listed && asked_[name].left_out_by.empty()) names.push_back(number[name]);
                }
                return names;
            };
            auto found = why_absent(wanted, among, recording_, symbolizer_, profile_, chosen_.functions.empty());
            if (!found) return fail(found.error());
            absent = std::move(*found);
        }
        std::vector<std::string> reasons, unknown;
        bool settled = true, left_out = false;
        for (std::size_t name = 0; name < asked_.size(); ++name) {
            if (asked_[name].listed) continue;
            auto why = left_out_text(choice_.symbols[name], asked_[name]);
            left_out = left_out || !why.empty();
            if (why.empty()) {
                settled = settled && absent.why[number[name]].settled;
                why = std::move(absent.why[number[name]].text);
            }
            auto& list = why.empty() ? unknown : reasons;
            if (why.empty()) why = choice_.symbols[name];
            if (std::ranges::find(list, why) == list.end()) list.push_back(std::move(why));
        }
        if (chosen_.functions.empty()) {
            const auto hints = !settled ? Hints::all : left_out ? Hints::none : Hints::hottest;
            return fail(nothing_found(reasons, unknown, hints, absent.unnamed_callers));
        }
        for (auto& reason : reasons) chosen_.absent.push_back("--symbol: " + std::move(reason));
        if (unknown.empty()) return {};
        // Limit the search: it is slow, and a longer list adds nothing.
        constexpr std::size_t most = 10;
        const auto names = known_names();
        for (std::size_t at = 0; at < unknown.size() && at < most; ++at) {
            chosen_.absent.push_back("--symbol: " + offer("function", unknown[at], names));
        }
        if (unknown.size() > most) {
            chosen_.absent.push_back(
                fmt::format("--symbol: and {} more that this recording does not have", unknown.size() - most));
        }
        if (!absent.unnamed_callers.empty()) chosen_.absent.push_back(std::move(absent.unnamed_callers));
        return {};
    }

    // What to say behind the reasons why nothing is there.
    enum class Hints { none, hottest, all };

    Error nothing_found(const std::vector<std::string>& reasons, const std::vector<std::string>& unknown, Hints hints,
                        const std::string& unnamed_callers) const {
        auto text = fmt::format("{}", fmt::join(reasons, "; "));
        if (!unknown.empty()) {
            if (!text.empty()) text += "; ";
            text += asked_.size() == 1 ? offer("function", unknown.front(), known_names())
                                       : fmt::format("no function {} in this recording", fmt::join(unknown, " or "));
        }
        if (hints == Hints::all) add_hints(text, unknown.empty() ? "" : unnamed_callers);
        if (hints == Hints::hottest && !hottest_.empty()) add_hottest(text);
        return {ErrorCode::missing, Error::no_offset, "--symbol", std::move(text)};
    }

    // add_hints(...) says why names may be missing, or else suggests names.
    void add_hints(std::string& text, const std::string& unnamed_callers) const {
        const auto append = [&](const std::string& hint) { text += (text.ends_with('?') ? " " : "; ") + hint; };
        if (const auto nameless = WithoutBuildId::count(profile_).sampled_text(); !nameless.empty()) {
            append(nameless);
        } else if (text.ends_with('?')) {
            // The suggestion suffices.
        } else if (hottest_.empty()) {
            const bool all = hits(profile_.totals()) == hits(profile_.considered()) && !choice_.at;
            append(all ? "no samples fell into code with a name"
                       : "the other options leave no samples in code with a name");
        } else {
            add_hottest(text);
        }
        // The name may be among those that are missing. A suggestion suffices where these are few.
        const auto unnamed = UnnamedSamples::count(profile_);
        const bool many = !unnamed.reasons.empty() && unnamed.reasons.front().samples >= unnamed.all / 4;
        if (many || (!unnamed.reasons.empty() && !text.ends_with('?'))) append(unnamed.notes().front());
        if (!unnamed_callers.empty()) append(unnamed_callers);
    }

    void add_hottest(std::string& text) const {
        const auto around = std::string_view("perfdata: --symbol: ; the hottest are ").size();
        const auto room = std::max(message_width(), around + text.size() + 40) - around - text.size();
        text += "; the hottest are " + name_list(hottest_, room);
    }

    const FunctionChoice& choice_;
    const Counted& counted_;
    const Recording& recording_;
    const Profile& profile_;
    const Symbolizer& symbolizer_;
    const Timeline& timeline_;
    ChosenFunctions chosen_;
    std::vector<Asked> asked_;          // by index in choice_.symbols
    std::vector<std::string> hottest_;  // excluded only by --symbol
    EventCounts other_symbols_, other_times_;
};

}  // namespace

bool all_sampled(const FunctionChoice& choice, const Counted& counted) {
    return Chooser(choice, counted).all_sampled();
}

Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Counted& counted) {
    return Chooser(choice, counted).choose();
}

}  // namespace perfdata::tool
