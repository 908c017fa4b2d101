// SPDX-License-Identifier: MIT
#include "annotate_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

#include "perfdata/annotate/report/without_build_id.hpp"
#include "perfdata/symbols/bpf/bpf_programs.hpp"

#include "annotate_absent.hpp"
#include "format/words.hpp"
#include "tool/options/near_names.hpp"

namespace perfdata::tool {
namespace {

// What a user may call a function.
struct Called {
    FunctionName name;
    std::string symbol, object;
    CodeClass kind = CodeClass::unknown;
};

class Chooser {
  public:
    Chooser(const FunctionChoice& choice, const Recording& recording, const Profile& profile,
            const Symbolizer& symbolizer)
        : choice_(choice),
          recording_(recording),
          profile_(profile),
          symbolizer_(symbolizer),
          timeline_(symbolizer.timeline()),
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
        leave_out("code of kinds that --kind leaves out", other_kinds_);
        leave_out("functions of objects that --dso leaves out", other_objects_);
        leave_out("functions that --symbol leaves out", other_symbols_);
        if (!all_listed()) add_without_samples();
        if (!all_listed()) {
            if (auto told = tell_absent(); !told) return fail(told.error());
        }
        if (choice_.versions) show_versions();
        return std::move(chosen_);
    }

  private:
    std::vector<std::string> objects_without_names(const Unnamed& why) const {
        constexpr std::size_t most = 3;
        std::vector<std::string> names;
        const auto found = profile_.unnamed_objects().find(why);
        if (found == profile_.unnamed_objects().end()) return names;
        for (const auto& object : found->second) {
            auto name = object_label(object.object, object.kind);
            // Objects of several paths may have one name.
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
            called.kind = code.kind == CodeKind::out_of_line ? CodeClass::out_of_line : CodeClass::bpf;
            return called;
        }
        const auto name = symbolizer_.name(function);
        called.name.name = called.symbol = name.symbol;
        called.object = name.object;
        called.kind = name.kind;
        return called;
    }

    // Asked is what became of the functions of a name that was asked for.
    struct Asked {
        bool listed = false;
        std::set<std::string_view> left_out_by;  // options
        std::uint64_t left_out = 0;              // samples
    };

    void take(const FunctionHits& function) {
        const auto called = this->called(function.version.function);
        const auto names = names_of(function.version.function, called);
        const auto options = left_out_by(function.version, called);
        for (const auto name : names) {
            auto& asked = asked_[name];
            asked.listed = asked.listed || options.empty();
            asked.left_out_by.insert(options.begin(), options.end());
            if (!options.empty()) asked.left_out += hits(function.total);
        }
        if (!options.empty()) {
            const auto first = options.front();
            return add(first == "--kind"  ? other_kinds_
                       : first == "--dso" ? other_objects_
                                          : other_times_,
                       function.total);
        }
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

    // left_out_by(...) is the options that leave a function out whatever its name.
    std::vector<std::string_view> left_out_by(const CodeVersion& version, const Called& called) const {
        std::vector<std::string_view> options;
        if (!choice_.kinds.empty() && std::ranges::find(choice_.kinds, kind_name(called.kind)) == choice_.kinds.end()) {
            options.emplace_back("--kind");
        }
        const auto is_object = [&](const std::string& object) {
            return object == called.object || object == short_name(called.object);
        };
        if (!choice_.objects.empty() && std::ranges::none_of(choice_.objects, is_object)) options.emplace_back("--dso");
        if (choice_.at && (version.from > *choice_.at || version.until <= *choice_.at)) options.emplace_back("--at");
        return options;
    }

    void leave_out(std::string_view reason, EventCounts& cells) {
        if (hits(cells) != 0) chosen_.unattributed.push_back({std::string(reason), std::move(cells)});
    }

    // names_of(...) is which names it was asked for by.
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

    // PROGRAM/SUBPROGRAM, where the program is a name or an id and the subprogram a name or its number.
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

    // Those that changed, hottest first, each with all its versions in order of time.
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

    // known_names() is what there is to ask for.
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

    // left_out_text(wanted, asked) is a clause about what other options leave out; empty: nothing.
    static std::string left_out_text(const std::string& wanted, const Asked& asked) {
        if (asked.left_out_by.empty()) return {};
        const auto options = fmt::format("{}", fmt::join(asked.left_out_by, " and "));
        const auto* leave = asked.left_out_by.size() == 1 ? "leaves" : "leave";
        if (asked.left_out == 0) return fmt::format("{} has no samples, and {} {} it out", wanted, options, leave);
        return fmt::format("{} has {} sample{}, but {} {} it out", wanted, asked.left_out,
                           asked.left_out == 1 ? "" : "s", options, leave);
    }

    // tell_absent() says why each name that is not listed is not. It fails if there is none that is.
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
            auto found = why_absent(wanted, among, recording_, symbolizer_, profile_);
            if (!found) return fail(found.error());
            absent = std::move(*found);
        }
        std::vector<std::string> reasons, unknown;
        bool settled = true;
        for (std::size_t name = 0; name < asked_.size(); ++name) {
            if (asked_[name].listed) continue;
            auto why = left_out_text(choice_.symbols[name], asked_[name]);
            if (why.empty()) {
                settled = settled && absent.why[number[name]].settled;
                why = std::move(absent.why[number[name]].text);
            }
            auto& list = why.empty() ? unknown : reasons;
            if (why.empty()) why = choice_.symbols[name];
            if (std::ranges::find(list, why) == list.end()) list.push_back(std::move(why));
        }
        if (chosen_.functions.empty()) return fail(nothing_found(reasons, unknown, settled, absent.unnamed_callers));
        for (auto& reason : reasons) chosen_.absent.push_back("--symbol: " + std::move(reason));
        if (unknown.empty()) return {};
        // The search for near names takes its time, and a long list says no more.
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

