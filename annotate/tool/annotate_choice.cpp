// SPDX-License-Identifier: MIT
#include "annotate_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>

#include "../without_build_id.hpp"
#include "../words.hpp"
#include "annotate_absent.hpp"
#include "near_names.hpp"

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
    Chooser(const FunctionChoice& choice, const Recording& recording, const Profile& profile, const CodeBook& book)
        : choice_(choice), recording_(recording), profile_(profile), book_(book), timeline_(book.timeline()) {}

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
        if (!choice_.symbols.empty() && chosen_.functions.empty()) add_without_samples();
        if (!choice_.symbols.empty() && chosen_.functions.empty()) return fail(nothing_found());
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
        if (function.kind == FrameKind::code) {
            const auto& code = timeline_.code()[function.index];
            called.name = book_.symbols().name(function.index);
            called.symbol = code.symbol;
            called.object = object_name(timeline_, code);
            called.kind = code.kind == CodeKind::out_of_line ? CodeClass::out_of_line : CodeClass::bpf;
            return called;
        }
        const auto name = book_.names().name(function);
        called.name.name = called.symbol = name.symbol;
        called.object = name.object;
        called.kind = name.kind;
        return called;
    }

    void take(const FunctionHits& function) {
        const auto& version = function.version;
        const auto called = this->called(version.function);
        if (!choice_.kinds.empty() && std::ranges::find(choice_.kinds, kind_name(called.kind)) == choice_.kinds.end()) {
            return add(other_kinds_, function.total);
        }
        const auto is_object = [&](const std::string& object) {
            return object == called.object || object == short_name(called.object);
        };
        if (!choice_.objects.empty() && std::ranges::none_of(choice_.objects, is_object)) {
            return add(other_objects_, function.total);
        }
        if (!asked_for(version.function, called)) return add(other_symbols_, function.total);
        if (choice_.at && (version.from > *choice_.at || version.until <= *choice_.at)) {
            return add(other_times_, function.total);
        }
        chosen_.functions.push_back(function);
    }

    void leave_out(std::string_view reason, Cells& cells) {
        if (hits(cells) != 0) chosen_.unattributed.push_back({std::string(reason), std::move(cells)});
    }

    bool asked_for(const Frame& function, const Called& called) const {
        return choice_.symbols.empty() || std::ranges::any_of(choice_.symbols, [&](const std::string& wanted) {
                   return wanted == called.name.name || wanted == called.symbol ||
                          is_subprogram(wanted, function, called);
               });
    }

    // PROGRAM/SUBPROGRAM, where the program is a name or an id and the subprogram a name or its number.
    bool is_subprogram(std::string_view wanted, const Frame& function, const Called& called) const {
        const auto slash = wanted.find('/');
        if (slash == std::string_view::npos || function.kind != FrameKind::code) return false;
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
        const auto add_function = [&](const Frame& function) {
            FunctionHits nothing{book_.versions().version(function, 0), Cells(profile_.totals().size()), {}};
            take(nothing);
        };
        for (CodeIndex index = 0; index < timeline_.code().size(); ++index) {
            add_function({0, index, FrameKind::code, CpuMode::kernel});
        }
        for (const auto& function : book_.versions().functions()) {
            if (function.kind != FrameKind::code) add_function(function);
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
            for (const auto& function : book_.versions().functions()) add_function(function);
        }
        std::vector<FunctionHits> all;
        for (const auto& function : order) {
            const auto versions = book_.versions().versions(function);
            if (versions.size() < 2) continue;
            for (const auto& version : versions) {
                const auto found = counted.find({key(function), version.number});
                all.push_back(found != counted.end() ? found->second
                                                     : FunctionHits{version, Cells(profile_.totals().size()), {}});
            }
        }
        chosen_.functions = std::move(all);
    }

    Error nothing_found() const {
        std::set<std::string> known;
        std::vector<std::string> hottest;
        const auto add = [&](const Frame& function) {
            const auto called = this->called(function);
            known.insert(called.name.name);
            known.insert(called.symbol);
            if (!called.name.program.empty()) known.insert(called.name.program + "/" + called.name.name);
        };
        for (const auto& function : profile_.functions()) {
            constexpr std::size_t shown = 8;
            const auto& name = called(function.version.function).name.name;
            if (hottest.size() < shown && std::ranges::find(hottest, name) == hottest.end()) hottest.push_back(name);
            add(function.version.function);
        }
        for (CodeIndex index = 0; index < timeline_.code().size(); ++index) {
            add({0, index, FrameKind::code, CpuMode::kernel});
        }
        known.erase(std::string());
        const std::vector<std::string> names(known.begin(), known.end());
        const auto wanted = fmt::format("{}", fmt::join(choice_.symbols, " or "));
        std::string text;
        for (const auto& one : choice_.symbols) {
            auto why = why_absent(one, recording_, book_, profile_);
            if (!why.empty()) text += (text.empty() ? "" : "; ") + std::move(why);
        }
        if (text.empty()) {
            text = choice_.symbols.size() == 1 ? offer("function", wanted, names)
                                               : fmt::format("no function {} in this recording", wanted);
        }
        if (const auto nameless = WithoutBuildId::count(profile_).sampled_text(); !nameless.empty()) {
            text += (text.ends_with('?') ? " " : "; ") + nameless;
        } else if (!text.ends_with('?')) {
            const auto around = std::string_view("perfdata: --symbol: ; the hottest are ").size();
            const auto width = message_width();
            text += hottest.empty()
                        ? "; no samples fell into code with a name"
                        : "; the hottest are " +
                              name_list(hottest, std::max(width, around + text.size() + 40) - around - text.size());
        }
        return {ErrorCode::missing, Error::no_offset, "--symbol", std::move(text)};
    }

    const FunctionChoice& choice_;
    const Recording& recording_;
    const Profile& profile_;
    const CodeBook& book_;
    const Timeline& timeline_;
    ChosenFunctions chosen_;
    Cells other_kinds_, other_objects_, other_symbols_, other_times_;
};

}  // namespace

Result<ChosenFunctions> choose_functions(const FunctionChoice& choice, const Recording& recording,
                                         const Profile& profile, const CodeBook& book) {
    return Chooser(choice, recording, profile, book).choose();
}

}  // namespace perfdata::tool
