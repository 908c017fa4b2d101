// SPDX-License-Identifier: MIT
#include "info_profile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

#include "perfdata/timeline/timeline.hpp"

#include "format/words.hpp"
#include "page/json/json_parts.hpp"
#include "recording/stored/model.hpp"
#include "recording/stored/problems.hpp"
#include "recording/stored/profile_file.hpp"
#include "recording/stored/shared_facts.hpp"
#include "tool/options/dimension_word.hpp"
#include "tool/profile/profile_lacks.hpp"

namespace perfdata::tool {
namespace {

std::string content_digits(const stored::Source& source) {
    return hex_bytes({reinterpret_cast<const std::byte*>(source.content.data()), source.content.size()});
}

std::vector<std::string_view> words_of_command(const stored::Model& model, const stored::Source& source) {
    std::vector<std::string_view> words;
    for (const auto word : source.command_line) words.push_back(model.text(word));
    return words;
}

std::string source_line(const stored::Model& model, const stored::Source& source) {
    constexpr std::size_t digits = 12;  // enough to tell some recordings apart
    auto text = content_digits(source).substr(0, digits);
    const auto add = [&](std::string_view part) {
        if (!part.empty()) text += fmt::format(", {}", part);
    };
    add(model.text(source.hostname));
    add(model.text(source.os_release));
    add(source.wall_time == 0 ? std::string() : wall_clock(source.wall_time));
    add(fmt::format("{}", fmt::join(words_of_command(model, source), " ")));
    if (source.times > 1) text += fmt::format(", {} times", source.times);
    return text;
}

}  // namespace

Completeness profile_completeness(const Recording& profile) {
    Completeness completeness;
    if (const auto timeline = Timeline::build(profile)) completeness = timeline->completeness();
    for (auto& lack : stored::lacks(*profile.stored())) completeness.diagnostics.add(std::move(lack));
    return completeness;
}

std::vector<std::pair<std::string, std::string>> profile_lines(const Recording& profile, bool all) {
    const auto& model = *profile.stored();
    const auto& facts = model.facts;
    std::vector<std::pair<std::string, std::string>> lines;
    const auto recordings = stored::recordings(model);
    lines.emplace_back("profile", fmt::format("of {} of {} bytes{}", how_many(recordings, "recording"), profile.bytes(),
                                              facts.merged ? ", merged: without times" : ""));
    lines.emplace_back("keeps", facts.keeps == stored::all_dimensions ? "everything"
                                : facts.keeps == 0                    ? "nothing but the counts of events"
                                                                      : kept_list(facts.keeps, ", "));
    lines.emplace_back("counts", fmt::format("{} functions, {} places, {} call chains", model.functions.size(),
                                             model.frames.size(), model.nodes.size()));
    if (const auto other = stored::differing(model); other != 0) {
        lines.emplace_back("", fmt::format("{} version{} of functions had other code in some recordings", other,
                                           other == 1 ? "" : "s"));
    }
    for (const auto& row : facts.partial) lines.emplace_back("lacks", stored::partial_text(model, row));
    for (const auto& row : facts.left_out) lines.emplace_back("left out", stored::left_out_text(model, row));
    constexpr std::size_t few = 10;
    const auto shown = all ? model.sources.size() : std::min(model.sources.size(), few);
    for (std::size_t at = 0; at < shown; ++at) {
        lines.emplace_back(at == 0 ? "of" : "", source_line(model, model.sources[at]));
    }
    if (shown < model.sources.size()) {
        lines.emplace_back("", fmt::format("and {} more recordings; see --verbose", model.sources.size() - shown));
    }
    return lines;
}

void write_profile_facts(JsonWriter& json, const Recording& profile) {
    const auto& model = *profile.stored();
    json.key("profile");
    json.begin_object();
    json.member("version", stored::profile_version);
    json.member("merged", model.facts.merged);
    json.member("recordings", stored::recordings(model));
    json.key("keeps");
    json.begin_array();
    each_kept(model.facts.keeps, [&](std::string_view word) { json.value(word); });
    json.end_array();
    json.member("functions", std::uint64_t{model.functions.size()});
    json.member("places", std::uint64_t{model.frames.size()});
    json.member("chains", std::uint64_t{model.nodes.size()});
    json.member("differing_versions", stored::differing(model));
    write_lacks(json, model, "lacks");
    json.key("sources");
    json.begin_array();
    for (const auto& source : model.sources) {
        json.begin_object();
        json.member("content", content_digits(source));
        json.member("times", source.times);
        json.name("hostname", model.text(source.hostname));
        json.name("os_release", model.text(source.os_release));
        json.name("perf_version", model.text(source.perf_version));
        json.name("cpu", model.text(source.cpu_description));
        json.name("command_line", fmt::format("{}", fmt::join(words_of_command(model, source), " ")));
        json.member("wall_clock", source.wall_time == 0 ? std::nullopt : std::optional(wall_clock(source.wall_time)));
        json.end_object();
    }
    json.end_array();
    json.end_object();
}

}  // namespace perfdata::tool