    Error nothing_found(const std::vector<std::string>& reasons, const std::vector<std::string>& unknown, bool settled,
                        const std::string& unnamed_callers) const {
        auto text = fmt::format("{}", fmt::join(reasons, "; "));
        if (!unknown.empty()) {
            if (!text.empty()) text += "; ";
            text += asked_.size() == 1 ? offer("function", unknown.front(), known_names())
                                       : fmt::format("no function {} in this recording", fmt::join(unknown, " or "));
        }
        if (!settled) add_hints(text, unknown.empty() ? "" : unnamed_callers);
        return {ErrorCode::missing, Error::no_offset, "--symbol", std::move(text)};
    }

    // add_hints(...) says why names may be missing, or else what there is.
    void add_hints(std::string& text, const std::string& unnamed_callers) const {
        const auto append = [&](const std::string& hint) { text += (text.ends_with('?') ? " " : "; ") + hint; };
        if (const auto nameless = WithoutBuildId::count(profile_).sampled_text(); !nameless.empty()) {
            append(nameless);
        } else if (text.ends_with('?')) {
            // What is offered is enough.
        } else if (hottest_.empty()) {
            const bool all = choice_.kinds.empty() && choice_.objects.empty() && !choice_.at;
            append(all ? "no samples fell into code with a name"
                       : "the other options leave no samples in code with a name");
        } else {
            const auto around = std::string_view("perfdata: --symbol: ; the hottest are ").size();
            const auto width = message_width();
            append("the hottest are " +
                   name_list(hottest_, std::max(width, around + text.size() + 40) - around - text.size()));
        }
        if (!unnamed_callers.empty()) append(unnamed_callers);
    }

    const FunctionChoice& choice_;
    const Recording& recording_;
    const Profile& profile_;
    const Symbolizer& symbolizer_;
    const Timeline& timeline_;
    ChosenFunctions chosen_;
    std::vector<Asked> asked_;          // by name in choice_.symbols
    std::vector<std::string> hottest_;  // functions that only --symbol leaves out
    EventCounts other_kinds_, other_objects_, other_symbols_, other_times_;
};

}  // namespace

Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Recording& recording,
                                         const Profile& profile, const Symbolizer& symbolizer) {
    return Chooser(choice, recording, profile, symbolizer).choose();
}

}  // namespace perfdata::tool
